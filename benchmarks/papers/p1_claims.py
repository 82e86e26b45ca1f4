"""What P1 claims, told from the rows: pairs of methods on the same data, steps of k, cells of its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise

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


@dataclass(frozen=True)
class Part:
    """In how many cells of one data set a claim is true."""

    name: str
    true: int
    total: int

    @property
    def holds(self) -> bool | None:
        """In at least three quarters of them; false: in at most one quarter; none: in between."""
        return True if 4 * self.true >= 3 * self.total else False if 4 * self.true <= self.total else None


@dataclass(frozen=True)
class Judged:
    """Something that the paper says, and where it is true here."""

    place: str
    says: str
    parts: Sequence[Part]
    seen: str

    @property
    def verdict(self) -> str:
        """The words of the page. A set of data with several parts has its worst one."""
        sets = {part.name: [one.holds for one in self.parts if one.name == part.name] for part in self.parts}
        good = [name for name, found in sets.items() if all(found)]
        if len(good) == len(sets):
            return "holds"
        if good:
            return f"depends on the data: holds on {', '.join(good)}"
        failed = sum(False in found for found in sets.values())
        return "does not hold" if 2 * failed > len(sets) else "depends on seed and k"


def claims(results: Sequence[Row], averages: Sequence[Row]) -> list[Judged]:
    """All of them, for one reading of the methods."""
    at = {(row["data"], row["method"], row["k"]): row for row in averages}

    def less(place: str, says: str, measure: str, first: str, others: Iterable[str], sets: Iterable[str]) -> Judged:
        parts, seen = [], []
        for other in others:
            pairs = {name: compared(results, name, first, other, measure) for name in sets}
            parts += [Part(name, one.less, one.total) for name, one in pairs.items()]
            seen.append(f"than {other}: {', '.join(f'{name} {one.less}' for name, one in pairs.items())}")
        return Judged(place, says, parts, f"{'; '.join(seen)} of {parts[0].total}")

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


def table(readings: Mapping[str, Sequence[Judged]]) -> Iterator[str]:
    """What was claimed, and the verdicts for each reading."""
    yield f"| where | the paper says | {' | '.join(readings)} |"
    yield f"|---|---|{'---|' * len(readings)}"
    for judged in zip(*readings.values(), strict=True):
        cells = [f"{_words(one.verdict)}<br>{one.seen}" for one in judged]
        shown = [cell if at == 0 or cell != cells[at - 1] else "the same" for at, cell in enumerate(cells)]
        yield f"| {judged[0].place} | {judged[0].says} | {' | '.join(shown)} |"


def _words(verdict: str) -> str:
    return verdict if verdict == "holds" else f"**{verdict}**"


def _fastest(at: Cells) -> Judged:
    """Cells in which each of the three is the fastest."""
    best = {name: [min(THREE, key=lambda one: at[name, one, k]["ms"]) for k in KS] for name in SETS}
    parts = [Part(name, found.count("K-NN"), len(KS)) for name, found in best.items()]
    every = [method for found in best.values() for method in found]
    seen = ", ".join(f"{method} {every.count(method)}" for method in THREE)
    return Judged("Fig. 3", "K-NN has the shortest running time", parts, f"least CPU time: {seen} of {len(every)}")


def _falls(at: Cells) -> Judged:
    """STN from the least to the largest k."""
    ends = {name: [at[name, "STN", k]["ms"] for k in (KS[0], KS[-1])] for name in SETS}
    seen = ", ".join(f"{name} {first:.0f} to {last:.0f} ms" for name, (first, last) in ends.items())
    parts = [Part(name, int(last < first), 1) for name, (first, last) in ends.items()]
    return Judged("Fig. 3", "STN's running time falls as k grows", parts, f"k = {KS[0]} to {KS[-1]}: {seen}")


def _grows(at: Cells) -> Judged:
    """Each step of each of the three."""
    parts = []
    for name in SETS:
        curves = [[at[name, method, k]["operations"] for k in KS] for method in THREE]
        steps = [a < b for curve in curves for a, b in pairwise(curve)]
        parts.append(Part(name, sum(steps), len(steps)))
    seen = f"{sum(part.true for part in parts)} of {sum(part.total for part in parts)} steps"
    return Judged("Fig. 4", "Operations grow with k, for all", parts, seen)


def _little(results: Sequence[Row]) -> Judged:
    """The means of each two of the orders."""
    orders = ("K-NN", GSC_ORDER, "K-NN, STN order")
    parts, most = [], 0.0
    for name in SETS:
        found = [
            compared(results, name, order, other, measure)
            for order, other in combinations(orders, 2)
            for measure in ("operations", "kl")
        ]
        ends = [abs(end) for one in found for end in (one.low, one.high)]
        parts.append(Part(name, int(max(ends) <= LITTLE), 1))
        most = max(most, *ends)
    seen = f"means differ by at most {most:.1f} % (we call up to {LITTLE:g} % little)"
    return Judged("Figs. 6, 7", "The orders differ by little", parts, seen)


def _privacy(at: Cells) -> Iterator[Judged]:
    """Cells of the tables, ours and those that were printed."""

    def claim(says: str, tests: Sequence[tuple[Callable[[Mapping[str, float]], bool], Sequence[str]]]) -> Judged:
        sides = []
        for value in (lambda n, m, k: at[n, m, k]["privacy_value"], published):
            cells: dict[str, list[bool]] = {}
            for test, sets in tests:
                for n in sets:
                    cells.setdefault(n, []).extend(test({m: value(n, m, k) for m in PRINTED}) for k in KS)
            sides.append([Part(n, sum(found), len(found)) for n, found in cells.items()])
        ours, printed = (sum(part.true for part in side) for side in sides)
        total = sum(part.total for part in sides[0])
        return Judged("Tables 1-4", says, sides[0], f"{ours} of {total} here; {printed} in the paper's own tables")

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
    """All pairs that the claims are about in any reading, on every data set."""
    yield f"| first < second | {' | '.join(SETS)} |"
    yield f"|---|{'---|' * len(SETS)}"
    knn, gsc = ("K-NN (QT)", "K-NN (all)"), ("GSC (QT)", "GSC (pool)", "GSC (all)")
    rivals = [(knn[0], one) for one in gsc] + [(knn[1], gsc[2])]
    orders = [(f"{knn[0]}, GSC order", knn[0]), (f"{knn[0]}, GSC order", "STN")]
    orders += [(f"{knn[1]}, GSC order", other) for other in (knn[1], f"{knn[1]}, STN order")]
    for measure, title in (("ms", "time"), ("operations", "operations"), ("kl", "KL")):
        for first, second in [*((one, "STN") for one in (*gsc, *knn)), *rivals, *(orders if measure != "ms" else [])]:
            cells = (str(compared(results, name, first, second, measure)) for name in SETS)
            yield f"| {title}: {first} < {second} | {' | '.join(cells)} |"


def privacy_counts(readings: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """For how many k each statement about privacy values is true, in P1's own tables and here."""
    yield f"| of {len(KS)} k: published / {' / '.join(readings)} | {' | '.join(SETS)} |"
    yield f"|---|{'---|' * len(SETS)}"
    tests: list[tuple[str, Callable[[Mapping[str, float]], bool]]] = [
        *((f"{method} above {rival}", partial(_above, method, rival)) for rival in RIVALS for method in THREE),
        *((f"{method} highest of all", partial(_extreme, max, method)) for method in THREE),
        *((f"{method} lowest of all", partial(_extreme, min, method)) for method in RIVALS),
    ]
    ours = [
        {(row["data"], row["method"], row["k"]): row["privacy_value"] for row in averages}
        for averages in readings.values()
    ]
    for title, holds in tests:
        cells = []
        for name in SETS:
            counts = [sum(holds({m: published(name, m, k) for m in PRINTED}) for k in KS)]
            counts += [sum(holds({m: one[name, m, k] for m in PRINTED}) for k in KS) for one in ours]
            cells.append(" / ".join(map(str, counts)))
        yield f"| {title} | {' | '.join(cells)} |"
