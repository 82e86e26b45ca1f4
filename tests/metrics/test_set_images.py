"""What a reader sees of sets, against a search in every record."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.metrics import set_images
from shoal.metrics.set_images import images_of
from shoal.published import Published
from tests.budget import examples

TREE = shoal.Hierarchy.from_tree({"ALL": {"A": {"A1": ["a", "b"], "A2": ["c"]}, "B": ["d", "e"], "f": []}})
CUTS = [["a", "b", "c", "B", "f"], ["A", "d", "e", "f"], ["A1", "A2", "B"], ["(a,d)", "b", "(c,e)", "f"], ["ALL"]]
ANY = ("a", "b", "c", "d", "e", "f", "A1", "A", "B", "ALL", "(a,b)", "(a,c)", "(d,f)")
exclusive = st.sampled_from(CUTS).flatmap(lambda cut: st.lists(st.sets(st.sampled_from(cut)), max_size=10))
overlapping = st.lists(st.sets(st.sampled_from(ANY), max_size=4), max_size=10)
asked_of = st.lists(st.sets(st.integers(0, 5), min_size=1, max_size=4), min_size=1, max_size=4)


def members(label: str) -> list[str]:
    return label.strip("()").split(",") if label.startswith("(") else list(TREE.items_of(label))


def behind(item: str, row: set[str], order: list[str]) -> str | None:
    """The smallest label of a record that covers an item, the first of equal ones."""
    covering = [label for label in row if item in members(label)]
    return min(covering, key=lambda label: (len(members(label)), order.index(label)), default=None)


def chance(labels: tuple[str, ...]) -> Fraction:
    """The share of the sets that these labels may stand for which hold one given item for each mention of a label."""
    product = Fraction(1)
    for label, items in Counter(labels).items():
        own = members(label)
        every = [some for size in range(1, len(own) + 1) for some in itertools.combinations(own, size)]
        product *= Fraction(sum(set(own[:items]) <= set(some) for some in every), len(every))
    return product


@given(rows=st.one_of(exclusive, overlapping), sets=asked_of, cells=st.sampled_from([1, 1 << 22]))
@examples(1200)
def test_brute_force(rows: list[set[str]], sets: list[set[int]], cells: int) -> None:
    published = Published.resolve(Transactions.from_sets(rows), TREE)
    order = list(published.rows.labels)
    asked = [tuple(sorted(one)) for one in sets]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(set_images, "_CELLS", cells)
        read = images_of(published, asked, Engine(part_rows=3))
    for codes, images in zip(asked, read, strict=True):
        seen = [tuple(behind(TREE.items[code], row, order) for code in codes) for row in rows]
        counts = Counter(tuple(label for label in image if label) for image in seen if None not in image)
        got = {tuple(order[code] for code in image): count for image, count in images.counts.items()}
        assert got == counts
        assert images.most == counts.total()
        assert images.least == sum(set(image) == {TREE.items[code] for code in codes} for image in seen)
        assert images.expected == pytest.approx(float(sum(chance(one) * times for one, times in counts.items())))
        assert images.least <= images.expected * (1 + 1e-12)
        assert images.expected <= images.most * (1 + 1e-12)
        apart = {image: count for image, count in counts.items() if len(set(image)) == len(image)}
        assert sum(images.apart.values()) == sum(apart.values())
        if apart:
            assert apart[tuple(order[code] for code in images.typical)] == max(apart.values())
        else:
            assert images.typical == ()


def test_very_many_labels_and_items_fit_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of images are numbered anew before they become too large."""
    rows = [{"a", "B", "f"}, {"A", "d", "e", "f"}, {"a", "B", "f"}, {"ALL", "c"}]
    published = Published.resolve(Transactions.from_sets(rows), TREE)
    sets = [(0, 2, 3, 5), (0, 3, 4, 5), (0, 3)]
    whole = [dict(images.counts) for images in images_of(published, sets)]
    monkeypatch.setattr(set_images, "_MOST_KEY", 10)
    assert [dict(images.counts) for images in images_of(published, sets)] == whole


def test_a_label_over_thousands_of_items_halves_the_chance() -> None:
    items = [f"i{at}" for at in range(3000)]
    tree = shoal.Hierarchy.from_tree({"ALL": items})
    published = Published.resolve(Transactions.from_sets([["ALL"]] * 8), tree)
    assert images_of(published, [(0, 5)])[0].expected == pytest.approx(2.0)
