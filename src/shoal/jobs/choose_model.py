"""Help people to choose a privacy model: which ones fit the data, which methods solve them, what is weak."""

from __future__ import annotations

from collections.abc import Collection

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.models.base import PrivacyModel
from shoal.options import Option
from shoal.risk import PRESETS

K, M = (2, 3, 5, 10, 25), (1, 2, 3)  # values of the two main options that are worth comparing


def models() -> dict[str, type[PrivacyModel]]:
    """Return all privacy models by name."""
    return discovery.find("shoal.models", PrivacyModel)


def solvers(model: type[PrivacyModel]) -> dict[str, type[Algorithm]]:
    """Return the methods that give a guarantee, the default first.

    >>> from shoal.models.k import K
    >>> list(solvers(K))
    ['cluster', 'mondrian']
    """
    known = discovery.find("shoal.algorithms", Algorithm)
    found = {name: one for name, one in known.items() if issubclass(model, one.solves)}
    return dict(sorted(found.items(), key=lambda pair: pair[0] != model.default_algorithm))


def truthful(model: type[PrivacyModel]) -> bool:
    """Return whether some method gives the guarantee without adding, deleting or moving items."""
    return any(one.truthful for one in solvers(model).values())


def has(model: type[PrivacyModel], name: str) -> bool:
    """Return whether a model has an option."""
    return any(one.name == name for one in model.options())


def misfit(
    model: type[PrivacyModel], *, sets: bool, quasi_identifiers: bool, sensitive: Collection[str], persons: str = ""
) -> str:
    """Return why a model does not fit the data, or an empty string.

    Parameters
    ----------
    model
        The model.
    sets
        Whether the data have sets.
    quasi_identifiers
        Whether a column is a quasi-identifier.
    sensitive
        The columns that are declared sensitive.
    persons
        The noun for several persons, if they are given.

    Examples
    --------
    >>> from shoal.models.km import Km
    >>> misfit(Km, sets=False, quasi_identifiers=True, sensitive=())
    'it is about items, and these data have none'
    """
    if model.covers_sets and not sets:
        return "it is about items, and these data have none"
    if model.relational and not quasi_identifiers:
        return "it is about quasi-identifying columns, and no column is called one"
    if quasi_identifiers and not model.relational:
        return "it is about items alone, but a column is called quasi-identifier, and would not be protected"
    if sensitive and not has(model, "sensitive_column"):
        return f"it does not protect columns, and '{next(iter(sensitive))}' is called sensitive"
    if persons and not model.counts_persons:
        return f"it counts records, not {persons}, and some {persons} have several records here"
    return ""


def strength(model: type[PrivacyModel]) -> Option | None:
    """Return the main option that makes the crowd larger, such as k, or None.

    >>> from shoal.models.km import Km
    >>> strength(Km).name, knowledge(Km).name
    ('k', 'm')
    """
    return next((one for one in model.options() if one.type is int and one.low == 2), None)


def knowledge(model: type[PrivacyModel]) -> Option | None:
    """Return the option that says how many items may be known, such as m, or None."""
    return next((one for one in model.options() if one.type is int and one.low == 1), None)


def advice(model: PrivacyModel) -> list[str]:
    """Return sentences on settings that are weak.

    >>> from shoal.models.km import Km
    >>> advice(Km(k=2, m=1))
    ['k = 2 is weak: ...', 'm = 1 is weak: ...']
    """
    own, said = model.values(), []
    least, usual = PRESETS["cell-size-3"].crowd, PRESETS["ema"].crowd
    if "k" in own and own["k"] < least:
        said.append(
            f"k = {own['k']} is weak: one of the two may know that the record is not theirs, and has found the other. "
            f"At least {least} is usual, and {usual} for clinical data that are published (European Medicines Agency)."
        )
    known = knowledge(type(model))
    if known is not None and own[known.name] == 1:
        said.append(
            f"{known.name} = 1 is weak: somebody who knows two items of a record may find it. Compare the risk of 2 "
            f"and 3 known items in the step Risk."
        )
    return said
