"""Replaces Python arguments in messages by command-line options.

The library names Python arguments in its messages, such as ``unknown_items='root'``. The command line and the reports
that it writes show the same messages with its own spelling, ``--unknown-items root``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Mapping

_ARGUMENT = re.compile(r"""(?<![\w'"=-])([a-z][a-z_]+)=(?:'([^']*)'|"([^"]*)"|(\w[\w-]*(?:\.\d+)?))?""")


def spell(message: str, spellings: Mapping[str, str]) -> str:
    """Replace ``name=`` and ``name=value`` by the spelling of each name.

    >>> spellings = {"unknown_items": "--unknown-items", "allow_missing": "--allow-missing"}
    >>> spell("Add it, or pass unknown_items='root'. Or allow_missing=True? age=30 stays.", spellings)
    'Add it, or pass --unknown-items root. Or --allow-missing? age=30 stays.'
    >>> spell("Leave out unknown_items=.", spellings)
    'Leave out --unknown-items.'
    >>> spell("Pass item_delimiter='|' or header=False.", {"item_delimiter": "--item-delimiter", "header": "--header"})
    "Pass --item-delimiter '|' or --no-header."
    """

    def option(name: str, value: str | None) -> str:
        if value == "False":
            return spellings[name].replace("--", "--no-", 1)
        return f"{spellings[name]} {shlex.quote(value)}" if value and value != "True" else spellings[name]

    return respell(message, spellings, option)


def respell(message: str, names: Collection[str], write: Callable[[str, str | None], str]) -> str:
    """Replace ``name=`` and ``name=value`` by what ``write`` makes of the name and the value, if there is one.

    >>> respell("Pass seed=3, not join=.", ["seed", "join"], lambda name, value: f"{name.upper()} ({value})")
    'Pass SEED (3), not JOIN (None).'
    """

    def written(found: re.Match[str]) -> str:
        name, *values = found.groups()
        return write(name, next((value for value in values if value is not None), None)) if name in names else found[0]

    return _ARGUMENT.sub(written, message)
