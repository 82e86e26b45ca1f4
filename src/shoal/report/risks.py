"""Sentences on what an attacker could do before and can do now."""

from __future__ import annotations

from functools import singledispatch

from shoal.data.persons import plural
from shoal.metrics.risk import Disclosure, Exposure, Risk
from shoal.release.release import Release
from shoal.report.facts import Facts
from shoal.report.formatting import count, count_noun, share
from shoal.report.sections import RelationalFacts

VALUES = "values in all quasi-identifying columns"


def known(facts: Facts, number: int) -> str:
    """Return what an attacker knows, as the label of a bar."""
    if facts.relational is None:
        return known_items(number)
    return f"all columns, {known_items(number)}" if facts.sets_changed else "all columns"


def known_items(number: int) -> str:
    """Return how many items an attacker knows, in words.

    >>> known_items(1), known_items(2)
    ('1 item', 'up to 2 items')
    """
    return "1 item" if number == 1 else f"up to {number} items"


def both(facts: Facts) -> tuple[str, str]:
    """Return the sentences on the risk before and after."""
    before, after, sensitive = facts.risk.before, facts.risk.after, facts.sensitive is not None
    return (
        risk(before, before.known, facts.relational, sensitive=sensitive),
        risk(after, after.known, facts.relational, sensitive=sensitive),
    )


def risk(exposure: Exposure, known: int, table: RelationalFacts | None = None, *, sensitive: bool = False) -> str:
    """Return a sentence on what an attacker who knows up to ``known`` items can do.

    ``table``: the attacker also knows the quasi-identifying columns; ``sensitive``: but no sensitive item.

    >>> from dataclasses import replace
    >>> one = Risk(5, 100, (0,), (0,), (0.0,), (0.0,))
    >>> risk(one, 1)
    'No record can be narrowed down to fewer than 5 records by knowing 1 item of it.'
    >>> risk(replace(one, below_k=(34,), unique=(12,)), 1)
    'For 34 % of the records, 1 well-chosen item is enough to narrow the search down to fewer than 5 records,
    and for 12 % to one.'
    >>> risk(replace(one, sensitive=True), 1)
    'No record with a sensitive item can be narrowed down to fewer than 5 records by knowing 1 item of it.'
    >>> risk(Disclosure(2, 80, (8,), (0,)), 1)
    'For 10 % of the records with a sensitive value, 1 well-chosen item is enough to reveal it with a probability
    above 1/2, and for none with certainty.'
    """
    are = "is" if known == 1 else "are"
    enough = "1 well-chosen item" if known == 1 else f"{known} well-chosen items (or fewer)"
    by = f"{known_items(known)} of it"
    if table is not None:
        items = f" that {are} not sensitive" if sensitive else ""
        also = (f" and {enough}{items}", f" and {by}{items}") if table.sets_changed else ("", "")
        enough, by, are = f"the {VALUES}{also[0]}", f"its {VALUES}{also[1]}", "are"
    some, most = exposure.degrees
    part, worst = exposure.shares(some)[known - 1], exposure.shares(most)[known - 1]
    alone = f"for {share(worst)}" if worst else "for none"
    return _sentence(exposure, share(part) if part else "", alone, f"{enough} {are}", by)


@singledispatch
def _sentence(exposure: Exposure, part: str, alone: str, enough: str, by: str) -> str:
    """Return the sentence for one kind of exposure; ``part``: the share of records, or an empty string."""
    raise NotImplementedError(type(exposure).__name__)


@_sentence.register
def _(exposure: Risk, part: str, alone: str, enough: str, by: str) -> str:
    fewer = f"to fewer than {exposure.k} {plural(exposure.person or 'record')}"
    holding = " with a sensitive item" if exposure.sensitive else ""
    if not part:
        return f"No record{holding} can be narrowed down {fewer} by knowing {by}."
    return f"For {part} of the records{holding}, {enough} enough to narrow the search down {fewer}, and {alone} to one."


@_sentence.register
def _(exposure: Disclosure, part: str, alone: str, enough: str, by: str) -> str:
    odds = f"with a probability above 1/{exposure.l}"
    if not part:
        return f"No sensitive value of a record can be inferred {odds} by knowing {by}."
    harm = f"enough to reveal it {odds}, and {alone} with certainty"
    return f"For {part} of the records with a sensitive value, {enough} {harm}."


def worst_case(facts: Facts) -> str:
    """Return a sentence on when a record counts as exposed."""
    own = "some choice of its items is"
    if facts.relational is not None:
        own = f"its {VALUES}{' and some choice of its items' if facts.sets_changed else ''} are"
    worst = " This is the worst case for the person behind it." if facts.sets_changed else ""
    return f"A record is counted if {own} enough.{worst}"


def base(facts: Facts) -> str:
    """Return which records the charts show shares of."""
    before, after = facts.risk.before, facts.risk.after
    what = _holding(after)
    if before.records != after.records:
        return f"the records with a {what} ({count(before.records)} before, {count(after.records)} now)"
    return f"all {count_noun(after.records, 'record')}{f' with a {what}' if what else ''}"


@singledispatch
def _holding(exposure: Exposure) -> str:
    """Return what the counted records hold, or an empty string if all records count."""
    return ""


@_holding.register
def _(exposure: Risk) -> str:
    return "sensitive item" if exposure.sensitive else ""


@_holding.register
def _(exposure: Disclosure) -> str:
    return "sensitive value"


def reach(release: Release) -> str:
    """Return a sentence on what the charts leave out of the guarantee, or an empty string."""
    m, drawn = release.problem.model.max_known_items, release.risk_after.known
    more = release.problem.model.risk_caveat
    if m is None or m == drawn:
        return more
    covers = "any number of known items" if m == "all" else f"up to {m} known items"
    return f"The charts stop at {drawn} known items. The guarantee and its check cover {covers}. {more}".strip()
