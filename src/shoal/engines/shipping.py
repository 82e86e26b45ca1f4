"""Sends work to other processes, and its results back. What is sent never shows itself in a log or on a dashboard.

A Dask cluster writes the arguments and the errors of failed tasks into its logs. So everything travels as
:class:`Shipped`, whose text is only its size, and a task that fails returns its error as a value (:func:`attempt`).

Objects whose content is on a worker (:class:`Remote`) travel as references. The task finds the content in their place.
"""

from __future__ import annotations

import io
import pickle
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any


class Remote(ABC):
    """An object whose content is on workers. If it is shipped, the task gets the content instead."""

    @property
    @abstractmethod
    def futures(self) -> Sequence[Any]:
        """The futures of what the content is made from."""

    @property
    @abstractmethod
    def recipe(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A function and its first arguments. The contents of the futures follow. It returns the content."""

    def __reduce__(self) -> Any:
        """Refuse to be copied to another process without its content."""
        raise TypeError(f"{type(self).__name__} can only be shipped")


class Shipped:
    """A value as bytes, whose text is only its size.

    >>> one = Shipped.of(["secret"])
    >>> one, one.open()
    (Shipped(... bytes), ['secret'])
    """

    def __init__(self, content: Any, *, plain: bool = False) -> None:
        self._content, self._plain = content, plain  # plain: the value itself, which is bytes

    @classmethod
    def of(cls, value: Any) -> Shipped:
        """Pack a value without references."""
        if isinstance(value, bytes):
            return cls(value, plain=True)
        shipped, futures = pack(value)
        assert not futures, "rows on workers need a task that gets them"
        return shipped

    def open(self, contents: Sequence[Any] = ()) -> Any:
        """Return the value. ``contents`` are those of the futures that :func:`pack` returned."""
        if self._plain:
            return bytes(self._content)
        return _Unpickler(io.BytesIO(self._content), contents).load()

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Let Dask send the bytes without a copy."""
        content = pickle.PickleBuffer(self._content) if protocol >= 5 else bytes(self._content)
        return _received, (content, self._plain)

    def __repr__(self) -> str:
        """Show the size, and nothing of the value."""
        return f"Shipped({len(self._content):,} bytes)"

    def __sizeof__(self) -> int:
        """Return the size in memory, by which Dask decides what it moves."""
        return len(self._content)


def _received(content: Any, plain: bool) -> Shipped:
    return Shipped(content, plain=plain)


class Held:
    """A value that stays on a worker, whose text is only its type."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        """Show the type, and nothing of the value."""
        return f"Held({type(self.value).__name__})"

    def __sizeof__(self) -> int:
        """Return the size in memory, by which Dask decides what it moves."""
        return sys.getsizeof(self.value)


class Failed:
    """An error that a task returns."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def pack(value: Any) -> tuple[Shipped, list[Any]]:
    """Return a value as bytes, and the futures that a task needs to open it."""
    import cloudpickle

    futures: list[Any] = []
    places: dict[str, int] = {}

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def persistent_id(self, one: Any) -> Any:
            if not isinstance(one, Remote):
                return None
            for future in one.futures:
                if future.key not in places:
                    places[future.key] = len(futures)
                    futures.append(future)
            return (*one.recipe, [places[future.key] for future in one.futures])

        def reducer_override(self, one: Any) -> Any:
            table = getattr(sys.modules.get("pyarrow"), "Table", ())  # another thread may be importing it
            if isinstance(one, table):  # some rows of it would be sent with all others
                return _table_of, (_stream_of(one),)
            return super().reducer_override(one)

    with io.BytesIO() as file:
        Pickler(file, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
        return Shipped(file.getvalue()), futures


def _stream_of(table: Any) -> bytes:
    """Return the rows of a pyarrow.Table, and no others that share its memory."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _table_of(stream: bytes) -> Any:
    import pyarrow as pa

    return pa.ipc.open_stream(stream).read_all()


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, contents: Sequence[Any]) -> None:
        super().__init__(file)
        self._contents = contents

    def persistent_load(self, pid: Any) -> Any:
        make, given, places = pid
        return make(*given, *(self._contents[place] for place in places))


def attempt(work: Callable[[], Any]) -> Any:
    """Return the result of a call or, if it fails, the error as :class:`Failed`."""
    try:
        return work()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return Failed(error)


def result_or_error(value: Any) -> Any:
    """Return a value, or raise the error that it stands for."""
    if isinstance(value, Failed):
        raise value.error
    return value


def contents_of(held: Sequence[Held]) -> list[Any]:
    """Return the values of what a task depends on. Raise the first error among them."""
    return [result_or_error(one.value) for one in held]
