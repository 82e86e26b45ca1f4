"""The page of P4: its grids, and that its claims follow the rows."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import shoal
from benchmarks.data import REAL
from benchmarks.papers import p4
from shoal.evaluation import grid_file
from shoal.evaluation.grid import Case
from shoal.evaluation.run_case import run_case
from shoal.jobs.dataset_spec import DatasetSpec

LOSSES = {"aa": 0.3, "optimal": 0.25, "partition": 0.2, "mm": 0.9, "mhghs": 0.1, "optimal-suppress": 0.1}


@pytest.mark.skipif(not REAL.is_dir(), reason="needs the real data sets (SHOAL_DATA)")
def test_the_grids_hold_every_cell_of_the_figure() -> None:
    cases = grid_file.load(grid_file.named()["p4-fig3"], REAL).cases
    assert {case.algorithm.name for case in cases} == set(p4.NAMES)
    assert len(cases) == 4 * 3 + 4 * 9 * 4 + 3 * 9  # LG for each k; optimal-suppress not on generated data
    grown = grid_file.load(grid_file.named()["p4-growth"], REAL).cases
    assert len(grown) == 16


def made(losses: dict[str, float] | None = None, cpu: dict[str, float] | None = None) -> list[dict[str, Any]]:
    """Rows of one data set; losses grow with k."""
    rows = []
    for k, m, (name, loss) in itertools.product((5, 50), (2, 7), (LOSSES | (losses or {})).items()):
        spent = ({"partition": 1.0, "mhghs": 2.0} | (cpu or {})).get(name, 3.0)
        row = {"data": "toy", "k": k, "m": None if name == "partition" else m, "algorithm": name, "error": ""}
        figures = {"ncp": loss * (1 + k / 100), "cpu_seconds": spent, "ended": "proven", "peak_mb": 1.0}
        rows.append(row | figures | {"value": loss, "lower_bound": loss, "suppressed": None})
    return rows


def verdicts(rows: list[dict[str, Any]]) -> list[bool | None]:
    """In the order of the page."""
    return [claim.holds for claim in p4.claims(p4.cells(rows))]


def test_claims_follow_the_rows() -> None:
    assert verdicts(made()) == [True] * 7 + [None]
    assert verdicts(made({"mm": 0.01})) == [False, True, True, True, False, True, True, None]
    assert verdicts(made({"aa": 0.15})) == [True, False, True, True, True, True, True, None]
    assert verdicts(made({"partition": 0.05})) == [True, True, False, True, True, False, True, None]
    assert verdicts(made(cpu={"mhghs": 9.0}))[6] is False
    assert verdicts(made(cpu={"partition": 9.0}))[6] is False


def test_what_did_not_end_is_told_and_counts_for_nobody() -> None:
    rows = made()
    for row in rows:
        if (row["algorithm"], row["k"], row["m"]) == ("mm", 5, 7):
            row |= {"ncp": None, "cpu_seconds": None, "error": "over 180 s", "ended": ""}
    found = p4.cells(rows)
    assert p4.compared(found, "mHgHs", "MM") == (3, 0, [], 1)
    assert "not ended in 1" in p4.claims(found)[0].seen
    assert "over 180 s" in "\n".join(p4._table(found))


def test_optima_are_judged_by_the_rows() -> None:
    assert [claim.holds for claim in p4.ours(p4.cells(made()))] == [True] * 5
    rows = made({"mhghs": 0.28, "partition": 0.05})
    assert [claim.holds for claim in p4.ours(p4.cells(rows))] == [True, True, False, False, False]
    rows = made({"optimal-suppress": 0.4})
    for row in rows:
        row["ended"] = "time limit"
    assert [claim.holds for claim in p4.ours(p4.cells(rows))] == [False, False, True, True, False]


@pytest.mark.parametrize(("power", "holds"), [(1, True), (3, False)])
def test_growth_is_judged_by_the_exponent(power: int, holds: bool) -> None:
    rows = [{"algorithm": a, "records": n, "cpu_seconds": n**power} for a in p4.NAMES for n in (1_000, 2_000, 4_000)]
    assert p4.scalable(rows).holds is holds


def test_rows_tell_which_share_was_suppressed() -> None:
    options = {"rows": 60, "items": 30, "mean_size": 3, "mean_pattern": 2, "seed": 1}
    toy = DatasetSpec(label="toy", generate="quest", generator=options, fanout=3)
    case = Case(toy, shoal.KmAnonymity(k=5, m=2), shoal.MM())
    problem = case.problem()
    release = shoal.anonymize(problem, case.algorithm)
    before, after = (sum(map(len, rows.sets())) for rows in (problem.prepared.items, release.published.rows))
    assert 0 < after < before  # MM keeps items as they are, or removes them
    assert run_case(case)["suppressed"] == (before - after) / before
    assert run_case(Case(toy, shoal.KmAnonymity(k=5, m=2), shoal.AA()))["suppressed"] is None
