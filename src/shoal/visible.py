"""Text from the data as a person may safely see it: what a terminal or a page would obey or hide is spelled out."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

_OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # controls, formats (bidi, zero width), half surrogates, line separators


def visible(text: str) -> str:
    r"""Spell out control characters, as Python does. Everything else stays as it is.

    These are C0, DEL and C1, line and paragraph separators, and format characters, which include the bidi overrides.

    >>> print(visible("\x1b[2JHolds.\n"), visible("a\u202eb"), visible("crème brûlée"))
    \x1b[2JHolds.\n a\u202eb crème brûlée
    """
    return _spelled(text, lambda character: character.encode("unicode_escape").decode("ascii"))


def visible_lines(text: str) -> str:
    r"""The same for a text of several lines: line feeds stay.

    >>> print(visible_lines("a\x07\nb"))
    a\x07
    b
    """
    return "\n".join(map(visible, text.split("\n")))


def visible_json(text: str) -> str:
    r"""The same for a JSON text, which keeps its meaning: what ``json.dumps`` leaves as it is becomes ``\uXXXX``.

    >>> print(visible_json('["a\x9b2J", "\u202e"]'))
    ["a\u009b2J", "\u202e"]
    """
    return "\n".join(_spelled(line, _json_escape) for line in text.split("\n"))


def visible_bash(text: str) -> str:
    r"""The same between ``$'`` and ``'`` of bash and zsh, which read it back.

    >>> print(visible_bash("a\tb"), visible_bash("\x1b"), visible_bash("\u202e"), visible_bash("\udcff"))
    a\tb \x1b \u202e \xff
    """
    return _spelled(text.replace("\\", "\\\\").replace("'", "\\'"), _bash_escape)


def _spelled(text: str, spell: Callable[[str], str]) -> str:
    if text.isprintable():
        return text
    return "".join(spell(one) if unicodedata.category(one) in _OBEYED else one for one in text)


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _bash_escape(character: str) -> str:
    """Bytes that are no UTF-8, as a file's name may have them, are half surrogates in Python."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if 0x80 <= code < 0x10000 else character.encode("unicode_escape").decode("ascii")
