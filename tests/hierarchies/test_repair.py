"""Repairs of malformed hierarchies: the result is a tree, and every repair is told.

Covers: hierarchies/repair.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shoal import hierarchies
from shoal.errors import HierarchyError
from shoal.hierarchies.repair import repair


def _repaired(folder: Path, text: str, format: str | None = None) -> tuple[dict[str, str | None], str]:
    path = folder / "h.csv"
    path.write_text(text)
    found = repair(path, format=format)
    assert path.read_text() == text
    return found.hierarchy.parents_by_label(), "\n".join(found.done)


def test_the_first_parent_stays_and_no_group_becomes_an_item(tmp_path: Path) -> None:
    parents, done = _repaired(tmp_path, "b0;A;*\nb2;A;B;*\n")
    assert parents == {"b0": "A", "b2": "A", "A": "*", "*": None}
    assert "'A' stays below '*' (line 1), and 'B' (line 2) is left out as its second parent." in done


def test_a_cycle_is_cut(tmp_path: Path) -> None:
    parents, done = _repaired(tmp_path, "node,parent\na,b\nb,c\nc,b\nd,e\n")
    assert parents == {"a": "b", "d": "e", "b": "*", "e": "*", "*": None}  # c is a group, and has no items left
    assert "'b' is no longer below 'c', which led back to itself." in done
    assert "went below '*'" in done


def test_rows_that_cannot_be_used_are_left_out(tmp_path: Path) -> None:
    parents, done = _repaired(tmp_path, "a;A;*\na;B;*\nc;;*\nd;A;*\n")
    assert parents == {"a": "A", "d": "A", "A": "*", "*": None}
    assert done.count("Left out: ") == 2


def test_a_common_root_that_is_taken_by_an_item(tmp_path: Path) -> None:
    parents, _ = _repaired(tmp_path, "*;A\nb;B\n")
    assert parents["A"] == parents["B"] == "(all)"


def test_nothing_that_can_be_used(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match=r"cannot be repaired, because no row"):
        _repaired(tmp_path, ";;*\n;;*\n")


@pytest.mark.parametrize("seed", range(30))
def test_any_table_of_parents_becomes_a_tree_with_its_labels(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    pairs = [rng.choice(12, 2, replace=False) for _ in range(rng.integers(1, 25))]
    rows = [f"n{child},n{parent}" for child, parent in pairs]
    leaves = {row.split(",")[0] for row in rows} - {row.split(",")[1] for row in rows}
    if not leaves:
        with pytest.raises(HierarchyError, match="no item is left"):
            _repaired(tmp_path, "node,parent\n" + "\n".join(rows) + "\n", "parents")
        return
    parents, _ = _repaired(tmp_path, "node,parent\n" + "\n".join(rows) + "\n", "parents")
    assert leaves <= parents.keys() - set(parents.values())
    tree = repair(tmp_path / "h.csv", format="parents").hierarchy
    hierarchies.save(tree, tmp_path / "again.csv")
    assert hierarchies.problems(tmp_path / "again.csv") == []
