"""``shoal.workload`` from Python: the same as the command.

Covers: jobs/arguments.py.
"""

from __future__ import annotations

import pyarrow as pa

import shoal
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


def test_a_text_is_one_name() -> None:
    table = pa.table({"age": ["20", "25", "30"], "items": [["ab", "c"], ["ab", "c"], ["ab"]]})
    one = shoal.workload(table, queries=3, quasi_identifiers="age", sensitive="ab")
    assert one == shoal.workload(table, queries=3, quasi_identifiers=["age"], sensitive=["ab"])
    assert not any("ab" in query.items for query in one)
