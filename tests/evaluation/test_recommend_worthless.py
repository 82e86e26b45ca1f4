"""A nearly worthless release is never recommended, and a recommendation says what its proof speaks of.

Covers: evaluation/recommend.py.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import shoal
from shoal.evaluation import recommend, runner
from shoal.evaluation.grid import Case
from shoal.evaluation.recommend import Recommendation, Trial
from shoal.evaluation.run_case import run_case
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.search import siblings
from tests.conftest import Shell
from tests.report.test_headline import write_shop


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of a comparison in this process, whatever the clock says, with little work for grouping siblings."""
    monkeypatch.setattr(siblings, "WORK", 300_000)
    monkeypatch.setattr(runner, "run", lambda cases, *_: [(case, run_case(case)) for case in cases])


def row(score: float, worthless: str = "") -> dict[str, Any]:
    return {
        **{"status": "ok", "score": score, "scored_by": "NCP", "value": score, "seconds": 1.0, "peak_mb": None},
        **{"error": "", "verified": True, "ended": "", "worthless": worthless},
    }


@pytest.mark.usefixtures("in_process")
def test_a_nearly_worthless_release_is_never_recommended(shell: Shell) -> None:
    write_shop(shell)
    shell.write("lone.basket", "".join(f"d{d}i{i}\n" for d in range(6) for i in range(8)))
    words = ("recommend", "lone.basket", "--hierarchy", "products.csv", "--k", "48", "--m", "1", "--budget", "8")
    code, out, _ = shell(*words)
    assert code == 0
    assert out.startswith("No method can be recommended. The best release that was found is nearly worthless.")
    assert "Take " not in out
    assert "Next:" not in out
    assert "more data, or another hierarchy would keep more" in out


def test_what_is_worth_publishing_comes_before_what_loses_less() -> None:
    poor = Trial(shoal.algorithms.MHgHs(), True, row(0.1, "gone"), row(0.1, "gone"))
    good = Trial(shoal.algorithms.AA(), True, row(0.4), row(0.4))
    assert min([poor, good], key=recommend._rank) is good
    told = Recommendation(poor, (poor, good), 9, 9, None)
    assert not told.endorsed
    assert told.reasons[0] == "Its release is nearly worthless: gone"
    assert Recommendation(good, (good, poor), 9, 9, None).endorsed


@pytest.mark.parametrize(
    ("method", "bound", "sentence"),
    [
        (shoal.algorithms.Optimal(), 0.4, "No cut of the hierarchy loses less (proved)."),
        (
            shoal.algorithms.Optimal(),
            0.32,
            "It is at most 25.0 % above the best cut of the hierarchy (lower bound 0.32).",
        ),
        (shoal.algorithms.Auto(), 0.4, "No grouping of siblings loses less (proved)."),
        (
            shoal.algorithms.OptimalSuppress(),
            0.4,
            "No cut of the hierarchy, with or without items removed, loses less (proved).",
        ),
    ],
)
def test_a_recommendation_names_what_its_proof_speaks_of(method: Any, bound: float, sentence: str) -> None:
    good = Trial(method, True, row(0.4), row(0.4))
    assert Recommendation(good, (good,), 9, 9, bound).reasons[1] == sentence


def test_a_bound_for_cuts_does_not_hold_for_groups_of_siblings() -> None:
    toy = DatasetSpec(label="toy", generate="quest")
    cases = [
        Case(toy, shoal.Km(), method)
        for method in (shoal.algorithms.Optimal(), shoal.algorithms.Auto(), shoal.algorithms.AA())
    ]
    rows = [{"value": 0.5, "lower_bound": 0.5}, {"value": 0.1, "lower_bound": 0.05}, {"value": 0.6}]
    found = [(one["optimum"], one["gap"]) for one in runner.gaps(cases, rows)]
    assert found == [(0.5, 0.0), (0.05, 0.5), (0.5, pytest.approx(1 / 6))]


@pytest.mark.usefixtures("in_process")
def test_recommend_tries_groups_of_siblings(shell: Shell) -> None:
    write_shop(shell)
    words = ("recommend", "my shop/in.basket", "--hierarchy", "products.csv", "--k", "5", "--m", "2", "--budget", "8")
    _, out, _ = shell(*words, "--json")
    found = json.loads(out)
    assert (found["algorithm"], found["worthless"]) == ("auto", None)
    assert "--algorithm auto" in found["commands"][-1]
    poor = {one["algorithm"] for one in found["trials"] if one["all"] and one["all"]["worthless"]}
    assert {"optimal", "aa"} <= poor


def test_without_a_hierarchy_auto_is_tried_as_its_command_runs_it() -> None:
    made = DatasetSpec(label="x", generate="quest", fanout=5, order="frequency")
    assert recommend._suited(made, shoal.algorithms.Auto()).fanout == 0
    assert recommend._suited(made, shoal.algorithms.AA()).fanout == 5
    assert shoal.algorithms.Auto in recommend.candidates(shoal.Km())
