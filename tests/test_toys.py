"""The pages "Add a method, model, measure, format": the file that each shows is installed as it stands, and used.

Covers: discovery.py, testing.py.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.models import Km
from shoal.testing import check_algorithm, check_privacy_model, problems
from tests.budget import examples
from tests.processes import SHELL

PAGES = Path(__file__).parents[1] / "docs" / "internals"
TREE = "child,parent\nbread,food\nmilk,food\nbeer,drinks\nwine,drinks\nfood,all\ndrinks,all\n"


def block(page: str, language: str, heading: str) -> str:
    """The first code block of a language below a heading."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    found = re.search(rf"```{language}\n(.*?)```", text, flags=re.S)
    assert found is not None
    return found[1]


def install(page: str, folder: Path) -> None:
    """The page's file, under the name that the page gives it, with the page's entry points."""
    (name,) = re.findall(r"`(\w+\.py)`", (PAGES / f"{page}.md").read_text(encoding="utf-8").partition("```python")[0])
    (folder / name).write_text(block(page, "python", "The whole file"), encoding="utf-8")
    groups = tomllib.loads(block(page, "toml", "Announce it"))["project"]["entry-points"]
    lines = [line for group, points in groups.items() for line in (f"[{group}]", *map(" = ".join, points.items()))]
    (folder / "toy-1.dist-info").mkdir()
    (folder / "toy-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1\n")
    (folder / "toy-1.dist-info" / "entry_points.txt").write_text("\n".join(lines))


def shell(folder: Path, *commands: str) -> list[str]:
    """What the commands print in a process where the toy is installed; all must succeed."""
    done = subprocess.run(
        [sys.executable, "-c", SHELL],
        input="\n".join(commands),
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        check=True,
    )
    out = re.split(r"exit (\d+)\n", done.stdout)
    assert out[1::2] == ["0"] * len(commands), done.stderr
    return out[::2]


def module(page: str, folder: Path) -> ModuleType:
    """The page's file, imported."""
    install(page, folder)
    (path,) = folder.glob("*.py")
    spec = importlib.util.spec_from_file_location(f"toy_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


def test_the_method_runs(tmp_path: Path) -> None:
    install("add-a-method", tmp_path)
    (tmp_path / "h.csv").write_text(TREE)
    (tmp_path / "data.basket").write_text("bread,beer\nmilk,beer\nbread,wine\nmilk\n")
    told = shell(
        tmp_path,
        "anonymize data.basket -o out.basket --hierarchy h.csv --algorithm levels --k 2 --m 2 --report report.json",
        "verify out.basket --k 2 --m 2",
        "algorithms",
    )
    assert (tmp_path / "out.basket").read_text() == "drinks,food\ndrinks,food\ndrinks,food\nfood\n"
    assert "levels" in told[2]
    facts = json.loads((tmp_path / "report.json").read_text())
    assert facts["algorithm"]["name"] == "levels"
    assert facts["search"]["levels"] == 1


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return module("add-a-method", tmp_path_factory.mktemp("method"))


@examples(40)
@given(problems(st.builds(Km, k=st.integers(2, 6), m=st.integers(1, 3))))
def test_the_method_conforms(levels: ModuleType, problem: object) -> None:
    check_algorithm(levels.Levels(), problem)  # type: ignore[arg-type]


def test_the_method_starts_where_it_is_told(levels: ModuleType) -> None:
    import shoal

    tree = shoal.Hierarchy.from_tree({"all": {"food": ["bread", "milk"], "drinks": ["beer", "wine"]}})
    problem = shoal.Problem(shoal.read([["bread"], ["bread"]]), tree, Km(k=2, m=1))
    for start, label in ((0, "bread"), (1, "food"), (5, "all")):
        release = shoal.anonymize(problem, algorithm=levels.Levels(start=start))
        assert release.published.rows.sets() == [{label}] * 2


def test_the_model_runs(tmp_path: Path) -> None:
    install("add-a-model", tmp_path)
    (tmp_path / "h.csv").write_text(TREE)
    (tmp_path / "data.basket").write_text("bread,beer\nbread,wine\nmilk,beer\nbread\n")
    told = shell(
        tmp_path,
        "anonymize data.basket -o out.basket --hierarchy h.csv --model min-support --k 2 --report report.md",
        "verify out.basket --model min-support --k 2",
    )
    assert "Holds." in told[1]
    assert "Two labels together may still point to a single record." in (tmp_path / "report.md").read_text()
    published = [set(line.split(",")) for line in (tmp_path / "out.basket").read_text().splitlines()]
    assert all(sum(label in row for row in published) >= 2 for row in published for label in row)


def test_the_model_conforms(tmp_path: Path) -> None:
    toy = module("add-a-model", tmp_path)
    check_privacy_model(toy.MinSupport(k=2), [["a"], ["a", "b"], ["b"]], [["a"], ["a", "b"]])
    problem = problems(st.builds(toy.MinSupport, k=st.integers(2, 5)))

    @examples(20)
    @given(problem)
    def conforms(drawn: object) -> None:
        check_algorithm(toy.MinSupportAA(), drawn)  # type: ignore[arg-type]

    conforms()


def test_the_measure_runs(tmp_path: Path) -> None:
    install("add-a-measure", tmp_path)
    (tmp_path / "before.basket").write_text("bread,beer\nbread\nmilk\nbeer\n")
    (tmp_path / "after.basket").write_text("bread,beer\nbread\nfood\nbeer\n")
    (tmp_path / "h.csv").write_text(TREE)
    (told, _) = shell(tmp_path, "measure before.basket after.basket --hierarchy h.csv")
    assert re.search(r"unchanged_records\W+0.75\d*", told)


def test_the_format_runs(tmp_path: Path) -> None:
    install("add-a-format", tmp_path)
    (tmp_path / "data.tilde").write_text("bread~beer\nbread~beer\nbread\n")
    shell(
        tmp_path,
        "anonymize data.tilde -o out.tilde --k 2 --m 2",
        "verify out.tilde --k 2 --m 2",
    )
    assert (tmp_path / "out.tilde").read_text() == "beer~bread\nbeer~bread\nbread\n"
