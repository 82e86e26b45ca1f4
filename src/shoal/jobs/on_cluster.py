"""Runs a job on a Dask cluster. Only the job, its side files, figures and published data travel.

The input must be where all workers can read it. Hierarchies, weights and other small files travel with the job. The
published file is written by the lead, into a folder of the output that this process makes, if the lead sees it too.
Otherwise, the content comes back with the result. In both cases this process gives the files their names, all or none.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from shoal import files
from shoal.engines import Engine
from shoal.engines.cluster import Cluster
from shoal.engines.dask import DaskEngine
from shoal.engines.lead import Tell, run
from shoal.errors import OptionError, OutputError
from shoal.files.staging import put_in_place, staging_folder
from shoal.io.source import STDIN
from shoal.jobs.command import Command
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.job import Job
from shoal.options import Spec
from shoal.report import Story

Rendered = TypeVar("Rendered")

MARK = ".shoal-folder"  # a file by which the lead knows the folder of the client


@dataclass(frozen=True)
class _Trip:
    """A job on its way to the cluster."""

    job: Job
    command: Command  # as the user gave it
    contents: Mapping[str, bytes]  # of small files, by their paths
    folder: Path  # of the output, if the lead sees it
    token: str


@dataclass(frozen=True)
class _Done:
    """What comes back: the content of each file, or where it is in the folder of the output."""

    rendered: Any
    files: Mapping[str, tuple[str, bytes | Path]]  # by what they are: their names and contents


def run_on_cluster(
    job: Job,
    cluster: Cluster,
    engine: Engine,
    render: Callable[[Story], Rendered],
    tell: Tell = lambda text: None,
) -> Rendered:
    """Anonymize on a cluster, and write all files, or none. Return what ``render`` makes of the release there.

    ``tell`` gets a sentence on the data that were read.
    """
    for name in ("certificate", "public_reports", "threshold", "context"):
        if getattr(job, name):
            raise OptionError(
                f"{name}= needs figures of risk, for which all records must be on one machine: leave it out, or leave "
                f"out engine=."
            )
    job.check()
    if job.data.file == STDIN or not job.data.file:
        raise OptionError("A cluster reads files that all its workers can see: pass a file, a folder or a pattern.")
    if job.proof is not None:
        raise OptionError("A proof is made on one machine, not on a cluster: leave out proof=, or leave out engine=.")
    contents = side_files(job.data, job.algorithm, job.model)
    with cluster.connect() as client, contextlib.ExitStack() as open_now:
        parent = Path(tempfile.gettempdir()) if job.to_stdout else job.output.resolve().parent
        folder = open_now.enter_context(staging_folder(parent))
        token = secrets.token_hex(16)
        (folder / MARK).write_text(token, encoding="ascii")
        sent = replace(job, data=absolute(job.data))
        trip = _Trip(sent, Command.of(job).on(cluster.words), contents, folder, token)
        done: _Done = run(client, partial(_on_lead, trip=trip, render=render), engine, tell)
        _place(job, done, folder)
        return done.rendered  # type: ignore[no-any-return]


def side_files(data: DatasetSpec, *others: Spec) -> dict[str, bytes]:
    """Return the content of the small files that a job names."""
    large = {data.file, *data.reading.joined_files}
    names = [name for one in (data, *others) for name in one.files if name not in large]
    return {str(Path(name)): files.raw(name) for name in names}


def absolute(data: DatasetSpec) -> DatasetSpec:
    """Return the data with the absolute paths of their files, as workers run in other folders."""
    reading = data.reading
    joins = reading.join if isinstance(reading.join, tuple) else (reading.join,) if reading.join else ()
    if joins:
        named = zip(joins, reading.joined_files, strict=True)
        reading = reading.changed(join=tuple(os.path.abspath(file) + text[len(file) :] for text, file in named))
    return replace(data, file=data.file and os.path.abspath(data.file), reading=reading)


def _on_lead(engine: DaskEngine, tell: Tell, *, trip: _Trip, render: Callable[[Story], Any]) -> _Done:
    """Run the job on a worker, with the names of its outputs in folders of the worker."""
    from shoal import io

    def on_read(data: Any) -> Any:
        tell(io.summary(data))
        return data

    job, shared = trip.job, _sees(trip)
    if job.output_parts is not None and not shared:
        raise OutputError(
            f"{job.output} is not on storage that this process and the workers of the cluster share, so they cannot "
            f"write parts there: name another folder, or write one file. Nothing was written."
        )
    with files.travelling(trip.contents), _own_folder(trip, shared) as own:
        output = own / ("standard output" if job.to_stdout else job.output.name)
        paths = {"output": output, **{name: own / name / path.name for name, path in _others(job).items()}}
        for path in paths.values():
            path.parent.mkdir(exist_ok=True)
        here = replace(
            job,
            output=output,
            reports=tuple(paths[f"report {at}"] for at in range(len(job.reports))),
            persons_out=paths.get("persons"),
            codebook=paths.get("codebook", False if job.to_stdout and job.codebook is None else job.codebook),
            given=trip.command,
        )
        story = here.run(engine, on_read)
        book = story.release.provenance.get("codebook")
        if book and "codebook" not in paths:
            paths["codebook"] = output.with_name(book["name"])
        rendered = render(story)
        found = {
            name: (path.name, path.relative_to(trip.folder) if shared else path.read_bytes())
            for name, path in paths.items()
        }
        return _Done(rendered, found)


@contextlib.contextmanager
def _own_folder(trip: _Trip, shared: bool) -> Iterator[Path]:
    """Yield a new folder for the files of this lead: an earlier one may have been lost while it wrote.

    The client removes it, if it is in the folder of the output. Otherwise it is gone at the end, or with the next run
    on this machine if this one is killed.
    """
    if shared:
        yield Path(tempfile.mkdtemp(dir=trip.folder))
        return
    with staging_folder(Path(tempfile.gettempdir())) as own:
        yield own


def _others(job: Job) -> dict[str, Path]:
    """Return the outputs beside the data, by what they are."""
    named = {} if job.persons_out is None else {"persons": job.persons_out}
    if isinstance(job.codebook, Path):
        named["codebook"] = job.codebook
    return {**named, **{f"report {at}": path for at, path in enumerate(job.reports)}}


def _sees(trip: _Trip) -> bool:
    """Whether this machine sees the folder of the client, and may write there."""
    try:
        return (trip.folder / MARK).read_text(encoding="ascii") == trip.token and os.access(trip.folder, os.W_OK)
    except OSError:
        return False


def _place(job: Job, done: _Done, folder: Path) -> None:
    """Give the files that came back their names, or copy the data to standard output."""
    targets = {"output": job.output, **_others(job)}
    finished: dict[Path, Path] = {}
    for name, (written, content) in done.files.items():
        aside = folder / (content if isinstance(content, Path) else f"{len(finished)}-{written}")
        if isinstance(content, bytes):
            aside.write_bytes(content)
        finished[targets.get(name, job.output.with_name(written))] = aside
    if job.to_stdout:
        with open(finished.pop(job.output), "rb") as published:
            shutil.copyfileobj(published, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    put_in_place(finished, private={path for name, path in _others(job).items() if name != "codebook"})
