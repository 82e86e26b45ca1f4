"""Anonymize data in one call, as ``shoal anonymize`` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.engines import Engine
from shoal.engines.cluster import Cluster
from shoal.errors import OptionError
from shoal.hierarchies.weights import Weights
from shoal.jobs.arguments import HierarchySource, as_algorithm, as_model, describe_data
from shoal.jobs.cluster_release import cluster_for, release_on_cluster
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.metrics.base import AdditiveLoss
from shoal.models.base import PrivacyModel
from shoal.problem import Problem
from shoal.progress import engine_with
from shoal.release.pipeline import LOG, make_release
from shoal.release.release import Release


def anonymize(
    data: Any,
    model: PrivacyModel | str | None = None,
    *,
    k: int | None = None,
    m: int | Literal["all"] | None = None,
    hierarchy: HierarchySource | Mapping[str, HierarchySource] = None,
    algorithm: Algorithm | str | None = None,
    sets: str | Sequence[str] | None = None,
    quasi_identifiers: str | Sequence[str] = (),
    identifiers: str | Sequence[str] = (),
    plain: str | Sequence[str] = (),
    categorical: str | Sequence[str] = (),
    ordered: Mapping[str, Sequence[str]] | None = None,
    column_weights: Mapping[str, float] | None = None,
    missing: str | Sequence[str] = (),
    columns: str | Sequence[str] | None = None,
    person: str | None = None,
    weights: Weights | Mapping[str, float] | str | Path | None = None,
    unknown_items: Literal["error", "root"] = "error",
    allow_missing: bool = False,
    loss: str = "ncp",
    seed: int = 0,
    max_loss: float | None = None,
    workers: int = 0,
    memory: int | str | None = None,
    work_dir: str | Path | None = None,
    progress: bool | Callable[[str, float], None] = False,
    engine: Engine | Any = None,
    **options: Any,
) -> Release:
    """Anonymize data, and verify the result before you get it.

    Parameters
    ----------
    data
        The data: the path of a file, a data frame (pandas, polars, Arrow, DuckDB, Dask), a list of sets, or a
        :class:`shoal.Dataset` that :func:`shoal.read` returned. A :class:`shoal.Problem` holds the data, the hierarchy
        and the model already. Then only ``algorithm``, ``max_loss``, ``workers``, ``memory``, ``work_dir``,
        ``progress`` and ``engine`` apply.
    model
        The guarantee, such as ``shoal.Km(k=5, m=2)``, or its name, such as ``"lm"``. Default: k^m-anonymity.
    k
        Short for ``shoal.Km(k=..)``: an attacker is left with at least ``k`` records. Default: that of the model, 5 for
        k^m-anonymity.
    m
        Short for ``shoal.Km(m=..)``: the number of items of a record that an attacker may know. Default: that of the
        model, 2 for k^m-anonymity.
    hierarchy
        The hierarchy of the items: a :class:`shoal.Hierarchy` or the path of its file. For several columns, a dict
        such as ``{"items": "products.csv", "age": "width:5,10"}``. Without one, all items are siblings.
    algorithm
        The algorithm, such as ``shoal.algorithms.AA()``, or its name. Default: the one of the model.
    sets
        The column that holds the sets, or several columns. Default: found in the data.
    quasi_identifiers
        Columns that an attacker may know. Default: every column, if the model is about columns.
    identifiers
        Columns that name a person. They are not published.
    plain
        Columns that are published as they are.
    categorical
        Quasi-identifiers that hold categories, although they look like numbers, dates or bands.
    ordered
        For a quasi-identifier its values, the least first: ``{"size": ["small", "medium", "large"]}``.
    column_weights
        For a quasi-identifier how much its loss counts, from 0 to 1: ``{"age": 0.5}``.
    missing
        Values of quasi-identifiers that mean "not known".
    columns
        The other columns to publish. Default: all but the identifiers.
    person
        The column that tells whose a record is, if a person may have several. Then the guarantee counts persons.
    weights
        How much the loss of items or groups counts, such as ``{"medicines": 10}``, or a file of such rows.
    unknown_items
        What to do with items that the hierarchy lacks: ``"error"``, or ``"root"`` to put them below its root.
    allow_missing
        Go on if a sensitive label is not in the data. It may be misspelt.
    loss
        The information loss that the search minimises: ``"ncp"`` or ``"lm"``.
    seed
        The seed of algorithms that draw random numbers.
    max_loss
        Raise :class:`~shoal.errors.LossTooHigh` if the loss is above this number from 0 to 1.
    workers
        The number of threads. 0 means one for each processor. It changes no result.
    memory
        The memory for data, such as ``"2G"``. Larger data are kept in a file while they are worked on. Default: half of
        what the machine has. It changes no result.
    work_dir
        The folder of that file. Default: the system's temporary folder.
    progress
        True draws progress bars. A function is called with the stage and the share that is done.
    engine
        An engine of your own, instead of ``workers``, ``memory``, ``work_dir`` and ``progress``. Or a
        ``distributed.Client``: then the work runs on its Dask cluster, on a Dask DataFrame or on a folder of files that
        all workers can read. A Dask DataFrame alone runs on the cluster that was connected last.
    **options
        Options of the model and of the algorithm, if these are given by name: ``model="lm", l=4, sensitive=["flu"]``,
        ``algorithm="optimal", time_limit=600``. And options of :func:`shoal.read`, such as ``item_delimiter="|"`` or
        ``id_column="order"``.

    Returns
    -------
    Release
        The published data with the verdict, the losses and the report. ``release.data`` is the same kind of object as
        ``data``. From a cluster comes a :class:`~shoal.jobs.cluster_release.ClusterRelease` with the same figures, and
        ``release.data`` is a Dask DataFrame.

    Raises
    ------
    OptionError
        If arguments do not fit together.
    Infeasible
        If no release of this kind can give the guarantee.
    LossTooHigh
        If the loss is above ``max_loss``.

    Examples
    --------
    >>> import shoal
    >>> baskets = [["ale", "rye"], ["ale", "rye"], ["stout", "rye"], ["ale", "bun"]]
    >>> products = shoal.Hierarchy.from_tree({"ALL": {"beer": ["ale", "stout"], "bread": ["rye", "bun"]}})
    >>> release = shoal.anonymize(baskets, k=2, m=2, hierarchy=products)
    >>> release.data
    [['beer', 'bread'], ['beer', 'bread'], ['beer', 'bread'], ['beer', 'bread']]
    >>> release.verdict.holds
    True

    A data frame comes back as a data frame:

    >>> import pandas as pd
    >>> patients = pd.DataFrame({"name": ["Ann", "Bob"], "age": [31, 34], "diagnoses": [["flu"], ["flu"]]})
    >>> shoal.anonymize(patients, shoal.KKm(k=2, m=1), sets="diagnoses", identifiers=["name"]).data
           age diagnoses
    0  [31:34]     [flu]
    1  [31:34]     [flu]
    """
    given = {name: value for name, value in {"sets": sets, "person": person, **options}.items() if value is not None}
    cluster = cluster_for(engine, data)
    own = engine if cluster is None else None
    with engine_with(progress=progress, workers=workers, memory=memory, work_dir=work_dir, engine=own) as running:
        if isinstance(data, Problem) and cluster is None:
            _refuse(model=model, k=k, m=m, hierarchy=hierarchy, weights=weights)
            return _told(_of_problem(data, algorithm, given, running, max_loss))
        guarantee = as_model(model, k, m, given)
        method = as_algorithm(algorithm, guarantee, given)
        spec = describe_data(
            data,
            hierarchy=hierarchy,
            weights=weights if isinstance(weights, str | Path) else None,
            unknown_items=unknown_items,
            allow_missing=allow_missing,
            columns=columns,
            missing=missing,
            quasi_identifiers=quasi_identifiers,
            identifiers=identifiers,
            plain=plain,
            categorical=categorical,
            ordered=ordered,
            column_weights=column_weights,
            **given,
        )
        measure = discovery.get("shoal.metrics", AdditiveLoss, loss)()
        chosen: Any = {"model": guarantee, "algorithm": method, "loss": measure, "seed": seed, "weights": weights}
        make = partial(_make, max_loss=max_loss, **chosen)
        return _told(_made(cluster, data, spec, make, running))


def _of_problem(
    problem: Problem[PrivacyModel],
    algorithm: Algorithm | str | None,
    given: dict[str, Any],
    engine: Engine,
    max_loss: float | None,
) -> Release:
    """Make the release of a problem. Refuse arguments that are not about the algorithm."""
    method = as_algorithm(algorithm, problem.model, given)
    _refuse(**given)
    return make_release(problem, method, engine, max_loss=max_loss)


def _made(
    cluster: Cluster | None,
    data: Any,
    spec: DatasetSpec,
    make: Callable[[DatasetSpec, Engine], Release],
    engine: Engine,
) -> Release:
    """Make the release here, or on a cluster. The release of a cluster has the same figures."""
    if cluster is None:
        return make(spec, engine)
    return cast(Release, release_on_cluster(cluster, data, spec, make, engine))


def _make(
    data: DatasetSpec,
    engine: Engine,
    *,
    model: PrivacyModel,
    algorithm: Algorithm,
    loss: AdditiveLoss,
    seed: int,
    weights: Weights | Mapping[str, float] | str | Path | None,
    max_loss: float | None,
) -> Release:
    """Read the data, and make the release. On a cluster, this runs on one of its workers."""
    problem = data.problem(model, loss, seed, build_hierarchy=algorithm.needs_hierarchy)
    return make_release(_weighted(problem, weights), algorithm, engine, max_loss=max_loss)


def _weighted(
    problem: Problem[PrivacyModel], weights: Weights | Mapping[str, float] | str | Path | None
) -> Problem[PrivacyModel]:
    """Return the problem with weights that are given as an object. Those of a file are there already."""
    if weights is None or isinstance(weights, str | Path):
        return problem
    return replace(problem, weights=weights if isinstance(weights, Weights) else Weights(dict(weights)))


def _refuse(**given: Any) -> None:
    """Refuse arguments that a Problem holds already."""
    for name in (name for name, value in given.items() if value is not None):
        raise OptionError(f"{name}= is part of the Problem that is given: leave it out.")


def _told(release: Release) -> Release:
    """Log the notes of a release as warnings, which Python prints unless logging is set up. Return the release."""
    for note in release.notes:
        LOG.warning(note)
    return release
