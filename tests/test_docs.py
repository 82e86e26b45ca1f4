"""Nothing undocumented, and what the documentation says runs."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import click
import pytest

from shoal import discovery, hierarchies, io
from shoal.algorithms.base import Algorithm
from shoal.cli import cli
from shoal.metrics.base import Measure
from shoal.models.base import PrivacyModel
from shoal.options import Spec, format_value

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

COMING: set[str] = set()  # pages whose commands are not there yet


@pytest.mark.parametrize(
    ("package", "base", "pages"), [("algorithms", Algorithm, "methods"), ("models", PrivacyModel, "models")]
)
def test_every_algorithm_and_model_has_a_page_that_names_its_options(
    package: str, base: type[Spec], pages: str
) -> None:
    folder = ROOT / "docs" / pages
    found = discovery.find(f"shoal.{package}", base)
    assert {path.stem for path in folder.glob("*.md")} == {*found, "README"}
    index = (folder / "README.md").read_text(encoding="utf-8")
    for name, cls in found.items():
        page = (folder / f"{name}.md").read_text(encoding="utf-8")
        defaults = defaults_in(page)
        for option in cls.options():
            assert defaults[option.flag] == format_value(option.default), (name, option.flag)
        assert f"[`{name}`]({name}.md)" in index


def defaults_in(page: str) -> dict[str, str]:
    """The defaults in the first table of options: a row may have several options and their defaults."""
    found: dict[str, str] = {}
    table = page.partition("| option | default | meaning |\n")[2].partition("\n\n")[0]
    for flags, cell in re.findall(r"^\| ((?:`--[a-z-]+`(?:, )?)+) \| ([^|]*) \|", table, flags=re.MULTILINE):
        options, values = re.findall(r"`(--[a-z-]+)`", flags), re.findall(r"[^\s`,][^\s`]*", cell)
        found |= dict(zip(options, values * (len(options) // len(values)), strict=True))
    return {flag: value.replace(",", "") for flag, value in found.items()}


def test_the_index_of_methods_says_what_they_are() -> None:
    index = (ROOT / "docs" / "methods" / "README.md").read_text(encoding="utf-8")
    defaults = {cls.default_algorithm for cls in discovery.find("shoal.models", PrivacyModel).values()}
    for name, cls in discovery.find("shoal.algorithms", Algorithm).items():
        (row,) = re.findall(rf"^\| (\**)\[`{name}`\]\(\S+\)\** \| (.+) \|$", index, flags=re.MULTILINE)
        models, truthful, hierarchy, *_ = row[1].split(" | ")
        assert models == ", ".join(model.name for model in cls.solves), name
        assert truthful == ("yes" if cls.truthful else "no"), name
        assert (hierarchy == "needed") == cls().needs_hierarchy, name
        assert bool(row[0]) == (name in defaults), name


def test_every_measure_and_format_is_documented() -> None:
    measures = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
    for cls in discovery.find("shoal.metrics", Measure).values():
        assert all(f"`{name}`" in measures for name in cls.meanings)
    formats = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in formats for name in [*io.FORMATS, *hierarchies.FORMATS])


def test_the_python_in_the_readme_runs() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


@pytest.mark.parametrize(
    "page", [page for page in PAGES if ">>>" in page.read_text(encoding="utf-8")], ids=lambda path: path.stem
)
def test_the_python_in_the_documentation_runs(page: Path) -> None:
    assert doctest.testfile(str(page), module_relative=False).failed == 0


def test_the_commands_in_the_documentation_exist() -> None:
    for page in (page for page in PAGES if page.name not in COMING):
        for line in re.findall(r"^\$ shoal (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
            words = line.partition("#")[0].split()
            command: click.Command = cli
            while isinstance(command, click.Group) and not words[0].startswith("-"):
                command = command.commands[words.pop(0)]
            known = {
                flag
                for param in command.get_params(click.Context(command, help_option_names=["-h", "--help"]))
                for flag in param.opts
            }
            assert {word for word in words if word.startswith("-")} <= known, (page.name, line)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_every_picture_of_the_workbench_is_shown() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "how-to").glob("*.md"))
    assert [
        one.name for one in (ROOT / "docs" / "images" / "workbench").iterdir() if f"workbench/{one.name}" not in text
    ] == []


def test_every_option_has_a_help_text() -> None:
    def commands(group: click.Group) -> list[click.Command]:
        below = [commands(sub) if isinstance(sub, click.Group) else [sub] for sub in group.commands.values()]
        return [command for listed in below for command in listed]

    for command in commands(cli):
        assert command.help
        for param in command.get_params(click.Context(command, help_option_names=["-h", "--help"])):
            if isinstance(param, click.Option):
                assert param.help, (command.name, param.name)
