"""docs/research/papers/wang-2014.md: sensitive k-anonymity, the experiments of P1 from the rows of four grids.

Time is CPU time of the search, the least of four on the same data, then means over the seeds.
All else is the mean over the seeds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from benchmarks.data import REAL
from benchmarks.papers import common, p1_claims, p1_growth, p1_plots, p1_readings, p1_words, verdict
from benchmarks.papers.p1_published import ITEMS, KS, implied, published
from benchmarks.papers.p1_readings import KINDS, means, spread
from shoal.evaluation import grid_file
from shoal.evaluation.grid import Case
from shoal.evaluation.results import Row

GRIDS = ("p1", "p1-variants", "p1-webview", "p1-growth")
PAGE = common.PAGES / f"{common.PAPERS['p1']}.md"
SETS = ("D1", "D2", "D3", "D4")
NAMES = {
    "stn": "STN",
    "gsc": "GSC (all)",
    "gsc, candidates pool": "GSC (pool)",
    "gsc, candidates nonsensitive": "GSC (QT)",
    "knn": "K-NN (all)",
    "knn, order gsc": "K-NN (all), GSC order",
    "knn, order stn": "K-NN (all), STN order",
    "knn, candidates nonsensitive": "K-NN (QT)",
    "knn, order gsc, candidates nonsensitive": "K-NN (QT), GSC order",
    "knn, order stn, candidates nonsensitive": "K-NN (QT), STN order",
    "graysort": "GraySort",
    "apx-cover": "Sort APX Cover",
    "stn, shortage merge": "STN, merge",
}
OURS = tuple(NAMES.values())[:9]  # without K-NN (QT) in STN's order, which is STN
DRAWN = ("STN", "GSC (all)", "GSC (QT)", "K-NN (all)", "K-NN (QT)")


def write(again: bool) -> None:
    """Measure what is not known yet, draw the figures and fill the page."""
    grids = {name: paper_rows(common.rows(name, again=again)) for name in GRIDS}
    draw(grids)
    for mark, lines in texts(grids, {name: facts(name) for name in GRIDS[:3]}).items():
        common.put(PAGE, mark, "\n".join(lines))


def draw(grids: Mapping[str, Sequence[Row]]) -> None:
    """All pictures."""
    averages, images = means(grids["p1"]), common.IMAGES
    images.mkdir(parents=True, exist_ok=True)
    p1_plots.against_k(averages, "ms", "search (CPU ms)", DRAWN, images / "p1-fig3.png")
    p1_plots.against_k(averages, "operations", "items added or deleted", DRAWN, images / "p1-fig4.png")
    p1_plots.against_k(averages, "kl", "KL divergence (nats, sum)", DRAWN, images / "p1-fig5.png")
    both = (name for name in p1_readings.READINGS if name.startswith("both"))
    p1_plots.model({name: means(p1_readings.read(grids["p1"], name)) for name in both}, images / "p1-tables.png")
    p1_plots.growth(grids["p1-growth"], images / "p1-growth.png")


def texts(grids: Mapping[str, Sequence[Row]], drawn: Mapping[str, Sequence[Row]]) -> dict[str, Iterable[str]]:
    """What stands between the marks of the page: by mark, its lines."""
    results, others, whole, grown = (grids[name] for name in GRIDS)
    averages, data = means(results), drawn["p1"]
    readings = {name: p1_readings.read(results, name) for name in p1_readings.READINGS}
    claims = {name: p1_claims.claims(rows) for name, rows in readings.items()}
    return {
        "in short": p1_words.in_short(claims),
        "cost": [p1_words.cost(grids)],
        "claims": [verdict.side_by_side(claims)],
        "chosen": p1_words.set_up(averages, others, data),
        "data": _data(data),
        "time found": [*p1_words.found(claims, "Fig. 3"), "", p1_words.time(data)],
        "time": _grid(averages, "ms", DRAWN, lambda row: f"{row['ms']:.1f}"),
        "operations found": p1_words.found(claims, "Fig. 4", "Fig. 6", "Figs. 6, 7"),
        "operations told": p1_words.operations(results),
        "skewed": [p1_words.skewed(averages, data)],
        "operations": _grid(averages, "operations", OURS, lambda row: f"{row['operations']:,.0f}"),
        "kinds": _kinds(averages, data),
        "kl found": [*p1_words.found(claims, "Fig. 5", "Fig. 7"), "", p1_words.divergence(averages, OURS)],
        "kl": _grid(averages, "kl", OURS, lambda row: f"{row['kl']:,.0f} ({row['kl_mean']:.2f})"),
        **{f"privacy {number}": _privacy(averages, name) for number, name in enumerate(SETS, 1)},
        "privacy found": p1_words.found(claims, "Tables 1-4"),
        "privacy told": p1_words.model(averages),
        "privacy claims": p1_claims.privacy_counts(readings),
        "doubtful": p1_words.doubtful(averages),
        "bound": _bound(data),
        "bound told": [p1_words.bound(data)],
        "pairs told": [p1_words.pairs(results)],
        "pairs": p1_claims.pairs(results),
        "variants": p1_readings.variants(others, drawn["p1-variants"]),
        "variants told": p1_words.variants(others),
        "shortage": p1_readings.shortages(others, drawn["p1-variants"]),
        "shortage told": [p1_words.shortages(others, drawn["p1-variants"])],
        "webview": p1_readings.whole(whole, drawn["p1-webview"]),
        "webview told": [p1_words.whole(grids)],
        "growth claims": [verdict.table(p1_growth.claims(grown), "what we ask for")],
        "growth told": p1_words.growth(grown),
        "growth": p1_growth.table(grown),
    }


def paper_rows(rows: Sequence[Row]) -> list[Row]:
    """The rows by the paper's names, GraySort's p as k. A failed run is an error: the grids list seeds that work."""
    if failed := [row for row in rows if row["status"] != "ok"]:
        raise ValueError(f"{len(failed)} runs failed, the first: {failed[0]['error']}")
    named = []
    for row in rows:
        counted = {"joined_rows": 0, **json.loads(row["statistics"])}
        k = row["p"] if row["k"] is None else row["k"]
        named.append(
            {**row, **counted, "method": NAMES[row["method"]], "k": k, "ms": 1_000 * (row["search_cpu_seconds"] or 0)}
        )
    return named


def facts(grid: str) -> list[Row]:
    """What decides how hard the data of a grid are, once for each set and seed."""
    cases = grid_file.load(grid_file.named()[grid], REAL).cases
    first = {(case.data.label, case.seed): case for case in reversed(cases)}  # its model knows sensitive items
    return [_drawn(case) for case in reversed(first.values())]


def _drawn(case: Case) -> Row:
    """The rows of a case, and among them those with sensitive items."""
    problem = case.problem()
    known, hidden = problem.prepared.items.sizes, problem.prepared.sensitive.sizes
    secret, sizes = hidden > 0, known + hidden
    longest = np.sort(sizes[~secret])[::-1]

    def most_modified(k: int) -> float:
        """No groups of a sensitive row and k - 1 others have a larger I': only items that some row holds change."""
        return float((sizes[secret].sum() + longest[: (k - 1) * int(secret.sum())].sum()) / secret.sum())

    return {
        "data": case.data.label,
        "seed": case.seed,
        "rows": len(sizes),
        "mean size": float(sizes.mean()),
        "sensitive rows": int(secret.sum()),
        "share": 100 * float(secret.mean()),
        "their mean size": float(sizes[secret].mean()),
        "sensitive items": int(hidden.sum()),
        "bare": 100 * float((known[secret] == 0).mean()),
        "most": {k: most_modified(k) for k in KS},
    }


def _data(drawn: Sequence[Row]) -> Iterator[str]:
    """What was drawn."""
    yield "| data | rows | items a row | sensitive rows | their share | items in these | without QID items | seeds |"
    yield "|---|---|---|---|---|---|---|---|"
    forms = {
        "rows": ",.0f",
        "mean size": ".2f",
        "sensitive rows": ",.0f",
        "share": ".1f",
        "their mean size": ".2f",
        "bare": ".1f",
    }
    for name in SETS:
        runs = [row for row in drawn if row["data"] == name]
        cells = [spread([run[what] for run in runs], form) for what, form in forms.items()]
        cells[3], cells[5] = f"{cells[3]} %", f"{cells[5]} %"
        yield f"| {name} | {' | '.join(cells)} | {', '.join(str(run['seed']) for run in runs)} |"


def _grid(averages: Sequence[Row], measure: str, methods: Sequence[str], cell: Callable[[Row], str]) -> Iterator[str]:
    """Data and methods down, k across; the least of each k among the methods is bold."""
    yield f"| data | method | {' | '.join(f'k = {k}' for k in KS)} |"
    yield f"|---|---|{'---:|' * len(KS)}"
    for name in SETS:
        here = {(row["method"], row["k"]): row for row in averages if row["data"] == name}
        for method in methods:
            cells = []
            for k in KS:
                least = min(here[one, k][measure] for one in methods)
                text = cell(here[method, k])
                cells.append(f"**{text}**" if here[method, k][measure] == least else text)
            yield f"| {name} | {method} | {' | '.join(cells)} |"


def _kinds(averages: Sequence[Row], drawn: Sequence[Row]) -> Iterator[str]:
    """What the operations are, at k = 10, and how much of what is published as sensitive is true."""
    yield f"| data | method | {' | '.join(KINDS.values())} | true of those published |"
    yield f"|---|---|{'---:|' * len(KINDS)}---:|"
    for row in averages:
        if row["k"] == 10 and "STN order" not in row["method"]:
            cells = [f"{row[name]:,.0f}" for name in KINDS]
            cells.append(p1_readings.true_share(row, drawn) if row["method"] in OURS else "")
            yield f"| {row['data']} | {row['method']} | {' | '.join(cells)} |"


def _privacy(averages: Sequence[Row], name: str) -> Iterator[str]:
    """One of P1's tables: published / ours, and I' of both."""
    yield f"| {name} | {' | '.join(f'K = {k}' for k in KS)} |"
    yield f"|---|{'---|' * len(KS)}"
    here = {(row["method"], row["k"]): row for row in averages if row["data"] == name}
    for method in (name for name in NAMES.values() if (name, KS[0]) in here and "order" not in name):
        printed = method.partition(" (")[0]
        cells = (
            f"{published(name, printed, k):.2E} / **{here[method, k]['privacy_value']:.2E}**<br>"
            f"I' {implied(name, printed, k):.2f} / **{here[method, k]['modified_items']:.2f}**"
            for k in KS
        )
        yield f"| {method} | {' | '.join(cells)} |"


def _bound(drawn: Sequence[Row]) -> Iterator[str]:
    """Printed I' on D4 beside the most that is possible on ours."""
    yield f"| D4, I' | {' | '.join(f'k = {k}' for k in KS)} |"
    yield f"|---|{'---:|' * len(KS)}"
    for method in ("STN", "GSC", "K-NN"):
        printed = (implied("D4", method, k) for k in KS)
        yield f"| published, {method} | {' | '.join(f'{one:.1f}' for one in printed)} |"
    most = [[min(row["most"][k], ITEMS["D4"]) for row in drawn if row["data"] == "D4"] for k in KS]
    yield f"| the most that is possible, by run | {' | '.join(f'{min(one):.1f} to {max(one):.1f}' for one in most)} |"
