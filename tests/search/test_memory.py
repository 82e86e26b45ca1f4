"""Searches that do not fit into memory are refused: before they start, or before the rows are needed."""

from __future__ import annotations

import pytest

import shoal
from shoal.engines import Engine
from shoal.errors import OptionError
from shoal.search import memory, set_tables


def problem(m: int) -> shoal.Problem:
    rows = [[f"i{row % 7}", f"i{row % 5}", f"i{row % 3}"] for row in range(200)]
    data = shoal.read(rows)
    return shoal.Problem(data, shoal.Hierarchy.flat(data.transactions.labels), shoal.Km(k=2, m=m))


def test_aa_is_refused_only_if_it_needs_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(workers=1, memory=10_000)  # the rows take 600 x 100 bytes
    monkeypatch.setattr(memory, "LARGE", 100)
    for m in (2, 3):
        with pytest.raises(OptionError, match="Algorithm aa needs about"):
            shoal.anonymize(problem(m), algorithm="aa", engine=engine)
    monkeypatch.setattr(set_tables, "WORTH", 0)
    assert shoal.anonymize(problem(2), algorithm="aa", engine=engine).verdict.holds
    assert shoal.anonymize(problem(3), algorithm="aa", engine=engine).verdict.holds
    monkeypatch.setattr(set_tables, "BYTES_OF_ITEM", 0)
    monkeypatch.setattr(set_tables, "MOST_BYTES", 30)  # sets of up to two of 7 labels, but not of three
    assert shoal.anonymize(problem(2), algorithm="aa", engine=engine).verdict.holds
    with pytest.raises(OptionError, match="The search needs about"):
        shoal.anonymize(problem(3), algorithm="aa", engine=engine)
