"""Which format a file has: by its suffix, then by its content; what remains unclear is asked for, never assumed."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from pathlib import Path

from shoal import discovery
from shoal.errors import DataError, OptionError, did_you_mean
from shoal.files import FileBytes, plain_suffix
from shoal.io.arrow import Feather, Parquet
from shoal.io.basket import Basket
from shoal.io.csv import Csv, Tsv
from shoal.io.fimi import Fimi
from shoal.io.grid import SET_NAMES, Grid, guess_delimiter
from shoal.io.jsonl import Jsonl
from shoal.io.layout import Layout, ReaderOptions
from shoal.io.long import Long
from shoal.io.text import DELIMITERS, Text, unquoted

LAYOUTS: dict[str, type[Layout]] = {
    layout.format: layout for layout in (Fimi, Basket, Csv, Tsv, Long, Jsonl, Parquet, Feather)
}
FORMATS: dict[str, str] = {name: layout.about for name, layout in LAYOUTS.items()}
TABULAR = ", ".join(name for name, layout in LAYOUTS.items() if layout.tabular)  # those that need no sets
_ALIASES = {"arrow": "feather", "ipc": "feather", "ndjson": "jsonl"}
_ID_NAMES = re.compile(r".*id|user|customer|order|transaction|basket|record|person|patient|session", re.IGNORECASE)
_ITEM_NAMES = re.compile(r"item.?(id|name|code)?|product.?(id|name)?|code|label|sku|page|diagnosis", re.IGNORECASE)


@functools.cache
def layouts() -> dict[str, type[Layout]]:
    """All formats by name: our own, and those that installed distributions announce as ``shoal.io``."""
    return {**LAYOUTS, **discovery.announced("shoal.io", LAYOUTS)}


@functools.cache
def _suffixes() -> dict[str, type[Layout]]:
    """The format that a suffix most likely stands for."""
    likely: dict[str, type[Layout]] = {}
    for layout in layouts().values():
        for suffix in layout.suffixes:
            likely.setdefault(suffix, layout)
    return likely


def layout_named(format: str) -> type[Layout]:
    """The layout class of a format's name."""
    name, known = _ALIASES.get(format.lower(), format.lower()), layouts()
    if name not in known:
        raise OptionError(f"--format must be one of {', '.join(known)}, got '{format}'{did_you_mean(name, known)}.")
    return known[name]


def layout_to_write(path: Path, current: str | None = None, source: str = "") -> type[Layout]:
    """The layout class for an output: the one that its suffix stands for, but the current one under the same suffix.

    So a basket file that is called .csv stays one, but a .basket file becomes a CSV file under such a name.
    """
    suffix = plain_suffix(path)
    if current and (suffix not in _suffixes() or suffix == plain_suffix(Path(source))):
        return layouts()[current]
    if suffix not in _suffixes():
        raise OptionError(
            f"{path}: the suffix does not tell the format: pass --format ({', '.join(layouts())}), or a name that ends "
            f"in one of {', '.join(_suffixes())}."
        )
    return _suffixes()[suffix]


def layout_of(file: FileBytes, options: ReaderOptions) -> type[Layout]:
    """The layout class of a file to read."""
    suffix = plain_suffix(file.path)
    if suffix in Long.suffixes and (options.id_column or options.item_column or _is_long(file, options)):
        return Long
    return _suffixes().get(suffix) or _sniff(file)


def _is_long(file: FileBytes, options: ReaderOptions) -> bool:
    """Whether a CSV file is one of id, item pairs: two such names, ids that recur, one item a cell."""
    import pyarrow.compute as pc

    if options.column or options.item_delimiter or not options.sets or options.header is False:
        return False
    text = Text.of(file)
    name = str(file.path)
    start = unquoted(text.body[:10_000]).split("\n", 1)[0]
    delimiter = options.delimiter or ("\t" if plain_suffix(file.path) == ".tsv" else guess_delimiter(text, name))
    names = start.split(delimiter)
    if len(names) != 2 or not _ID_NAMES.fullmatch(names[0]) or not _ITEM_NAMES.fullmatch(names[1]):
        return False
    if names[1].lower() in SET_NAMES:
        return False
    grid = Grid.of(text, delimiter, name, replace(options, header=True))
    ids, items = grid.column(0), grid.column(1)
    return len(pc.unique(ids)) < len(ids) and not pc.any(pc.match_substring_regex(items, r"[,;|\t]")).as_py()


def _sniff(file: FileBytes) -> type[Layout]:
    """By content, for a suffix that says nothing."""
    if file.data.startswith(b"PAR1"):
        return Parquet
    if file.data.startswith(b"ARROW1"):
        return Feather
    text = Text.of(file)
    lines = [line for line in unquoted(text.body[:100_000]).split("\n")[:1000] if line.strip()]
    if all(re.match(r"\s*[\[{]", line) for line in text.body[:100_000].split("\n")[:20] if line.strip()) and lines:
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
        f"{file.path}: neither the suffix nor the content tells the format: pass --format ({guess}; known are "
        f"{', '.join(layouts())})."
    )
