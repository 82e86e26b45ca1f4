"""Detect the format of a file by its suffix, then by its content. If both are unclear, an error asks for it."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from shoal import discovery
from shoal.errors import DataError, OptionError, did_you_mean
from shoal.files import plain_suffix
from shoal.io.arrow import Feather, Parquet
from shoal.io.csv import Csv, Tsv
from shoal.io.format import Format
from shoal.io.jsonl import Jsonl
from shoal.io.source import Source, SourceFile
from shoal.io.text import DELIMITERS, TextPieces, unquoted
from shoal.io.tokens import Basket, Fimi

_OWN: dict[str, type[Format]] = {one.format: one for one in (Fimi, Basket, Csv, Tsv, Jsonl, Parquet, Feather)}
FORMATS: dict[str, str] = {name: one.about for name, one in _OWN.items()}
TABULAR = ", ".join(name for name, one in _OWN.items() if one.tabular)
_ANY = ("", ".txt")  # suffixes that say nothing: the output is written as the input was read
_ALIASES = {"arrow": "feather", "ipc": "feather", "ndjson": "jsonl"}


@functools.cache
def formats() -> dict[str, type[Format]]:
    """Return all formats by name: the built-in ones, and those that other distributions announce as ``shoal.io``."""
    return {**_OWN, **discovery.announced("shoal.io", _OWN)}


@functools.cache
def _suffixes() -> dict[str, type[Format]]:
    """Map each suffix to its most likely format."""
    likely: dict[str, type[Format]] = {}
    for one in formats().values():
        for suffix in one.suffixes:
            likely.setdefault(suffix, one)
    return likely


def format_named(name: str) -> type[Format]:
    """Return the format with that name."""
    name, known = _ALIASES.get(name.lower(), name.lower()), formats()
    if name == "long":
        raise OptionError(
            "format='long' is not a format: any table can be long. Name its columns with id_column= and item_column=; "
            "to write long data, pass layout='long'."
        )
    if name not in known:
        raise OptionError(f"format= must be one of {', '.join(known)}, got '{name}'{did_you_mean(name, known)}.")
    return known[name]


def format_to_write(path: Path, current: str | None = None, source: str = "") -> type[Format]:
    """Return the format of an output: that of its suffix, or the current one if input and output share the suffix.

    So a basket file that is called .csv stays one, but a .basket file becomes a CSV file under such a name. ``.txt``
    and no suffix at all mean the format of the input.
    """
    suffix = plain_suffix(path)
    if current and (suffix in _ANY or suffix == plain_suffix(Path(source))):
        return formats()[current]
    if suffix not in _suffixes():
        raise unknown_suffix(path, "format")
    return _suffixes()[suffix]


def check_suffix(path: Path, source: str, option: str) -> None:
    """Refuse the name of an output whose suffix means nothing, before any work; ``option`` names the format instead."""
    if plain_suffix(path) not in (*_suffixes(), *_ANY, plain_suffix(Path(source))):
        raise unknown_suffix(path, option)


def unknown_suffix(path: Path, option: str) -> OptionError:
    """Return the error for a suffix that is not that of a format."""
    suffix = plain_suffix(path)
    what = f"the suffix '{suffix}' is not that of a known format" if suffix else "the name has no suffix"
    return OptionError(
        f"{path}: {what}: end the name in {', '.join(_suffixes())}, or name the format with {option}= "
        f"({', '.join(formats())})."
    )


def format_of(source: Source) -> type[Format]:
    """Return the format of a source to read. All of its parts must have the same."""
    if source.is_stdin:
        raise OptionError(f"Standard input has no name that tells its format: pass format= ({', '.join(formats())}).")
    if not source.several:
        return _format_of(source.parts[0])
    first, *others = ((part, _format_of(part)) for part in source.parts)
    for part, format in others:
        if format is not first[1]:
            raise DataError(
                f"{source.name} holds files of different formats: {first[0].path.name} is {first[1].format}, "
                f"{part.path.name} is {format.format}. Pass format=, or a pattern such as "
                f"'{source.name}/*{plain_suffix(first[0].path)}'."
            )
    return first[1]


def format_by_suffix(source: Source) -> type[Format] | None:
    """Return the format that the name of a source tells, or None if it tells none."""
    return _suffixes().get(plain_suffix(source.parts[0].path))


def _format_of(file: SourceFile) -> type[Format]:
    """Return the format of a file by its suffix, or else by its content."""
    return _suffixes().get(plain_suffix(file.path)) or _sniff(file)


def _sniff(file: SourceFile) -> type[Format]:
    """Return the format of a file by its content, for an unknown suffix."""
    if file.start.startswith(b"PAR1"):
        return Parquet
    if file.start.startswith(b"ARROW1"):
        return Feather
    text = TextPieces(file)
    head = text.head
    lines = [line for line in unquoted(head.encode()).decode().split("\n")[:1000] if line.strip()]
    if lines and all(re.match(r"\s*[\[{]", line) for line in head.split("\n")[:20] if line.strip()):
        return Jsonl
    marks = [mark for mark in DELIMITERS if sum(mark in line for line in lines) * 2 > len(lines)]
    if not any(mark in line for mark in DELIMITERS for line in lines):
        if all(re.fullmatch(r"\s*-?\d+(\s+-?\d+)*\s*", line) for line in lines):
            return Fimi
        guess = "fimi if spaces separate items, basket if every line is one item"
    elif marks and all(len({line.count(mark) for line in lines}) > 1 for mark in marks):
        return Basket
    else:
        guess = "csv if the first line is a header, basket if every line is a set"
    raise DataError(
        f"{file.name}: neither the suffix nor the content tells the format: pass format= ({guess}; known are "
        f"{', '.join(formats())})."
    )
