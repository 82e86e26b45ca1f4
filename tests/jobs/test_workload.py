"""``shoal.workload`` from Python: the same as the command.

Covers: jobs/arguments.py.
"""

from __future__ import annotations

import pyarrow as pa
import pytest

import shoal
from shoal.errors import OptionError
from tests.conftest import Shell


def test_the_command_writes_the_same_queries(shell: Shell) -> None:
    shell.write("t.csv", "age,items\n20,a b\n25,a c\n30,b c\n")
    words = ("--queries", "4", "--seed", "3", "--sensitive", "a", "--query-items", "1")
    code, _, err = shell("workload", "t.csv", "--sets", "items", "-o", "q.jsonl", *words, "--quasi-identifiers", "age")
    assert code == 0, err
    table = pa.table({"age": ["20", "25", "30"], "items": [["a", "b"], ["a", "c"], ["b", "c"]]})
    drawn = shoal.workload(table, queries=4, items=1, seed=3, sensitive=["a"], quasi_identifiers=["age"])
    drawn.save("mine.jsonl")
    assert (shell.folder / "mine.jsonl").read_bytes() == (shell.folder / "q.jsonl").read_bytes()
    assert not any("a" in query.items for query in drawn)


def test_names_come_in_a_list() -> None:
    with pytest.raises(OptionError, match="quasi_identifiers= must be a list of names, got the text 'age'"):
        shoal.workload([["a"]], quasi_identifiers="age")
    with pytest.raises(OptionError, match="sensitive= must be a list of names"):
        shoal.workload([["a"]], sensitive="a")
