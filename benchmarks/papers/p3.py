"""research/papers/terrovitis-2011.md: Figures 14 to 23 of the paper; 10 to 13 are those of 2008."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.papers import p3_claims, p3_rows, pictures
from benchmarks.papers.common import PAGES, PAPERS, put, rows
from benchmarks.papers.reading import BY, Missing, count, pick, settled, statistic, times
from benchmarks.papers.verdict import bullets, summary, table
from shoal.evaluation import charts
from shoal.evaluation.results import Row

GRIDS = ("p3-fig14", "p3-fig15", "p3-fig16", "p3-fig17", "p3-fig18", "p3-fig23", "p3-memory")
TABLE = "p3/rows"  # P0 and P3 share runs
FIGURES = tuple(f"Fig. {number}" for number in range(14, 24))


def write(again: bool) -> None:
    """Run what is missing, draw, and fill the page."""
    runs = {name: settled(rows(name, again=again, kept=TABLE)) for name in GRIDS}
    draw(runs)
    claims = p3_claims.claims(runs)
    page = PAGES / f"{PAPERS['p3']}.md"
    put(page, "summary", summary(claims))
    put(page, "claims", table(claims, figures=False))
    for figure in FIGURES:
        put(page, figure, bullets(claims, figure))
    put(page, "chunk", heavy_chunk(runs["p3-memory"]))
    put(page, "seconds", partition_seconds(runs["p3-fig23"]))


def draw(runs: Mapping[str, Sequence[Row]]) -> None:
    """All pictures. LRA numbers bits as in the hierarchy in them."""
    memory = [row for row in runs["p3-memory"] if p3_rows.as_usual(row)]
    plain = p3_rows.usual(runs["p3-fig14"])
    measures = {
        "search_cpu_seconds": ("search, CPU seconds", plain),
        "built_nodes": ("nodes", p3_rows.usual(memory)),
        "loss": ("NCP, %", plain),
    }
    pictures.sets("p3-fig14", measures, ("aa", "lra", "vpa", "optimal"), p3_rows.SETS)
    small = pick(memory, data="POS", data_fanout=5)
    pictures.by_order("p3-fig15", runs["p3-fig15"], pick(small, m=3), "k", "k")
    pictures.by_order("p3-fig16", runs["p3-fig16"], pick(small, k=5), "m", "m")
    tenth = pick(
        runs["p3-memory"], data="POS", k=5, m=3, data_rows=51_560
    )  # other heights and parts were counted there
    pictures.by_order("p3-fig17", runs["p3-fig17"], [row for row in tenth if p3_rows.as_usual(row)], "h", "h")
    built = pick(tenth, data_fanout=5)
    _parts(runs["p3-fig18"], built)
    _at_once(built)
    mined = [{**row, "ml2 %": _times(row.get("ml2"), 100)} for row in p3_rows.with_levels(plain)]
    titles = {"ml2 %": "ML², %", "dml2_missed": "dML², levels", "loss": "NCP, %"}
    pictures.sets("p3-fig20", {what: (one, mined) for what, one in titles.items()}, ("aa", "vpa"), p3_rows.SETS)
    for name, what, title in (("p3-fig21", "ml2", "ML², %"), ("p3-fig22", "dml2_missed", "dML², levels")):
        _mining(runs["p3-fig15"], runs["p3-fig16"], name, what, title)
    _partition(runs["p3-fig23"])


def heavy_chunk(runs: Sequence[Row]) -> str:
    """LRA's largest tree on BMS-WebView-1 beside AA's, for both readings of the bits."""
    told = []
    for order, by in BY.items():
        here = pick(runs, data="WV1", data_order=order, k=5, m=3)
        whole = pick(here, algorithm="aa")
        for bits, title in p3_rows.READINGS.items():
            ours = [
                row for row in pick(here, algorithm="lra") if (row.get("algorithm.bit_order") or "hierarchy") == bits
            ]
            if not (len(ours) == len(whole) == 1 and ours[0].get("built_nodes") and whole[0].get("built_nodes")):
                raise Missing(f"LRA on WV1, {by}, {title}")
            ratio = ours[0]["built_nodes"] / whole[0]["built_nodes"]
            records = statistic(ours[0], "count_tree_nodes_built_records")
            size = f" in a chunk of {count(records)} records" if records else ""
            told.append(f"{times(ratio)} times AA's with {by} and {title}{size}")
    return f"On BMS-WebView-1 LRA's largest count-tree has {'; '.join(told)}."


def partition_seconds(runs: Sequence[Row]) -> str:
    """Seconds of both methods at full size, for the text."""
    full = [row for row in runs if row.get("data.rows") == 515_597 and row["status"] == "ok" and row["k"] == 5]
    lines = ["| items | Partition | VPA, m=1 | 2 | 3 | 4 | 5 | 6 |", "|---|---|---|---|---|---|---|---|"]
    for order, by in BY.items():
        here = pick(full, data_order=order)
        cells = [_seconds(pick(here, algorithm="partition"))]
        cells += [_seconds(pick(here, algorithm="vpa", m=m)) for m in range(1, 7)]
        lines.append(f"| {by.removeprefix('items ')} | {' | '.join(cells)} |")
    return "\n".join([*lines, "| Terrovitis et al. 2011 | 20 s | 40 s | | | | | almost 5 hours |"])


def _seconds(runs: Sequence[Row]) -> str:
    return ", ".join(f"{row['search_cpu_seconds']:.3g} s" for row in runs) or "not measured"


def parts_of(runs: Sequence[Row]) -> list[Row]:
    """Runs that differ in the number of chunks or parts alone, with that number."""
    return [
        {**row, "n": row.get("algorithm.chunks") or row.get("algorithm.parts") or 3}
        for row in pictures.with_loss(runs)
        if row["algorithm"] in ("lra", "vpa")
        and p3_rows.as_usual(row, but="chunks" if row["algorithm"] == "lra" else "parts")
    ]


def _parts(runs: Sequence[Row], built: Sequence[Row]) -> None:
    """Fig. 18: number of parts; flexibility; level."""
    figure, grid = charts.panels(2, 4, width=2.9, height=2.3)
    styles = charts.line_styles(["lra", "vpa"])
    for panels, (order, by) in zip(grid, BY.items(), strict=True):
        nodes, losses = (pick(pictures.whole(parts_of(some)), data_order=order) for some in (built, runs))
        for panel, some, what, title in (
            (panels[0], nodes, "built_nodes", "nodes"),
            (panels[1], losses, "loss", "NCP, %"),
        ):
            pictures.line(panel, some, "n", "chunks or parts", what, f"{title}; {by}", styles=styles)
        for panel, name, option in ((panels[2], "lra", "flexibility"), (panels[3], "vpa", "level")):
            here = pictures.whole(pictures.with_loss(p3_rows.along(pick(runs, data_order=order), name, option)))
            pictures.line(panel, here, option, f"{name}: {option}", "loss", f"NCP, %; {by}", styles=styles)
        ticks = sorted({10, *(row["flexibility"] for row in p3_rows.along(runs, "lra", "flexibility"))})
        panels[2].set_xscale("symlog", linthresh=10)
        panels[2].set_xticks(ticks, [charts.short(one) for one in ticks], minor=False)
        panels[2].minorticks_off()
        panels[2].set_xlim(-2, 1.6 * ticks[-1])
    charts.legend(figure, grid[0])
    pictures.save(figure, "p3-fig18")


def _at_once(built: Sequence[Row]) -> None:
    """Fig. 19: how many nodes fewer are built one after the other, if all parts are built at once."""
    figure, grid = charts.panels(1, 2)
    parts = [{**row, "gain": p3_rows.gain(row)} for row in parts_of(built)]
    for panel, (order, by) in zip(grid[0], BY.items(), strict=True):
        here = pick(parts, data_order=order)
        pictures.line(panel, here, "n", "chunks or parts", "gain", f"most gain, times; {by}")
    charts.legend(figure, grid[0])
    pictures.save(figure, "p3-fig19")


def _mining(ks: Sequence[Row], ms: Sequence[Row], name: str, what: str, title: str) -> None:
    """Fig. 21 and 22: by k, by m, and by the threshold of support."""
    figure, grid = charts.panels(2, 3, height=2.3)
    scale = 100 if what == "ml2" else 1
    for panels, (order, by) in zip(grid, BY.items(), strict=True):
        by_k, by_m = (
            [
                {**row, "shown": _times(row.get(f"{what}_2"), scale)}
                for row in pick(pictures.whole(some), data_order=order)
                if row["algorithm"] in ("aa", "vpa")
            ]
            for some in (ks, ms)
        )
        by_threshold = [
            {**row, "threshold": threshold, "shown": _times(row.get(f"{what}_{threshold}"), scale)}
            for row in pick(by_k, k=5)
            for threshold in (1, 2, 3)
        ]
        for panel, here, across, axis in (
            (panels[0], by_k, "k", "k (m=3)"),
            (panels[1], by_m, "m", "m (k=5)"),
            (panels[2], by_threshold, "threshold", "threshold of support, % (k=5, m=3)"),
        ):
            pictures.line(panel, here, across, axis, "shown", f"{title}; {by}")
    charts.legend(figure, grid[0])
    pictures.save(figure, name)


def _times(value: float | None, scale: float) -> float | None:
    return None if value is None else scale * value


def _partition(runs: Sequence[Row]) -> None:
    """Fig. 23: VPA for several m beside Partition, whose model knows no m; both for several k."""
    figure, grid = charts.panels(2, 3, height=2.3)
    styles = charts.line_styles(("vpa", "partition"))
    for panels, (order, by) in zip(grid, BY.items(), strict=True):
        losses = pick(pictures.whole(pictures.with_loss(runs)), data_order=order)
        ms = sorted({row["m"] for row in pick(losses, model="km", k=5)})
        full = [{**row, "m": m} for row in pick(losses, model="transactional-k", k=5) for m in ms]
        by_m = [*pick(losses, model="km", k=5), *full]
        by_k = [*pick(losses, model="km", m=3), *pick(losses, model="transactional-k")]
        shown: tuple[tuple[Any, list[Row], str, str, str, str], ...] = (
            (panels[0], by_m, "m", "m (k=5)", "loss", "NCP, %"),
            (panels[1], by_k, "k", "k (m=3)", "loss", "NCP, %"),
            (panels[2], by_m, "m", "m (k=5)", "search_cpu_seconds", "search, CPU seconds"),
        )
        for panel, here, across, axis, what, title in shown:
            pictures.line(panel, here, across, axis, what, f"{title}; {by}", styles=styles)
    charts.legend(figure, grid[0])
    pictures.save(figure, "p3-fig23")
