"""Replaces Python arguments in messages by command-line options.

The library names Python arguments in its messages, such as ``unknown_items='root'``. The command line and the reports
that it writes show the same messages with its own spelling, ``--unknown-items root``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

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

    def option(found: re.Match[str]) -> str:
        name, *values = found.groups()
        if name not in spellings:
            return found[0]
        value = next((value for value in values if value is not None), "")
        if value == "False":
            return spellings[name].replace("--", "--no-", 1)
        return spellings[name] if value in ("", "True") else f"{spellings[name]} {shlex.quote(value)}"

    return _ARGUMENT.sub(option, message)
