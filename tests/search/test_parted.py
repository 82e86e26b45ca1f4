"""Classes with records of the same persons: what no grouping can change is refused, and the rest is searched."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import assume, given

import shoal
from shoal.errors import Infeasible
from shoal.search.parted import must_part
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
        prepared.model.feasible(prepared.original)
    except Infeasible:
        rows = prepared.items.sets()
        for known in (rows, [frozenset(["ALL"] if row else []) for row in rows]):
            for groups in groupings(list(range(len(rows)))):
                assert not all(is_safe(problem, known, group) for group in groups)


def test_classes_may_part_persons() -> None:
    """Each class tells 1 of 2 persons, all records together both: so no cluster may have both records of a person."""
    table = {"who": [1, 2, 1, 2], "age": [19, 19, 70, 70], "items": [["a", "s"], ["a"], ["a"], ["a", "s"]]}
    data = shoal.read(pa.table(table), person="who")
    problem = shoal.Problem(data, shoal.Hierarchy.flat(["a", "s"]), shoal.KLm(k=2, m=1, sensitive=("s",)))
    for algorithm in (
        shoal.algorithms.Tfirst(),
        shoal.algorithms.RmergeRT(),
        shoal.algorithms.TmergeRT(),
        shoal.algorithms.RmergeR(rum="class-size"),
    ):
        assert shoal.anonymize(problem, algorithm=algorithm).losses["relational_ncp"] == 0
    alike = shoal.read(pa.table(table | {"age": [19] * 4}), person="who")
    with pytest.raises(
        Infeasible, match=r"RmergeRT found no groups .* records of 2 of 2 persons. Other groupings may work"
    ):
        shoal.anonymize(replace(problem, data=alike))


def in_need(seed: int) -> shoal.Problem | None:
    """Some records of few persons that no cluster with all records of a person can be safe with; none: it can."""
    draw = random.Random(seed)
    people, count = draw.randint(2, 5), draw.randint(6, 14)
    table = {
        "who": [draw.randrange(people) for _ in range(count)],
        "age": [draw.randrange(6) for _ in range(count)],
        "size": [draw.choice(["s", "m", ""]) for _ in range(count)],
        "items": [draw.sample("ab", draw.choice([0, 1, 1, 2])) + ["s"] * (draw.random() < 0.3) for _ in range(count)],
    }
    data = shoal.read(pa.table(table), person="who", sets="items")
    model = shoal.KLm(k=2, m=1, sensitive=("s",))
    problem = shoal.Problem(data, shoal.Hierarchy.flat(["a", "b", "s"]), model, seed=seed, allow_missing=True)
    return problem if must_part(problem.prepared) else None


def test_unions_are_looked_at_again() -> None:
    """Whatever is merged or published alike is safe: otherwise the verifier would refuse the release."""
    found = 0
    for problem in filter(None, map(in_need, (*range(10), 41, 51, 174, 254))):  # the last two: published alike
        for algorithm in (
            shoal.algorithms.Rfirst(within="sets"),
            shoal.algorithms.RmergeR(within="sets", delta=1),
            shoal.algorithms.TmergeR(delta=0),
        ):
            with contextlib.suppress(Infeasible):
                found += shoal.anonymize(problem, algorithm=algorithm).verdict.holds
    assert found > 15
