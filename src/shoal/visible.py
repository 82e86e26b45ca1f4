"""Text from the data in a form that is safe to show. Control characters and invisible characters are escaped."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

_OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # controls, formats (bidi, zero width), half surrogates, line separators


def visible(text: str) -> str:
    r"""Escape control characters, as Python does. Everything else stays unchanged.

    Control characters are C0, DEL and C1, line and paragraph separators, and format characters such as the bidi
    overrides.

    >>> print(visible("\x1b[2JHolds.\n"), visible("a\u202eb"), visible("crème brûlée"))
    \x1b[2JHolds.\n a\u202eb crème brûlée
    """
    return _spelled(text, lambda character: character.encode("unicode_escape").decode("ascii"))


def visible_lines(text: str) -> str:
    r"""Escape control characters except line feeds, for a text of several lines.

    >>> print(visible_lines("a\x07\nb"))
    a\x07
    b
    """
    return "\n".join(map(visible, text.split("\n")))


def visible_json(text: str) -> str:
    r"""Escape control characters in a JSON text as ``\uXXXX``, so that it keeps its meaning.

    >>> print(visible_json('["a\x9b2J", "\u202e"]'))
    ["a\u009b2J", "\u202e"]
    """
    return "\n".join(_spelled(line, _json_escape) for line in text.split("\n"))


def visible_bash(text: str) -> str:
    r"""Escape control characters for use between ``$'`` and ``'`` in bash and zsh, which read them back.

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
    """Escape a character. Half surrogates are bytes of a file name that are not UTF-8."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if 0x80 <= code < 0x10000 else character.encode("unicode_escape").decode("ascii")
