"""``shoal.profile`` from Python: the same as the command."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import shoal
from shoal.errors import OptionError
from tests.conftest import Shell


def test_the_command_prints_the_dict(shell: Shell) -> None:
    _, out, _ = shell("profile", "in.basket", "--k", "2", "--m", "2", "--top", "3", "--json")
    result = shoal.profile("in.basket", k=2, m=2, top=3)
    assert json.dumps(result.as_dict(), indent=2) + "\n" == out
    assert dict(result.top_items) == {"a2": 3, "b1": 3, "b2": 3}


def test_columns_count_too_if_they_are_named(shell: Shell) -> None:
    shell.write("t.csv", "age,job,items\n20,x,a b\n20,y,a b\n30,x,a b\n")
    words = ("t.csv", "--column", "items", "--k", "2", "--m", "1", "--quasi-identifiers", "age")
    _, out, err = shell("profile", *words, "--json")
    data = shoal.read("t.csv", column="items")
    result = shoal.profile(data, k=2, m=1, quasi_identifiers=["age"])
    assert json.dumps(result.as_dict(), indent=2) + "\n" == out
    assert result.risk_by_columns is not None
    assert (result.risk_by_columns.unique, result.risk.unique) == ((1,), (1,))
    assert err == f"Note: {result.notes[0]}\n"


def test_without_items() -> None:
    result = shoal.profile(pa.table({"items": pa.array([[], []], pa.list_(pa.string()))}))
    assert (result.records, result.empty_records, result.items, result.mean_size) == (2, 2, 0, 0.0)


@pytest.mark.parametrize("options", [{"k": 1}, {"m": 0}, {"top": -1}])
def test_numbers_that_are_too_small(options: dict[str, int]) -> None:
    with pytest.raises(OptionError, match=r"profile: \w+ must be at least \d, got"):
        shoal.profile([["a"]], **options)  # type: ignore[arg-type]
