"""docs/relational.md and a part of docs/benchmarks.md: tables, claims and pictures from the rows of the benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks import rt, rt_paper, rt_plots
from benchmarks.sensitive_page import put

Rows = Sequence[dict[str, Any]]
Found = Mapping[str, Rows]
DOCS = Path(__file__).parents[1] / "docs"
PAGE, TABLES = DOCS / "relational.md", DOCS / "benchmarks.md"
BOUNDED = {name.replace("are", "bounded"): title for name, title in rt_plots.ERRORS.items()}
TINY = rt_plots.TINY
LOSSES = {
    "relational_ncp": "NCP of the columns",
    "ul": "UL of the sets",
    "ncp": "NCP of the items",
    "largest_class": "largest cluster",
}


def draw(found: Found, folder: Path) -> None:
    """All pictures."""
    utility = {name: found[f"utility {name}"] for name in ("informs", "videos")}
    sets = {rt_plots.TITLES[name]: rows for name, rows in utility.items()}
    label, plots = "ARE", rt_plots
    plots.over_delta(sets, plots.ERRORS, folder / "rt-are.png", label, plots.COLUMNS_DELTA)
    plots.over_delta(sets, BOUNDED, folder / "rt-are-bounded.png", f"{label}, bounded", plots.COLUMNS_DELTA)
    plots.over_delta(sets, LOSSES, folder / "rt-loss.png", "", plots.COLUMNS_DELTA)
    asked = {name: title for name, title in plots.ERRORS.items() if name != "are 2,1"}
    measures = {**asked, "relational_ncp": LOSSES["relational_ncp"]}
    plots.over_delta({"Informs": found["bounded sets"]}, measures, folder / "rt-tum.png", label, plots.SETS_DELTA)
    diverse = {"Informs": [row for row in found["diverse"] if row["method"] in rt_paper.RMERGE]}
    measures = {**asked, "ul": LOSSES["ul"]}
    plots.over_delta(diverse, measures, folder / "rt-diverse.png", label, plots.COLUMNS_DELTA)
    plots.runtime(found["runtime"], folder / "rt-time.png")
    plots.exact(found["exact"], folder / "rt-btd.png")
    plots.merges(found["monotone"], folder / "rt-merges.png")


def write(found: Found, page: Path = PAGE) -> None:
    """Put all tables of the experiments into the page."""
    put(page, "claims", claims(found))
    for name in ("informs", "videos"):
        put(page, f"utility {name}", _utility(found[f"utility {name}"]))
    put(page, "tum", _utility(found["bounded sets"]))
    put(page, "diverse", _utility(found["diverse"]))
    put(page, "runtime", _runtime(found["runtime"]))
    put(page, "btd", _btd(found["exact"]))
    put(page, "merges", _merges(found["monotone"]))


def write_tables(found: Found, page: Path = TABLES) -> None:
    """Put the tables of time, memory and losses into the page of benchmarks."""
    put(page, "rt side by side", _side(found["side by side"]))
    put(page, "rt informs", _grid(found["informs"]))
    put(page, "rt videos", _grid([*found["videos"], *found.get("videos, small k", ())]))
    put(page, "rt within", _within(found["within"]))


# ---- claims


def held(tests: Iterable[bool]) -> str:
    """How many of how many.

    >>> held([True, False, True])
    '2 of 3'
    """
    seen = list(tests)
    return f"{sum(seen)} of {len(seen)}" if seen else "-"


def steps(rows: Rows, across: str, up: str, sign: int) -> list[bool]:
    """For each method, whether each step along the axis goes the way of the sign."""
    found = []
    for method in dict.fromkeys(row["method"] for row in rows):
        points = sorted((r for r in rows if r["method"] == method and r.get(up) is not None), key=lambda r: r[across])
        found += [sign * (after[up] - before[up]) > 0 for before, after in pairwise(points)]
    return found


def ordered(rows: Rows, across: str, up: str, test: Callable[[dict[str, float]], bool]) -> list[bool]:
    """At each place where all methods have a value, whether a test of the three holds."""
    places: dict[Any, dict[str, float]] = {}
    for row in rows:
        if row.get(up) is not None:
            places.setdefault(row[across], {})[row["method"].removeprefix("Rm").removeprefix("Tm")] = row[up]
    return [test(at) for at in places.values() if {"R", "T", "RT"} <= set(at)]


def _between(at: dict[str, float]) -> bool:
    """Whether RT is between the others."""
    return min(at["R"], at["T"]) <= at["RT"] <= max(at["R"], at["T"])


def claims(found: Found) -> Iterator[str]:
    """What P2 says, in how many of our cases it holds."""
    sets = {name: _inner(found[f"utility {name}"]) for name in ("informs", "videos")}
    yield "| P2's claim | measured by | Informs | generated |"
    yield "|---|---|---|---|"
    whole = {name: found[f"utility {name}"] for name in sets}
    tests: list[tuple[str, str, Callable[[Rows], str]]] = [
        ("NCP of the columns is at most delta", "NCP", lambda r: held(x["relational_ncp"] <= x["delta"] for x in r)),
        ("a larger delta favours the sets", "UL falls", lambda r: held(steps(r, "delta", "ul", -1))),
        ("", "ARE of 2 items falls", lambda r: held(steps(r, "delta", "are 0,2", -1))),
        ("", "the same, bounded", lambda r: held(steps(r, "delta", "bounded 0,2", -1))),
        ("and is at the cost of the columns", "ARE of 2 values rises", lambda r: held(steps(r, "delta", "are 2,0", 1))),
    ]
    for claim, measure, told in tests:
        yield f"| {claim} | {measure} | {told(whole['informs'])} | {told(whole['videos'])} |"
    orders: list[tuple[str, str, str, Callable[[dict[str, float]], bool]]] = [
        ("RmR loses least in the sets", "UL", "ul", lambda at: at["R"] == min(at.values())),
        ("", "ARE of 2 items", "are 0,2", lambda at: at["R"] == min(at.values())),
        ("", "the same, bounded", "bounded 0,2", lambda at: at["R"] == min(at.values())),
        ("RmR loses most in the columns", "ARE of 2 values", "are 2,0", lambda at: at["R"] == max(at.values())),
        ("RmT loses most in the sets", "UL", "ul", lambda at: at["T"] == max(at.values())),
        ("", "ARE of 2 items", "are 0,2", lambda at: at["T"] == max(at.values())),
        ("", "the same, bounded", "bounded 0,2", lambda at: at["T"] == max(at.values())),
        ("RmT loses least in the columns", "ARE of 2 values", "are 2,0", lambda at: at["T"] == min(at.values())),
        ("RmRT is between them in the sets", "UL", "ul", _between),
        ("", "ARE of 2 items", "are 0,2", _between),
        ("RmRT is between them in the columns", "ARE of 2 values", "are 2,0", _between),
        ("RmR makes the largest clusters", "records", "largest_class", lambda at: at["R"] == max(at.values())),
        ("RmRT's are larger than RmT's", "records", "largest_class", lambda at: at["RT"] > at["T"]),
        ("and lose less in the sets", "UL", "ul", lambda at: at["RT"] < at["T"]),
    ]
    for claim, measure, name, test in orders:
        cells = (held(ordered(rows, "delta", name, test)) for rows in sets.values())
        yield f"| {claim} | {measure} | {' | '.join(cells)} |"
    yield from _more_claims(found)


def _more_claims(found: Found) -> Iterator[str]:
    """About time, the distance and merges."""
    tum, time = found["bounded sets"], found["runtime"]
    verified = [row for row in tum if row["verified"]]
    yield (
        f"| Tum-bound: a larger delta favours the columns | ARE of 2 values falls "
        f"| {held(steps(verified, 'delta', 'are 2,0', -1))} | |"
    )
    yield f"| | NCP of the columns falls | {held(steps(verified, 'delta', 'relational_ncp', -1))} | |"
    by_rows, by_k = ([row for row in time if row["axis"] == axis] for axis in ("rows", "k"))
    for claim, test in (
        ("RmT is the fastest", lambda at: at["T"] == min(at.values())),
        ("RmRT is the slowest", lambda at: at["RT"] == max(at.values())),
    ):
        merging = [row for row in by_rows + by_k if row["method"] != "Cl"]
        some = [{**row, "at": (row["axis"], row["rows"], row["k"])} for row in merging]
        yield f"| {claim} | CPU seconds | {held(ordered(some, 'at', 'cpu', test))} | |"
    yield f"| time falls with k | CPU seconds, Cl and three | {held(steps(by_k, 'k', 'cpu', -1))} | |"
    pairs = _pairs(found["exact"])
    yield (
        f"| BTD loses no more than the exact distance | UL at most 2 % (relative) above "
        f"| {held(a['ul'] <= 1.02 * b['ul'] for a, b in pairs)} | |"
    )
    yield f"| and is at least 10 times as fast | CPU seconds | {held(b['cpu'] >= 10 * a['cpu'] for a, b in pairs)} | |"
    cells = (
        held(row["rise"] <= TINY for row in found["monotone"] if row["data"] == name and "rise" in row)
        for name in ("informs", "videos")
    )
    yield f"| UL never rises by a merge | merges | {' | '.join(cells)} |"


def _inner(rows: Rows) -> list[dict[str, Any]]:
    """Without the ends of delta, at which all three do the same: hardly anything, or everything."""
    deltas = sorted({row["delta"] for row in rows})
    return [row for row in rows if deltas[0] < row["delta"] < 1]


def _pairs(rows: Rows) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """BTD and the exact distance, in the same case."""
    at = {(row["method"], row["delta"], row["distance"]): row for row in rows}
    return [(at[m, d, "btd"], at[m, d, "ul"]) for m, d, distance in at if distance == "btd" and (m, d, "ul") in at]


# ---- tables


def _utility(rows: Rows) -> Iterator[str]:
    errors = [f"ARE ({name.removeprefix('are ')})" for name in rt_plots.ERRORS]
    titles = ("clusters", "largest", "NCP of columns", "UL", "NCP of items", *errors, "bounded")
    yield f"| delta | method | {' | '.join(titles)} |"
    yield f"|---:|---|{'---:|' * (6 + len(errors))}"
    for row in rows:
        start = f"| {row['delta']:g} | {row['method']} |"
        if not row["verified"]:
            yield f"{start} cannot be reached |{' |' * (5 + len(errors))}"
            continue
        told = [f"{row[name]:.3g}" for name in rt_plots.ERRORS]
        bounded = ", ".join(f"{row[name]:.2g}" for name in BOUNDED)
        yield (
            f"{start} {row['clusters']:,} | {row['largest_class']:,} | {row['relational_ncp']:.4f} | {row['ul']:.4f} "
            f"| {row['ncp']:.4f} | {' | '.join(told)} | {bounded} |"
        )


def _runtime(rows: Rows) -> Iterator[str]:
    methods = ("Cl", *rt_paper.RMERGE)
    yield f"| records | k | {' | '.join(methods)} | RmRT / RmT | first clusters |"
    yield f"|---:|---:|{'---:|' * (len(methods) + 2)}"
    places = dict.fromkeys((row["axis"], row["rows"], row["k"]) for row in rows)
    for axis, size, k in places:
        at = {row["method"]: row for row in rows if (row["axis"], row["rows"], row["k"]) == (axis, size, k)}
        cells = " | ".join(f"{at[method]['cpu']:.2f} s" for method in methods)
        ratio = at["RmRT"]["cpu"] / at["RmT"]["cpu"]
        yield f"| {size:,} | {k} | {cells} | {ratio:.2f} | {at['Cl']['clusters']:,.0f} |"


def _btd(rows: Rows) -> Iterator[str]:
    titles = ("BTD", "exact", "times as fast", "UL, BTD", "UL, exact", "difference", "NCP of columns, BTD / exact")
    yield f"| method | delta | {' | '.join(titles)} |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for fast, slow in _pairs(rows):
        yield (
            f"| {fast['method']} | {fast['delta']:g} | {fast['cpu']:.2f} s | {slow['cpu']:.1f} s "
            f"| {slow['cpu'] / fast['cpu']:.0f} | {fast['ul']:.4f} | {slow['ul']:.4f} "
            f"| {100 * (fast['ul'] / slow['ul'] - 1):+.1f} % "
            f"| {fast['relational_ncp']:.4f} / {slow['relational_ncp']:.4f} |"
        )


def _merges(rows: Rows) -> Iterator[str]:
    titles = ("UL at first", "UL at last", "lowest UL", "merges that raised UL", "by at most", "all rises")
    yield f"| data | partner by | merges | {' | '.join(titles)} |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|"
    for name in dict.fromkeys(row["data"] for row in rows):
        for by in ("r", "t", "rt"):
            points = [row for row in rows if (row["data"], row["by"]) == (name, by)]
            rises = [row["rise"] for row in points if row.get("rise", 0) > TINY]
            lowest = min(points, key=lambda row: row["ul"])
            yield (
                f"| {name} | {by.upper()} | {len(points) - 1} | {points[0]['ul']:.4f} | {points[-1]['ul']:.4f} "
                f"| {lowest['ul']:.4f} after {lowest['merges']} | {len(rises)} | {max(rises, default=0):.5f} "
                f"| {sum(rises):.4f} |"
            )


def _grid(rows: Rows) -> Iterator[str]:
    titles = ("search", "total", "CPU", "peak memory", "clusters", "NCP of columns", "UL", "NCP of items", "ARE")
    yield f"| k | m | method | {' | '.join(titles)} |"
    yield "|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        start = f"| {row['k']} | {row['m']} | {row['method']} |"
        if row["error"]:
            yield f"{start} {_short(row['error'])} |{' |' * 8}"
        else:
            yield f"{start} {_cells(row)} |"


def _cells(row: dict[str, Any]) -> str:
    assert row["verified"]
    return (
        f"{row['solve']:.2f} s | {row['total']:.2f} s | {row['cpu']:.1f} s | {_peak(row)} "
        f"| {row['clusters']:,} | {row['relational_ncp']:.4f} | {row['ul']:.4f} | {row['ncp']:.4f} | {row['are']:.2f}"
    )


def _peak(row: dict[str, Any]) -> str:
    """Peak memory; a row that was measured below a larger process knows a bound alone."""
    return f"{'at most ' if row.get('peak is a bound') else ''}{row['peak']:.0f} MB"


def _short(error: str) -> str:
    """The best that can be reached, of a message that says so."""
    best = error.partition("the best is ")[2].partition(",")[0]
    return f"not reachable: the best UL is {best}" if best else error.partition(":")[0]


def _within(rows: Rows) -> Iterator[str]:
    yield "| records | method | m | sets by | search | clusters | UL | NCP of items | ARE |"
    yield "|---:|---|---:|---|---:|---:|---:|---:|---:|"
    for row in rows:
        start = f"| {row['rows']:,} | {row['algorithm']} | {row['m']} | {row['within']} |"
        if row["error"]:
            yield f"{start} {row['error']} | | | | |"
            continue
        yield (
            f"{start} {row['solve']:.2f} s | {row['clusters']:,} | {row['ul']:.4f} | {row['ncp']:.4f} "
            f"| {row['are']:.2f} |"
        )


def _side(rows: Rows) -> Iterator[str]:
    titles = ("CPU", "CPU of the process", "peak", "clusters", "NCP of columns", "UL", "NCP of items")
    yield f"| version | records | forming, merging, sets | total | {' | '.join(titles)} |"
    yield "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        if row.get("error"):
            yield f"| {row['method']} | {row['rows'] or 26_854:,} | {row['error']} | | | | | | | | |"
            continue
        parts = [row.get(f"seconds {name}") for name in ("forming", "merging", "sets")]
        told = ", ".join(f"{part:.1f} s" for part in parts if part is not None)
        yield (
            f"| {row['method']} | {row['rows'] or 26_854:,} | {told} | {row['total']:.2f} s | {row['cpu']:.2f} s "
            f"| {row['cpu process']:.1f} s | {row['peak']:.0f} MB | {row['clusters']} | {row['relational_ncp']:.4f} "
            f"| {row['ul']:.4f} | {row['ncp']:.4f} |"
        )
    ours = next(row for row in rows if row["method"] == "Shoal, 1 worker" and row["rows"] in (0, 26_854))
    small = next(row for row in rows if row["method"] == "Shoal, 1 worker" and row is not ours)
    plain = rows[0]
    yield ""
    yield (
        f"On the same {plain['rows']} records Shoal takes {plain['cpu'] / small['cpu']:,.0f} times less CPU time than "
        f"the plain version, and finds the same clusters and the same sets (the benchmark asserts it). On the whole "
        f"file it takes {ours['cpu process']:.1f} CPU seconds, start and reading included: "
        f"{rt.SCRIPT / ours['cpu process']:.0f} times less than the {rt.SCRIPT:.0f} of the public Python script, which "
        f"was measured elsewhere (the aim was 20 times)."
    )
