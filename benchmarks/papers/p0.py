"""research/papers/terrovitis-2008.md: Figures 8 to 11 of the paper, and the order of the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.papers import p0_claims, pictures
from benchmarks.papers.common import PAGES, PAPERS, put, rows
from benchmarks.papers.reading import ALL, BY, percent, pick, seconds, setting, settled, span
from benchmarks.papers.verdict import bullets, summary, table
from shoal.evaluation import charts
from shoal.evaluation.results import Row

SMALL = ("p0-fig8", "p0-fig9", "p0-fig10")
WHOLE = ("p0-fig11a", "p0-fig11b", "p0-fig11c", "p0-fig11d")
GRIDS = (*SMALL, *WHOLE, "p0-order", "p3-memory")
TABLE = "p3/rows"  # P0 and P3 share runs
SETS = ("POS", "WV1", "WV2")
FIGURES = ("Fig. 8", "Fig. 9", "Fig. 10", "Fig. 11")
# Colours tell the order of items, markers and lines the method.
ORDERS = {
    f"{method}, {BY[order]}": {"color": colour, "marker": marker, "linestyle": line, "fillstyle": "none"}
    for order, colour in (("label", "#D55E00"), ("frequency", "#0072B2"))
    for method, marker, line in (("aa", "o", "-"), ("optimal", "x", ":"))
}


def write(again: bool) -> None:
    """Run what is missing, draw, and fill the page."""
    runs = {name: settled(rows(name, again=again, kept=TABLE)) for name in GRIDS}
    draw(runs)
    claims = p0_claims.claims(runs)
    page = PAGES / f"{PAPERS['p0']}.md"
    put(page, "summary", summary(claims))
    put(page, "claims", table(claims, figures=False))
    for figure in FIGURES:
        put(page, figure, bullets(claims, figure))
    put(page, "proofs", p0_claims.proofs(runs["p0-fig11a"]))
    put(page, "low hierarchy", low_hierarchy(runs["p0-fig11c"]))
    put(page, "order in short", in_short(runs["p0-order"]))
    put(page, "table of orders", orders(runs["p0-order"]))


def draw(runs: Mapping[str, Sequence[Row]]) -> None:
    """All pictures."""
    pictures.trio("p0-fig8", runs["p0-fig8"], "data.rows", "|D|")
    pictures.trio("p0-fig9", runs["p0-fig9"], "data.modulo", "|I|")
    pictures.trio("p0-fig10", runs["p0-fig10"], "m", "m")
    built = pick(runs["p3-memory"], algorithm="aa")
    measures = {
        "cpu_seconds": ("CPU seconds", runs["p0-fig11a"]),
        "built_nodes": ("nodes", pick(built, k=5, m=3, data_fanout=5)),
        "loss": ("NCP, %", runs["p0-fig11a"]),
    }
    pictures.sets("p0-fig11a", measures, ("aa", "optimal"), SETS)
    _sweeps({name[-1]: runs[name] for name in WHOLE[1:]})
    _order(runs["p0-order"])


def _named(runs: Sequence[Row]) -> list[Row]:
    """Rows that are named by algorithm and order."""
    return [{**row, "way": f"{row['algorithm']}, {BY[row['data.order']]}"} for row in pictures.with_loss(runs)]


def _sweeps(runs: Mapping[str, Sequence[Row]]) -> None:
    """Fig. 11b to d: k, h and m on BMS-POS, time above loss."""
    figure, grid = charts.panels(2, 3, height=2.4)
    for column, (letter, across) in enumerate((("b", "k"), ("c", "h"), ("d", "m"))):
        named = pick(pictures.whole(_named(runs[letter])), algorithm="aa")
        for panel, what, title in (
            (grid[0][column], "cpu_seconds", "CPU seconds"),
            (grid[1][column], "loss", "NCP, %"),
        ):
            pictures.line(panel, named, across, across, what, f"{letter}: {title}", by="way", styles=ORDERS)
    charts.legend(figure, grid[1])
    pictures.save(figure, "p0-fig11bcd")


def _order(runs: Sequence[Row]) -> None:
    """The same problems with two orders of the items."""
    figure, grid = charts.panels(2, 3, height=2.4)
    named = _named(runs)
    for column, name in enumerate(SETS):
        here = pick(named, data=name)
        for panel, across, fixed in ((grid[0][column], "m", {"k": 5}), (grid[1][column], "k", {"m": 3})):
            shown = pick(here, **fixed)
            title = f"{name}, " + ", ".join(f"{key}={one}" for key, one in fixed.items()) + ": NCP, %"
            pictures.line(panel, shown, across, across, "loss", title, by="way", styles=ORDERS, linear=True)
    charts.legend(figure, grid[0])
    pictures.save(figure, "p0-order")


def orders(runs: Sequence[Row]) -> str:
    """Losses by order, in Markdown: the least and the largest over the seeds."""
    ways = [(name, order) for name in ("aa", "optimal") for order in BY]
    titles = {"aa": "AA", "optimal": "optimum"}
    lines = [
        f"| data | k | m | {' | '.join(f'{titles[name]}, {BY[order]}' for name, order in ways)} | optimum: ratio |",
        "|---|---:|---:|---|---|---|---|---|",
    ]
    for data, k, m in dict.fromkeys((row["data"], row["k"], row["m"]) for row in runs):
        here = pick(runs, data=data, k=k, m=m, status="ok")
        found = {
            way: [row["ncp"] for row in pick(here, algorithm=way[0], data_order=way[1]) if _shown(row)] for way in ways
        }
        cells = [span(one, percent) if one else "not proved in time" for one in found.values()]
        by_id, by_frequency = (found["optimal", order] for order in BY)
        ratios = [a / b for a, b in zip(by_id, by_frequency, strict=False) if b]
        lines.append(f"| {data} | {k} | {m} | {' | '.join(cells)} | {span(ratios, _times) if ratios else '-'} |")
    return "\n".join(lines)


def in_short(runs: Sequence[Row]) -> str:
    """How much the order changes the proved optimum at k=5, m=3."""
    told = []
    for data in SETS:
        here = [row for row in pick(runs, data=data, k=5, m=3, algorithm="optimal", status="ok") if _shown(row)]
        by_id, by_frequency = ([row["ncp"] for row in pick(here, data_order=order)] for order in BY)
        if by_id and by_frequency:
            told.append(f"{span(by_id, percent)} by id and {span(by_frequency, percent)} by frequency on {data}")
    return f"At k=5, m=3 the proved optimum is {'; '.join(told)}."


def low_hierarchy(runs: Sequence[Row]) -> str:
    """What the optimum loses where AA finds nothing but the root."""
    best = [row for row in runs if row["algorithm"] == "optimal" and row["status"] == "ok"]
    told = [
        f"{span([row['ncp'] for row in here], percent)} with {title}"
        for order, title in BY.items()
        if (here := [row for row in pick(best, data_order=order) if setting(row)["size"] == ALL])
    ]
    longest = max((row["cpu_seconds"] for row in best), default=0.0)
    return f"At h=4, the best cut of all loses {' and '.join(told)} (in at most {seconds(longest)} of CPU time)."


def _shown(row: Row) -> bool:
    return bool(row["algorithm"] != "optimal" or row["ended"] == "proven")


def _times(ratio: float) -> str:
    return f"{ratio:.1f}"
