"""Filter expressions such as ``week <= 12 and department in ('DELI', 'MEAT')``, parsed by recursive descent.

expression = all ("or" all)*            all = term ("and" term)*
term       = "not" term | "(" expression ")" | operand test
test       = comparison operand | ["not"] "in" list | "is" ["not"] "null"
operand    = column | number | text | "true" | "false"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from typing import NoReturn

from shoal.errors import OptionError, shorten

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
    |(?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    |(?P<quoted>`(?:[^`]|``)+`)
    |(?P<name>[^\W\d]\w*(?:\.\w+)*)
    |(?P<comparison><=|>=|<>|==|!=|<|>|=)
    |(?P<mark>[()\[\],])
    )""",
    re.VERBOSE,
)
_KEYWORDS = {"and", "or", "not", "in", "is", "null", "true", "false"}
_SPELLED = {"=": "==", "<>": "!="}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_DEPTH = 100
_VALUE = "a column, a number or a text in quotes"


def spelled(name: str) -> str:
    """The name of a column as an expression has it.

    >>> spelled("week"), spelled("unit price")
    ('week', '`unit price`')
    """
    plain = re.fullmatch(r"[^\W\d]\w*(?:\.\w+)*", name) and name.lower() not in _KEYWORDS
    return name if plain else "`" + name.replace("`", "``") + "`"


@dataclass(frozen=True)
class Column:
    """A column, by its name."""

    name: str


Literal = int | float | str | bool


@dataclass(frozen=True)
class Comparison:
    """A column compared with a value or another column."""

    operator: str  # < <= > >= == !=
    column: Column
    other: Column | Literal


@dataclass(frozen=True)
class Membership:
    """A column compared with several values."""

    column: Column
    values: tuple[Literal, ...]


@dataclass(frozen=True)
class IsNull:
    """Whether a column has no value."""

    column: Column


@dataclass(frozen=True)
class Not:
    """The opposite of a term."""

    term: Expression


@dataclass(frozen=True)
class AllOf:
    """Terms that must all hold."""

    terms: tuple[Expression, ...]


@dataclass(frozen=True)
class AnyOf:
    """Terms of which one must hold."""

    terms: tuple[Expression, ...]


Expression = Comparison | Membership | IsNull | Not | AllOf | AnyOf


def parse(text: str) -> Expression:
    """Parse a filter expression.

    >>> parse("not week > 12")
    Not(term=Comparison(operator='>', column=Column(name='week'), other=12))

    Raises
    ------
    OptionError
        The text is no expression. The message names the position and what was expected there.
    """
    parser = _Parser(text)
    expression = parser.any_of(0)
    if parser.kind != "end":
        parser.fail("'and', 'or' or the end")
    return expression


class _Parser:
    """Reads tokens from left to right. ``kind``, ``word`` and ``start`` are those of the next token."""

    def __init__(self, text: str) -> None:
        self.text, self.end = text, 0
        self.advance()

    def advance(self) -> str:
        """Step to the next token; return the word of this one."""
        word = getattr(self, "word", "")
        if match := _TOKEN.match(self.text, self.end):
            self.kind, self.end = str(match.lastgroup), match.end()
            self.word, self.start = match[self.kind], match.start(self.kind)
            if self.kind == "name" and self.word.lower() in _KEYWORDS:
                self.kind = self.word.lower()
            elif self.kind == "mark":
                self.kind = self.word
        else:
            rest = self.text[self.end :]
            self.start = self.end + len(rest) - len(rest.lstrip())
            self.kind, self.word = ("bad", self.text[self.start :]) if rest.strip() else ("end", "")
        return word

    def accept(self, kind: str) -> bool:
        """Step over a token of this kind, if it is next."""
        if self.kind != kind:
            return False
        self.advance()
        return True

    def expect(self, kind: str) -> None:
        if not self.accept(kind):
            self.fail(f"'{kind}'")

    def fail(self, wanted: str) -> NoReturn:
        got = "the filter ends" if self.kind == "end" else f"got '{shorten(self.word)}'"
        raise OptionError(
            f'Filter "{self.text}": expected {wanted} at character {self.start + 1}, but {got}. Write it like '
            "\"week <= 12 and department in ('DELI', 'MEAT')\"; put names with spaces or signs in backticks."
        )

    def any_of(self, depth: int) -> Expression:
        terms = [self.all_of(depth)]
        while self.accept("or"):
            terms.append(self.all_of(depth))
        return terms[0] if len(terms) == 1 else AnyOf(tuple(terms))

    def all_of(self, depth: int) -> Expression:
        terms = [self.term(depth)]
        while self.accept("and"):
            terms.append(self.term(depth))
        return terms[0] if len(terms) == 1 else AllOf(tuple(terms))

    def term(self, depth: int) -> Expression:
        if depth > _DEPTH:
            self.fail(f"at most {_DEPTH} parentheses and 'not' inside each other")
        if self.accept("not"):
            return Not(self.term(depth + 1))
        if self.accept("("):
            inner = self.any_of(depth + 1)
            self.expect(")")
            return inner
        start = self.start
        left = self.operand()
        if self.kind == "comparison":
            operator = self.advance()
            return self.compared(left, _SPELLED.get(operator, operator), self.operand(), start)
        column = self.must_be_column(left, start)
        if self.accept("is"):
            negated = self.accept("not")
            self.expect("null")
            return Not(IsNull(column)) if negated else IsNull(column)
        if self.accept("not"):
            return Not(self.members(column))
        if self.kind != "in":
            self.fail("a comparison, 'in' or 'is null'")
        return self.members(column)

    def compared(self, left: Column | Literal, operator: str, right: Column | Literal, start: int) -> Expression:
        if isinstance(right, Column) and not isinstance(left, Column):
            return Comparison(_FLIPPED[operator], right, left)
        return Comparison(operator, self.must_be_column(left, start), right)

    def must_be_column(self, operand: Column | Literal, start: int) -> Column:
        if isinstance(operand, Column):
            return operand
        raise OptionError(
            f'Filter "{self.text}": the comparison at character {start + 1} has no column; write names of columns '
            "without quotes, or in backticks."
        )

    def members(self, column: Column) -> Expression:
        self.expect("in")
        close = {"(": ")", "[": "]"}.get(self.kind)
        if close is None:
            self.fail("a list in parentheses")
        self.advance()
        values = [self.literal()]
        while self.accept(","):
            values.append(self.literal())
        self.expect(close)
        return Membership(column, tuple(values))

    def literal(self) -> Literal:
        if self.kind in ("name", "quoted"):
            self.fail("a number or a text in quotes")
        value = self.operand()
        assert not isinstance(value, Column)
        return value

    def operand(self) -> Column | Literal:
        if self.kind == "null":
            self.fail("a value (test for nulls with 'is null' or 'is not null')")
        if self.kind not in ("number", "text", "quoted", "name", "true", "false"):
            self.fail(_VALUE)
        kind, word = self.kind, self.word
        if kind == "number":
            return self.number()
        self.advance()
        if kind == "text":
            return word[1:-1].replace(word[0] * 2, word[0])
        if kind == "quoted":
            return Column(word[1:-1].replace("``", "`"))
        return Column(word) if kind == "name" else kind == "true"

    def number(self) -> int | float:
        try:
            number = parse_number(self.word)
        except ValueError:
            self.fail("a number of at most 64 bits, or a text in quotes")
        self.advance()
        return number


def parse_number(text: str) -> int | float:
    """Parse a number of at most 64 bits, or raise ValueError. Without a fraction, it is an integer and so exact.

    >>> parse_number("12"), parse_number("12.0"), parse_number("1.5")
    (12, 12, 1.5)
    """
    number: int | float = float(text)
    if not isfinite(number):
        raise ValueError(text)
    if re.fullmatch(r"\s*[+-]?\d+\s*", text):
        number = int(text)
        if not -(2**63) <= number < 2**64:
            raise ValueError(text)
    return int(number) if number == int(number) and abs(number) < 2**64 else number
