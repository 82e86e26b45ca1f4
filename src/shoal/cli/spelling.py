"""Spells the arguments in a message as the options of a command.

The library names Python arguments in its messages, such as ``unknown_items='root'``. The command line shows the same
messages with its own spelling, ``--unknown-items root``. It knows the options from the command that runs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import click

from shoal.cli.formatter import HelpContext

_ARGUMENT = re.compile(r"""(?<![\w'"=-])([a-z][a-z_]+)=(?:'([^']*)'|"([^"]*)"|(\w[\w-]*(?:\.\d+)?))?""")
_running: list[click.Command] = []


class SpellingGroup(click.Group):
    """Commands whose messages name their own options."""

    context_class = HelpContext

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; from now on, messages use its spelling."""
        found = super().resolve_command(ctx, args)
        _running[:] = [found[1]] if found[1] is not None else []
        return found


def as_options(message: str) -> str:
    """Replace the arguments in a message by the options of the running command."""
    return spell(message, _spellings(_running[0])) if _running and "=" in message else message


def spell(message: str, spellings: Mapping[str, str]) -> str:
    """Replace ``name=`` and ``name=value`` by the spelling of each name.

    >>> spellings = {"unknown_items": "--unknown-items", "allow_missing": "--allow-missing"}
    >>> spell("Add it, or pass unknown_items='root'. Or allow_missing=True? age=30 stays.", spellings)
    'Add it, or pass --unknown-items root. Or --allow-missing? age=30 stays.'
    >>> spell("Leave out unknown_items=.", spellings)
    'Leave out --unknown-items.'
    """

    def option(found: re.Match[str]) -> str:
        name, *values = found.groups()
        if name not in spellings:
            return found[0]
        value = next((value for value in values if value is not None), "")
        return spellings[name] if value in ("", "True") else f"{spellings[name]} {value}"

    return _ARGUMENT.sub(option, message)


def _spellings(command: click.Command) -> dict[str, str]:
    """Map the name of each parameter to its longest option, or to the name of a positional argument."""
    params = [param for param in command.get_params(click.Context(command)) if param.name]
    return {
        str(param.name): max(param.opts, key=len) if isinstance(param, click.Option) else str(param.name).upper()
        for param in params
    }
