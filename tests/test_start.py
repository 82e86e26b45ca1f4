"""What is loaded when, and that it is found all the same. Numbers, not clocks: a clock would fail on a busy machine.

Covers: _version.py, cli/__init__.py, data/arrow.py, discovery.py.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.cli import COMMANDS
from shoal.errors import OptionError
from shoal.models.base import PrivacyModel
from shoal.options import Spec
from tests.conftest import BASKETS, HIERARCHY

HEAVY = {"pandas", "polars", "duckdb", "matplotlib", "ortools", "jinja2", "hypothesis", "multiprocessing", "sklearn"}
LOADED = "import json, sys\n{}\nprint('\\n' + json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
COMMAND = "import sys\nsys.argv = ['shoal', *{!r}]\nfrom shoal.cli import main\ntry: main()\nexcept SystemExit: pass"


def loaded(code: str, folder: Path) -> set[str]:
    """The packages that are loaded once some code ran in a new process."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(code)], capture_output=True, text=True, check=True, cwd=folder
    )
    assert "Error" not in done.stderr, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_shoal_loads_nothing_but_itself(tmp_path: Path) -> None:
    assert not loaded("import shoal", tmp_path) & {*HEAVY, "numpy", "pyarrow", "rich", "click"}


def test_the_library_shows_nothing_so_it_loads_nothing_to_show_it_with(tmp_path: Path) -> None:
    everything = "import shoal\nfor name in shoal.__all__: getattr(shoal, name)"
    assert not loaded(everything, tmp_path) & {*HEAVY, "pyarrow", "rich", "click"}


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_version_and_help_load_no_numpy(tmp_path: Path, word: str) -> None:
    assert not loaded(COMMAND.format([word]), tmp_path) & {*HEAVY, "numpy", "pyarrow", "rich"}


@pytest.mark.parametrize("limit", [40, 70, 200])
def test_the_list_of_commands_says_what_the_commands_say(limit: int) -> None:
    listed = {name: COMMANDS.short_help(name, limit) for name in COMMANDS}
    assert listed == {name: command.get_short_help_str(limit) for name, command in COMMANDS.items()}


@pytest.mark.parametrize("name", ["d.dat", "d.basket", "d.csv"])
def test_a_command_on_text_loads_neither_pandas_nor_a_solver(tmp_path: Path, name: str) -> None:
    """OR-Tools brings pandas, so it is always there, and pyarrow would load it with its first array."""
    (tmp_path / "h.csv").write_text(HIERARCHY)
    words = ["anonymize", name, "-o", f"out-{name}", "--k", "2", "--m", "1", "--hierarchy", "h.csv"]
    text = {"d.dat": BASKETS.replace(",", " "), "d.basket": BASKETS}.get(name) or "items;age\na1|b1;30\na1|b1;30\n"
    (tmp_path / name).write_text(text)
    assert not loaded(COMMAND.format(words), tmp_path) & HEAVY
    assert (tmp_path / f"out-{name}").exists()


def test_one_algorithm_is_found_without_the_others(tmp_path: Path) -> None:
    code = (
        "from shoal import discovery; from shoal.algorithms.base import Algorithm\n"
        "discovery.get('shoal.algorithms', Algorithm, 'optimal-suppress')\n"
        "loaded = [name for name in sys.modules if name.startswith('shoal.algorithms.')]\n"
        "assert loaded == ['shoal.algorithms.base', 'shoal.algorithms.optimal_suppress'], loaded"
    )
    loaded(code, tmp_path)


def test_a_command_loads_the_model_and_the_algorithm_that_run_alone(tmp_path: Path) -> None:
    (tmp_path / "d.dat").write_text(BASKETS.replace(",", " "))
    (tmp_path / "h.csv").write_text(HIERARCHY)
    words = ["anonymize", "d.dat", "-o", "out.dat", "--k", "2", "--m", "1", "--hierarchy", "h.csv"]
    code = (
        "\nloaded = {name for name in sys.modules if name.startswith(('shoal.algorithms.', 'shoal.models.'))}\n"
        "assert 'shoal.algorithms.auto' in loaded\n"
        "assert not loaded & {'shoal.algorithms.lra', 'shoal.algorithms.rmerge', 'shoal.models.hkp'}, loaded"
    )
    loaded(COMMAND.format(words) + code, tmp_path)
    assert (tmp_path / "out.dat").exists()


@pytest.mark.parametrize(("package", "base"), [("algorithms", Algorithm), ("models", PrivacyModel)])
def test_what_is_found_alone_is_what_is_found_among_all(package: str, base: type[Spec]) -> None:
    known = discovery.find(f"shoal.{package}", base)
    assert {name: discovery.get(f"shoal.{package}", base, name) for name in known} == known
    for unknown in ("", "rare", "k_km", "a.b", "../k"):  # that of a module, of one that has another name, of none
        with pytest.raises(OptionError, match=f"Unknown .* '{unknown}'"):
            discovery.get(f"shoal.{package}", base, unknown)


def test_public_names_are_found_when_asked_for() -> None:
    assert {*shoal.__all__} <= {*dir(shoal)}
    assert callable(shoal.anonymize)
    assert shoal.hierarchies.__name__ == "shoal.hierarchies"
    for unknown in ("anonymise", "__wrapped__"):
        with pytest.raises(AttributeError, match=f"No shoal attribute {unknown}"):
            getattr(shoal, unknown)


def test_the_version_is_that_of_the_installed_package() -> None:
    assert shoal.__version__ == importlib.metadata.version("shoal")
