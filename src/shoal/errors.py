"""Everything that can go wrong, as one tree.

::

    ShoalError
    ├── InputError          what was given cannot be used (exit code 2)
    │   ├── DataError         ... in the data: names file and line where there is one
    │   ├── HierarchyError    ... in a hierarchy
    │   └── OptionError       ... in an option of a model or an algorithm
    ├── Infeasible          the data cannot satisfy the model, whatever is done (exit code 2)
    ├── OutputError         the result cannot be written; nothing was (exit code 2)
    ├── LossTooHigh         the release would lose more than max_loss allows; nothing was written (exit code 3)
    ├── Untruthful          a release would contain a false statement: a bug of ours (exit code 3)
    └── PrivacyViolation    a release failed its own verification: a bug of ours, nothing was written (exit code 3)

A message says what, where, what was wanted, what was got, and the remedy, in one sentence.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

from shoal.visible import visible


class ShoalError(Exception):
    """Base of all errors that Shoal raises on purpose. Control characters in the message are spelled out."""

    exit_code = 2

    def __init__(self, message: str = "") -> None:
        super().__init__(visible(message))


class InputError(ShoalError):
    """What was given cannot be used."""


class DataError(InputError):
    """The data are malformed, or do not fit the hierarchy."""


class HierarchyError(InputError):
    """The hierarchy is malformed."""


class OptionError(InputError):
    """An option of a model, an algorithm or a format is out of range."""


class Infeasible(ShoalError):
    """No release of these data can satisfy the model, or the method found none. The message says which."""


class OutputError(ShoalError):
    """The result cannot be written; nothing was."""


class LossTooHigh(ShoalError):
    """The release would lose more than ``max_loss`` allows. Nothing was published."""

    exit_code = 3


class Untruthful(ShoalError):
    """The release would contain a false statement, and the method promises not to: a bug. Nothing was published."""

    exit_code = 3


class PrivacyViolation(ShoalError):
    """A release failed its own verification: a bug of ours. Nothing was published."""

    exit_code = 3

    def __init__(self, message: str, verdict: Any) -> None:
        super().__init__(message)
        self.verdict = verdict  # the shoal.models.Verdict that failed


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint that names the most similar known word, or an empty string.

    Two words are similar if about two thirds of their letters agree, or if one is a whole word of the other. Numbers
    are never similar: the id 4712 is not a misspelling of 4711. So the digits of both words must be equal.

    >>> did_you_mean("oat mlik", ["oat milk", "beer"]), did_you_mean("type", ["id", "product_type"])
    (" (did you mean 'oat milk'?)", " (did you mean 'product_type'?)")
    >>> did_you_mean("zzz", ["oat milk"]), did_you_mean("4712", ["4711"]), did_you_mean("b3", ["b2"])
    ('', '', '')
    """
    word = word.lower()
    if not any(map(str.isalpha, word)):
        return ""
    digits = _digits(word)
    label_of = {label.lower(): label for label in reversed(list(known)) if _digits(label) == digits}
    similar = difflib.get_close_matches(word, list(label_of), n=1, cutoff=0.65)
    similar = similar or [label for label in label_of if word in re.split(r"[\W_]+", label)]
    return f" (did you mean '{label_of[similar[0]]}'?)" if similar else ""


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def shorten(text: object) -> str:
    """The start of a text: messages name an item, but never show a whole record.

    >>> shorten("oat milk"), shorten("a" * 50_000)
    ('oat milk', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…')
    """
    text = str(text)
    return text if len(text) <= 40 else text[:40] + "…"
