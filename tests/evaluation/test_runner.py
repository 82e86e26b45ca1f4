"""The lab: grids, rows, results and the page. What ends it: test_lab_ends.py.

Covers: evaluation/grid.py, evaluation/grid_file.py, evaluation/run_case.py, evaluation/page.py,
evaluation/charts.py, evaluation/figures.py.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import DataError, InputError, OptionError
from shoal.evaluation import charts, grid_file, page, results, runner
from shoal.evaluation.grid import Case, Extras, Grid
from shoal.evaluation.run_case import VOLATILE, run_case, score
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.metrics.are import are
from shoal.metrics.risk import Risk

GRID = """
title = "Small <grid>"
[[data]]
name = "toy"
file = "toy.dat"
fanout = 3
order = ["label", "frequency"]
rows = [40, 0]
[[data]]
name = "made"
generate = "quest"
generator = { rows = 60, items = [8, 12], mean_size = 3 }
fanout = 3
[[runs]]
data = "toy"
model = { name = "km", k = [2, 3], m = [1, 2] }
algorithm = ["aa", { name = "optimal", time_limit = 60 }]
[[runs]]
data = "made"
model = "km"
algorithm = "aa"
seed = [0, 1]
[limits]
seconds = 100
"""


def toy(folder: Path) -> Path:
    """Rows over eight items, enough for something to be rare."""
    path = folder / "toy.dat"
    lines = [" ".join(str(one) for one in range(1, 9) if (row * one * 7 + row // one) % 5 < 2) for row in range(60)]
    path.write_text("\n".join(line or "1" for line in lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    toy(tmp_path)
    (tmp_path / "grid.toml").write_text(GRID, encoding="utf-8")
    return tmp_path


def data_set(folder: Path, **options: Any) -> DatasetSpec:
    return DatasetSpec(label="toy", file=str(toy(folder)), fanout=3, **options)


def test_trees_that_the_papers_build(home: Path) -> None:
    """Beside the same figures as without; a model that has no count-tree of its own tells nothing."""
    data = DatasetSpec(label="toy", file=str(home / "toy.dat"), fanout=3)
    km, negative = shoal.Km(k=3, m=2), shoal.models.KmNegative(k=3, m=2)
    rows = {
        (model.name, method.name, asked): run_case(Case(data, model, method, extras=Extras(built_trees=asked)))
        for model, method in (
            (km, shoal.algorithms.OA()),
            (km, shoal.algorithms.DA()),
            (km, shoal.algorithms.AA()),
            (negative, shoal.algorithms.AA()),
        )
        for asked in (False, True)
    }
    assert all(row["status"] == "ok" for row in rows.values())
    built = {key: row["built_nodes"] for key, row in rows.items()}
    assert built["km", "oa", True] == built["km", "da", True] >= built["km", "aa", True] > 0
    assert {built[key] for key in built if not key[2] or key[0] != "km"} == {None}
    for key, row in rows.items():
        plain = rows[(*key[:2], False)]
        assert [row[name] for name in plain if name not in (*VOLATILE, "built_nodes")] == [
            plain[name] for name in plain if name not in (*VOLATILE, "built_nodes")
        ]


def test_a_file_becomes_every_combination(home: Path) -> None:
    grid = grid_file.load(home / "grid.toml")
    assert (grid.title, grid.limit, len(grid)) == ("Small <grid>", 100.0, 2 * 2 * 4 * 2 + 2 * 2)
    places = [case.place for case in grid.cases]
    assert {(one.get("data.order"), one.get("data.rows")) for one in places if one["data"] == "toy"} == {
        (order, rows) for order in (None, "frequency") for rows in (None, 40)
    }
    assert {one["method"] for one in places} == {"aa", "optimal, time limit 60"}
    assert [one["data.items"] for one in places if one["data"] == "made"] == [8, 8, 12, 12]
    assert len({case.key for case in grid.cases}) == len(grid)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "toy"\n', "", "needs a name"),
        ('order = ["label", "frequency"]', 'order = "size"', "must be one of label, frequency"),
        ("rows = [40, 0]", "row = 5", "unknown key 'row' (did you mean 'rows'?)"),
        ('data = "made"', 'data = "mad"', "names the data 'mad' (did you mean 'made'?)"),
        ("seed = [0, 1]", "seed = [-1]", "seed must be whole numbers from 0 on"),
        ('algorithm = "aa"', 'algorithm = "stn"', "stn solves none of the compared models (km)"),
        ("k = [2, 3]", "k = [1, 3]", "k must be at least 2, got 1"),
        ("seconds = 100", "seconds = 0", "seconds must be a number above 0"),
        ('name = "made"', 'name = "toy"', "two [[data]] are called 'toy'"),
        ('generate = "quest"', 'generate = "quest"\nfile = "toy.dat"', "name a file, or one of the generators"),
        ('[[runs]]\ndata = "made"', '[[run]]\ndata = "made"', "unknown table 'run'"),
        ("title = ", "title ", "is not TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(home: Path, old: str, new: str, said: str) -> None:
    path = home / "grid.toml"
    assert GRID.count(old) == 1
    path.write_text(GRID.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as error:
        grid_file.load(path)
    assert said in str(error.value)
    assert "grid.toml" in str(error.value)


def test_keys_are_those_of_contents(tmp_path: Path) -> None:
    one, other = tmp_path / "a", tmp_path / "b"
    one.mkdir()
    other.mkdir()

    def key(folder: Path, **options: Any) -> str:
        return Case(data_set(folder, **options), shoal.Km(), shoal.algorithms.AA()).key

    assert key(one) == key(other)
    assert key(one) != key(one, rows=10)
    before = key(other)
    with open(other / "toy.dat", "a", encoding="utf-8") as file:
        file.write("1 2\n")
    changed = DatasetSpec(label="toy", file=str(other / "toy.dat"), fanout=3)
    assert Case(changed, shoal.Km(), shoal.algorithms.AA()).key != before
    assert Case(data_set(one), shoal.Km(), shoal.algorithms.AA(), seed=1).key != key(one)
    assert Case(data_set(one), shoal.Km(), shoal.algorithms.AA(), extras=Extras(queries=5)).key != key(one)


def test_a_row_tells_what_the_release_is(tmp_path: Path) -> None:
    case = Case(data_set(tmp_path), shoal.Km(k=3, m=2), shoal.algorithms.Optimal(), extras=Extras(queries=20))
    problem = case.problem()
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal())
    row = run_case(case)
    assert release.optimality is not None
    assert row["status"] == "ok"
    assert row["verified"] is True
    assert (row["records"], row["items"], row["height"]) == (60, 8, problem.hierarchy.height)
    assert row["value"] == release.losses["ncp"] == row["ncp"] == row["score"]
    assert row["scored_by"] == "NCP"
    assert row["lower_bound"] == release.optimality.lower_bound
    assert row["checked_itemsets"] == release.verdict.checked
    workload = shoal.metrics.Workload.generated(problem.prepared.original, 20, 0, 2, seed=0)
    assert row["are"] == are(problem.prepared.original, release.published, workload).mean


def test_releases_are_compared_by_what_their_guarantee_changes() -> None:
    losses = {"ncp": 0.2, "relational_ncp": 0.4, "operations": 7.0}
    secret = shoal.models.SensitiveK(k=3, sensitive=("a",))
    assert score(shoal.Km(), shoal.algorithms.AA(), losses, "ncp") == (0.2, "NCP")
    assert score(shoal.Km(), shoal.algorithms.AA(), {**losses, "weighted_ncp": 0.3}, "ncp") == (0.3, "NCP")
    assert score(shoal.models.K(), shoal.algorithms.Mondrian(), losses, "ncp") == (0.4, "NCP of the columns")
    assert score(shoal.KKm(), shoal.algorithms.Rfirst(), losses, "ncp")[0] == pytest.approx(0.3)
    assert score(secret, shoal.algorithms.STN(), losses, "ncp") == (7.0, "items added and deleted")
    assert score(shoal.models.TransactionalK(), shoal.algorithms.Partition(), losses, "ncp") == (0.2, "NCP")
    assert score(shoal.models.TransactionalK(), shoal.algorithms.ApxCover(), losses, "ncp") == (None, "NCP")


def test_searches_can_be_repeated_for_their_time(tmp_path: Path) -> None:
    once, more = (
        run_case(Case(data_set(tmp_path), shoal.Km(k=12, m=2), shoal.algorithms.AA(), extras=Extras(repeats=repeats)))
        for repeats in (0, 3)
    )
    assert 0 < once["search_cpu_seconds"] <= once["cpu_seconds"]
    assert more["search_cpu_seconds"] > 0
    assert {name: value for name, value in once.items() if name not in VOLATILE} == {
        name: value for name, value in more.items() if name not in VOLATILE
    }


def test_mining_and_risk_are_measured_on_request(tmp_path: Path) -> None:
    case = Case(data_set(tmp_path), shoal.Km(k=12, m=2), shoal.algorithms.AA(), extras=Extras(mining=("5",), known=2))
    problem, row = case.problem(), run_case(case)
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.AA())
    mined = shoal.metrics.ML2(problem.hierarchy, (0.05,)).of(release.comparison)
    assert {name: row[name] for name in mined} == mined
    before, after = (Risk.of(rows, 12, 2) for rows in (problem.prepared.original.rows, release.published.rows))
    assert (row["below_k_before"], row["below_k_after"]) == (before.share_below_k[1], 0.0)
    assert (row["unique_before"], row["unique_after"]) == (before.share_unique[1], 0.0)
    assert (row["prosecutor_after"], row["average_after"]) == (after.prosecutor[1], after.average[1])
    assert row["prosecutor_after"] <= 1 / 12 < row["prosecutor_before"]
    assert "ml2" not in run_case(Case(data_set(tmp_path), shoal.Km(k=12, m=2), shoal.algorithms.AA()))


def test_gaps_are_those_to_bounds_of_the_same_kind(tmp_path: Path) -> None:
    one = data_set(tmp_path)
    km, other = shoal.Km(k=2, m=2), shoal.Km(k=3, m=2)
    cases = [
        Case(one, km, shoal.algorithms.AA()),
        Case(one, km, shoal.algorithms.Optimal()),
        Case(one, km, shoal.algorithms.OptimalSuppress()),
        Case(one, km, shoal.algorithms.MHgHs()),
        Case(one, km, shoal.algorithms.LRA()),
        Case(one, other, shoal.algorithms.AA()),
    ]
    told = [(0.4, None), (0.3, 0.2), (0.1, 0.1), (0.2, None), (0.3, None), (0.5, None)]
    rows: list[results.Row] = [{"value": loss, "lower_bound": bound} for loss, bound in told]
    found = runner.gaps(cases, rows)
    assert [one["optimum"] for one in found] == [0.2, 0.2, 0.1, 0.1, None, None]
    assert [one["gap"] for one in found] == [0.5, pytest.approx(1 / 3), 0.0, 0.5, None, None]


def test_results_take_new_columns_and_refuse_other_files(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    kept = results.Results(path, ["key", "k"])
    kept.append({"key": "a", "k": 2})
    kept.append({"key": "b", "k": 3, "ncp": 0.25, "error": "two\nlines"})
    assert results.load(path) == [
        {"key": "a", "k": 2, "ncp": None, "error": ""},
        {"key": "b", "k": 3, "ncp": 0.25, "error": "two lines"},
    ]
    wider = results.Results(path, ["key", "m"])
    assert wider.columns == ["key", "m", "k", "ncp", "error"]
    assert list(wider.rows) == ["a", "b"]
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(DataError, match="no column 'key'"):
        results.Results(other, ["key"])
    assert other.read_text(encoding="utf-8") == "a,b\n1,2\n"


@pytest.mark.usefixtures("no_processes")
def test_the_page_has_everything_and_needs_nothing(home: Path) -> None:
    grid = grid_file.load(home / "grid.toml")
    rows = runner.compare(grid, home / "results.csv")
    page.write(grid, rows, home / "index.html")
    text = (home / "index.html").read_text(encoding="utf-8")
    assert "Small &lt;grid&gt;" in text
    assert "Small <grid>" not in text
    assert "toy: NCP against k" in text
    assert "toy: NCP against m" in text
    assert "toy: NCP against |D|, records" in text
    assert "made: NCP against |I|, items" in text
    assert "toy: NCP against time" in text
    assert text.count("<tr") > 36
    assert not re.search(r"(src|href)=.?https?:|url\(.?https?:|@import", text), "nothing is loaded from elsewhere"


@pytest.mark.usefixtures("no_processes")
def test_without_matplotlib_there_are_no_charts_but_a_page(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Any:
        raise OptionError("Charts need matplotlib: install it with pip install matplotlib.")

    grid = Grid(grid_file.load(home / "grid.toml").cases[:2], "x")
    rows = runner.compare(grid, home / "results.csv")
    monkeypatch.setattr(charts, "pyplot", missing)
    assert "Charts need matplotlib" in page.write(grid, rows, home / "index.html")
    text = (home / "index.html").read_text(encoding="utf-8")
    assert "Charts need matplotlib" in text
    assert "All runs" in text


def test_standings_count_who_lost_least() -> None:
    base = {"m": 2, "loss": "ncp", "seed": 0, "status": "ok", "gap": None}
    told = [("a", 2, 0.1), ("b", 2, 0.2), ("a", 5, 0.3), ("b", 5, 0.3), ("a", 9, 0.9), ("b", 9, 0.5)]
    rows = [
        {"data": "d", "model": "km", "k": k, "algorithm": name, "method": name, **base}
        | {"value": loss, "score": loss, "scored_by": "NCP", "seconds": 1.0, "peak_mb": 5.0}
        for name, k, loss in told
    ]
    found = {one.method: one for one in page.standings(rows)}
    assert (found["a"].least, found["b"].least, found["a"].settings) == (2, 2, 3)
    assert found["a"].loss == pytest.approx(1.3 / 3)
