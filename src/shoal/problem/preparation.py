"""Prepares a problem: roles of columns, sensitive items, unknown items. Inputs that do not fit are refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.columns import Column, with_roles
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.person_column import with_persons
from shoal.data.sensitive import Sensitive
from shoal.data.table import Role
from shoal.data.transactions import Transactions
from shoal.errors import OptionError
from shoal.hierarchies import axes
from shoal.models.base import PrivacyModel
from shoal.problem.persons import require_counting
from shoal.problem.prepared import Model, Prepared

if TYPE_CHECKING:
    from shoal.problem.problem import Problem


def prepare(problem: Problem[Model]) -> Prepared[Model]:
    """Combine the data, the hierarchy and the model. Refuse inputs that do not fit together."""
    model, hierarchy = problem.model, problem.hierarchy
    model.check_sets(problem.data)
    data = problem.data if problem.person is None else with_persons(problem.data, problem.person)
    require_counting(model, data)
    data, quasi_identifiers = _assign_roles(data, model, _without_person(problem.columns, data))
    _refuse_taken_names(data, model)
    missing: tuple[str, ...] = ()
    groups: dict[str, int] = {}
    if model.sensitive_labels:
        present = set(data.transactions.labels)
        below = {label: hierarchy.items_of(label) for label in model.sensitive_labels}
        groups = {label: len(present.intersection(items)) for label, items in below.items() if label not in items}
        model = model.expand_groups(hierarchy, present)
        missing = model.missing_sensitive(data)
        if not problem.allow_missing:
            _refuse_missing(missing, model, data, hierarchy)
    known, hidden = model.split_sensitive(data)
    if problem.model.sensitive_labels:
        hierarchy = _exclude_sensitive(hierarchy, {item for items in below.values() for item in items}, hidden, model)
    added = 0
    if problem.unknown_items == "root":
        owner, hierarchy = hierarchy, _with_unknown(hierarchy, known)
        added = hierarchy.n_leaves - owner.n_leaves
    for label in () if hidden is None else hidden.values.labels:
        if label in hierarchy.code_of:
            raise OptionError(f"Sensitive '{label}' is also a label of the hierarchy: rename one of them.")
    sensitive = {*model.sensitive_labels, *(hidden.items.labels if hidden else ()), *groups}
    return Prepared(
        given=problem,
        model=model,
        loss=problem.loss,
        all_data=data,
        hierarchy=hierarchy,
        item_weights=None if problem.weights is None else problem.weights.per_item(hierarchy, sensitive),
        items=hierarchy.encode(known, data.first_use),
        sensitive_part=hidden,
        relational=axes.relational(data, quasi_identifiers) if model.relational else None,
        quasi_identifiers=quasi_identifiers,
        missing_sensitive=missing,
        sensitive_groups=groups,
        added_items=added,
    )


def _without_person(columns: Mapping[str, Column | str], data: Dataset) -> Mapping[str, Column | str]:
    """Return the column specifications without that of the person column, which is an identifier anyway."""
    persons = data.transactions.persons
    about = None if persons is None else columns.get(persons.column)
    if persons is None or about is None or (about.role if isinstance(about, Column) else about) not in _IDENTIFIER:
        return columns
    return {name: spec for name, spec in columns.items() if name != persons.column}


_IDENTIFIER = (Role.IDENTIFIER, Role.IDENTIFIER.value)


def _assign_roles(
    data: Dataset, model: PrivacyModel, columns: Mapping[str, Column | str]
) -> tuple[Dataset, dict[str, Column]]:
    """Assign a role to every column. Only models about columns accept quasi-identifiers."""
    specs: dict[str, Column | str] = dict(columns)
    for name in model.columns if model.relational else ():
        specs.setdefault(name, "sensitive")
    if not specs and not model.relational:
        return data, {}
    if not model.relational:
        named = [] if data.table is None else data.table.names
        specs = {**dict.fromkeys(named, "plain"), **specs}
    data, chosen = with_roles(data, specs)
    if chosen and not model.relational:
        raise OptionError(
            f"{model.title} is about the sets alone: quasi-identifiers such as '{next(iter(chosen))}' need "
            f"one of the models k, k-km, k-lm."
        )
    for name, role in {} if data.table is None else data.table.roles.items():
        if role is Role.SENSITIVE and name not in model.columns:
            raise OptionError(
                f"Column '{name}' is declared sensitive, but {model.title} is not told to protect it: name "
                f"it in sensitive_column= of the model too, or give it another role."
            )
        if role is not Role.SENSITIVE and name in model.columns and model.relational:
            raise OptionError(
                f"Column '{name}' is in sensitive_column= of the model, but has the role {role.value}: give it the "
                f"role sensitive, or leave it out there."
            )
    model.check_columns(data)
    return data, chosen


def _refuse_taken_names(data: Dataset, model: PrivacyModel) -> None:
    """Refuse a column with the name of a column that the model adds."""
    for name in model.adds_columns:
        others = () if data.table is None else data.table.names
        if name in others or name in data.origin.set_columns:
            raise OptionError(
                f"{data.origin.name} has a column '{name}' already, which {model.title} adds: choose "
                f"another name with group_column=, or leave yours out with columns=."
            )


def _refuse_missing(missing: tuple[str, ...], model: PrivacyModel, data: Dataset, hierarchy: Hierarchy) -> None:
    """Refuse sensitive labels that are not in the data, because a misspelt one would not be protected."""
    for label in missing:
        if label not in hierarchy.code_of or len(missing) == len(model.sensitive_labels):
            near = model.suggest_label(label, data, hierarchy.labels)
            nor = "" if label in hierarchy.code_of or hierarchy.is_flat else f" nor in the hierarchy {hierarchy.name}"
            raise OptionError(
                f"Sensitive '{label}'{near} is not in the data{nor}: correct or remove it (or go on without: "
                f"allow_missing=True)."
            )


def _exclude_sensitive(
    hierarchy: Hierarchy, declared: Collection[str], hidden: Sensitive | None, model: PrivacyModel
) -> Hierarchy:
    """Return the hierarchy without the sensitive items, which are not generalized."""
    gone = {*declared, *(hidden.items.labels if hidden else ())}
    if model.about_holders and gone.issuperset(hierarchy.items):
        return Hierarchy.flat(())  # no item is known to attackers; the hierarchy has one that never occurs
    return hierarchy.without_items(gone)


def _with_unknown(hierarchy: Hierarchy, rows: Transactions) -> Hierarchy:
    """Return the hierarchy with unknown items added directly below its root."""
    return hierarchy.with_items_under_root([rows.labels[code] for code in np.flatnonzero(rows.supports)])
