"""The list of releases of a series, ``series.json`` in its folder. It names files and holds no data."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal import files
from shoal._version import __version__
from shoal.errors import DataError, OptionError, shorten
from shoal.files import atomic_output, strict_json
from shoal.files.fields import Fields

KIND = "urn:shoal:series:1"  # the number rises when a key goes or changes its meaning
FILE, PRIVATE = "series.json", "private"
RULES = ("same-recoding", "new-records")
NAME = re.compile(r"[^\W_][\w.+-]{0,63}")
DAMAGED = "is not the list of a series that Shoal wrote"


@dataclass(frozen=True)
class Entry:
    """One release of a series.

    Parameters
    ----------
    name : str
        Its name, which is that of its folder, too.
    file : str
        The name of the published file in that folder.
    records : int
        How many records it has.
    ids : str or None
        The hash of the file with the hashed ids of its records or persons, if there are any.
    stated_new : bool
        Whether the owner stated that none of its records was published before.
    """

    name: str
    file: str
    records: int
    ids: str | None = None
    stated_new: bool = False


@dataclass(frozen=True)
class Document:
    """What a series is: its rule, and its releases in their order.

    Parameters
    ----------
    rule : str
        ``"same-recoding"`` or ``"new-records"``.
    record_id : str or None
        The column of the original data with an id for each record.
    secret : str or None
        The fingerprint of the key of the hashed ids, if there are any.
    entries : tuple of Entry
        The releases.
    """

    rule: str
    record_id: str | None
    secret: str | None = None
    entries: tuple[Entry, ...] = ()

    def adding(self, entry: Entry, secret: str | None) -> Document:
        """Return the list with one more release. ``secret``: the fingerprint of the key, if it has ids."""
        return replace(self, entries=(*self.entries, entry), secret=secret or self.secret)

    def as_dict(self) -> dict[str, Any]:
        """Return the content of the file, with a hash of it."""
        told: dict[str, Any] = {
            "type": KIND,
            "shoal": __version__,
            "rule": self.rule,
            "record_id": self.record_id,
            "secret": self.secret,
            "releases": [vars(entry) for entry in self.entries],
        }
        return {**told, "sha256": _hash(told)}

    def save(self, folder: Path) -> None:
        """Write the list."""
        with atomic_output(folder / FILE, private=True) as file:
            file.write((json.dumps(self.as_dict(), indent=1, ensure_ascii=False) + "\n").encode())

    @classmethod
    def load(cls, folder: Path) -> Document:
        """Read the list of a series.

        Raises
        ------
        DataError
            The folder holds no series, one of another version, or one that was changed by hand.
        """
        path = folder / FILE
        if not path.is_file():
            raise DataError(f"{folder} is no series: it has no {FILE}. Start one with 'shoal series start'.")
        given = Fields(strict_json.loads(files.load(path).text().encode(), str(path)), str(path), DAMAGED)
        if given.text("type") != KIND:
            raise DataError(
                f"{path} is of another kind or version ({shorten(given.text('type'))}): this version of Shoal reads "
                f"{KIND}."
            )
        own = {name: value for name, value in given.values.items() if name != "sha256"}
        if _hash(own) != given.text("sha256"):
            given.refuse("it was changed after Shoal wrote it, as its content does not fit its hash")
        rule = given.text("rule")
        if rule not in RULES:
            given.refuse(f"its rule is '{shorten(rule)}'")
        entries = tuple(_entry(one) for one in given.objects("releases"))
        if not entries or len({entry.name for entry in entries}) < len(entries):
            given.refuse("it has no releases, or two with the same name")
        return cls(rule, _text_or_none(given, "record_id"), _text_or_none(given, "secret"), entries)


def _entry(given: Fields) -> Entry:
    """Return a release of the list."""
    entry = Entry(
        given.text("name"),
        given.text("file"),
        given.number("records"),
        _text_or_none(given, "ids"),
        given.flag("stated_new"),
    )
    if not NAME.fullmatch(entry.name) or Path(entry.file).name != entry.file or entry.file in ("", ".", ".."):
        given.refuse(f"'{shorten(entry.name)}' and '{shorten(entry.file)}' are no names of a release and its file")
    return entry


def _text_or_none(given: Fields, name: str) -> str | None:
    """Return a text that may be missing."""
    return None if given.get(name) is None else given.text(name)


def check_name(name: str) -> str:
    """Return the name of a release, or refuse it if it cannot be that of a folder.

    >>> check_name("2026-01"), check_name("../x")
    Traceback (most recent call last):
    shoal.errors.OptionError: A release cannot be called '../x': use letters, digits, '.', '_', '+' and '-', ...
    """
    if not NAME.fullmatch(name) or name in (FILE, PRIVATE):
        raise OptionError(
            f"A release cannot be called '{shorten(name)}': use letters, digits, '.', '_', '+' and '-', at most 64, "
            f"begin with a letter or digit, such as 2026-01, and take neither {FILE} nor {PRIVATE}."
        )
    return name


def check_rule(rule: str) -> str:
    """Return the rule, or refuse an unknown one."""
    if rule not in RULES:
        raise OptionError(f"rule must be one of {', '.join(RULES)}, got '{shorten(rule)}'.")
    return rule


def _hash(told: dict[str, Any]) -> str:
    """Return the hash of the content."""
    return hashlib.sha256(strict_json.dumps(told)).hexdigest()
