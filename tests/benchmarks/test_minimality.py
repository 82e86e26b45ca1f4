"""The exhaustive look at a tiny domain, on some of its originals."""

from __future__ import annotations

from fractions import Fraction

import shoal
from benchmarks import minimality


def rows(*sets: str) -> minimality.Rows:
    return tuple(frozenset(items.split()) for items in sets)


def test_the_methods_that_give_something_away_are_those_that_say_so() -> None:
    quiet = {method.name for method, model in minimality.METHODS if not method.reveals and model is minimality.KM}
    assert quiet == {"aa", "da", "oa", "optimal", "auto", "vpa"}


def test_a_release_is_read_record_by_record() -> None:
    raw = rows("a1 a2", "b", "a1 b", "a2 b")
    assert minimality.released(raw, shoal.algorithms.HgHs(), minimality.KM) == rows("A", "b", "A b", "A b")
    columns = tuple(row | {value} for row, value in zip(raw, "1122", strict=True))
    assert all(len(row) >= 2 for row in minimality.released(columns, shoal.algorithms.Rfirst(), minimality.BOTH))


def test_an_intruder_weighs_the_originals_of_a_release() -> None:
    made = {rows("A", "A"): [rows("a1", "a1", "b", "b"), rows("a1", "a2", "b", "b"), rows("a1", "b", "b", "b")]}
    found = {one.known: (one.record, one.surely) for one in minimality.intruders(made, minimality.KM)}
    assert found[frozenset({"a1"})] == (0, Fraction(3, 4))
    assert found[frozenset({"a2"})] == (1, Fraction(1))
    assert frozenset({"a1", "b"}) not in found


def test_there_are_as_many_originals_as_the_page_says() -> None:
    assert len(list(minimality.originals(minimality.KM))) == 2401
    assert len(list(minimality.originals(minimality.BOTH))) == 6 * 2401
    assert len(minimality.knowledge(minimality.KM)) == 6
    assert len(minimality.knowledge(minimality.SAME)) == 7
    assert len(minimality.knowledge(minimality.BOTH)) == 12
