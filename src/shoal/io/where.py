"""The records of a stream that fulfil a condition such as ``week <= 12 and department in ('DELI', 'MEAT')``.

A parser by recursive descent turns the condition into a function of record batches::

    condition = all ("or" all)*
    all       = term ("and" term)*
    term      = "not" term | "(" condition ")" | value sign value | column test
    test      = "is" ["not"] "null" | ["not"] "in" "(" literal ("," literal)* ")"
    value     = column | literal
    literal   = number | text | "true" | "false"

Nulls work as in SQL: a comparison with a null is unknown, and so is its opposite. A record is kept if the condition is
true. A blank text and NaN are nulls, so a CSV file and its Parquet copy give the same records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from shoal.data.arrow import arrow_numbers, arrow_text, arrow_texts
from shoal.errors import DataError, OptionError, did_you_mean
from shoal.io.coding import as_text
from shoal.io.messages import listed, shorten, shown
from shoal.io.stream import Stream

Test = Callable[[Any], Any]  # from a record batch to an array of booleans, null where the answer is unknown

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(?![\w.])
    |(?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    |(?P<boolean>(?:true|false)(?![\w.]))
    |(?P<fixed>(?:and|or|not|in|is|null)(?![\w.])|[()\[\],])
    |(?P<column>[^\W\d]\w*(?:\.\w+)*|`(?:[^`]|``)+`)
    |(?P<sign><=|>=|<>|==|!=|<|>|=)
    |(?P<end>\Z)
    |(?P<unknown>.+)
    )""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_LITERAL = ("number", "text", "boolean")
_SIGNS = {
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
    "=": pc.equal,
    "==": pc.equal,
    "!=": pc.not_equal,
    "<>": pc.not_equal,
}
_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_INTEGER, _FLOAT, _TEXT, _BOOLEAN, _TIME = pa.int64(), pa.float64(), pa.large_string(), pa.bool_(), pa.timestamp("us")
_COMPARED_AS = {
    pt.is_integer: _INTEGER,
    pt.is_floating: _FLOAT,
    pt.is_decimal: _FLOAT,
    pt.is_string: _TEXT,
    pt.is_large_string: _TEXT,
    pt.is_null: _TEXT,
    pt.is_boolean: _BOOLEAN,
    pt.is_timestamp: _TIME,
    pt.is_date: _TIME,
}
_TEXT_COMPARED_AS = {"number": _FLOAT, "boolean": _BOOLEAN, "text": _TEXT}  # by the kind of the literal
_WANTED = {
    _INTEGER: "a number",
    _FLOAT: "a number",
    _TEXT: "a text in quotes, true, false, or a number of at most 15 digits",
    _BOOLEAN: "true or false",
    _TIME: "a date in quotes, like '2017-03-31' or '2017-03-31 17:30'",
}


@dataclass
class WhereCount:
    """How many records a filter has read, and how many of them it has kept."""

    kept: int = 0
    total: int = 0


def where(stream: Stream, text: str) -> tuple[Stream, WhereCount]:
    """Keep the records for which a condition is true, in their order.

    Raises
    ------
    OptionError
        The condition cannot be parsed, names a column that does not exist, or compares values of different types.
    DataError
        While the stream is consumed: a text that is compared with numbers is not a number.
    """
    count, masks = WhereCount(), list[Any]()
    try:
        test = _Parser(stream, text, count).parse()
    except RecursionError:
        raise OptionError(f'Filter "{text}" is nested too deeply: use fewer parentheses.') from None

    def batches() -> Iterator[Any]:
        for batch in stream.batches:
            mask = test(batch)
            masks.append(mask)
            count.total += len(batch)
            count.kept += mask.true_count
            if mask.true_count:
                yield batch if mask.true_count == len(batch) else batch.filter(mask)

    def place(record: int) -> str:
        before = 0
        for mask in masks:
            if record < mask.true_count:
                break
            record, before = record - mask.true_count, before + len(mask)
        return stream.place(before + pc.indices_nonzero(mask)[record].as_py())

    return replace(stream, batches=batches(), place=place), count


class _Token(NamedTuple):
    kind: str  # a group of the pattern; every fixed word is a kind
    word: str
    start: int

    @property
    def value(self) -> str:
        """Return the word without its quotes."""
        quote = self.word[0]
        return self.word[1:-1].replace(quote * 2, quote) if quote in "'\"`" else self.word


@dataclass(frozen=True, eq=False)
class _Column:
    """A column of the stream that is compared."""

    name: str
    type: Any  # without dictionary coding
    compared_as: Any
    stream: Stream
    count: WhereCount  # its total is the number of records before the current batch

    def __str__(self) -> str:
        return f"'{shorten(self.name)}' ({self.type})"

    def values(self, batch: Any, target: Any) -> Any:
        """Return the cells of a batch in the type of a comparison, with blank texts and NaN as null."""
        cells = batch.column(self.stream.schema.names.index(self.name))
        if self.compared_as == _TEXT:
            texts = as_text(cells)
            trimmed = pc.utf8_trim_whitespace(texts)
            cells = _null_where(pc.equal(trimmed, arrow_text("")), texts if target == _TEXT else trimmed)
        elif pt.is_dictionary(cells.type):
            cells = cells.dictionary_decode()
        elif getattr(self.type, "tz", None):
            cells = pc.local_timestamp(cells)
        values = _cast(cells, target)
        if values is None:
            row = next(row for row in range(len(cells)) if _cast(cells.slice(row, 1), target) is None)
            raise DataError(
                f"{self.stream.source}, {self.stream.place(self.count.total + row)}: column '{shorten(self.name)}' has "
                f"{shown(str(cells[row]))}, but the filter needs {_WANTED[target]}: correct the cell, or compare with "
                "a text in quotes."
            )
        return _null_where(pc.is_nan(values), values) if target == _FLOAT else values


class _Parser:
    """A parser that reads a condition from left to right, checks names and types, and returns a test."""

    def __init__(self, stream: Stream, text: str, count: WhereCount) -> None:
        self.stream, self.text, self.count = stream, text, count
        self.tokens, self.next = list[_Token](), 0
        for match in _TOKEN.finditer(text):
            kind = str(match.lastgroup)
            word = match[kind]
            self.tokens.append(_Token(word.lower() if kind == "fixed" else kind, word, match.start(kind)))

    def accept(self, *kinds: str) -> _Token | None:
        """Step over the next token, if it is of one of these kinds."""
        token = self.tokens[self.next]
        if token.kind not in kinds:
            return None
        self.next += 1
        return token

    def expect(self, *kinds: str, wanted: str = "") -> _Token:
        if token := self.accept(*kinds):
            return token
        raise self.unexpected(self.tokens[self.next], wanted or f"'{kinds[0]}'")

    def unexpected(self, token: _Token, wanted: str) -> OptionError:
        got = f"got '{shorten(token.word)}'" if token.word else "the filter ends"
        return OptionError(
            f'Filter "{self.text}": expected {wanted} at character {token.start + 1}, but {got}. Write it like '
            "\"week <= 12 and department in ('DELI', 'MEAT') and brand is not null\"; put names of columns with spaces "
            "or signs in backticks."
        )

    def incomparable(self, column: _Column, other: object, remedy: str) -> OptionError:
        return OptionError(f'Filter "{self.text}" compares {column} with {other}: {remedy}.')

    def parse(self) -> Test:
        test = self.condition()
        self.expect("end", wanted="'and', 'or' or the end")
        return test

    def condition(self) -> Test:
        return self.chain("or", self.all, pc.or_kleene)

    def all(self) -> Test:
        return self.chain("and", self.term, pc.and_kleene)

    def chain(self, word: str, part: Callable[[], Test], combine: Any) -> Test:
        tests = [part()]
        while self.accept(word):
            tests.append(part())
        return lambda batch: reduce(combine, (test(batch) for test in tests))

    def term(self) -> Test:
        if self.accept("not"):
            return _opposite(self.term())
        if self.accept("("):
            test = self.condition()
            self.expect(")")
            return test
        left = self.value()
        if sign := self.accept("sign"):
            return self.comparison(left, sign.word, self.value())
        if isinstance(left, _Token):
            raise self.unexpected(left, "a column")
        is_null, negated = self.accept("is"), self.accept("not")
        test = self.null_test(left) if is_null else self.membership(left)
        return _opposite(test) if negated else test

    def value(self) -> _Column | _Token:
        token = self.expect("column", *_LITERAL, wanted="a column, a number or a text in quotes")
        return self.column(token.value) if token.kind == "column" else token

    def column(self, name: str) -> _Column:
        names = self.stream.schema.names
        if name not in names:
            raise OptionError(
                f"Filter \"{self.text}\": no column '{shorten(name)}'{did_you_mean(name, names)} in "
                f"{self.stream.source}, which has {listed(names)}; put texts in quotes."
            )
        kind = self.stream.schema.field(names.index(name)).type
        kind = kind.value_type if pt.is_dictionary(kind) else kind
        for is_kind, compared_as in _COMPARED_AS.items():
            if is_kind(kind):
                return _Column(name, kind, compared_as, self.stream, self.count)
        raise OptionError(
            f"Filter \"{self.text}\": column '{shorten(name)}' has the type {kind}, but a filter compares only "
            "numbers, texts, dates, timestamps and booleans."
        )

    def comparison(self, left: _Column | _Token, sign: str, right: _Column | _Token) -> Test:
        if isinstance(left, _Token):  # 12 >= week
            if isinstance(right, _Token):
                raise self.unexpected(left, "a column on one side of the comparison")
            return self.comparison(right, _SWAPPED.get(sign, sign), left)
        compare = _SIGNS[sign]
        if isinstance(right, _Token):
            literals = self.literals(left, [right], ordered=sign in _SWAPPED)
            return lambda batch: compare(left.values(batch, literals.type), literals[0])
        target, other = left.compared_as, right.compared_as
        if target != other and {target, other} <= {_INTEGER, _FLOAT, _TEXT}:
            target = other = _FLOAT
        if target != other or getattr(left.type, "tz", None) != getattr(right.type, "tz", None):
            raise self.incomparable(left, right, "convert one of them to the type of the other")
        return lambda batch: compare(left.values(batch, target), right.values(batch, target))

    def null_test(self, column: _Column) -> Test:
        self.expect("null")
        return lambda batch: column.values(batch, column.compared_as).is_null()

    def membership(self, column: _Column) -> Test:
        self.expect("in", wanted="a comparison, 'in' or 'is null'")
        opening = self.expect("(", "[", wanted="a list in parentheses")
        tokens = [self.expect(*_LITERAL, wanted="a number or a text in quotes")]
        while self.accept(","):
            tokens.append(self.expect(tokens[0].kind, wanted=f"a {tokens[0].kind} like the first value"))
        self.expect(")" if opening.kind == "(" else "]")
        literals, zero = self.literals(column, tokens), arrow_numbers(np.zeros(1))[0]

        def test(batch: Any) -> Any:
            cells = column.values(batch, literals.type)
            cells = pc.add(cells, zero) if literals.type == _FLOAT else cells  # is_in tells -0.0 from 0.0
            return pc.or_kleene(pc.is_in(cells, literals), pc.not_equal(cells, cells))  # unknown for nulls

        return test

    def literals(self, column: _Column, tokens: list[_Token], *, ordered: bool = False) -> Any:
        """Return literals of one kind as an array of the type that a column is compared in. ``ordered``: by size."""
        texts, kind, own = [token.value for token in tokens], tokens[0].kind, column.compared_as
        if not all(map(str.strip, texts)):
            raise self.incomparable(column, "a blank text", "use 'is null' or 'is not null'")
        values = _cast(arrow_texts(texts), _TEXT_COMPARED_AS[kind] if own == _TEXT else own)
        if values is None and own == _INTEGER:
            values = _cast(arrow_texts(texts), _FLOAT)
        rounded = own == _TEXT and kind == "number" and max(map(len, texts)) > 15  # other numbers would be equal
        as_text = ordered and kind == "text" and own not in (_TEXT, _TIME)  # in a CSV file, '10' comes before '9'
        if values is None or rounded or as_text:
            literals = ", ".join(shorten(token.word) for token in tokens[:3])
            raise self.incomparable(column, literals, f"write {_WANTED[own]}")
        return values


def _opposite(test: Test) -> Test:
    return lambda batch: pc.invert(test(batch))


def _null_where(mask: Any, cells: Any) -> Any:
    return pc.if_else(mask, pa.nulls(len(cells), cells.type), cells) if mask.true_count else cells


def _cast(cells: Any, target: Any) -> Any:
    """Return cells as values of a type, or None if a cell is not such a value. Large integers are rounded to floats."""
    try:
        return cells.cast(target, safe=target == _INTEGER)
    except pa.ArrowInvalid:
        return None
