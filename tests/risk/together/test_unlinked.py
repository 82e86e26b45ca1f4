"""Records that are compared by what they say, against all pairs. Covers: risk/together/matching.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.transactions import Transactions
from shoal.models import Km
from shoal.published import Published
from shoal.risk.together import Source, matched, matching, unlinked, views_of
from shoal.risk.together.matching import matches
from tests.budget import examples
from tests.risk.together.worlds import World, records, subsets, worlds


@st.composite
def pairs_of_releases(draw: st.DrawFn) -> World:
    """Two releases, of as many records as they like."""
    world = draw(worlds(2))
    return World(world.labels, (world.originals[0], draw(records(7))))


@given(world=pairs_of_releases())
@examples(400)
def test_records_match_if_some_original_is_published_as_both(world: World) -> None:
    first, second = world.published(0), world.published(1)
    one, other = world.views()
    found = {pair for left, right in matches(one, other) for pair in zip(left.tolist(), right.tolist(), strict=True)}
    assert found == {
        (at, to) for at, mine in enumerate(first) for to, theirs in enumerate(second) if world.possible([mine, theirs])
    }


@given(world=pairs_of_releases(), k=st.integers(2, 4), m=st.integers(1, 2))
@examples(400)
def test_figures_of_matches_are_those_of_all_pairs(world: World, k: int, m: int) -> None:
    first, second = world.published(0), world.published(1)
    reach = {
        (at, to): frozenset().union(*possible) - world.always_removed
        for at, mine in enumerate(first)
        for to, theirs in enumerate(second)
        if (possible := world.possible([mine, theirs]))
    }
    one, other = world.views()
    result = matched(one, other, Km(k=k, m=m))
    number = [sum(row == left for left, _ in reach) for row in range(len(first))]
    assert result.unmatched.value == pytest.approx(number.count(0) / len(first))
    assert result.single.value == pytest.approx(number.count(1) / len(first))
    assert result.fewest.value == min([one for one in number if one], default=0)
    assert result.median.value == sorted(number)[(len(number) - 1) // 2]

    def crowd(known: frozenset[str], side: int) -> int:
        return len({pair[side] for pair, items in reach.items() if known <= items})

    small = {
        pair
        for pair, items in reach.items()
        if any(crowd(known, side) < k for known in subsets(items, m) for side in (0, 1))
    }
    maybe = {left for left, _ in small}
    sure = {row for row in maybe if len({second[right] for left, right in reach if left == row}) == 1}
    if result.maybe_below is not None and result.below is not None:
        assert result.maybe_below.value == pytest.approx(len(maybe) / len(first))
        assert result.below.value == pytest.approx(len(sure) / len(first))
        assert result.holds == (False if sure else None if maybe else True)


def _shuffled(rows: int) -> list[Source]:
    rng = np.random.default_rng(3)
    originals = [sorted(set(rng.choice(list("abcdef"), 3).tolist())) for _ in range(rows)]
    orders = (("x", "abcdef"), ("y", "facebd"))
    labels = [{item: f"{name}{at // 2}" for at, item in enumerate(order)} for name, order in orders]
    sources = []
    for name, label in zip(("jan", "feb"), labels, strict=True):
        published = [[label[item] for item in one] for one in originals]
        covers: dict[str, list[str]] = {}
        for item, one in label.items():
            covers.setdefault(one, []).append(item)
        sources.append(Source(name, Published.plain(Transactions.from_sets(published)), covers.get))
    return sources


def test_of_very_many_pairs_some_are_drawn_and_the_interval_holds_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = views_of(_shuffled(300))
    truth = matched(first, second, Km(k=2, m=1))
    drawn = matched(first, second, Km(k=2, m=1), every=1, seed=5)
    assert (truth.draws, drawn.draws) == (0, unlinked.DRAWS)
    for name in ("unmatched", "single", "recovered"):
        estimate, exact = getattr(drawn, name), getattr(truth, name)
        assert estimate.low <= exact.value <= estimate.high
    assert drawn.median.low <= truth.median.value <= drawn.median.high
    assert drawn.below is None
    assert drawn == matched(first, second, Km(k=2, m=1), every=1, seed=5)
    monkeypatch.setattr(matching, "BITS", 100)
    monkeypatch.setattr(matching, "GATHERED", 10)
    assert matched(first, second, Km(k=2, m=1)) == truth
    monkeypatch.setattr(unlinked, "PAIRS", 10)
    few = matched(first, second, Km(k=2, m=1))
    assert (few.single, few.median, few.recovered, few.below) == (truth.single, truth.median, truth.recovered, None)
