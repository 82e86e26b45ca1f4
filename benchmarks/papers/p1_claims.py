"""What P1 claims, told from the rows: pairs of methods on the same data, steps of k, cells of its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise

from benchmarks.papers.common import Claim
from benchmarks.papers.p1_published import KS, published
from benchmarks.papers.p1_published import METHODS as PRINTED
from shoal.evaluation.results import Row

THREE, RIVALS = ("STN", "GSC", "K-NN"), ("Sort APX Cover", "GraySort")
SYNTHETIC, REAL, SETS = ("D1", "D2", "D3"), ("D4",), ("D1", "D2", "D3", "D4")
LITTLE = 10.0  # percent: a difference that is "not very significant"
GSC_ORDER = "K-NN, GSC order"
Cells = Mapping[tuple[str, str, int], Row]  # by data, method, k


@dataclass(frozen=True)
class Pairs:
    """In how many of the runs and k the first has less than the second, and by how many percent the means differ."""

    less: int
    same: int
    total: int
    low: float
    high: float

    @property
    def mostly(self) -> bool:
        """In more than half of them."""
        return 2 * self.less > self.total

    def __str__(self) -> str:
        same = f", same in {self.same}" if self.same else ""
        return f"{self.less} of {self.total}{same} ({self.low:+.1f} to {self.high:+.1f} %)"


def compared(results: Sequence[Row], name: str, first: str, second: str, measure: str) -> Pairs:
    """Two methods on the same rows."""
    at = {(row["method"], row["k"], row["seed"]): row[measure] for row in results if row["data"] == name}
    both = {(k, seed): (value, at[second, k, seed]) for (method, k, seed), value in at.items() if method == first}
    sums = {k: [sum(side) for side in zip(*(v for (j, _), v in both.items() if j == k), strict=True)] for k, _ in both}
    shares = [100 * (a / b - 1) for a, b in sums.values()]
    less, same = sum(a < b for a, b in both.values()), sum(a == b for a, b in both.values())
    return Pairs(less, same, len(both), min(shares), max(shares))


def claims(results: Sequence[Row], averages: Sequence[Row]) -> list[Claim]:
    """All of them. That a method needs less than another holds if it does in most pairs on each of the sets meant."""
    at = {(row["data"], row["method"], row["k"]): row for row in averages}

    def less(place: str, says: str, measure: str, first: str, others: Iterable[str], sets: Iterable[str]) -> Claim:
        comparisons = {other: {n: compared(results, n, first, other, measure) for n in sets} for other in others}
        every = [one for by_set in comparisons.values() for one in by_set.values()]
        seen = (
            f"than {other}: {', '.join(f'{n} {one.less}' for n, one in by.items())}"
            for other, by in comparisons.items()
        )
        return Claim(
            place, says, all(one.mostly for one in every), f"of {every[0].total} pairs, less {'; '.join(seen)}"
        )

    return [
        _fastest(at),
        _falls(at),
        less("Fig. 4", "GSC needs fewer operations than STN", "operations", "GSC", ["STN"], SETS),
        less("Fig. 4", "K-NN needs fewer operations than STN", "operations", "K-NN", ["STN"], SETS),
        less("Fig. 4", "K-NN needs fewer than GSC on synthetic data", "operations", "K-NN", ["GSC"], SYNTHETIC),
        less("Fig. 4", "GSC needs the fewest on BMS-WebView-1", "operations", "GSC", ["STN", "K-NN"], REAL),
        _grows(at),
        less("Fig. 5", "GSC has less KL divergence than STN", "kl", "GSC", ["STN"], SETS),
        less("Fig. 5", "K-NN has less KL divergence than STN", "kl", "K-NN", ["STN"], SETS),
        less("Fig. 5", "GSC has the least on BMS-WebView-1", "kl", "GSC", ["STN", "K-NN"], REAL),
        less(
            "Fig. 6",
            "Of the three orders for K-NN, GSC's needs the fewest operations",
            "operations",
            GSC_ORDER,
            ["K-NN", "K-NN, STN order"],
            SETS,
        ),
        less("Fig. 7", "It has the least KL divergence", "kl", GSC_ORDER, ["K-NN", "K-NN, STN order"], SETS),
        _little(results),
        *_privacy(at),
    ]


def _fastest(at: Cells) -> Claim:
    """Cells in which each of the three is the fastest."""
    best = [min(THREE, key=lambda one: at[name, one, k]["ms"]) for name in SETS for k in KS]
    seen = ", ".join(f"{method} in {best.count(method)}" for method in THREE)
    summary = f"of {len(best)} cells (data and k), the least CPU time has {seen}"
    return Claim("Fig. 3", "K-NN has the shortest running time", best.count("K-NN") == len(best), summary)


def _falls(at: Cells) -> Claim:
    """STN from the least to the largest k."""
    ends = {name: [at[name, "STN", k]["ms"] for k in (KS[0], KS[-1])] for name in SETS}
    seen = ", ".join(f"{name} {first:.0f} to {last:.0f} ms" for name, (first, last) in ends.items())
    falls = all(last < first for first, last in ends.values())
    return Claim("Fig. 3", "STN's running time falls as k grows", falls, f"from k = {KS[0]} to {KS[-1]}: {seen}")


def _grows(at: Cells) -> Claim:
    """Each step of each of the three."""
    steps = [
        at[name, method, a]["operations"] < at[name, method, b]["operations"]
        for name in SETS
        for method in THREE
        for a, b in pairwise(KS)
    ]
    return Claim("Fig. 4", "Operations grow with k, for all", all(steps), f"in {sum(steps)} of {len(steps)} steps")


def _little(results: Sequence[Row]) -> Claim:
    """The means of each two of the orders."""
    orders = ("K-NN", GSC_ORDER, "K-NN, STN order")
    ends = [
        abs(end)
        for name in SETS
        for order, other in combinations(orders, 2)
        for measure in ("operations", "kl")
        for one in [compared(results, name, order, other, measure)]
        for end in (one.low, one.high)
    ]
    seen = f"means differ by at most {max(ends):.1f} % (we call up to {LITTLE:g} % little)"
    return Claim("Figs. 6, 7", "The orders differ by little", max(ends) <= LITTLE, seen)


def _privacy(at: Cells) -> Iterator[Claim]:
    """Cells of the tables, ours and those that were printed."""

    def claim(says: str, tests: Sequence[tuple[Callable[[Mapping[str, float]], bool], Sequence[str]]]) -> Claim:
        sides = []
        for value in (lambda n, m, k: at[n, m, k]["privacy_value"], published):
            sides.append([test({m: value(n, m, k) for m in PRINTED}) for test, sets in tests for n in sets for k in KS])
        ours, printed = sides
        seen = f"{sum(ours)} of {len(ours)} here; {sum(printed)} in the paper's own tables"
        return Claim("Tables 1-4", says, all(ours), seen)

    for rival in RIVALS:
        tests = [(partial(_above, method, rival), SETS) for method in THREE]
        yield claim(f"STN, GSC and K-NN have higher privacy values than {rival}", tests)
    yield claim("STN has the highest privacy value", [(partial(_extreme, max, "STN"), SETS)])
    yield claim("GraySort has the lowest", [(partial(_extreme, min, "GraySort"), SETS)])
    best = [(partial(_extreme, max, "STN"), SYNTHETIC), (partial(_extreme, max, "K-NN"), REAL)]
    yield claim("(Conclusion) STN has the highest on synthetic data, K-NN on real ones", best)


def _above(first: str, second: str, at: Mapping[str, float]) -> bool:
    return at[first] > at[second]


def _extreme(which: Callable[[Iterable[float]], float], method: str, at: Mapping[str, float]) -> bool:
    return at[method] == which(at.values())


def pairs(results: Sequence[Row]) -> Iterator[str]:
    """All pairs that the claims are about, on every data set."""
    yield f"| first < second | {' | '.join(SETS)} |"
    yield f"|---|{'---|' * len(SETS)}"
    for measure, title in (("ms", "time"), ("operations", "operations"), ("kl", "KL")):
        for first, second in (
            *(() if measure == "ms" else (("GSC", "STN"),)),
            ("K-NN", "STN"),
            ("K-NN", "GSC"),
            *(() if measure == "ms" else ((GSC_ORDER, "K-NN"), (GSC_ORDER, "K-NN, STN order"))),
        ):
            cells = (str(compared(results, name, first, second, measure)) for name in SETS)
            yield f"| {title}: {first} < {second} | {' | '.join(cells)} |"


def privacy_counts(averages: Sequence[Row]) -> Iterator[str]:
    """For how many k each statement about privacy values is true, in P1's own tables and here."""
    yield f"| of {len(KS)} k: published / ours | {' | '.join(SETS)} |"
    yield f"|---|{'---|' * len(SETS)}"
    tests: list[tuple[str, Callable[[Mapping[str, float]], bool]]] = [
        *((f"{method} above {rival}", partial(_above, method, rival)) for rival in RIVALS for method in THREE),
        *((f"{method} highest of all", partial(_extreme, max, method)) for method in THREE),
        *((f"{method} lowest of all", partial(_extreme, min, method)) for method in RIVALS),
    ]
    ours = {(row["data"], row["method"], row["k"]): row["privacy_value"] for row in averages}
    for title, holds in tests:
        cells = []
        for name in SETS:
            printed = sum(holds({m: published(name, m, k) for m in PRINTED}) for k in KS)
            cells.append(f"{printed} / {sum(holds({m: ours[name, m, k] for m in PRINTED}) for k in KS)}")
        yield f"| {title} | {' | '.join(cells)} |"
