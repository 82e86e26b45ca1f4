"""Workloads: queries that count records, to compare the answers of original and published data.

A query asks for values of quasi-identifying columns and for items: "how many people from Africa of 20 to 30 years
bought E and G?". A workload is a list of them; as a file it has a query on each line, as JSON::

    {"age": "[20:30]", "origin": "Africa", "items": ["E", "G"]}

A value is a value of the original data, a range or a group of the column's hierarchy, or ``null`` for a missing value.
A record must have all items of ``items``. Values or items may be left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from shoal import files
from shoal.data.relational import Relational
from shoal.errors import DataError, OptionError, did_you_mean, shorten
from shoal.published import Published

ITEMS = "items"  # the field of a query that names the items
QUERIES, VALUES, ASKED = 100, 2, 2  # default numbers of queries, and of values and items in each


@dataclass(frozen=True)
class Query:
    """A query that counts the records with all given values and items.

    Parameters
    ----------
    values : mapping of str to str or None
        Values by column: a value, a range or a group, or None for a missing value.
    items : tuple of str
        Items that a record must have.
    place : str
        Where the query comes from, for messages.

    Examples
    --------
    >>> Query({"age": "[20:30]"}, ("beer", "bread")).size
    '1 value, 2 items'
    """

    values: Mapping[str, str | None] = field(default_factory=dict)  # by column; None: missing
    items: tuple[str, ...] = ()
    place: str = "a query"

    def __post_init__(self) -> None:
        """Raise an error if the query asks for nothing, or twice for the same item."""
        if not self.values and not self.items:
            raise DataError(f"{self.place} asks for nothing: name values of columns, {ITEMS}, or both.")
        for item in self.items:
            if self.items.count(item) > 1:
                raise DataError(f"{self.place} asks for item '{shorten(item)}' twice: remove one.")

    def intervals(self, relational: Relational | None) -> dict[int, tuple[int, int]]:
        """Return for each attribute the ends of the value that is asked for."""
        names = () if relational is None else relational.names
        intervals: dict[int, tuple[int, int]] = {}
        for name, text in self.values.items():
            if relational is None or name not in names:
                listed = ", ".join(f"'{known}'" for known in names) or "none"
                raise DataError(
                    f"{self.place} asks for column '{shorten(name)}'{did_you_mean(name, names)}, which is not a "
                    f"quasi-identifier (quasi-identifiers: {listed})."
                )
            at = names.index(name)
            try:
                [low], [high] = relational.attributes[at].parsed([text])
            except DataError as error:
                raise DataError(f"{self.place}: {error}") from None
            intervals[at] = int(low), int(high)
        return intervals

    @property
    def size(self) -> str:
        """How many values and items the query asks for, in words.

        >>> Query({"age": "20", "sex": "F"}, ("a",)).size, Query(items=("a", "b")).size
        ('2 values, 1 item', '2 items')
        """
        asked = ((len(self.values), "value"), (len(self.items), "item"))
        return ", ".join(f"{number} {word}{'' if number == 1 else 's'}" for number, word in asked if number)

    def codes(self, code_of: Mapping[str, int]) -> list[int]:
        """Return the codes of the items."""
        for item in self.items:
            if item not in code_of:
                raise DataError(
                    f"{self.place} asks for '{shorten(item)}'{did_you_mean(item, code_of)}, which is not an item of "
                    f"the data (or a sensitive one): ask for original items, not for groups."
                )
        return [code_of[item] for item in self.items]


@dataclass(frozen=True)
class Workload:
    """A list of counting queries.

    Parameters
    ----------
    queries : tuple of Query
        The queries. At least one.
    name : str
        Where the queries come from, for messages.

    Examples
    --------
    >>> from shoal.data.transactions import Transactions
    >>> original = Published.plain(Transactions.from_sets([["a", "b"], ["b", "c", "d"], ["c"]]))
    >>> drawn = Workload.generated(original, queries=2, items=2, seed=1)
    >>> drawn, all(len(query.items) == 2 for query in drawn)
    (Workload(drawn with seed 1, 2 queries), True)
    """

    queries: tuple[Query, ...]
    name: str = "workload"

    def __post_init__(self) -> None:
        """Raise an error if there are no queries."""
        if not self.queries:
            raise DataError(f"{self.name} has no queries: give at least one.")

    def __repr__(self) -> str:
        """Show the name and the number of queries."""
        return f"Workload({self.name}, {len(self):,} queries)"

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.queries)

    def __iter__(self) -> Iterator[Query]:
        """Iterate over the queries."""
        return iter(self.queries)

    @classmethod
    def generated(
        cls,
        original: Published,
        queries: int = QUERIES,
        values: int | None = None,
        items: int | Sequence[int] | None = None,
        seed: int = 0,
    ) -> Workload:
        """Draw queries from the data. Each asks for some values and items that some record has.

        A record with enough items is drawn at random, then some of its values and items. By default, a query has 2
        values and 2 items, or fewer if there are not as many columns or items. If ``items`` has several numbers,
        ``queries`` queries are drawn for each.
        """
        relational = original.relational
        width = 0 if relational is None else len(relational.attributes)
        values = min(VALUES, width) if values is None else values
        items = min(ASKED, original.rows.longest) if items is None else items
        each = (items,) if isinstance(items, int) else tuple(items)
        _check(original, queries, values, each)
        drawn: list[Query] = []
        for wanted in each:
            rng = np.random.default_rng(seed)  # the queries of one size do not depend on other sizes
            able = np.flatnonzero(original.rows.sizes >= wanted)
            for _ in range(queries):
                row = int(able[rng.integers(len(able))])
                chosen = np.sort(rng.choice(width, values, replace=False)).tolist() if values else []
                asked = np.sort(rng.choice(original.rows.row(row), wanted, replace=False)).tolist() if wanted else []
                known = tuple(original.rows.labels[code] for code in asked)
                drawn.append(Query(_values(relational, chosen, row), known, f"query {len(drawn) + 1}"))
        return cls(tuple(drawn), f"drawn with seed {seed}")

    @classmethod
    def load(cls, path: str | Path) -> Workload:
        """Read a file with one query a line. Blank lines are skipped."""
        lines = files.load(path).text().split("\n")
        numbered = ((f"{path}, line {number}", line) for number, line in enumerate(lines, 1) if line.strip())
        return cls(tuple(_read(line, place) for place, line in numbered), str(path))

    def save(self, path: str | Path) -> None:
        """Write a file with one query a line."""
        lines = []
        for query in self.queries:
            if ITEMS in query.values:
                raise _reserved(query.place)
            asked = {ITEMS: list(query.items)} if query.items else {}
            lines.append(json.dumps({**query.values, **asked}, ensure_ascii=False) + "\n")
        with files.atomic_output(path) as file:
            file.write("".join(lines).encode())


def _check(original: Published, queries: int, values: int, each: Sequence[int]) -> None:
    """Raise an error if such queries cannot be drawn."""
    if not each or len(set(each)) < len(each):
        raise OptionError(
            f"Workload: items must be a number or several different numbers, got {tuple(each)}: try (1, 2, 3)."
        )
    for name, number in (("queries", queries), ("values", values), *(("items", items) for items in each)):
        if number < (name == "queries"):
            raise OptionError(f"Workload: {name} must be at least {int(name == 'queries')}, got {number}.")
    if not values and 0 in each:
        raise OptionError("Workload: a query must ask for a value or an item, got 0 of both: ask for at least one.")
    width = 0 if original.relational is None else len(original.relational.attributes)
    if values > width:
        raise OptionError(
            f"Workload: queries cannot ask for {values} values, because there are {width} quasi-identifiers: ask for "
            f"at most {width}, or declare more columns as quasi-identifiers."
        )
    if not len(original.rows):
        raise OptionError("Workload: there are no records to draw queries from: give data with at least one record.")
    if max(each) > (longest := original.rows.longest):
        raise OptionError(
            f"Workload: queries cannot ask for {max(each)} items, because no record has as many: ask for at most "
            f"{longest}."
        )
    if original.relational is not None and values and ITEMS in original.relational.names:
        raise _reserved("Workload")


def _values(relational: Relational | None, chosen: Iterable[int], row: int) -> dict[str, str | None]:
    """Return the values of a record in some columns as texts."""
    if relational is None:
        return {}
    columns = [(relational.attributes[at], relational.values[at]) for at in chosen]
    numbered = [(attribute, values, int(values.of[row])) for attribute, values in columns]
    return {one.name: one.text(int(values.low[number]), int(values.high[number])) for one, values, number in numbered}


def _read(line: str, place: str) -> Query:
    """Parse a line as a query."""
    try:
        query = json.loads(line, object_pairs_hook=_once, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        raise DataError(f"{place} is not JSON ({error.msg} at character {error.colno}): {_EXAMPLE}.") from None
    except ValueError as error:
        raise DataError(f"{place} {error}: remove one.") from None
    if not isinstance(query, dict):
        raise DataError(f"{place} is not an object: {_EXAMPLE}.")
    items = query.pop(ITEMS, [])
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise DataError(f"{place}: '{ITEMS}' must be a list of items: {_EXAMPLE}.")
    for name, value in query.items():
        if value is not None and not isinstance(value, str):
            raise DataError(
                f"{place}: column '{shorten(name)}' must have one value, range or group, or null if missing: "
                f"{_EXAMPLE}."
            )
    return Query(query, tuple(items), place)


_EXAMPLE = 'write a query such as {"age": "[20:30]", "sex": "F", "items": ["a", "b"]}'


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object, or raise an error if one occurs twice."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise ValueError(f"names '{shorten(name)}' twice")
        fields[name] = value
    return fields


def _reserved(place: str) -> OptionError:
    return OptionError(
        f"{place}: queries cannot ask for a column called '{ITEMS}', which is reserved for items: rename it."
    )
