"""Which releases of a series are put together, and what is learned then.

Covers: series/check.py, series/relations.py, series/wording.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.errors import SeriesBroken
from shoal.series import Series
from shoal.series.wording import told
from tests.series.shops import BASKETS, OPTIONS, TREE, start, table


def drawn(seed: int, rows: int = 300) -> list[list[str]]:
    """Baskets of 24 items."""
    rng = np.random.default_rng(seed)
    items = [f"i{at:02}" for at in range(24)]
    return [sorted(set(rng.choice(items, rng.integers(2, 6)).tolist())) for _ in range(rows)]


def shuffled(rows: list[list[str]]) -> list[list[str]]:
    return [rows[at] for at in np.random.default_rng(5).permutation(len(rows))]


def pairs_of_items(shift: int) -> shoal.Hierarchy:
    """A hierarchy of pairs of neighbours, from another item on."""
    items = [f"i{(at + shift) % 24:02}" for at in range(24)]
    return shoal.Hierarchy.from_tree({"ALL": {f"g{shift}.{at}": items[2 * at : 2 * at + 2] for at in range(12)}})


OTHERS: dict[str, Any] = {
    "the same order": lambda rows: rows,
    "another order": shuffled,
    "one record in front": lambda rows: [["i03", "i07"], *rows],
    "one record less": lambda rows: rows[1:],
    "another order, one record less": lambda rows: shuffled(rows)[1:],
    "every ninth replaced": lambda rows: [
        other if at % 9 == 0 else row for at, (row, other) in enumerate(zip(rows, drawn(9), strict=True))
    ],
}


@pytest.mark.parametrize("how", OTHERS)
def test_the_same_records_are_found_however_they_are_arranged(tmp_path: Path, how: str) -> None:
    rows = drawn(1)
    options: dict[str, Any] = {"k": 55, "m": 1, "algorithm": "optimal", "rule": "new-records"}
    series = Series.start(tmp_path / "s", "one", rows, hierarchy=pairs_of_items(0), **options)
    with pytest.raises(SeriesBroken) as caught:
        series.add("two", OTHERS[how](rows), hierarchy=pairs_of_items(1), assume_new=True)
    assert caught.value.found.relations[-1].same
    other = series.add("other", drawn(77), assume_new=True)  # it must not hide the first one
    with pytest.raises(SeriesBroken, match="This series publishes new records only"):
        other.add("two", OTHERS[how](rows), hierarchy=pairs_of_items(1), assume_new=True)


@pytest.mark.parametrize("how", [how for how in OTHERS if how not in ("the same order", "another order")])
def test_who_came_and_left_is_seen_without_ids(tmp_path: Path, how: str) -> None:
    series = Series.start(tmp_path / "s", "one", drawn(1), hierarchy=pairs_of_items(0), k=30, m=1)
    with pytest.raises(SeriesBroken):
        series.add("two", OTHERS[how](drawn(1)))


@pytest.mark.parametrize("rule", ["same-recoding", "new-records"])
def test_other_records_are_not_taken_for_the_same(tmp_path: Path, rule: Any) -> None:
    stated: dict[str, Any] = {"assume_new": True} if rule == "new-records" else {}
    series = Series.start(tmp_path / "s", "one", drawn(1), hierarchy=pairs_of_items(0), k=5, m=1, rule=rule)
    for seed in range(2, 6):
        series = series.add(f"r{seed}", drawn(seed, 280 + seed), **stated)
    assert {one.how for one in series.check().relations} == {"different"}
    series = Series.start(tmp_path / "t", "one", drawn(3, 30), k=25, m=1, rule=rule, hierarchy=pairs_of_items(0))
    result = series.add("two", drawn(4, 31), **stated).check()
    how, sentence = {
        "same-recoding": ("different", "one and two: they hold different records"),
        "new-records": ("unknown", "one and two: not put together, as their labels do not tell"),
    }[rule]
    assert result.relations[0].how == how
    assert told(result)[0].startswith(sentence)


def test_ids_that_differ_are_not_believed_if_the_records_are_the_same(tmp_path: Path) -> None:
    options: dict[str, Any] = {"rule": "new-records", "record_id": "basket", "columns": "none", "sets": "items"}
    rows = ["|".join(row) for row in drawn(1)]
    jan, feb = table(tmp_path / "jan.csv", 0, rows), table(tmp_path / "feb.csv", 1000, rows[::-1])
    series = Series.start(
        tmp_path / "s", "jan", jan, k=55, m=1, algorithm="optimal", hierarchy=pairs_of_items(0), **options
    )
    with pytest.raises(SeriesBroken):
        series.add("feb", feb, hierarchy=pairs_of_items(1))


def test_changed_records_can_only_hide_among_each_other(tmp_path: Path) -> None:
    series = start(tmp_path)
    changed = table(tmp_path / "feb.csv", 0, ["ale|bun", *BASKETS[1:]])
    with pytest.raises(SeriesBroken, match=r"1 record of jan is not as in another release.*too few") as caught:
        series.add("feb", changed)
    assert {group.releases for group in caught.value.found.linked[0].groups if group.changed} == {("jan",), ("feb",)}


def test_records_that_say_nothing_must_be_enough_too(tmp_path: Path) -> None:
    rows = [["a", "b"], ["a", "b"], ["a", "c"], ["b"], ["d", "e"], ["d"]] * 2
    path = tmp_path / "one.csv"
    path.write_text("id,items\n" + "".join(f"{at},{'|'.join(row)}\n" for at, row in enumerate(rows)), "utf-8")
    more = tmp_path / "two.csv"
    more.write_text(path.read_text("utf-8") + "99,c\n", "utf-8")
    options: dict[str, Any] = {"sets": "items", "record_id": "id", "item_delimiter": "|"}
    series = Series.start(tmp_path / "s", "one", path, k=3, m=2, algorithm="mhghs", **options)
    assert "c" in series.releases[0].recoding.suppressed
    with pytest.raises(SeriesBroken, match=r"1 record is in two only.*too few to hide among each other, whatever"):
        series.add("two", more)


def test_persons_that_are_named_later_are_counted(tmp_path: Path) -> None:
    rows, who = ["ale|rye"] * 4 + ["fig"] * 4, ["ann", "ann", "ann", "ann", "bob", "cy", "di", "ed"]
    series = Series.start(
        tmp_path / "s", "jan", table(tmp_path / "jan.csv", 0, rows), **{**OPTIONS, "record_id": "basket"}
    )
    later = table(tmp_path / "feb.csv", 0, [*rows, "ale|rye", "ale|rye"], who=[*who, "flo", "gus"])
    with pytest.raises(SeriesBroken, match="8 records are in jan and feb"):
        series.add("feb", later, person="who")


def test_sensitive_items_of_earlier_releases_count(tmp_path: Path) -> None:
    first = ["ale|HIV", "ale|HIV", *["ale"] * 4, *["rye"] * 4]
    model: dict[str, Any] = {"model": "lm", "l": 2, "m": 1, "sensitive": ["HIV"]}
    options: dict[str, Any] = {
        "hierarchy": TREE,
        "algorithm": "optimal",
        "sets": "items",
        "record_id": "basket",
        **model,
    }
    series = Series.start(tmp_path / "s", "jan", table(tmp_path / "jan.csv", 0, first), **options)
    feb = tmp_path / "feb.csv"
    rows = [(0, "ale"), (1, "ale"), *((10 + at, "ale|HIV" if at == 0 else "ale") for at in range(6))]
    feb.write_text("basket,items\n" + "".join(f"{at},{row}\n" for at, row in rows), "utf-8")
    with pytest.raises(SeriesBroken, match="2 records are in jan and feb"):
        series.add("feb", feb)
