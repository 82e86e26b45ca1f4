"""Sets of items as labels: a set is never called like an item, or a group, that stands for something else."""

from __future__ import annotations

import pytest

import shoal
from shoal.data import Hierarchy
from shoal.errors import DataError
from tests.conftest import Shell


def test_a_set_called_like_an_item_is_refused(shell: Shell) -> None:
    shell.write("d.csv", 'age,items\n1,a\n1,b\n2,"(a,b)"\n2,c\n')
    how = ("--model", "k-km", "--k", "2", "--m", "1", "--algorithm", "rfirst", "--item-delimiter", "|")
    error = shell.fails("anonymize", "d.csv", "-o", "o.csv", *how)
    assert "An item has the name '(" in error
    assert "--within aa" in error


@pytest.mark.parametrize("extra", ["(a,b)", "(a,b)/group"])
def test_also_like_one_of_the_hierarchy(extra: str) -> None:
    pa = pytest.importorskip("pyarrow")
    data = shoal.read(pa.table({"age": ["1"] * 4, "items": [["a"], ["b"], ["c"], ["c"]]}))
    below: dict[str, object] = {"(a,b)": ["x", "y"]} if "group" in extra else {"(a,b)": []}
    tree = Hierarchy.from_tree({"*": {"a": [], "b": [], "c": [], **below}})
    problem = shoal.Problem(data, tree, shoal.KKm(k=2, m=1))
    with pytest.raises(DataError, match=r"'\(a,b\)'"):
        shoal.anonymize(problem, algorithm=shoal.algorithms.Rfirst())


def test_also_like_a_sensitive_item() -> None:
    pa = pytest.importorskip("pyarrow")
    data = shoal.read(pa.table({"age": ["1"] * 4, "items": [["a"], ["b", "(a,b)"], ["c"], ["c"]]}))
    model = shoal.KLm(k=2, l=2, m=1, sensitive=("(a,b)",))
    with pytest.raises(DataError, match=r"'\(a,b\)'"):
        shoal.anonymize(shoal.Problem(data, Hierarchy.flat("abc"), model), algorithm=shoal.algorithms.Rfirst())
