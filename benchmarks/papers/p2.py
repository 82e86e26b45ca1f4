"""P2's experiments again (its Figs. 4 to 7): verdicts, tables and pictures of docs/papers/p2.md, all from the rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from benchmarks.papers import common, p2_figures, p2_merges
from benchmarks.papers.common import Claim
from benchmarks.papers.p2_figures import BOUNDED, ERRORS, SHORT, TITLES
from benchmarks.papers.p2_merges import ORDERS, TINY
from shoal.evaluation.results import Row

Rows = Sequence[Row]
Test = Callable[[dict[str, float]], bool]
PAGE = common.PAGES / "p2.md"
SHARE = 0.9  # of the cases, from which on a claim about tendencies holds
NAMES = {"informs": "Informs", "videos": "generated"}
RMERGE, TMERGE = ("RmR", "RmT", "RmRT"), ("TmR", "TmT", "TmRT")


def write(again: bool) -> None:
    """Run the grids, draw the pictures, fill the page."""
    fig4, fig5, fig7 = (paper_rows(common.rows(f"p2-fig{n}", again=again)) for n in (4, 5, 7))
    fig6 = paper_rows(common.rows("p2-fig6", kept="p2-fig4"))  # the runs of Fig. 4: nothing is run twice
    traces = p2_merges.rows(again=again)
    draw(fig4, fig5, fig6, fig7, traces)
    common.put(PAGE, "claims", common.verdicts([*claims(fig4, fig5, fig6), *cost_claims(fig7, traces)]))
    for data in NAMES:
        common.put(PAGE, f"fig4 {data}", utility([row for row in by(fig4, RMERGE) if row["data"] == data]))
    common.put(PAGE, "fig4h", utility(by(fig4, TMERGE)))
    common.put(PAGE, "fig5", utility(fig5))
    common.put(PAGE, "fig7 time", runtime(fig7))
    common.put(PAGE, "fig7 distance", distances(fig7))
    common.put(PAGE, "fig7 merges", merges(traces))


def paper_rows(rows: Rows) -> list[Row]:
    """The rows with P2's names of methods, delta and the number of clusters; a bound that cannot be met is no error."""
    for row in rows:
        if row["status"] not in ("ok", "infeasible"):
            raise ValueError(f"{row['data']}, {row['method']}: {row['status']}: {row['error']}")
    return [
        row
        | {
            "method": SHORT[row["algorithm"]],
            "delta": row.get("algorithm.delta"),
            "distance": row.get("algorithm.distance"),
            "bound": row["algorithm"][0],
            "clusters": json.loads(row["statistics"])["clusters"] if row["status"] == "ok" else None,
        }
        for row in rows
    ]


def by(rows: Rows, methods: Sequence[str]) -> list[Row]:
    """The rows of some methods."""
    return [row for row in rows if row["method"] in methods]


def draw(fig4: Rows, fig5: Rows, fig6: Rows, fig7: Rows, traces: Rows) -> None:
    """All pictures."""
    common.IMAGES.mkdir(parents=True, exist_ok=True)
    plots, folder = p2_figures, common.IMAGES
    sets = {TITLES[name]: [row for row in by(fig4, RMERGE) if row["data"] == name] for name in NAMES}
    plots.over_delta(sets, ERRORS, folder / "p2-fig4.png", "ARE", "r")
    plots.over_delta(sets, BOUNDED, folder / "p2-fig4-bounded.png", "ARE, bounded", "r")
    asked = {name: title for name, title in ERRORS.items() if name != "are_2_1"}
    columns = {**asked, "relational_ncp": plots.LOSSES["relational_ncp"]}
    plots.over_delta({"Informs": by(fig4, TMERGE)}, columns, folder / "p2-fig4h.png", "ARE", "t")
    plots.over_delta(
        {"Informs": by(fig5, RMERGE)}, {**asked, "ul": "UL of the sets"}, folder / "p2-fig5.png", "ARE", "r"
    )
    sets = {TITLES[name]: [row for row in fig6 if row["data"] == name] for name in NAMES}
    plots.over_delta(sets, plots.LOSSES, folder / "p2-fig6.png", "", "r")
    plots.runtime([row for row in fig7 if row["data"] != "informs, few"], folder / "p2-fig7-time.png")
    plots.exact([row for row in fig7 if row["data"] == "informs, few"], folder / "p2-fig7-distance.png")
    plots.merges(traces, folder / "p2-fig7-merges.png")


# ---- claims


def steps(rows: Rows, across: str, up: str, sign: int) -> list[bool]:
    """For each method, whether each step along the axis goes the way of the sign; means, where there are seeds."""
    right_way = []
    for method in dict.fromkeys(row["method"] for row in rows):
        points = sorted(_means([row for row in rows if row["method"] == method], across, up).items())
        right_way += [sign * (after - before) > 0 for (_, before), (_, after) in pairwise(points)]
    return right_way


def ordered(rows: Rows, across: str, up: str, test: Test) -> list[bool]:
    """At each place where all three methods have a value, whether a test of the three holds."""
    three = {name: _means([row for row in rows if row["method"][2:] == name], across, up) for name in ("R", "T", "RT")}
    places = [place for place in three["R"] if place in three["T"] and place in three["RT"]]
    return [test({name: at[place] for name, at in three.items()}) for place in sorted(places)]


def _means(rows: Rows, across: str, up: str) -> dict[Any, float]:
    """The mean at each place."""
    values: dict[Any, list[float]] = {}
    for row in rows:
        if row.get(up) is not None:
            values.setdefault(row[across], []).append(row[up])
    return {place: sum(some) / len(some) for place, some in values.items()}


def judged(
    place: str, says: str, by_what: str, tests: Mapping[str, Iterable[bool]], share: float = SHARE
) -> list[Claim]:
    """One claim; or one for each data set, if they do not agree. It holds in at least this share of the cases."""
    seen = {name: list(some) for name, some in tests.items()}
    holds = {name: sum(some) >= share * len(some) if some else None for name, some in seen.items()}
    counts = {name: f"{name} {sum(some)} of {len(some)}" for name, some in seen.items()}
    if len(set(holds.values())) == 1:
        return [Claim(place, says, next(iter(holds.values())), f"{by_what}: {', '.join(counts.values())}")]
    return [Claim(place, f"{says} ({name})", holds[name], f"{by_what}: {counts[name]}") for name in seen]


def inner(rows: Rows) -> list[Row]:
    """Without the least delta that can be reached and 1, where all three do the same: hardly anything, or all."""
    deltas = sorted({row["delta"] for row in rows if row["status"] == "ok"})
    return [row for row in rows if row["status"] == "ok" and deltas[0] < row["delta"] < 1]


def _least(name: str) -> Test:
    return lambda at: at[name] == min(at.values())


def _most(name: str) -> Test:
    return lambda at: at[name] == max(at.values())


def _between(at: dict[str, float]) -> bool:
    return min(at["R"], at["T"]) <= at["RT"] <= max(at["R"], at["T"])


def claims(fig4: Rows, fig5: Rows, fig6: Rows) -> Iterator[Claim]:
    """About what is lost."""
    ours = {title: [row for row in by(fig4, RMERGE) if row["data"] == name] for name, title in NAMES.items()}
    large = {title: [row for row in fig6 if row["data"] == name] for name, title in NAMES.items()}
    diverse, tum = {"Informs": by(fig5, RMERGE)}, {"Informs": by(fig4, TMERGE)}

    def kept(sets: Mapping[str, Rows]) -> dict[str, list[bool]]:
        return {
            name: [row["relational_ncp"] <= row["delta"] for row in rows if row["status"] == "ok"]
            for name, rows in sets.items()
        }

    def moves(sets: Mapping[str, Rows], up: str, sign: int) -> dict[str, list[bool]]:
        return {name: steps(rows, "delta", up, sign) for name, rows in sets.items()}

    def compared(sets: Mapping[str, Rows], up: str, test: Test) -> dict[str, list[bool]]:
        return {name: ordered(inner(rows), "delta", up, test) for name, rows in sets.items()}

    yield from judged("Fig. 4", "the columns lose at most delta", "NCP", kept(ours), 1)
    says = "a larger delta favours the sets"
    yield from judged("Fig. 4", says, "UL falls", moves(ours, "ul", -1))
    yield from judged("Fig. 4", says, "ARE of 2 items falls", moves(ours, "are_0_2", -1))
    yield from judged("Fig. 4", says, "the same, bounded", moves(ours, "bounded_are_0_2", -1))
    yield from judged("Fig. 4", "and is at the cost of the columns", "ARE of 2 values rises", moves(ours, "are_2_0", 1))
    for says, test in (("RmR loses least in the sets", _least("R")), ("RmT loses most in the sets", _most("T"))):
        yield from judged("Fig. 4", says, "UL", compared(ours, "ul", test))
        yield from judged("Fig. 4", says, "ARE of 2 items", compared(ours, "are_0_2", test))
        yield from judged("Fig. 4", says, "the same, bounded", compared(ours, "bounded_are_0_2", test))
    for says, test in (
        ("RmR loses most in the columns", _most("R")),
        ("RmT loses least in the columns", _least("T")),
        ("RmRT is between them in the columns", _between),
    ):
        yield from judged("Fig. 4", says, "ARE of 2 values", compared(ours, "are_2_0", test))
    says = "RmRT is between them in the sets"
    yield from judged("Fig. 4", says, "UL", compared(ours, "ul", _between))
    yield from judged("Fig. 4", says, "ARE of 2 items", compared(ours, "are_0_2", _between))
    says = "Tum-bound: a larger delta favours the columns"
    yield from judged("Fig. 4h", says, "ARE of 2 values falls", moves(tum, "are_2_0", -1))
    yield from judged("Fig. 4h", says, "NCP of the columns falls", moves(tum, "relational_ncp", -1))
    yield from judged("Fig. 5", "with sensitive items the columns lose at most delta, too", "NCP", kept(diverse), 1)
    yield from judged("Fig. 5", "a larger delta favours the sets, too", "UL falls", moves(diverse, "ul", -1))
    yield from judged("Fig. 5", "at the cost of the columns", "ARE of 2 values rises", moves(diverse, "are_2_0", 1))
    yield from judged("Fig. 5", "RmR loses least in the sets, too", "UL", compared(diverse, "ul", _least("R")))
    yield from judged(
        "Fig. 6", "RmR makes the largest clusters", "records", compared(large, "largest_class", _most("R"))
    )
    says = "RmRT's are larger than RmT's"
    yield from judged("Fig. 6", says, "records", compared(large, "largest_class", lambda at: at["RT"] > at["T"]))
    yield from judged("Fig. 6", "and lose less in the sets", "UL", compared(large, "ul", lambda at: at["RT"] < at["T"]))


def cost_claims(fig7: Rows, traces: Rows) -> Iterator[Claim]:
    """About time, the distance and merges."""
    timed = [row | {"at": (row["data"], row["records"], row["k"])} for row in fig7 if row["data"] != "informs, few"]
    ks = [row for row in timed if row["data"] == "informs, 10,000"]
    merging = by(timed, RMERGE)
    for says, test in (("RmT is the fastest of the three", _least("T")), ("RmRT is the slowest", _most("RT"))):
        seen = ordered(merging, "at", "search_cpu_seconds", test)
        yield from judged("Fig. 7a, b", says, "CPU seconds", {"Informs": seen})
    yield from judged(
        "Fig. 7b", "time falls with k", "CPU seconds", {"Informs": steps(ks, "k", "search_cpu_seconds", -1)}
    )
    both = pairs(fig7)
    says = "BTD loses no more than the exact distance"
    seen = [fast["ul"] <= 1.02 * slow["ul"] for fast, slow in both]
    yield from judged("Fig. 7c to f", says, "UL at most 2 % (relative) above", {"Informs": seen})
    seen = [slow["search_cpu_seconds"] >= 10 * fast["search_cpu_seconds"] for fast, slow in both]
    yield from judged("Fig. 7c to f", "and is at least 10 times as fast", "CPU seconds", {"Informs": seen})
    rises = {
        title: [row["rise"] <= TINY for row in traces if row["data"] == name and "rise" in row]
        for name, title in NAMES.items()
    }
    yield from judged("Fig. 7g, h", "UL never rises by a merge", "merges", rises, 1)


def pairs(fig7: Rows) -> list[tuple[Row, Row]]:
    """BTD and the exact distance, in the same case."""
    at = {(row["method"], row["delta"], row["distance"]): row for row in fig7 if row["data"] == "informs, few"}
    return [(at[m, d, "btd"], at[m, d, "ul"]) for m, d, distance in at if distance == "btd" and (m, d, "ul") in at]


# ---- tables


def utility(rows: Rows) -> str:
    """All figures of runs over delta."""
    errors = [f"ARE ({title[4:].replace('_', ',')})" for title in ERRORS]
    titles = ("clusters", "largest", "NCP of columns", "UL", "NCP of items", *errors, "bounded")
    lines = [f"| delta | method | {' | '.join(titles)} |", f"|---:|---|{'---:|' * len(titles)}"]
    for row in sorted(rows, key=lambda row: (row["method"][0], row["delta"])):
        start = f"| {row['delta']:g} | {row['method']} |"
        if row["status"] == "infeasible":
            lines.append(f"{start} cannot be reached |{' |' * (len(titles) - 1)}")
            continue
        figures = [f"{row[name]:.3g}" for name in ERRORS]
        bounded = ", ".join(f"{row[name]:.2g}" for name in BOUNDED)
        lines.append(
            f"{start} {row['clusters']:,.0f} | {row['largest_class']:,} | {row['relational_ncp']:.4f} "
            f"| {row['ul']:.4f} | {row['ncp']:.4f} | {' | '.join(figures)} | {bounded} |"
        )
    return "\n".join(lines)


def runtime(fig7: Rows) -> str:
    """CPU seconds at each place, means over the seeds."""
    methods = ("Cl", *RMERGE)
    lines = [f"| records | k | {' | '.join(methods)} | RmRT / RmT | first clusters |", f"|{'---:|' * 8}"]
    rows = [row for row in fig7 if row["data"] != "informs, few"]
    for place in dict.fromkeys((row["data"], row["records"], row["k"]) for row in rows):
        here = [row | {"at": 0} for row in rows if (row["data"], row["records"], row["k"]) == place]
        mean = {name: _means(by(here, [name]), "at", "search_cpu_seconds")[0] for name in methods}
        cells = " | ".join(f"{mean[name]:.2f} s" for name in methods)
        first = _means(by(here, ["Cl"]), "at", "clusters")[0]
        lines.append(f"| {place[1]:,} | {place[2]} | {cells} | {mean['RmRT'] / mean['RmT']:.2f} | {first:,.0f} |")
    return "\n".join(lines)


def distances(fig7: Rows) -> str:
    """BTD beside the exact distance."""
    titles = ("BTD", "exact", "times as fast", "UL, BTD", "UL, exact", "difference", "NCP of columns, BTD / exact")
    lines = [f"| method | delta | {' | '.join(titles)} |", f"|---|{'---:|' * 8}"]
    for fast, slow in pairs(fig7):
        quick, long = fast["search_cpu_seconds"], slow["search_cpu_seconds"]
        lines.append(
            f"| {fast['method']} | {fast['delta']:g} | {quick:.2f} s | {long:.1f} s | {long / quick:.0f} "
            f"| {fast['ul']:.4f} | {slow['ul']:.4f} "
            f"| {100 * (fast['ul'] / slow['ul'] - 1):+.1f} % "
            f"| {fast['relational_ncp']:.4f} / {slow['relational_ncp']:.4f} |"
        )
    return "\n".join(lines)


def merges(traces: Rows) -> str:
    """How UL went."""
    titles = ("UL at first", "UL at last", "lowest UL", "merges that raised UL", "by at most", "all rises")
    lines = [f"| data | partner by | merges | {' | '.join(titles)} |", f"|---|---|{'---:|' * 7}"]
    for name in dict.fromkeys(row["data"] for row in traces):
        for order in ORDERS:
            points = [row for row in traces if (row["data"], row["by"]) == (name, order)]
            rises = [row["rise"] for row in points if row.get("rise", 0) > TINY]
            lowest = min(points, key=lambda row: row["ul"])
            lines.append(
                f"| {NAMES[name]} | {order.upper()} | {len(points) - 1} | {points[0]['ul']:.4f} "
                f"| {points[-1]['ul']:.4f} | {lowest['ul']:.4f} after {lowest['merges']} | {len(rises)} "
                f"| {max(rises, default=0):.5f} | {sum(rises):.4f} |"
            )
    return "\n".join(lines)
