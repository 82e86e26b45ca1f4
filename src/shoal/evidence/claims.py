"""What a certificate claims, checked for its form. A certificate may come from anybody, so nothing in it is trusted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal import discovery
from shoal.errors import DataError, OptionError, shorten
from shoal.evidence.statement import PREDICATE, STATEMENT
from shoal.models.base import PrivacyModel

READING = {  # options of reading that a published file needs; others could make a reader open other files
    "format": str,
    "sets": (str, list),
    "item_delimiter": (str, list),
    "delimiter": str,
    "header": bool,
    "no_sets": bool,
    "escaped_formulas": bool,
    "id_column": (str, list),
    "item_column": str,
    "keep_ids": bool,
}
LONGEST = 255  # bytes of the name of a file
FAMILY = PREDICATE.rpartition(":")[0]


@dataclass(frozen=True)
class Claims:
    """The claims of a certificate that can be checked.

    Parameters
    ----------
    model : PrivacyModel
        The guarantee.
    files : mapping of str to str
        The hashes of the files with the records, by their names, in the order of the records.
    codebook : tuple of str and str, or None
        The name and the hash of the code book.
    reading : mapping
        The options of :func:`shoal.read` that read the files.
    records : int
        The number of records.
    quasi_identifiers : tuple of str
        The columns that an attacker may know.
    holds : bool
        Whether the certificate says that the guarantee holds.
    persons : bool
        Whether persons were counted, not records.
    signer : str or None
        The fingerprint of the key that signed it, as the certificate says.
    predicate : mapping
        Everything that the certificate says.

    Examples
    --------
    >>> Claims.of({"_type": "https://in-toto.io/Statement/v1", "predicateType": "urn:shoal:certificate:9"}, "c.json")
    Traceback (most recent call last):
    shoal.errors.DataError: c.json is a certificate of another version (urn:shoal:certificate:9): ...
    """

    model: PrivacyModel
    files: Mapping[str, str]
    codebook: tuple[str, str] | None
    reading: Mapping[str, Any]
    records: int
    quasi_identifiers: tuple[str, ...]
    holds: bool
    persons: bool
    signer: str | None
    predicate: Mapping[str, Any]

    @classmethod
    def of(cls, statement: Any, name: str) -> Claims:
        """Return the claims of a statement.

        Raises
        ------
        DataError
            The statement is of another kind or version, or something in it is missing or has the wrong type.
        """
        form = _Form(name)
        if form.at(statement, "_type", str) != STATEMENT:
            raise DataError(f"{name} is no certificate: wanted an in-toto statement ({STATEMENT}).")
        kind = form.at(statement, "predicateType", str)
        if kind != PREDICATE:
            what = "is a certificate of another version" if kind.startswith(f"{FAMILY}:") else "is no certificate"
            raise DataError(f"{name} {what} ({shorten(kind)}): this version of Shoal reads {PREDICATE}.")
        hashes = form.subjects(form.at(statement, "subject", list))
        predicate = form.at(statement, "predicate", dict)
        data, check = form.at(predicate, "data", dict), form.at(predicate, "check", dict)
        model = form.model(form.at(predicate, "model", dict))
        form.known_columns(data, relational=model.relational)
        named = form.texts(form.at(data, "files", list), "files")
        book = form.at(data, "codebook", (str, type(None)))
        listed = [*named, *([] if book is None else [book])]
        if not named or sorted(listed) != sorted(hashes):
            raise DataError(f"{name} lists other files in its data than in its subject: it is damaged.")
        return cls(
            model=model,
            files={one: hashes[one] for one in named},
            codebook=None if book is None else (book, hashes[book]),
            reading=form.reading(form.at(data, "reading", dict)),
            records=form.at(data, "records", int),
            quasi_identifiers=tuple(form.texts(form.at(data, "quasi_identifiers", list), "quasi_identifiers")),
            holds=form.at(check, "holds", bool),
            persons=form.at(check, "counted", str) == "persons",
            signer=form.at(predicate, "signer", (str, type(None))),
            predicate=predicate,
        )


@dataclass(frozen=True)
class _Form:
    """Checks the form of a certificate of this name."""

    name: str

    def at(self, values: Any, key: str, kind: Any) -> Any:
        """Return a value of an object, or raise an error if it is missing or of another type."""
        if not isinstance(values, dict) or key not in values:
            raise DataError(f"{self.name} lacks '{key}': it is no certificate, or damaged.")
        value = values[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            raise DataError(f"{self.name} has a wrong type for '{key}': it is damaged.")
        return value

    def texts(self, values: Sequence[Any], key: str) -> list[str]:
        """Return a list of different texts."""
        if not all(isinstance(one, str) for one in values) or len(set(values)) < len(values):
            raise DataError(f"{self.name} has a wrong list of '{key}': it is damaged.")
        return list(values)

    def subjects(self, listed: Sequence[Any]) -> dict[str, str]:
        """Return the hash of each file. Names with folders are refused, as they could lead anywhere."""
        hashes: dict[str, str] = {}
        for one in listed:
            name = self.at(one, "name", str)
            sha256 = self.at(self.at(one, "digest", dict), "sha256", str)
            wrong = name in ("", ".", "..") or re.search(r"[/\\\0]", name) or len(name.encode()) > LONGEST
            if wrong or name in hashes:
                raise DataError(
                    f"{self.name} names the file '{shorten(name)}': wanted different names without folders."
                )
            if not re.fullmatch(r"[0-9a-f]{64}", sha256):
                raise DataError(f"{self.name} has no SHA-256 hash for '{shorten(name)}': it is damaged.")
            hashes[name] = sha256
        return hashes

    def model(self, given: Mapping[str, Any]) -> PrivacyModel:
        """Return the model with its options."""
        cls = discovery.get("shoal.models", PrivacyModel, self.at(given, "name", str))
        options = {
            key: tuple(self.texts(value, key)) if isinstance(value, list) else value
            for key, value in self.at(given, "options", dict).items()
        }
        known = {one.name for one in cls.options()}
        if options.keys() != known:
            wrong = sorted(options.keys() ^ known)[0]
            raise OptionError(
                f"{self.name}: the model {cls.name} and its option '{shorten(wrong)}' do not fit together."
            )
        return cls(**options)

    def known_columns(self, data: Mapping[str, Any], *, relational: bool) -> None:
        """Refuse quasi-identifiers that are not the columns with that role."""
        columns = self.at(data, "columns", list)
        roles = {self.at(one, "name", str): self.at(one, "role", str) for one in columns}
        wanted = [name for name, role in roles.items() if relational and role == "quasi-identifier"]
        if self.texts(self.at(data, "quasi_identifiers", list), "quasi_identifiers") != wanted:
            raise DataError(f"{self.name} lists other quasi-identifiers than its columns say: it is damaged.")

    def reading(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of reading. Any but those that published files need are refused."""
        for key, value in given.items():
            kind: Any = READING.get(key)
            if kind is None:
                raise DataError(f"{self.name} names the reading option '{shorten(key)}', which is unknown here.")
            parts = value if isinstance(value, list) else []
            texts = (str, type(None)) if key == "item_delimiter" else str
            if not isinstance(value, kind) or not all(isinstance(one, texts) for one in parts):
                raise DataError(f"{self.name} has a wrong value for the reading option '{key}': it is damaged.")
        return {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
