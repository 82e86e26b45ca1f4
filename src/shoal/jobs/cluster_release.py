"""A release that was made on a Dask cluster from Python. Its data stay there, as a Dask DataFrame."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from shoal import files
from shoal.algorithms.base import Algorithm
from shoal.engines import Engine
from shoal.engines.cluster import Cluster, cluster_of, default_cluster
from shoal.engines.dask import DaskEngine
from shoal.engines.lead import Tell, run
from shoal.errors import OptionError
from shoal.hierarchies.codebook import CodeBook
from shoal.io.dask_frames import DaskFrames, PublishedFrames, is_dask_frame
from shoal.io.writing_parts import ROWS_OF_A_PART
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.on_cluster import absolute, side_files
from shoal.models.base import PrivacyModel, Verdict
from shoal.recoding.solution import Optimality
from shoal.release.release import Release


@dataclass(frozen=True, eq=False)
class ClusterRelease:
    """A verified release whose data are on a Dask cluster.

    :func:`shoal.anonymize` returns it for a Dask DataFrame, and if ``engine`` is a ``distributed.Client``.

    Parameters
    ----------
    data : dask.dataframe.DataFrame or Path
        The published data. The partitions are on the workers already. Use ``data.to_parquet(folder, schema=None)`` to
        write them, or ``data.compute()`` to fetch them (``client.compute(data)`` if the client is not the default one).
        After :func:`shoal.run`, the path of what was written.
    model : PrivacyModel
        The guarantee.
    algorithm : Algorithm
        The algorithm that made the release.
    verdict : Verdict
        The result of the check. ``verdict.holds`` is True for every release.
    losses : dict of str to float
        Information loss by measure, such as ``losses["ncp"]``.
    loss : float
        The information loss that was minimized.
    optimality : Optimality or None
        What is proved about the loss.
    notes : list of str
        What a publisher must know beyond the guarantee.
    codebook : CodeBook
        The items that each published label represents. ``codebook.save(path)`` writes it.
    provenance : dict
        Versions, options and hashes that are needed to repeat the release.
    """

    data: Any
    model: PrivacyModel
    algorithm: Algorithm
    verdict: Verdict
    losses: dict[str, float]
    loss: float
    optimality: Optimality | None
    notes: list[str]
    codebook: CodeBook
    provenance: dict[str, Any]

    @classmethod
    def of(cls, release: Release, data: Any) -> ClusterRelease:
        """Return what a client gets of a release."""
        return cls(
            data=data,
            model=release.problem.model,
            algorithm=release.algorithm,
            verdict=release.verdict,
            losses=release.losses,
            loss=release.loss,
            optimality=release.optimality,
            notes=release.notes,
            codebook=release.codebook,
            provenance=release.provenance,
        )

    def __repr__(self) -> str:
        """Show the model, the algorithm and the loss, but no data."""
        return f"ClusterRelease({self.model!r}, {self.algorithm!r}, {self.provenance['loss']}={self.loss:.6f})"


def cluster_for(engine: object, data: Any) -> Cluster | None:
    """Return the cluster that a call asks for, by its engine or its data. None: it runs in this process."""
    cluster = cluster_of(engine)
    return default_cluster() if cluster is None and is_dask_frame(data) else cluster


def release_on_cluster(
    cluster: Cluster, data: Any, spec: DatasetSpec, make: Callable[[DatasetSpec, Engine], Release], engine: Engine
) -> ClusterRelease:
    """Make a release on a cluster: ``make(spec, engine)`` runs there."""
    if not spec.file and not is_dask_frame(data):
        raise OptionError(
            f"A cluster works on a Dask DataFrame, or on files that all its workers can read, but the data are a "
            f"{type(data).__name__} in this process: pass dask.dataframe.from_pandas(..), or the path of a folder."
        )
    name, sent, number, contents = f"shoal-{uuid.uuid4().hex}", absolute(spec), 0, side_files(spec)
    with cluster.connect() as client, contextlib.ExitStack() as finally_do:
        finally_do.callback(_forget, client, name)
        partitions = client.compute(data.to_delayed()) if is_dask_frame(data) else []
        if partitions:
            keys = [partition.key for partition in partitions]
            sent, number = replace(sent, source=DaskFrames(keys)), len(partitions)
        work = partial(_on_lead, spec=sent, make=make, contents=contents, number=number, name=name)
        return run(client, work, engine, take=lambda made: _taken(made, client))  # type: ignore[no-any-return]


def _forget(client: Any, name: str) -> None:
    """Remove a name from the scheduler, if it is there."""
    with contextlib.suppress(Exception):  # the cluster may be gone
        client.unpublish_dataset(name)


def _on_lead(
    engine: DaskEngine,
    tell: Tell,
    *,
    spec: DatasetSpec,
    make: Callable[[DatasetSpec, Engine], Release],
    contents: Mapping[str, bytes],
    number: int,
    name: str,
) -> ClusterRelease:
    """Make the release on a worker. Its data are partitions that stay where they are."""
    with files.travelling(contents):
        release = make(spec, engine)
        parts = number or -(-len(release.dataset) // ROWS_OF_A_PART)
        return ClusterRelease.of(release, PublishedFrames.of(release.dataset, parts, name))


def _taken(made: ClusterRelease, client: Any) -> ClusterRelease:
    """Return the release with its data as a Dask DataFrame, in the process of the client."""
    return replace(made, data=made.data.dask_frame(client))
