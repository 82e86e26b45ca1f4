"""One call in Python: what comes in, what goes out, and what is refused. Covers: jobs/anonymize.py, progress.py,
jobs/run.py, jobs/generate.py, jobs/column_specs.py."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import LossTooHigh, OptionError
from shoal.evaluation.grid import Case
from shoal.jobs.arguments import describe_data
from shoal.progress import bars
from tests.conftest import BASKETS, HIERARCHY, Shell

ROWS = [line.split(",") for line in BASKETS.splitlines()]
TREE = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
PUBLISHED = [["A", "b1", "b2"], ["A", "b1"], ["A", "b1", "b2"], ["A", "b2"]]


def files(folder: Path) -> tuple[Path, Path]:
    (folder / "d.basket").write_text(BASKETS, encoding="utf-8")
    (folder / "h.csv").write_text(HIERARCHY, encoding="utf-8")
    return folder / "d.basket", folder / "h.csv"


@pytest.mark.parametrize("guarantee", [{"k": 2, "m": 2}, {"model": shoal.Km(k=2, m=2)}, {"model": "km", "k": 2}])
@pytest.mark.parametrize("algorithm", [None, "aa", shoal.algorithms.Optimal()])
def test_every_spelling_gives_the_same_release(guarantee: dict[str, Any], algorithm: Any, tmp_path: Path) -> None:
    data, hierarchy = files(tmp_path)
    for source, tree in ((data, str(hierarchy)), (str(data), TREE), (ROWS, TREE), (shoal.read(ROWS), {"items": TREE})):
        release = shoal.anonymize(source, hierarchy=tree, algorithm=algorithm, **guarantee)
        assert release.data == PUBLISHED
        assert release.verdict.holds


def test_a_frame_comes_back_as_that_kind_of_frame() -> None:
    table = {"who": ["x", "y", "z", "w"], "age": [30, 30, 40, 40], "items": ROWS}
    for made in (pd.DataFrame(table), pl.DataFrame(table), pa.table(table)):
        release = shoal.anonymize(made, k=2, m=2, hierarchy=TREE, sets="items", identifiers=["who"], plain=["age"])
        assert type(release.data) is type(made)
        names = release.data.column_names if isinstance(made, pa.Table) else release.data.columns
        assert list(names) == ["age", "items"]


def test_columns_have_the_words_of_the_command_line(shell: Shell) -> None:
    text = "name,age,size,zip,items\nx,30,s,1,a\ny,31,m,1,a\nz,32,l,2,a\nw,33,l,2,a\n"
    shell.write("t.csv", text)
    words = ("--identifiers", "name", "--categorical", "zip", "--ordered", "size=s,m,l", "--column-weights", "age=0.5")
    code, _, err = shell("anonymize", "t.csv", "-o", "out.csv", "--model", "k-km", "--k", "2", "--m", "1", *words)
    assert code == 0, err
    release = shoal.anonymize(
        shell.folder / "t.csv",
        "k-km",
        k=2,
        m=1,
        identifiers=["name"],
        categorical=["zip"],
        ordered={"size": ["s", "m", "l"]},
        column_weights={"age": 0.5},
    )
    release.save(shell.folder / "python.csv")
    assert (shell.folder / "python.csv").read_bytes() == (shell.folder / "out.csv").read_bytes()


def test_a_problem_is_for_experts() -> None:
    problem = shoal.Problem(shoal.read(ROWS), TREE, shoal.Km(k=2, m=2))
    assert shoal.anonymize(problem, algorithm="aa").data == PUBLISHED
    with pytest.raises(OptionError, match="k= is part of the Problem"):
        shoal.anonymize(problem, k=3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": shoal.Km(), "k": 5}, r"k= is given, and a model too: write Km\(k=\.\.\)"),
        ({"model": "kmm"}, r"Unknown model 'kmm' \(did you mean 'km'\?\)"),
        ({"model": 5}, "model= must be a PrivacyModel"),
        ({"algorithm": 5}, "algorithm= must be an Algorithm"),
        ({"hierarchy": 5}, "hierarchy= must be a Hierarchy"),
        ({"itm_delimiter": "|"}, r"There is no argument 'itm_delimiter' \(did you mean 'item_delimiter'\?\)"),
        ({"identifers": ["x"]}, r"There is no argument 'identifers' \(did you mean 'identifiers'\?\)"),
        ({"engine": shoal.Engine(), "workers": 2}, "engine= brings its own workers="),
        ({"column_weights": {"age": 3}}, "column_weights= must be numbers from 0 to 1, got 3 for column 'age'"),
        ({"model": "privacy-degree", "m": 2}, "The model privacy-degree has no m"),
    ],
)
def test_what_does_not_fit_is_refused_by_the_name_of_the_argument(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        shoal.anonymize(ROWS, **arguments)


def test_reading_options_are_for_data_that_are_not_read_yet() -> None:
    with pytest.raises(OptionError, match="multiset= is for reading, but the data are a Dataset"):
        shoal.anonymize(shoal.read(ROWS), multiset=True)


def test_weights_and_the_limit_of_the_loss() -> None:
    weighted = shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE, weights={"A": 10})
    assert (
        weighted.losses["weighted_ncp"]
        == shoal.anonymize(
            shoal.Problem(shoal.read(ROWS), TREE, shoal.Km(k=2, m=2), weights=shoal.Weights({"A": 10}))
        ).losses["weighted_ncp"]
    )
    with pytest.raises(LossTooHigh, match=r"max_loss=0\.1"):
        shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE, max_loss=0.1)


def test_progress_is_told_only_if_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    stages: list[str] = []
    shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE, progress=lambda stage, share: stages.append(stage))
    assert stages
    capsys.readouterr()
    shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE)
    assert capsys.readouterr() == ("", "")
    with bars() as show:
        show("searching", 0.5)
        show("verifying", 0.1)
    assert shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE, progress=True).data == PUBLISHED


def test_stages_are_logged_without_the_data(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="shoal"):
        shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE)
    assert "verify:" in caplog.text
    assert not any(item in caplog.text for item in ("a1", "b2"))


def test_data_in_memory_travel_to_other_processes() -> None:
    """shoal.compare and shoal.recommend run cases in processes of their own."""
    spec = describe_data(pd.DataFrame({"age": [1, 2, 3, 4], "items": ROWS}), hierarchy=TREE, sets="items")
    case = pickle.loads(pickle.dumps(Case(spec, shoal.Km(k=2, m=2), shoal.algorithms.AA())))
    assert len(case.data.load()[0]) == 4
    assert case.data.content == spec.content
    other = describe_data(pd.DataFrame({"age": [1, 2, 3, 5], "items": ROWS}), hierarchy=TREE, sets="items")
    assert other.content != spec.content


def test_a_generator_that_is_none() -> None:
    with pytest.raises(OptionError, match=r"no generator 'qest' \(did you mean 'quest'\?\)"):
        shoal.generate("qest")
    assert len(shoal.generate("supermarket", rows=50)) == 50
    assert shoal.generate("videos", rows=30).table is not None
    with pytest.raises(OptionError, match=r"supermarket has no option 'row' \(did you mean 'rows'\?\)"):
        shoal.generate("supermarket", row=50)


def test_options_of_a_model_and_an_algorithm_go_with_their_names() -> None:
    rows = [["a1", "s"], ["a2"], ["b1"], ["b2"]]
    named = shoal.anonymize(rows, "lm", l=2, m=1, sensitive=["s"], algorithm="aa", hierarchy=TREE)
    model = shoal.Lm(l=2, m=1, sensitive=("s",))
    assert named.data == shoal.anonymize(rows, model, algorithm=shoal.algorithms.AA(), hierarchy=TREE).data
    assert shoal.verify(named.data, "lm", l=2, m=1, sensitive=["s"]).holds
    assert shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE, siblings="none").algorithm.siblings == "none"  # type: ignore[attr-defined]
    with pytest.raises(OptionError, match=r"l= is given, and a model too: write Lm\(l=\.\.\)"):
        shoal.anonymize(rows, model, l=3)
    with pytest.raises(OptionError, match=r"polish= is given, and an algorithm too: write AA\(polish=\.\.\)"):
        shoal.anonymize(rows, model, algorithm=shoal.algorithms.AA(), polish=True)
    with pytest.raises(OptionError, match=r"delta= is an option of .*rmerge-rt"):
        shoal.anonymize(ROWS, k=2, delta=0.5)
    with pytest.raises(OptionError, match=r"got the class: write Km\(\.\.\)"):
        shoal.anonymize(ROWS, shoal.Km)  # type: ignore[arg-type]


def test_a_release_can_be_verified_measured_and_explained_itself() -> None:
    """Its records are in the order of the original, and its code book comes along."""
    table = pd.DataFrame({"who": ["x", "x", "y", "z"], "items": [["b1"], ["a1", "b1"], ["a1", "b1"], ["a2"]]})
    release = shoal.anonymize(table, k=2, m=1, hierarchy=TREE, person="who")
    assert shoal.verify(release, k=2, m=1).holds
    figures = shoal.measure(table, release, hierarchy=TREE, sets="items")
    assert figures.losses["ncp"] == pytest.approx(release.losses["ncp"])
    assert not figures.notes
    grouped = shoal.anonymize(ROWS, k=3, m=2)
    assert shoal.measure(ROWS, grouped).losses["ncp"] == pytest.approx(grouped.losses["ncp"])
    assert len(shoal.explain(ROWS, grouped, k=3, m=2)) > 0
    assert shoal.explain(ROWS, grouped, k=3, m=2)[0].group in grouped.codebook


def test_options_of_the_original_are_not_for_the_published_file(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("who,items\nx,a1|b1\ny,a1|b1\nz,a2\nw,a2\n", encoding="utf-8")
    release = shoal.anonymize(tmp_path / "t.csv", k=2, m=1, hierarchy=TREE, sets="items", person="who")
    release.save(tmp_path / "out.csv")
    figures = shoal.measure(tmp_path / "t.csv", tmp_path / "out.csv", hierarchy=TREE, sets="items", person="who")
    assert figures.losses["ncp"] == pytest.approx(release.losses["ncp"])


def test_rows_in_another_order_are_noticed() -> None:
    before = [["a1"], ["b1"], ["a2"], ["b2"]] * 5
    after = [["A"], ["B"], ["A"], ["B"]] * 5
    assert not shoal.measure(before, after, hierarchy=TREE).notes
    (note,) = shoal.measure(before, [["B"], ["A"], ["B"], ["A"]] * 5, hierarchy=TREE).notes
    assert note.startswith("At least 100 % of the published labels fit no item of their record")


def test_notes_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    table = pd.DataFrame({"shop": ["n", "n", "s", "s"], "items": ROWS})
    release = shoal.anonymize(table, k=2, m=2, hierarchy=TREE, sets="items")
    assert release.notes
    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == release.notes
