"""Classes with records of the same persons: what no grouping can change is refused, and the rest is searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import assume, given

import shoal
from shoal.errors import Infeasible
from shoal.testing import problems
from tests.budget import examples
from tests.search.test_clusters import is_safe, lm, of_persons


def groupings(rows: list[int]) -> Iterator[list[list[int]]]:
    """All ways to group some rows."""
    if not rows:
        yield []
        return
    for rest in groupings(rows[1:]):
        yield [[rows[0]], *rest]
        for at, group in enumerate(rest):
            yield [*rest[:at], [rows[0], *group], *rest[at + 1 :]]


@examples(150)
@given(problem=of_persons(problems(lm, max_rows=4)))
def test_what_is_refused_before_any_work_is_impossible(problem: shoal.Problem) -> None:
    """No grouping of the records is safe, with their items as they are or all alike."""
    prepared = problem.prepared
    assume(len(prepared.items) <= 7)
    try:
        prepared.privacy.feasible(prepared.original)
    except Infeasible:
        rows = prepared.items.sets()
        for known in (rows, [frozenset(["ALL"] if row else []) for row in rows]):
            for groups in groupings(list(range(len(rows)))):
                assert not all(is_safe(problem, known, group) for group in groups)


def test_classes_may_part_persons() -> None:
    """Each class tells 1 of 2 persons, all records together both: so no cluster may have both records of a person."""
    table = {"who": [1, 2, 1, 2], "age": [19, 19, 70, 70], "items": [["a", "s"], ["a"], ["a"], ["a", "s"]]}
    data = shoal.read(pa.table(table), person="who")
    problem = shoal.Problem(data, shoal.Hierarchy.flat(["a", "s"]), shoal.KLmDiversity(k=2, m=1, sensitive=("s",)))
    for algorithm in (shoal.Tfirst(), shoal.RmergeRT(), shoal.TmergeRT(), shoal.RmergeR(rum="class-size")):
        assert shoal.anonymize(problem, algorithm).losses["relational_ncp"] == 0
    alike = shoal.read(pa.table(table | {"age": [19] * 4}), person="who")
    with pytest.raises(Infeasible, match=r"RmergeRT found no groups .* records of 2 of 2 persons. Not all groupings"):
        shoal.anonymize(replace(problem, data=alike))
