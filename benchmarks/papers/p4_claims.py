"""What P4 says in its section 5, tried in our rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import inf

from benchmarks.papers import fits
from benchmarks.papers.p4_cells import AOL, NAMES, OWN, POS, Cells, Place, loss, named, percent, span, spent, times
from benchmarks.papers.verdict import SIMILAR, Cell, Claim
from shoal.evaluation.results import Row

LARGE = 5  # "m >= 5"
SMALL = 3  # "a small m"
AROUND = 0.39  # AA's loss on AOL
SIGNIFICANT = 0.12, 0.079  # LG beside mHgHs: the least gain that P4 calls significant
UNDER = 0.10  # mHgHs's loss on AOL
SCALES = 2.0  # "quite scalable": the time grows less than with the square, by the upper end of the interval
Test = Callable[[Mapping[str, Row]], bool | None]  # none: the cell cannot tell


def claims(results: Cells, grown: Sequence[Row]) -> list[Claim]:
    """The paper's, in its order."""
    return [*losses(results), *on_aol(results), *efficiency(results), scalable(grown)]


def losses(results: Cells) -> list[Claim]:
    """s.5.1, on both of the paper's data sets and on others."""

    def everywhere(_: Place) -> bool:
        return True

    def several(place: Place) -> bool:
        return place.m >= 2

    most, second, third = ("AA", "LG", "mHgHs"), ("LG", "mHgHs"), ("MM", "LG", "AA")
    return [
        Claim(
            "s.5.1, Fig. 3",
            "Among all the 4 algorithms, the information loss by MM is the highest for all cases with m >= 2",
            tried(results, beyond("MM", most, 1), several),
            counted(results, "MM", most, "more", several),
            own=OWN,
        ),
        Claim(
            "s.5.1, Fig. 3",
            "The information loss by AA is the second highest in general",
            tried(results, _both(beyond("AA", second, 1), beyond("AA", ["MM"], -1))),
            counted(results, "AA", second, "more", everywhere)
            + "; "
            + counted(results, "AA", ["MM"], "less", everywhere),
            own=OWN,
        ),
        _a_little_more(results),
        Claim(
            "s.5.1, Fig. 3",
            "The information loss by LG is the third highest: less than AA, more than mHgHs",
            tried(results, _both(beyond("LG", ["mHgHs"], 1), beyond("LG", ["AA"], -1))),
            counted(results, "LG", ["AA"], "less", everywhere)
            + "; "
            + counted(results, "LG", ["mHgHs"], "more", everywhere),
            own=OWN,
        ),
        Claim(
            "s.5.1, Fig. 3",
            "mHgHs incurs the least information loss",
            tried(results, beyond("mHgHs", third, -1)),
            counted(results, "mHgHs", third, "less", everywhere),
            own=OWN,
        ),
        *(
            _gain(results, data, says, points=points)
            for points in (False, True)
            for data, says in (
                (POS, "The data utility gain of mHgHs over LG is moderate on POS"),
                (AOL, "... but it is significant on AOL"),
            )
        ),
        _gap(results),
    ]


def _both(*tests: Test) -> Test:
    def test(at: Mapping[str, Row]) -> bool | None:
        seen = [one(at) for one in tests]
        return None if None in seen else all(seen)

    return test


def _a_little_more(results: Cells) -> Claim:
    """On POS with a small m and the largest k, for each order and seed: LG loses more somewhere, never much."""
    k = max(place.k for place in results)
    ratios: dict[tuple[str, int], list[float]] = {}
    for place, at in results.items():
        local, cut = loss(at, "LG"), loss(at, "AA")
        if place.data == POS and place.k == k and place.m <= SMALL and local is not None and cut:
            ratios.setdefault((place.order, place.seed), []).append(local / cut)
    made = tuple(
        Cell(any(1 < one <= SIMILAR for one in some), {"data": POS, "order": order, "seed": seed} if seed else {})
        for (order, seed), some in ratios.items()
    )
    every = [one for some in ratios.values() for one in some]
    seen = f"at k = {k}, m <= {SMALL} LG loses {span(every, times)} times what AA does" if every else "no such runs"
    says = f"In some cases on POS (with a small m and a large k), LG incurs a little bit more (up to {SIMILAR} times)"
    return Claim("s.5.1, Fig. 3 (a)", says, made, seen)


def _gain(results: Cells, data: str, says: str, *, points: bool) -> Claim:
    """LG's loss beside that of mHgHs: how many times as much, or how much more.

    What is significant follows from the least gain that P4 calls so: 12 % beside 7.9 %.
    """
    gains = {
        place: local - mine if points else local / mine
        for place, at in results.items()
        if place.data == data and (local := loss(at, "LG")) is not None and (mine := loss(at, "mHgHs"))
    }
    enough = SIGNIFICANT[0] - SIGNIFICANT[1] if points else SIGNIFICANT[0] / SIGNIFICANT[1]
    made = tuple(Cell((gain >= enough) == (data == AOL), place.where) for place, gain in gains.items())
    limit = f"{100 * enough:.1f} percentage points" if points else f"{enough:.1f} times"
    told = span(gains.values(), percent if points else times) if gains else "no such runs"
    seen = f"LG loses {told} {'more than' if points else 'times what'} mHgHs{'' if points else ' does'}"
    return Claim("s.5.1, Fig. 3", f"{says} ({'at least' if data == AOL else 'less than'} {limit})", made, seen)


def _gap(results: Cells) -> Claim:
    """LG's loss above that of mHgHs, from the least k to the largest."""
    ks = sorted({place.k for place in results})
    made, texts = [], []
    for place, at in results.items():
        other = results.get(Place(place.data, place.order, place.seed, ks[-1], place.m), {})
        known = [loss(one, name) for one in (at, other) for name in ("LG", "mHgHs") if name in one]
        if place.k != ks[0] or place.m < LARGE or len(known) < 4 or None in known:
            continue
        first, last = known[0] - known[1], known[2] - known[3]  # type: ignore[operator]
        made.append(Cell(last > first, place.where))
        if place.m == max(one.m for one in results):
            texts.append(f"{place.data} ({place.order}) {first:+.3f} to {last:+.3f}")
    seen = f"NCP of LG above mHgHs at the largest m, from k = {ks[0]} to {ks[-1]}: {'; '.join(texts)}"
    says = f"The gap of mHgHs to LG increases with a more restrictive privacy requirement (a larger k, m >= {LARGE})"
    return Claim("s.5.1, Fig. 3 (c), (d)", says, tuple(made), seen, own=OWN)


def on_aol(results: Cells) -> list[Claim]:
    """s.5.1, what is said of the sparse data alone."""
    here = {place: at for place, at in results.items() if place.data == AOL}

    def some(name: str) -> list[float]:
        return [value for at in here.values() if (value := loss(at, name)) is not None]

    first = [value for place, at in here.items() if place.m == 1 and (value := loss(at, "AA")) is not None]
    return [
        Claim(
            "s.5.1, Fig. 3 (c), (d)",
            f"The information loss by AA on AOL is strikingly high (at least {percent(AROUND / SIMILAR)})",
            tried(here, lambda at: None if (value := loss(at, "AA")) is None else value >= AROUND / SIMILAR),
            f"{span(some('AA'), percent)}; at m = 1 {span(first, percent)}",
        ),
        Claim(
            "s.5.1, Fig. 3 (c), (d)",
            f"... all around 39 % even for m = 1 ({percent(AROUND / SIMILAR)} to {percent(AROUND * SIMILAR)})",
            tried(
                here,
                lambda at: None if (value := loss(at, "AA")) is None else AROUND / SIMILAR <= value <= AROUND * SIMILAR,
            ),
            f"{span(some('AA'), percent)}; at m = 1 {span(first, percent)}",
        ),
        Claim(
            "s.5.1, Fig. 3 (c), (d)",
            "All the information loss with mHgHs is under 10 % on AOL",
            tried(here, lambda at: None if (value := loss(at, "mHgHs")) is None else value < UNDER),
            span(some("mHgHs"), percent),
        ),
    ]


def efficiency(results: Cells) -> list[Claim]:
    """s.5.2, in CPU time of the search."""
    sparse = {place: at for place, at in results.items() if place.data == AOL}
    return [
        Claim(
            "s.5.2",
            "LG is the most efficient",
            tried(results, faster("LG", ("mHgHs", "AA", "MM"))),
            _times(results, "LG", ("mHgHs", "AA", "MM")),
            own=OWN,
        ),
        Claim(
            "s.5.2",
            "mHgHs is the second most efficient; AA and MM are less efficient: AA",
            tried(results, faster("mHgHs", ["AA"])),
            _times(results, "mHgHs", ["AA"]),
            own=OWN,
        ),
        Claim(
            "s.5.2",
            "... and MM",
            tried(results, faster("mHgHs", ["MM"])),
            _times(results, "mHgHs", ["MM"]),
            own=OWN,
        ),
        *(
            Claim(
                "s.5.2",
                "The reason: breadth-first search is not efficient in dealing with threats of a large size "
                f"({other} on POS, m >= {LARGE})",
                tried(results, faster("mHgHs", [other]), lambda place: place.data == POS and place.m >= LARGE),
                _times({at: results[at] for at in results if at.data == POS and at.m >= LARGE}, "mHgHs", [other]),
            )
            for other in ("AA", "MM")
        ),
        Claim(
            "s.5.2",
            f"One exception is that AA is as efficient as LG on AOL (at most {SIMILAR} times)",
            tried(sparse, faster("AA", ["LG"])),
            _times(sparse, "LG", ["AA"]),
        ),
    ]


def _times(results: Cells, method: str, others: Sequence[str]) -> str:
    """The median CPU time of others over that of a method, by data set."""
    texts = []
    for data in dict.fromkeys(place.data for place in results):
        parts = []
        for other in others:
            pairs = [(spent(at, other), spent(at, method)) for place, at in results.items() if place.data == data]
            ratios = sorted(a / b for a, b in pairs if b not in (0.0, inf))
            if ratios:
                middle = ratios[len(ratios) // 2]
                parts.append(f"{other} {middle:.1f}" if middle < inf else f"{other} did not end")
        texts.append(f"{data} {', '.join(parts)}")
    return f"times the CPU time of {method} (median): {'; '.join(texts)}"


def grown_by(grown: Sequence[Row]) -> dict[tuple[str, int | None], tuple[float, float, float]]:
    """The exponent of CPU time over records, with its interval, for each method and m."""
    points: dict[tuple[str, int | None], list[tuple[float, float]]] = {}
    for row in grown:
        if row["search_cpu_seconds"] is not None:
            points.setdefault((NAMES[row["algorithm"]], row["m"]), []).append(
                (row["records"], row["search_cpu_seconds"])
            )
    return {name: fits.exponent(some) for name, some in points.items()}


def scalable(grown: Sequence[Row]) -> Claim:
    """Below the square, by the upper end of the interval."""
    slopes = grown_by(grown)
    made = tuple(
        Cell(high < SCALES, {"data": AOL, "m": m}) for (name, m), (_, _, high) in slopes.items() if name == "mHgHs"
    )
    seen = "; ".join(f"{named(name, m)} {fits.told(fit)}" for (name, m), fit in slopes.items())
    says = "mHgHs is quite scalable over the ten subsets (the time grows less than with the square)"
    return Claim("s.5.2", says, made, f"exponents of CPU time over records, with 95 % intervals: {seen}")


def tried(results: Cells, test: Test, where: Callable[[Place], bool] = lambda _: True) -> tuple[Cell, ...]:
    """The cells that a claim is tried in."""
    found = []
    for place, at in results.items():
        if where(place) and (true := test(at)) is not None:
            found.append(Cell(true, place.where))
    return tuple(found)


def beyond(method: str, others: Collection[str], sign: int) -> Test:
    """Whether a method loses at least as much as all others (sign 1), or at most as much (-1); runs must have ended."""

    def test(at: Mapping[str, Row]) -> bool | None:
        mine, theirs = loss(at, method), [loss(at, other) for other in others]
        if mine is None or None in theirs:
            return None
        return all(sign * (mine - other) >= 0 for other in theirs if other is not None)

    return test


def faster(method: str, others: Collection[str]) -> Test:
    """Whether no other search takes clearly less time: times that are about the same count as equal."""
    return lambda at: None if method not in at else all(spent(at, method) <= SIMILAR * spent(at, one) for one in others)


def counted(results: Cells, method: str, others: Collection[str], word: str, where: Callable[[Place], bool]) -> str:
    """In how many cells a method loses more, or less, than each of the others."""
    sign = 1 if word == "more" else -1
    texts = []
    for other in others:
        pairs = [(loss(at, method), loss(at, other)) for place, at in results.items() if where(place)]
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        strict, same = sum(sign * (a - b) > 0 for a, b in known), sum(a == b for a, b in known)
        equal = f", the same in {same}" if same else ""
        open_ = f", not ended in {len(pairs) - len(known)}" if len(known) < len(pairs) else ""
        texts.append(f"{word} than {other} in {strict} of {len(known)} cells{equal}{open_}")
    return "; ".join(texts)
