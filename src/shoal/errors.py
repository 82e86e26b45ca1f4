"""All errors that Shoal raises on purpose, as one tree.

::

    ShoalError
    ├── InputError          the input cannot be used (exit code 2)
    │   ├── DataError         ... the data; the message names file and line where possible
    │   ├── HierarchyError    ... a hierarchy
    │   └── OptionError       ... an argument or an option
    ├── RecodingFails       a saved recoding does not give the guarantee on other data (exit code 1)
    ├── SeriesBroken        a release would break the promise of its series (exit code 1)
    ├── Infeasible          no release can satisfy the model, or the algorithm found none (exit code 2)
    ├── OutputError         the output cannot be written (exit code 2)
    ├── ClusterError        the cluster cannot be used, or was lost (exit code 2)
    ├── LossTooHigh         the release would lose more than max_loss allows (exit code 3)
    ├── Untruthful          the release would contain a false statement: a bug in Shoal (exit code 3)
    └── PrivacyViolation    the release failed its verification: a bug in Shoal (exit code 3)

If an error is raised, nothing was written. A message says what is wrong, where, what was wanted, what was found, and
the remedy.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

from shoal.visible import visible


class ShoalError(Exception):
    """Base class of all errors that Shoal raises on purpose.

    Catch it to handle them all. Control characters in the message are escaped, so it is safe to print.

    Attributes
    ----------
    exit_code : int
        The exit code of the command line: 2 if the caller can fix the problem, 3 if no release may be published.

    Examples
    --------
    >>> import shoal
    >>> try:
    ...     shoal.read("missing.csv")
    ... except ShoalError as error:
    ...     print(error, error.exit_code)
    missing.csv does not exist... 2
    """

    exit_code = 2

    def __init__(self, message: str = "") -> None:
        super().__init__(visible(message))


class InputError(ShoalError):
    """The input cannot be used: the base class of errors in data, hierarchies and options. Exit code 2.

    Examples
    --------
    >>> import shoal
    >>> try:
    ...     shoal.read([{"milk"}, "beer"])
    ... except InputError as error:
    ...     print(type(error).__name__)
    DataError
    """


class DataError(InputError):
    """The data are malformed, or do not fit the hierarchy. Exit code 2.

    The message names the file and the line. Correct the data, or pass the option that the message suggests.

    Examples
    --------
    >>> import shoal
    >>> shoal.read([{"milk"}, "beer"])
    Traceback (most recent call last):
    shoal.errors.DataError: Row 2 must be a list or set of items, got str: split it into items first.
    """


class HierarchyError(InputError):
    """A hierarchy is malformed: it has a cycle, several roots, or a label twice. Exit code 2.

    Correct the file. ``shoal hierarchy check`` lists all problems.

    Examples
    --------
    >>> from shoal import Hierarchy
    >>> Hierarchy.from_parents({"milk": "milk"})
    Traceback (most recent call last):
    shoal.errors.HierarchyError: hierarchy: cycle: 'milk' -> 'milk': every node must lead up to one root.
    """


class OptionError(InputError):
    """An argument of a model, an algorithm or a format is unknown, out of range, or contradicts another. Exit code 2.

    The message names the argument and the allowed values.

    Examples
    --------
    >>> from shoal import Column
    >>> Column(weight=2)
    Traceback (most recent call last):
    shoal.errors.OptionError: Column: weight must be a number from 0 to 1, got 2.
    """


class Infeasible(ShoalError):
    """No release of the data can satisfy the model, or the algorithm found none. Exit code 2.

    The message says which of both is true. Lower k, allow suppression, or choose another algorithm.

    Examples
    --------
    >>> import shoal
    >>> shoal.anonymize([["milk"]], k=2, m=1)
    Traceback (most recent call last):
    shoal.errors.Infeasible: k^m-anonymity with k=2 needs at least 2 non-empty records, got 1: ...
    """


class RecodingFails(ShoalError):
    """A saved recoding does not give its guarantee on other data. Exit code 1.

    Nothing is published. Repair the recoding, which generalizes a little more.

    Attributes
    ----------
    verdict : shoal.models.Verdict
        The verdict, with examples of what violates the guarantee.

    Examples
    --------
    >>> import shoal
    >>> release = shoal.anonymize([["a"], ["a"], ["b"], ["b"]], k=2, m=1)
    >>> shoal.apply(release.saved_recoding, [["a"], ["a"], ["b"]])
    Traceback (most recent call last):
    shoal.errors.RecodingFails: The recoding does not give 2^1-anonymity on data: {b} is in 1 record: ...
    """

    exit_code = 1

    def __init__(self, message: str, verdict: Any) -> None:
        super().__init__(message)
        self.verdict = verdict

    def __reduce__(self) -> Any:
        """Return how to copy the error to another process."""
        return type(self), (str(self), self.verdict)


class SeriesBroken(ShoalError):
    """A release would break the promise of its series, together with earlier releases. Exit code 1.

    Nothing is published. The message says who could learn what, and what to do.

    Attributes
    ----------
    found : shoal.series.SeriesCheck
        What could be learned by putting the releases together.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = [[item] for item in "abcdefghhgfedcba"]
    ...     series = shoal.Series.start(f"{folder}/s", "jan", rows, k=2, m=1)
    ...     series.add("feb", [*rows, ["a"]])
    Traceback (most recent call last):
    shoal.errors.SeriesBroken: 'feb' was not published. 1 record is in feb only. Somebody may know that a person is ...
    """

    exit_code = 1

    def __init__(self, message: str, found: Any) -> None:
        super().__init__(message)
        self.found = found

    def __reduce__(self) -> Any:
        """Return how to copy the error to another process."""
        return type(self), (str(self), self.found)


class OutputError(ShoalError):
    """The output cannot be written, for instance because the disk is full. Exit code 2.

    No partial file is left behind. Free space, or choose another path.
    """


class ClusterError(ShoalError):
    """The cluster cannot be used, or was lost while it worked. Exit code 2.

    Nothing was published. The message says what to start or to install.

    Examples
    --------
    >>> raise ClusterError("The cluster has no workers: start one.")
    Traceback (most recent call last):
    shoal.errors.ClusterError: The cluster has no workers: start one.
    """


class LossTooHigh(ShoalError):
    """The release would lose more information than ``max_loss`` allows. Exit code 3.

    Nothing is published. Raise ``max_loss``, or choose a weaker guarantee or a better hierarchy.

    Examples
    --------
    >>> import shoal
    >>> shoal.anonymize([["a"], ["b"], ["a"], ["c"]], k=2, m=1, max_loss=0)
    Traceback (most recent call last):
    shoal.errors.LossTooHigh: The release would lose 0.333333 (NCP), more than max_loss=0 allows: ...
    """

    exit_code = 3


class Untruthful(ShoalError):
    """The release would contain a false statement, although the algorithm promises not to add any. Exit code 3.

    Nothing is published. This is a bug in Shoal, or in a third-party algorithm: please report it.
    """

    exit_code = 3


class PrivacyViolation(ShoalError):
    """The release failed its own verification. Exit code 3.

    Nothing is published. This is a bug in Shoal, or in a third-party algorithm: please report it.

    Attributes
    ----------
    verdict : shoal.models.Verdict
        The verdict that failed.
    """

    exit_code = 3

    def __init__(self, message: str, verdict: Any) -> None:
        super().__init__(message)
        self.verdict = verdict

    def __reduce__(self) -> Any:
        """Return how to copy the error to another process."""
        return type(self), (str(self), self.verdict)


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
    """Return the start of a text, for messages: they may name an item, but never show a whole record.

    >>> shorten("oat milk"), shorten("a" * 50_000)
    ('oat milk', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…')
    """
    text = str(text)
    return text if len(text) <= 40 else text[:40] + "…"
