"""Joined records against all originals that they may come from.

Covers: risk/together/overlap.py, risk/together/view.py, risk/together/findings.py, risk/together/linked.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.dataset import Dataset
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.errors import DataError
from shoal.models import Km, Lm
from shoal.published import Published
from shoal.risk.together import Source, compatible, linked, linked_persons, views_of
from shoal.risk.together import joined as joined_module
from shoal.risk.together.joined import Joined
from tests.budget import examples
from tests.risk.together.worlds import World, subsets, worlds


@given(world=worlds())
@examples(600)
def test_records_fit_if_some_original_is_published_as_all_of_them(world: World) -> None:
    joined = Joined.of(world.views())
    for row, images in enumerate(zip(*map(world.published, range(len(world.labels))), strict=True)):
        possible = world.possible(images)
        assert bool(joined.fits[row]) == bool(possible)
        different = {one - world.always_removed for one in possible}
        assert bool(joined.recovered[row]) == (len(different) == 1 and any(images))


@given(world=worlds(same=True), k=st.integers(2, 4), m=st.integers(1, 2))
@examples(600)
def test_crowds_are_the_records_that_some_original_with_the_known_items_fits(world: World, k: int, m: int) -> None:
    images = list(zip(*map(world.published, range(len(world.labels))), strict=True))
    reach = [frozenset().union(*world.possible(some)) - world.always_removed for some in images]
    crowds = [
        sum(known <= one for one in reach) for known in {some for one in reach for some in subsets(one, m) if some}
    ]
    (group,) = linked(world.views(), [np.arange(len(images))] * len(world.labels), Km(k=k, m=m))
    assert group.verdict.holds == all(crowd >= k for crowd in crowds)
    assert group.enough == (len(images) >= k)
    assert group.crowd is None or group.crowd.value == min(crowds)
    assert group.records == len(images)
    small = [any(sum(known <= other for other in reach) < k for known in subsets(one, m)) for one in reach]
    assert group.below is None or group.below.value == pytest.approx(sum(small) / len(images))


@given(world=worlds(2), data=st.data())
@examples(300)
def test_records_are_grouped_by_the_releases_that_hold_them(world: World, data: st.DataObject) -> None:
    keys = [np.array(data.draw(st.permutations(range(10))))[: len(rows)] for rows in world.originals]
    groups = linked(world.views(), keys, Km(k=2, m=1))
    both, one, other = set(keys[0]) & set(keys[1]), set(keys[0]) - set(keys[1]), set(keys[1]) - set(keys[0])
    first, second = ([rows[key.tolist().index(one)] for one in sorted(both)] for rows, key in _images(world, keys))
    changed = sum(not world.possible(images) for images in zip(first, second, strict=True))
    found = {(group.releases, group.changed): group.records for group in groups}
    expected = {(("r0", "r1"), False): len(both) - changed, (("r0",), False): len(one), (("r1",), False): len(other)}
    expected |= {(("r0", "r1"), True): changed}
    assert found == {releases: number for releases, number in expected.items() if number}


def _images(world: World, keys: list[np.ndarray]) -> list[tuple[list[frozenset[str]], np.ndarray]]:
    return [(world.published(at), key) for at, key in enumerate(keys)]


def _source(name: str, rows: list[list[str]], persons: list[int] | None = None) -> Source:
    sets = Transactions.from_sets(rows).of_persons(None if persons is None else Persons(np.array(persons)))
    return Source(name, Published.plain(sets), {"ale or tea": ["ale", "tea"]}.get)


def test_persons_are_counted_if_they_are_known() -> None:
    rows, persons = [["ale or tea"]] * 4, [0, 0, 0, 1]
    views = views_of([_source("jan", rows, persons), _source("feb", rows, persons)])
    (group,) = linked(views, [np.arange(4)] * 2, Km(k=3, m=1))
    assert (group.persons, group.holds, group.crowd and group.crowd.value) == (2, False, 2)


def test_several_records_of_a_person_are_put_together() -> None:
    jan = _source("jan", [["ale"], ["tea"], ["ale"], ["tea"]])
    feb = _source("feb", [["rye"], ["bun"]])
    groups = linked_persons(views_of([jan, feb]), [np.array([1, 1, 2, 2]), np.array([1, 2])], Km(k=2, m=2))
    (group,) = groups
    assert (group.records, group.holds) == (2, False)
    assert {str(one) for one in group.verdict.witnesses} == {"{feb: bun} is in 1 record", "{feb: rye} is in 1 record"}
    assert linked_persons(views_of([jan, feb]), [np.array([1, 1, 2, 2]), np.array([3, 4])], Km(k=2, m=2))[0].releases


@pytest.mark.parametrize(("second", "holds"), [(["ale or tea"] * 4, True), (["ale", "tea", "tea", "tea"], False)])
def test_sensitive_items_are_counted_in_the_joined_records(second: list[str], holds: bool) -> None:
    model, sources = Lm(l=2, m=1, sensitive=("HIV",)), []
    for name, labels in (("jan", ["ale or tea"] * 4), ("feb", second)):
        rows = [[label, "HIV"] if at == 0 else [label] for at, label in enumerate(labels)]
        seen = model.as_published(Dataset(Transactions.from_sets(rows)))
        sources.append(Source(name, seen, {"ale or tea": ["ale", "tea"]}.get))
    (group,) = linked(views_of(sources), [np.arange(4)] * 2, model)
    assert (group.holds, group.crowd) == (holds, None)


def test_a_key_that_a_release_has_twice_is_refused() -> None:
    views = views_of([_source("jan", [["ale"], ["tea"]])])
    with pytest.raises(DataError, match="jan has records with the same key"):
        linked(views, [np.array([1, 1])], Km())


def test_rows_are_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["ale or tea", "rye"], [], ["ale or tea"], ["rye"], ["ale or tea", "rye"]]
    views = views_of([_source("jan", rows), _source("feb", [["ale", "rye"], [], ["rye"], ["rye"], ["tea"]])])
    whole = Joined.of(views)
    monkeypatch.setattr(joined_module, "PAIRS", 1)
    parts = Joined.of(views)
    assert parts.rows.sets() == whole.rows.sets()
    assert compatible(*views).tolist() == [True, True, False, True, False]
