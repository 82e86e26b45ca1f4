"""What P3 says about its Figures 14 to 23, tried in our rows. Figures 10 to 13 are P0's.

Memory is the number of nodes of the count-trees that the paper's algorithms build: of the largest one, as the paper
frees one before it builds the next. Time is CPU time of the search.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.papers.curves import (
    along_ratio,
    curve,
    grown,
    loss_over,
    losses_over,
    over,
    ratio,
    shown,
    similar,
    steps,
)
from benchmarks.papers.p3_general import general
from benchmarks.papers.p3_mining import mined, mined_sets
from benchmarks.papers.p3_partition import beside_partition
from benchmarks.papers.p3_parts import by_parts
from benchmarks.papers.p3_rows import SETS, THREE, across_sets, as_usual, by_reading, usual, with_h
from benchmarks.papers.reading import Missing, Rows, pick, series, times, tried
from benchmarks.papers.verdict import MUCH, SIMILAR, Claim

BUILT = "built_nodes"
SEARCH = "search_cpu_seconds"


def claims(runs: Mapping[str, Rows]) -> list[Claim]:
    """All of them, in the order of the paper."""
    memory = runs["p3-memory"]
    return [
        *three_sets(runs["p3-fig14"], memory),
        general([row for number in (14, 15, 16, 17) for row in runs[f"p3-fig{number}"]]),
        *by_k(runs["p3-fig15"], memory),
        *by_m(runs["p3-fig16"], memory),
        *by_height(runs["p3-fig17"], memory),
        *by_parts(runs["p3-fig18"], memory),
        *mined_sets(runs["p3-fig14"]),
        *mined(runs["p3-fig15"], runs["p3-fig16"]),
        *beside_partition(runs["p3-fig23"]),
    ]


def three_sets(rows: Rows, memory: Rows) -> list[Claim]:
    """Fig. 14: three data sets."""
    raw = pick(memory, k=5, m=3, data_fanout=5)
    built, plain = usual(raw), usual(rows)
    return [
        tried(
            "Fig. 14c",
            "The information loss of LRA is only slightly larger than AA's",
            by_reading(rows),
            lambda r: {"": loss_over(r, "lra", "aa")},
            lambda found: similar(found[""]),
            show=shown,
            about="LRA's loss over AA's",
        ),
        tried(
            "Fig. 14b",
            "LRA has significantly greater memory requirements than AA",
            by_reading(raw),
            lambda r: {"": over(r, "lra", "aa", BUILT)},
            lambda found: found[""] >= MUCH,
            show=times,
            about="LRA's nodes over AA's",
        ),
        tried(
            "Fig. 14a",
            "LRA has significantly greater execution time than AA",
            by_reading(rows),
            lambda r: {"": over(r, "lra", "aa", SEARCH)},
            lambda found: found[""] >= MUCH,
            show=times,
            about="LRA's CPU time over AA's",
        ),
        *(
            tried(
                f"Fig. 14{letter}",
                f"LRA's extra {title} is largest on WV1",
                across_sets(by_reading(some)),
                lambda r, what=what: {data: over(pick(r, set=data), "lra", "aa", what) for data in SETS},  # type: ignore[misc]
                lambda found: found["WV1"] == max(found.values()) and found["WV1"] > 1,
                show=times,
                about=f"LRA's {measure} over AA's",
            )
            for letter, title, some, what, measure in (
                ("a", "time", rows, SEARCH, "CPU time"),
                ("b", "memory", raw, BUILT, "nodes"),
            )
        ),
        tried(
            "Fig. 14b",
            "VPA requires significantly less memory than the other algorithms",
            built,
            lambda r: {other.upper(): over(r, other, "vpa", BUILT) for other in ("aa", "lra")},
            lambda one: one >= MUCH,
            show=times,
            about="nodes, times VPA's",
            axis="method",
        ),
        tried(
            "Fig. 14a",
            "VPA requires significantly less execution time than the other algorithms",
            plain,
            lambda r: {other.upper(): over(r, other, "vpa", SEARCH) for other in ("aa", "lra")},
            lambda one: one >= MUCH,
            show=times,
            about="CPU time, times VPA's",
            axis="method",
        ),
        tried(
            "Fig. 14c",
            "VPA incurs an information loss similar to that of AA",
            plain,
            lambda r: {"": loss_over(r, "vpa", "aa")},
            lambda found: similar(found[""]),
            show=shown,
            about="VPA's loss over AA's",
        ),
        tried(
            "Fig. 14c",
            "VPA manages to have marginally better information loss than AA",
            plain,
            lambda r: {"": over(r, "vpa", "aa", "ncp")},
            lambda found: found[""] < 1,
            show=times,
            about="VPA's loss over AA's",
        ),
    ]


def by_k(rows: Rows, memory: Rows) -> list[Claim]:
    """Fig. 15."""
    built = [row for row in pick(memory, m=3, data="POS", data_fanout=5) if as_usual(row)]
    return [
        *vpa_least("Fig. 15", rows, built, "k"),
        tried(
            "Fig. 15c",
            "VPA offers an information loss comparable to AA's for small k",
            [row for row in rows if row["k"] <= 20],
            lambda r: losses_over(r, "vpa", "aa", "k"),
            similar,
            show=shown,
            about="VPA's loss over AA's",
            axis="k",
        ),
        tried(
            "Fig. 15a-b",
            "For a very large k all algorithms are fast",
            rows,
            lambda r: {name.upper(): grown(curve(r, "k", SEARCH, algorithm=name)) for name in THREE},
            lambda one: one <= 1 / MUCH,
            about="CPU time at k=1000, of that at k=5",
            axis="method",
        ),
        tried(
            "Fig. 15b",
            "For a very large k all algorithms have small memory requirements",
            built,
            lambda r: {name.upper(): grown(curve(r, "k", BUILT, algorithm=name)) for name in THREE},
            lambda one: one <= 1 / MUCH,
            about="nodes at k=1000, of those at k=5",
            axis="method",
        ),
        tried(
            "Fig. 15c",
            "The information loss of LRA and VPA becomes significantly larger (than AA's) for k = 1000",
            pick(rows, k=1000),
            lambda r: {name.upper(): over(r, name, "aa", "ncp") for name in ("lra", "vpa")},
            lambda one: one >= MUCH,
            show=times,
            about="times AA's loss at k=1000",
            axis="method",
        ),
        tried(
            "Fig. 15c",
            "The information loss of LRA and VPA becomes significantly larger (than their own at k = 5) for k = 1000",
            rows,
            lambda r: {name.upper(): grown(curve(r, "k", "ncp", algorithm=name)) for name in ("lra", "vpa")},
            lambda one: one >= MUCH,
            show=times,
            about="times their loss at k=5",
            axis="method",
        ),
    ]


def by_m(rows: Rows, memory: Rows) -> list[Claim]:
    """Fig. 16."""
    built = [row for row in pick(memory, k=5, data="POS", data_fanout=5) if as_usual(row)]
    return [
        tried(
            "Fig. 16a",
            "As m grows, VPA and LRA scale much better than AA: time",
            rows,
            lambda r: _scaling(r, SEARCH),
            lambda one: one >= MUCH,
            show=times,
            about="growth of AA's CPU time from the least m to the largest, times theirs",
            axis="method",
        ),
        tried(
            "Fig. 16b",
            "As m grows, VPA and LRA scale much better than AA: memory",
            built,
            lambda r: _scaling(r, BUILT),
            lambda one: one >= MUCH,
            show=times,
            about="growth of AA's nodes from the least m to the largest, times theirs",
            axis="method",
        ),
        tried(
            "Fig. 16a",
            "VPA is consistently much faster than the other methods",
            rows,
            lambda r: {
                f"{other.upper()} m={m:g}": one
                for other in ("aa", "lra")
                for m, one in along_ratio(r, other, "vpa", "m", SEARCH).items()
            },
            lambda one: one >= MUCH,
            show=times,
            about="CPU time, times VPA's",
            axis="method",
        ),
        *(
            tried(
                "Fig. 16c",
                f"{name.upper()} demonstrates a behavior similar to AA in terms of information loss",
                rows,
                lambda r, name=name: losses_over(r, name, "aa", "m"),  # type: ignore[misc]
                similar,
                show=shown,
                about="times AA's loss",
                axis="m",
            )
            for name in ("lra", "vpa")
        ),
    ]


def by_height(rows: Rows, memory: Rows) -> list[Claim]:
    """Fig. 17."""
    tall, built = with_h(rows), with_h([row for row in pick(memory, k=5, m=3, data="POS") if as_usual(row)])
    return [
        tried(
            "Fig. 17c",
            "A higher hierarchy means less information loss",
            tall,
            lambda r: {
                f"{name.upper()} h={h:g}": one
                for name in THREE
                for h, one in steps(series(r, "h", "ncp", algorithm=name)).items()
            },
            lambda one: one <= 1,
            show=times,
            about="loss, times that with one level less",
            axis="step",
        ),
        tried(
            "Fig. 17a",
            "With h the algorithms may have to spend more effort to reach a solution",
            tall,
            lambda r: {name.upper(): grown(curve(r, "h", SEARCH, algorithm=name)) for name in THREE},
            lambda one: one > 1,
            show=times,
            about="CPU time at h=8, times that at h=4",
            axis="method",
        ),
        tried(
            "Fig. 17b",
            "VPA has significantly smaller memory requirements than the other two methods",
            built,
            lambda r: {
                f"{other.upper()} h={h:g}": one
                for other in ("aa", "lra")
                for h, one in along_ratio(r, other, "vpa", "h", BUILT).items()
            },
            lambda one: one >= MUCH,
            show=times,
            about="nodes, times VPA's",
            axis="method",
        ),
        tried(
            "Fig. 17",
            "LRA and AA have similar performance, LRA being better at times (here: at most 1.25 times AA's): time",
            tall,
            lambda r: along_ratio(r, "lra", "aa", "h", SEARCH),
            lambda one: one <= SIMILAR,
            show=times,
            about="LRA's CPU time over AA's",
            axis="h",
        ),
        tried(
            "Fig. 17",
            "LRA and AA have similar performance, LRA being better at times (here: at most 1.25 times AA's): memory",
            built,
            lambda r: along_ratio(r, "lra", "aa", "h", BUILT),
            lambda one: one <= SIMILAR,
            show=times,
            about="LRA's nodes over AA's",
            axis="h",
        ),
    ]


def vpa_least(place: str, rows: Rows, built: Rows, across: str) -> list[Claim]:
    """VPA beside the other two along an axis: time and memory."""
    return [
        tried(
            f"{place}{letter}",
            f"VPA {words} than the other two",
            some,
            lambda r, what=what: {  # type: ignore[misc]
                f"{other.upper()} {across}={at:g}": one
                for other in ("aa", "lra")
                for at, one in along_ratio(r, other, "vpa", across, what).items()
            },
            lambda one, least=least: one >= least,  # type: ignore[misc]
            show=times,
            about=f"{title}, times VPA's",
            axis="method",
        )
        for letter, words, some, what, title, least in (
            ("a", "is significantly faster", rows, SEARCH, "CPU time", MUCH),
            ("b", "requires less memory", built, BUILT, "nodes", 1),
        )
    ]


def _scaling(rows: Rows, what: str) -> dict[str, float]:
    """How many times as fast AA's figures grow as those of LRA and VPA, over the m that all of them have."""
    found = {name: series(pick(rows, status="ok"), "m", what, algorithm=name) for name in THREE}
    shared = sorted(set.intersection(*(set(one) for one in found.values())))
    if len(shared) < 2:
        raise Missing("two values of m")
    grown = {name: ratio(one[shared[-1]], one[shared[0]]) for name, one in found.items()}
    return {name.upper(): grown["aa"] / grown[name] for name in ("lra", "vpa")}
