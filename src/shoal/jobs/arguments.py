"""Arguments of library calls as users give them: data, hierarchies and names of columns in several forms."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal import discovery, hierarchies
from shoal.algorithms.base import Algorithm
from shoal.data import Dataset, Hierarchy
from shoal.data.columns import Column
from shoal.data.table import Role
from shoal.errors import OptionError, did_you_mean
from shoal.hierarchies.codebook import CodeBook
from shoal.io.read_options import ReadOptions
from shoal.jobs.column_specs import column_specs, names_in
from shoal.jobs.dataset_spec import UNNAMED, DatasetSpec, read_for_model
from shoal.models.base import PrivacyModel

CodeBookSource = CodeBook | str | Path | None  # None: the one beside the published file, if it is needed
HierarchySource = Hierarchy | str | Path | None  # None: the items alone
ColumnsSource = Sequence[str] | Mapping[str, Column]  # names of quasi-identifiers, or what each of them is


def as_dataset(source: Any, model: PrivacyModel | None = None, reading: Mapping[str, Any] | None = None) -> Dataset:
    """Return the data, read with the options of :func:`shoal.read` that are given, for the model if there is one."""
    if not isinstance(source, Dataset):
        return read_for_model(source, read_options(reading or {}), model)
    for name in reading or {}:
        raise OptionError(f"{name}= is for reading, but the data are a Dataset, which was read before: leave it out.")
    return source


def read_options(given: Mapping[str, Any]) -> ReadOptions:
    """Return options of :func:`shoal.read`, as a call names them; an unknown one is an error.

    >>> read_options({"item_delimiter": "|", "drop_items": ["-9"]}).drop_items
    ('-9',)
    """
    known = [one.name for one in ReadOptions.options()]
    for name in given:
        if name not in known:
            near = did_you_mean(name, [*known, *inspect.signature(describe_data).parameters])
            raise OptionError(f"There is no argument '{name}'{near}: see help(shoal.read).")
    lists = {"drop_items": names_in("drop_items", given["drop_items"])} if "drop_items" in given else {}
    return ReadOptions(**{**given, **lists})


def as_model(model: object = None, k: int | None = None, m: int | str | None = None) -> PrivacyModel:
    """Return the model that a call asks for; ``k`` and ``m`` alone ask for k^m-anonymity.

    >>> as_model(k=5, m=2)
    Km(k=5, m=2)
    >>> as_model("k-km", k=10)
    KKm(k=10, m=2)
    """
    numbers = {name: value for name, value in (("k", k), ("m", m)) if value is not None}
    if isinstance(model, PrivacyModel):
        for name in numbers:
            raise OptionError(f"{name}= is given, and a model too: write {type(model).__name__}({name}=..) instead.")
        return model
    if model is not None and not isinstance(model, str):
        kind = type(model).__name__
        raise OptionError(f"model= must be a PrivacyModel such as shoal.Km(k=5, m=2), or its name, got {kind}.")
    cls = discovery.get("shoal.models", PrivacyModel, model or "km")
    for name in numbers:
        if name not in {option.name for option in cls.options()}:
            raise OptionError(f"The model {cls.name} has no {name}: leave {name}= out.")
    return cls(**numbers)


def as_algorithm(algorithm: object, model: PrivacyModel) -> Algorithm:
    """Return the algorithm that a call asks for, by default that of the model."""
    if isinstance(algorithm, Algorithm):
        return algorithm
    if algorithm is not None and not isinstance(algorithm, str):
        kind = type(algorithm).__name__
        raise OptionError(
            f"algorithm= must be an Algorithm such as shoal.algorithms.AA(), or its name such as 'aa', got {kind}."
        )
    return discovery.get("shoal.algorithms", Algorithm, algorithm or model.default_algorithm)()


def as_hierarchies(given: HierarchySource | Mapping[str, HierarchySource]) -> dict[str, str | Hierarchy]:
    """Return the hierarchies by the name of their column; that of the items stands under the empty name.

    >>> as_hierarchies({"items": "products.csv", "age": "width:5,10"})
    {'': 'products.csv', 'age': 'width:5,10'}
    """
    named: Mapping[str, Any] = given if isinstance(given, Mapping) else {"items": given}
    trees: dict[str, str | Hierarchy] = {}
    for name, tree in named.items():
        if tree is not None and not isinstance(tree, (str, Path, Hierarchy)):
            kind = type(tree).__name__
            raise OptionError(f"hierarchy= must be a Hierarchy, or the name of its file, got {kind}.")
        if tree is not None:
            trees["" if name == "items" else name] = tree if isinstance(tree, Hierarchy) else str(tree)
    return trees


def describe_data(
    data: Any,
    *,
    hierarchy: HierarchySource | Mapping[str, HierarchySource] = None,
    hierarchy_format: str | None = None,
    weights: str | Path | None = None,
    unknown_items: str = "error",
    allow_missing: bool = False,
    columns: Sequence[str] | None = None,
    missing: Sequence[str] = (),
    quasi_identifiers: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    plain: Sequence[str] = (),
    categorical: Sequence[str] = (),
    ordered: Mapping[str, Sequence[str]] | None = None,
    column_weights: Mapping[str, float] | None = None,
    **reading: Any,
) -> DatasetSpec:
    """Describe the data of a call, as the command line describes its file. The arguments are options of commands.

    >>> describe_data("orders.csv", hierarchy="products.csv", id_column="order").hierarchy
    {'': 'products.csv'}
    """
    if isinstance(data, DatasetSpec):
        return data
    given = {name: value for name, value in reading.items() if value is not None}
    path = isinstance(data, str | os.PathLike)
    if isinstance(data, Dataset):
        as_dataset(data, reading=given)  # refuses options of reading
    return DatasetSpec(
        label=Path(data).stem if path else UNNAMED,
        file=os.fspath(data) if path else "",
        source=None if path else data,
        reading=read_options(given),
        hierarchy=as_hierarchies(hierarchy),
        hierarchy_format=hierarchy_format,
        weights=str(weights or ""),
        keep=None if columns is None else names_in("columns", columns),
        missing=names_in("missing", missing),
        unknown_items=unknown_items,
        allow_missing=allow_missing,
        columns=column_specs(
            quasi_identifiers=quasi_identifiers,
            identifiers=identifiers,
            plain=plain,
            categorical=categorical,
            ordered=ordered,
            column_weights=column_weights,
        ),
    )


def as_hierarchy(source: HierarchySource) -> Hierarchy | None:
    """The hierarchy as it is, or that of the file."""
    return hierarchies.load(source) if isinstance(source, str | Path) else source


def as_columns(quasi_identifiers: ColumnsSource) -> dict[str, Column]:
    """What is said of each quasi-identifier; of one that is only named, nothing else."""
    if isinstance(quasi_identifiers, Mapping):
        return dict(quasi_identifiers)
    return dict.fromkeys(names_in("quasi_identifiers", quasi_identifiers), Column(Role.QUASI_IDENTIFIER))


def at_least(least: int, job: str, **values: int | None) -> None:
    """Refuse a number that is too small; None is not given."""
    for name, value in values.items():
        if value is not None and value < least:
            raise OptionError(f"{job}: {name} must be at least {least}, got {value}.")
