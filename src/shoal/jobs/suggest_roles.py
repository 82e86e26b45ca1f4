"""Suggest what each column of a data set is: an identifier, a quasi-identifier, or one that may be sensitive."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from shoal.data import Dataset
from shoal.data.columns import Column, identifying_columns, is_nested, looks_like_id, values_of
from shoal.data.table import Role
from shoal.errors import InputError
from shoal.hierarchies import axes
from shoal.report.formatting import count_noun

_NAMES_PEOPLE = re.compile(
    r"(first|last|full|sur|family|given|maiden|middle)?[ _-]?name|.*e-?mail.*|.*phone.*|mobile|.*address.*|street"
    r"|ssn|.*social.security.*|.*passport.*|iban|ip",
    re.IGNORECASE,
)
_SENSITIVE = re.compile(
    r".*(diagnos|disease|illness|disorder|hiv|salary|income|wage|religio|politic|orientation|convict|offence|debt).*",
    re.IGNORECASE,
)
_LEVELS = {"number": "quantiles:8", "date": "calendar:month,year", "time": "calendar:day,month"}
_CODES = 12  # different numbers, up to which they may be codes
_EXAMPLES, _COMMON = 3, 5  # values that are named if asked for, each of at least so many records


@dataclass(frozen=True)
class SuggestedRole:
    """A role for a column, with the reason."""

    column: str
    role: Role
    reason: str
    kind: str = ""  # what its values are, such as "number", if it is a quasi-identifier
    type: str = ""  # to be said in the file; empty: Shoal finds it
    levels: str = ""  # ranges that could be published instead of any ranges
    examples: tuple[str, ...] = ()  # common categories, if they are asked for
    codes: bool = False  # whether its numbers are perhaps codes


def suggest_roles(data: Dataset, *, examples: bool = False) -> Iterator[SuggestedRole]:
    """A role for each column; no value of a person is told, and common categories only if asked for."""
    identifying = set(identifying_columns(data))
    for name in () if data.table is None else data.table.names:
        yield _suggested(data, name, name in identifying, examples)


def _suggested(data: Dataset, name: str, identifying: bool, examples: bool) -> SuggestedRole:
    """A role for one column."""
    if _NAMES_PEOPLE.fullmatch(name.strip()):
        return SuggestedRole(name, Role.IDENTIFIER, "its name says that it tells who a person is: not published")
    if is_nested(data, name):
        return SuggestedRole(name, Role.IDENTIFIER, "it holds lists or structures: not published")
    if identifying:
        return SuggestedRole(name, Role.IDENTIFIER, "nearly every record has its own value: not published")
    if looks_like_id(name):
        return SuggestedRole(name, Role.IDENTIFIER, "it is called like an id: not published")
    values, codes = values_of(data, name)
    try:
        kind, type = str(axes.relational(data, {name: Column()}).attributes[0].kind), ""
    except InputError:  # numbers with more digits than can be told apart
        kind, type = "category", "category"
    reason = f"{kind}, {count_noun(len(values), 'different value')}"
    codes_perhaps = kind == "number" and len(values) <= _CODES
    if codes_perhaps:
        reason += ", perhaps codes"
    if _SENSITIVE.fullmatch(name.strip()):
        reason += "; may be sensitive: see the role sensitive"
    shown: tuple[str, ...] = ()
    if examples and kind in ("category", "band"):
        counts = Counter(codes.tolist()).most_common(_EXAMPLES)
        shown = tuple(values[code] for code, count in counts if count >= _COMMON and values[code])
    return SuggestedRole(name, Role.QUASI_IDENTIFIER, reason, kind, type, _LEVELS.get(kind, ""), shown, codes_perhaps)
