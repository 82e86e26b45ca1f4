"""The only door out: whatever an algorithm returns, nothing leaves that is not verified, true and within its limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.algorithms.base import Algorithm
from shoal.data.axis_values import AxisValues
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.errors import LossTooHigh, PrivacyViolation, Untruthful
from shoal.models.base import PrivacyModel
from shoal.problem import Prepared, Problem
from shoal.published import Grouping, Published
from shoal.recoding import GlobalCut, Recoding, RecodingSummary
from shoal.recoding.solution import Solution
from tests.conftest import Shell

TREE = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
ROWS = [["a1", "b1"], ["a1", "b1"], ["a2", "b2"], ["a2", "b2"]]
TABLE = pa.table({"age": [20, 30, 40, 50], "items": [["a1"]] * 4})


@dataclass(frozen=True, eq=False)
class Made(Recoding):
    """Whatever a function makes of the rows."""

    make: Callable[[Transactions, Sensitive | None], Published]

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        return self.make(items, hidden)

    def summary(self, items: Transactions | None = None) -> RecodingSummary:
        return RecodingSummary("made")


@dataclass(frozen=True)
class Returns(Algorithm):
    """Returns what it is told, whatever the problem."""

    name = "returns"
    title = paper = "none"
    solves: ClassVar[tuple[type[PrivacyModel], ...]] = (PrivacyModel,)

    def __init__(self, recoding: Recoding) -> None:
        object.__setattr__(self, "recoding", recoding)

    def feasible(self, problem: Prepared) -> None:
        pass

    def solve(self, problem: Prepared, engine: Engine) -> Solution:
        recoding: Recoding = self.__dict__["recoding"]
        return Solution(recoding)


def sets(model: PrivacyModel, **more: int) -> Problem:
    return Problem(shoal.read(ROWS), TREE, model, **more)  # type: ignore[arg-type]


def ages() -> Problem:
    data = shoal.read(TABLE, sets="items")
    return Problem(data, shoal.Hierarchy.flat(["a1"]), shoal.models.K(k=4), columns={"age": "quasi-identifier"})


AS_IT_IS = GlobalCut.raising(TREE, [])


@pytest.mark.parametrize(("k", "holds"), [(2, True), (3, False)])
def test_the_guarantee_that_was_asked_for_is_verified(k: int, holds: bool) -> None:
    problem = sets(shoal.Km(k=k, m=2))
    if holds:
        assert shoal.anonymize(problem, algorithm=Returns(AS_IT_IS)).verdict.holds
        return
    with pytest.raises(PrivacyViolation, match="not k\\^m-anonymity: nothing was published; this is a bug") as caught:
        shoal.anonymize(problem, algorithm=Returns(AS_IT_IS))
    assert not caught.value.verdict.holds


def test_what_is_verified_is_what_will_be_written() -> None:
    """The recoding says that all rows have the same values; the columns that it publishes say something else."""
    problem = ages()

    def pretend(items: Transactions, hidden: Sensitive | None) -> Published:
        plain = Published.plain(items, hidden)
        return replace(plain, relational=problem.prepared.relational, classes=Grouping(np.zeros(4, dtype=np.int64), 4))

    with pytest.raises(PrivacyViolation):
        shoal.anonymize(problem, algorithm=Returns(Made(pretend)))


def test_items_must_not_vanish() -> None:
    def emptied(items: Transactions, hidden: Sensitive | None) -> Published:
        gone = items.recode(np.full(len(items.labels), -1, dtype=np.int32), items.labels)
        return replace(Published.plain(items, hidden), rows=gone)

    with pytest.raises(Untruthful, match="whose items do not cover the original ones: nothing was published"):
        shoal.anonymize(sets(shoal.Km(k=2, m=2)), algorithm=Returns(Made(emptied)))


def test_rows_must_keep_their_places() -> None:
    def moved(items: Transactions, hidden: Sensitive | None) -> Published:
        return replace(Published.plain(items, hidden), rows=items.take(np.array([2, 3, 0, 1])))

    problem = sets(shoal.Km(k=2, m=2))
    assert shoal.anonymize(problem, algorithm=Returns(Made(Published.plain))).verdict.holds
    with pytest.raises(Untruthful):
        shoal.anonymize(problem, algorithm=Returns(Made(moved)))


@pytest.mark.parametrize(("first", "last", "true"), [(0, 3, True), (1, 3, False), (0, 2, False), (1, 2, False)])
def test_ranges_must_hold_the_true_values(first: int, last: int, true: bool) -> None:
    """All rows are published with one range of the ages; it must begin and end where they do."""
    problem = ages()
    raw = problem.prepared.relational
    assert raw is not None
    places = np.unique(raw.values[0].lows)

    def ranged(items: Transactions, hidden: Sensitive | None) -> Published:
        values = AxisValues(np.zeros(4, dtype=np.uint8), places[[first]], places[[last]])
        return replace(Published.plain(items, hidden), relational=replace(raw, values=(values,)))

    if true:
        assert shoal.anonymize(problem, algorithm=Returns(Made(ranged))).verdict.holds
        return
    with pytest.raises(Untruthful, match="whose values of columns do not cover the original ones"):
        shoal.anonymize(problem, algorithm=Returns(Made(ranged)))


def test_a_limit_on_the_loss_is_kept_to_the_digit() -> None:
    problem = sets(shoal.Km(k=3, m=1))
    loss = shoal.anonymize(problem, algorithm=shoal.algorithms.AA()).loss
    assert 0 < loss < 1
    assert shoal.anonymize(problem, algorithm=shoal.algorithms.AA(), max_loss=loss).loss == loss
    with pytest.raises(LossTooHigh, match="nothing was written"):
        shoal.anonymize(problem, algorithm=shoal.algorithms.AA(), max_loss=loss - 1e-9)


def test_provenance_names_what_is_needed_to_repeat_it() -> None:
    told = shoal.anonymize(sets(shoal.Km(k=2, m=2), seed=7), algorithm=shoal.algorithms.AA()).provenance
    assert told["seed"] == 7
    assert told["model"] == {"name": "km", "k": 2, "m": 2}
    assert told["input"]["sha256"] == shoal.read(ROWS).transactions.sha256


def test_a_release_that_fails_its_verification_ends_with_3(shell: Shell) -> None:
    def lies(problem: Problem, *_: object) -> shoal.Release:
        return shoal.anonymize(problem, algorithm=Returns(GlobalCut.raising(problem.hierarchy, [])))

    shell.monkeypatch.setattr("shoal.jobs.job.make_release", lies)
    code, _, err = shell("anonymize", "in.basket", "-o", "out.basket", "--hierarchy", "h.csv", "--k", "3")
    assert code == 3
    assert "nothing was published; this is a bug in Shoal" in err
    assert not (shell.folder / "out.basket").exists()
