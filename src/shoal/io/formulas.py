"""Cells that a spreadsheet takes for formulas: ``=cmd()``, ``@x``, ``+a``, ``-a``. Plain numbers are not formulas.

An attacker who can put an item into the data can put a formula into the published file, and spreadsheets run it. A
quote before the cell makes it text. This can be undone exactly: a cell that has quotes before a formula gets one more.
"""

from __future__ import annotations

from typing import Any

from shoal.data import Dataset
from shoal.data.arrow import arrow_text, arrow_texts, is_text
from shoal.io.coding import as_text
from shoal.io.messages import shown
from shoal.io.text import glued

_FORMULA = r"^'*[=+@\t\r-]"
_NUMBER = r"^[+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


def escaped(cells: Any) -> Any:
    """Return the texts of an Arrow array, with a quote before each formula.

    >>> import pyarrow as pa
    >>> texts = escaped(pa.array(["=a", "-5", "'@b", "c"]))
    >>> texts.to_pylist(), unescaped(texts).to_pylist()
    (["'=a", '-5', "''@b", 'c'], ['=a', '-5', "'@b", 'c'])
    """
    import pyarrow.compute as pc

    return pc.if_else(are_formulas(cells), glued(["'", cells]), cells)


def unescaped(cells: Any) -> Any:
    """Undo :func:`escaped`."""
    import pyarrow.compute as pc

    inner = pc.utf8_slice_codeunits(cells, 1)
    return pc.if_else(pc.and_(pc.starts_with(cells, "'"), are_formulas(inner)), inner, cells)


def are_formulas(cells: Any) -> Any:
    """Return for each text of an Arrow array whether it is a formula, perhaps after quotes."""
    import pyarrow.compute as pc

    return pc.and_not(pc.match_substring_regex(cells, _FORMULA), pc.match_substring_regex(cells, _NUMBER))


def remarks(dataset: Dataset) -> list[str]:
    """Return a warning if the data contain formulas and are written as CSV without escaping them."""
    import pyarrow.compute as pc

    columns = [] if dataset.table is None else [dataset.table.arrow.column(name) for name in dataset.table.names]
    texts = [arrow_texts(dataset.transactions.in_use().labels)]
    texts += [as_text(column) for column in columns if is_text(column.type)]
    for cells in texts:
        formulas = pc.indices_nonzero(are_formulas(pc.fill_null(cells, arrow_text(""))))
        if len(formulas):
            first = cells[formulas[0].as_py()].as_py()
            return [
                f"Spreadsheets take cells such as {shown(first)} for formulas: pass escape_formulas=True if the file "
                f"may be opened in one."
            ]
    return []
