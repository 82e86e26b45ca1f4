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
    """A hint for a message, or nothing.

    >>> did_you_mean("oat mlik", ["oat milk", "beer"])
    " (did you mean 'oat milk'?)"
    >>> did_you_mean("zzz", ["oat milk"]), did_you_mean("1043", ["1042", "1044"])
    ('', '')
    """
    near = similar(word, known)
    return f" (did you mean '{near[0]}'?)" if near else ""


def similar(word: str, known: Iterable[str]) -> list[str]:
    """Find the known word that a misspelt word most likely means. Numbers mean nothing but themselves.

    >>> similar("--hirarchy", ["--hierarchy", "--k"]), similar("--quasi", ["--quasi-identifiers", "--k"])
    (['--hierarchy'], ['--quasi-identifiers'])
    >>> similar("--dry-run", ["--id-column"]), similar("item 17", ["item 18", "item"])
    ([], ['item'])
    """
    bare = {_bare(label): label for label in reversed(list(known)) if not _same_but_digits(word, label)}
    wanted = _bare(word)
    if len(wanted) < SHORT or not any(map(str.isalpha, wanted)):
        return [bare[wanted]] if wanted in bare else []
    near = difflib.get_close_matches(wanted, list(bare), n=1, cutoff=SIMILAR)
    longer = [label for label in bare if len(wanted) >= LONG and (label.startswith(wanted) or label.endswith(wanted))]
    return [bare[one] for one in (near or sorted(longer, key=len))[:1]]


SIMILAR = 0.65  # the least similarity of words that are taken for each other, as difflib measures it
SHORT = 3  # characters below which a word is like none but itself
LONG = 4  # characters from which on the start or the end of a word is enough


def _bare(word: str) -> str:
    """A word as it is compared: small letters, and no dashes before it."""
    return word.lower().lstrip("-") or word


def _same_but_digits(word: str, label: str) -> bool:
    """Whether two words are ids that differ in their numbers only."""
    texts = word.lower(), label.lower()
    without = ["".join(filter(str.isalpha, text)) for text in texts]
    numbered = all(any(map(str.isdigit, text)) for text in texts)
    return texts[0] != texts[1] and numbered and without[0] == without[1]


def shorten(text: object) -> str:
    """The start of a text: messages name an item, but never show a whole record.

    >>> shorten("oat milk"), shorten("a" * 50_000)
    ('oat milk', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…')
    """
    text = str(text)
    return text if len(text) <= 40 else text[:40] + "…"
