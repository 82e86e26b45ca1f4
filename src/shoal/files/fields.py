"""The fields of a JSON object that was read: missing ones, and values of another type, are errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from shoal.errors import DataError


class Fields:
    """The fields of a JSON object from a file.

    Parameters
    ----------
    values
        The object.
    file
        The name of the file, for messages.
    verdict
        What a message says about a file with a wrong field.

    Examples
    --------
    >>> Fields({"cost": 3}, "proof.json").number("cost")
    3
    >>> Fields({"cost": "3"}, "proof.json", "cannot be checked").number("cost")
    Traceback (most recent call last):
    shoal.errors.DataError: proof.json cannot be checked: 'cost' is not a whole number.
    """

    def __init__(self, values: Any, file: str, verdict: str = "cannot be read") -> None:
        self.file, self.verdict = file, verdict
        if not isinstance(values, Mapping):
            self.refuse("wanted an object")
        self.values = values

    def refuse(self, why: str) -> NoReturn:
        """Raise the error for a wrong field."""
        raise DataError(f"{self.file} {self.verdict}: {why}.")

    def get(self, name: str) -> Any:
        """Return a value that must be there."""
        if name not in self.values:
            self.refuse(f"it has no '{name}'")
        return self.values[name]

    def below(self, name: str) -> Fields:
        """Return the fields of an object inside this one."""
        return Fields(self.get(name), self.file, self.verdict)

    def text(self, name: str) -> str:
        """Return a text."""
        return str(self._typed(name, lambda value: isinstance(value, str), "a text"))

    def flag(self, name: str) -> bool:
        """Return true or false."""
        return bool(self._typed(name, lambda value: isinstance(value, bool), "true or false"))

    def number(self, name: str) -> int:
        """Return a whole number."""
        return int(self._typed(name, _is_whole, "a whole number"))

    def numbers(self, name: str) -> tuple[int, ...]:
        """Return a list of whole numbers."""
        wanted = "a list of whole numbers"
        return tuple(self._typed(name, lambda value: isinstance(value, list) and all(map(_is_whole, value)), wanted))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(self._typed(name, lambda value: _all_are(value, str), "a list of texts"))

    def objects(self, name: str) -> list[Fields]:
        """Return a list of objects."""
        listed = self._typed(name, lambda value: _all_are(value, dict), "a list of objects")
        return [Fields(one, self.file, self.verdict) for one in listed]

    def _typed(self, name: str, fits: Callable[[Any], bool], wanted: str) -> Any:
        if not fits(value := self.get(name)):
            self.refuse(f"'{name}' is not {wanted}")
        return value


def _all_are(value: Any, kind: type) -> bool:
    """Whether it is a list of values of one type."""
    return isinstance(value, list) and all(isinstance(one, kind) for one in value)


def _is_whole(value: Any) -> bool:
    """Whether it is an integer of at most 63 bits."""
    return type(value) is int and abs(value) < 2**63
