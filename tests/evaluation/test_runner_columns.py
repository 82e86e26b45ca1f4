"""The lab with columns and sets: a case must be the problem that ``shoal anonymize`` would make of the same words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal.algorithms.base import Algorithm
from shoal.data.table import Role
from shoal.errors import OptionError
from shoal.evaluation import grid_file
from shoal.evaluation.grid import Case, Extras
from shoal.evaluation.run_case import run_case
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.job import Job
from shoal.metrics.are import are

MODELS: dict[str, tuple[str, shoal.models.PrivacyModel, Algorithm]] = {
    "k": ('{ name = "k", k = 3 }', shoal.models.K(k=3), shoal.algorithms.Cluster()),
    "k-km": ('{ name = "k-km", k = 3, m = 1 }', shoal.KKm(k=3, m=1), shoal.algorithms.RmergeRT(delta=1.0)),
    "k-lm": (
        '{ name = "k-lm", k = 3, l = 2, m = 1, sensitive = ["z"] }',
        shoal.KLm(k=3, l=2, m=1, sensitive=("z",), sensitive_column=("salary",)),
        shoal.algorithms.RmergeRT(delta=1.0),
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Records with all kinds of columns, hierarchies of items and of a column, and weights."""
    rng = np.random.default_rng(5)
    lines = ["id,age,town,salary,ward,items"]
    for number in range(40):
        items = sorted(rng.choice(list("abcdef"), rng.integers(1, 4), replace=False)) + ["z"] * (number % 10 == 0)
        age = "?" if number % 13 == 0 else str(20 + int(rng.integers(40)))
        town = ("Ulm", "Bonn", "Lyon", "Nice")[rng.integers(4)]
        lines.append(f"{number},{age},{town},{number},{number % 3},{' '.join(items)}")
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "town.csv").write_text("Ulm;D;*\nBonn;D;*\nLyon;F;*\nNice;F;*\n", encoding="utf-8")
    (tmp_path / "items.csv").write_text("a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\ne;efz;*\nf;efz;*\nz;efz;*\n", encoding="utf-8")
    (tmp_path / "weights.csv").write_text("item,weight\na,3\nb,0.5\n", encoding="utf-8")
    return tmp_path


def columns(model: str) -> str:
    hidden = "sensitive" if model == "k-lm" else "identifier"
    return (
        f'{{ age = {{ hierarchy = "width:5,10", weight = 0.7 }}, salary = "{hidden}", ward = "plain", id = "plain" }}'
    )


def case_of(folder: Path, model: str, data: str = "", runs: str = "") -> Case:
    """The one case of a grid that says everything there is to say."""
    (folder / "grid.toml").write_text(
        f"""
        [[data]]
        name = "data"
        file = "data.csv"
        sets = "items"
        item_delimiter = " "
        hierarchy = {{ items = "items.csv", town = "town.csv" }}
        columns = {columns(model)}
        keep = ["age", "town", "salary", "ward"]
        missing = ["?"]
        weights = "weights.csv"
        {data}
        [[runs]]
        model = {MODELS[model][0]}
        algorithm = {{ name = "{MODELS[model][2].name}"{", delta = 1.0" if model != "k" else ""} }}
        seed = 3
        {runs}
        """,
        encoding="utf-8",
    )
    (case,) = grid_file.load(folder / "grid.toml").cases
    return case


def job_of(folder: Path, name: str) -> Job:
    """The same as a job."""
    _, model, algorithm = MODELS[name]
    return Job(
        data=DatasetSpec(
            file=str(folder / "data.csv"),
            reading=ReadOptions(sets="items", item_delimiter=" "),
            hierarchy={"items": str(folder / "items.csv"), "town": str(folder / "town.csv")},
            columns={
                "age": shoal.Column(hierarchy="width:5,10", weight=0.7),
                "salary": shoal.Column(Role.SENSITIVE if name == "k-lm" else Role.IDENTIFIER),
                "ward": shoal.Column(Role.PLAIN),
                "id": shoal.Column(Role.PLAIN),
            },
            missing=("?",),
            keep=("age", "town", "salary", "ward"),
            weights=str(folder / "weights.csv"),
        ),
        output=folder / "out.csv",
        model=model,
        algorithm=algorithm,
        seed=3,
    )


@pytest.mark.parametrize("model", MODELS)
def test_a_case_is_the_problem_of_the_same_job(model: str, folder: Path) -> None:
    case, job = case_of(folder, model), job_of(folder, model)
    ours, theirs = case.problem(), job.problem()
    assert ours.model == theirs.model
    assert {name: (one.role, one.weight, one.missing) for name, one in ours.prepared.quasi_identifiers.items()} == {
        name: (one.role, one.weight, one.missing) for name, one in theirs.prepared.quasi_identifiers.items()
    }
    assert ours.data.table is not None
    assert theirs.data.table is not None
    assert ours.data.table.roles == theirs.data.table.roles
    assert ours.hierarchy.parents_by_label() == theirs.hierarchy.parents_by_label()
    assert ours.prepared.item_weights is not None
    assert theirs.prepared.item_weights is not None
    assert ours.prepared.item_weights.tolist() == theirs.prepared.item_weights.tolist()
    row, release = run_case(case), shoal.anonymize(theirs, algorithm=job.algorithm)
    assert (row["status"], row["verified"]) == ("ok", True), row["error"]
    assert {name: row[name] for name in release.losses} == release.losses
    assert row["value"] == release.losses.get("weighted_ncp", release.losses.get("ncp"))


@pytest.mark.parametrize("changed", ["items.csv", "town.csv", "weights.csv", "data.csv"])
def test_a_case_is_another_when_a_file_changes(changed: str, folder: Path) -> None:
    before = case_of(folder, "k-km").key
    assert case_of(folder, "k-km").key == before
    path = folder / changed
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("Ulm", "Gap") if "Ulm" in text else text.replace("a", "g", 1), encoding="utf-8")
    assert case_of(folder, "k-km").key != before


def test_a_misspelt_column_does_not_slip_by(folder: Path) -> None:
    case = case_of(folder, "k-km")
    row = run_case(Case(replace(case.data, columns={"agge": shoal.Column()}), case.model, case.algorithm))
    assert row["status"] == "error"
    assert "No column 'agge' (did you mean 'age'?)" in row["error"]


def test_a_hierarchy_of_a_column_that_is_none(folder: Path) -> None:
    case = case_of(folder, "k-km")
    trees = {"ward": str(folder / "town.csv")}
    row = run_case(Case(replace(case.data, hierarchy=trees), case.model, case.algorithm))
    assert "column 'ward', which is not a quasi-identifier" in row["error"]


def test_a_column_that_a_model_does_not_protect_is_refused(folder: Path) -> None:
    case_of(folder, "k-lm")
    path = folder / "grid.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(MODELS["k-lm"][0], MODELS["k-km"][0]), encoding="utf-8")
    with pytest.raises(OptionError, match="declares 'salary' sensitive, but the model k-km protects no columns"):
        grid_file.load(path)


def test_what_is_declared_sensitive_may_be_missing_if_it_is_said(folder: Path) -> None:
    case = case_of(folder, "k-lm", "rows = 9\nallow_missing = true")
    assert case.data.allow_missing
    model = shoal.KLm(k=3, l=2, m=1, sensitive=("y",))
    said = {name: one for name, one in case.data.columns.items() if name != "salary"}
    for allowed, status in ((True, "ok"), (False, "error")):
        data_set = replace(case.data, columns=said, allow_missing=allowed)
        row = run_case(Case(data_set, model, shoal.algorithms.Rfirst()))
        assert row["status"] == status, row["error"]


def test_every_kind_of_query_is_measured() -> None:
    data_set = DatasetSpec(label="x", generate="videos", generator={"rows": 300, "seed": 0})
    kinds = ("2+0", "1+1", "0+2")
    extras = Extras(queries=20, query_kinds=kinds, query_bound=0.05, query_seed=4)
    case = Case(data_set, shoal.KKm(k=10, m=1), shoal.algorithms.RmergeR(delta=1.0), extras=extras)
    row, problem = run_case(case), case.problem()
    published = shoal.anonymize(problem, algorithm=case.algorithm).published
    for kind in kinds:
        values, items = map(int, kind.split("+"))
        drawn = shoal.metrics.Workload.generated(problem.prepared.original, 20, values, items, seed=4)
        assert row[f"are_{values}_{items}"] == are(problem.prepared.original, published, drawn).mean
        bounded = are(problem.prepared.original, published, drawn, sanity=0.05 * 300).mean
        assert row[f"bounded_are_{values}_{items}"] == pytest.approx(bounded, rel=1e-12)
    for name in ("are", "bounded_are"):
        assert row[name] == pytest.approx(sum(row[f"{name}_{kind.replace('+', '_')}"] for kind in kinds) / 3)


@pytest.mark.parametrize("wrong", ["2", "2+", "+", "a+1", "-1+2", "2,1"])
def test_kinds_of_queries_are_numbers(wrong: str) -> None:
    with pytest.raises(OptionError, match=r"such as 2\+1"):
        Extras(query_kinds=(wrong,))


def test_a_row_tells_options_at_their_defaults_too() -> None:
    data_set = DatasetSpec(label="x", generate="videos")
    places = [Case(data_set, shoal.KKm(), shoal.algorithms.RmergeR(delta=delta)).place for delta in (0.5, "auto")]
    assert [place["algorithm.delta"] for place in places] == [0.5, "auto"]
    assert [place["method"] for place in places] == ["rmerge-r, delta 0.5", "rmerge-r"]
