"""Problem files: `shoal run` from files to files, the same as in Python, and what is refused.

Covers: cli/run.py, jobs/toml_file.py, jobs/job.py.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shoal
from shoal.algorithms.rmerge import RmergeRT
from shoal.data.columns import Column
from shoal.data.table import Role
from shoal.io.read_options import ReadOptions
from shoal.jobs import problem_file
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.job import Job
from shoal.models.k_km import KKm
from tests.conftest import Shell

RECORDS = """id,age,city,items,notes
1,19,Athens,a1|b1,x
2,22,Patras,a1|b2,
3,24,Athens,a2|b1,z
4,,Lyon,a1|b1,w
5,58,?,a2|b1,v
6,70,Paris,a2|b2,u
"""
CITIES = "Athens;Greece;Any\nPatras;Greece;Any\nLyon;France;Any\nParis;France;Any\n"
PROBLEM = """
[data]
file = "r.csv"
sets = "items"
item_delimiter = "|"
[columns]
id = "identifier"
age = { hierarchy = "width:10,20", weight = 0.5 }
city = { type = "category", hierarchy = "cities.csv", missing = ["?"] }
notes = "plain"
[items]
hierarchy = "h.csv"
[model]
name = "k-km"
k = 2
m = 2
[algorithm]
name = "rmerge-rt"
delta = 0.9
[output]
file = "out.csv"
reports = ["r.html", "r.json"]
[run]
seed = 3
"""


@pytest.fixture
def desk(shell: Shell) -> Shell:
    """A folder with all that a problem needs."""
    shell.write("r.csv", RECORDS)
    shell.write("cities.csv", CITIES)
    shell.write("p.toml", PROBLEM)
    return shell


def job_in_python(folder: Path, output: str) -> Job:
    return Job(
        data=DatasetSpec(
            file=str(folder / "r.csv"),
            reading=ReadOptions(sets="items", item_delimiter="|"),
            hierarchy={"": str(folder / "h.csv")},
            columns={
                "id": Column(Role.IDENTIFIER),
                "age": Column(hierarchy="width:10,20", weight=0.5),
                "city": Column(type="category", hierarchy=folder / "cities.csv", missing=("?",)),
                "notes": Column(Role.PLAIN),
            },
        ),
        output=folder / output,
        model=KKm(k=2, m=2),
        algorithm=RmergeRT(delta=0.9),
        seed=3,
    )


def test_run_is_the_job(desk: Shell) -> None:
    code, out, err = desk("run", "p.toml")
    assert code == 0, err
    assert "Verified" in out
    assert "notes" in err
    made = (desk.folder / "out.csv").read_text()
    assert made.startswith("age,city,items,notes\n")
    assert [line.rpartition(",")[2] for line in made.splitlines()[1:]] == ["x", "", "z", "w", "v", "u"]
    job_in_python(desk.folder, "again.csv").run()
    assert (desk.folder / "again.csv").read_text() == made
    data = shoal.read(desk.folder / "out.csv", sets="items", item_delimiter="|").keep_columns(["age", "city"])
    model = KKm(k=2, m=2)
    assert model.verify(model.validated_view(data)).holds
    assert "<html" in (desk.folder / "r.html").read_text()
    report = json.loads((desk.folder / "r.json").read_text())
    assert report["model"]["name"] == "k-km"
    assert report["algorithm"]["name"] == "rmerge-rt"


def test_paths_are_relative_to_the_file(desk: Shell) -> None:
    assert desk("run", "p.toml")[0] == 0
    made = (desk.folder / "out.csv").read_bytes()
    (desk.folder / "out.csv").unlink()
    elsewhere = desk.folder / "elsewhere"
    elsewhere.mkdir()
    desk.monkeypatch.chdir(elsewhere)
    for name in ("../p.toml", str(desk.folder / "p.toml")):
        assert desk("run", name)[0] == 0
        assert (desk.folder / "out.csv").read_bytes() == made
    assert not list(elsewhere.iterdir())


def test_workers_change_nothing(desk: Shell) -> None:
    made = set()
    for workers in ("1", "3"):
        assert desk("run", "p.toml", "--workers", workers)[0] == 0
        made.add((desk.folder / "out.csv").read_bytes())
    assert len(made) == 1


def test_defaults(desk: Shell) -> None:
    desk.write("q.toml", '[data]\nfile = "in.basket"\n[items]\nhierarchy = "h.csv"\n[output]\nfile = "o.basket"\n')
    job = problem_file.load(desk.folder / "q.toml")
    assert (job.model.name, job.algorithm.name, job.seed, job.loss) == ("km", "auto", 0, "ncp")
    assert (job.data.keep, job.reports, job.output_format, job.data.hierarchy_format) == (None, (), None, None)


@pytest.mark.parametrize("said", ['"sens.txt"', '["b2"]', '"b2"', '"b2,"'])
def test_what_is_sensitive_may_be_a_list_a_text_or_a_file(desk: Shell, said: str) -> None:
    desk.write("sens.txt", "b2\n")
    model = f'name = "k-lm"\nsensitive = {said}\nk = 2'
    desk.write("p.toml", PROBLEM.replace('name = "k-km"\nk = 2', model))
    desk.monkeypatch.chdir("/")
    job = problem_file.load(desk.folder / "p.toml")
    assert job.model.sensitive_labels == ("b2",)
    assert job.run().release.verdict.holds


def test_sensitive_columns_are_the_model_s(desk: Shell) -> None:
    text = PROBLEM.replace('"k-km"', '"k-lm"').replace('notes = "plain"', 'notes = "sensitive"')
    desk.write("p.toml", text)
    assert problem_file.load(desk.folder / "p.toml").model.columns == ("notes",)
    assert desk("run", "p.toml")[0] == 0
    assert '"notes"' in (desk.folder / "r.json").read_text()


def test_several_columns_of_sets(desk: Shell) -> None:
    desk.write("two.csv", "age,drugs,foods\n19,a1|a2,x\n20,a1,x|y\n30,a2,y\n31,a1|a2,x|y\n")
    desk.write(
        "p.toml",
        '[data]\nfile = "two.csv"\nsets = ["drugs", "foods"]\nitem_delimiter = "|"\n'
        '[columns]\nage = "quasi-identifier"\n[items.hierarchy]\ndrugs = "drugs.csv"\n'
        '[model]\nname = "k-km"\nk = 2\n[algorithm]\nname = "rfirst"\nwithin = "sets-ul"\n[output]\nfile = "o.csv"\n',
    )
    desk.write("drugs.csv", "a1;A;Any drug\na2;A;Any drug\n")
    code, _, err = desk("run", "p.toml")
    assert code == 0, err
    assert (desk.folder / "o.csv").read_text().startswith("age,drugs,foods\n")
    desk.write("p.toml", (desk.folder / "p.toml").read_text().replace('drugs = "drugs.csv"', 'drug = "drugs.csv"'))
    assert "A hierarchy is given for 'drug' (did you mean 'drugs'?)" in desk.fails("run", "p.toml")


BAD = [
    ('[data]\nfile = "r.csv"', "[data\nfile = 5", "p.toml is not TOML: ", "line 2"),
    ("[algorithm]", "[algoritm]", "unknown table 'algoritm' (did you mean 'algorithm'?)", ""),
    ("[run]\nseed = 3", "[[run]]\nseed = 3", "'run' must be a table: write [run]", ""),
    ('sets = "items"', 'setz = "items"', "[data]: unknown key 'setz' (did you mean 'sets'?)", ""),
    ("reports =", "report =", "[output]: unknown key 'report' (did you mean 'reports'?)", ""),
    ("seed = 3", 'seed = "3"', "[run] seed must be a whole number, got '3'", ""),
    ("seed = 3", "seeds = 3", "[run]: unknown key 'seeds' (did you mean 'seed'?)", ""),
    ("seed = 3", 'loss = "ncpp"', "Unknown loss 'ncpp' (did you mean 'ncp'?)", ""),
    ("m = 2", "n = 2", "[model]: unknown option 'n'", "known are k, m"),
    ("k = 2", "k = 1", "[model] KKm: k must be at least 2, got 1", ""),
    ("k = 2", 'k = "two"', "k must be a whole number", "got 'two'"),
    ("k = 2", "k = [2]", "k must be a whole number", ""),
    ("k = 2", "k = 7", "k=7 needs at least 7 records, got 6", ""),
    ('"k-km"', '"k-mk"', "Unknown model 'k-mk' (did you mean 'k", ""),
    ('"k-km"', "5", "[model] name must be text, got 5", ""),
    ('"rmerge-rt"', '"rmerge-tr"', "Unknown algorithm 'rmerge-tr' (did you mean 'rmerge-", ""),
    ("delta = 0.9", "delta = 2", "delta must be at most 1, got 2", ""),
    ('id = "identifier"', 'id = "identifer"', "[columns] id: ", "(did you mean 'identifier'?)"),
    ('id = "identifier"', "id = 5", "[columns] id must be a role or a table, got 5", ""),
    ('id = "identifier"', 'id = { role = ["plain"] }', "[columns] id: ", "a role must be one of"),
    ('id = "identifier"', 'idd = "identifier"', "No column 'idd' (did you mean 'id'?)", ""),
    ("weight = 0.5", "weigth = 0.5", "[columns.age]: unknown key 'weigth' (did you mean 'weight'?)", ""),
    ("weight = 0.5", "weight = 5", "[columns] age: Column: weight must be a number from 0 to 1", ""),
    ("width:10,20", "width:10,25", "Column 'age': 'width:10,25' does not describe ranges", ""),
    ('missing = ["?"]', 'missing = "?"', "[columns] city: Column: missing must be a collection of values", ""),
    ('missing = ["?"]', "missing = 5", "[columns] city: Column: missing must be a collection of values", ""),
    (', missing = ["?"]', "", "r.csv, line 6: Column 'city': '?' is neither a value nor a group", "cities.csv"),
    ('"cities.csv"', "5", "hierarchy must be a Hierarchy, a file or levels, got 5", ""),
    ('"cities.csv"', '"towns.csv"', "towns.csv does not exist", ""),
    ('"h.csv"', '"no.csv"', "no.csv does not exist", ""),
    ('"h.csv"', "7", "items.hierarchy must be the name of a file, got 7", ""),
    ('file = "r.csv"\n', "", "[data] must say which file", ""),
    ('"r.csv"', '"no.csv"', "no.csv does not exist", ""),
    ('sets = "items"', "sets = 5", "[data] sets must be text or a list of texts, got 5", ""),
    ('sets = "items"', 'sets = "item"', "item", "items"),
    ('item_delimiter = "|"', 'multiset = "no"', "[data] multiset must be true or false, got 'no'", ""),
    ('["r.html", "r.json"]', '"r.html"', "[output] reports must be a list of texts, got 'r.html'", ""),
    ('["r.html", "r.json"]', '["r.pdf"]', ".html", ""),
    ('["r.html", "r.json"]', '["out.csv"]', "must be different files", ""),
    ('["r.html", "r.json"]', '["p.toml"]', "p.toml is an input too", ""),
    ("[run]", 'columns = "age"\n[run]', "[output] columns must be a list of texts, got 'age'", ""),
    ("[run]", "format = 5\n[run]", "[output] format must be text, got 5", ""),
    ('"out.csv"', '"r.csv"', "r.csv is an input too", ""),
    ('"out.csv"', '"cities.csv"', "cities.csv is an input too", ""),
    ('"out.csv"', '"no/out.csv"', "does not exist", ""),
    ('file = "out.csv"\n', "", "[output] must say which file", ""),
    (
        'notes = "plain"',
        'notes = "sensitive"',
        "declares 'notes' sensitive, but the model k-km protects no columns",
        "",
    ),
    ('"k-km"', '"k-lm"', "needs sensitive items", ""),
    ('name = "k-km"', 'name = "k-lm"\nsensitive = "no.txt"', "no.txt does not exist", ""),
    ('name = "k-km"', 'name = "k-lm"\nsensitive = [5]', "sensitive must be a list of labels", ""),
    ('name = "k-km"', 'name = "k-lm"\nsensitive_column = "zip"', "No column 'zip'", ""),
    ('name = "k-km"', 'name = "km"', "quasi-identifiers such as 'age' need one of the models k, k-km, k-lm", ""),
]


@pytest.mark.parametrize(("old", "new", "message", "more"), BAD)
def test_bad_files(desk: Shell, old: str, new: str, message: str, more: str) -> None:
    assert PROBLEM.count(old) >= 1
    desk.write("p.toml", PROBLEM.replace(old, new, 1))
    before = {path: path.read_bytes() for path in desk.folder.iterdir()}
    said = desk.fails("run", "p.toml")
    assert message in said
    assert more in said
    assert {path: path.read_bytes() for path in desk.folder.iterdir()} == before


def test_lists_are_not_overwritten(desk: Shell) -> None:
    desk.write("sens.txt", "b2\n")
    text = PROBLEM.replace('"k-km"', '"k-lm"\nsensitive = "sens.txt"').replace('"out.csv"', '"sens.txt"')
    desk.write("p.toml", text)
    assert "sens.txt is an input too" in desk.fails("run", "p.toml")
    assert (desk.folder / "sens.txt").read_text() == "b2\n"


def test_both_ways_to_declare_a_sensitive_column_must_agree(desk: Shell) -> None:
    text = PROBLEM.replace('"k-km"', '"k-lm"\nsensitive_column = "notes"').replace('id = "ident', 'id = "sens')
    desk.write("p.toml", text.replace("sensifier", "sensitive"))
    assert "Column 'id' is declared sensitive" in desk.fails("run", "p.toml")


def test_files_that_are_none(desk: Shell) -> None:
    assert "no.toml does not exist" in desk.fails("run", "no.toml")
    desk.write("p.toml", b"\xff\xfe\x00")
    assert desk.fails("run", "p.toml")
    desk.write("p.toml", "")
    assert "[data] must say which file" in desk.fails("run", "p.toml")


def test_a_file_called_like_an_option_is_no_list(desk: Shell) -> None:
    desk.write("btd", "x\n")
    desk.write("p.toml", PROBLEM.replace("delta = 0.9", 'delta = 0.9\ndistance = "btd"'))
    assert desk("run", "p.toml")[0] == 0
