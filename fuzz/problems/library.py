"""The first door: ``shoal.anonymize`` on objects in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

import shoal
from fuzz.problems.case import Case
from fuzz.problems.world import Seen, Sets
from shoal import discovery, hierarchies
from shoal.algorithms.base import Algorithm
from shoal.metrics.base import AdditiveLoss
from shoal.models.base import PrivacyModel
from shoal.options import Spec


@dataclass(frozen=True)
class Outcome:
    """A release and what its reader sees, or the error in its place."""

    published: Seen | None = None
    seen: Seen | None = None  # the same in the order of the input
    release: Any = None
    error: Exception | None = None


def run(case: Case, *, again: bool = False) -> Outcome:
    """Anonymize; ``again``: the same problem with other numbers of persons, options and labels in another order."""
    try:
        problem = problem_of(case, again=again)
        method = algorithm_of(case, again=again)
        release = shoal.anonymize(problem, algorithm=method, engine=shoal.Engine(workers=2 if again else 1))
        book = {entry.label: frozenset(entry.items) for entry in release.codebook.entries}
        published = seen_of(case, release.data, book)
        return Outcome(published, _as_given(published, release.order), release)
    except Exception as error:
        return Outcome(error=error)


def problem_of(case: Case, *, again: bool = False) -> shoal.Problem:
    """The problem of a case."""
    data = data_of(case)
    data = data.with_transactions(data.transactions.of_persons(_persons(case.persons, again=again)))
    return shoal.Problem(
        data,
        tree_of(case, data, again=again),
        privacy_of(case, again=again),
        discovery.get("shoal.metrics", AdditiveLoss, case.loss)(),
        case.seed,
        weights=None if case.weights is None else shoal.Weights(case.weights),
        allow_missing=case.allow_missing,
        columns={name: _column(spec) for name, spec in case.roles.items()},
    )


def _persons(people: list[int] | None, *, again: bool) -> list[int] | None:
    """Whose each record is; ``again``: by other numbers, or not at all where each is of another person."""
    if people is None or not again:
        return people
    return None if len(set(people)) == len(people) else [max(people) - person for person in people]


def is_random(algorithm: Algorithm) -> bool:
    """Whether it regroups items at random: the order of persons may then decide between groups of the same loss."""
    options = algorithm.values()
    return "best" in (options.get("siblings"), options.get("within"))


def privacy_of(case: Case, *, again: bool = False) -> PrivacyModel:
    """The model with its options."""
    cls = discovery.get("shoal.models", PrivacyModel, case.model)
    return cls(**_plain(cls, case.model_options, again=again))


def algorithm_of(case: Case, *, again: bool = False) -> Algorithm:
    """The algorithm with its options."""
    cls = discovery.get("shoal.algorithms", Algorithm, case.algorithm)
    return cls(**_plain(cls, case.algorithm_options, again=again))


def _plain(cls: type[Spec], options: dict[str, Any], *, again: bool) -> dict[str, Any]:
    pairs = [(name, tuple(value) if isinstance(value, list) else value) for name, value in options.items()]
    return dict(reversed(pairs) if again else pairs)


def tree_of(case: Case, data: shoal.Dataset, *, again: bool = False) -> shoal.Hierarchy:
    """The hierarchy, with counted items below their items."""
    items = data.transactions.labels
    if case.parents is None:
        tree = shoal.Hierarchy.flat(hierarchies.without_counts(items) if case.multiset else items)
    else:
        pairs = list(case.parents.items())
        tree = shoal.Hierarchy.from_parents(dict(reversed(pairs) if again else pairs))
    return hierarchies.with_counts(tree, items) if case.multiset else tree


def _column(spec: dict[str, Any]) -> shoal.Column:
    tree = spec.get("hierarchy")
    if isinstance(tree, dict):
        spec = {**spec, "hierarchy": shoal.Hierarchy.from_parents(tree)}
    return shoal.Column(**spec)


def data_of(case: Case) -> shoal.Dataset:
    """The data, as the kind of object that the case asks for."""
    if case.memory == "list" and not case.columns and len(case.sets) == 1:
        return shoal.read(next(iter(case.sets.values())), multiset=case.multiset)
    return shoal.read(_frame(case), sets=list(case.sets), multiset=case.multiset)


def table_of(case: Case) -> pa.Table:
    """The data as an Arrow table."""
    lists, text = pa.list_(pa.string()), pa.string()
    columns = {name: pa.array(values, text) for name, values in case.columns.items()}
    return pa.table({**columns, **{name: pa.array(rows, lists) for name, rows in case.sets.items()}})


def _frame(case: Case) -> Any:
    table = table_of(case)
    if case.memory == "pandas":
        return table.to_pandas()
    if case.memory == "polars":
        import polars

        return polars.from_arrow(table)
    return table


def seen_of(case: Case, data: Any, book: dict[str, frozenset[str]]) -> Seen:
    """What the reader of a release finds in it."""
    if isinstance(data, list):
        return Seen([frozenset(row) for row in data], {}, book)
    if hasattr(data, "to_arrow"):
        data = data.to_arrow()
    if not isinstance(data, pa.Table):
        data = pa.Table.from_pandas(data, preserve_index=False)
    columns = {name: data.column(name).to_pylist() for name in data.column_names}
    sets = {name: columns.pop(name) for name in case.sets}
    return Seen(together(sets), {name: list(map(_text, values)) for name, values in columns.items()}, book)


def _as_given(seen: Seen, order: Any) -> Seen:
    """What is published, in the order of the input; ``order``: the row of the input that each record is, if another."""
    if order is None or len(order) != len(seen.rows):
        return seen
    place = {row: at for at, row in enumerate(order.tolist())}
    back = [place[row] for row in range(len(seen.rows))]
    columns = {name: [values[at] for at in back] for name, values in seen.columns.items()}
    return Seen([seen.rows[at] for at in back], columns, seen.book)


def together(sets: dict[str, list[list[str]]]) -> Sets:
    """The labels of each record; of several columns, tagged."""
    tags = {name: f"{name}." if len(sets) > 1 else "" for name in sets}
    records = zip(*sets.values(), strict=True)
    return [
        frozenset(f"{tag}{label}" for tag, labels in zip(tags.values(), record, strict=True) for label in labels or ())
        for record in records
    ]


def _text(value: Any) -> str | None:
    return None if value is None or value != value else str(value)
