"""The sentences with figures of research/papers/wang-2014.md, all from the rows and from the paper's printed tables."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from benchmarks.papers.p1_claims import PRINTED_VALUES, REAL, RIVALS, SETS, SYNTHETIC, THREE
from benchmarks.papers.p1_growth import BASE, GSC, KNN, K, over_rows
from benchmarks.papers.p1_published import ITEMS, KS, PUBLISHED, implied
from benchmarks.papers.p1_readings import compared, means, short_at
from benchmarks.papers.verdict import Claim, strong, summary
from shoal.evaluation.results import Row

Readings = Mapping[str, Sequence[Claim]]
PAPER_ROWS = 8_376  # of P1's D4
QT = "GSC (QT)"
HOLDS, FAILS = "holds", "does not hold"


def change(low: float, high: float, less: str = "fewer", more: str = "more") -> str:
    """A change by so many percent, in words.

    >>> change(-19.2, -8.44), change(1.3, 8.4), change(-0.3, 0.6), change(2.51, 2.53)
    ('8.4 to 19.2 % fewer', '1.3 to 8.4 % more', 'from 0.3 % fewer to 0.6 % more', '2.5 % more')
    """
    low, high = round(low, 1) + 0.0, round(high, 1) + 0.0  # no -0.0
    first, last = f"{abs(low):.1f}", f"{abs(high):.1f}"
    if low < 0 < high:
        return f"from {first} % {less} to {last} % {more}"
    if high <= 0:
        first, last = last, first
    word = less if low < 0 else more
    return f"{first} % {word}" if first == last else f"{first} to {last} % {word}"


def listed(texts: Iterable[str]) -> str:
    """A list in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *some, last = texts
    return f"{', '.join(some)} and {last}" if some else last


# The claims


def in_short(readings: Readings) -> Iterator[str]:
    """How many claims hold in each reading, and which hold in all, some and none of them."""
    for name, claims in readings.items():
        yield f"- *{name}*: {_lower(summary(claims))}"
    heads = {
        "every": "These claims hold in every reading:",
        "some": "These hold in some readings:",
        "depends": "These hold in no reading as they stand, but for some data or seeds in at least one:",
        "none": "These do not hold in any reading:",
    }
    texts: dict[str, list[str]] = {kind: [] for kind in heads}
    for judged in zip(*readings.values(), strict=True):
        verdicts = [one.verdict for one in judged]
        good = [name for name, one in zip(readings, verdicts, strict=True) if one == HOLDS]
        says = f"{judged[0].says} ({judged[0].place})"
        if good and len(good) < len(verdicts):
            texts["some"].append(f"{says}: {listed(f'*{name}*' for name in good)}")
        else:
            texts["every" if good else "none" if set(verdicts) == {FAILS} else "depends"].append(says)
    true = {name: sum(one.verdict == HOLDS for one in claims) for name, claims in readings.items()}
    best = [f"*{name}*" for name, number in true.items() if number == max(true.values())]
    makes = f"The reading {best[0]} makes" if len(best) == 1 else f"The readings {listed(best)} make"
    every = len(next(iter(readings.values())))
    yield ""
    yield (
        f"{makes} the most claims true, {max(true.values())} of {every}."
        f"{'' if max(true.values()) == every else ' No reading makes all of them true.'}"
    )
    for kind, head in heads.items():
        if texts[kind]:
            yield from ("", head, "", *(f"- {one}." for one in texts[kind]))


def _lower(text: str) -> str:
    """Without a capital at the start, unless a name starts there.

    >>> _lower("Of 2 claims"), _lower("STN has"), _lower("K-NN has"), _lower("GraySort has")
    ('of 2 claims', 'STN has', 'K-NN has', 'GraySort has')
    """
    return text if any(map(str.isupper, text.split()[0][1:])) else text[0].lower() + text[1:]


def found(readings: Readings, *places: str) -> Iterator[str]:
    """What was found about some figures: each claim with its verdicts by reading."""
    for judged in zip(*readings.values(), strict=True):
        if judged[0].place not in places:
            continue
        verdicts: dict[str, list[str]] = {}
        for name, one in zip(readings, judged, strict=True):
            verdicts.setdefault(one.verdict, []).append(f"*{name}*")
        told = (
            strong(verdict) if len(verdicts) == 1 else f"{strong(verdict)} ({listed(names)})"
            for verdict, names in verdicts.items()
        )
        yield f"- {judged[0].place}: {judged[0].says}. Here: {'; '.join(told)}."


# The set-up


def cost(grids: Mapping[str, Sequence[Row]]) -> str:
    """How much was run."""
    runs = [row for rows in grids.values() for row in rows]
    minutes = sum(row["cpu_seconds"] for row in runs) / 60
    verified = sum(bool(row["verified"]) for row in runs)
    return (
        f"The grids have {len(runs):,} runs, and {verified:,} of their releases were verified. The releases took "
        f"{minutes:.1f} minutes of CPU time; repeated searches and making the data come on top."
    )


def set_up(averages: Sequence[Row], variants: Sequence[Row], drawn: Sequence[Row]) -> Iterator[str]:
    """What was chosen, beside what P1's tables tell."""
    rows = [one["rows"] for one in drawn if one["data"] == "D4"]
    inside = "within" if min(rows) <= PAPER_ROWS <= max(rows) else "outside"
    yield (
        f"- **D4.** The paper's has {PAPER_ROWS:,} rows. Ours have {min(rows):,} to {max(rows):,}, "
        f"{statistics.fmean(rows):,.0f} on average: the paper's figure is {inside} that range."
    )
    ends = KS[0], KS[-1]
    few, many = (implied("D1", "GraySort", k) for k in ends)
    yield (
        f"- **Sensitive rows.** The paper's values for GraySort on D1 mean that {few:.2f} items change in a group "
        f"at p = {ends[0]}, and {many:.2f} at p = {ends[1]} (this is I', see [below](#privacy-values-tables-1-to-4)). "
        "So a group has little more than one sensitive item."
    )
    at = {(row["data"], row["method"], row["k"]): row["modified_items"] for row in [*averages, *means(variants)]}
    names = {"as here": "D1", "shorter": "D1, shorter rows: T4.I2", "longer": "D1, longer rows: T12.I4"}
    told = (
        f"{listed(f'{at[name, QT, k]:.1f} ({how})' for how, name in names.items())} at k = {k}, where the paper "
        f"has {implied('D1', 'GSC', k):.1f}"
        for k in ends
    )
    yield f"- **Lengths of rows.** I' of GSC (QT) on D1 by the length of the rows: {'; '.join(told)}."


# Figures 3 to 7


def time(drawn: Sequence[Row]) -> str:
    """How many comparisons P1's STN saves as k grows."""
    sizes = [(row["sensitive rows"], row["rows"] - row["sensitive rows"]) for row in drawn if row["data"] == "D1"]
    few, many = (sum(s * others - (k - 1) * s * s / 2 for s, others in sizes) for k in (KS[0], KS[-1]))
    return (
        "The paper's reason for STN is that fewer rows are left to look at as k grows. It prints |ST| |QT| - (k - 1) "
        "|ST| / 2 comparisons (s.4.1), which hardly depends on k. Each seed takes k - 1 rows away, so the last |ST| "
        f"should be squared. Then STN compares {100 * (1 - many / few):.0f} % fewer rows at k = {KS[-1]} than at "
        f"k = {KS[0]} on our D1."
    )


def operations(results: Sequence[Row]) -> Iterator[str]:
    """Figs. 4 and 6: how many operations more or fewer one method needs than another."""
    rows = [(first, "STN") for first in ("GSC (QT)", "GSC (pool)", "GSC (all)", "K-NN (QT)", "K-NN (all)")]
    rows += [("K-NN (QT)", "GSC (QT)"), ("K-NN (all)", "GSC (all)")]
    rows += [("K-NN (QT), GSC order", other) for other in ("K-NN (QT)", "STN")]
    rows += [("K-NN (all), GSC order", other) for other in ("K-NN (all)", "K-NN (all), STN order")]
    yield f"| operations | than | {' | '.join(SETS)} |"
    yield f"|---|---|{'---|' * len(SETS)}"
    for first, second in rows:
        pairs = (compared(results, name, first, second) for name in SETS)
        yield f"| {first} | {second} | {' | '.join(change(one.low, one.high) for one in pairs)} |"


def skewed(averages: Sequence[Row], drawn: Sequence[Row]) -> str:
    """What GSC and STN do on D4."""
    at = {(row["data"], row["method"], row["k"]): row for row in averages}
    stn, gsc = at["D4", "STN", 10], at["D4", QT, 10]
    bare = statistics.fmean(one["bare"] for one in drawn if one["data"] == "D4")
    return (
        f"{bare:.0f} % of the sensitive rows of D4 hold no QID item. To these all rows with one item are equally near. "
        "STN and K-NN take whichever comes first: rows with different items, which are then deleted. GSC takes "
        "neighbours in the Gray order. These are alike, so their common items are added to the sensitive row instead. "
        f"At k = 10 GSC (QT) deletes {gsc['qid_deletions']:,.0f} QID items and adds {gsc['qid_additions']:,.0f}. "
        f"STN deletes {stn['qid_deletions']:,.0f} and adds {stn['qid_additions']:,.0f}."
    )


def divergence(averages: Sequence[Row], methods: Sequence[str]) -> str:
    """How often KL divergence and operations rank two methods alike."""
    at = {(row["data"], row["method"], row["k"]): row for row in averages}
    same = [
        (at[name, one, k]["operations"] < at[name, other, k]["operations"])
        == (at[name, one, k]["kl"] < at[name, other, k]["kl"])
        for name in SETS
        for k in KS
        for one, other in combinations(methods, 2)
    ]
    return f"It ranks two methods as their operations do in {sum(same):,} of {len(same):,} pairs of means."


# Tables 1 to 4


def model(averages: Sequence[Row]) -> Iterator[str]:
    """What P1's tables have against its own claims, and how near ours are."""
    wrong = [
        f"{method} is below {rival} on {name} at k = {listed(map(str, ks))}"
        for rival in RIVALS
        for name in SETS
        for method in THREE
        if (ks := [k for k in KS if PRINTED_VALUES[name, method, k] < PRINTED_VALUES[name, rival, k]])
    ]
    yield f"- **The paper's own tables have exceptions to its claim about the rivals**: {'; '.join(wrong)}."
    at = {(row["data"], row["method"], row["k"]): row for row in averages}
    near = [at[n, "GraySort", k]["privacy_value"] / PRINTED_VALUES[n, "GraySort", k] for n in SYNTHETIC for k in KS]
    yield (
        f"- **How near are the numbers?** GraySort has {min(near):.2f} to {max(near):.2f} times the published values "
        f"on D1 to D3. STN at k = {KS[0]} on D1 has {at['D1', 'STN', KS[0]]['privacy_value']:.2E} where the paper "
        f"prints {PRINTED_VALUES['D1', 'STN', KS[0]]:.2E}. Of our values for STN, GSC and K-NN, {_lower_ones(at)}. A "
        "privacy value is exponential in I': one more changed item in a group doubles it."
    )
    changed = (statistics.fmean(at[name, "Sort APX Cover", k]["modified_items"] for k in KS) for name in SETS)
    few = listed(f"{mean:.2f} on {name}" for mean, name in zip(changed, SETS, strict=True))
    yield (
        f"- **Sort APX Cover**: so many items change in a group on average: {few}. Groups of equal rows need no "
        "change, and they count. The paper may have counted only groups with sensitive rows; it does not say so."
    )


def _lower_ones(at: Mapping[tuple[str, str, int], Row]) -> str:
    """How many of our entries are below the published ones, for the least and the largest k."""
    methods = {"STN": ("STN",), "GSC": (QT, "GSC (all)"), "K-NN": ("K-NN (QT)", "K-NN (all)")}
    told = []
    for k in (KS[0], KS[-1]):
        lower = [
            at[name, ours, k]["privacy_value"] < PRINTED_VALUES[name, printed, k]
            for name in SETS
            for printed, some in methods.items()
            for ours in some
        ]
        told.append(f"{sum(lower)} of {len(lower)} are lower than the paper's at k = {k}")
    return listed(told)


def doubtful(averages: Sequence[Row]) -> Iterator[str]:
    """What in P1's tables cannot be right, or does not fit its text."""
    k = 10
    at = {(row["data"], row["method"], row["k"]): row["modified_items"] for row in averages}
    yield (
        "- **STN and K-NN, as s.4 has them, differ only in which sensitive row comes next.** Yet Table 1 implies I' = "
        f"{implied('D1', 'STN', k):.1f} for STN and {implied('D1', 'K-NN', k):.1f} for K-NN at k = {k}. Ours are "
        f"{at['D1', 'STN', k]:.1f} for STN, {at['D1', 'K-NN (QT)', k]:.1f} for K-NN from QT and "
        f"{at['D1', 'K-NN (all)', k]:.1f} for K-NN from all. So the paper's K-NN may not have been what its "
        "s.4.3 says. Also, Figs. 6 and 7 find that the order hardly matters, and STN's order is one of the three; but "
        "Figs. 4 and 5 have STN behind K-NN."
    )
    falls = [
        f"{method} from k = {one} to {other} on {name}"
        for name in SETS
        for method, values in PUBLISHED[name].items()
        for (one, a), (other, b) in pairwise(zip(KS, values, strict=True))
        if b < a
    ]
    yield f"- **Some published values fall as k grows**: {'; '.join(falls)}."


def bound(drawn: Sequence[Row]) -> str:
    """Where P1's values are above what is possible on our samples."""
    here = [row for row in drawn if row["data"] in REAL]
    sizes = [row["mean size"] for row in here]
    beyond = [
        k
        for k in KS
        if min(implied("D4", method, k) for method in THREE) > max(min(row["most"][k], ITEMS["D4"]) for row in here)
    ]
    told = f"At k = {listed(map(str, beyond))} all three published values are" if beyond else "At no k all three are"
    return (
        f"{told} above what is possible on any of our {len(here)} samples, whose rows have {min(sizes):.1f} to "
        f"{max(sizes):.1f} items on average. With far fewer sensitive rows the limit would be higher. The paper does "
        "not tell how many its D4 has."
    )


def pairs(results: Sequence[Row]) -> str:
    """How many pairs there are."""
    seeds = {row["seed"] for row in results if row["data"] == "D1"}
    total = compared(results, "D1", QT, "STN").total
    return f"Each data set has {total} pairs of runs on the same rows: {len(seeds)} seeds times {len(KS)} values of k."


# Other settings


def variants(results: Sequence[Row]) -> Iterator[str]:
    """In how many settings one method needs fewer operations than another one, on average at every k."""
    names = list(dict.fromkeys(row["data"] for row in results))

    def fewer(first: str, second: str) -> str:
        good = [name for name in names if compared(results, name, first, second).high < 0]
        return f"{len(good)} of {len(names)} settings"

    rows = {
        "GSC needs fewer than STN": ("GSC ({})", "STN"),
        "K-NN needs fewer than STN": ("K-NN ({})", "STN"),
        "K-NN needs fewer than GSC": ("K-NN ({})", "GSC ({})"),
        "K-NN needs fewer in GSC's order than in the random one": ("K-NN ({}), GSC order", "K-NN ({})"),
    }
    yield "| operations, means at every k: true in | from QT | from all |"
    yield "|---|---|---|"
    for says, (first, second) in rows.items():
        cells = (fewer(first.format(some), second.format(some)) for some in ("QT", "all"))
        yield f"| {says} | {' | '.join(cells)} |"


def shortages(results: Sequence[Row], drawn: Sequence[Row]) -> str:
    """What P1's rule for a shortage costs."""
    found = []
    for name in dict.fromkeys(row["data"] for row in results if row["method"] == "STN, merge"):
        for k in short_at(results, [row for row in drawn if row["data"] == name]):
            here = [row for row in results if (row["data"], row["k"]) == (name, k)]
            found.append(compared(here, name, "STN, merge", "STN"))
    more = sum(one.low > 0 for one in found)
    ends = change(min(one.low for one in found), max(one.high for one in found))
    return (
        f"Merging makes fewer and larger groups. It needs more operations in {more} of {len(found)} settings ({ends}), "
        "so filling up is the default. On the example of s.4.1 both give the groups that the paper prints."
    )


def whole(grids: Mapping[str, Sequence[Row]]) -> str:
    """Whether taking from all rows needs fewer operations than taking from QT, on all data of the page."""
    keys = ("data", "records", "k", "seed", "method")
    at = {(grid, *(row[key] for key in keys)): row["operations"] for grid, rows in grids.items() for row in rows}
    told = []
    for method in ("GSC", "K-NN"):
        both = [
            (value, at[*place, name.replace("(all)", "(QT)")])
            for (*place, name), value in at.items()
            if name.startswith(f"{method} (all)")
        ]
        told.append(f"in {sum(a < b for a, b in both):,} of {len(both):,} pairs of runs for {method}")
    return (
        "A method that takes from all rows needs fewer operations than the same method that takes from QT "
        f"{listed(told)}, on all data of this page."
    )


# Growth


def growth(results: Sequence[Row]) -> Iterator[str]:
    """Time and operations beside STN's on large data, and where rows get scarce."""
    at = {(row["data"], row["records"], row["k"], row["method"]): row for row in results}
    names = ("STN", *GSC, *KNN)

    def times(method: str) -> str:
        shares = [
            row["operations"] / at[*place, "STN"]["operations"]
            for (*place, name), row in at.items()
            if name == method and row["k"] == K
        ]
        low, high = f"{min(shares):.2f}", f"{max(shares):.2f}"
        return low if low == high else f"{low} to {high}"

    largest = max(row["records"] for row in over_rows(results))
    yield f"| k = {K} | CPU time, {largest:,} rows | operations, times STN's, all sets |"
    yield "|---|---:|---:|"
    for name in names:
        yield f"| {name} | {at[BASE, largest, K, name]['cpu_seconds']:.1f} s | {times(name)} |"
    groups = {(row["data"], row["k"]): row["groups"] for row in results if row["method"] == "STN"}
    scarce = [f"k = {k}, {name}" for (name, k), some in groups.items() if k != K and some < groups[name, K]]
    if scarce:
        yield ""
        yield f"Where there are too few other rows, groups hold several sensitive rows ({listed(scarce)})."
