"""The rules that keep the package readable, enforced."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import shoal

PACKAGE = Path(shoal.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
BINDING = {
    "bind.hpp",
    "bind.cpp",
    "bind_relational.cpp",
    "bind_measures.cpp",
    "bind_merge_clauses.cpp",
    "bind_regroup.cpp",
}


def imports(module: Path) -> set[str]:
    """Every module that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def starts(names: set[str], *prefixes: str) -> set[str]:
    return {name for name in names if any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes)}


def counts_as_a_verifier(module: Path) -> bool:
    """Whether a file names a kernel of the verifiers."""
    return bool(re.search(r"rare_|disclosing|_verifiers|kernels\.verify", module.read_text(encoding="utf-8")))


@pytest.mark.parametrize("module", sorted((PACKAGE / "privacy").glob("*.py")), ids=lambda path: path.name)
def test_verifiers_share_nothing_with_algorithms(module: Path) -> None:
    forbidden = ("shoal.algorithms", "shoal.recoding", "shoal.search", "shoal.release.pipeline", "shoal.problem")
    assert not starts(imports(module), *forbidden)


@pytest.mark.parametrize("module", sorted((PACKAGE / "algorithms").glob("*.py")), ids=lambda path: path.name)
def test_algorithms_do_not_import_each_other_nor_the_verifier_kernel(module: Path) -> None:
    siblings = {f"shoal.algorithms.{path.stem}" for path in (PACKAGE / "algorithms").glob("[!_]*.py")}
    assert not imports(module) & siblings
    assert not counts_as_a_verifier(module)


@pytest.mark.parametrize("module", sorted((PACKAGE / "release").glob("*.py")), ids=lambda path: path.name)
def test_a_release_knows_nothing_of_its_reports(module: Path) -> None:
    assert not starts(imports(module), "shoal.report", "shoal.jobs", "shoal.evaluation", "shoal.cli")


def test_search_does_not_count_with_the_verifier() -> None:
    for module in (PACKAGE / "search").glob("*.py"):
        assert not counts_as_a_verifier(module)


def test_the_kernels_of_search_and_verifier_share_no_counting() -> None:
    native = {path.name: path.read_text(encoding="utf-8") for path in (PACKAGE.parents[1] / "native").iterdir()}
    names = (
        "direct lift cut distinct gray holders sets dominance pairs threats conflicts "
        "mend mend_diversity mend_negative breaches moles "
        "hghs mine scenario suppression chunk claim cover sweep "
        "scale form spread merging loss blend merge_clauses merge_chains least_cut blocks grouping regroup"
    )
    search, verifier = (
        {f"{name}.hpp" for name in names.split()},
        {"rare.hpp", "found.hpp", "disclosing.hpp", "facts.hpp"},
    )
    measures = {"ranked.hpp", "itemsets.hpp", "least.hpp"}  # neither searches nor verifies
    families = (search, verifier, measures)
    assert set(native) == set.union(*families, BINDING, {"support.hpp"})  # a new kernel wants a thought here
    for family in families:
        for name in family:
            assert set(re.findall(r'#include "(.+)"', native[name])) <= family | {"support.hpp"}
    assert "weight +=" not in native["support.hpp"]
    assert "weight[" not in native["support.hpp"]


def test_only_bind_knows_nanobind() -> None:
    native = PACKAGE.parents[1] / "native"
    border = re.compile(r'#include (<nanobind|"bind\.hpp")')
    knowing = {path.name for path in native.iterdir() if border.search(path.read_text(encoding="utf-8"))}
    assert knowing == BINDING


def test_only_the_solver_knows_or_tools() -> None:
    knowing = {path.name for path in MODULES if "ortools." in path.read_text(encoding="utf-8")}
    assert knowing == {"solver.py"}


def test_import_shoal_is_light() -> None:
    code = (
        "import sys, shoal; "
        "heavy = {'pyarrow', 'pandas', 'polars', 'duckdb', 'matplotlib', 'ortools'}; "
        "heavy |= {'jinja2', 'rich', 'click', 'hypothesis'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_are_small_and_say_what_they_are(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "a module needs a docstring"
    assert text.count("\n") <= 400
    assert module.name not in ("utils.py", "helpers.py")


def test_the_library_never_prints() -> None:
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
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
    assert missing <= {"_version.py"}


def _mirrors(tests: Path, module: Path) -> list[Path]:
    """The test files that are called like a module."""
    folder, name = tests / module.parent, f"test_{module.stem.lstrip('_')}"
    return [*folder.glob(f"{name}.py"), *folder.glob(f"{name}_*.py")]
