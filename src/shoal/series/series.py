"""Series: a folder of releases that keep their promise together."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self

from shoal.caching import cached_property
from shoal.data.hierarchy import NO_HIERARCHY
from shoal.engines import LOCAL, Engine
from shoal.errors import OptionError, OutputError, SeriesBroken
from shoal.evidence.keys import PublicKey
from shoal.files import all_or_none
from shoal.files.lock import exclusive_lock
from shoal.jobs.apply import ApplyJob, spec_for
from shoal.jobs.arguments import HierarchySource, as_algorithm, as_hierarchies, as_model, describe_data
from shoal.jobs.dataset_spec import OnRead
from shoal.jobs.job import Job
from shoal.jobs.next_data import next_reading
from shoal.models.base import PrivacyModel
from shoal.progress import engine_with
from shoal.release.release import Release
from shoal.series.added import Added
from shoal.series.check import Member, SeriesCheck, check, member_of
from shoal.series.document import FILE, PRIVATE, Document, Entry, check_name, check_rule
from shoal.series.ids import IDS, Ids, Secret
from shoal.series.publishing import (
    Known,
    new_folder,
    new_folders,
    refuse_contradictions,
    refuse_inside,
    refuse_interrupted,
)
from shoal.series.stored import Stored, source_of
from shoal.series.wording import why_broken

Rule = Literal["same-recoding", "new-records"]


@dataclass(frozen=True)
class Series:
    """A folder of releases that keep their promise together.

    It holds the published files with their certificates and recodings, and keyed hashes of the ids of records and
    persons, if there are any. It never holds original data.

    Parameters
    ----------
    folder : Path
        The folder.
    document : Document
        Its rule, and the list of its releases.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"ALL": {"beer": ["ale", "stout"], "bread": ["rye", "bun"]}})
    >>> january = [["ale", "rye"], ["stout", "rye"], ["ale", "rye"], ["ale", "bun"], ["ale", "bun"]]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     series = shoal.Series.start(f"{folder}/shop", "jan", january, k=2, m=2, hierarchy=tree)
    ...     series = series.add("feb", [["ale", "bun"], ["ale", "bun"], ["stout"], ["stout"]])
    ...     [release.name for release in series.releases], series.check().holds
    (['jan', 'feb'], True)
    """

    folder: Path
    document: Document

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Open a series.

        Parameters
        ----------
        folder
            Its folder.

        Returns
        -------
        Series

        Raises
        ------
        DataError
            The folder holds no series, or its list was changed by hand.
        """
        return cls(Path(folder), Document.load(Path(folder)))

    @classmethod
    def start(
        cls,
        folder: str | Path,
        name: str,
        data: Any,
        model: PrivacyModel | str | None = None,
        *,
        rule: Rule = "same-recoding",
        record_id: str | None = None,
        k: int | None = None,
        m: int | Literal["all"] | None = None,
        hierarchy: HierarchySource = None,
        algorithm: Any = None,
        loss: str = "ncp",
        key: str | Path | None = None,
        workers: int = 0,
        progress: bool | Callable[[str, float], None] = False,
        engine: Engine | None = None,
        **options: Any,
    ) -> Series:
        """Start a series with its first release.

        Parameters
        ----------
        folder
            The folder of the series. It must be new or empty.
        name
            The name of the first release, such as ``"2026-01"``.
        data, model, k, m, hierarchy, algorithm, loss, workers, progress, engine, **options
            As for :func:`shoal.anonymize`. The algorithm must change an item in the same way in all records.
        rule
            ``"same-recoding"``: all releases group items alike. A later release may only group more.
            ``"new-records"``: no release holds a record of an earlier one.
        record_id
            A column of the data with an id for each record. It is not published. With it the series knows which records
            it published before.
        key
            The file of the private key that signs the certificates.

        Returns
        -------
        Series
        """
        given = {one: value for one, value in options.items() if value is not None}
        guarantee = as_model(model, k, m, given)
        method = as_algorithm(algorithm, guarantee, given)
        spec = describe_data(data, hierarchy=hierarchy, **given)
        job = Job(
            data=spec, output=Path(), model=guarantee, algorithm=method, loss=loss, key=Path(key) if key else None
        )
        with engine_with(progress=progress, workers=workers, engine=engine) as running:
            added = cls.start_with(Path(folder), name, job, rule=rule, record_id=record_id, engine=running)
        added.log()
        return added.series

    @classmethod
    def start_with(
        cls,
        folder: Path,
        name: str,
        job: Job,
        *,
        rule: str = "same-recoding",
        record_id: str | None = None,
        engine: Engine = LOCAL,
        on_read: OnRead = lambda data: data,
    ) -> Added:
        """Start a series with the release of a job."""
        if os.path.exists(folder / FILE):
            raise OutputError(f"{folder} holds a series already: add to it, or choose another folder.")
        if not job.algorithm.reusable:
            raise OptionError(
                f"A series is for methods that change an item in the same way in all records, and {job.algorithm.name} "
                f"does not: choose one that does, or another model."
            )
        series = cls(folder, Document(check_rule(rule), record_id))
        with new_folder(folder):
            return series._publish(name, job, engine, on_read)

    @cached_property
    def releases(self) -> tuple[Stored, ...]:
        """The releases, the oldest first."""
        return tuple(Stored(self.folder, entry) for entry in self.document.entries)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``shoal series show --json`` prints."""
        return {
            "folder": str(self.folder),
            "rule": self.document.rule,
            "record_id": self.document.record_id,
            "model": {"name": self.model.name, "options": self.model.values()},
            "releases": [
                {
                    "name": one.name,
                    "file": str(one.path),
                    "records": one.entry.records,
                    "groups": len(one.recoding.raised),
                    "suppressed": len(one.recoding.suppressed),
                    "stated_new": one.entry.stated_new,
                }
                for one in self.releases
            ],
        }

    @property
    def model(self) -> PrivacyModel:
        """The guarantee that all releases keep."""
        return self.releases[-1].recoding.model

    def add(
        self,
        name: str,
        data: Any,
        *,
        hierarchy: HierarchySource = None,
        unknown_items: Literal["error", "root"] | None = None,
        weights: str | Path | None = None,
        allow_missing: bool = False,
        assume_new: bool = False,
        hide_new: bool = False,
        time_limit: float | Literal["none"] = 60.0,
        key: str | Path | None = None,
        workers: int = 0,
        progress: bool | Callable[[str, float], None] = False,
        engine: Engine | None = None,
        **reading: Any,
    ) -> Series:
        """Publish the next release, unless it would break the promise together with earlier ones.

        Parameters
        ----------
        name
            Its name, such as ``"2026-02"``.
        data
            The data, as for :func:`shoal.anonymize`. They are read as those of the last release.
        hierarchy
            A hierarchy with more items than that of the last release.
        unknown_items, weights, allow_missing, time_limit
            As for :func:`shoal.apply`. Weights must be a file.
        assume_new
            Rule ``new-records`` without record ids: you know that no record was published before.
        hide_new
            Rule ``same-recoding`` with record ids: generalize further, until the records that are in no earlier release
            hide among each other. Somebody may know that a person is new.
        key
            The file of the private key that signs the certificate.
        workers, progress, engine
            As for :func:`shoal.anonymize`.
        **reading
            Options of :func:`shoal.read` that differ from those of the last release.

        Returns
        -------
        Series
            The series with the new release.

        Raises
        ------
        SeriesBroken
            Together with earlier releases, it would break the promise. Nothing was published.
        """
        told = {
            "hierarchy": hierarchy,
            "unknown_items": unknown_items,
            "reading": next_reading(reading),
            "weights": str(weights or ""),
            "allow_missing": allow_missing,
        }
        job = self.next_job(data, told, time_limit=time_limit, key=Path(key) if key else None)
        with engine_with(progress=progress, workers=workers, engine=engine) as running:
            added = self.add_with(name, job, assume_new=assume_new, hide_new=hide_new, engine=running)
        added.log()
        return added.series

    def next_job(
        self,
        data: Any,
        told: Mapping[str, Any],
        *,
        time_limit: float | Literal["none"] = 60.0,
        **more: Any,
    ) -> Job:
        """Return the job for the next release: the recoding of the last one, or its method on new records.

        ``told``: what is said of the data, as :func:`shoal.jobs.apply.spec_for` wants it.
        """
        saved, hierarchy = self.releases[-1].recoding, told.get("hierarchy")
        if self.document.rule == "same-recoding":
            spec = spec_for(saved, data, **told)
            return ApplyJob.of(saved, spec, output=Path(), repair=True, time_limit=time_limit, **more)
        spec = spec_for(saved, data, **{**told, "hierarchy": None})
        if hierarchy is not None or saved.built or saved.tree.name == NO_HIERARCHY:
            spec = replace(spec, hierarchy=as_hierarchies(hierarchy))
        return Job(data=spec, output=Path(), model=saved.model, algorithm=saved.method, loss=saved.loss, **more)

    def add_with(
        self,
        name: str,
        job: Job,
        *,
        assume_new: bool = False,
        hide_new: bool = False,
        engine: Engine = LOCAL,
        on_read: OnRead = lambda data: data,
    ) -> Added:
        """Publish the release of a job as the next one."""
        refuse_contradictions(self.document, assume_new=assume_new, hide_new=hide_new)
        return self._publish(name, job, engine, on_read, stated_new=assume_new, hide_new=hide_new)

    def check(
        self,
        *,
        link: str | Sequence[str] = "auto",
        public_key: str | Path | None = None,
        seed: int = 0,
        workers: int = 0,
        progress: bool | Callable[[str, float], None] = False,
        engine: Engine | None = None,
    ) -> SeriesCheck:
        """Find out what can be learned by putting all releases together.

        Parameters
        ----------
        link
            How an attacker links records: ``"auto"`` (by the record ids if the series has them, else by position if
            rows at the same place fit each other), ``"position"``, ``"none"`` (records are compared by what they say),
            or published columns, such as a pseudonym.
        public_key
            The file of the key that all certificates must be signed with. Without it, signatures are not checked.
        seed
            The seed of random draws, for very large data.
        workers, progress, engine
            As for :func:`shoal.anonymize`.

        Returns
        -------
        SeriesCheck
            It is true if the promise holds.
        """
        key = None if public_key is None else PublicKey.load(public_key)
        for one in self.releases:
            one.require_intact(key)
        with engine_with(progress=progress, workers=workers, engine=engine) as running:
            return check([member_of(one) for one in self.releases], self.model, link, seed=seed, engine=running)

    def _publish(
        self,
        name: str,
        job: Job,
        engine: Engine,
        on_read: OnRead,
        *,
        stated_new: bool = False,
        hide_new: bool = False,
    ) -> Added:
        """Make a release, check it together with the earlier ones, and write all files or none."""
        folder = self.folder / check_name(name)
        refuse_inside(self.folder, (*job.reports, *job.public_reports))
        busy = f"{self.folder} is in use by another run: wait until it ends."
        with exclusive_lock(self.folder, busy):
            self._refuse_outdated(name)
            secret = Secret.of(self.folder, self.document.secret)
            with new_folders(self.folder, name), all_or_none():
                known = Known(secret, self.document, self.releases if self.document.entries else ())
                job = known.ready(job, folder, hide_new=hide_new)
                story = job.run(engine, lambda data: known.of_data(on_read(data)))
                refuse_interrupted(story.release)
                release, ids = story.release, known.ids_of_release(story.release)
                source_of(release, name, ids)  # what cannot be read back is not published
                found = self._checked(name, release, ids, stated_new, engine) if self.document.entries else None
                has_ids = ids != Ids()
                sha256 = ids.save(self.folder / PRIVATE / name / IDS) if has_ids else None
                if has_ids:
                    secret.save(self.folder)
                entry = Entry(name, job.output.name, len(release.published), sha256, stated_new)
                series = replace(self, document=self.document.adding(entry, secret.fingerprint if has_ids else None))
                series.document.save(self.folder)
            return Added(series, story, job, found, known.left_out)

    def _refuse_outdated(self, name: str) -> None:
        """Raise an error if the series has such a release, or got another one since it was opened."""
        if name in (entry.name for entry in self.document.entries):
            raise OutputError(f"{self.folder} has a release '{name}' already: choose another name.")
        if self.document.entries and Document.load(self.folder) != self.document:
            raise OutputError(f"{self.folder} got another release in the meantime: open it again.")

    def _checked(self, name: str, release: Release, ids: Ids, stated_new: bool, engine: Engine) -> SeriesCheck:
        """Check a release together with earlier ones. Raise an error if it breaks the promise."""
        last = Member(source_of(release, name, ids), ids, release.saved_recoding, stated_new)
        found = check([*map(member_of, self.releases), last], release.problem.model, newest=True, engine=engine)
        same, with_ids = self.document.rule == "same-recoding", self.document.record_id is not None
        if why := why_broken(found, name, same_recoding=same, ids=with_ids):
            raise SeriesBroken(why, found)
        return found
