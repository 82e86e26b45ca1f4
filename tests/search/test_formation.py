"""Clusters of at least k persons: Mondrian against brute force, and both ways on random columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.persons import Persons
from shoal.data.scales import Line, Values
from shoal.engines import LOCAL
from shoal.search.formation import FORMATIONS, whole_persons
from shoal.search.ncp_scale import NcpScale
from shoal.testing import persons, problems
from tests.budget import examples

columns = problems(st.just(shoal.models.K(k=2)), max_leaves=2)


def slow_mondrian(ncp: NcpScale, rows: list[int], people: list[int], k: int) -> list[list[int]]:
    """Rows halved by the definition, one cut after the other; for all but trees."""

    def cost(at: int) -> int:
        scale, held = ncp.scales[at], {int(ncp.codes[at][row]) for row in rows}
        if len(held) > 1 and scale.missing in held:
            return scale.whole
        if isinstance(scale, Values):
            return int(scale.costs[len(held)])
        return int(scale.costs[max(held)] - scale.costs[min(held)])

    for codes in (ncp.codes[at] for at in sorted(range(len(ncp.codes)), key=lambda at: -cost(at))):
        cuts = []
        for code in sorted({int(codes[row]) for row in rows})[:-1]:
            halves = [r for r in rows if codes[r] <= code], [r for r in rows if codes[r] > code]
            if min(len({people[r] for r in half}) for half in halves) >= k:
                cuts.append((abs(len(halves[0]) - len(halves[1])), code, halves))
        if cuts:
            return [part for half in min(cuts)[2] for part in slow_mondrian(ncp, half, people, k)]
    return [rows]


@examples(150)
@given(problem=columns, k=st.integers(1, 4), data=st.data())
def test_mondrian_keeps_k_persons_on_both_sides(problem: shoal.Problem, k: int, data: st.DataObject) -> None:
    raw = problem.prepared.relational
    assert raw is not None
    ncp, n = NcpScale.of(raw), len(raw)
    people = data.draw(persons(n)) or list(range(n))
    made = FORMATIONS["mondrian"](raw, ncp, k, 0, LOCAL, Persons(np.array(people)).repeaters)
    if all(isinstance(scale, Line | Values) for scale in ncp.scales):
        slow = np.zeros(n, dtype=np.int64)
        for number, rows in enumerate(slow_mondrian(ncp, list(range(n)), people, k)):
            slow[rows] = number
        assert made.tolist() == raw.generalized(slow).classes.tolist()


@pytest.mark.parametrize("formation", sorted(FORMATIONS))
@examples(100)
@given(problem=columns, k=st.integers(1, 5), data=st.data())
def test_clusters_have_k_persons(formation: str, problem: shoal.Problem, k: int, data: st.DataObject) -> None:
    raw = problem.prepared.relational
    assert raw is not None
    ncp, n, form = NcpScale.of(raw), len(raw), FORMATIONS[formation]
    people = np.array(data.draw(persons(n)) or list(range(n)))
    k = min(k, len(set(people.tolist())))
    made = form(raw, ncp, k, 1, LOCAL, Persons(people).repeaters)
    for cluster in range(made.max() + 1):
        assert len(set(people[made == cluster].tolist())) >= k
    alone = form(raw, ncp, k, 1, LOCAL, Persons(np.arange(n, dtype=np.int32)[::-1]).repeaters)
    assert alone.tolist() == form(raw, ncp, k, 1, LOCAL).tolist()


@given(parts=st.lists(st.integers(0, 3), min_size=1, max_size=12), data=st.data())
def test_whole_persons(parts: list[int], data: st.DataObject) -> None:
    people = data.draw(persons(len(parts))) or list(range(len(parts)))
    given = np.array(parts, dtype=np.int64)
    made = (
        whole_persons(given, Persons(np.array(people)).repeaters).tolist() if len(set(people)) < len(people) else parts
    )
    chosen = []
    for row, person in enumerate(people):
        own = [parts[r] for r in range(len(parts)) if people[r] == person]
        chosen.append(max(sorted(set(own)), key=own.count) if len(own) > 1 else parts[row])
    if made is not parts:
        assert made == [sorted(set(chosen)).index(part) for part in chosen]
