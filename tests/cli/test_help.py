"""Help is short, grouped, complete, and reads well at any width. Covers: cli/model_options.py, cli/formatter.py."""

from __future__ import annotations

import re

import click
import pytest

from shoal.cli.help import GENERAL, ORDER, GroupedCommand, GroupedOption, is_rare, one_line
from tests.cli.command_line_page import PAGE, commands, rewritten, root, without_trailing_blanks
from tests.conftest import Shell

ALL = {context.command_path: context for context in commands(root())}
SINGLE = {path: context for path, context in ALL.items() if not isinstance(context.command, click.Group)}
SCREEN = 45  # lines


def test_the_help_of_anonymize_fits_two_screens(shell: Shell) -> None:
    shell.monkeypatch.setenv("COLUMNS", "100")
    lines = shell("anonymize", "--help")[1].splitlines()
    assert len(lines) <= 2 * SCREEN
    titles = [line.rstrip(":") for line in lines if re.fullmatch(r"[A-Z].*:", line)]
    assert titles == [
        "Data",
        "Guarantee",
        "Options of the model km (k^m-anonymity)",
        "Output",
        "Search",
        "Options of the algorithm auto (Exact within a time limit)",
        "General",
        "Models (--model NAME)",
    ]


@pytest.mark.parametrize("path", SINGLE)
def test_every_help_is_short_and_all_options_are_in_help_all(shell: Shell, path: str) -> None:
    shell.monkeypatch.setenv("COLUMNS", "100")
    command = SINGLE[path].command
    assert isinstance(command, GroupedCommand)
    words = path.split()[1:]
    short = shell(*words, "--help")[1]
    assert len(short.splitlines()) <= 2 * SCREEN
    rare = [param for param in command.params if is_rare(param)]
    assert (f"{len(rare)} rarely used options are not listed here" in short) == bool(rare)
    full = shell(*words, "--help-all")[1] if rare else short
    for param in command.params:
        if isinstance(param, click.Option):
            assert f" {param.opts[-1]} " in full.replace("\n", " ").replace("/", " "), param.name
            assert is_rare(param) or f" {param.opts[-1]} " in short.replace("\n", " ").replace("/", " "), param.name


@pytest.mark.parametrize("path", SINGLE)
def test_every_option_has_a_group_and_few_lines(path: str) -> None:
    context = SINGLE[path]
    for param in context.command.params:
        if isinstance(param, click.Option):
            assert isinstance(param, GroupedOption), param.name
            assert param.group in ORDER
            _, help = param.get_help_record(context) or ("", "")
            assert len(help) <= 150, (param.name, help)  # two lines beside the option at 100 columns
            assert help[0].isupper() or help.startswith("--")
            assert "  [default: ()]" not in help


@pytest.mark.parametrize("path", ALL)
@pytest.mark.parametrize("columns", [40, 60, 80])
def test_help_fits_the_terminal(shell: Shell, path: str, columns: int) -> None:
    shell.monkeypatch.setenv("COLUMNS", str(columns))
    text = shell(*path.split()[1:], "--help")[1]
    for line in text.splitlines():
        verbatim = line.startswith(("  shoal ", "Usage: ", "Options of "))  # examples are to be copied
        assert verbatim or len(line) <= columns or len(line.split()) == 1 or line.lstrip().startswith("-"), line


def test_no_line_ends_inside_an_option(shell: Shell) -> None:
    for columns in range(60, 110, 10):
        shell.monkeypatch.setenv("COLUMNS", str(columns))
        for path in SINGLE:
            assert not re.search(r"\w-\n", shell(*path.split()[1:], "--help")[1]), path


def test_help_of_a_model_and_of_an_algorithm(shell: Shell) -> None:
    of_model = shell("anonymize", "--model", "lm", "--help")[1]
    assert "Options of the model lm (l^m-diversity):\n  -l, --l N" in of_model
    assert "Algorithms for lm (--algorithm NAME):\n  auto     Exact within a time limit [default]\n" in of_model
    assert "Models (" not in of_model
    of_algorithm = shell("anonymize", "--algorithm", "rmerge-t", "--help")[1]
    assert "Options of the model k-km (" in of_algorithm
    assert "Options of the algorithm rmerge-t (RmergeT):\n" in of_algorithm
    assert of_algorithm.endswith("rmerge-t is for --model k-km or k-lm.\n")
    assert "--algorithm" not in shell("verify", "--model", "lm", "--help")[1]


def test_the_list_of_commands_cuts_no_sentence(shell: Shell) -> None:
    shell.monkeypatch.setenv("COLUMNS", "80")
    for path, context in ALL.items():
        if isinstance(context.command, click.Group):
            assert "..." not in shell(*path.split()[1:], "--help")[1].replace("[ARGS]...", ""), path


def test_groups_come_in_order() -> None:
    @click.command(cls=GroupedCommand)
    @click.option("--plain", help="without a group")
    @click.option("--seed", cls=GroupedOption, group="Search", help="of an algorithm", default=3)
    @click.option("--file", cls=GroupedOption, group="Data", type=click.Path(), help="to read")
    @click.option("--odd", cls=GroupedOption, group="Data", rare=True, help="rarely used")
    def toy() -> None:
        """Do something."""

    text = toy.get_help(toy.context_class(toy, info_name="toy", terminal_width=80))
    assert text.index("Data:\n  --file FILE") < text.index("Search:\n  --seed N") < text.index(f"{GENERAL}:\n")
    assert "Of an algorithm.  [default: 3]" in text
    assert "--odd" not in text
    assert "1 rarely used options are not listed here: see toy --help-all." in text


def test_the_page_about_the_command_line_shows_the_help_as_it_is() -> None:
    """If this fails: python -m tests.cli.command_line_page."""
    page = PAGE.read_text(encoding="utf-8")
    assert page == without_trailing_blanks(rewritten(page))


def test_the_help_and_the_page_name_all_exit_codes(shell: Shell) -> None:
    text = " ".join(shell("--help")[1].split())
    page = PAGE.read_text(encoding="utf-8")
    for code in (0, 1, 2, 3, 130, 141):
        assert re.search(rf"[ :;] {code} \w", text.partition("Exit codes")[2]), code
        assert f"\n| {code} | " in page


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--hirarchy", "h.csv"), "(did you mean '--hierarchy'?)"),
        (("--quasi", "age"), "(did you mean '--quasi-identifiers'?)"),
        (("--dry-tun",), ""),
        (("--frobnicate",), ""),
    ],
)
def test_options_are_suggested_only_if_they_are_similar(shell: Shell, words: tuple[str, ...], hint: str) -> None:
    message = shell.fails("measure", "in.basket", "in.basket", *words)
    assert f"No such option '{words[0]}'" in message
    assert hint in message
    assert ("did you mean" in message) == bool(hint)


def test_names_in_a_sentence() -> None:
    assert one_line(["a", "b"]) == "a and b"
