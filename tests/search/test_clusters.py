"""Clusters by persons: what can stand alone, and what comes out of every algorithm, against the definitions.

Covers: search/needs.py.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.algorithms.base import Algorithm
from shoal.data.relational import Relational
from shoal.engines import LOCAL
from shoal.errors import Infeasible
from shoal.search.needs import Needs
from shoal.testing import persons, problems
from tests.budget import examples

km = st.builds(shoal.KKm, k=st.integers(2, 3), m=st.integers(1, 2))
lm = st.builds(
    shoal.KLm, k=st.integers(2, 3), l=st.integers(2, 3), m=st.integers(1, 2), sensitive=st.just(("s0", "s1"))
)


@st.composite
def of_persons(draw: st.DrawFn, given: st.SearchStrategy[shoal.Problem]) -> shoal.Problem:
    """Problems some of which have several rows of a person."""
    problem = draw(given)
    rows = problem.data.transactions.of_persons(draw(persons(len(problem.data))))
    return replace(problem, data=problem.data.with_transactions(rows))


def people_of(problem: shoal.Problem) -> list[int]:
    given = problem.prepared.items.persons
    return list(range(len(problem.prepared.items))) if given is None else given.of.tolist()


def is_safe(problem: shoal.Problem, rows: list[frozenset[str]], group: list[int]) -> bool:
    """Whether the rows of a class are, by the definition: known are 0..m labels."""
    people, hidden, values = people_of(problem), problem.prepared.sensitive.sets(), problem.model.values()
    k, l, m = values["k"], values.get("l", 0), values.get("m", 0)

    def count(some: list[int]) -> int:
        return len({people[row] for row in some})

    known = {frozenset(c) for row in group for n in range(m + 1) for c in itertools.combinations(rows[row], n)}
    for labels in known:
        holders = [row for row in group if labels <= rows[row]]
        if count(holders) < k:
            return False
        for value in ("s0", "s1") if l else ():
            told = [row for row in holders if value in hidden[row]]
            if len(told) * l > len(holders) or count(told) * l > count(holders):
                return False
    return True


@examples(200)
@given(problem=of_persons(problems(km | lm)), data=st.data())
def test_what_can_stand_alone(problem: shoal.Problem, data: st.DataObject) -> None:
    """Clusters that are safe with all their items as one label."""
    items = problem.prepared.items
    top = [frozenset(["ALL"] if row else []) for row in items.sets()]
    cluster_of = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(items), max_size=len(items))))
    cluster_of = np.unique(cluster_of, return_inverse=True)[1]
    groups = [np.flatnonzero(cluster_of == number) for number in range(cluster_of.max() + 1)]
    needs, wanted = Needs(problem.prepared), [is_safe(problem, top, group.tolist()) for group in groups]
    assert needs.feasible(np.arange(len(items)), cluster_of) == wanted
    assert [needs.is_feasible(group) for group in groups] == wanted


ALGORITHMS: list[Algorithm] = [
    shoal.algorithms.Rfirst(within="aa"),
    shoal.algorithms.Rfirst(within="sets", formation="mondrian"),
    shoal.algorithms.Tfirst(within="aa"),
    shoal.algorithms.Tfirst(within="sets"),
    shoal.algorithms.RmergeR(within="sets-ul"),
    shoal.algorithms.RmergeRT(within="aa", distance="ul"),
    shoal.algorithms.TmergeT(within="sets", delta=0.4),
]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda one: f"{one.name}-{one.values()['within']}")
@examples(100)
@given(problem=of_persons(problems(km | lm)))
def test_classes_are_safe_by_persons(algorithm: Algorithm, problem: shoal.Problem) -> None:
    """Inside each class of equal columns, whatever the clusters that are in it.

    Only data that are safe neither as they are nor with everything alike may be refused, and not as impossible.
    """
    prepared = problem.prepared
    rows = prepared.items.sets()
    top = [frozenset(["ALL"] if row else []) for row in rows]
    equal = classes(prepared.relational)
    easy = is_safe(problem, top, list(range(len(rows)))) or all(is_safe(problem, rows, group) for group in equal)
    try:
        algorithm.feasible(prepared)
        recoding = algorithm.solve(prepared, LOCAL).recoding
    except Infeasible as error:
        if easy and "delta=" not in str(error):
            raise
        return
    published = recoding.apply(prepared.items, prepared.sensitive_part)
    assert all(is_safe(problem, published.rows.sets(), group) for group in classes(published.relational))


def classes(columns: Relational | None) -> list[list[int]]:
    """The rows of each class of equal columns."""
    assert columns is not None
    return [np.flatnonzero(columns.classes == number).tolist() for number in range(columns.classes.max() + 1)]
