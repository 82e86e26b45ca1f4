"""Convert Arrow arrays to and from Python and numpy, without pandas.

``pyarrow.array``, ``pyarrow.scalar`` and ``to_numpy`` do the same. But their first call imports pandas if it is
installed (OR-Tools installs it), and that takes longer than a small anonymization.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def arrow_texts(texts: Sequence[str]) -> Any:
    """Return texts as an Arrow array of large_string.

    >>> arrow_texts(["milk", "", "Käse"]).to_pylist()
    ['milk', '', 'Käse']
    """
    import pyarrow as pa

    joined = "".join(texts)
    data = joined.encode()
    cells = texts if len(data) == len(joined) else [text.encode() for text in texts]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, cells), np.int64, len(texts)), out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def arrow_text(text: str) -> Any:
    """Return a text as an Arrow scalar."""
    return arrow_texts([text])[0]


def arrow_numbers(numbers: npt.NDArray[Any]) -> Any:
    """Return numbers as an Arrow array.

    >>> arrow_numbers(np.array([3, 1], dtype=np.int32))[0]
    <pyarrow.Int32Scalar: 3>
    """
    import pyarrow as pa

    held = np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(pa.from_numpy_dtype(held.dtype), len(held), [None, pa.py_buffer(held)])


def numpy_of(array: Any) -> Any:
    """Return the numbers of an Arrow array without nulls, chunked or not.

    >>> numpy_of(arrow_numbers(np.array([5, 3, 1])).slice(1))
    array([3, 1])
    """
    if hasattr(array, "chunks"):
        return np.concatenate([numpy_of(chunk) for chunk in array.chunks] or [np.empty(0, np.int64)])
    kind = array.type.to_pandas_dtype()
    return np.frombuffer(array.buffers()[1] or b"", kind)[array.offset : array.offset + len(array)]


def is_list(kind: Any) -> bool:
    """Whether an Arrow type is a list of any kind."""
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is text, as values or as categories."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def text_list_type(kind: Any) -> Any:
    """Return the type to write a list column with. Lists of strings keep their type."""
    import pyarrow as pa

    value = pa.large_string() if pa.types.is_large_string(kind.value_type) else pa.string()
    return pa.large_list(value) if pa.types.is_large_list(kind) else pa.list_(value)
