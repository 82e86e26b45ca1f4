"""P1's experiments: sensitive k-anonymity by STN, GSC and K-NN beside GraySort and Sort APX Cover, on four data sets.

Six seeded runs for each data set; every run draws its own data and its own sensitive items. All methods and all k of a
run work on the same rows. Every release is verified (``shoal.anonymize`` makes no other).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import shoal
from benchmarks import data
from benchmarks.sensitive_published import KS
from shoal import discovery
from shoal.algorithms import Algorithm
from shoal.data.arrays import row_ids
from shoal.engines import LOCAL
from shoal.errors import Infeasible
from shoal.evaluation.quest import Quest
from shoal.privacy import PrivacyModel

RUNS = 6
AGAIN = 4  # searches more for their time
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "STN": ("stn", {}),
    "GSC": ("gsc", {"alpha": 2}),
    "K-NN": ("knn", {"order": "random"}),
    "K-NN, GSC order": ("knn", {"order": "gsc"}),
    "K-NN, STN order": ("knn", {"order": "stn"}),
    "GraySort": ("graysort", {"alpha": 2}),
    "Sort APX Cover": ("apx-cover", {}),
}


@dataclass(frozen=True)
class Setting:
    """How the data of a set are drawn."""

    quest: Quest | None  # none: a sample of BMS-WebView-1
    secrets: int = 3  # sensitive items
    first: int = 1  # the first seed to try; D1 and D2 have the same options and must not be the same
    least: float = 0.01  # the share of rows with sensitive items
    most: float = 1 / max(KS)


# T8.I4 and T4.I2, with about as many patterns as items, so that some items are rare; see docs/sensitive.md.
DENSE = Quest(rows=5_000, items=30, mean_size=8, mean_pattern=4, patterns=30)
SETTINGS = {
    "D1": Setting(DENSE),
    "D2": Setting(replace(DENSE, rows=10_000), first=1_001),
    "D3": Setting(Quest(rows=10_000, items=12, mean_size=4, mean_pattern=2, patterns=20), secrets=2, first=2_001),
    "D4": Setting(None),
}
# What P1 does not tell, otherwise.
VARIANTS = {
    "D1, shorter rows: T4.I2": Setting(replace(DENSE, mean_size=4, mean_pattern=2)),
    "D1, longer rows: T12.I4": Setting(replace(DENSE, mean_size=12)),
    "D1, skewed items (Zipf 1.5, 100 patterns)": Setting(replace(DENSE, patterns=100, skew=1.5)),
    "D1, more corruption (0.8)": Setting(replace(DENSE, corruption=0.8)),
    "D1, sensitive in 10 to 20 %": Setting(DENSE, least=0.1, most=0.2),
    "D1, sensitive in 30 to 50 %": Setting(DENSE, least=0.3, most=0.5),
    "D4, sensitive in 10 to 20 %": Setting(None, least=0.1, most=0.2),
}


@dataclass(frozen=True)
class Drawn:
    """The data of one run."""

    rows: shoal.Transactions
    sensitive: tuple[str, ...]
    seed: int

    @property
    def _secret(self) -> Any:
        return _holding(self.rows, [self.rows.labels.index(label) for label in self.sensitive])

    def facts(self) -> dict[str, Any]:
        """What decides how hard they are."""
        secret, labels = self._secret, self.rows.labels
        hidden = np.isin(self.rows.items, [labels.index(label) for label in self.sensitive])
        known = np.bincount(row_ids(self.rows.indptr)[~hidden], minlength=len(self.rows))  # QID items
        return {
            "rows": len(self.rows),
            "mean size": float(self.rows.sizes.mean()),
            "sensitive rows": int(secret.sum()),
            "share": float(secret.mean()),
            "their mean size": float(self.rows.sizes[secret].mean()),
            "bare": float((known[secret] == 0).mean()),
        }

    def most_modified(self, k: int) -> float:
        """No groups of a sensitive row and k - 1 others can have a larger I': only items that some row holds change."""
        secret = self._secret
        others = np.sort(self.rows.sizes[~secret])[::-1][: (k - 1) * int(secret.sum())]
        return min(float((self.rows.sizes[secret].sum() + others.sum()) / secret.sum()), len(self.rows.labels))


def draws(setting: Setting, runs: int = RUNS) -> Iterator[Drawn]:
    """The data of the runs: the first seeds for which sensitive items can be drawn."""
    seed, made = setting.first - 1, 0
    while made < runs:
        seed += 1
        rows = _sample(seed) if setting.quest is None else replace(setting.quest, seed=seed).transactions()
        if sensitive := _sensitive(rows, setting, seed):
            made += 1
            yield Drawn(rows, sensitive, seed)


def _sample(seed: int, items: int = 30) -> shoal.Transactions:
    """Random items of BMS-WebView-1, and the rows that hold at least one of them."""
    whole = shoal.read(data.REAL / "bms-webview-1" / "transactions.dat").transactions
    chosen = np.sort(np.random.default_rng([seed, 0]).choice(len(whole.labels), items, replace=False))
    kept = np.isin(whole.items, chosen)
    codes, rows = np.searchsorted(chosen, whole.items[kept]).astype(np.int32), row_ids(whole.indptr)[kept]
    sizes = np.bincount(rows)
    indptr = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
    return shoal.Transactions(indptr, codes, tuple(whole.labels[code] for code in chosen))


def _holding(rows: shoal.Transactions, items: Any) -> Any:
    """Which rows hold one of the items."""
    found = np.zeros(len(rows), dtype=bool)
    found[row_ids(rows.indptr)[np.isin(rows.items, items)]] = True
    return found


def _sensitive(rows: shoal.Transactions, setting: Setting, seed: int, tries: int = 500) -> tuple[str, ...]:
    """Random items, none in too many rows, such that as many rows hold one as the setting wants; none: not found."""
    rng = np.random.default_rng([seed, 1])
    rare = np.flatnonzero((rows.supports > 0) & (rows.supports <= setting.most * len(rows)))
    for _ in range(tries if len(rare) >= setting.secrets else 0):
        chosen = np.sort(rng.choice(rare, setting.secrets, replace=False))
        if setting.least <= _holding(rows, chosen).mean() <= setting.most:
            return tuple(rows.labels[code] for code in chosen)
    return ()


def rows() -> Iterator[dict[str, Any]]:
    """One row for each data set, run, k and method; D4 only where there are real data."""
    return _runs(SETTINGS, RUNS, KS, list(METHODS))


def variants() -> Iterator[dict[str, Any]]:
    """The same for other settings, three runs each, and the methods of P1 alone."""
    return _runs(VARIANTS, 3, (3, 10, 20), ["STN", "GSC", "K-NN", "K-NN, GSC order"])


def _runs(settings: dict[str, Setting], runs: int, ks: Sequence[int], methods: list[str]) -> Iterator[dict[str, Any]]:
    first = next(draws(SETTINGS["D3"], 1))
    shoal.anonymize(_problem(first, "stn", 3), shoal.STN())  # so that the first run loads nothing
    for name, setting in settings.items():
        if setting.quest is None and not data.REAL.is_dir():
            continue
        start = time.perf_counter()
        for run, drawn in enumerate(draws(setting, runs)):
            facts = {"data": name, "run": run, "seed": drawn.seed, **drawn.facts()}
            for k in ks:
                for method in methods:
                    yield {**facts, "k": k, "method": method, **_measured(drawn, method, k)}
            print(f"{name}, run {run + 1} of {runs}: {time.perf_counter() - start:.0f} s", flush=True)


def _problem(drawn: Drawn, algorithm: str, k: int) -> shoal.Problem:
    """The guarantee that the algorithm gives, with k (or p)."""
    privacy: PrivacyModel = shoal.SensitiveK(k=k, sensitive=drawn.sensitive)
    if algorithm == "graysort":
        privacy = shoal.PrivacyDegree(p=k, sensitive=drawn.sensitive)
    elif algorithm == "apx-cover":
        privacy = shoal.TransactionalK(k=k)
    return shoal.Problem(shoal.Dataset(drawn.rows), shoal.Hierarchy.flat(drawn.rows.labels), privacy, seed=drawn.seed)


def _measured(drawn: Drawn, method: str, k: int) -> dict[str, Any]:
    """One verified release; the seconds are those of the search alone, the median of several for P1's methods."""
    algorithm, options = METHODS[method]
    made = discovery.get("shoal.algorithms", Algorithm, algorithm)(**options)
    names = {
        "operations": "operations",
        "QID+": "qid_additions",
        "QID-": "qid_deletions",
        "SI+": "sensitive_additions",
        "SI-": "sensitive_deletions",
        "KL": "kl",
        "KL mean": "kl_mean",
        "privacy value": "privacy_value",
        "I'": "modified_items",
    }
    problem = _problem(drawn, algorithm, k)
    try:
        release = shoal.anonymize(problem, made)
    except Infeasible as reason:
        none: dict[str, Any] = dict.fromkeys(("seconds", *names, "groups", "joined", "most I'"))
        return {**none, "verified": False, "note": str(reason)}
    seconds = [release.timings["solve"]]
    for _ in range(AGAIN if method in ("STN", "GSC", "K-NN") else 0):
        start = time.perf_counter()
        made.solve(problem, LOCAL)
        seconds.append(time.perf_counter() - start)
    return {
        "seconds": statistics.median(seconds),
        **{short: release.losses[long] for short, long in names.items()},
        "groups": release.solution.statistics["groups"],
        "joined": release.solution.statistics.get("joined_rows", 0),
        "most I'": drawn.most_modified(k),
        "verified": release.verdict.holds,
        "note": "",
    }
