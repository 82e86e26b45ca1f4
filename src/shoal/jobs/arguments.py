"""Arguments of library calls as users give them: data, hierarchies and names of columns in several forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal import hierarchies
from shoal.data import Dataset, Hierarchy
from shoal.data.columns import Column
from shoal.data.table import Role
from shoal.errors import OptionError, shorten
from shoal.hierarchies.codebook import CodeBook
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import read_for_model
from shoal.models.base import PrivacyModel

CodeBookSource = CodeBook | str | Path | None  # None: the one beside the published file, if it is needed
HierarchySource = Hierarchy | str | Path | None  # None: the items alone
ColumnsSource = Sequence[str] | Mapping[str, Column]  # names of quasi-identifiers, or what each of them is


def as_dataset(source: Any, model: PrivacyModel | None = None) -> Dataset:
    """The data as they are, or as :func:`shoal.read` reads them without any option, for the model if one is given."""
    if isinstance(source, Dataset):
        return source
    return read_for_model(source, ReadOptions(), model)


def as_model(model: object) -> PrivacyModel:
    """The model; whatever else is given is an error."""
    if not isinstance(model, PrivacyModel):
        kind = type(model).__name__
        raise OptionError(f"privacy must be a PrivacyModel such as shoal.Km(k=5, m=2), got {kind}.")
    return model


def as_hierarchy(source: HierarchySource) -> Hierarchy | None:
    """The hierarchy as it is, or that of the file."""
    return hierarchies.load(source) if isinstance(source, str | Path) else source


def as_columns(quasi_identifiers: ColumnsSource) -> dict[str, Column]:
    """What is said of each quasi-identifier; of one that is only named, nothing else."""
    if isinstance(quasi_identifiers, Mapping):
        return dict(quasi_identifiers)
    return dict.fromkeys(names_in("quasi_identifiers", quasi_identifiers), Column(Role.QUASI_IDENTIFIER))


def names_in(option: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names that an option lists; a text would be taken for its letters."""
    if isinstance(names, str):
        raise OptionError(f"{option} must be a list of names, got the text '{shorten(names)}': put it in a list.")
    return tuple(dict.fromkeys(names))


def at_least(least: int, job: str, **values: int | None) -> None:
    """Refuse a number that is too small; None is not given."""
    for name, value in values.items():
        if value is not None and value < least:
            raise OptionError(f"{job}: {name} must be at least {least}, got {value}.")
