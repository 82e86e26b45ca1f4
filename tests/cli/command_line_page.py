"""Keeps docs/reference/command-line.md equal to the help: ``python -m tests.cli.command_line_page`` rewrites it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from shoal.cli import cli
from shoal.cli.formatter import HelpContext

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "command-line.md"
START, END = "<!-- the help of all commands; do not edit -->\n", "<!-- end of the help -->\n"
WIDTH = 78  # of a terminal with 80 columns


def commands(context: click.Context) -> Iterator[click.Context]:
    """The command of a context and all below it, in the order of the help."""
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            assert command is not None
            yield from commands(HelpContext(command, info_name=name, parent=context, terminal_width=WIDTH))


def root() -> click.Context:
    """The context of ``shoal``."""
    return HelpContext(cli, info_name="shoal", terminal_width=WIDTH, help_option_names=["-h", "--help"])


def helps() -> str:
    """The help of each command under its name."""
    texts = {context.command_path: context.get_help() for context in commands(root())}
    return "".join(f"### {name}\n\n```text\n{text.rstrip()}\n```\n\n" for name, text in texts.items())


def rewritten(page: str) -> str:
    """The page with the help as it is now."""
    before, _, rest = page.partition(START)
    _, found, after = rest.partition(END)
    assert found, f"the page lacks '{END.strip()}'"
    return f"{before}{START}\n{helps()}{END}{after}"


def without_trailing_blanks(text: str) -> str:
    """Editors remove blanks at the end of lines."""
    return re.sub(r" +\n", "\n", text)


if __name__ == "__main__":
    PAGE.write_text(without_trailing_blanks(rewritten(PAGE.read_text(encoding="utf-8"))), encoding="utf-8")
