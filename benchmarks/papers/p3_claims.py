"""What P3 says about its Figures 14 to 23, tried in our rows. Figures 10 to 13 are P0's.

Memory is the number of nodes of the count-trees that the paper's algorithms build: of the largest one, as the paper
frees one before it builds the next. Time is CPU time of the search.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from benchmarks.papers import fits
from benchmarks.papers.reading import (
    Figures,
    Missing,
    Rows,
    count,
    pick,
    series,
    statistic,
    times,
    tried,
    value,
)
from benchmarks.papers.verdict import FLAT, MUCH, SIMILAR, Claim
from shoal.evaluation.results import Row

SETS = ("POS", "WV1", "WV2")
BUILT = "built_nodes"
SEARCH = "search_cpu_seconds"
FEW = 0.1  # "low in general": at most a tenth of the itemsets
USUAL = {"chunks": 3, "parts": 3, "flexibility": 10, "level": 1}  # what the paper's other figures have


def claims(runs: Mapping[str, Rows]) -> list[Claim]:
    """All of them, in the order of the paper."""
    memory = runs["p3-memory"]
    return [
        *three_sets(runs["p3-fig14"], memory),
        *by_k(runs["p3-fig15"], memory),
        *by_m(runs["p3-fig16"], memory),
        *by_height(runs["p3-fig17"], memory),
        *by_parts(runs["p3-fig18"], memory),
        *mined_sets(runs["p3-fig14"]),
        *mined(runs["p3-fig15"], runs["p3-fig16"]),
        *beside_partition(runs["p3-fig23"]),
    ]


def usual(rows: Rows) -> list[Row]:
    """The runs at k=5, m=3, fanout 5 with the paper's default options."""
    return [row for row in pick(rows, k=5, m=3, data_fanout=5) if as_usual(row)]


def three_sets(rows: Rows, memory: Rows) -> list[Claim]:
    """Fig. 14: three data sets."""
    built = usual(memory)
    return [
        tried(
            "Fig. 14c",
            "The information loss of LRA is only slightly larger than AA's",
            by_reading(rows),
            lambda r: {"": over(r, "lra", "aa", "ncp")},
            lambda found: found[""] <= SIMILAR,
            show=times,
            about="LRA's loss over AA's",
        ),
        tried(
            "Fig. 14b",
            "LRA has significantly greater memory requirements than AA",
            by_reading(built),
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
        tried(
            "Fig. 14b",
            "This is so especially for WV1",
            across_sets(by_reading(built)),
            lambda r: {data: over(pick(r, set=data), "lra", "aa", BUILT) for data in SETS},
            lambda found: max(found, key=lambda data: found[data]) == "WV1",
            show=times,
            about="LRA's nodes over AA's",
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
            rows,
            lambda r: {other.upper(): over(r, other, "vpa", SEARCH) for other in ("aa", "lra")},
            lambda one: one >= MUCH,
            show=times,
            about="CPU time, times VPA's",
            axis="method",
        ),
        tried(
            "Fig. 14c",
            "VPA incurs an information loss similar to that of AA",
            rows,
            lambda r: {"": over(r, "vpa", "aa", "ncp")},
            lambda found: found[""] <= SIMILAR,
            show=times,
            about="VPA's loss over AA's",
        ),
        tried(
            "s.6.2.1",
            "AA is in general (slightly) better than VPA in terms of information loss",
            rows,
            lambda r: {"": over(r, "vpa", "aa", "ncp")},
            lambda found: found[""] >= 1,
            show=times,
            about="VPA's loss over AA's",
        ),
    ]


def by_k(rows: Rows, memory: Rows) -> list[Claim]:
    """Fig. 15."""
    built = [row for row in pick(memory, m=3, data="POS", data_fanout=5) if as_usual(row)]
    small = [row for row in rows if row["k"] < 1000]
    return [
        *vpa_least("Fig. 15", rows, built, "k"),
        tried(
            "Fig. 15c",
            "VPA offers an information loss comparable to AA's for small k",
            [row for row in rows if row["k"] <= 20],
            lambda r: along_ratio(r, "vpa", "aa", "k", "ncp"),
            lambda one: one <= SIMILAR,
            show=times,
            about="VPA's loss over AA's",
            axis="k",
        ),
        tried(
            "Fig. 15a-b",
            "For a very large k all algorithms are fast",
            rows,
            lambda r: {name.upper(): _last_share(series(r, "k", SEARCH, algorithm=name)) for name in THREE},
            lambda one: one <= 1 / MUCH,
            about="CPU time at k=1000, of that at k=5",
            axis="method",
        ),
        tried(
            "Fig. 15b",
            "For a very large k all algorithms have small memory requirements",
            built,
            lambda r: {name.upper(): _last_share(series(r, "k", BUILT, algorithm=name)) for name in THREE},
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
            'Before that it is not (our reading of "becomes")',
            small,
            lambda r: {
                f"{name.upper()} k={k:g}": one
                for name in ("lra", "vpa")
                for k, one in along_ratio(r, name, "aa", "k", "ncp").items()
            },
            lambda one: one < MUCH,
            show=times,
            about="times AA's loss",
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
                lambda r, name=name: along_ratio(r, name, "aa", "m", "ncp"),  # type: ignore[misc]
                lambda one: one <= SIMILAR,
                show=times,
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
                for h, one in _steps(series(r, "h", "ncp", algorithm=name)).items()
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
            lambda r: {name.upper(): _grown(series(r, "h", SEARCH, algorithm=name)) for name in THREE},
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
            "LRA and AA have similar performance: time",
            tall,
            lambda r: along_ratio(r, "lra", "aa", "h", SEARCH),
            lambda one: 1 / SIMILAR <= one <= SIMILAR,
            show=times,
            about="LRA's CPU time over AA's",
            axis="h",
        ),
        tried(
            "Fig. 17",
            "LRA and AA have similar performance: memory",
            built,
            lambda r: along_ratio(r, "lra", "aa", "h", BUILT),
            lambda one: 1 / SIMILAR <= one <= SIMILAR,
            show=times,
            about="LRA's nodes over AA's",
            axis="h",
        ),
    ]


def by_parts(rows: Rows, memory: Rows) -> list[Claim]:
    """Fig. 18 and 19."""
    built = pick(memory, k=5, m=3, data="POS", data_fanout=5)
    return [
        *(
            claim
            for name, option in (("lra", "chunks"), ("vpa", "parts"))
            for claim in (
                tried(
                    "Fig. 18a-b",
                    f"When the number of partitions grows, the memory requirements of {name.upper()} decrease",
                    built,
                    lambda r, name=name, option=option: series(along(r, name, option), option, BUILT),  # type: ignore[misc]
                    lambda found: found[max(found)] < found[min(found)],
                    show=count,
                    about="nodes of the largest tree",
                    name=option,
                ),
                tried(
                    "Fig. 18a-b",
                    f"When the number of partitions grows, the quality of {name.upper()}'s data decreases",
                    rows,
                    lambda r, name=name, option=option: series(along(r, name, option), option, "ncp"),  # type: ignore[misc]
                    lambda found: found[max(found)] > found[min(found)],
                    name=option,
                ),
            )
        ),
        *(
            tried(
                f"Fig. 18{letter}",
                f"The {option} does not have a significant effect on {name.upper()}",
                rows,
                lambda r, name=name, option=option: series(along(r, name, option), option, "ncp"),  # type: ignore[misc]
                lambda found: max(found.values()) < FLAT * min(found.values()),
                about="loss",
                name=option,
            )
            for letter, name, option in (("c", "lra", "flexibility"), ("d", "vpa", "level"))
        ),
        tried(
            "Fig. 19",
            "LRA does not benefit much from parallelization",
            by_reading(built),
            lambda r: {"": gain_of(r, "lra", "chunks")},
            lambda found: found[""] < MUCH,
            show=times,
            about="nodes of all 3 chunks over those of the largest one",
        ),
        tried(
            "Fig. 19",
            "VPA benefits the most from parallelization",
            by_reading(built),
            lambda r: {"LRA": gain_of(r, "lra", "chunks"), "VPA": gain_of(r, "vpa", "parts")},
            lambda found: found["VPA"] > found["LRA"],
            show=times,
            about="nodes of all 3 parts and of the last pass, over those of the largest part and of the last pass",
        ),
    ]


def mined_sets(rows: Rows) -> list[Claim]:
    """Fig. 20."""
    two = [row for row in rows if row["algorithm"] in ("aa", "vpa")]
    return [
        *(
            tried(
                "Fig. 20",
                f"{title} follows the NCP of Fig. 14",
                across_sets(two),
                lambda r, what=what: _agreement(r, what),  # type: ignore[misc]
                lambda found: found["agree"] >= 0.75,
                about="pairs of data sets and methods that both measures rank alike",
            )
            for title, what in (("ML²", "ml2"), ("dML²", "dml2_missed"))
        ),
        tried(
            "Fig. 20",
            "The percentage of frequent itemsets that are detected only at a more generalized level is low in general",
            two,
            lambda r: {name.upper(): value(r, "ml2", algorithm=name) for name in ("aa", "vpa")},
            lambda one: one <= FEW,
            about="we call up to 10 % low",
            axis="method",
        ),
        tried(
            "Fig. 20",
            "They are found only 1 or 2 levels above",
            two,
            lambda r: {
                name.upper(): one for name in ("aa", "vpa") if (one := value(r, "dml2_missed", algorithm=name)) > 0
            },
            lambda one: one <= 2,
            show=times,
            about="mean number of levels",
            axis="method",
        ),
    ]


def mined(ks: Rows, ms: Rows) -> list[Claim]:
    """Fig. 21 and 22."""
    curves: tuple[tuple[str, Rows], ...] = (("k", ks), ("m", ms))
    return [
        *(
            tried(
                "Fig. 21",
                f"ML² grows with {across}",
                rows,
                lambda r, across=across: {  # type: ignore[misc]
                    f"{name.upper()} {across}={at:g}": one
                    for name in ("aa", "vpa")
                    for at, one in _changes(series(r, across, "ml2_2", algorithm=name)).items()
                },
                lambda one: one >= 0,
                about="percentage points more than at the value before",
                axis="step",
            )
            for across, rows in curves
        ),
        *(
            tried(
                "Fig. 21",
                f"ML² grows linearly with {across}",
                rows,
                lambda r, across=across: {  # type: ignore[misc]
                    name.upper(): fits.exponent(
                        (at, one) for at, one in series(r, across, "ml2_2", algorithm=name).items() if one > 0
                    )
                    for name in ("aa", "vpa")
                },
                lambda fit: fit[1] <= 1.2 and fit[2] >= 0.8,
                show=fits.told,
                about=f"exponents over {across}, with 95 % intervals",
                axis="method",
            )
            for across, rows in curves
        ),
        tried(
            "Fig. 21",
            "ML² decreases as the support threshold grows",
            pick(ks, k=5),
            lambda r: {
                f"{name.upper()} {threshold} %": one
                for name in ("aa", "vpa")
                for threshold, one in _changes(_by_threshold(r, name, "ml2")).items()
            },
            lambda one: one <= 0,
            about="percentage points more than at the threshold before",
            axis="step",
        ),
        tried(
            "Fig. 22",
            "Apart from m = 1, dML² does not demonstrate great volatility",
            [*(row for row in ms if row["m"] != 1), *(row for row in ks if row["k"] != 5)],
            lambda r: _levels(r),
            lambda found: max(found.values()) < FLAT * min(found.values()),
            show=times,
            about="mean number of levels",
        ),
    ]


def beside_partition(rows: Rows) -> list[Claim]:
    """Fig. 23."""

    def full(r: Rows, what: str, k: int = 5) -> float:
        return value(r, what, model="transactional-k", k=k)

    def vpa(r: Rows, what: str) -> dict[float, float]:
        return series(pick(r, model="km", k=5), "m", what, algorithm="vpa")

    return [
        tried(
            "Fig. 23a",
            "VPA incurs less information loss than Partition for a small m",
            rows,
            lambda r: {m: one / full(r, "ncp") for m, one in vpa(r, "ncp").items() if m <= 3},
            lambda one: one < 1,
            show=times,
            about="VPA's loss over Partition's",
            axis="m",
        ),
        tried(
            "Fig. 23a",
            "The picture is reversed for a large m: Partition outperforms VPA from m = 5 on",
            rows,
            lambda r: {m: one / full(r, "ncp") for m, one in vpa(r, "ncp").items() if m >= 5},
            lambda one: one > 1,
            show=times,
            about="VPA's loss over Partition's",
            axis="m",
        ),
        tried(
            "Fig. 23b",
            "With m = 3 VPA retains its advantage for every k",
            rows,
            lambda r: {
                k: one / full(r, "ncp", int(k))
                for k, one in series(pick(r, model="km", m=3), "k", "ncp", algorithm="vpa").items()
            },
            lambda one: one < 1,
            show=times,
            about="VPA's loss over Partition's",
            axis="k",
        ),
        tried(
            "Fig. 23c",
            "Partition is a lot faster than VPA (20 s, beside 40 s for m = 1 to almost 5 hours for m = 6)",
            rows,
            lambda r: {m: one / full(r, SEARCH) for m, one in vpa(r, SEARCH).items()},
            lambda one: one >= MUCH,
            show=times,
            about="VPA's CPU time over Partition's",
            axis="m",
        ),
    ]


THREE = ("aa", "lra", "vpa")
READINGS = {"hierarchy": "bits in the order of the hierarchy", "frequency": "bits by frequency"}


def by_reading(rows: Rows) -> list[Row]:
    """The rows once for each reading of LRA's Gray order, as far as there are runs of it."""
    bits = "algorithm.bits"
    known = [
        one for one in READINGS if any((row.get(bits) or "hierarchy") == one for row in pick(rows, algorithm="lra"))
    ]
    if len(known) < 2:
        return list(rows)
    return [
        {**row, "reading": READINGS[one]}
        for one in known
        for row in rows
        if row["algorithm"] != "lra" or (row.get(bits) or "hierarchy") == one
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
            lambda one: one >= MUCH,
            show=times,
            about=f"{title}, times VPA's",
            axis="method",
        )
        for letter, words, some, what, title in (
            ("a", "is significantly faster", rows, SEARCH, "CPU time"),
            ("b", "requires significantly less memory", built, BUILT, "nodes"),
        )
    ]


def over(rows: Rows, first: str, second: str, what: str) -> float:
    """How many times as much one has; nothing beside nothing is as much."""
    return _ratio(*(value(rows, what, algorithm=name) for name in (first, second)))


def along_ratio(rows: Rows, first: str, second: str, across: str, what: str) -> dict[float, float]:
    """How many times as much one has, along an axis."""
    above, below = (series(pick(rows, status="ok"), across, what, algorithm=name) for name in (first, second))
    return {at: _ratio(above[at], below[at]) for at in above if at in below}


def across_sets(rows: Rows) -> list[Row]:
    """The rows with all data sets in one setting: each set of full size beside each seed of the generated one."""
    fixed = [row for row in rows if row.get("data.seed") is None]
    drawn = [row for row in rows if row.get("data.seed") is not None]
    places = {(row["data.rows"], row["data.seed"]) for row in drawn}
    copies = [{**row, "data.rows": size, "data.seed": seed} for size, seed in sorted(places) for row in fixed]
    return [{**row, "set": row["data"], "data": "three sets"} for row in (*drawn, *copies)]


def with_h(rows: Rows) -> list[Row]:
    """The rows with the number of levels, as the paper counts them."""
    return [{**row, "h": None if row.get("height") is None else row["height"] + 1} for row in rows if row.get("height")]


def as_usual(row: Row, *, but: str = "") -> bool:
    """Whether all options but one have the paper's default, or are not given."""
    options = {name: row.get(f"algorithm.{name}") for name in USUAL if name != but}
    return all(value in (None, USUAL[name]) for name, value in options.items())


def along(rows: Rows, name: str, option: str) -> list[Row]:
    """Runs of a method that differ in one option alone; what is not given has its default."""
    runs = [row for row in pick(rows, algorithm=name) if as_usual(row, but=option) and not row.get("algorithm.bits")]
    default = USUAL[option]
    return [
        {**row, option: default if row.get(f"algorithm.{option}") is None else row[f"algorithm.{option}"]}
        for row in runs
    ]


def gain(row: Row) -> float | None:
    """All nodes that are built, over those that are built one after the other when all parts are built at once."""
    whole, last = (statistic(row, f"count_tree_nodes_built_{name}") for name in ("in_all", "at_last"))
    name = "count_tree_nodes_built" if row["algorithm"] == "lra" else "count_tree_nodes_built_of_parts"
    largest = statistic(row, name)
    return None if whole is None or not largest else whole / (largest + (last or 0))


def gain_of(rows: Rows, name: str, option: str) -> float:
    """The gain of the paper's default number of parts."""
    here = [row for row in pick(rows, algorithm=name) if as_usual(row)]
    found = gain(here[0]) if len(here) == 1 else None
    if found is None:
        raise Missing(f"{name} with 3 {option}")
    return found


def _ratio(above: float, below: float) -> float:
    return above / below if below else 1.0 if not above else float("inf")


def _last_share(found: Figures) -> float:
    return float(found[max(found)] / found[min(found)])


def _grown(found: Figures) -> float:
    return _ratio(found[max(found)], found[min(found)])


def _scaling(rows: Rows, what: str) -> dict[str, float]:
    """How many times as fast AA's figures grow as those of LRA and VPA, over the m that all of them have."""
    found = {name: series(pick(rows, status="ok"), "m", what, algorithm=name) for name in THREE}
    shared = sorted(set.intersection(*(set(one) for one in found.values())))
    if len(shared) < 2:
        raise Missing("two values of m")
    grown = {name: _ratio(one[shared[-1]], one[shared[0]]) for name, one in found.items()}
    return {name.upper(): grown["aa"] / grown[name] for name in ("lra", "vpa")}


def _steps(found: Figures) -> dict[float, float]:
    return {at: _ratio(now, before) for (_, before), (at, now) in pairwise(found.items())}


def _changes(found: Figures) -> dict[float, float]:
    return {at: now - before for (_, before), (at, now) in pairwise(found.items())}


def _by_threshold(rows: Rows, name: str, what: str) -> dict[float, float]:
    return {threshold: value(rows, f"{what}_{threshold}", algorithm=name) for threshold in (1, 2, 3)}


def _agreement(rows: Rows, what: str) -> dict[str, float]:
    """The share of pairs that two measures rank alike; ties of either are left out."""
    places = [(data, name) for data in SETS for name in ("aa", "vpa")]
    found = [tuple(value(pick(rows, set=data), one, algorithm=name) for one in (what, "ncp")) for data, name in places]
    signs = [
        (a[0] - b[0]) * (a[1] - b[1]) for at, a in enumerate(found) for b in found[:at] if a[0] != b[0] and a[1] != b[1]
    ]
    if not signs:
        raise Missing("pairs")
    return {"agree": sum(sign > 0 for sign in signs) / len(signs)}


def _levels(rows: Rows) -> dict[str, float]:
    """How much higher missed itemsets are found, by k and m, at a support of 2 %."""
    found = {
        f"{row['algorithm'].upper()} k={row['k']:g} m={row['m']:g}": row["dml2_missed_2"]
        for row in rows
        if row["algorithm"] in ("aa", "vpa") and row.get("dml2_missed_2")
    }
    if not found:
        raise Missing("itemsets that are missed")
    return found
