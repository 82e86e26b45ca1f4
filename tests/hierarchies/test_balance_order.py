"""Hierarchies by frequency: their default, what they lose, and what they tell about the data."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import hierarchies
from shoal.data.hierarchy import Hierarchy
from tests.conftest import Shell

Rows = Sequence[Set[str]]
Build = Callable[[Rows, str], Hierarchy]
NOTE = (
    "Note: This hierarchy was made from the data: anyone who sees its groups learns which items are about equally "
    "frequent. If nobody may know that, build it with --by random or --by label.\n"
)

# ---- the order


def test_a_random_order_depends_on_the_seed_alone() -> None:
    items = [str(one) for one in range(20)]
    one, same, other = (hierarchies.balanced(items, fanout=4, order="random", seed=seed) for seed in (1, 1, 2))
    assert one.labels == same.labels
    assert one.labels != other.labels
    known = {item: at for at, item in enumerate(items)}
    assert hierarchies.balanced(items[::-1], fanout=4, order="random", seed=1, supports=known).labels == one.labels
    assert set(one.items) == set(items)


def test_supports_make_frequency_the_default() -> None:
    supports = {"a": 1, "b": 8, "c": 2, "d": 9}
    common = hierarchies.balanced(supports, fanout=2, supports=supports)
    assert common.labels == ("a", "c", "b", "d", "a | c", "b | d", "*")
    named = hierarchies.balanced(supports, fanout=2, order="frequency", supports=supports)
    assert named.parents_by_label() == common.parents_by_label()
    for by_label in (
        hierarchies.balanced(supports, fanout=2),
        hierarchies.balanced(supports, fanout=2, order="label", supports=supports),
    ):
        assert by_label.labels[4:] == ("a..b", "c..d", "*")


def test_equal_supports_stand_in_canonical_order() -> None:
    h = hierarchies.balanced(["10", "9", "8", "7"], fanout=2, supports={"10": 3, "9": 3, "8": 3, "7": 3})
    seven, nine = "7 | 8", "9 | 10"
    assert h.parents_by_label() == {"7": seven, "8": seven, "9": nine, "10": nine, seven: "*", nine: "*", "*": None}
    unseen = hierarchies.balanced("abcd", fanout=2, supports={"d": 1, "b": 1})  # a and c: in no row
    assert unseen.labels == ("a", "c", "b", "d", "a | c", "b | d", "*")


def test_an_item_may_look_like_a_class() -> None:
    h = hierarchies.balanced(["a", "b", "a | b", "a | b (2)", "c"], fanout=2, supports={"a": 2, "b": 2})
    assert {label: h.parents_by_label()[label] for label in "ab"} == {"a": "a | b (3)", "b": "a | b (3)"}
    assert hierarchies.balanced(["a"], supports={"a": 3}).parents_by_label() == {"a": "*", "*": None}


@given(
    fanout=st.integers(2, 4),
    supports=st.dictionaries(st.text("ab.| (2)", min_size=1, max_size=3), st.integers(0, 9), min_size=1, max_size=40),
    seed=st.integers(0, 2**32),
)
def test_the_order_of_what_is_given_does_not_matter(fanout: int, supports: dict[str, int], seed: int) -> None:
    h = hierarchies.balanced(supports, fanout=fanout, supports=supports)
    pairs = random.Random(seed).sample(sorted(supports.items()), len(supports))
    again = hierarchies.balanced([label for label, _ in pairs], fanout=fanout, supports=dict(pairs))
    assert again.labels == h.labels
    assert again.parent.tolist() == h.parent.tolist()


# ---- what it tells


def shuffled(tree: list[object] | str, rng: random.Random) -> Iterator[str]:
    """The leaves of a tree, after siblings were put in another order everywhere."""
    if isinstance(tree, str):
        yield tree
    else:
        for child in rng.sample(tree, len(tree)):
            yield from shuffled(child, rng)  # type: ignore[arg-type]


def test_no_class_has_the_name_of_a_member() -> None:
    """Readers would take "HIV test+1" for a diagnosis: up to three items are named, larger classes have numbers."""
    items = ["HIV test", "insulin", *(f"drug {at:02}" for at in range(10))]
    pairs = hierarchies.balanced(items, fanout=2, supports={"HIV test": 2, "insulin": 2})
    assert pairs.parents_by_label()["insulin"] == "HIV test | insulin"
    large = hierarchies.balanced(items, fanout=4, supports={"insulin": 9})
    names = large.labels[large.n_leaves : -1]
    assert names == ("group 1 of 3 (4 items)", "group 2 of 3 (4 items)", "group 3 of 3 (4 items)")
    assert not any(item in name for item in items for name in names)
    deep = hierarchies.balanced(map(str, range(1, 51)), fanout=5, order="random")
    numbers = {label.split()[1] for label in deep.labels[50:-1]}
    assert {"1", "2", "1.1", "2.5"} <= numbers
    assert len(numbers) == 12


def test_numbers_keep_the_order_of_first_labels() -> None:
    """Ids, and with them the ties of greedy methods, are those of the names "first+others" that classes had before."""
    labels = [f"{at:03}" for at in range(300)]
    h = hierarchies.balanced(labels, fanout=12, order="random", seed=5)
    for node in range(h.n_leaves, len(h)):
        firsts = [h.items[h.span[child, 0]] for child in h.children[node]]
        assert firsts == sorted(firsts)


@given(fanout=st.integers(2, 4), height=st.integers(2, 3), seed=st.integers(0, 2**32))
def test_labels_and_ids_tell_no_more_than_the_classes(fanout: int, height: int, seed: int) -> None:
    """Other ranks that give the same sets of items give the same hierarchy; files are written from it."""
    rng = random.Random(seed)
    items = [str(label) for label in rng.sample(range(1000), fanout**height)]
    level: list[object] = list(items)
    while len(level) > 1:
        level = [level[at : at + fanout] for at in range(0, len(level), fanout)]
    written = set()
    for order in (items, list(shuffled(level, rng)), list(shuffled(level, rng))):
        supports = {label: 1000 - rank for rank, label in enumerate(order)}
        h = hierarchies.balanced(order, fanout=fanout, supports=supports)
        written.add((h.labels, tuple(h.parent.tolist()), hierarchies.show(h), h.name))
    assert len(written) == 1


def by_frequency(rows: Rows, items: str) -> Hierarchy:
    return hierarchies.balanced(items, fanout=2, supports=Counter(item for row in rows for item in row))


def by_company(rows: Rows, items: str) -> Hierarchy:
    """Each item beside the one it occurs with most, from the first on: an order that Shoal does not have."""
    together = Counter(pair for row in rows for pair in itertools.permutations(row, 2))
    chain, left = [items[0]], list(items[1:])
    while left:
        chain.append(max(left, key=lambda item: together[chain[-1], item]))
        left.remove(chain[-1])
    return hierarchies.balanced(items, fanout=2, supports={item: -rank for rank, item in enumerate(chain)})


def subsets(items: Sequence[str]) -> list[frozenset[str]]:
    return [frozenset(some) for size in range(1, len(items) + 1) for some in itertools.combinations(items, size)]


def guesses(rows: Rows, items: str, build: Build, m: int) -> dict[frozenset[str], list[int]] | None:
    """By brute force: for each set of at most m items of a row, in how many possible data sets each row has it.

    Possible: the same release, and the same hierarchy, which the attacker sees and knows how it is built. Listed are
    the rows that hold the labels of the set. None: nothing was raised, or too much to go through.
    """
    tree = build(rows, items)
    problem = shoal.Problem(shoal.read(rows), tree, shoal.Km(k=2, m=m))
    published = shoal.anonymize(problem, algorithm=shoal.algorithms.AA()).published.rows
    seen = [[published.labels[code] for code in row] for row in published]
    covers = {
        label: [tree.labels[leaf] for leaf in range(*tree.span[tree.code_of[label]].tolist())]
        for label in set(itertools.chain(*seen))
    }
    contents = [
        [frozenset[str]().union(*parts) for parts in itertools.product(*(subsets(covers[label]) for label in labels))]
        for labels in seen
    ]
    if len(covers) == len(items) or math.prod(map(len, contents)) > 500:
        return None
    wanted = tree.parents_by_label()
    worlds = [
        world
        for world in itertools.product(*contents)
        if frozenset().union(*world) == set(items) and build(world, items).parents_by_label() == wanted
    ]
    assert tuple(map(frozenset, rows)) in worlds
    label_of = {item: label for label, below in covers.items() for item in below}
    return {
        known: [
            sum(known <= world[at] for world in worlds)
            for at, labels in enumerate(seen)
            if {label_of[item] for item in known} <= set(labels)
        ]
        for row in rows
        for known in subsets(sorted(row))
        if len(known) <= m
    }


def test_a_hierarchy_by_frequency_narrows_no_search_for_a_record() -> None:
    """docs/reference/hierarchies.md: all rows with the labels of what is known stay possible, and equally likely."""
    rng, studied = random.Random(0), 0
    while studied < 12:
        rows = [set(rng.sample("abcd", rng.choice([1, 1, 2, 2, 3]))) for _ in range(rng.choice([4, 5]))]
        if set().union(*rows) != set("abcd"):
            continue
        found = guesses(rows, "abcd", by_frequency, m=rng.choice([1, 2]))
        studied += found is not None
        for counts in (found or {}).values():
            assert len(counts) >= 2
            assert len(set(counts)) == 1
            assert counts[0] > 0


def test_a_hierarchy_by_what_occurs_together_can_point_at_one_record() -> None:
    """Why there is no such order: 2^2-anonymous, but only one record can be that of whoever has b and c."""
    rows = [set("bcd"), set("ad"), set("acd"), set("a"), set("ab")]
    found = guesses(rows, "abcd", by_company, m=2)
    assert found is not None
    assert [count > 0 for count in found[frozenset("bc")]] == [True, False, False]
    by_count = guesses(rows, "abcd", by_frequency, m=2)
    assert by_count is not None
    assert all(len(set(counts)) == 1 for counts in by_count.values())


# ---- the command


def test_build_groups_by_frequency_and_says_what_that_tells(shell: Shell) -> None:
    shell.write("d.dat", "1 2 3\n1 2\n1 4\n1 2 4\n3 5\n")
    code, out, err = shell("hierarchy", "build", "d.dat", "-o", "d.csv", "--fanout", "2")
    assert (code, out, err) == (0, "5 items, 3 groups, height 2: d.csv\n", NOTE)
    assert hierarchies.load("d.csv").parents_by_label()["2"] == "1/2"  # a token: labels of .dat files have no spaces
    named = shell("hierarchy", "build", "d.dat", "-o", "e.csv", "--fanout", "2", "--by", "frequency")
    assert named[2] == NOTE
    assert (shell.folder / "e.csv").read_bytes() == (shell.folder / "d.csv").read_bytes()


@pytest.mark.parametrize(
    "words",
    [("--by", "label", "--fanout", "2"), ("--by", "random", "--seed", "3"), ("--by", "prefix"), ("--fanout", "9")],
)
def test_build_says_nothing_where_nothing_is_told(shell: Shell, words: tuple[str, ...]) -> None:
    """By label and by prefix supports are not used; a single group has all items."""
    shell.write("d.dat", "1 2 3\n1 2\n1 4\n1 2 4\n3 5\n")
    code, _, err = shell("hierarchy", "build", "d.dat", "-o", "d.csv", *words)
    assert (code, err) == (0, "")


# ---- what it loses


def test_frequency_loses_less_than_a_quarter_of_what_labels_do(real_data: Path) -> None:
    data = shoal.read(real_data / "bms-webview-1" / "transactions.dat")
    items = data.transactions
    supports = dict(zip(items.labels, items.supports.tolist(), strict=True))
    by_label, by_count = (
        shoal.anonymize(shoal.Problem(data, tree, shoal.Km(k=5, m=3)), algorithm=shoal.algorithms.AA()).losses["ncp"]
        for tree in (hierarchies.balanced(items.labels), hierarchies.balanced(items.labels, supports=supports))
    )
    assert 0 < by_count < by_label / 4
