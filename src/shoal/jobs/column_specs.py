"""What each column is, from lists of names: quasi-identifiers, identifiers, columns to publish as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shoal.data.columns import Column
from shoal.data.table import Role
from shoal.errors import OptionError, did_you_mean


def names_in(names: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of an argument, each once. A text is one name.

    >>> names_in(["name", "email", "name"]), names_in("name")
    (('name', 'email'), ('name',))
    """
    return (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))


def column_specs(
    *,
    quasi_identifiers: str | Sequence[str] = (),
    identifiers: str | Sequence[str] = (),
    plain: str | Sequence[str] = (),
    categorical: str | Sequence[str] = (),
    ordered: Mapping[str, Sequence[str]] | None = None,
    column_weights: Mapping[str, float] | None = None,
) -> dict[str, Column]:
    """Return what is known of each column.

    Parameters
    ----------
    quasi_identifiers
        Columns that an attacker may know.
    identifiers
        Columns that name a person. They are not published.
    plain
        Columns that are published as they are.
    categorical
        Quasi-identifiers that hold categories, although they look like numbers, dates or bands.
    ordered
        For a quasi-identifier its values, the least first.
    column_weights
        For a quasi-identifier how much its loss counts, from 0 to 1.

    Examples
    --------
    >>> specs = column_specs(quasi_identifiers=["age", "zip"], categorical=["zip"], identifiers=["name"])
    >>> {name: (spec.role.value, spec.type) for name, spec in specs.items()}
    {'age': ('quasi-identifier', 'auto'), 'zip': ('quasi-identifier', 'category'), 'name': ('identifier', 'auto')}
    """
    named = names_in(quasi_identifiers)
    known = {name: Column(Role.QUASI_IDENTIFIER) for name in named}
    roles: dict[str, Column] = {}
    for role, names in (
        (Role.IDENTIFIER, names_in(identifiers)),
        (Role.PLAIN, names_in(plain)),
    ):
        for name in names:
            if name in roles or name in known:
                raise OptionError(f"Column '{name}' has two roles: name it in one argument only.")
            roles[name] = Column(role)

    def spec_of(name: str, option: str) -> Column:
        if named and name not in known:
            raise OptionError(
                f"{option}= names '{name}'{did_you_mean(name, known)}, which is not a quasi-identifier: name it in "
                f"quasi_identifiers= too."
            )
        return known.get(name, Column())

    for name in names_in(categorical):
        known[name] = replace(spec_of(name, "categorical"), type="category")
    for name, values in (ordered or {}).items():
        if name in categorical:
            raise OptionError(f"Column '{name}' is named in ordered= and in categorical=: leave one out.")
        known[name] = replace(spec_of(name, "ordered"), order=tuple(values))
    for name, weight in (column_weights or {}).items():
        if not 0 <= weight <= 1:
            raise OptionError(f"column_weights= must be numbers from 0 to 1, got {weight:g} for column '{name}'.")
        known[name] = replace(known.get(name, Column()), weight=float(weight))
    return {**known, **roles}
