"""The records of a stream that fulfil an expression (``--where``).

Nulls are as in SQL: a comparison with a null is unknown, and so is its opposite; a record is kept if the whole
expression is true. A blank text and NaN are nulls, so a CSV file and its Parquet copy give the same records.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, NoReturn

import numpy as np

from shoal.data.arrow import arrow_numbers, arrow_text, arrow_texts
from shoal.errors import DataError, OptionError, did_you_mean
from shoal.io.expression import (
    AllOf,
    AnyOf,
    Column,
    Comparison,
    Expression,
    IsNull,
    Literal,
    Membership,
    Not,
    parse,
    parse_number,
)
from shoal.io.messages import listed, shorten, shown
from shoal.io.stream import Stream

Test = Callable[[Any, int], Any]  # a record batch and the number of its first record, to an array of booleans
_FUNCTIONS = {
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "==": "equal",
    "!=": "not_equal",
}
_REMEDIES = {"number": "write a number", "boolean": "write true or false", "time": "write a date like '2017-03-31'"}
_EXACT = 2**53  # floats represent all integers below


@dataclass
class WhereCount:
    """How many records a filter kept. Complete when the filtered stream has been consumed."""

    kept: int = 0
    total: int = 0


@dataclass(eq=False)
class _Kept:
    """Which records of the source were kept: one bit for each."""

    place: Callable[[int], str]  # of a record of the source
    masks: list[Any] = field(default_factory=list)
    kept: list[int] = field(default_factory=lambda: [0])  # before each mask, and at the end
    read: list[int] = field(default_factory=lambda: [0])

    def add(self, mask: Any, kept: int) -> None:
        self.masks.append(mask)
        self.kept.append(self.kept[-1] + kept)
        self.read.append(self.read[-1] + len(mask))

    def place_of(self, record: int) -> str:
        """Where the r-th record that was kept stands in the source."""
        import pyarrow.compute as pc

        at = bisect_right(self.kept, record) - 1
        within = pc.indices_nonzero(self.masks[at])[record - self.kept[at]].as_py()
        return self.place(self.read[at] + within)


def where(stream: Stream, text: str) -> tuple[Stream, WhereCount]:
    """Keep the records for which an expression is true, in their order.

    Raises
    ------
    OptionError
        The expression cannot be parsed, names a column that is not there, or compares what cannot be compared.
    DataError
        While the stream is consumed: a text that is compared with numbers is no number.
    """
    import pyarrow as pa

    test = _Compiler(stream, text).compile(parse(text))
    count, kept = WhereCount(), _Kept(stream.place)

    def filtered() -> Iterator[Any]:
        for batch in stream.batches:
            try:
                mask = test(batch, count.total)  # null, where the expression is unknown, counts as false
            except pa.ArrowInvalid as error:  # a date beyond the range of the timestamps it is compared with
                raise DataError(f'{stream.source}: filter "{text}" cannot be evaluated: {error}') from None
            chosen = mask.true_count
            kept.add(mask, chosen)
            count.total += len(batch)
            count.kept += chosen
            if chosen:
                yield batch if chosen == len(batch) else batch.filter(mask)

    return replace(stream, batches=filtered(), place=kept.place_of), count


@dataclass(frozen=True, eq=False)
class _Operand:
    """A column of the stream that is compared."""

    name: str
    position: int
    type: Any  # without dictionary coding
    kind: str  # number, text, boolean or time
    stream: Stream

    def __str__(self) -> str:
        return f"'{shorten(self.name)}' ({self.type})"

    def values(self, batch: Any) -> Any:
        """The values of a batch, with blank texts and NaN as null."""
        import pyarrow as pa

        column = batch.column(self.position)
        column = column if column.type == self.type else column.cast(self.type)
        if self.kind == "text":
            return _without_blanks(column)
        return _without_nan(column) if pa.types.is_floating(self.type) else column

    def cast(self, target: Any, batch: Any, first: int) -> Any:
        """The values of a batch in the type in which they are compared."""
        import pyarrow as pa
        import pyarrow.compute as pc

        values = self.values(batch)
        if values.type == target:
            return values
        if self.kind != "text" or _kind_of(target) == "text":
            return values.cast(target, safe=False)  # integers to floats: those above 2**53 are rounded
        values, cells = pc.utf8_trim_whitespace(values), values
        for step in (pa.float64(), target) if target == pa.int64() else (target,):  # 0x10 is an integer for Arrow alone
            try:
                cells = values.cast(step)
            except pa.ArrowInvalid:
                raise self.bad_cell(values, step, target, first) from None
        return _without_nan(cells) if target == pa.float64() else cells

    def bad_cell(self, texts: Any, step: Any, target: Any, first: int) -> DataError:
        """The error for the first text that cannot be cast."""
        import pyarrow as pa

        row = _first_bad(texts, step)
        wanted = {pa.bool_(): "true or false", pa.int64(): "an integer"}.get(target, "a number")
        return DataError(
            f"{self.stream.source}, {self.stream.place(first + row)}: column '{shorten(self.name)}' has "
            f"{shown(texts[row].as_py())}, and the filter needs {wanted}: correct the cell, or compare with a text in "
            "quotes."
        )


@dataclass(frozen=True, eq=False)
class _Compiler:
    """Turns an expression into a function of record batches, and checks names and types."""

    stream: Stream
    text: str

    def __str__(self) -> str:
        return f'Filter "{self.text}"'

    def compile(self, node: Expression) -> Test:
        import pyarrow.compute as pc

        match node:
            case Comparison(operator, column, other):
                if isinstance(other, Column):
                    return self.compare_columns(operator, self.operand(column), self.operand(other))
                return self.compare(operator, self.operand(column), other)
            case Membership(column, values):
                return self.member(self.operand(column), values)
            case IsNull(column):
                operand = self.operand(column)
                return lambda batch, _: operand.values(batch).is_null()
            case Not(term):
                inner = self.compile(term)
                return lambda batch, first: pc.invert(inner(batch, first))
            case AllOf(terms) | AnyOf(terms):
                tests = [self.compile(term) for term in terms]
                combine = pc.and_kleene if isinstance(node, AllOf) else pc.or_kleene
                return lambda batch, first: reduce(combine, (test(batch, first) for test in tests))

    def operand(self, column: Column) -> _Operand:
        import pyarrow as pa

        names = self.stream.schema.names
        if column.name not in names:
            raise OptionError(
                f"{self}: no column '{shorten(column.name)}'{did_you_mean(column.name, names)} in "
                f"{self.stream.source}, which has {listed(names)}; put texts in quotes."
            )
        position = names.index(column.name)
        kind = self.stream.schema.field(position).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if (sort := _kind_of(kind)) is None:
            raise OptionError(
                f"{self}: column '{shorten(column.name)}' has the type {kind}, and a filter compares "
                "only numbers, texts, dates, timestamps and booleans."
            )
        kind = {pa.float16(): pa.float32(), pa.null(): pa.string()}.get(kind, kind)
        return _Operand(column.name, position, kind, sort, self.stream)

    def refuse(self, column: _Operand, other: object, remedy: str = "") -> NoReturn:
        raise OptionError(f"{self} compares {column} with {other}{remedy}.")

    def compare(self, operator: str, column: _Operand, literal: Literal) -> Test:
        import pyarrow.compute as pc

        target, values = self.constants(column, [literal])
        if isinstance(literal, bool) and operator not in ("==", "!="):
            self.refuse(column, _described(literal), ", which has no order: use == or !=")
        call, value = getattr(pc, _FUNCTIONS[operator]), values[0]
        return lambda batch, first: call(column.cast(target, batch, first), value)

    def member(self, column: _Operand, literals: Sequence[Literal]) -> Test:
        import pyarrow as pa
        import pyarrow.compute as pc

        target, values = self.constants(column, literals)
        zero = arrow_numbers(np.zeros(1, np.float32))[0]

        def test(batch: Any, first: int) -> Any:
            cells = column.cast(target, batch, first)
            if pa.types.is_floating(target):
                cells = pc.add(cells, zero)  # is_in tells -0.0 from 0.0
            inside = pc.is_in(cells, value_set=values)
            return pc.if_else(cells.is_valid(), inside, pa.nulls(len(cells), pa.bool_()))

        return test

    def compare_columns(self, operator: str, left: _Operand, right: _Operand) -> Test:
        import pyarrow as pa
        import pyarrow.compute as pc

        kinds = {left.kind, right.kind}
        if len(kinds) > 1 and kinds != {"number", "text"}:
            self.refuse(left, right, ": convert one of them to the other's type")
        if kinds == {"boolean"} and operator not in ("==", "!="):
            self.refuse(left, right, ", which has no order: use == or !=")
        types = [left.type, right.type]
        if len({getattr(kind, "tz", None) is None for kind in types}) > 1:
            self.refuse(left, right, ": give both a time zone, or neither")
        if "number" in kinds:
            exact = all(pa.types.is_integer(kind) and kind != pa.uint64() for kind in types)
            types = [pa.int64() if exact else pa.float64()] * 2
        call = getattr(pc, _FUNCTIONS[operator])
        return lambda batch, first: call(left.cast(types[0], batch, first), right.cast(types[1], batch, first))

    def constants(self, column: _Operand, literals: Sequence[Literal]) -> tuple[Any, Any]:
        """The type in which a column is compared with literals, and the literals as an array of this type."""
        import pyarrow as pa

        if any(isinstance(literal, str) and not literal.strip() for literal in literals):
            self.refuse(column, "a blank text", ": use 'is null' or 'is not null'")
        kinds = {_literal_kind(literal) for literal in literals}
        if column.kind == "number" and "boolean" not in kinds:
            return _typed([self.number(column, literal) for literal in literals], column.type)
        if column.kind == "text" and kinds == {"number"}:
            numbers = [self.number(column, literal) for literal in literals]
            if max(numbers) >= 2**63:
                self.refuse(column, max(numbers), ": put such a large number in quotes, to compare it as text")
            large = any(isinstance(number, int) and abs(number) >= _EXACT for number in numbers)
            return _typed(numbers, pa.int64() if large else pa.float64())
        if column.kind == "text" and kinds == {"text"}:
            return column.type, arrow_texts([str(literal) for literal in literals]).cast(column.type)
        if column.kind in ("text", "boolean") and kinds == {"boolean"}:
            return pa.bool_(), arrow_numbers(np.array(literals, np.uint8)).cast(pa.bool_())
        if column.kind == "time" and kinds == {"text"}:
            return column.type, pa.concat_arrays([self.moment(column, str(literal)) for literal in literals])
        remedy = "write all values of a list alike" if len(kinds) > 1 else _REMEDIES[column.kind]
        self.refuse(column, " and ".join(map(_described, literals[:3])), f": {remedy}")

    def number(self, column: _Operand, literal: Literal) -> int | float:
        if not isinstance(literal, str):
            return literal
        try:
            number = parse_number(literal)
        except ValueError:
            self.refuse(column, _described(literal), ", which is no number")
        return number

    def moment(self, column: _Operand, literal: str) -> Any:
        """A text as an array of one date or timestamp. Without an offset, it is in the time zone of the column."""
        import pyarrow as pa
        import pyarrow.compute as pc

        text, zone = arrow_texts([literal.strip()]), getattr(column.type, "tz", None)
        try:
            return text.cast(column.type)
        except pa.ArrowInvalid:
            try:
                if zone is not None:
                    return pc.assume_timezone(text.cast(pa.timestamp(column.type.unit)), zone)
            except pa.ArrowInvalid:
                pass
        form = "'2017-03-31'" if pa.types.is_date(column.type) else "'2017-03-31' or '2017-03-31 17:30'"
        self.refuse(column, _described(literal), f": write it like {form}")


def _kind_of(kind: Any) -> str | None:
    """What a type is compared as, or None."""
    import pyarrow.types as pt

    if pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind):
        return "number"
    if pt.is_string(kind) or pt.is_large_string(kind) or pt.is_null(kind):
        return "text"
    if pt.is_timestamp(kind) or pt.is_date(kind):
        return "time"
    return "boolean" if pt.is_boolean(kind) else None


def _literal_kind(literal: Literal) -> str:
    return "text" if isinstance(literal, str) else "boolean" if isinstance(literal, bool) else "number"


def _described(literal: Literal) -> str:
    """A literal for a message."""
    return f"text {shown(literal)}" if isinstance(literal, str) else str(literal).lower()


def _typed(numbers: Sequence[int | float], kind: Any) -> tuple[Any, Any]:
    """The type in which a column of this type is compared with numbers, and the numbers in it."""
    import pyarrow as pa

    low, high = min(numbers), max(numbers)
    if kind == pa.float32():
        target = kind
    elif not pa.types.is_integer(kind) or any(isinstance(number, float) for number in numbers):
        target = pa.float64()
    elif kind == pa.uint64():
        target = kind if low >= 0 else pa.float64()
    else:
        target = pa.int64() if high < 2**63 else pa.float64()
    with np.errstate(over="ignore"):
        return target, arrow_numbers(np.array(numbers, target.to_pandas_dtype()))


def _without_blanks(texts: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    blank = pc.equal(pc.utf8_trim_whitespace(texts), arrow_text(""))
    return pc.if_else(blank, pa.nulls(len(texts), texts.type), texts) if blank.true_count else texts


def _without_nan(floats: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    nan = pc.is_nan(floats)
    return pc.if_else(nan, pa.nulls(len(floats), floats.type), floats) if nan.true_count else floats


def _first_bad(texts: Any, target: Any) -> int:
    """The first text that cannot be cast: there is one."""
    import pyarrow as pa

    low, high = 0, len(texts)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            texts.slice(low, middle - low).cast(target)
            low = middle
        except pa.ArrowInvalid:
            high = middle
    return low
