"""Frontiers as calls of the library: figures of verified releases, monotone, in sentences and files.

Covers: evaluation/choices.py, evaluation/frontier_page.py.
"""

from __future__ import annotations

import csv
import itertools
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import Infeasible, OptionError, OutputError
from shoal.evaluation import frontier as module
from shoal.evaluation.frontier import frontier
from tests.search.test_siblings import BASKETS, WIDE


def wide() -> shoal.Problem:
    return shoal.Problem(shoal.read(BASKETS), shoal.Hierarchy.from_tree(WIDE), shoal.Km())


def people() -> shoal.Problem:
    ages = [20 + at % 7 for at in range(24)]
    table = pa.table({"age": ages, "items": [["a", "b"], ["a"], ["b", "c"], ["c", "d"]] * 6})
    return shoal.Problem(
        shoal.read(table, sets="items"), shoal.Hierarchy.flat(["a", "b", "c", "d"]), shoal.KKm(k=3, m=1)
    )


@pytest.fixture(scope="module")
def result() -> shoal.evaluation.choices.Frontier:
    return frontier(wide(), k=[4, 2], m=[1, 2])


def check_monotone(result: shoal.evaluation.choices.Frontier) -> None:
    for one, other in itertools.permutations(result.choices, 2):
        assert not one.covers(other) or one.loss >= other.loss


def test_figures_are_those_of_verified_releases(result: shoal.evaluation.choices.Frontier) -> None:
    assert [(one.m, one.k) for one in result.choices] == [(1, 2), (1, 4), (2, 2), (2, 4)]
    check_monotone(result)
    for one in result.choices:
        assert one.highest_chance <= 1 / one.k
        assert one.checked > 0
        assert (one.lower_bound or 0.0) <= one.loss
        assert one.found <= one.average_chance
    alone = shoal.anonymize(replace(wide(), model=shoal.Km(k=2, m=2)))
    assert result[2, 2].loss == pytest.approx(alone.loss)
    assert result[2, 2].unchanged == pytest.approx(alone.usefulness.unchanged_share)
    with pytest.raises(KeyError):
        result[9, 9]


def test_a_search_ended_with_a_proof_only_if_one_is_claimed(result: shoal.evaluation.choices.Frontier) -> None:
    """A proof about the tree around the groups that were found proves nothing about other groups."""
    assert [one.ended == "proven" for one in result.choices] == [one.proven for one in result.choices]


def test_sentences_leave_out_what_a_stricter_choice_gives_too(result: shoal.evaluation.choices.Frontier) -> None:
    for one in result.sensible:
        assert not one.worthless
        stricter = [other for other in result.choices if other is not one and other.covers(one)]
        assert all(other.unchanged < 0.9 * one.unchanged for other in stricter)
    assert len(result.sentences) == len(result.sensible) > 0
    assert all("of the items unchanged (NCP" in text and "is left with at least" in text for text in result.sentences)


def test_worthless_choices_get_no_sentence() -> None:
    result = frontier(wide(), k=[2], m=[2], siblings="none")
    assert result.choices[0].loss == 1
    assert result.choices[0].proven
    assert "nearly worthless" in result.sentences[0]


def test_columns_are_paid_for_by_sets() -> None:
    result = frontier(people())
    assert {(one.k, one.m) for one in result.choices} == {(3, 1)}
    check_monotone(result)
    assert all((one.columns_loss or 0.0) <= (one.delta or 0.0) + 1e-9 for one in result.choices)
    assert result.choices[-1].delta == 1
    assert "the columns lose" in result.sentences[0]
    assert result.kind == ""
    given = frontier(people(), k=[2, 3], delta=[0.5, 1.0])
    assert len(given.choices) == 4
    check_monotone(given)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"k": [1]}, "k must be whole numbers from 2 on, got 1"),
        ({"m": [0]}, "m must be whole numbers from 1 on, got 0"),
        ({"m": ["all"]}, "m must be whole numbers"),
        ({"delta": [0.5]}, "choose model="),
    ],
)
def test_values_that_cannot_be_are_refused(options: dict, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        frontier(wide(), **options)


def test_more_records_than_there_are_cannot_fit() -> None:
    with pytest.raises(Infeasible, match="needs at least 26 non-empty records, got 25"):
        frontier(wide(), k=[2, 26], m=[1])


def test_models_that_are_not_monotone_are_refused() -> None:
    problem = shoal.Problem(shoal.read(BASKETS), shoal.Hierarchy.from_tree(WIDE), shoal.models.KmNegative(k=2, m=2))
    with pytest.raises(OptionError, match="for the models km and k-km, not for km-negative"):
        frontier(problem)


def test_the_table_has_all_figures(result: shoal.evaluation.choices.Frontier, tmp_path: Path) -> None:
    assert result.save(tmp_path / "f.csv") == ""
    rows = list(csv.DictReader((tmp_path / "f.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["k"], row["m"]) for row in rows] == [(str(one.k), str(one.m)) for one in result.choices]
    assert [float(row["loss"]) for row in rows] == [one.loss for one in result.choices]


def test_the_page_needs_no_network_and_escapes_names(tmp_path: Path) -> None:
    data = shoal.read(BASKETS)
    problem = shoal.Problem(data, shoal.Hierarchy.from_tree(WIDE), shoal.Km())
    result = replace(frontier(problem, k=[2], m=[1]), data="<script>.dat")
    result.save(tmp_path / "f.html")
    page = (tmp_path / "f.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;.dat" in page
    assert "<script>.dat" not in page
    assert "<svg" in page
    assert 'src="http' not in page


def test_a_chart(result: shoal.evaluation.choices.Frontier, tmp_path: Path) -> None:
    result.save(tmp_path / "f.png")
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib(
    result: shoal.evaluation.choices.Frontier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install matplotlib" in result.save(tmp_path / "f.html")
    with pytest.raises(OptionError, match="Charts need matplotlib"):
        result.save(tmp_path / "f.png")
    assert not (tmp_path / "f.png").exists()


def test_an_unknown_suffix(result: shoal.evaluation.choices.Frontier, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"must end in one of .html, .png, .csv"):
        result.save(tmp_path / "f.pdf")


def test_what_is_finished_survives_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, make_release = itertools.count(), module.make_release

    def interrupted(*given: Any) -> shoal.Release:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return make_release(*given)

    monkeypatch.setattr(module, "make_release", interrupted)
    result = frontier(wide(), k=[2, 4], m=[1, 2])
    assert result.interrupted
    assert len(result.choices) == 2
    monkeypatch.setattr(module, "make_release", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        frontier(wide(), k=[2], m=[1])
