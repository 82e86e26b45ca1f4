"""The list of deliberate faults fits the source: whoever changes a guarded line changes its fault, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutants import faults_file
from mutants.faults_file import Fault

ROOT = Path(__file__).parents[2]
FAULTS = faults_file.load()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_applies_and_its_tests_exist(fault: Fault) -> None:
    made = fault.applied((ROOT / "src" / "shoal" / fault.file).read_text(encoding="utf-8"))
    if fault.file.endswith(".py"):
        compile(made, fault.file, "exec")
    assert fault.why
    assert all((ROOT / test).exists() for test in fault.tests)
    assert fault.rounds(ROOT)[-1] == [], "at last, the whole suite"


def test_a_text_that_is_not_there_or_there_twice_is_an_error() -> None:
    fault = Fault("name", "a/b.py", "old", "new", "why")
    assert fault.applied("an old text") == "an new text"
    for text in ("nothing", "old and old"):
        with pytest.raises(ValueError, match="occurs"):
            fault.applied(text)


def test_tests_mirror_the_source(tmp_path: Path) -> None:
    for name in ("tests/a/test_b.py", "tests/a/test_b_edges.py", "tests/a/test_bc.py", "tests/test_b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    fault = Fault("name", "a/b.py", "old", "new", "why", ["tests/x.py"])
    near = ["tests/x.py", "tests/a/test_b.py", "tests/a/test_b_edges.py"]
    assert fault.rounds(tmp_path) == [near, ["tests/a"], []]
    assert Fault("name", "b.py", "old", "new", "why").rounds(tmp_path) == [["tests/test_b.py"], []]
