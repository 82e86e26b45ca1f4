"""A bound on the loss of the columns that follows from the data: always feasible, and its neighbours are told."""

from __future__ import annotations

import pytest
from hypothesis import given

import shoal
from shoal.data.notes import ChosenDelta, DeltaCost
from shoal.engines import LOCAL
from shoal.errors import Infeasible
from shoal.report.wording import worded
from shoal.search.formation import FORMATIONS
from shoal.search.ncp_scale import NcpScale
from shoal.testing import problems
from tests.algorithms.test_rmerge import km, lm
from tests.budget import examples


@examples(60)
@given(problem=problems(km | lm))
def test_the_default_never_fails_because_of_delta(problem: shoal.Problem) -> None:
    try:
        release = shoal.anonymize(problem, algorithm=shoal.algorithms.RmergeRT())
    except Infeasible as error:
        assert "delta=" not in str(error)  # noqa: PT017
        return
    (note,) = [note for note in release.note_values if isinstance(note, ChosenDelta)]
    assert note.least <= note.chosen.columns <= note.chosen.delta + 1e-9
    assert note.chosen.columns == pytest.approx(release.losses["relational_ncp"], abs=1e-9)
    assert note.chosen.sets == pytest.approx(release.loss, abs=1e-12)
    assert all(one.columns <= one.delta + 1e-9 and 0 <= one.sets <= 1 for one in note.neighbours)


@examples(40)
@given(problem=problems(km))
def test_the_formation_that_loses_less_is_taken(problem: shoal.Problem) -> None:
    raw, k = problem.prepared.relational, problem.model.values()["k"]
    if raw is None or len(raw) < k:
        return
    ncp = NcpScale.of(raw)
    costs = {name: ncp.total(way(raw, ncp, k, 0, LOCAL)) for name, way in FORMATIONS.items()}
    assert costs["auto"] == min(costs.values())


def test_the_sentence_tells_the_neighbours() -> None:
    note = ChosenDelta(DeltaCost(0.25, 0.24, 0.04), 0.1, (DeltaCost(0.17, 0.17, 0.06), DeltaCost(0.37, 0.36, 0.03)))
    assert worded(note) == (
        "No delta= was given, so 0.25 was chosen. The columns lose 0.2400 (with any delta at least 0.1000), and the "
        "sets lose 0.0400. The sets would lose about 0.0600 with delta=0.17 and about 0.0300 with delta=0.37."
    )
    assert "would lose" not in worded(ChosenDelta(note.chosen, 0.25, ()))
