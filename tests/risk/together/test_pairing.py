"""Pairs of records against all ways to pair them."""

from __future__ import annotations

from collections import Counter

from hypothesis import given

from shoal.risk.together.pairing import pair_up
from tests.budget import examples
from tests.risk.together.test_unlinked import pairs_of_releases
from tests.risk.together.worlds import World, worlds


def most_pairs(matches: list[set[int]]) -> int:
    """The largest number of rows with a match of their own, by trying."""
    if not matches:
        return 0
    first, *rest = matches
    without = [most_pairs([row - {at} for row in rest]) + 1 for at in first]
    return max([most_pairs(rest), *without])


@given(world=pairs_of_releases())
@examples(300)
def test_as_many_records_as_possible_are_paired(world: World) -> None:
    first, second = world.published(0)[:5], world.published(1)[:5]
    small = World(world.labels, (world.originals[0][:5], world.originals[1][:5]))
    matches = [{to for to, theirs in enumerate(second) if world.possible([mine, theirs])} for mine in first]
    one, other = small.views()
    found = pair_up(one, other)
    assert found is not None
    assert found.paired == most_pairs(matches)
    assert found.records == (len(first), len(second))
    if found.came is not None and found.left is not None:
        assert not Counter(found.came.rows.sets()) - Counter(second)
        assert (len(found.left), len(found.came)) == (len(first) - found.paired, len(second) - found.paired)
        both = Counter(found.left.rows.sets()) & Counter(found.came.rows.sets())
        assert not both, "these could be paired"


@given(world=worlds(1))
@examples(60)
def test_equal_releases_are_paired_whole(world: World) -> None:
    twice = World((world.labels[0], world.labels[0]), (world.originals[0], world.originals[0][::-1]))
    found = pair_up(*twice.views())
    assert found is not None
    if None in world.labels[0].values():  # an item that both leave out says nothing
        assert found.share == 1
    else:
        assert (found.share, len(found.left or ()), len(found.came or ())) == (1, 0, 0)
