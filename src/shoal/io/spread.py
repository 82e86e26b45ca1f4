"""Reading by the workers of a cluster: each reads some of the parts of a folder or glob, and keeps the sets.

Few sets are gathered, because work on them is faster in one place. The other columns are collected by the lead
(:mod:`shoal.engines.lead`), which gives records of long data the rows that they have in several parts.

This gives what reading all parts one after the other gives, because nothing is decided from one part alone: all parts
must have the same columns and types, and must guess the same layout. Otherwise, and if any part has an error, the
caller reads all parts itself, and its messages count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

import numpy as np

from shoal.data import Dataset, Origin, Transactions
from shoal.data.arrays import Counts
from shoal.data.spread import HeldPart, Piece, SpreadTransactions, check_same
from shoal.engines import current, release_batches
from shoal.engines.shipping import Failed, Held, Shipped, attempt, contents_of
from shoal.io.format import Format, ReaderOptions
from shoal.io.layout import TableLayout
from shoal.io.parts import open_parts
from shoal.io.records import Counts as StreamCounts
from shoal.io.records import as_dataset, extract, prepared
from shoal.io.source import Source
from shoal.io.stream import Stream

SMALL = 2_000_000  # items of records: fewer are worked on faster in one place
Hash = Callable[[Transactions, Any], str]  # of the sets and other columns of a part


@dataclass(frozen=True, eq=False)
class Facts:
    """What the lead needs to know of a part. It holds no rows."""

    labels: tuple[str, ...]
    supports: Counts
    size_counts: Counts
    sha256: str
    layout: TableLayout  # without rows
    schema: Any  # pyarrow.Schema of all columns
    columns: tuple[str, ...]  # the other columns that were read
    counts: StreamCounts

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.size_counts.sum())


@dataclass(frozen=True, eq=False)
class ReadPart(HeldPart):
    """A part as it was read."""

    table: Any  # pyarrow.Table of the other columns, or None
    layout: TableLayout  # without rows
    schema: Any
    counts: StreamCounts

    @classmethod
    def of(cls, format: Format, stream: Stream, options: ReaderOptions, sha256: Hash) -> ReadPart:
        """Read a part."""
        stream, counts = prepared(stream, options)
        rows, table, layout = extract(format, stream, options)
        columns = layout.columns_with_ids(table)
        return cls(rows, sha256(rows, columns), columns, layout.without_rows(), stream.schema, counts)

    def facts(self) -> Facts:
        """Return what the lead needs to know."""
        rows, columns = self.rows, () if self.table is None else tuple(self.table.column_names)
        counts = rows.supports, rows.size_counts
        return Facts(rows.labels, *counts, self.sha256, self.layout, self.schema, columns, self.counts)


@dataclass(frozen=True, eq=False)
class SpreadSource:
    """A source whose parts are read by workers."""

    name: str  # for messages
    names: Sequence[str]  # of its parts, for messages
    labels: Sequence[str]  # of its parts, within the source
    parts: Sequence[Any]  # the future of each part, once it is read: Held(ReadPart)
    place_of: Callable[[int], str]  # where a row is
    options: ReaderOptions

    def dataset(self, origin: Origin) -> Dataset | None:
        """Return the data, or None if they must be read one after the other."""
        facts = self._facts()
        if facts is None or any(one.layout.signature != facts[0].layout.signature for one in facts):
            return None
        if any(not one.schema.equals(facts[0].schema) for one in facts):
            return None
        reduce(_merge, (one.counts for one in facts))
        rows = self._rows(facts)
        record_of, table, layout = facts[0].layout.merged([one.layout for one in facts], self._columns(facts))
        sets: Transactions = rows if record_of is None else rows.united(record_of)
        sets = sets.gathered if rows.total_items < SMALL else sets
        hashes = "".join(f"{label}\0{one.sha256}\n" for label, one in zip(self.labels, facts, strict=True))
        sha256 = hashlib.sha256(hashes.encode("utf-8", "surrogateescape")).hexdigest()
        origin = replace(origin, notes=facts[0].counts.notes(self.name), sha256=sha256)
        return as_dataset(sets, table, replace(layout, place_of=self.place_of), origin, self.options)

    def _facts(self) -> list[Facts] | None:
        """Wait until all parts are read. Return None if one cannot be read, or not without the others."""
        home: Any = current()
        facts: list[Facts] = []
        for future in [home.submit("reading", _facts_of, part) for part in self.parts]:
            found = attempt(partial(home.fetch, future))
            if isinstance(found, Failed):
                if not isinstance(found.error, Exception):
                    raise found.error
                home.check()
                return None
            facts.append(found)
            home.progress("reading", len(facts) / len(self.parts))
        return facts

    def _rows(self, facts: Sequence[Facts]) -> SpreadTransactions:
        """Return the rows of all parts, with the counts that the workers have made."""
        home: Any = current()
        futures = self.parts
        if any(one.columns for one in facts):  # they will be here, and need no room there
            futures = [home.submit("reading", _rows_of, part) for part in self.parts]
        pieces = [
            Piece(future, name, one.sha256, 0, one.rows)
            for future, name, one in zip(futures, self.names, facts, strict=True)
        ]
        rows = SpreadTransactions.of_parts(home, pieces, [one.labels for one in facts])
        code_of = {label: code for code, label in enumerate(rows.labels)}
        supports = np.zeros(len(rows.labels), dtype=np.int64)
        sizes = np.zeros(max(len(one.size_counts) for one in facts), dtype=np.int64)
        for one in facts:
            supports[[code_of[label] for label in one.labels]] += one.supports
            sizes[: len(one.size_counts)] += one.size_counts
        return rows.with_counts(supports, sizes)

    def _columns(self, facts: Sequence[Facts]) -> Any:
        """Return the other columns of all parts, collected from the workers. None if there are none."""
        home: Any = current()
        names = [name for name in facts[0].columns if all(name in one.columns for one in facts)]
        if not names:
            return None
        columns = schema = None
        asked = [Shipped.of((names, name, one.sha256)) for name, one in zip(self.names, facts, strict=True)]
        pairs = zip(self.parts, asked, strict=True)
        for future in [home.submit("reading", _columns_of, part, what) for part, what in pairs]:
            table = home.fetch(future)
            schema = table.schema if schema is None else schema
            columns = home.collect_batches(schema) if columns is None else columns
            columns.extend(table.cast(schema).to_batches())
        release_batches()
        assert columns is not None
        return columns.table()


def read_spread(source: Source, format: type[Format], options: ReaderOptions) -> Dataset | None:
    """Let workers read the parts of a source. Return None if they must be read one after the other."""
    home: Any = current()
    asked = (options.no_sets, options.multiset, options.drop_items)
    if not home.spreads or not source.several or any(asked):
        return None
    tasks = [Shipped.of((source.alone(part), format, options)) for part in source.parts]
    spread = SpreadSource(
        name=source.name,
        names=[part.name for part in source.parts],
        labels=[part.label for part in source.parts],
        parts=[home.submit("reading", _read_file, task) for task in tasks],
        place_of=partial(_place, source.name, format, options),
        options=options,
    )
    return spread.dataset(Origin(source.path.name or source.name, path=source.path))


def _place(name: str, format: type[Format], options: ReaderOptions, row: int) -> str:
    """Return where a row is, for an error message: read all parts one after the other, to know it as others do."""
    own, stream = open_parts(Source.of(name, options.max_expanded), format, options)
    return extract(own, prepared(stream, options)[0], options)[2].place(row)


def _merge(one: StreamCounts, other: StreamCounts) -> StreamCounts:
    one.merge(other)
    return one


def _read_file(shipped: Shipped) -> Held:
    """Read a part, on a worker."""
    from shoal.engines.dask import hold

    def read() -> ReadPart:
        source, format, options = shipped.open()
        return ReadPart.of(*open_parts(source, format, options), options, lambda *_: source.parts[0].sha256)

    return hold(read)


def _facts_of(part: Held) -> Shipped:
    """Return what the lead needs to know of a part, from the worker that holds it."""
    from shoal.engines.dask import on_worker

    return on_worker(lambda: _own(part).facts())


def _rows_of(part: Held) -> Held:
    """Keep the sets of a part without the other columns."""
    from shoal.engines.dask import hold

    return hold(lambda: HeldPart(_own(part).rows, _own(part).sha256))


def _columns_of(part: Held, what: Shipped) -> Shipped:
    """Return other columns of a part. Refuse a part that is not the one that was read first."""
    from shoal.engines.dask import on_worker

    def columns() -> Any:
        names, name, sha256 = what.open()
        check_same(_own(part), name, sha256)
        return _own(part).table.select(names)

    return on_worker(columns)


def _own(part: Held) -> ReadPart:
    own: ReadPart = contents_of([part])[0]
    return own
