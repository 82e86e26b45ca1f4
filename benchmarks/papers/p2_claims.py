"""What P2 says about its experiments (s.6), and the cells that each claim is tried in, for one reading at a time.

Fixed before measuring: a tendency over delta or k is tried step by step, a comparison at each delta, each by itself for
every method and seed. "The same UL" is at most 2 % more. What P2 calls low or useful without a number is not judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from benchmarks.papers import fits
from benchmarks.papers.p2_merges import DIVERSE, TINY
from benchmarks.papers.p2_rows import (
    RMERGE,
    TMERGE,
    Form,
    Rows,
    Test,
    by,
    ends,
    inner,
    least,
    means,
    middle,
    most,
    named,
    ordered,
    over_k,
    reached,
    short,
    steps,
)
from benchmarks.papers.verdict import SIMILAR, Cell, Claim
from shoal.evaluation.results import Row

SAME = 1.02  # "the same UL scores": at most so many times as much
FASTER = 10  # "at least 10 times more efficient"
COLUMNS, SETS, BOUNDED = "are_2_0", "are_0_2", "bounded_are_0_2"
OPEN = "The paper gives no number"


def claims(found: Mapping[str, Rows]) -> list[Claim]:
    """All of them, for the rows of one reading."""
    made = [
        *_over_delta(by(found["fig4"], RMERGE), by(found["fig4"], TMERGE)),
        *_compared(by(found["fig4"], RMERGE), by(found["fig4"], TMERGE)),
        *_diverse(found["fig5"]),
        *_sizes(by(found["fig4"], RMERGE), by(found["fig4"], TMERGE), by(found["fig5"], RMERGE)),
        *_times(found["fig7"]),
        *_distances(found["fig7"], found["exact"]),
        *_merges(found["merges"]),
    ]
    return [
        one if one.cells or one.seen.startswith("The paper ") else replace(one, seen="not measured") for one in made
    ]


def _moves(place: str, says: str, rows: Rows, what: str, sign: int, name: str) -> Claim:
    """A tendency over delta."""
    return Claim(place, says, tuple(steps(reached(rows), "delta", what, sign)), f"{name}: {ends(reached(rows), what)}")


def _order(place: str, says: str, rows: Rows, what: str, test: Test, name: str, form: Form = short) -> Claim:
    """A comparison of three methods at each delta."""
    seen = f"{name}: {middle(inner(rows), what, form=form)}"
    return Claim(place, says, tuple(ordered(inner(rows), "delta", what, test)), seen)


def _kept(place: str, says: str, rows: Rows) -> Claim:
    """NCP within the bound."""
    done = [row for row in rows if row["status"] == "ok"]
    cells = [
        Cell(row["relational_ncp"] <= row["delta"], {"data": named(row["data"]), "delta": row["delta"]}) for row in done
    ]
    spare = min((row["delta"] - row["relational_ncp"] for row in done), default=math.nan)
    return Claim(place, says, tuple(cells), f"delta - NCP is at least {spare:.1e}", always=True)


def _over_delta(rum: Rows, tum: Rows) -> Iterator[Claim]:
    """What happens as delta grows."""
    yield _kept("Fig. 4", "NCP is at most delta, in all tested cases", rum)
    says = "a small delta forces all algorithms to incur low information loss in the relational attributes"
    yield _moves("Fig. 4a, d", f"{says} (it rises with delta)", rum, COLUMNS, 1, "ARE (2,0)")
    says = "a large delta favors the transaction attribute (its loss falls with delta)"
    yield _moves("Fig. 4c, g", says, rum, SETS, -1, "ARE (0,2)")
    yield _moves(
        "Fig. 4c, g", "the same, by ARE with a bound of 1 % of the records", rum, BOUNDED, -1, "bounded ARE (0,2)"
    )
    yield _moves("Fig. 4c, g", "the same, by UL", rum, "ul", -1, "UL")
    both = ". ".join(f"ARE ({at[4:].replace('_', ',')}) {ends(reached(rum), at)}" for at in ("are_2_1", "are_2_2"))
    yield Claim("Fig. 4b, e, f", "data remain useful for queries involving both attribute types", (), f"{OPEN}. {both}")
    says = "Tum-bound: increasing delta, the bound for UL, favors relational data (their loss falls)"
    yield _moves("Fig. 4h", says, tum, COLUMNS, -1, "ARE (2,0)")
    seen = f"{OPEN}. UL {ends(reached(tum), 'ul')}"
    yield Claim("Fig. 4h", "Tum-bound: the information loss in the transaction attribute is low", (), seen)


def _compared(rum: Rows, tum: Rows) -> Iterator[Claim]:
    """RmR, RmT and RmRT beside each other, and the same of Tum-bound."""
    yield _order(
        "Fig. 4", "RmR incurred the lowest loss in the transaction attribute", rum, SETS, least("R"), "ARE (0,2)"
    )
    says = "the same, by ARE with a bound of 1 % of the records"
    yield _order("Fig. 4", says, rum, BOUNDED, least("R"), "bounded ARE (0,2)")
    yield _order("Fig. 4", "and the highest in the relational attributes", rum, COLUMNS, most("R"), "ARE (2,0)")
    says = "RmT had opposite trends: the highest loss in the transaction attribute"
    yield _order("Fig. 4", says, rum, SETS, most("T"), "ARE (0,2)")
    says = "the same, by ARE with a bound of 1 % of the records"
    yield _order("Fig. 4", says, rum, BOUNDED, most("T"), "bounded ARE (0,2)")
    yield _order("Fig. 4", "and the lowest in the relational attributes", rum, COLUMNS, least("T"), "ARE (2,0)")
    says = "RmRT allows more accurate query answering than RmR, in relational attributes"
    yield _order("Fig. 4", says, rum, COLUMNS, lambda at: at["RT"] < at["R"], "ARE (2,0)")
    yield _order(
        "Fig. 4", "and than RmT, in the transaction attribute", rum, SETS, lambda at: at["RT"] < at["T"], "ARE (0,2)"
    )
    says = "similar results from comparing TmT, TmR and TmRT: TmR loses least in the transaction attribute"
    yield _order("Fig. 4h", says, tum, SETS, least("R"), "ARE (0,2)")
    yield _order("Fig. 4h", "and most in the relational attributes", tum, COLUMNS, most("R"), "ARE (2,0)")
    yield _order("Fig. 4h", "TmT loses most in the transaction attribute", tum, SETS, most("T"), "ARE (0,2)")
    yield _order("Fig. 4h", "and least in the relational attributes", tum, COLUMNS, least("T"), "ARE (2,0)")


def _diverse(fig5: Rows) -> Iterator[Claim]:
    """(k, l^m)-diversity: "similar observations"."""
    rum, tum = by(fig5, RMERGE), by(fig5, TMERGE)
    yield _kept("Fig. 5", "(k,l^m): NCP is at most delta, too", rum)
    yield _moves(
        "Fig. 5", "(k,l^m): the loss in the relational attributes rises with delta, too", rum, COLUMNS, 1, "ARE (2,0)"
    )
    yield _moves("Fig. 5", "(k,l^m): that in the transaction attribute falls, too", rum, SETS, -1, "ARE (0,2)")
    yield _moves(
        "Fig. 5d", "(k,l^m), Tum-bound: a larger delta favors relational data, too", tum, COLUMNS, -1, "ARE (2,0)"
    )
    says = "(k,l^m): RmR incurred the lowest loss in the transaction attribute, too"
    yield _order("Fig. 5", says, rum, SETS, least("R"), "ARE (0,2)")
    yield _order("Fig. 5", "and the highest in the relational attributes", rum, COLUMNS, most("R"), "ARE (2,0)")
    yield _order("Fig. 5", "RmT the highest in the transaction attribute", rum, SETS, most("T"), "ARE (0,2)")
    yield _order("Fig. 5", "and the lowest in the relational attributes", rum, COLUMNS, least("T"), "ARE (2,0)")


def _sizes(rum: Rows, tum: Rows, diverse: Rows) -> Iterator[Claim]:
    """The largest cluster and UL."""
    records = ("largest_class", "records")
    yield _order("Fig. 6a, b", "RmR created the largest clusters", rum, records[0], most("R"), records[1])
    yield _order("Fig. 6c, d", "these clusters have low UL (the lowest of the three)", rum, "ul", least("R"), "UL")
    patients = [row for row in rum if row["data"] == "informs"]
    larger = ordered(inner(patients), "delta", records[0], lambda at: at["RT"] > at["T"])
    seen = f"records: {middle(inner(patients), records[0])}"
    yield Claim("Fig. 6a", "RmRT created larger clusters than RmT", tuple(larger), seen)
    slightly = ordered(inner(patients), "delta", records[0], lambda at: at["T"] <= at["RT"] <= SIMILAR * at["T"])
    yield Claim("Fig. 6a", f"only slightly larger (at most {SIMILAR:g} times)", tuple(slightly), seen)
    yield _order("Fig. 6c", "which have lower UL scores", patients, "ul", lambda at: at["RT"] < at["T"], "UL")
    yield _order(
        "Fig. 6", "similar for Tum-bound: TmR created the largest clusters", tum, records[0], most("R"), records[1]
    )
    yield _order(
        "Fig. 6", "and for (k,l^m): RmR created the largest clusters", diverse, records[0], most("R"), records[1]
    )
    yield _order("Fig. 6", "and these have the lowest UL", diverse, "ul", least("R"), "UL")


def _seconds(value: float) -> str:
    return f"{value:.2f} s"


def _times(fig7: Rows) -> Iterator[Claim]:
    """Running time over |D| and k."""
    sizes = [row for row in fig7 if row["data"] == "informs"]
    ks = over_k(fig7)
    what = "search_cpu_seconds"

    def three(rows: Rows, across: str, test: Test) -> tuple[Cell, ...]:
        cells = ordered(by(rows, RMERGE), across, what, test)
        names = {"records": "size", "k": "k"}
        return tuple(Cell(one.true, {names[across]: one.where[across], "seed": one.where["seed"]}) for one in cells)

    seen = ends(by(sizes, RMERGE), what, "records", _seconds)
    yield Claim("Fig. 7a", "RmT outperformed RmR and RmRT", three(sizes, "records", least("T")), seen)
    yield _scalable(sizes)
    yield Claim("Fig. 7a", "RmRT was the slowest", three(sizes, "records", most("RT")), seen)
    seen = ends(by(ks, RMERGE), what, "k", _seconds)
    falls = tuple(steps(by(ks, RMERGE), "k", what, -1))
    yield Claim("Fig. 7b", "the runtime of RmR, RmT and RmRT improves with k", falls, seen)
    faster = three(ks, "k", lambda at: at["T"] < at["R"])
    yield Claim("Fig. 7b", "RmT was up to 2.2 times more efficient than RmR", faster, f"up to {_ratio(ks):.2g} times")
    yield Claim("Fig. 7b", "RmRT was the least efficient", three(ks, "k", most("RT")), seen)
    alone = by(ks, ["Cl"])
    falls = tuple(steps(alone, "k", what, -1))
    yield Claim("Fig. 7b", "the runtime of Cl improves with k", falls, ends(alone, what, "k", _seconds))
    says = "TmT, TmR and TmRT perform similarly to RmR, RmT and RmRT; the (k,l^m) algorithms cost about the same"
    yield Claim("s.6", says, (), "The paper omits the results, and we did not measure them")


def _ratio(ks: Rows) -> float:
    """How much longer than RmT RmR takes at most, means over the seeds."""
    slow, fast = (means(by(ks, [name]), "k", "search_cpu_seconds") for name in ("RmR", "RmT"))
    return max((slow[k] / fast[k] for k in slow if k in fast), default=math.nan)


def growing(sizes: Rows, method: str, seed: Any = None) -> list[tuple[float, float]]:
    """The time of a method over |D|, in P2's range; with one seed, or with all."""
    return [
        (row["records"], row["search_cpu_seconds"])
        for row in by(sizes, [method])
        if row["records"] <= 10_000 and seed in (None, row["seed"])
    ]


def _scalable(sizes: Rows) -> Claim:
    """RmT's time grows with the lowest power of |D|."""
    cells = []
    for seed in sorted({row["seed"] for row in by(sizes, RMERGE)}):
        grown = {name: fits.exponent(growing(sizes, name, seed))[0] for name in RMERGE}
        if not any(math.isnan(one) for one in grown.values()):
            cells.append(Cell(grown["RmT"] < min(grown["RmR"], grown["RmRT"]), {"seed": seed}))
    seen = ", ".join(f"{name} {fits.told(fits.exponent(growing(sizes, name)))}" for name in RMERGE)
    return Claim("Fig. 7a", "RmT was more scalable", tuple(cells), f"time grows with |D| to the power of: {seen}")


Pairs = list[tuple[Row, Row]]


def pairs(fig7: Rows, exact: Rows) -> Pairs:
    """BTD and the loss of the union, in the same case, where both reach the bound."""
    at = {(row["method"], row["delta"], row["seed"]): row for row in exact if row["status"] == "ok"}
    few = [row for row in fig7 if row["data"] == "informs, few" and row["status"] == "ok"]
    return [
        (row, at[row["method"], row["delta"], row["seed"]])
        for row in few
        if (row["method"], row["delta"], row["seed"]) in at
    ]


def times_as_fast(fast: Row, slow: Row) -> float:
    """By CPU seconds of the searches."""
    return seconds_of(slow) / seconds_of(fast)


def seconds_of(row: Row) -> float:
    """CPU seconds of the search; of rows that lack them, with the check of the release."""
    return float(row.get("search_cpu_seconds") or row["cpu_seconds"])


def _distances(fig7: Rows, exact: Rows) -> Iterator[Claim]:
    """What BTD is worth."""

    def cells(some: Pairs, test: Any) -> tuple[Cell, ...]:
        return tuple(
            Cell(test(fast, slow), {"method": fast["method"], "delta": fast["delta"], "seed": fast["seed"]})
            for fast, slow in some
        )

    both = pairs(fig7, exact)
    for place, names in (("Fig. 7c, e", ("RmT", "RmRT")), ("Fig. 7d, f", ("TmT", "TmRT"))):
        some = [pair for pair in both if pair[0]["method"] in names]
        more = sorted(100 * (fast["ul"] / slow["ul"] - 1) for fast, slow in some)
        seen = f"{more[0]:+.1f} to {more[-1]:+.1f} %, {_median(more):+.1f} % in the middle" if more else "no pair"
        says = f"{' and '.join(names)} have the same UL scores as their baselines"
        yield Claim(place, says, cells(some, lambda fast, slow: fast["ul"] <= SAME * slow["ul"]), seen)
        ratios = sorted(times_as_fast(*pair) for pair in some)
        seen = f"{short(ratios[0])} to {short(ratios[-1])} times as fast" if ratios else "no pair"
        says = f"but are at least {FASTER} times more efficient"
        yield Claim(place, says, cells(some, lambda fast, slow: times_as_fast(fast, slow) >= FASTER), seen)
        yield _steady(place, some)


def _median(values: list[float]) -> float:
    return values[len(values) // 2]


def _steady(place: str, some: Pairs) -> Claim:
    """Time depends on delta less than that of the baselines."""
    lines: dict[tuple[str, Any], Pairs] = {}
    for pair in some:
        lines.setdefault((pair[0]["method"], pair[0]["seed"]), []).append(pair)
    cells, grown = [], []
    for (method, seed), line in lines.items():
        fast, slow = ([seconds_of(pair[at]) for pair in line] for at in (0, 1))
        if len(line) < 2:
            continue
        growth = max(fast) / min(fast), max(slow) / min(slow)
        cells.append(Cell(growth[0] < growth[1], {"method": method, "seed": seed}))
        grown.append(growth)
    seen = "the longest time is {:.2g} to {:.2g} times the shortest over delta, of the baselines {:.2g} to {:.2g} times"
    ranges = [end(some) for some in zip(*grown, strict=True) for end in (min, max)]
    told = seen.format(*ranges) if grown else "no pair"
    return Claim(place, "and more scalable with respect to delta", tuple(cells), told)


def _merges(traces: Rows) -> Iterator[Claim]:
    """UL after each merge."""
    plain, diverse = ([row for row in traces if (row["data"] == DIVERSE) is side] for side in (False, True))
    for says, rows in (
        ("UL decreases monotonically, as our algorithms merge clusters: it never increases", plain),
        ("the (k,l^m)-diversity algorithms performed similarly", diverse),
    ):
        tried = [row for row in rows if "rise" in row]
        cells = [
            Cell(row["rise"] <= TINY, {"data": named(row["data"]), "method": row["by"].upper(), "seed": row["seed"]})
            for row in tried
        ]
        worst = max((row["rise"] for row in tried), default=math.nan)
        rises = sum(not cell.true for cell in cells)
        same = sum(abs(row["rise"]) <= TINY for row in tried)
        seen = f"{rises} of {len(cells)} merges raise UL" + (f", by up to {worst:.4f}" if rises else "")
        seen += f"; {same} leave it as it is"
        yield Claim("Fig. 7g, h", says, tuple(cells), seen, always=True)
