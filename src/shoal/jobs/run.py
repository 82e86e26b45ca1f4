"""Carry out a problem file, as ``shoal run`` does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

from shoal.engines import Engine
from shoal.engines.cluster import cluster_of
from shoal.jobs import problem_file
from shoal.jobs.cluster_release import ClusterRelease
from shoal.jobs.on_cluster import run_on_cluster
from shoal.progress import engine_with
from shoal.release.release import Release
from shoal.report import Story


def run(
    problem: str | Path,
    *,
    workers: int = 0,
    memory: int | str | None = None,
    work_dir: str | Path | None = None,
    progress: bool | Callable[[str, float], None] = False,
    engine: Engine | Any = None,
) -> Release:
    """Anonymize what a TOML file describes, and write the files that it names.

    Parameters
    ----------
    problem
        The path of the file. Paths in it are relative to it. :func:`shoal.init` writes such a file.
    workers, memory, work_dir, progress, engine
        As in :func:`shoal.anonymize`.

    Returns
    -------
    Release
        The release that was written. From a cluster comes a :class:`~shoal.jobs.cluster_release.ClusterRelease`.

    Raises
    ------
    OptionError
        If the file is wrong. The message tells where.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "baskets.dat").write_text("1 2\\n1 2\\n1\\n", encoding="utf-8")
    ...     text = '[data]\\nfile = "baskets.dat"\\n[model]\\nk = 2\\nm = 2\\n[output]\\nfile = "public.dat"\\n'
    ...     _ = Path(folder, "problem.toml").write_text(text, encoding="utf-8")
    ...     release = shoal.run(Path(folder, "problem.toml"))
    ...     Path(folder, "public.dat").read_text(encoding="utf-8").splitlines()
    ['1 2', '1 2', '1']
    """
    job, cluster = problem_file.load(problem), cluster_of(engine)
    own = None if cluster is not None else engine
    with engine_with(progress=progress, workers=workers, memory=memory, work_dir=work_dir, engine=own) as running:
        if cluster is None:
            return job.run(running).release
        return cast(Release, run_on_cluster(job, cluster, running, partial(_figures, output=job.output)))


def _figures(story: Story, output: Path) -> ClusterRelease:
    """Return what the client gets of a release that was written."""
    return ClusterRelease.of(story.release, output)
