"""The words of the page for what the library names as arguments of Python."""

from __future__ import annotations

import re
import traceback
from functools import cache
from pathlib import Path

from shoal.spelling import respell

_OWN = {  # what is no field of a form
    "hierarchy": "the step Hierarchy",
    "join": "the part \u201cJoin a second table\u201d",
    "identifiers": "the role identifier",
    "plain": "the role plain",
    "sensitive": "the role sensitive",
    "sets": "the role set",
    "id_column": "the role record",
    "item_column": "the role set",
    "person": "the role person",
}
_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])")


def label(name: str) -> str:
    """Return the label of an option.

    >>> label("item_delimiter"), label("k")
    ('Item delimiter', 'k')
    """
    text = name.replace("_", " ")
    return text if len(text) == 1 else text[0].upper() + text[1:]


def in_page(message: str) -> str:
    """Return a message of the library in the words of the page.

    >>> in_page("Name the column (id_column=), or pass item_delimiter='|' and header=False.")
    'Name the column (the role record), or pass \u201cItem delimiter\u201d: | and \u201cHeader\u201d: no.'
    >>> in_page("It undoes --escape-formulas.")
    'It undoes \u201cEscape formulas\u201d.'
    """
    return _FLAG.sub(_of_flag, respell(message, _options(), _written))


def _of_flag(found: re.Match[str]) -> str:
    """Write what help texts spell as on the command line."""
    return _written(found[1].replace("-", "_"), None)


def bug(error: Exception) -> str:
    """Tell of a bug where it is. The text of the error is left out, because it could show data.

    >>> try:
    ...     {}["Ann, 34, flu"]
    ... except KeyError as error:
    ...     bug(error)
    'This is a bug in Shoal (KeyError in <doctest shoal.web.words.bug[0]>:2). Please report it.'
    """
    place = traceback.extract_tb(error.__traceback__)[-1]
    name = type(error).__name__
    return f"This is a bug in Shoal ({name} in {Path(place.filename).name}:{place.lineno}). Please report it."


def _written(name: str, value: str | None) -> str:
    """Write an option with its value."""
    if name in _OWN:
        return _OWN[name]
    words = {None: "", "True": ": yes", "False": ": no"}
    return f"\u201c{label(name)}\u201d" + words.get(value, f": {value}")


@cache
def _options() -> frozenset[str]:
    """Return the names of all options that forms ask for."""
    from shoal import discovery  # loads all methods: the server needs them for few pages only
    from shoal.algorithms.base import Algorithm
    from shoal.io.read_options import ReadOptions
    from shoal.models.base import PrivacyModel
    from shoal.options import Spec

    specs: list[type[Spec]] = [ReadOptions]
    specs += discovery.find("shoal.models", PrivacyModel).values()
    specs += discovery.find("shoal.algorithms", Algorithm).values()
    return frozenset(_OWN) | {one.name for spec in specs for one in spec.options()}
