"""P0 (Terrovitis, Mamoulis, Kalnis, VLDB 2008): its Figures 8 to 11, and the order of items that it does not tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.papers import p0_claims, pictures
from benchmarks.papers.common import PAGES, put, rows, verdicts
from benchmarks.papers.reading import bullets, percent, pick, settled, value
from shoal.evaluation import charts
from shoal.evaluation.results import Row

GRIDS = ("p0-fig8", "p0-fig9", "p0-fig10", "p0-fig11a", "p0-fig11b", "p0-fig11c", "p0-fig11d", "p0-order")
SETS = ("POS", "WV1", "WV2")
# Colours tell the order of items, markers and lines the method.
BY = {"label": "by id", "frequency": "by frequency"}
ORDERS = {
    f"{method}, {BY[order]}": {"color": colour, "marker": marker, "linestyle": line, "fillstyle": "none"}
    for order, colour in (("label", "#D55E00"), ("frequency", "#0072B2"))
    for method, marker, line in (("aa", "o", "-"), ("optimal", "x", ":"))
}


def write(again: bool) -> None:
    """Run what is missing, draw, and fill the page."""
    runs = {name: settled(rows(name, again=again)) for name in GRIDS}
    draw(runs)
    claims = p0_claims.claims(runs)
    page = PAGES / "p0.md"
    put(page, "claims", verdicts(claims))
    for figure in ("Fig. 8", "Fig. 9", "Fig. 10", "Fig. 11", "Order"):
        put(page, figure, bullets(claims, figure))
    put(page, "table of orders", orders(runs["p0-order"]))


def draw(runs: Mapping[str, Sequence[Row]]) -> None:
    """All pictures."""
    pictures.trio("p0-fig8", runs["p0-fig8"], "data.rows", "|D|")
    pictures.trio("p0-fig9", runs["p0-fig9"], "data.modulo", "|I|")
    pictures.trio("p0-fig10", runs["p0-fig10"], "m", "m")
    _sets(runs["p0-fig11a"])
    _sweeps({name[-1]: runs[name] for name in ("p0-fig11b", "p0-fig11c", "p0-fig11d")})
    _order(runs["p0-order"])


def _named(runs: Sequence[Row]) -> list[Row]:
    """Rows that are named by algorithm and order."""
    return [{**row, "way": f"{row['algorithm']}, {BY[row['data.order']]}"} for row in pictures.with_loss(runs)]


def _sets(runs: Sequence[Row]) -> None:
    """Fig. 11a: bars for the three sets."""
    figure, grid = charts.panels(1, 3)
    named = _named(runs)
    for panel, (what, title) in zip(grid[0], pictures.WHAT.items(), strict=True):
        bars = {way: {row["data"]: row[what] for row in named if row["way"] == way} for way in ORDERS}
        charts.bars(panel, bars, SETS, {way: style["color"] for way, style in ORDERS.items()})
        panel.set_title(title)
    grid[0][2].axhline(3, color="#555555", linewidth=1, linestyle="--")
    grid[0][2].text(-0.45, 3.1, "P0: at most 3 %", fontsize=8, color="#555555")
    charts.legend(figure, grid[0])
    pictures.save(figure, "p0-fig11a")


def _sweeps(runs: Mapping[str, Sequence[Row]]) -> None:
    """Fig. 11b to d: k, h and m on BMS-POS, what is counted above what is lost."""
    figure, grid = charts.panels(2, 3, height=2.4)
    for column, (letter, across) in enumerate((("b", "k"), ("c", "h"), ("d", "m"))):
        named = _named(runs[letter])
        pictures.line(grid[0][column], pick(named, algorithm="aa"), across, across, "counted_itemsets",
                      f"{letter}: label sets counted", by="way", styles=ORDERS)  # fmt: skip
        pictures.line(grid[1][column], named, across, across, "loss", f"{letter}: NCP, %", by="way", styles=ORDERS)
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
    """Losses by order, in Markdown."""
    lines = [
        "| data | k | m | AA, by id | AA, by frequency | optimum, by id | optimum, by frequency | optimum: ratio |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for place in dict.fromkeys((row["data"], row["k"], row["m"]) for row in runs):
        data, k, m = place
        here = pick(runs, data=data, k=k, m=m)
        cells = [
            value(here, "ncp", algorithm=name, data_order=order)
            for name in ("aa", "optimal")
            for order in ("label", "frequency")
        ]
        ratio = f"{cells[2] / cells[3]:.1f}" if cells[3] else "-"
        lines.append(f"| {data} | {k} | {m} | {' | '.join(map(percent, cells))} | {ratio} |")
    return "\n".join(lines)
