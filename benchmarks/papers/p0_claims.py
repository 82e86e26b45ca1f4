"""What P0 says about its Figures 8 to 11, tried in our rows.

Memory is the number of nodes of the count-tree that the paper's algorithms build. Time is CPU time of the search.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from benchmarks.papers import fits
from benchmarks.papers.curves import along_ratio, curve, grown, linear, power, powers, steps
from benchmarks.papers.reading import (
    ALL,
    Figures,
    Missing,
    Rows,
    count,
    percent,
    pick,
    seconds,
    series,
    setting,
    statistic,
    times,
    tried,
    value,
)
from benchmarks.papers.verdict import CLOSE, FLAT, MUCH, SIMILAR, Claim

BUILT = "built_nodes"
AT_M = "built_at_m"
SEARCH = "search_cpu_seconds"
ACCEPTABLE = 60.0, 10_000_000  # CPU seconds, nodes: the paper gives no numbers for "acceptable" and "manageable"
NEAR_ONE = 0.02  # "very good (close to 1 %)": at most 2 %


def claims(runs: Mapping[str, Rows]) -> list[Claim]:
    """All of them, in the order of the paper."""
    return [*by_size(runs["p0-fig8"]), *by_domain(runs["p0-fig9"]), *by_known(runs["p0-fig10"]), *whole_sets(runs)]


def by_size(rows: Rows) -> list[Claim]:
    """Fig. 8: the number of records."""
    across = "data.rows"
    at_m = [{**row, AT_M: statistic(row, "count_tree_nodes_built_at_m") or row.get(BUILT)} for row in rows]
    return [
        tried(
            "Fig. 8a",
            "The cost of OA and DA increases linearly with |D|",
            rows,
            lambda r: powers(r, ("oa", "da"), across, SEARCH),
            linear,
            show=fits.told,
            about="exponents of CPU time over |D|, with 95 % intervals",
            axis="method",
        ),
        tried(
            "Fig. 8a-b",
            "OA and DA have identical performance",
            rows,
            lambda r: along_ratio(r, "da", "oa", across, BUILT),
            lambda one: one == 1,
            show=times,
            about="nodes that DA builds over those that OA builds, by construction",
            axis="|D|",
        ),
        tried(
            "Fig. 8b",
            "The size of the count-tree is not very sensitive to |D|",
            rows,
            lambda r: curve(r, across, BUILT, algorithm="oa"),
            lambda found: max(found.values()) < FLAT * min(found.values()),
            show=count,
            name="|D|",
        ),
        Claim(
            "Fig. 8a",
            "AA is initially much faster than the others and converges to their cost as |D| increases",
            (),
            "Our DA builds no count-tree, and our OA is in Python: see the memory, by which the paper explains the "
            "time",
        ),
        tried(
            "Fig. 8b",
            "The memory of AA (the count-tree of the m-th iteration) converges to that of the others",
            at_m,
            lambda r: along_ratio(r, "aa", "oa", across, AT_M),
            _converges,
            about="nodes of AA's tree, of those of OA's",
            name="|D|",
        ),
        *same_loss("Fig. 8c", rows, across, "|D|"),
    ]


def by_domain(rows: Rows) -> list[Claim]:
    """Fig. 9: the number of items."""
    across = "data.modulo"
    return [
        tried(
            "Fig. 9a",
            "The costs of DA and AA increase linearly with |I|",
            rows,
            lambda r: powers(r, ("da", "aa"), across, SEARCH),
            linear,
            show=fits.told,
            about="exponents of CPU time over |I|, with 95 % intervals, from three points",
            axis="method",
        ),
        tried(
            "Fig. 9a",
            "OA has exponential computational cost with respect to |I|",
            rows,
            lambda r: steps({at: _cuts(r, at) for at in series(r, across, "ncp", algorithm="oa")}),
            lambda one: one > 2,
            show=times,
            about="cuts that OA looks at, times those for 10 items fewer",
            axis="|I|",
        ),
        tried(
            "Fig. 9b",
            "The memory of OA and DA increases super-linearly with |I|",
            rows,
            lambda r: {name.upper(): power(r, name, across, BUILT) for name in ("oa", "da")},
            lambda fit: fit[0] > 1,
            show=fits.told,
            about="exponents of nodes over |I|, with 95 % intervals",
            axis="method",
        ),
        tried(
            "Fig. 9b",
            "AA achieves better scalability in memory",
            rows,
            lambda r: {name.upper(): grown(curve(r, across, BUILT, algorithm=name)) for name in ("oa", "aa")},
            lambda found: found["AA"] < found["OA"],
            show=times,
            about="nodes for the most items, times those for the fewest",
        ),
        *same_loss("Fig. 9c", rows, across, "|I|"),
    ]


def by_known(rows: Rows) -> list[Claim]:
    """Fig. 10: what the attacker knows."""
    return [
        tried(
            "Fig. 10a",
            "The CPU time of OA does not scale well with m (exponential)",
            rows,
            lambda r: steps(series(r, "m", SEARCH, algorithm="oa")),
            lambda one: one > 2,
            show=times,
            about="times that for m - 1",
            axis="m",
        ),
        Claim(
            "Fig. 10a",
            "The CPU time of DA does not scale well with m (exponential)",
            (),
            "Our DA builds no count-tree: see its size in Fig. 10b, by which the paper explains the time",
        ),
        tried(
            "Fig. 10a",
            "The CPU time of AA increases linearly with m",
            rows,
            lambda r: powers(r, ("aa",), "m", SEARCH),
            lambda found: linear(found["AA"]),
            show=fits.told,
            about="exponent of CPU time over m, with its 95 % interval",
        ),
        tried(
            "Fig. 10b",
            "The size of OA's and DA's count-tree increases exponentially with m",
            rows,
            lambda r: steps(series(r, "m", BUILT, algorithm="da")),
            lambda one: one > 2,
            show=times,
            about="nodes, times those for m - 1",
            axis="m",
        ),
        tried(
            "Fig. 10b",
            "AA achieves better scalability in m",
            rows,
            lambda r: {name.upper(): grown(curve(r, "m", BUILT, algorithm=name)) for name in ("da", "aa")},
            lambda found: found["AA"] < found["DA"],
            show=times,
            about="nodes at the largest m, times those at m = 1",
        ),
        tried(
            "Fig. 10c",
            "The information loss of DA and AA is very close to that of the optimal solution",
            rows,
            lambda r: {
                f"{name.upper()} m={m:g}": one - series(r, "m", "ncp", algorithm="optimal")[m]
                for name in ("da", "aa")
                for m, one in series(r, "m", "ncp", algorithm=name).items()
            },
            lambda one: one <= CLOSE,
            about="percentage points above the optimum",
            axis="method",
        ),
    ]


def whole_sets(runs: Mapping[str, Rows]) -> list[Claim]:
    """Fig. 11: AA on the whole data sets."""
    sets, ks, heights, ms = (runs[f"p0-fig11{letter}"] for letter in "abcd")
    few = [row for row in ks if row["k"] <= 100]
    tall = [{**row, "h": None if row.get("height") is None else row["height"] + 1} for row in heights]
    return [
        tried(
            "Fig. 11a",
            "AA runs in acceptable time",
            sets,
            lambda r: {"": value(r, "cpu_seconds", algorithm="aa")},
            lambda found: found[""] < ACCEPTABLE[0],
            show=seconds,
            about="CPU time",
        ),
        tried(
            "Fig. 11a",
            "AA generates a manageable count-tree",
            runs["p3-memory"],
            lambda r: {"": value(r, BUILT, algorithm="aa", k=5, m=3, data_fanout=5)},
            lambda found: found[""] < ACCEPTABLE[1],
            show=count,
            about="nodes",
        ),
        tried(
            "Fig. 11a",
            "AA's information loss is low: at most 3 %",
            sets,
            lambda r: {"": value(r, "ncp", algorithm="aa")},
            lambda found: found[""] <= 0.03,
        ),
        tried(
            "Fig. 11b",
            "The computational cost is insensitive to k",
            few,
            lambda r: curve(r, "k", "cpu_seconds", algorithm="aa"),
            lambda found: max(found.values()) < FLAT * min(found.values()),
            show=seconds,
            about="CPU time for k up to 100",
            name="k",
        ),
        tried(
            "Fig. 11b",
            "The memory requirements are insensitive to k",
            [row for row in pick(runs["p3-memory"], m=3, data="POS", data_fanout=5) if row["k"] <= 100],
            lambda r: curve(r, "k", BUILT, algorithm="aa"),
            lambda found: max(found.values()) < FLAT * min(found.values()),
            show=count,
            about="nodes for k up to 100",
            name="k",
        ),
        tried(
            "Fig. 11c",
            "For smaller h AA is faster",
            tall,
            lambda r: curve(pick(r, data="POS"), "h", "cpu_seconds", algorithm="aa"),
            lambda found: found[min(found)] < found[max(found)],
            show=seconds,
            name="h",
        ),
        tried(
            "Fig. 11c",
            "For smaller h AA produces worse solutions",
            tall,
            lambda r: curve(pick(r, data="POS"), "h", "ncp", algorithm="aa"),
            lambda found: found[min(found)] > found[max(found)],
            name="h",
        ),
        tried(
            "Fig. 11c",
            "For h = 4 AA fails to find a non-trivial generalization",
            tall,
            lambda r: {"": series(pick(r, data="POS"), "h", "ncp", algorithm="aa")[4]},
            lambda found: found[""] == 1,
            about="loss at h=4",
        ),
        tried(
            "Fig. 11c",
            "For all other h the quality is very good (information loss close to 1 %: here at most 2 %)",
            tall,
            lambda r: {h: one for h, one in series(pick(r, data="POS"), "h", "ncp", algorithm="aa").items() if h != 4},
            lambda one: one <= NEAR_ONE,
            axis="h",
        ),
        tried(
            "Fig. 11d",
            "Time increases as m grows",
            ms,
            lambda r: curve(r, "m", "cpu_seconds", algorithm="aa"),
            lambda found: all(a < b for a, b in pairwise(found.values())),
            show=seconds,
            name="m",
        ),
        tried(
            "Fig. 11d",
            "The solution becomes slightly worse as m grows, but within acceptable limits",
            ms,
            lambda r: curve(r, "m", "ncp", algorithm="aa"),
            lambda found: list(found.values()) == sorted(found.values()) and max(found.values()) <= 0.03,
            about="we take the 3 % of Fig. 11a for the limit",
            name="m",
        ),
    ]


def same_loss(place: str, rows: Rows, across: str, axis: str) -> list[Claim]:
    """DA and AA beside OA, at every point."""
    return [
        tried(
            place,
            f"{name.upper()} achieves the same (optimal) loss as OA",
            rows,
            lambda r, name=name: {  # type: ignore[misc]
                at: one - series(r, across, "ncp", algorithm="oa")[at]
                for at, one in series(r, across, "ncp", algorithm=name).items()
            },
            lambda one: abs(one) < 1e-12,
            about="percentage points above OA",
            axis=axis,
        )
        for name in ("da", "aa")
    ]


def proofs(rows: Rows) -> str:
    """What `optimal` proves where OA cannot run, on all records."""
    best = [row for row in pick(rows, algorithm="optimal", status="ok") if setting(row)["size"] == ALL]
    proved = [row for row in best if row["ended"] == "proven"]
    aa = {str(setting(row)): row["ncp"] for row in pick(rows, algorithm="aa", status="ok")}
    unneeded = [1 - row["ncp"] / aa[str(setting(row))] for row in proved if aa.get(str(setting(row)))]
    longest = max((row["cpu_seconds"] for row in proved), default=0.0)
    return (
        f"It proves the optimum in {len(proved)} of {len(best)} runs on all records, in at most {seconds(longest)} of "
        f"CPU time. There, at most {percent(max(unneeded, default=0.0))} of AA's loss is not needed."
    )


def _converges(found: Figures) -> bool:
    """At most half at first, and similar at last."""
    shares = list(found.values())
    return bool(shares[0] <= 1 / MUCH and shares[-1] >= 1 / SIMILAR)


def _cuts(rows: Rows, domain: float) -> float:
    found = [statistic(row, "cuts") for row in pick(rows, algorithm="oa", data_modulo=domain)]
    if len(found) != 1 or found[0] is None:
        raise Missing("OA's cuts")
    return found[0]
