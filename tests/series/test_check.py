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
from shoal.risk.together import pairing
from shoal.series import Series
from shoal.series.wording import told
from tests.series.shops import BASKETS, OPTIONS, TREE, drawn, shuffled, start, table


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
        "same-recoding": ("unknown", "one and two were not put together: their labels do not tell"),
        "new-records": ("unknown", "one and two were not put together: their labels do not tell"),
    }[rule]
    assert (result.holds, result.sure) == (True, False)
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
    with pytest.raises(SeriesBroken, match=r"1 record changed between jan and feb.*too few") as caught:
        series.add("feb", changed)
    assert {group.releases for group in caught.value.found.linked[0].groups if group.changed} == {("jan", "feb")}


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


def test_a_large_part_of_the_records_is_found(tmp_path: Path) -> None:
    rows = drawn(1, 1000)
    part = shuffled([*rows[:700], *drawn(9, 300)])
    options: dict[str, Any] = {"k": 5, "m": 1, "hierarchy": pairs_of_items(0)}
    series = Series.start(tmp_path / "s", "one", rows, rule="new-records", **options)
    with pytest.raises(SeriesBroken, match="two holds a large part of the records of one"):
        series.add("two", part, assume_new=True)
    result = Series.start(tmp_path / "t", "one", rows, **options).add("two", part).check()
    assert (result.relations[0].how, result.holds, result.sure) == ("partly", True, False)


def test_sorted_months_are_not_taken_for_the_same_rows(tmp_path: Path) -> None:
    months = [sorted(["bag", row[0]] for row in drawn(seed, 400)) for seed in (1, 2)]
    series = Series.start(tmp_path / "s", "one", months[0], rule="new-records", k=5, m=1)
    assert series.add("two", months[1], assume_new=True).check().relations[0].how != "position"


@pytest.mark.parametrize("same", [True, False])
def test_very_large_releases_are_compared_by_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same: bool) -> None:
    monkeypatch.setattr(pairing, "EVERY", 1)
    items = [f"i{at:02}" for at in range(60)]
    rng = np.random.default_rng(1)
    rows = [sorted(set(rng.choice(items, 4).tolist())) for _ in range(800)]
    trees = [
        shoal.Hierarchy.from_tree({"ALL": {f"{name}{at}": order[2 * at : 2 * at + 2] for at in range(30)}})
        for name, order in (("x", items), ("y", [*items[1:], items[0]]))
    ]
    again = shuffled(rows) if same else [sorted(set(rng.choice(items, 4).tolist())) for _ in range(800)]
    options: dict[str, Any] = {"k": 60, "m": 1, "algorithm": "optimal", "rule": "new-records"}
    series = Series.start(tmp_path / "s", "one", rows, hierarchy=trees[0], **options)
    if same:
        with pytest.raises(SeriesBroken, match="two holds the records of one again, in another order"):
            series.add("two", again, hierarchy=trees[1], assume_new=True)
    else:
        result = series.add("two", again, hierarchy=trees[1], assume_new=True).check()
        assert result.relations[0].how in ("different", "large")
        assert result.sure == (result.relations[0].how == "different")


def changed(path: Path, sets: list[str]) -> Path:
    """Records with the same ids as always, and these items."""
    return table(path, 0, sets)


def test_what_changed_records_held_before_and_after_is_put_side_by_side(tmp_path: Path) -> None:
    options: dict[str, Any] = {"k": 5, "sets": "items", "record_id": "basket", "hierarchy": TREE, "item_delimiter": "|"}
    options |= {"algorithm": "optimal"}
    before, after = ["ale"] * 5 + ["stout"] * 5, ["rye", *["bun"] * 5, *["rye"] * 4]
    series = Series.start(tmp_path / "s", "jan", changed(tmp_path / "1.csv", before), m=2, **options)
    with pytest.raises(SeriesBroken, match=r"10 records changed between jan and feb.*smallest crowd is 1 record"):
        series.add("feb", changed(tmp_path / "2.csv", after))
    model: dict[str, Any] = {**options, "model": "lm", "l": 2, "m": 1, "sensitive": ["HIV", "FLU"]}
    model.pop("k")
    first = ["ale|HIV"] * 4 + ["ale|FLU"] + ["ale"] * 7
    second = ["rye"] * 4 + ["bun|HIV", "bun|FLU"] + ["bun"] * 6
    series = Series.start(tmp_path / "t", "jan", changed(tmp_path / "3.csv", first), **model)
    with pytest.raises(SeriesBroken, match="12 records changed between jan and feb"):
        series.add("feb", changed(tmp_path / "4.csv", second))


def test_records_that_changed_at_other_times_do_not_hide_each_other(tmp_path: Path) -> None:
    options: dict[str, Any] = {"k": 5, "m": 1, "sets": "items", "record_id": "basket", "hierarchy": TREE}
    options |= {"algorithm": "optimal", "item_delimiter": "|"}
    months = [["ale"] * 12, ["rye"] * 6 + ["ale"] * 5 + ["rye"], ["ale"] * 6 + ["fig"] * 6]
    series = Series.start(tmp_path / "s", "jan", changed(tmp_path / "1.csv", months[0]), **options)
    series = series.add("feb", changed(tmp_path / "2.csv", months[1]))
    with pytest.raises(SeriesBroken, match="1 record changed between jan and feb and mar"):
        series.add("mar", changed(tmp_path / "3.csv", months[2]))
