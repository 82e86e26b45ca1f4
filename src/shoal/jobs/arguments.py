"""Arguments of library calls as users give them: data, hierarchies and names of columns in several forms."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from shoal.options import Spec
from shoal.release.release import Release

CodeBookSource = CodeBook | str | Path | None  # None: the one next to the published file, if it is needed
HierarchySource = Hierarchy | str | Path | None  # None: the items alone
ColumnsSource = Sequence[str] | Mapping[str, Column]  # names of quasi-identifiers, or what each of them is


def as_dataset(source: Any, model: PrivacyModel | None = None, reading: Mapping[str, Any] | None = None) -> Dataset:
    """Return the data, read with the options of :func:`shoal.read` that are given, for the model if there is one.

    The data of a release are in the order of the original, and bring their code book if labels need it.
    """
    if not isinstance(source, Dataset | Release):
        return read_for_model(source, read_options(reading or {}), model)
    for name in reading or {}:
        kind = type(source).__name__
        raise OptionError(f"{name}= is for reading, but the data are a {kind}, which needs no reading: leave it out.")
    if isinstance(source, Dataset):
        return source
    data = source.aligned
    return replace(data, origin=replace(data.origin, codebook=source.codebook)) if source.needs_codebook else data


def read_options(given: Mapping[str, Any]) -> ReadOptions:
    """Return options of :func:`shoal.read`, as a call names them; an unknown one is an error.

    >>> read_options({"item_delimiter": "|", "drop_items": ["-9"]}).drop_items
    ('-9',)
    """
    known = [one.name for one in ReadOptions.options()]
    for name in given:
        if name not in known:
            if owners := owners_of(name):
                raise OptionError(f"{name}= is an option of {', '.join(owners)}: choose one of them, by its name.")
            near = did_you_mean(name, [*known, *inspect.signature(describe_data).parameters, "model", "algorithm"])
            raise OptionError(f"There is no argument '{name}'{near}: see help(shoal.anonymize).")
    lists = {"drop_items": names_in(given["drop_items"])} if "drop_items" in given else {}
    return ReadOptions(**{**given, **lists})


def owners_of(name: str) -> list[str]:
    """Return the models and algorithms that have an option of this name."""
    found = {**discovery.find("shoal.models", PrivacyModel), **discovery.find("shoal.algorithms", Algorithm)}
    return [owner for owner, cls in found.items() if any(option.name == name for option in cls.options())]


def _take_options(cls: type[Spec], given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a model or an algorithm out of the arguments of a call."""
    return {option.name: given.pop(option.name) for option in cls.options() if option.name in given}


def as_model(
    model: object = None,
    k: int | None = None,
    m: int | str | None = None,
    given: dict[str, Any] | None = None,
) -> PrivacyModel:
    """Return the model that a call asks for; ``k`` and ``m`` alone ask for k^m-anonymity.

    Options of a model that is named are taken out of ``given``.

    >>> as_model(k=5, m=2)
    Km(k=5, m=2)
    >>> arguments = {"l": 4, "sensitive": ["flu"], "sets": "items"}
    >>> as_model("lm", given=arguments), arguments
    (Lm(l=4, m=2, sensitive=('flu',), sensitive_column=()), {'sets': 'items'})
    """
    given = {} if given is None else given
    numbers = {name: value for name, value in (("k", k), ("m", m)) if value is not None}
    if isinstance(model, PrivacyModel):
        for name in (*numbers, *_take_options(type(model), given)):
            raise OptionError(f"{name}= is given, and a model too: write {type(model).__name__}({name}=..) instead.")
        return model
    if isinstance(model, type) and issubclass(model, PrivacyModel):
        raise OptionError(f"model= must be a PrivacyModel, got the class: write {model.__name__}(..).")
    if model is not None and not isinstance(model, str):
        kind = type(model).__name__
        raise OptionError(f"model= must be a PrivacyModel such as shoal.Km(k=5, m=2), or its name, got {kind}.")
    cls = discovery.get("shoal.models", PrivacyModel, model or "km")
    for name in numbers:
        if name not in {option.name for option in cls.options()}:
            raise OptionError(f"The model {cls.name} has no {name}: leave {name}= out.")
    return cls(**numbers, **_take_options(cls, given))


def as_algorithm(algorithm: object, model: PrivacyModel, given: dict[str, Any] | None = None) -> Algorithm:
    """Return the algorithm that a call asks for, by default that of the model.

    Options of an algorithm that is named, or of the default one, are taken out of ``given``.
    """
    given = {} if given is None else given
    if isinstance(algorithm, Algorithm):
        for name in _take_options(type(algorithm), given):
            raise OptionError(
                f"{name}= is given, and an algorithm too: write {type(algorithm).__name__}({name}=..) instead."
            )
        return algorithm
    if algorithm is not None and not isinstance(algorithm, str):
        kind = type(algorithm).__name__
        raise OptionError(
            f"algorithm= must be an Algorithm such as shoal.algorithms.AA(), or its name such as 'aa', got {kind}."
        )
    cls = discovery.get("shoal.algorithms", Algorithm, algorithm or model.default_algorithm)
    return cls(**_take_options(cls, given))


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
            raise OptionError(
                f"hierarchy= must be a Hierarchy, or the name of its file, got {kind}: make one with "
                f"shoal.Hierarchy.from_tree(..) or shoal.hierarchies.load(..)."
            )
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
    columns: str | Sequence[str] | None = None,
    missing: str | Sequence[str] = (),
    quasi_identifiers: str | Sequence[str] = (),
    identifiers: str | Sequence[str] = (),
    plain: str | Sequence[str] = (),
    categorical: str | Sequence[str] = (),
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
        keep=None if columns is None else () if columns == "none" else names_in(columns),
        missing=names_in(missing),
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
    """Return the description of each quasi-identifier. One that is only named has only its role."""
    if isinstance(quasi_identifiers, Mapping):
        return dict(quasi_identifiers)
    return dict.fromkeys(names_in(quasi_identifiers), Column(Role.QUASI_IDENTIFIER))


def at_least(least: int, job: str, **values: int | None) -> None:
    """Refuse a number that is too small; None is not given."""
    for name, value in values.items():
        if value is not None and value < least:
            raise OptionError(f"{job}: {name} must be at least {least}, got {value}.")
