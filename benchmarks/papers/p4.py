"""docs/papers/p4.md: generalization with suppression, Fig. 3 of P4 and its growth from the rows of two grids.

Costs are CPU seconds from data in memory to a verified release: the machine is shared, and seconds on the clock tell
how busy it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from benchmarks.papers import common
from benchmarks.papers.common import Claim
from shoal.evaluation import charts
from shoal.evaluation.results import Row

PAGE = common.PAGES / "p4.md"
NAMES = {
    "aa": "AA",
    "optimal": "optimal",
    "partition": "LG",
    "mm": "MM",
    "mhghs": "mHgHs",
    "optimal-suppress": "optimal-suppress",
}
FOUR = ("mHgHs", "LG", "AA", "MM")  # from the least loss to the most, says the paper
SCALES = 2.0  # the paper gives no measure: we say that a method scales if its time grows less than with the square
Cells = Mapping[tuple[str, int, int], Mapping[str, Row]]  # by data, k, m: the row of each method


def write(again: bool) -> None:
    """Measure what is not known yet, draw the figures and fill the page."""
    results, grown = cells(common.rows("p4-fig3", again=again)), common.rows("p4-growth", again=again)
    common.IMAGES.mkdir(parents=True, exist_ok=True)
    draw(results)
    draw_growth(grown)
    common.put(PAGE, "claims", common.verdicts([*claims(results), scalable(grown)]))
    common.put(PAGE, "ours", common.verdicts(ours(results), "what one may hope"))
    common.put(PAGE, "rivals", "\n".join(_rivals(results)))
    common.put(PAGE, "table", "\n".join(_table(results)))
    common.put(PAGE, "growth", "\n".join(_growth(grown)))


def cells(rows: Sequence[Row]) -> dict[tuple[str, int, int], dict[str, Row]]:
    """The rows by data, k and m. LG knows no m: its rows stand in the cells of every m."""
    ms = sorted({row["m"] for row in rows if row["m"] is not None})
    cell_of: dict[tuple[str, int, int], dict[str, Row]] = {}
    for row in sorted(rows, key=lambda row: list(NAMES).index(row["algorithm"])):
        for m in ms if row["m"] is None else [row["m"]]:
            cell_of.setdefault((row["data"], row["k"], m), {})[NAMES[row["algorithm"]]] = row
    order = {name: at for at, name in enumerate(dict.fromkeys(row["data"] for row in rows))}
    return {place: cell_of[place] for place in sorted(cell_of, key=lambda place: (order[place[0]], *place[1:]))}


def compared(results: Cells, first: str, second: str, measure: str = "ncp") -> tuple[int, int, list[str], int]:
    """Cells where the first has less, as much, and more (named); and those where one of them did not end."""
    less = same = ended = 0
    more = []
    for (name, k, m), at in results.items():
        a, b = at[first][measure], at[second][measure]
        if a is None or b is None:
            ended += 1
        elif a > b:
            more.append(f"{name} k={k} m={m}")
        else:
            less, same = less + (a < b), same + (a == b)
    return less, same, more, ended


def claims(results: Cells) -> list[Claim]:
    """The paper's."""
    return [
        _order(results, "MM", ("AA", "LG", "mHgHs"), "MM loses most wherever m is 2 or more", most=True),
        _order(results, "AA", ("LG", "mHgHs"), "AA loses the second most in general: more than LG", most=True),
        _order(results, "mHgHs", ("LG",), "mHgHs loses less than LG"),
        _order(results, "mHgHs", ("AA",), "mHgHs loses less than AA"),
        _order(results, "mHgHs", ("MM",), "mHgHs loses less than MM"),
        _gap(results),
        _cheapest(results),
        Claim("Fig. 3 (c), (d)", "All of this on an AOL query log, too", None, "the log is not to be had"),
    ]


def _order(results: Cells, method: str, others: Sequence[str], says: str, *, most: bool = False) -> Claim:
    """Never on the wrong side of one of the others; equal losses are on neither."""
    seen, holds = [], True
    for other in others:
        less, same, more, ended = compared(results, *((other, method) if most else (method, other)))
        total = less + same + len(more) + ended
        open_ = f", not ended in {ended}" if ended else ""
        word = "more" if most else "less"
        seen.append(f"{word} than {other} in {less} of {total} cells, the same in {same}{open_}")
        holds = holds and not more
    return Claim("Fig. 3", says, holds, "; ".join(seen))


def _gap(results: Cells) -> Claim:
    """LG's loss above that of mHgHs for the least and the largest k, at the largest m."""
    m, ks = max(at[2] for at in results), sorted({at[1] for at in results})
    ends = {}
    for name in dict.fromkeys(at[0] for at in results):
        ends[name] = [results[name, k, m]["LG"]["ncp"] - results[name, k, m]["mHgHs"]["ncp"] for k in (ks[0], ks[-1])]
    seen = "; ".join(f"{name} {first:+.3f} to {last:+.3f}" for name, (first, last) in ends.items())
    holds = all(0 < first < last for first, last in ends.values())
    says = "mHgHs gains the more over LG the larger k is"
    return Claim("Fig. 3", says, holds, f"NCP of LG above mHgHs at m = {m}, from k = {ks[0]} to {ks[-1]}: {seen}")


def _cheapest(results: Cells) -> Claim:
    """Cells in which LG takes the least of the four, and mHgHs the second least."""
    first = second = 0
    for at in results.values():
        spent = sorted(FOUR, key=lambda one: at[one]["cpu_seconds"] if at[one]["cpu_seconds"] is not None else np.inf)
        first, second = first + (spent[0] == "LG"), second + (spent[:2] == ["LG", "mHgHs"])
    seen = f"LG takes the least CPU time of the four in {first} of {len(results)} cells; "
    seen += f"mHgHs is next in {second} of these"
    return Claim("s.5.2", "LG is the most efficient, mHgHs the second", second == len(results), seen)


def exponent(rows: Sequence[Row], algorithm: str) -> float:
    """The slope of CPU time over records, in logarithms."""
    points = [(row["records"], row["cpu_seconds"]) for row in rows if row["algorithm"] == algorithm]
    records, seconds = np.log(np.array(points, dtype=np.float64)).T
    return float(np.polyfit(records, seconds, 1)[0])


def scalable(grown: Sequence[Row]) -> Claim:
    """Below the square."""
    slopes = {name: exponent(grown, algorithm) for algorithm, name in NAMES.items() if name in FOUR}
    seen = "exponents of CPU time over records: " + ", ".join(f"{name} {value:.2f}" for name, value in slopes.items())
    return Claim("s.5.2", "mHgHs scales well", slopes["mHgHs"] < SCALES, seen)


def ours(results: Cells) -> list[Claim]:
    """What the optima tell, where they were searched for."""
    both = {place: at for place, at in results.items() if "optimal-suppress" in at}
    proved = [at for at in both.values() if at["optimal-suppress"]["ended"] == "proven"]
    rivals = [min(_loses(at, one) for one in ("AA", "optimal", "MM", "mHgHs")) for at in both.values()]
    joint = [_loses(at, "optimal-suppress") for at in both.values()]
    worse, better = (sum(a > b for a, b in zip(*sides, strict=True)) for sides in ((joint, rivals), (rivals, joint)))
    cuts = sum(one < _loses(at, "optimal") for one, at in zip(joint, both.values(), strict=True))
    local = sum(one > _loses(at, "LG") for one, at in zip(joint, both.values(), strict=True))
    best = sum(_loses(at, "mHgHs") == _loses(at, "optimal-suppress") for at in proved)
    excess = [_loses(at, "mHgHs") / _loses(at, "optimal") - 1 for at in results.values()]
    beaten = sum(one > 0 for one in excess)
    of = f"of {len(both)} cells"
    return [
        Claim(
            "joint optimum",
            "`optimal-suppress` never loses more than AA, `optimal`, MM or mHgHs",
            not worse,
            f"more in {worse} {of}; less than the best of them in {better}, less than the best cut alone in {cuts}",
        ),
        Claim(
            "joint optimum",
            "It is proved within the time limit",
            len(proved) == len(both),
            f"in {len(proved)} {of}",
        ),
        Claim(
            "mHgHs",
            "It finds the joint optimum",
            best == len(proved),
            f"in {best} of the {len(proved)} cells where that is proved",
        ),
        Claim(
            "mHgHs",
            "It never loses more than the best cut alone",
            not beaten,
            f"more in {beaten} of {len(results)} cells, by up to {100 * max(excess):.0f} %",
        ),
        Claim("LG", "No local recoding loses less than the joint optimum", not local, f"LG does in {local} {of}"),
    ]


def _loses(at: Mapping[str, Row], name: str) -> float:
    """A run that did not end loses everything, and more."""
    return float("inf") if at[name]["ncp"] is None else float(at[name]["ncp"])


def draw(results: Cells) -> None:
    """Loss over m: a column of panels for each data set, a line for each k."""
    sets, ks = list(dict.fromkeys(at[0] for at in results)), list(dict.fromkeys(at[1] for at in results))
    rows = [{**row, "m": at[2], "k": at[1]} for at, methods in results.items() for row in methods.values()]
    figure, panels = charts.panels(len(ks), len(sets), height=2.1)
    styles = {NAMES[name]: look for name, look in charts.line_styles(NAMES).items()}
    for broad in ("AA", "mHgHs"):  # the optima mostly run over them
        styles[broad] |= {"linewidth": 3.5, "markersize": 8, "alpha": 0.6}
    ms = sorted({row["m"] for row in rows})
    for line, k in zip(panels, ks, strict=True):
        for panel, name in zip(line, sets, strict=True):
            here = [{**row, "method": NAMES[row["algorithm"]]} for row in rows if (row["data"], row["k"]) == (name, k)]
            charts.curves(panel, here, "m", "ncp", styles=styles)
            panel.set(ylim=(0.012, 1.2), title=f"{name}, k = {k}")
            panel.set_xticks(ms)
            charts.plain_log(panel)
        line[0].set_ylabel("NCP")
    for panel in panels[-1]:
        panel.set_xlabel("m")
    charts.legend(figure, panels.flat)
    charts.save(figure, common.IMAGES / "p4-fig3.png")


def draw_growth(grown: Sequence[Row]) -> None:
    """CPU time and loss over records."""
    rows = [{**row, "method": NAMES[row["algorithm"]]} for row in grown]
    styles = {NAMES[name]: look for name, look in charts.line_styles(row["algorithm"] for row in grown).items()}
    figure, panels = charts.panels(1, 2, width=4.2)
    for panel, up, label in zip(panels[0], ("cpu_seconds", "ncp"), ("CPU time (s)", "NCP"), strict=True):
        charts.curves(panel, rows, "records", up, styles=styles)
        panel.set(ylabel=label, xlabel="records")
        panel.set_xticks(sorted({row["records"] for row in rows}))
        panel.xaxis.set_major_formatter("{x:,.0f}")
        charts.plain_log(panel)
    charts.legend(figure, panels[0])
    charts.save(figure, common.IMAGES / "p4-growth.png")


def _rivals(results: Cells) -> Iterator[str]:
    """mHgHs against each of the others, in cells."""
    yield "| against | mHgHs loses less | the same | more | did not end |"
    yield "|---|---:|---:|---|---:|"
    for other in ("MM", "AA", "LG", "optimal"):
        less, same, more, ended = compared(results, "mHgHs", other)
        named = f"{len(more)}: {'; '.join(more)}" if more else "0"
        yield f"| {other} | {less} | {same} | {named} | {ended} |"


def _table(results: Cells) -> Iterator[str]:
    """All cells."""
    yield f"| data | k | m | {' | '.join(NAMES.values())} |"
    yield f"|---|---:|---:|{'---|' * len(NAMES)}"
    for (name, k, m), at in results.items():
        least = min(row["ncp"] for row in at.values() if row["ncp"] is not None)
        texts = (_cell(at[method], least) if method in at else "-" for method in NAMES.values())
        yield f"| {name} | {k} | {m} | {' | '.join(texts)} |"


def _cell(row: Row, least: float) -> str:
    """Loss (the least of its line in bold), CPU time, memory, and what is proved or suppressed."""
    if row["ncp"] is None:
        return str(row["error"])
    loss = f"**{row['ncp']:.5f}**" if row["ncp"] == least else f"{row['ncp']:.5f}"
    proof = ""
    if row["ended"]:
        proof = " proven" if row["ended"] == "proven" else f" gap {1 - row['lower_bound'] / row['value']:.1%}"
    gone = f"; {row['suppressed']:.2%} removed".replace("%", " %") if row["suppressed"] else ""
    return f"{loss}{proof}<br>{row['cpu_seconds']:.2f} s, {row['peak_mb']:.0f} MB{gone}"


def _growth(grown: Sequence[Row]) -> Iterator[str]:
    """CPU time and loss by records."""
    names = [NAMES[name] for name in NAMES if NAMES[name] in FOUR]
    yield f"| records | {' | '.join(names)} |"
    yield f"|---:|{'---|' * len(names)}"
    at = {(row["records"], NAMES[row["algorithm"]]): row for row in grown}
    for size in sorted({row["records"] for row in grown}):
        texts = (f"{at[size, name]['cpu_seconds']:.2f} s, {at[size, name]['ncp']:.5f}" for name in names)
        yield f"| {size:,} | {' | '.join(texts)} |"
