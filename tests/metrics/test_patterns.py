"""What analysts still find: an example by hand, an enumeration of all sets and rules, and what must always hold.

Covers: cli/patterns_output.py (with tests/cli/test_measure_patterns.py).
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import OptionError
from shoal.metrics.patterns import CONFIDENCE, MOST, SETS_PER_RULE, FoundRule, Patterns, patterns
from tests.budget import examples
from tests.metrics.test_set_images import TREE, behind, chance
from tests.metrics.test_top_sets import enumerated

SHOP = shoal.Hierarchy.from_tree({"*": {"drinks": ["beer", "wine"], "care": ["diapers", "soap"], "food": ["bread"]}})
BEFORE = [
    ["beer", "diapers", "bread"],
    ["beer", "diapers"],
    ["beer", "diapers"],
    ["wine", "bread"],
    ["wine", "bread"],
    ["soap", "diapers"],
    ["soap", "diapers"],
    ["bread"],
]
AFTER = [[{"beer": "drinks", "wine": "drinks", "soap": "care", "diapers": "care"}.get(i, i) for i in r] for r in BEFORE]

ITEMS = "abcdef"
rows_of = st.lists(st.sets(st.sampled_from(ITEMS), max_size=5), min_size=1, max_size=12)
ANY = ("a", "b", "c", "d", "e", "f", "A1", "A", "B", "ALL", "(a,b)", "(a,c)", "(d,f)")
published_of = st.lists(st.sets(st.sampled_from(ANY), max_size=4), min_size=12, max_size=12)


def measured(before: Any, after: Any, sets: int = 100, rules: int = 100, **options: Any) -> Patterns:
    found = shoal.measure(before, after, top_sets=sets, rules=rules, **options).patterns
    assert found is not None
    return found


@pytest.mark.parametrize("items", [2, 3, 6])
def test_the_most_is_closer_for_an_item_that_makes_up_nearly_all_of_its_group(items: int) -> None:
    """What reports and docs/how-to/what-analysts-find.md say of estimates."""
    names = [f"a{at}" for at in range(items)]
    tree = shoal.Hierarchy.from_tree({"*": {"A": names, "B": ["b", "c"]}})
    before = [["a0", "b"]] * 60 + [[name, "b"] for name in names[1:]] * 2
    found = measured(before, [["A", "b"]] * len(before), hierarchy=tree).sets
    for one in found:
        assert one.most / 2 < one.estimate <= one.most * 2 / 3  # a little more than half of the records with the group
    common, *rare = found
    assert common.items == ("a0", "b")
    assert abs(common.most - common.support) < common.support - common.estimate
    assert all(one.estimate > 5 * one.support for one in rare)


def test_an_example_by_hand() -> None:
    """The example of docs/reference/metrics.md: 3 beer & diapers, 2 wine & bread, 2 soap & diapers, 1 beer & bread."""
    found = measured(BEFORE, AFTER, hierarchy=SHOP)
    assert [(one.items, one.support, one.shown) for one in found.sets] == [
        (("beer", "diapers"), 3, "as groups"),
        (("bread", "wine"), 2, "as groups"),
        (("diapers", "soap"), 2, "not visible"),  # both are care
    ]
    first, second, _ = found.sets
    assert (first.labels, first.least, first.most) == (("drinks", "care"), 0, 3)
    assert first.estimate == pytest.approx(4 / 3)  # 3 with 2/3 for each of the two groups
    assert (second.labels, second.most, second.estimate) == (("bread", "drinks"), 3, 2)  # 3 with 2/3
    assert found.support_error() == pytest.approx(((3 - 4 / 3) / 3 + 0) / 2)
    assert (found.published_sets, found.matching_sets) == (2, 2)  # care & drinks, bread & drinks
    [wine] = [one for one in found.rules if one.given == ("wine",)]
    assert (wine.item, wine.confidence, wine.lift, wine.labels) == ("bread", 1, 2, ("drinks", "bread"))
    assert wine.published_confidence == pytest.approx(3 / 5)  # 3 of 5 records with drinks
    assert wine.published_lift == pytest.approx(3 / 5 * 8 / 4)
    assert [(one.given, one.item) for one in found.rules if one.shown == "not visible"] == [
        (("soap",), "diapers"),
        (("diapers",), "soap"),
    ]


def naive(before: list[set[str]], after: list[set[str]], number: int) -> tuple[list[Any], list[Any], int]:
    """The sets, the rules and the matching sets, from enumerations of all sets."""
    order = list(shoal.read([sorted(row) for row in after]).transactions.in_use().labels)
    largest = enumerated(before, 10_000)
    support = {frozenset(one): sum(set(one) <= row for row in before) for one, _ in largest}
    support |= {frozenset(item): sum(item in row for row in before) for item in ITEMS}

    def images(items: tuple[str, ...]) -> list[tuple[str, ...]]:
        seen = [tuple(behind(item, row, order) or "" for item in items) for row in after]
        return [image for image in seen if "" not in image]

    def estimate(items: tuple[str, ...]) -> Fraction:
        return sum((chance(image) for image in images(items)), Fraction(0))

    def shown(items: tuple[str, ...]) -> str:
        seen = images(items)
        apart = [image for image in seen if len(set(image)) == len(items)]
        if not seen or 2 * len(apart) < len(seen):
            return "not visible"
        return "as items" if all(image == items for image in seen) else "as groups"

    sets = [(one, count, shown(one), estimate(one)) for one, count in largest[:number]]
    rules: list[tuple[Any, ...]] = []
    for one, count in largest[: SETS_PER_RULE * number]:
        for item in one:
            left = tuple(other for other in one if other != item)
            confidence = Fraction(count, support[frozenset(left)])
            if confidence >= CONFIDENCE:
                rules.append((confidence * len(before) / support[frozenset(item)], confidence, count, left, item, one))
    rules.sort(key=lambda rule: (-rule[0], -rule[2], len(rule[5])))
    told = []
    for lift, confidence, _, left, item, one in rules[:number]:
        how = shown(one)
        if how == "as items" and {shown(left), shown((item,))} != {"as items"}:
            how = "as groups"
        now = None if how == "not visible" else estimate(one) / estimate(left)
        told.append((left, item, confidence, lift, how, now, now and now * len(before) / estimate((item,))))
    own = [tuple(one) for one, _ in named_top(after, number)]
    covers = {
        label: set(TREE.items_of(label)) if label in TREE.code_of else set(label[1:-1].split(",")) for label in ANY
    }
    matching = sum(
        any(
            all(item in covers[label] for item, label in zip(one, some, strict=True))
            for one, _, _, _ in sets
            if len(one) == len(labels)
            for some in itertools.permutations(labels)
        )
        for labels in own
    )
    return sets, told, matching


def named_top(rows: list[set[str]], number: int) -> list[tuple[tuple[str, ...], int]]:
    """The most frequent sets of labels by enumeration."""
    labels = list(shoal.Hierarchy.flat({label for row in rows for label in row} | {"a"}).items)  # in canonical order
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tests.metrics.test_top_sets.ORDER", labels)
        return enumerated(rows, number)


@given(before=rows_of, after=published_of, number=st.integers(1, 12))
@examples(700)
def test_brute_force(before: list[set[str]], after: list[set[str]], number: int) -> None:
    """Whatever is published, also what is untrue."""
    after = after[: len(before)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tests.metrics.test_top_sets.ORDER", list(ITEMS))
        found = measured(
            [sorted(row) for row in before], [sorted(row) for row in after], number, number, hierarchy=TREE
        )
        sets, rules, matching = naive(before, after, number)
    assert [(one.items, one.support, one.shown) for one in found.sets] == [one[:3] for one in sets]
    assert [one.estimate for one in found.sets] == pytest.approx([float(one[3]) for one in sets])
    got = [(one.given, one.item, one.confidence, one.lift, one.shown) for one in found.rules]
    assert got == [(left, item, float(sure), float(lift), how) for left, item, sure, lift, how, _, _ in rules]
    for rule, (*_, sure, lift) in zip(found.rules, rules, strict=True):
        assert rule.published_confidence == (None if sure is None else pytest.approx(float(sure)))
        assert rule.published_lift == (None if lift is None else pytest.approx(float(lift)))
    assert found.matching_sets == matching


@given(rows=rows_of)
@examples(300)
def test_what_is_published_unchanged_is_all_there(rows: list[set[str]]) -> None:
    data = [sorted(row) for row in rows]
    found = measured(data, data)
    assert found.count("as items") == len(found.sets) == found.matching_sets == found.published_sets
    assert found.count_rules("as items") == len(found.rules)
    assert found.support_error() == found.confidence_error() == found.lift_error == 0
    assert all(one.labels == one.items and one.least == one.most == one.support for one in found.sets)
    assert all(one.labels == (*one.given, one.item) for one in found.rules)


def test_nothing_is_visible_if_all_is_the_root() -> None:
    found = measured(BEFORE, [["*"]] * len(BEFORE), hierarchy=SHOP)
    assert found.count("not visible") == len(found.sets) == 3
    assert found.count_rules("not visible") == len(found.rules) > 0
    assert (found.published_sets, found.matching_sets, found.support_error()) == (0, 0, 0)


def test_removed_items_are_gone_and_other_sets_stay() -> None:
    found = measured(BEFORE, [[item for item in row if item != "wine"] for row in BEFORE])
    assert {one.items: one.shown for one in found.sets} == {
        ("beer", "diapers"): "as items",
        ("bread", "wine"): "not visible",
        ("diapers", "soap"): "as items",
    }
    assert found.support_error() == 0


def test_false_records_change_supports_of_items_that_are_published_as_they_are() -> None:
    """Flips: diapers are deleted from one record with beer, and added to one with wine."""
    after = [list(row) for row in BEFORE]
    after[1].remove("diapers")
    after[3].append("diapers")
    found = measured(BEFORE, after)
    first = found.sets[0]
    assert (first.shown, first.support, first.estimate) == ("as items", 3, 2)
    assert first.error == pytest.approx(1 / 3)


def test_sensitive_items_are_items_like_others() -> None:
    found = measured(BEFORE, AFTER, hierarchy=SHOP, sensitive=["bread"])
    assert found.sets[1].items == ("bread", "wine")
    assert found.sets[1].labels == ("bread", "drinks")
    assert [one.items for one in found.sets] == [one.items for one in measured(BEFORE, AFTER, hierarchy=SHOP).sets]
    added = [[*row, "bread"] if at in (1, 2) else row for at, row in enumerate(AFTER)]
    more = measured(BEFORE, added, hierarchy=SHOP, sensitive=["bread"])
    assert more.sets[1].most == 5  # drinks & bread, twice more


def test_only_the_sets_of_a_table_count(tmp_path: Any) -> None:
    table = "age;items\n" + "".join(f"{20 + at % 2};{'|'.join(row)}\n" for at, row in enumerate(BEFORE))
    (tmp_path / "in.csv").write_text(table, encoding="utf-8")
    read = shoal.read(tmp_path / "in.csv", sets="items", delimiter=";", item_delimiter="|")
    found = measured(read, read, quasi_identifiers=["age"])
    assert found == measured(BEFORE, BEFORE)


def test_the_same_sets_with_any_hierarchy() -> None:
    """Ties do not depend on the order of a hierarchy, so releases can be compared."""
    other = shoal.Hierarchy.from_tree({"r": {"z": ["beer", "soap"], "y": {"x": ["bread"], "w": ["wine", "diapers"]}}})

    def rules(found: Patterns) -> list[tuple[Any, ...]]:
        return [(one.given, one.item) for one in found.rules]

    one, two = (measured(BEFORE, BEFORE, hierarchy=tree) for tree in (SHOP, other))
    assert [each.items for each in one.sets] == [each.items for each in two.sets]
    assert rules(one) == rules(two)


def test_no_sets_and_no_rules() -> None:
    nothing = measured([["a"], ["b"], []], [["a"], ["b"], []])
    assert (nothing.sets, nothing.rules, nothing.support_error()) == ((), (), 0)
    only_rules = shoal.measure(BEFORE, BEFORE, rules=2).patterns
    assert only_rules is not None
    assert (only_rules.sets, len(only_rules.rules)) == ((), 2)


def test_rules_need_confidence_and_frequent_sets() -> None:
    found = measured(BEFORE, BEFORE)
    assert all(one.confidence >= CONFIDENCE for one in found.rules)
    assert found.rules_least_support == 2
    assert [one.lift for one in found.rules] == sorted((one.lift for one in found.rules), reverse=True)


@pytest.mark.parametrize("name", ["top_sets", "rules"])
def test_numbers_have_limits(name: str) -> None:
    number: Any
    for number, message in ((0, f"{name} must be at least 1"), (MOST + 1, f"{name} must be from 0 to 1,000, got 1001")):
        with pytest.raises(OptionError, match=message):
            measured(BEFORE, BEFORE, **{name.removeprefix("top_"): number})


def test_a_release_measures_itself() -> None:
    release = shoal.anonymize(BEFORE, k=2, m=2, hierarchy=SHOP)
    compared = release.comparison
    assert patterns(compared.original, compared.published) == measured(BEFORE, release, hierarchy=SHOP)
    rule = FoundRule(("a",), "b", 2, 0.5, 2.0, "not visible", (), None, None)
    assert (rule.error, rule.lift_error) == (0, 0)
