"""Conformance checks and random problems, for tests of Shoal and of third-party models and algorithms.

Needs Hypothesis (``pip install hypothesis``). Nothing else in the package imports this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shoal.algorithms.base import Algorithm
from shoal.data.columns import Column
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.metrics.base import AdditiveLoss
from shoal.metrics.coverage import covered_sizes
from shoal.metrics.lm import LM
from shoal.metrics.ncp import NCP
from shoal.models.base import PrivacyModel
from shoal.problem import Problem
from shoal.published import Published
from shoal.recoding import GlobalCut
from shoal.release.pipeline import make_release
from shoal.release.release import Release


@st.composite
def hierarchies(draw: st.DrawFn, max_leaves: int = 8) -> Hierarchy:
    """Generate random hierarchies of any shape: unbalanced, with single-child chains, or with a single item."""
    leaves = draw(st.integers(1, max_leaves))
    parents: dict[str, str | None] = {}
    open_ = [f"i{leaf}" for leaf in range(leaves)]
    draw(st.randoms(use_true_random=False)).shuffle(open_)
    groups = 0
    while len(open_) > 1 or (groups == 0 and draw(st.booleans())):
        take = draw(st.integers(1 if groups < 2 * leaves else 2, max(2, min(4, len(open_)))))
        group = f"g{groups}"
        groups += 1
        for child in open_[:take]:
            parents[child] = group
        open_ = [*open_[take:], group]
    parents[open_[0]] = None
    return Hierarchy.from_parents(parents)


def models(cls: type[PrivacyModel]) -> st.SearchStrategy[PrivacyModel]:
    """Generate instances of a model with small values of its options."""
    values: dict[str, st.SearchStrategy[Any]] = {}
    for option in cls.options():
        if option.type is tuple:
            values[option.name] = st.just(("s0", "s1") if option.name == "sensitive" else ())
            continue
        if option.type is str and not option.words:
            values[option.name] = st.just(option.default)
            continue
        low = int(option.low or 1)
        numbers: st.SearchStrategy[Any] = st.integers(low, low + 4)
        if option.type is float:  # few decimals, and never the lower bound, which may be excluded
            least, most = option.low or 0, 1 if option.high is None else option.high
            numbers = st.sampled_from([round(least + (most - least) * part / 20, 6) for part in range(1, 21)])
        values[option.name] = st.one_of(numbers, *map(st.just, option.words))
    return st.builds(cls, **values)


@st.composite
def problems(
    draw: st.DrawFn, privacies: st.SearchStrategy[PrivacyModel], max_leaves: int = 8, max_rows: int = 14
) -> Problem[PrivacyModel]:
    """Generate random data over a random hierarchy, with empty rows, equal rows and items that never occur.

    Sensitive items are in some rows, and sometimes in the hierarchy too.
    """
    model = draw(privacies)
    hierarchy = draw(hierarchies(max_leaves))
    items = st.sets(st.sampled_from(hierarchy.labels[: hierarchy.n_leaves]), max_size=6)
    rows = draw(st.lists(items, min_size=1, max_size=max_rows))
    if hidden := model.sensitive_labels:
        extra: st.SearchStrategy[frozenset[str]] = st.one_of(
            st.just(frozenset()), st.just(frozenset()), st.frozensets(st.sampled_from(hidden))
        )
        rows = [row | draw(extra) for row in rows]
        if draw(st.booleans()):
            hierarchy = hierarchy.with_items_under_root(hidden)
            rows[0] |= {hidden[0]}
        else:
            rows[0] |= set(hidden)
    rows *= draw(st.integers(1, 3))
    loss: AdditiveLoss = draw(st.sampled_from([NCP(), LM()]))
    people = draw(persons(len(rows))) if model.counts_persons else None
    data = Dataset(Transactions.from_sets(rows).of_persons(people))
    if not model.relational:
        return Problem(data, hierarchy, model, loss)
    table, columns = draw(tables(len(rows)))
    return Problem(Dataset(data.transactions, table), hierarchy, model, loss, draw(seeds), columns=columns)


seeds = st.integers(0, 3)


def persons(rows: int) -> st.SearchStrategy[list[int] | None]:
    """Generate the persons of rows: None, a different person for each row, or any persons."""
    any_of_few = st.lists(st.integers(0, max(1, 2 * rows // 3)), min_size=rows, max_size=rows)
    return st.none() | st.just(list(range(rows))) | any_of_few


@st.composite
def tables(draw: st.DrawFn, rows: int) -> tuple[Table, dict[str, Column]]:
    """Generate columns of numbers and categories, with and without hierarchies, with missing values."""
    import pyarrow as pa

    tree = Hierarchy.from_tree({"any": {"north": ["no", "se"], "south": ["es", "it", "pt"], "east": []}})
    kinds: dict[str, tuple[st.SearchStrategy[str], Column]] = {
        "age": (st.integers(-3, 90).map(str), Column()),
        "height": (st.sampled_from(["1.5", "1.75", "2", "1.62"]), Column(weight=0.3)),
        "income": (st.integers(0, 40).map(str), Column(hierarchy="width:5,10", missing=("7",))),
        "born": (st.dates(date(1999, 1, 1), date(2003, 12, 31)).map(str), Column(hierarchy="calendar:month,year")),
        "land": (st.sampled_from(tree.items), Column(hierarchy=tree)),
        "kind": (st.sampled_from(["x", "y", "z"]), Column(type="category")),
    }
    names = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=3, unique=True))
    maybe = {name: kinds[name][0] | st.sampled_from(["", *kinds[name][1].missing]) for name in names}
    values = {name: draw(st.lists(maybe[name], min_size=rows, max_size=rows)) for name in names}
    return Table(pa.table(values)), {name: kinds[name][1] for name in names}


def check_algorithm(algorithm: Algorithm, given: Problem[PrivacyModel]) -> None:
    """Check that an algorithm returns a verified, truthful and reproducible release, or raises Infeasible."""
    problem = given.prepared
    try:
        problem.model.feasible(problem.original)
    except Infeasible:
        try:
            make_release(given, algorithm)
        except Infeasible:
            return
        assert algorithm.suppresses or not algorithm.truthful, "a release of data that no generalization can protect"
    try:
        release = make_release(given, algorithm, Engine(workers=1))
    except Infeasible as error:
        if problem.model.relational and "delta=" in str(error):
            return
        assert algorithm.generalizes, "a refusal that came too late"
        root = GlobalCut.raising(problem.hierarchy, [problem.hierarchy.root])
        top = root.apply(problem.items, problem.sensitive_part)
        if problem.relational is not None:
            top = replace(top, relational=problem.relational.generalized(np.zeros(len(top.rows), dtype=np.int64)))
        assert not problem.model.verify(top).holds, "the root would have done"
        return
    assert release.verdict.holds
    assert len(release.published.rows) == len(problem.items)
    assert release.problem.items.sets() == problem.items.sets(), "the items of other records"
    if not algorithm.truthful:
        check_grouped(problem.original, release.published)
    else:
        check_truthful(release.problem.items, release.published)
    if algorithm.truthful and not algorithm.suppresses:
        assert covered_sizes(release.problem.items, release.published).min(initial=1) > 0, (
            "a generalization that loses items"
        )
    again = make_release(given, algorithm, Engine(workers=4))
    assert again.published.as_written.sets() == release.published.as_written.sets(), "workers change the result"
    generalized, raw = release.published.relational, problem.relational
    if generalized is not None and raw is not None:
        assert generalized.covers(raw).all(), "a value that does not cover the original one"
        assert again.dataset.table is not None
        assert release.dataset.table is not None
        assert again.dataset.table.arrow.equals(release.dataset.table.arrow), "workers change the result"


def check_engine(engine: Engine, algorithm: Algorithm, given: Problem[PrivacyModel]) -> None:
    """Check that an engine makes the same release as one worker that has all data in memory, byte by byte.

    Columns are collected by the engine, as if they were read. Run it for every algorithm, on problems with more rows
    than a part of the engine has.
    """
    releases: list[Release | str] = []
    for one in (Engine(workers=1), engine):
        with one.in_use():
            try:
                releases.append(make_release(_as_read(given, one), algorithm, one))
            except Infeasible as error:
                releases.append(str(error))
    expected, got = releases
    if isinstance(expected, str) or isinstance(got, str):
        assert expected == got, "another error"
        return
    own, other = expected.dataset.transactions, got.dataset.transactions
    assert own.labels == other.labels, "other labels"
    assert own.indptr.tobytes() == other.indptr.tobytes(), "records of other sizes"
    assert own.items.tobytes() == other.items.tobytes(), "other items"
    tables = [release.dataset.table for release in (expected, got)]
    assert (tables[0] is None) == (tables[1] is None)
    assert tables[0] is None or tables[1] is None or tables[0].arrow.equals(tables[1].arrow), "other values"
    assert expected.verdict == got.verdict, "another verdict"
    assert expected.losses == got.losses, "other losses"
    assert expected.usefulness == got.usefulness
    assert (expected.risk_before, expected.risk_after) == (got.risk_before, got.risk_after), "other risks"


def _as_read(given: Problem[PrivacyModel], engine: Engine) -> Problem[PrivacyModel]:
    """Return the problem with the columns where the engine puts them when they are read."""
    table = given.data.table
    if table is None:
        return given
    columns = engine.collect_batches(table.arrow.schema)
    columns.extend(table.arrow.to_batches(engine.part_rows))
    return replace(given, data=replace(given.data, table=replace(table, arrow=columns.table())))


def check_truthful(items: Transactions, published: Published) -> None:
    """Check that each label covers an item of its row, and that an item is suppressed everywhere or nowhere."""
    for row, labels in zip(items, published.rows, strict=True):
        for label in labels:
            assert np.isin(published.cover(int(label)), row).any(), "a label that covers no item of its row"
    sizes = covered_sizes(items, published)
    suppressed = np.unique(items.items[sizes == 0])
    assert not np.isin(suppressed, items.items[sizes > 0]).any(), "an item that is suppressed in some rows only"


def check_grouped(original: Published, published: Published) -> None:
    """Check that only grouped rows change, that they get only items of their group, and keep sensitive items."""
    grouping = published.grouping
    assert grouping is not None
    secret = np.zeros(len(grouping), dtype=bool)
    if published.sensitive is not None:
        held = grouping.of[published.sensitive.values.sizes > 0]
        secret[held[held >= 0]] = True  # data that are already safe need no groups
    enough = grouping.sizes >= grouping.least
    assert enough[secret | (published.sensitive is None)].all(), "a group with too few rows"
    for before, after in zip(_parts(original), _parts(published), strict=True):
        for group in range(-1, len(grouping)):
            rows = np.flatnonzero(grouping.of == group).tolist()
            was, now = [before[row] for row in rows], [after[row] for row in rows]
            if group < 0:
                assert was == now, "a row in no group was changed"
            assert frozenset().union(*now) <= frozenset().union(*was), "an item that no row of the group held"
    secrets = [frozenset().union(*part) for part in (_parts(original)[1], _parts(published)[1])]
    assert secrets[0] == secrets[1], "a sensitive item vanished"


def _parts(published: Published) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return the sets of known items and of sensitive items, row by row."""
    nothing = [frozenset[str]()] * len(published.rows)
    return published.rows.sets(), nothing if published.sensitive is None else published.sensitive.values.sets()


def check_privacy_model(
    model: PrivacyModel, holding: Iterable[Sequence[str]], failing: Iterable[Sequence[str]]
) -> None:
    """Check that a model accepts one list of rows, and refuses another with a witness."""
    assert model.verify(Published.plain(Transactions.from_sets(holding))).holds
    verdict = model.verify(Published.plain(Transactions.from_sets(failing)))
    assert not verdict.holds
    assert verdict.witnesses
    assert verdict.violations >= len(verdict.witnesses) > 0


def all_cuts(hierarchy: Hierarchy) -> list[GlobalCut]:
    """Return every cut of a small hierarchy."""

    def below(node: int) -> list[list[int]]:
        if node < hierarchy.n_leaves:
            return [[node]]
        combined: list[list[int]] = [[]]
        for child in hierarchy.children[node]:
            combined = [left + right for left in combined for right in below(child)]
        return [[node], *combined]

    return [GlobalCut(hierarchy, np.array(nodes, dtype=np.int32)) for nodes in below(hierarchy.root)]
