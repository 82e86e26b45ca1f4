"""What P1 claims, tried in our rows under one reading of its methods. Every run of a data set, seed and k is a cell.

A method needs fewer operations than another one if it does so on the same rows. Equal figures are not fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from benchmarks.papers.p1_published import KS, published
from benchmarks.papers.p1_published import METHODS as PRINTED
from benchmarks.papers.p1_readings import compared, means
from benchmarks.papers.verdict import LITTLE, SIMILAR, Cell, Claim
from shoal.evaluation.results import Row

THREE, RIVALS = ("STN", "GSC", "K-NN"), ("Sort APX Cover", "GraySort")
SYNTHETIC, REAL, SETS = ("D1", "D2", "D3"), ("D4",), ("D1", "D2", "D3", "D4")
GSC_ORDER = "K-NN, GSC order"
ORDERS = ("K-NN", GSC_ORDER, "K-NN, STN order")
Place = tuple[str, int, int]  # data, seed, k
Runs = Mapping[Place, Mapping[str, Row]]  # by place, then by method
Values = Mapping[str, float]  # by method
Judge = Callable[[Values], bool]
Tables = Mapping[tuple[str, str, int], float]  # privacy values by data set, method and k


def claims(results: Sequence[Row]) -> list[Claim]:
    """All of them, in the order of the paper."""
    at, tables = placed(results), table_values(results)
    model = [*_privacy(at, tables), *_conclusion(at, tables)]
    return [*_time(at), *_operations(at), *_divergence(at), *_orders(at), *model]


def placed(results: Sequence[Row]) -> Runs:
    """The runs by data set, seed and k."""
    at: dict[Place, dict[str, Row]] = {}
    for row in results:
        at.setdefault((row["data"], row["seed"], row["k"]), {})[row["method"]] = row
    return at


def below(first: str, others: Iterable[str], values: Values) -> bool:
    """Whether the first is below each of the others.

    >>> below("GSC", ["STN", "K-NN"], {"STN": 3, "GSC": 2, "K-NN": 2})
    False
    """
    return all(values[first] < values[other] for other in others)


def above(first: str, others: Iterable[str], values: Values) -> bool:
    """Whether the first is above each of the others."""
    return all(values[first] > values[other] for other in others)


def _cells(at: Runs, measure: str, true: Judge, sets: Sequence[str] = SETS, **where: object) -> tuple[Cell, ...]:
    """A cell for every run, by the values that the methods have there."""
    return tuple(
        Cell(true({method: row[measure] for method, row in rows.items()}), {**_where(name, seed), "k": k, **where})
        for (name, seed, k), rows in at.items()
        if name in sets
    )


def _where(name: str, seed: int) -> dict[str, object]:
    """The setting of a run. Equal seeds of two data sets have nothing in common."""
    return {"data": name, "seed": f"{name}/{seed}"}


def _by_data(cells: Iterable[Cell]) -> str:
    """In how many cells of each data set it is true.

    >>> _by_data([Cell(True, {"data": "D1"}), Cell(False, {"data": "D1"}), Cell(True, {"data": "D2"})])
    'D1 1 of 2, D2 1 of 1'
    """
    found: dict[object, list[bool]] = {}
    for cell in cells:
        found.setdefault(cell.where["data"], []).append(cell.true)
    return ", ".join(f"{name} {sum(true)} of {len(true)}" for name, true in found.items())


def _less(
    place: str, says: str, at: Runs, measure: str, first: str, others: Sequence[str], sets: Sequence[str] = SETS
) -> Claim:
    """One method is below others."""
    cells = _cells(at, measure, partial(below, first, others), sets)
    return Claim(place, says, cells, _by_data(cells))


def _time(at: Runs) -> Iterator[Claim]:
    cells = _cells(at, "ms", partial(below, "K-NN", ["STN", "GSC"]))
    best = [min(THREE, key=lambda one: rows[one]["ms"]) for rows in at.values()]
    seen = ", ".join(f"{method} {best.count(method)}" for method in THREE)
    yield Claim("Fig. 3", "K-NN has the shortest running time", cells, f"least CPU time: {seen} of {len(best)}")
    runs = dict.fromkeys((name, seed) for name, seed, _ in at)
    ends = {run: [at[*run, k]["STN"]["ms"] for k in (KS[0], KS[-1])] for run in runs}
    steps = tuple(Cell(last < first, _where(*run)) for run, (first, last) in ends.items())
    sums = {
        name: [sum(end) for end in zip(*(e for r, e in ends.items() if r[0] == name), strict=True)] for name in SETS
    }
    seen = ", ".join(f"{name} {last / first:.2f} times" for name, (first, last) in sums.items())
    yield Claim("Fig. 3", "STN's running time is reduced as k increases", steps, f"k = {KS[0]} to {KS[-1]}: {seen}")


def _operations(at: Runs) -> Iterator[Claim]:
    less = partial(_less, "Fig. 4", at=at, measure="operations")
    yield less("GSC requires fewer operations than STN", first="GSC", others=["STN"])
    yield less("K-NN requires fewer operations than STN", first="K-NN", others=["STN"])
    alike = _cells(at, "operations", partial(_alike, ("GSC", "K-NN"), SIMILAR))
    yield Claim("Fig. 4", "GSC and K-NN have similar performance", alike, _by_data(alike))
    yield less("K-NN outperforms GSC on synthetic data", first="K-NN", others=["GSC"], sets=SYNTHETIC)
    yield less("GSC performs better on BMS-WebView-1 (operations)", first="GSC", others=["STN", "K-NN"], sets=REAL)
    steps = tuple(
        Cell(rows[method]["operations"] > at[name, seed, before][method]["operations"], {**where, "k": k})
        for before, k in pairwise(KS)
        for (name, seed, at_k), rows in at.items()
        if at_k == k
        for method in THREE
        for where in [{**_where(name, seed), "method": method}]
    )
    yield Claim(
        "Fig. 4", "When k increases, operations increase for all algorithms", steps, "steps from one k to the next"
    )


def _alike(methods: Sequence[str], most: float, values: Values) -> bool:
    """Whether the largest of some is at most so many times the least.

    >>> _alike(("GSC", "STN"), 1.25, {"GSC": 4, "STN": 5, "K-NN": 9})
    True
    """
    some = [values[method] for method in methods]
    return max(some) <= most * min(some)


def _divergence(at: Runs) -> Iterator[Claim]:
    less = partial(_less, "Fig. 5", at=at, measure="kl")
    yield less("GSC has less information loss (KL) than STN", first="GSC", others=["STN"])
    yield less("K-NN has less information loss (KL) than STN", first="K-NN", others=["STN"])
    yield less(
        "GSC has the least information loss (KL) on BMS-WebView-1", first="GSC", others=["STN", "K-NN"], sets=REAL
    )


def _orders(at: Runs) -> Iterator[Claim]:
    others = [order for order in ORDERS if order != GSC_ORDER]
    says = "K-NN in GSC's order requires the fewest operations of the three orders, for all data sets"
    yield _less("Fig. 6", says, at, "operations", GSC_ORDER, others)
    yield _less(
        "Fig. 7",
        "K-NN in GSC's order has the least information loss (KL) of the three orders",
        at,
        "kl",
        GSC_ORDER,
        others,
    )
    both = [_cells(at, measure, partial(_alike, ORDERS, 1 + LITTLE)) for measure in ("operations", "kl")]
    cells = tuple(Cell(one.true and other.true, one.where) for one, other in zip(*both, strict=True))
    yield Claim("Figs. 6, 7", "The differences between the orders are not very significant", cells, _by_data(cells))


def _privacy(at: Runs, ours: Tables) -> Iterator[Claim]:
    """Tables 1 to 4, run by run; beside it how often the tables themselves agree, ours (means) and P1's."""
    for rival in RIVALS:
        tests = {method: partial(above, method, [rival]) for method in THREE}
        yield _tabled(
            at, ours, f"STN, GSC and K-NN have higher privacy values than {rival}", dict.fromkeys(SETS, tests)
        )
    highest, lowest = {"STN": highest_of("STN")}, {"GraySort": lowest_of("GraySort")}
    yield _tabled(at, ours, "STN has the highest privacy value", dict.fromkeys(SETS, highest))
    yield _tabled(at, ours, "GraySort has the lowest privacy values", dict.fromkeys(SETS, lowest))


def highest_of(method: str) -> Judge:
    """Whether a method is above all others of the tables."""
    return partial(above, method, [one for one in PRINTED if one != method])


def lowest_of(method: str) -> Judge:
    """Whether a method is below all others of the tables."""
    return partial(below, method, [one for one in PRINTED if one != method])


def _tabled(
    at: Runs, ours: Tables, says: str, tests: Mapping[str, Mapping[str, Judge]], place: str = "Tables 1-4"
) -> Claim:
    """A claim about privacy values: by data set, what must be true of which method."""
    cells = [
        cell
        for name, judges in tests.items()
        for method, true in judges.items()
        for cell in _cells(at, "privacy_value", true, [name], method=method)
    ]
    sides = [
        [true({m: value[name, m, k] for m in PRINTED}) for name in tests for true in tests[name].values() for k in KS]
        for value in (ours, PRINTED_VALUES)
    ]
    seen = f"of {len(sides[0])} entries, {sum(sides[0])} in our tables and {sum(sides[1])} in the paper's own"
    return Claim(place, says, tuple(cells), seen)


def table_values(results: Sequence[Row]) -> Tables:
    """What stands in our tables: means over the runs, by data set, method and k."""
    return {(row["data"], row["method"], row["k"]): row["privacy_value"] for row in means(results)}


PRINTED_VALUES = {(name, method, k): published(name, method, k) for name in SETS for method in PRINTED for k in KS}


def _conclusion(at: Runs, ours: Tables) -> Iterator[Claim]:
    best = {name: {one: highest_of(one)} for name in SETS for one in ["K-NN" if name in REAL else "STN"]}
    says = "STN shows higher privacy values on artificial data, K-NN on real-world data"
    yield _tabled(at, ours, says, best, "s.6")
    says = "K-NN in GSC's order overall outperforms the three (operations)"
    yield _less("s.6", says, at, "operations", GSC_ORDER, THREE)
    yield _reused(at)


def _reused(at: Runs) -> Claim:
    """Our times include making the codes. If GSC is the fastest even so, the claim holds; if not, nobody knows."""
    cells = _cells(at, "ms", partial(below, "GSC", ["STN", "K-NN"]))
    seen = f"least CPU time even with making the codes: {_by_data(cells)}"
    one = Claim("s.6", "If the Gray codes can be reused, GSC requires less running time", cells, seen)
    return one if one.verdict == "holds" else replace(one, cells=())


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
    """For how many k each statement about privacy values is true, in P1's own tables and in ours."""
    yield f"| of {len(KS)} k: published / {' / '.join(readings)} | {' | '.join(SETS)} |"
    yield f"|---|{'---|' * len(SETS)}"
    tests: list[tuple[str, Judge]] = [
        *((f"{method} above {rival}", partial(above, method, [rival])) for rival in RIVALS for method in THREE),
        *((f"{method} highest of all", highest_of(method)) for method in THREE),
        *((f"{method} lowest of all", lowest_of(method)) for method in RIVALS),
    ]
    sides = [PRINTED_VALUES, *(table_values(rows) for rows in readings.values())]
    for title, holds in tests:
        cells = (
            " / ".join(str(sum(holds({m: one[name, m, k] for m in PRINTED}) for k in KS)) for one in sides)
            for name in SETS
        )
        yield f"| {title} | {' | '.join(cells)} |"
    ranks = [
        " / ".join(str(sum(_ranked(one, name, k) == _ranked(sides[0], name, k) for k in KS)) for one in sides)
        for name in SETS
    ]
    yield f"| STN, GSC and K-NN in the published order | {' | '.join(ranks)} |"


def _ranked(values: Tables, name: str, k: int) -> list[str]:
    """The three methods by their privacy values."""
    return sorted(THREE, key=lambda method: values[name, method, k])
