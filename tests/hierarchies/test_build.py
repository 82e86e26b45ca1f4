"""A hierarchy built over the items of data, from Python: the same as the command writes."""

from __future__ import annotations

import pyarrow as pa
import pytest

import shoal
from shoal import hierarchies
from shoal.errors import OptionError
from tests.conftest import Shell

SEVERAL = pa.table({"A": [["10", "11"], ["2"]], "B": [["x"], ["y"]]})


@pytest.mark.parametrize("by", ["frequency", "random", "label", "prefix"])
def test_the_command_writes_the_same(shell: Shell, by: str) -> None:
    words = ("--seed", "3") if by == "random" else ("--lengths", "1") if by == "prefix" else ()
    code, _, err = shell("hierarchy", "build", "in.basket", "-o", "b.csv", "--fanout", "2", "--by", by, *words)
    assert code == 0, err
    lengths = [1] if by == "prefix" else None
    tree = hierarchies.build(shoal.read("in.basket"), by=by, fanout=2, seed=3, lengths=lengths)  # type: ignore[arg-type]
    assert tree.parents_by_label() == hierarchies.load("b.csv").parents_by_label()


def test_several_columns_of_sets_have_a_tree_each() -> None:
    tree = hierarchies.build(shoal.read(SEVERAL, sets=("A", "B")), by="prefix", lengths=[1])
    assert tree.labels[-1] == "A+B"
    assert tree.items_of("A.1*") == ("A.10", "A.11")


def test_a_root_that_would_be_read_as_another_label() -> None:
    with pytest.raises(OptionError, match=r"root='any' would be published as 'A\.any'"):
        hierarchies.build(shoal.read(SEVERAL, sets=("A", "B")), root="any")
