"""Dask DataFrames: each partition is read by the worker that holds it, and published partitions stay on the workers.

Partitions without rows are left out, because nothing can be told from them. If the others differ in their types, all
are read in one place, on the lead (:mod:`shoal.engines.lead`).
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data import Dataset, Origin, Transactions
from shoal.engines import current
from shoal.engines.shipping import Held, Shipped, contents_of, pack
from shoal.errors import ClusterError, DataError
from shoal.io.format import ReaderOptions
from shoal.io.frames import FrameFormat, python_columns
from shoal.io.messages import shorten
from shoal.io.spread import ReadPart, SpreadSource
from shoal.io.stream import nth_row
from shoal.io.writing import plan_of
from shoal.io.writing_parts import PartWriter, split

if TYPE_CHECKING:
    from shoal.engines.dask import DaskEngine

NAME = "the Dask DataFrame"


def is_dask_frame(data: Any) -> bool:
    """Whether this is a Dask DataFrame. Dask is not imported for it."""
    return isinstance(data, getattr(sys.modules.get("dask.dataframe"), "DataFrame", ()))


@dataclass(frozen=True, eq=False)
class DaskFrames:
    """The partitions of a Dask DataFrame, as the lead knows them."""

    keys: Sequence[Any]  # of the partitions, which the client holds

    def read(self, options: ReaderOptions) -> Dataset | None:
        """Let workers read the partitions. Return None if they must be read in one place."""
        home: Any = current()
        if options.no_sets or options.multiset or options.drop_items:
            return None
        frames = self._with_rows(home)
        if not frames:
            raise DataError("The Dask DataFrame holds no records: give at least one.")
        numbers = [str(number) for number in range(len(frames))]
        spread = SpreadSource(
            name=NAME,
            names=[f"partition {number} of {NAME}" for number in numbers],
            labels=numbers,
            parts=[home.submit("reading", _read_frame, Shipped.of(options), frame) for frame in frames],
            place_of=nth_row,
            options=options,
        )
        return spread.dataset(Origin("data"))

    def gathered(self, options: ReaderOptions) -> Any:
        """Return all partitions as one pandas DataFrame. Refuse lists that Dask has turned into texts."""
        import pandas as pd

        home: Any = current()
        fetched = [home.submit("reading", _as_it_is, future) for future in self._with_rows(home)]
        frame = pd.concat([home.fetch(future) for future in fetched], ignore_index=True)
        for name in frame.columns if options.sets is None else {options.sets}.intersection(frame.columns):
            cell = next(iter(frame[name].dropna()), None)
            if options.item_delimiter is None and isinstance(cell, str) and cell.startswith("["):
                raise DataError(
                    f"Column '{shorten(name)}' of {NAME} holds texts that look like lists. Dask turns lists into texts "
                    f"unless you call dask.config.set({{'dataframe.convert-string': False}}) before you make the "
                    f"DataFrame."
                )
        return frame

    def _with_rows(self, home: DaskEngine) -> list[Any]:
        """Return the futures of the partitions that have rows."""
        from distributed import Future

        futures = [Future(key, home.client) for key in self.keys]
        lengths = [home.submit("reading", len, future) for future in futures]
        try:
            return [future for future, length in zip(futures, lengths, strict=True) if home.fetch(length)]
        except ClusterError as error:
            raise ClusterError(
                f"{error} If it fails again, check with len(..) whether {NAME} can be computed."
            ) from None


def _as_it_is(frame: Any) -> Any:
    return frame


def _read_frame(options: Shipped, frame: Any) -> Held:
    """Read a partition, on a worker."""
    from shoal.engines.dask import hold

    def read() -> ReadPart:
        own: ReaderOptions = options.open()
        found = FrameFormat.of(frame, own)
        assert found is not None
        return ReadPart.of(*found, own, _sha256)

    return hold(read)


def _sha256(rows: Transactions, columns: Any) -> str:
    """Return a hash of what was read of a partition, to know it again if it must be computed anew."""
    import pyarrow as pa

    digest = hashlib.sha256(rows.sha256.encode())
    if columns is not None:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, columns.schema) as stream:
            stream.write_table(columns)
        digest.update(sink.getvalue())
    return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class PublishedFrames:
    """Published partitions on the workers."""

    name: str  # under which the client finds them
    lengths: Sequence[int]  # of the frames, which have several rows for each record of long data
    schema: Any  # pyarrow.Schema

    @classmethod
    def of(cls, dataset: Dataset, number: int, name: str) -> PublishedFrames:
        """Make pandas DataFrames of the data, where the rows are."""
        home: Any = current()
        plan = plan_of(dataset, Path("data.parquet"), "parquet", None, {})
        writer, made = Shipped.of(PartWriter.of(plan)), list[Any]()
        for part in split(plan.dataset, max(1, min(number, len(dataset)))):
            shipped, futures = pack(part)
            made.append(home.submit("publishing", _frame_of, writer, shipped, *futures))
        facts = [home.fetch(home.submit("publishing", _facts_of, one)) for one in made]
        lengths = [length for length, _ in facts]
        starts = accumulate(lengths, initial=0)
        frames = [home.submit("publishing", _opened, one, start) for one, start in zip(made, starts, strict=False)]
        for frame in frames:
            home.wait(frame)
        home.client.publish_dataset(frames, name=name, override=True)  # an earlier lead may have done it
        return cls(name, lengths, facts[0][1])

    def dask_frame(self, client: Any) -> Any:
        """Return a Dask DataFrame of the partitions, in the process of the client."""
        import dask
        import dask.dataframe as dd
        import pandas as pd

        starts = [0, *accumulate(self.lengths)]
        meta = pd.DataFrame(python_columns(self.schema.empty_table()))
        with dask.config.set({"dataframe.convert-string": False}):  # it would turn lists into texts
            return dd.from_delayed(
                client.get_dataset(self.name),
                meta=meta.set_index(pd.RangeIndex(0)),
                divisions=(*starts[:-1], max(0, starts[-1] - 1)),
                verify_meta=False,
            )


def _frame_of(writer: Shipped, part: Shipped, *held: Held) -> Held:
    """Make a published partition, on a worker."""
    from shoal.engines.dask import hold

    def frame() -> tuple[Any, Any]:
        import pandas as pd

        table = writer.open().table(*part.open(contents_of(held)))
        return table.schema, pd.DataFrame(python_columns(table))

    return hold(frame)


def _facts_of(frame: Held) -> Shipped:
    """Return the number of rows and the schema of a published partition, or its error."""
    from shoal.engines.dask import on_worker

    def facts() -> tuple[int, Any]:
        schema, made = contents_of([frame])[0]
        return len(made), schema

    return on_worker(facts)


def _opened(frame: Held, start: int) -> Any:
    """Return a published partition as Dask expects it. Its index goes on from that of the partitions before."""
    import pandas as pd

    made = contents_of([frame])[0][1]
    return made.set_index(pd.RangeIndex(start, start + len(made)))
