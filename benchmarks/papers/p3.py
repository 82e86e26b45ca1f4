"""P3 (Terrovitis, Mamoulis, Kalnis, VLDB Journal 2011): its Figures 14 to 23. Figures 10 to 13 are those of P0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.papers import p3_claims, pictures
from benchmarks.papers.common import PAGES, put, rows, verdicts
from benchmarks.papers.reading import bullets, pick, settled, statistic
from shoal.evaluation import charts
from shoal.evaluation.results import Row

GRIDS = ("p3-fig14", "p3-fig15", "p3-fig16", "p3-fig17", "p3-fig18", "p3-fig20", "p3-fig21", "p3-fig23")
SETS = ("POS", "WV1", "WV2")
FIGURES = ("Fig. 14", "Fig. 15", "Fig. 16", "Fig. 17", "Fig. 18", "Fig. 19", "Fig. 20", "Fig. 21", "Fig. 22", "Fig. 23")
COLOURS = {"aa": "#0072B2", "lra": "#D55E00", "vpa": "#009E73", "optimal": "#000000"}


def write(again: bool) -> None:
    """Run what is missing, draw, and fill the page."""
    runs = {name: settled(rows(name, again=again)) for name in GRIDS}
    draw(runs)
    claims = p3_claims.claims(runs)
    page = PAGES / "p3.md"
    put(page, "claims", verdicts(claims))
    for figure in FIGURES:
        put(page, figure, bullets(claims, figure))


def draw(runs: Mapping[str, Sequence[Row]]) -> None:
    """All pictures."""
    _sets(runs["p3-fig14"], pictures.WHAT, "p3-fig14", ("aa", "lra", "vpa", "optimal"))
    pictures.trio("p3-fig15", runs["p3-fig15"], "k", "k")
    pictures.trio("p3-fig16", runs["p3-fig16"], "m", "m")
    pictures.trio("p3-fig17", runs["p3-fig17"], "h", "h")
    _parts(runs["p3-fig18"])
    _at_once(runs["p3-fig18"])
    mined = [{**row, **in_percent(row)} for row in runs["p3-fig20"]]
    measures = {"ml2 %": "ML², %", "dml2_missed": "dML², levels, of those missed", "loss": "NCP, %"}
    _sets(mined, measures, "p3-fig20", ("aa", "vpa"))
    for name, what, title in (
        ("p3-fig21", "ml2", "ML², %, threshold 2 %"),
        ("p3-fig22", "dml2_missed", "dML², levels"),
    ):
        _mining(runs["p3-fig21"], name, what, title)
    _partition(runs["p3-fig23"])


def in_percent(row: Row) -> dict[str, float | None]:
    """The share of frequent itemsets that are missed, in percent."""
    return {"ml2 %": None if row.get("ml2") is None else 100 * row["ml2"]}


def _sets(runs: Sequence[Row], measures: Mapping[str, str], name: str, methods: Sequence[str]) -> None:
    """Bars for the three sets, a row of panels for each order of items."""
    figure, grid = charts.panels(2, len(measures), height=2.4)
    for line, order in zip(grid, ("label", "frequency"), strict=True):
        here = pick(pictures.with_loss(runs), data_order=order)
        for panel, (what, title) in zip(line, measures.items(), strict=True):
            bars = {
                one: {row["data"]: row.get(what) for row in here if row["algorithm"] == one}
                for one in methods
                if any(row.get(what) is not None for row in here if row["algorithm"] == one)
            }
            if bars:
                charts.bars(panel, bars, SETS, COLOURS)
                pictures.short_numbers(panel)
            panel.set_title(f"{title}; items by {'id' if order == 'label' else order}")
    charts.legend(figure, grid.flat)
    pictures.save(figure, name)


def parts_of(runs: Sequence[Row]) -> list[Row]:
    """Runs that differ in the number of chunks or parts alone, with that number."""
    return [
        {**row, "n": row.get("algorithm.chunks") or row.get("algorithm.parts") or 3}
        for row in pictures.with_loss(runs)
        if p3_claims.as_usual(row, but="chunks" if row["algorithm"] == "lra" else "parts")
    ]


def _parts(runs: Sequence[Row]) -> None:
    """Fig. 18: number of parts; flexibility; level."""
    figure, grid = charts.panels(1, 4, width=2.9)
    parts, styles = parts_of(runs), charts.line_styles(["lra", "vpa"])
    for panel, what, title in zip(
        grid[0], ("counted_itemsets", "loss"), ("label sets counted", "NCP, %"), strict=False
    ):
        pictures.line(panel, parts, "n", "chunks or parts", what, title, by="algorithm", styles=styles)
    for panel, name, option, usual in ((grid[0][2], "lra", "flexibility", 10), (grid[0][3], "vpa", "level", 1)):
        here = p3_claims.along(runs, name, option, usual)
        pictures.line(
            panel,
            pictures.with_loss(here),
            option,
            f"{name}: {option}",
            "loss",
            "NCP, %",
            by="algorithm",
            styles=styles,
        )
    grid[0][2].set_xscale("symlog", linthresh=10)
    ticks = sorted({row["flexibility"] for row in p3_claims.along(runs, "lra", "flexibility", 10)})
    grid[0][2].set_xticks(ticks, [charts.short(one) for one in ticks], minor=False)
    grid[0][2].minorticks_off()
    grid[0][2].set_xlim(-2, 1.6 * ticks[-1])
    charts.legend(figure, grid[0])
    pictures.save(figure, "p3-fig18")


def _at_once(runs: Sequence[Row]) -> None:
    """Fig. 19: how many times less would be counted one after the other, if all parts were counted at once."""
    figure, grid = charts.panels(1, 2)
    parts = [
        {**row, "gain": p3_claims.gain(row), "in_all": statistic(row, "count_tree_nodes_in_all")}
        for row in parts_of(runs)
    ]
    styles = charts.line_styles(["lra", "vpa"])
    for panel, what, title in zip(
        grid[0],
        ("gain", "in_all"),
        ("most gain by working at once, times", "label sets counted, all parts"),
        strict=True,
    ):
        pictures.line(panel, parts, "n", "chunks or parts", what, title, by="algorithm", styles=styles)
    charts.legend(figure, grid[0])
    pictures.save(figure, "p3-fig19")


def _mining(runs: Sequence[Row], name: str, what: str, title: str) -> None:
    """Fig. 21 and 22: by k, by m, and by the threshold of support."""
    figure, grid = charts.panels(1, 3)
    scale = 100 if what == "ml2" else 1
    usual = [{**row, "shown": _times(row.get(f"{what}_2"), scale)} for row in runs]
    by_threshold = [
        {**row, "threshold": threshold, "shown": _times(row.get(f"{what}_{threshold}"), scale)}
        for row in pick(runs, k=5, m=3)
        for threshold in (1, 2, 3)
    ]
    for panel, here, across, axis in (
        (grid[0][0], pick(usual, m=3), "k", "k (m=3)"),
        (grid[0][1], pick(usual, k=5), "m", "m (k=5)"),
        (grid[0][2], by_threshold, "threshold", "threshold of support, % (k=5, m=3)"),
    ):
        pictures.line(panel, here, across, axis, "shown", title.split(", threshold")[0], by="algorithm")
    charts.legend(figure, grid[0])
    pictures.save(figure, name)


def _times(value: float | None, scale: float) -> float | None:
    return None if value is None else scale * value


def _partition(runs: Sequence[Row]) -> None:
    """Fig. 23: VPA for several m beside Partition, whose model knows no m; both for several k."""
    figure, grid = charts.panels(1, 3)
    losses = pictures.with_loss(runs)
    methods = ("vpa", "optimal", "partition")
    styles = charts.line_styles(methods)
    ms = sorted({row["m"] for row in pick(losses, model="km", k=5)})
    full = [{**row, "m": m} for row in pick(losses, model="transactional-k", k=5) for m in ms]
    by_m = [*pick(losses, model="km", k=5), *full]
    by_k = [*pick(losses, model="km", m=3), *pick(losses, model="transactional-k")]
    shown: tuple[tuple[Any, list[Row], str, str, str, str], ...] = (
        (grid[0][0], by_m, "m", "m (k=5)", "loss", "NCP, %"),
        (grid[0][1], by_k, "k", "k (m=3)", "loss", "NCP, %"),
        (grid[0][2], by_m, "m", "m (k=5)", "cpu_seconds", "CPU seconds"),
    )
    for panel, here, across, axis, what, title in shown:
        pictures.line(panel, here, across, axis, what, title, by="algorithm", styles=styles)
    charts.legend(figure, grid[0])
    pictures.save(figure, "p3-fig23")
