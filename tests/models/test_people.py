"""Guarantees by persons: every method and model that counts them, against the definitions of persons.md.

Covers: data/persons.py, models/people.py.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.data.persons import Persons
from shoal.errors import Infeasible, PrivacyViolation
from shoal.kernels.search.cuts.direct_pass import direct_pass
from shoal.models.base import PrivacyModel
from shoal.published import Published
from shoal.testing import models, problems
from tests import oracles
from tests.budget import examples

COUNTING = [one for one in discovery.find("shoal.models", PrivacyModel).values() if one.counts_persons]
PAIRS = [
    (algorithm, model)
    for algorithm in discovery.find("shoal.algorithms", Algorithm).values()
    for model in algorithm.solves
    if model in COUNTING
]
pairs = pytest.mark.parametrize(("algorithm", "model"), PAIRS, ids=[f"{a.name}-{m.name}" for a, m in PAIRS])


def safe(release: shoal.Release) -> bool:
    """By definition, from what is published and whose it is."""
    options: dict[str, Any] = release.problem.model.values()
    k, l = options.get("k", 1), options.get("l", 0)
    rows, hidden = release.published.rows.sets(), release.published.sensitive
    m = options.get("m", 0)
    m = max(map(len, rows)) if m == "all" else m
    values = hidden.values.sets() if hidden else [frozenset[str]()] * len(rows)
    people = oracles.people_of(release.problem.persons) or list(range(len(rows)))
    classes: dict[tuple[object, ...], list[int]] = defaultdict(list)
    table = release.aligned.table
    for row in range(len(rows)):
        known = [] if table is None else [table.arrow.column(name)[row].as_py() for name in table.names]
        classes[tuple(known) if release.problem.model.relational else ()].append(row)
    if release.problem.model.name == "km-negative":
        return not oracles.rare_facts(rows, k, m, people)
    for members in classes.values():
        own, secrets = ([part[row] for row in members] for part in (rows, values))
        whose = [people[row] for row in members]
        if release.problem.model.relational and len(set(whose)) < k:
            return False
        if not oracles.is_km_anonymous(own, k, m, whose):
            return False
        if l and (oracles.disclosures(own, secrets, l, m) or oracles.disclosures(own, secrets, l, m, whose)):
            return False
    return True


@pairs
@examples(24)
@given(data=st.data())
def test_every_method_protects_persons(
    algorithm: type[Algorithm], model: type[PrivacyModel], data: st.DataObject
) -> None:
    problem = data.draw(problems(models(model)))
    try:
        release = shoal.anonymize(problem, algorithm=algorithm())
    except Infeasible:
        return
    assert safe(release)


@pairs
@examples(8)
@given(data=st.data())
def test_persons_with_one_record_change_nothing(
    algorithm: type[Algorithm], model: type[PrivacyModel], data: st.DataObject
) -> None:
    problem = data.draw(problems(models(model)))
    rows = problem.data.transactions
    releases: list[shoal.Release | None] = []
    for people in (None, np.random.default_rng(0).permutation(len(rows))):
        given = shoal.Dataset(rows.of_persons(people), problem.data.table)
        one = shoal.Problem(
            given, problem.hierarchy, problem.model, problem.loss, problem.seed, columns=problem.columns
        )
        try:
            releases.append(shoal.anonymize(one, algorithm=algorithm()))
        except Infeasible:
            releases.append(None)
    without, each = releases
    assert (without is None) == (each is None)
    if without is None or each is None:
        return
    assert without.published.as_written.sets() == each.published.as_written.sets()
    assert without.losses == each.losses
    assert without.dataset.transactions.sets() == each.dataset.transactions.sets()
    if without.dataset.table is not None and each.dataset.table is not None:
        assert without.dataset.table.arrow.equals(each.dataset.table.arrow)


def test_the_example_of_the_spec() -> None:
    """{a}, {a} of person 1, {b} of 1, {b} of 2: by records it holds, by persons a has one person."""
    rows = shoal.data.Transactions.from_sets([["a"], ["a"], ["b"], ["b"]])
    model = shoal.Km(k=2, m=1)
    assert model.verify(Published.plain(rows)).holds
    verdict = model.verify(Published.plain(rows.of_persons(Persons(np.array([0, 0, 0, 1]), "household"))))
    assert [str(witness) for witness in verdict.witnesses] == ["{a} is in records of 1 household"]
    assert verdict.witnesses[0].as_dict() == {"labels": ["a"], "support": 1, "counts": "households"}


def test_shares_are_judged_by_records_and_by_persons() -> None:
    """One person with 100 x {c, s} and nine others with {c}: 0.92 by records, 0.10 by persons; and the other way."""
    model = shoal.Lm(l=2, m=1, sensitive=("s",))
    many = shoal.data.Transactions.from_sets([["c", "s"]] * 100 + [["c"]] * 9).of_persons(
        [0] * 100 + list(range(1, 10))
    )
    verdict = model.verify(Published.plain(many))
    assert str(verdict.witnesses[0]) == "100 of all 109 records have 's'"
    few = shoal.data.Transactions.from_sets([["c", "s"], ["c", "s"], *[["c"]] * 9]).of_persons([0, 1] + [2] * 9)
    verdict = model.verify(Published.plain(few))
    assert str(verdict.witnesses[0]) == "2 of all 3 persons have 's'"


def test_guarantees_are_worded_for_persons() -> None:
    persons = Persons(np.array([0, 0]), "patient")
    for model in (shoal.Km(k=5), shoal.models.KmNegative(k=5), shoal.models.K(k=5), shoal.KKm(k=5)):
        assert "5 patients with a record that fits" in model.describe(persons)
        assert "5 records that fit" in model.describe()
        assert any("several records of the same patient" in caveat for caveat in model.caveats(persons))
        assert any("counts records, not people" in caveat for caveat in model.caveats())


def test_too_few_persons_are_refused_with_their_number() -> None:
    rows = shoal.data.Transactions.from_sets([["a"]] * 9).of_persons(Persons(np.array([0, 1, 2] * 3), "household"))
    with pytest.raises(Infeasible, match="non-empty records of at least 5 households, got 3"):
        shoal.Km(k=5).feasible(Published.plain(rows))


def test_a_search_that_counts_records_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verifier gets the persons of the records, whatever the search has counted."""
    rows = shoal.data.Transactions.from_sets([["a"], ["a"], ["b"], ["b"]]).of_persons([0, 0, 0, 1])
    tree = shoal.Hierarchy.from_tree({"any": ["a", "b"]})
    problem = shoal.Problem(shoal.Dataset(rows), tree, shoal.Km(k=2, m=1))
    assert shoal.anonymize(problem, algorithm=shoal.algorithms.AA()).published.rows.sets() == [frozenset({"any"})] * 4

    def by_records(*given: Any, persons: object, **more: Any) -> Any:
        return direct_pass(*given, **more)

    monkeypatch.setattr("shoal.search.direct.direct_pass", by_records)
    with pytest.raises(PrivacyViolation, match=r"\{a\} is in records of 1 person"):
        shoal.anonymize(problem, algorithm=shoal.algorithms.AA())


def test_classes_are_counted_by_persons() -> None:
    data = shoal.read(
        pa.table({"age": ["30", "30", "40", "40"], "who": ["p", "p", "p", "q"]}), no_sets=True, person="who"
    )
    verdict = shoal.models.K(k=2).verify(shoal.models.K(k=2).validated_view(data))
    assert [str(witness) for witness in verdict.witnesses] == ["1 person has age=30"]
