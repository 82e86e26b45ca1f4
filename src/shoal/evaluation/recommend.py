"""Recommend an algorithm: try all sensible ones on a sample, the best of them on all data, and give reasons.

Methods that may remove items are recommended only if the publisher allows it, or if nothing else gives the guarantee.
The reasons say what they would gain. Methods that add items are recommended only if there are no others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.data import Dataset, columns
from shoal.engines import Engine
from shoal.errors import DataError, Infeasible
from shoal.evaluation import runner
from shoal.evaluation.grid import Case
from shoal.evaluation.results import Row
from shoal.jobs.arguments import as_model, describe_data
from shoal.jobs.command import Command
from shoal.jobs.dataset_spec import DatasetSpec, OnRead
from shoal.jobs.job import Job
from shoal.models.base import PrivacyModel
from shoal.options import Spec, option
from shoal.progress import engine_with
from shoal.report.formatting import count_noun
from shoal.report.sentences import shell_word

TREE = "hierarchy.csv"  # where the hierarchy is built, if none is given
LEFT_OUT = ("oa", "da", "hghs")  # for small data; superseded by aa and by mhghs


@dataclass(frozen=True)
class Wishes(Spec):
    """What the publisher allows, and the time limit."""

    name = "recommend"

    budget: float = option(120.0, low=1, help="Seconds for everything.")
    sample: int = option(10_000, low=100, help="The number of rows on which all methods are tried.")
    suppress: bool = option(False, help="Also try methods that may remove items.")

    def allow(self, method: Algorithm) -> bool:
        """Return whether the publisher allows the method."""
        return (self.suppress or not method.suppresses) and method.truthful


@dataclass(frozen=True)
class Trial:
    """The results of one method on the sample and on all data. A row is None if the method did not finish there."""

    algorithm: Algorithm
    allowed: bool
    sample: Row | None = None
    whole: Row | None = None

    @property
    def row(self) -> Row | None:
        """The row of all data, or else of the sample."""
        return self.whole or self.sample

    @property
    def ok(self) -> bool:
        """Whether there is a release."""
        return self.row is not None and self.row["status"] == "ok" and self.row["score"] is not None

    @property
    def untrue(self) -> bool:
        """Whether there is a release that cannot be compared with truthful ones."""
        return self.row is not None and self.row["status"] == "ok" and not self.ok

    @property
    def worthless(self) -> str:
        """Why its release is nearly worthless; empty if it is not, or if there is none."""
        return str((self.row or {}).get("worthless") or "")

    @property
    def score(self) -> float:
        """The loss of that release."""
        assert self.row is not None
        return float(self.row["score"])

    @property
    def failure(self) -> str:
        """Why there is no release; empty if there is one."""
        if self.row is None:
            return "not finished in time"
        if self.row["status"] == "ok":
            return "" if self.ok else "not truthful: cannot be compared"
        return str(self.row["error"] or self.row["status"])


@dataclass(frozen=True)
class Recommendation:
    """The recommended method, confirmed on all data, and everything that was tried, the best first."""

    pick: Trial
    trials: tuple[Trial, ...]
    rows: int
    sampled: int  # rows of the sample; all, if there was none
    bound: float | None  # nothing of the pick's kind loses less, on all rows; none: not known
    case: Case | None = None  # of the pick, on all rows

    @property
    def endorsed(self) -> bool:
        """Whether the pick is worth publishing: a nearly worthless release is never recommended."""
        return not self.pick.worthless

    @property
    def measure(self) -> str:
        """The name of the loss that was compared."""
        return str((self.pick.row or {})["scored_by"])

    @property
    def reasons(self) -> list[str]:
        """The reasons, as sentences with figures."""
        return list(_reasons(self))

    @property
    def commands(self) -> list[str]:
        """The command lines that publish the pick; empty if nothing is recommended."""
        if self.case is None or not self.case.data.file or not self.endorsed:
            return []
        spec, method, lines = self.case.data, self.case.algorithm, []
        if spec.fanout:
            how = ("--by", spec.order, "--fanout", str(spec.fanout), "-o", TREE)
            build = ("shoal", "hierarchy", "build", spec.file, *spec.reading.words(), *how)
            lines.append(" ".join(map(shell_word, build)))
            spec = replace(spec, fanout=0, order="label", hierarchy={**spec.hierarchy, "": TREE})
        if (self.pick.whole or {}).get("ended") in ("", None, "proven"):  # it ended by itself: no time limit is needed
            method = type(method)()
        job = Job(
            data=spec,
            output=_published(Path(spec.file)),
            model=self.case.model,
            algorithm=method,
            loss=self.case.loss,
            seed=self.case.seed,
            reports=(Path("report.html"),),
        )
        return [*lines, Command.of(job).spelled(method, {})]


def recommend(
    data: Any,
    model: PrivacyModel | str | None = None,
    *,
    k: int | None = None,
    m: int | Literal["all"] | None = None,
    budget: float = 120.0,
    sample: int = 10_000,
    suppress: bool = False,
    fanout: int = 5,
    seed: int = 0,
    loss: str = "ncp",
    workers: int = 0,
    progress: bool | Callable[[str, float], None] = False,
    on_read: OnRead = lambda data: data,
    **described: Any,
) -> Recommendation:
    """Recommend an algorithm: try all on a sample, confirm the best on all rows, and give reasons.

    Every figure comes from a release that was made and verified. Nothing is published. Half of the time is for the
    sample. Equal data and arguments give the same pick if the same methods finish in time.

    Parameters
    ----------
    data
        The data, as in :func:`shoal.anonymize`.
    model, k, m
        The guarantee, as in :func:`shoal.anonymize`.
    budget
        Seconds for everything.
    sample
        The number of rows on which all methods are tried.
    suppress
        Also try methods that may remove items.
    fanout
        The children of a node of the hierarchy that is built by frequency, if none is given.
    seed, loss
        The seed, and the loss that is compared.
    workers, progress
        As in :func:`shoal.anonymize`.
    on_read
        A function that gets the data as read, and returns the data to go on with.
    **described
        What :func:`shoal.anonymize` takes about the data, such as ``hierarchy``, ``sets`` or ``id_column``.

    Returns
    -------
    Recommendation
        The pick with its reasons, everything that was tried, and the commands that publish the pick.

    Raises
    ------
    Infeasible
        If no method can give the guarantee.

    Examples
    --------
    >>> import shoal
    >>> baskets = [["ale", "rye"], ["ale", "rye"], ["stout", "rye"], ["ale", "bun"]] * 5
    >>> advice = shoal.recommend(baskets, k=5, m=2, budget=60)
    >>> advice.pick.algorithm.name
    'auto'
    """
    wishes = Wishes(budget=float(budget), sample=sample, suppress=suppress)
    guarantee = as_model(model, k, m, described)
    spec = describe_data(data, **described)
    if not isinstance(data, DatasetSpec):
        spec = spec if "" in spec.hierarchy else replace(spec, fanout=fanout, order="frequency")
    with engine_with(progress=progress, workers=workers) as engine:
        return _recommend(spec, guarantee, wishes, seed, loss, engine, on_read)


def _recommend(
    spec: DatasetSpec,
    model: PrivacyModel,
    wishes: Wishes,
    seed: int,
    loss: str,
    engine: Engine,
    on_read: OnRead,
) -> Recommendation:
    """Try all methods on a sample, and the best on all rows."""
    start, threads, progress = time.monotonic(), engine.threads, engine.progress
    rows = _check(spec.require_files().load(seed, model, on_read)[0], spec, model)
    sampled = min(rows, wishes.sample)
    few = replace(spec, sample=sampled) if sampled < rows else spec
    methods = [_limited(method(), wishes) for method in candidates(model)]
    trials = {method.name: Trial(method, wishes.allow(method)) for method in methods}
    if not any(trial.allowed for trial in trials.values()):  # nothing else gives the guarantee
        trials = {name: replace(trial, allowed=True) for name, trial in trials.items()}

    def run(methods: Sequence[Algorithm], data: DatasetSpec, part: str, stage: str, seconds: float) -> None:
        cases = [Case(_suited(data, method), model, method, seed, loss) for method in methods]
        for ended, (case, row) in enumerate(runner.run(cases, threads, wishes.budget, start + seconds), 1):
            result: dict[str, Any] = {part: row}
            trials[case.algorithm.name] = replace(trials[case.algorithm.name], **result)
            progress(stage, ended / len(cases))

    if few is spec:
        run(methods, spec, "whole", "trying methods", wishes.budget)
        trials = {name: replace(trial, sample=trial.whole) for name, trial in trials.items()}
    else:
        run(methods, few, "sample", f"on {sampled:,} rows", wishes.budget / 2)
        allowed = [trial for trial in trials.values() if trial.allowed]
        finalists = sorted((trial for trial in allowed if trial.ok), key=_rank)
        finalists = finalists or allowed  # what no part allows, all rows may
        run([trial.algorithm for trial in finalists], spec, "whole", "on all rows", wishes.budget)
    ranked = sorted((trial for trial in trials.values() if trial.ok and trial.whole and trial.allowed), key=_rank)
    if not ranked:
        raise _nothing([trial for trial in trials.values() if trial.allowed], wishes)
    rest = [trial for trial in trials.values() if trial is not ranked[0]]
    rest.sort(key=lambda trial: (not trial.ok, not trial.whole, *(_rank(trial) if trial.ok else ())))
    cases = [Case(_suited(spec, trial.algorithm), model, trial.algorithm, seed, loss) for trial in ranked]
    bound = runner.gaps(cases, [trial.whole or {} for trial in ranked])[0]["optimum"]
    return Recommendation(ranked[0], (ranked[0], *rest), rows, sampled, bound, cases[0])


def _check(data: Dataset, spec: DatasetSpec, model: PrivacyModel) -> int:
    """Return the number of records. Data without items are an error."""
    if model.covers_sets and not model.relational and not data.transactions.total_items:
        raise DataError(f"All records of {data.origin.name} are empty: nothing can be lost, whatever the method.")
    if not model.relational:
        columns.refuse_identifying(data, {*spec.columns, *model.columns})
    return len(data)


def candidates(model: PrivacyModel) -> list[type[Algorithm]]:
    """Return all methods that give the guarantee and are worth trying."""
    known = discovery.find("shoal.algorithms", Algorithm)
    return [method for name, method in known.items() if isinstance(model, method.solves) and name not in LEFT_OUT]


def _suited(spec: DatasetSpec, method: Algorithm) -> DatasetSpec:
    """Return the data for a method: only methods that need a hierarchy get an artificial one."""
    return replace(spec, fanout=0, order="label") if spec.fanout and not method.needs_hierarchy else spec


def _limited(method: Algorithm, wishes: Wishes) -> Algorithm:
    """Set the time limit of a method that has one."""
    timed = any(one.name == "time_limit" for one in method.options())
    return method.changed(time_limit=round(wishes.budget / 4, 3)) if timed else method


def _rank(trial: Trial) -> tuple[Any, ...]:
    """Sort by: truthful, worth publishing, smallest loss, proved. Time never counts."""
    assert trial.row is not None
    poor = bool(trial.worthless)
    return (not trial.algorithm.truthful, poor, trial.score, trial.row.get("ended") != "proven", trial.algorithm.name)


def _nothing(trials: Sequence[Trial], wishes: Wishes) -> Infeasible:
    """Return the error if there is nothing to recommend."""
    failures = "; ".join(
        f"{trial.algorithm.name}: {trial.failure or 'finished on the sample, but not on all rows'}"
        for trial in trials[:3]
    )
    allow = "" if wishes.suppress else ", allow methods that remove items (suppress=True)"
    return Infeasible(
        f"No method gave a release ({failures}): allow more time than budget={wishes.budget:g} seconds, lower the "
        f"guarantee{allow}."
    )


def _published(data: Path) -> Path:
    """Return a name for the release, made from that of the data."""
    packed = data.suffix in (".gz", ".zst", ".bz2", ".xz")
    return Path("published" + "".join(data.suffixes[-2:] if packed else data.suffixes[-1:]))


def _reasons(advice: Recommendation) -> Iterator[str]:
    """Yield the reasons: loss, proof, next best methods, gain from removing items, failures."""
    pick, row = advice.pick, advice.pick.whole
    assert row is not None
    if not advice.endorsed:
        yield f"Its release is nearly worthless: {pick.worthless}"
    memory = "" if row["peak_mb"] is None else f" and {row['peak_mb']:.0f} MB"
    yield (
        f"{pick.algorithm.name} ({pick.algorithm.title}) lost least of the methods that finished in time: "
        f"{advice.measure} {figure(pick.score)} on all {count_noun(advice.rows, 'row')}, verified, "
        f"in {row['seconds']:.3g} s{memory}."
    )
    if advice.bound is not None and row.get("value") is not None:
        gap = max(0.0, 1 - advice.bound / row["value"]) if row["value"] else 0.0
        kind = "grouping of siblings" if pick.algorithm.groups_siblings else "cut of the hierarchy"
        kind += ", with or without items removed," if pick.algorithm.suppresses else ""
        if gap == 0:
            yield f"No {kind} loses less (proved)."
        elif advice.bound:
            above = f"{row['value'] / advice.bound - 1:.1%}".replace("%", " %")
            yield f"It is at most {above} above the best {kind} (lower bound {advice.bound:.6g})."
    for trial in [trial for trial in advice.trials[1:] if trial.whole and trial.ok and trial.allowed][:2]:
        assert trial.whole is not None
        more = f"{trial.score / pick.score - 1:.1%} more" if pick.score and trial.score > pick.score else "as much"
        unproved = ", but proves nothing" if row.get("ended") == "proven" and not trial.whole.get("ended") else ""
        yield (
            f"{trial.algorithm.name} loses {more} ({figure(trial.score)}) in {trial.whole['seconds']:.3g} s"
            f"{_speed(row, trial.whole)}{unproved}."
        )
    removing = [trial for trial in advice.trials if trial.algorithm.suppresses and trial.ok and not trial.allowed]
    base = pick.sample or pick.whole
    better = min(removing, key=_rank, default=None)
    if better is not None and base is not None and base.get("score") is not None and better.score < base["score"]:
        best, where = better, "the sample" if advice.sampled < advice.rows else "the same rows"
        yield (
            f"If you can accept removing items altogether (suppress=True): {best.algorithm.name} loses "
            f"{figure(best.score)} on {where}, and {pick.algorithm.name} loses {figure(base['score'])} there."
            f"{f' But that is nearly worthless, too: {best.worthless}' if best.worthless else ''}"
        )
    if not advice.endorsed:
        yield "A smaller m or k, more data, or another hierarchy would keep more."
    if untrue := [trial.algorithm.name for trial in advice.trials if trial.untrue]:
        yield f"Not compared, because their releases contain false statements: {', '.join(untrue)}."
    if failed := [
        f"{trial.algorithm.name} ({trial.failure})" for trial in advice.trials if not trial.ok and not trial.untrue
    ]:
        yield f"Without a release: {'; '.join(failed)}."
    if advice.sampled < advice.rows:
        yield (
            f"All methods were tried on {count_noun(advice.sampled, 'row')} drawn at random; rare sets are more common "
            f"in a sample, so losses are higher there, and the order may differ. "
            f"Finished on all rows: {_listed(advice)}."
        )


def figure(value: float) -> str:
    """Format a loss, or a number of operations."""
    return f"{value:,.0f}" if value > 1 else f"{value:.6f}"


def _speed(row: Row, other: Row) -> str:
    """Return how much faster the other is, if it is at least twice as fast."""
    times = row["seconds"] / max(other["seconds"], 1e-6)
    return f", {times:.0f} times faster" if times >= 2 else ""


def _listed(advice: Recommendation) -> str:
    return ", ".join(trial.algorithm.name for trial in advice.trials if trial.whole)
