"""The steps of publishing the next release of a series."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path

from shoal.data.arrays import Counts
from shoal.data.columns import Column
from shoal.data.dataset import Dataset
from shoal.data.recoding_notes import RecodingRepaired
from shoal.engines import LOCAL, Engine
from shoal.errors import DataError, OptionError, OutputError
from shoal.files.staging import remove_leftovers
from shoal.jobs.apply import ApplyJob, release_of
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.job import Job
from shoal.models.base import PrivacyModel
from shoal.problem import Problem
from shoal.release.release import Release
from shoal.series.document import PRIVATE, Document
from shoal.series.ids import Ids, Secret, ids_of, not_among, without_column
from shoal.series.stored import CERTIFICATE, RECODING, Stored


@dataclass(frozen=True, kw_only=True)
class HidingJob(ApplyJob):
    """A job that first generalizes until the new records keep the promise on their own."""

    new_rows: Callable[[], Counts]

    def make(self, problem: Problem[PrivacyModel], engine: Engine = LOCAL) -> Release:
        """Repair the recoding for the new records, then for all."""
        rows = self.new_rows()
        if not 0 < len(rows) < len(problem.data):
            return super().make(problem, engine)
        part = replace(problem, data=problem.data.reordered(rows), allow_missing=True)
        new = release_of(part, self.saved, engine, repair=True, time_limit=self.time_limit)
        every = release_of(problem, new.saved_recoding, engine, repair=True, time_limit=self.time_limit)
        notes = (*new.solution.notes, *every.solution.notes)
        return replace(every, solution=replace(every.solution, notes=notes))


@dataclass
class Known:
    """What a series knows of records that were published, and of those that are about to be."""

    secret: Secret
    document: Document
    releases: tuple[Stored, ...]
    records: tuple[str, ...] | None = None  # the hashed ids of the records that were read
    left_out: int = 0  # records that were published before

    def ready(self, job: Job, folder: Path, *, hide_new: bool) -> Job:
        """Return the job that writes its files into a folder of the series, which has the name of the release."""
        if self.document.record_id is not None:  # an identifier is never published
            job = replace(job, data=with_identifier(job.data, self.document.record_id))
        file = folder / f"{folder.name}{suffix_of(job.data)}"
        private = folder.parent / PRIVATE / folder.name
        job = replace(job, output=file, certificate=folder / CERTIFICATE, recoding=private / RECODING)
        job = replace(job, compared_with=tuple(one.name for one in self.releases), suggests=False)
        if not hide_new:
            return job
        return HidingJob(**{one.name: getattr(job, one.name) for one in fields(job)}, new_rows=self.new_rows)

    def of_data(self, data: Dataset) -> Dataset:
        """Take the ids out of the data as read. By the rule of new records, leave out what was published before."""
        column = self.document.record_id
        if column is None:
            return data
        ids = self.secret.hashed("record", ids_of(data, column))
        data = without_column(data, column)
        if self.document.rule == "new-records":
            rows = not_among(ids, self._published)
            if not len(rows):
                raise DataError(
                    f"{data.origin.name} holds no new record: the ids in column '{column}' of all {len(ids):,} were "
                    f"published before. There is nothing to publish."
                )
            self.left_out = len(ids) - len(rows)
            if self.left_out:
                data, ids = data.reordered(rows), tuple(ids[row] for row in rows.tolist())
        self.records = ids
        return data

    def new_rows(self) -> Counts:
        """Return the rows of the data whose ids no earlier release has."""
        return not_among(self.records or (), self._published)

    @property
    def _published(self) -> set[str]:
        """The ids of all records that were published before."""
        return {one for stored in self.releases for one in stored.ids.records or ()}

    def ids_of_release(self, release: Release) -> Ids:
        """Return the hashed ids of the records and persons of a release, in its order."""
        order, persons = release.order, release.problem.persons
        records = self.records
        if order is not None:
            records = records and tuple(records[row] for row in order.tolist())
            persons = persons and persons.take(order)
        whose = None if persons is None else self.secret.hashed("person", persons.ids_of_rows())
        return Ids(records, whose)


def with_identifier(spec: DatasetSpec, column: str) -> DatasetSpec:
    """Return a description of data that does not say anything else about the column of record ids."""
    role = spec.columns.get(column, Column()).role
    if role is not None and role.value != "identifier":
        raise OptionError(f"Column '{column}' holds record ids (record_id=), so it cannot be a {role.value} column.")
    return replace(spec, columns={name: one for name, one in spec.columns.items() if name != column})


def suffix_of(spec: DatasetSpec) -> str:
    """Return the suffix of the published file: that of the data, or .csv."""
    suffixes = Path(spec.file).suffixes if spec.file and not Path(spec.file).is_dir() else []
    packed = suffixes[-2:] if suffixes[-1:] in ([".gz"], [".zst"]) else suffixes[-1:]
    return "".join(packed) or ".csv"


@contextlib.contextmanager
def new_folder(folder: Path, *, private: bool = False) -> Iterator[None]:
    """Make a folder, which is gone if the block ends with an error. What a killed run left there is removed.

    ``private``: only its owner may open it.
    """
    try:
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700 if private else 0o777)
        remove_leftovers(folder)
        full = folder.is_symlink() or any(folder.iterdir())
    except OSError as error:
        raise OutputError(f"{folder} cannot be made or used: {error.strerror}.") from None
    if full:
        raise OutputError(f"{folder} is not an empty folder: choose another name.")
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            if made:
                folder.rmdir()
        raise


@contextlib.contextmanager
def new_folders(series: Path, name: str) -> Iterator[None]:
    """Make the folders of a release: one for what may be published, and one for what is private."""
    private = series / PRIVATE
    with contextlib.ExitStack() as folders:
        if not private.exists():
            folders.enter_context(new_folder(private, private=True))
        folders.enter_context(new_folder(series / name))
        folders.enter_context(new_folder(private / name, private=True))
        yield


def refuse_contradictions(document: Document, *, assume_new: bool, hide_new: bool) -> None:
    """Refuse statements about a release that the series does not need, or that are missing."""
    if hide_new and (document.rule != "same-recoding" or document.record_id is None):
        raise OptionError(
            "hide_new= is for a series with the rule same-recoding and record ids, which tell what is new: leave "
            "it out."
        )
    by_rule = document.rule == "new-records" and document.record_id is None
    if by_rule and not assume_new:
        raise OptionError(
            "This series publishes new records only, and has no record ids to recognize them: pass assume_new=True "
            "if you know that no record of these data was published before."
        )
    if assume_new and not by_rule:
        raise OptionError(
            "assume_new= is for a series of new records without record ids: leave it out, this series needs no "
            "such statement."
        )


def refuse_interrupted(release: Release) -> None:
    """End the run if somebody interrupted the search. What is published stays in a series for ever."""
    ended = release.optimality and release.optimality.ended
    stopped = [note.stopped for note in release.note_values if isinstance(note, RecodingRepaired)]
    if "interrupted" in (ended, *stopped):
        raise KeyboardInterrupt


def refuse_inside(folder: Path, reports: Iterable[Path]) -> None:
    """Refuse reports in the folder of the series."""
    for path in reports:
        if folder.resolve() in path.resolve().parents:
            raise OutputError(f"{path} is in {folder}, which is for the files of the series: name another folder.")
