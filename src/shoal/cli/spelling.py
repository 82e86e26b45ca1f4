"""Spells the arguments in a message as the options of a command.

The library names Python arguments in its messages, such as ``unknown_items='root'``. The command line shows the same
messages with its own spelling, ``--unknown-items root``. It knows the options from the command that runs.
"""

from __future__ import annotations

import click

from shoal.cli.formatter import HelpContext
from shoal.spelling import spell

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


def _spellings(command: click.Command) -> dict[str, str]:
    """Map the name of each parameter to its longest option, or to the name of a positional argument."""
    params = [
        param for param in command.get_params(click.Context(command, help_option_names=["-h", "--help"])) if param.name
    ]
    spellings = {
        str(param.name): max(param.opts, key=len) if isinstance(param, click.Option) else str(param.name).upper()
        for param in params
    }
    if "output_layout" in spellings:
        spellings.setdefault("layout", spellings["output_layout"])  # as shoal.write calls it
    return spellings
