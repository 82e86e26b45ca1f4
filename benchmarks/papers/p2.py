"""P2's experiments again (its Figs. 4 to 7): research/papers/poulis-2013.md, all from the rows, under both readings."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.data import REAL
from benchmarks.papers import common, p2_figures, p2_merges, p2_tables, verdict
from benchmarks.papers.p2_claims import claims
from benchmarks.papers.p2_figures import BOUNDED, ERRORS, TITLES
from benchmarks.papers.p2_rows import NAMES, READINGS, RMERGE, TMERGE, Rows, by, paper_rows, read
from shoal.evaluation import grid_file

PAGE = common.PAGES / f"{common.PAPERS['p2']}.md"
GRIDS = {"fig4": "p2-fig4", "fig5": "p2-fig5", "fig7": "p2-fig7", "exact": "p2-fig7-exact"}


def write(again: bool) -> None:
    """Run the grids, draw the pictures, fill the page."""
    found = measured(again)
    draw(found)
    asked = sum(len(grid_file.load(grid_file.named()[name], REAL)) for name in GRIDS.values())
    for mark, text in texts(found, asked).items():
        common.put(PAGE, mark, text)


def measured(again: bool) -> dict[str, Rows]:
    """The rows of all grids, and the traces."""
    found: dict[str, Rows] = {key: paper_rows(common.rows(name, again=again)) for key, name in GRIDS.items()}
    common.rows("p2-fig6", kept="p2-fig4")  # the runs of Fig. 4: nothing is run twice
    return found | {"merges": p2_merges.rows(again=again)}


def texts(found: Mapping[str, Rows], asked: int = 0) -> dict[str, str]:
    """What stands at each mark of the page; the grids ask for so many runs, of which some may not be measured."""
    parts = {reading: {name: read(rows, reading) for name, rows in found.items()} for reading in READINGS}
    judged = {title: claims(parts[reading]) for reading, title in READINGS.items()}
    made = {
        "in short": p2_tables.in_short(judged),
        "claims": verdict.side_by_side(judged),
        "headlines": p2_tables.headlines(found),
        "runs": p2_tables.runs(found, asked),
        "fig7 growth": p2_tables.growth(found["fig7"]),
        "fig7 merges": p2_tables.merges(found["merges"]),
    }
    for reading, rows in parts.items():
        for data in NAMES:
            some = [row for row in by(rows["fig4"], RMERGE) if row["data"] == data]
            made[f"fig4 {data} {reading}"] = p2_tables.utility(some)
        made[f"fig4h {reading}"] = p2_tables.utility(by(rows["fig4"], TMERGE))
        made[f"fig5 {reading}"] = p2_tables.utility(rows["fig5"])
        made[f"fig7 time {reading}"] = p2_tables.runtime(rows["fig7"])
        made[f"fig7 distance {reading}"] = p2_tables.distances(rows["fig7"], rows["exact"])
    return made


def draw(found: Mapping[str, Rows]) -> None:
    """All pictures."""
    common.IMAGES.mkdir(parents=True, exist_ok=True)
    plots, folder, fig4, fig5 = p2_figures, common.IMAGES, found["fig4"], found["fig5"]
    brief = p2_figures.BRIEF
    sets = {
        f"{TITLES[name].partition(',')[0]}, {brief[reading]}": [
            row for row in by(read(fig4, reading), RMERGE) if row["data"] == name and row["delta"] < 1
        ]
        for name in NAMES
        for reading in READINGS
    }
    plots.over_delta(sets, ERRORS, folder / "p2-fig4.png", "ARE", "r")
    plots.over_delta(sets, BOUNDED, folder / "p2-fig4-bounded.png", "ARE, bounded", "r")
    plots.over_delta(sets, plots.LOSSES, folder / "p2-fig6.png", "", "r")
    asked = {name: title for name, title in ERRORS.items() if name != "are_2_1"}
    columns = {**asked, "relational_ncp": plots.LOSSES["relational_ncp"]}
    tum = {f"Informs, {brief[reading]}": by(read(fig4, reading), TMERGE) for reading in READINGS}
    plots.over_delta(tum, columns, folder / "p2-fig4h.png", "ARE", "t")
    diverse = {f"Informs, {brief[reading]}": by(read(fig5, reading), RMERGE) for reading in READINGS}
    plots.over_delta(diverse, {**asked, "ul": "UL of the sets"}, folder / "p2-fig5.png", "ARE", "r")
    plots.runtime(found["fig7"], folder / "p2-fig7-time.png")
    plots.exact(found["fig7"], found["exact"], folder / "p2-fig7-distance.png")
    plots.merges(found["merges"], folder / "p2-fig7-merges.png")
