"""Carry out a problem file, as ``shoal run`` does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from shoal.engines import Engine
from shoal.jobs import problem_file
from shoal.progress import engine_with
from shoal.release.release import Release


def run(
    problem: str | Path,
    *,
    workers: int = 0,
    memory: int | str | None = None,
    work_dir: str | Path | None = None,
    progress: bool | Callable[[str, float], None] = False,
    engine: Engine | None = None,
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
        The release that was written.

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
    job = problem_file.load(problem)
    with engine_with(progress=progress, workers=workers, memory=memory, work_dir=work_dir, engine=engine) as running:
        return job.run(running).release
