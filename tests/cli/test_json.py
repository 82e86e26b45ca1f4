"""Every command that prints results prints them as JSON, too, as its schema says. Covers: cli/release_json.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

import shoal
from shoal.evidence.keys import new_keys
from tests.cli.command_line_page import PAGE, commands, root
from tests.conftest import Shell
from tests.evidence.proof.golden import PROOF

SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "json"
PEOPLE = "age;zip;dx;who\n30;1000;a1|b1;p1\n31;1000;a1|b1;p1\n32;1001;a2|b2;p2\n33;1001;a1|b2;p3\n40;1001;a2|b1;p4\n"
TABLE = "id;type;dep\n1;t;d\n2;t;e\n3;;d\n"
PROBLEM = '[data]\nfile = "in.basket"\n[items]\nhierarchy = "h.csv"\n[model]\nk = 2\n[output]\nfile = "o.basket"\n'
TREE = ("--hierarchy", "h.csv")
COLUMNS = ("--sets", "dx", "--quasi-identifiers", "age,zip")
PERSONS = ("--person", "who", "--persons-out", "w.txt")
RUNS: dict[str, list[tuple[str, ...]]] = {
    "anonymize": [
        ("in.basket", "-o", "o.basket", *TREE, "--k", "2", "--report", "r.html"),
        ("p.csv", "-o", "o.csv", *TREE, *COLUMNS, "--identifiers", "who", "--model", "k-km", "--k", "2"),
        ("in.basket", "-o", "o.basket", "--model", "sensitive-k", "--k", "2", "--sensitive", "a1"),
        ("p.csv", "-o", "o.csv", *TREE, *COLUMNS[:2], "--columns", "none", "--k", "2", "--m", "1", *PERSONS),
    ],
    "apply": [("r.json", "in.basket", "-o", "o.basket"), ("r.json", "rare.basket", "-o", "o.basket")],
    "series-start": [("new", "one", "in.basket", *TREE, "--k", "2", "--rule", "new-records")],
    "series-add": [("s", "two", "in.basket"), ("t", "two", "p2.csv")],
    "series-check": [("s",), ("s", "--link", "none"), ("s", "--link", "position")],
    "series-show": [("s",), ("t",)],
    "run": [("p.toml",)],
    "verify": [
        ("in.basket", "--k", "2", "--m", "1"),
        ("in.basket", "--k", "4"),
        ("in.basket", "--m", "all"),
        ("in.basket", "--model", "lm", "--sensitive", "a1"),
        ("p.csv", *COLUMNS, "--model", "k-km", "--k", "2"),
    ],
    "verify-certificate": [
        ("c.basket", "--certificate", "c.json", "--public-key", "k.pub"),
        ("c.basket", "--certificate", "c.json"),
        ("in.basket", "--certificate", "c.json", "--public-key", "k.pub"),
    ],
    "keys-new": [("other",)],
    "keys-show": [("k.key",), ("k.pub",)],
    "profile": [("in.basket",), ("p.csv", *COLUMNS, "--person", "who")],
    "risk": [
        ("in.basket", "--m", "1", "--threshold", "ema", "--sensitive", "a1", "--population", "in.basket"),
        ("p.csv", *COLUMNS, "--person", "who", "--m", "all", "--original", "p.csv"),
    ],
    "measure": [
        ("in.basket", "out.basket", *TREE, "--known", "2", "--mining", "50", "--rules", "--queries", "5"),
        ("in.basket", "in.basket", "--sensitive", "a1"),
    ],
    "explain": [("in.basket", "out.basket", *TREE, "--k", "2")],
    "frontier": [("in.basket", *TREE, "--k", "2", "--m", "1,2")],
    "recommend": [("in.basket", *TREE, "--k", "2")],
    "workload": [("in.basket", "-o", "w.jsonl")],
    "compare": [("in.basket", "-o", "lab", *TREE, "-a", "aa", "-a", "oa", "--vary", "k=2,5")],
    "compare-list": [("--list",)],
    "hierarchy-build": [("in.basket", "-o", "b.csv")],
    "hierarchy-check": [("h.csv",), ("h.csv", "in.basket"), ("h.csv", "other.basket")],
    "hierarchy-convert": [("h.csv", "c.json")],
    "hierarchy-from-table": [("t.csv", "-o", "c.csv", "--levels", "id,type,dep")],
    "hierarchy-show": [("h.csv",), ("h.csv", "--depth", "1")],
    "generate-quest": [("-o", "q.dat", "--rows", "50"), ("-o", "q.dat", "--rows", "50", "--hierarchy", "qh.csv")],
    "generate-videos": [("-o", "v.csv", "--rows", "50")],
    "generate-shop": [("-o", "shop", "--customers", "5")],
    "generate-supermarket": [("-o", "s.basket", "--rows", "50")],
    "init": [("in.basket",)],
    "dry-run": [
        ("anonymize", "in.basket", "-o", "o.basket", *TREE, "--k", "2", "--dry-run"),
        ("run", "p.toml", "--dry-run"),
    ],
    "check-proof": [
        ("proof.json", "in.basket"),
        ("proof.json", "in.basket", "--no-solver"),
        ("proof.json", "out.basket"),
    ],
    "models": [()],
    "algorithms": [()],
}
GROUPS = ("hierarchy", "generate", "keys", "series")
VARIANTS = {"verify-certificate": "verify"}  # schemas of commands that print another document with some option
DOCUMENTS = {"certificate", "proof", "public-report", "recoding"}  # schemas of files, which no command prints


@pytest.fixture
def desk(shell: Shell) -> Shell:
    shell.write("out.basket", "A,b1,b2\nA,b1\nA,b1,b2\nA,b2\n")
    shell.write("other.basket", "a1,zz\n")
    shell.write("rare.basket", "a1,b1\n")
    shell.write("p.csv", PEOPLE)
    shell.write("t.csv", TABLE)
    PROOF.save(shell.folder / "proof.json")
    shell.write("p.toml", PROBLEM)
    shell.write("p2.csv", PEOPLE.replace("40;", "41;"))
    shoal.Series.start(shell.folder / "s", "one", shell.folder / "in.basket", k=2, m=1)
    shoal.Series.start(shell.folder / "t", "one", shell.folder / "p.csv", k=2, m=1, sets="dx", record_id="age")
    new_keys(shell.folder / "k")
    shoal.anonymize(shell.folder / "in.basket", k=2, m=1).save(
        shell.folder / "c.basket",
        certificate=shell.folder / "c.json",
        key=shell.folder / "k.key",
        recoding=shell.folder / "r.json",
    )
    return shell


def words_of(name: str) -> list[str]:
    """The command of a schema: hierarchy-from-table is that of 'hierarchy from-table'."""
    if name == "dry-run":
        return []  # an option of two commands
    if name in VARIANTS:
        return [VARIANTS[name]]
    group, _, rest = name.partition("-")
    return [group, rest] if group in GROUPS else [name.removesuffix("-list")]


def run(shell: Shell, name: str, words: tuple[str, ...]) -> Any:
    """The document that a command prints, which its schema allows."""
    code, out, err = shell(*words_of(name), *words, "--json")
    assert code in ((0, 1, 2) if name == "check-proof" else (0, 1)), err
    document = json.loads(out)
    assert next(iter(document)) == "schema"
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    assert document["schema"] == schema["title"] == f"shoal/{name}/1"
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    return document


@pytest.mark.usefixtures("no_processes")
@pytest.mark.parametrize(("name", "words"), [(name, words) for name, runs in RUNS.items() for words in runs], ids=str)
def test_json_is_as_the_schema_says(desk: Shell, name: str, words: tuple[str, ...]) -> None:
    run(desk, name, words)


def test_every_command_that_prints_results_has_json_and_a_schema() -> None:
    with_json = set()
    for context in commands(root()):
        if any("--json" in param.opts for param in context.command.params):
            with_json.add(context.command_path.removeprefix("shoal ").replace(" ", "-"))
        elif not isinstance(context.command, click.Group):
            assert context.info_name in ("completion", "demo", "serve"), context.command_path
    assert with_json | {"compare-list", "dry-run", "verify-certificate"} == set(RUNS)
    files = {path.stem for path in SCHEMAS.glob("*.json")}
    assert set(RUNS) | DOCUMENTS == files
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"](json/{name}.json)" in page for name in files)


@pytest.mark.parametrize("name", sorted(path.stem for path in SCHEMAS.glob("*.json")))
def test_schemas_are_schemas_and_demand_something(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert len(schema["required"]) > 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema": f"shoal/{name}/1"}, schema)


def test_the_figures_of_a_release(desk: Shell) -> None:
    made = run(desk, "anonymize", ("in.basket", "-o", "o.basket", *TREE, "--k", "2", "--report", "r.json"))
    report = json.loads((desk.folder / "r.json").read_text(encoding="utf-8"))
    for key in ("losses", "verdict", "usefulness"):
        assert made[key] == report[key]
    assert made["records"] == 4
    assert made["labels"] == {"before": 4, "after": 3}
    assert made["files"] == {
        "data": "o.basket",
        "codebook": None,
        "persons": None,
        "certificate": None,
        "recoding": None,
        "proof": None,
        "reports": ["r.json"],
        "public_reports": [],
    }
    assert made["optimality"]["proven"] is True


def test_json_and_data_cannot_both_go_to_standard_output(desk: Shell) -> None:
    assert "--json and the published data both go to standard output" in desk.fails(
        "anonymize", "in.basket", "-o", "-", *TREE, "--k", "2", "--json"
    )


def test_a_hierarchy_as_nodes(desk: Shell) -> None:
    shown = run(desk, "hierarchy-show", ("h.csv", "--depth", "1"))
    assert shown["nodes"] == [
        {"label": "ALL", "parent": None, "items": 4},
        {"label": "A", "parent": "ALL", "items": 2},
        {"label": "B", "parent": "ALL", "items": 2},
    ]
