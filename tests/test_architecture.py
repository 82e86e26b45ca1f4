"""The rules that keep the package readable, enforced. Imports between rooms: import-linter, see pyproject.toml."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import shoal

PACKAGE = Path(shoal.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
NATIVE = PACKAGE.parents[1] / "native"
KERNELS = sorted(path for path in NATIVE.rglob("*") if path.suffix in (".cpp", ".hpp"))


@cache
def tree_of(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def own_name(path: Path) -> str:
    """How messages name a file."""
    return path.relative_to(NATIVE if path.is_relative_to(NATIVE) else PACKAGE).as_posix()


def counts_as_a_verifier(module: Path) -> bool:
    """Whether a file names a kernel of the verifiers."""
    return bool(re.search(r"rare_|disclosing|kernels\.verify", module.read_text(encoding="utf-8")))


def test_neither_algorithms_nor_search_count_with_the_verifier() -> None:
    for room in ("algorithms", "search"):
        for module in (PACKAGE / room).glob("*.py"):
            assert not counts_as_a_verifier(module)


def test_kernels_include_their_own_family_and_the_core_alone() -> None:
    """So that verify/, measure/ and search/ share no counting. A folder sees those that it is in, not its siblings."""
    for path in KERNELS:
        family = path.relative_to(NATIVE).parent
        allowed = (Path("core"), family, *family.parents)
        for name in re.findall(r'#include "(.+)"', path.read_text(encoding="utf-8")):
            assert Path(name).parent in allowed, own_name(path)


def test_the_core_counts_nothing() -> None:
    for path in (NATIVE / "core").iterdir():
        assert not re.search(r"weight(\[| \+=)", path.read_text(encoding="utf-8"))


def test_only_files_that_bind_know_nanobind() -> None:
    for path in KERNELS:
        knows = re.search(r'#include (<nanobind|".*bind\w*\.hpp")', path.read_text(encoding="utf-8"))
        assert not knows or path.suffix == ".cpp" or path.name.startswith("bind"), own_name(path)


def test_a_compiled_kernel_its_wrapper_and_its_tests_are_in_the_same_folders() -> None:
    for path in NATIVE.rglob("*.cpp"):
        kernel = path.relative_to(NATIVE).with_suffix(".py")
        assert kernel == Path("core/module.py") or (PACKAGE / "kernels" / kernel).exists()


def test_kernels_are_small() -> None:
    for path in KERNELS:
        assert path.read_text(encoding="utf-8").count("\n") <= 400, own_name(path)


def test_or_tools_is_known_where_it_solves_and_where_it_counts_pairs() -> None:
    knowing = {own_name(path) for path in MODULES if "ortools." in path.read_text(encoding="utf-8")}
    assert knowing == {"search/solver.py", "risk/together/pairing.py"}


def test_files_are_small_and_say_what_they_are() -> None:
    for module in MODULES:
        assert ast.get_docstring(tree_of(module)), f"{own_name(module)} needs a docstring"
        assert module.read_text(encoding="utf-8").count("\n") <= 400, own_name(module)
        assert module.name not in ("utils.py", "helpers.py"), own_name(module)


def test_files_of_tests_and_tools_are_small() -> None:
    for folder in ("tests", "fuzz", "mutants", "benchmarks"):
        for module in (PACKAGE.parents[1] / folder).rglob("*.py"):
            assert module.read_text(encoding="utf-8").count("\n") <= 400, module.name


def test_functions_are_short() -> None:
    for module in MODULES:
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.FunctionDef):
                docstring = ast.get_docstring(node, clean=False)
                lines = (node.end_lineno or 0) - node.lineno - (docstring.count("\n") + 1 if docstring else 0)
                assert lines < 60, f"{node.name} in {own_name(module)}"


def test_the_library_never_prints() -> None:
    for module in MODULES:
        for node in ast.walk(tree_of(module)):
            assert not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"), (
                module
            )


def test_every_module_has_a_test_file_that_is_found_by_its_name() -> None:
    """``a/b.py`` is tested in ``tests/a/test_b.py`` or ``tests/a/test_b_ASPECT.py``, or a docstring there names it."""
    tests = PACKAGE.parents[1] / "tests"
    files = sorted(tests.rglob("test_*.py"))
    covered = {
        name
        for file in files
        for name in re.findall(r"[\w/]+\.py", (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""))
    }
    modules = {module.relative_to(PACKAGE) for module in MODULES if not module.name.startswith("__")}
    missing = {str(name) for name in modules if str(name) not in covered and not _mirrors(tests, name)}
    assert not missing


def _mirrors(tests: Path, module: Path) -> list[Path]:
    """The test files that are called like a module."""
    folder, name = tests / module.parent, f"test_{module.stem.lstrip('_')}"
    return [*folder.glob(f"{name}.py"), *folder.glob(f"{name}_*.py")]
