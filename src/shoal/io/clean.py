"""Arrow tables that hold only the values to be published.

A table may hold more than its values: metadata of the schema and the fields (pandas stores the names of all columns and
of the index there, and what the user attached), and dictionaries with categories that no row uses any more.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def clean(table: Any) -> Any:
    """Return the pyarrow.Table without metadata, and with only the categories that occur."""
    import pyarrow as pa

    columns = [_clean_column(column) for column in table.columns]
    kinds = zip(table.schema, columns, strict=True)
    return pa.table(columns, schema=pa.schema([pa.field(old.name, new.type, old.nullable) for old, new in kinds]))


def _clean_column(column: Any) -> Any:
    """Clean one column. Categories stay categories, but those inside lists and structs become plain values."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        return _compact(column)
    kind = _plain(column.type)
    try:
        return column if kind.equals(column.type, check_metadata=True) else column.cast(kind)
    except pa.ArrowNotImplementedError:  # categories inside structs
        return pa.chunked_array([pa.array(column.to_pylist(), kind)])


def _compact(column: Any) -> Any:
    """Return a dictionary column with only the categories in use, in their old order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = column.unify_dictionaries().combine_chunks()
    used = pa.array(np.unique(whole.indices.drop_null().to_numpy()), whole.indices.type)
    codes = pc.index_in(whole.indices, value_set=used).cast(whole.indices.type)
    return pa.DictionaryArray.from_arrays(
        codes, whole.dictionary.cast(_plain(whole.dictionary.type)).take(used), ordered=whole.type.ordered
    )


def _plain(kind: Any) -> Any:
    """Return the type without metadata and dictionaries of nested types. Views become texts."""
    import pyarrow as pa

    def field(old: Any) -> Any:
        return pa.field(old.name, _plain(old.type), old.nullable)

    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_struct(kind):
        return pa.struct([field(kind.field(i)) for i in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return pa.map_(field(kind.key_field), field(kind.item_field), kind.keys_sorted)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(field(kind.value_field), kind.list_size)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return (pa.list_ if pa.types.is_list(kind) else pa.large_list)(field(kind.value_field))
    return kind
