"""Job: one anonymization from files to files, as the command line and problem files describe it."""

from __future__ import annotations

import fnmatch
import glob
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path

from shoal import discovery, io, report
from shoal.algorithms.base import Algorithm
from shoal.data import Dataset
from shoal.engines import LOCAL, Engine
from shoal.errors import OptionError, OutputError
from shoal.evidence.keys import Passphrase, PrivateKey
from shoal.evidence.proof.make import proof_of, refuse_unprovable
from shoal.files import all_or_none, check_folder, check_writable
from shoal.files.staging import remove_leftovers
from shoal.hierarchies import codebook
from shoal.hierarchies.codebook import codebook_path
from shoal.io.detect import check_suffix, format_named
from shoal.jobs.command import Command
from shoal.jobs.dataset_spec import DatasetSpec, OnRead
from shoal.metrics.base import AdditiveLoss
from shoal.models.base import PrivacyModel
from shoal.problem import Problem
from shoal.release.pipeline import check_max_loss, make_release, require_loss
from shoal.release.release import Release
from shoal.release.saved_recoding import not_reusable
from shoal.report import Story, headline
from shoal.report.officer.context import Context
from shoal.risk import threshold

STDOUT = "-"


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to read, how to anonymize it, and what to write."""

    data: DatasetSpec
    output: Path
    model: PrivacyModel
    algorithm: Algorithm
    loss: str = "ncp"
    seed: int = 0
    reports: tuple[Path, ...] = ()
    public_reports: tuple[Path, ...] = ()  # that may be published
    threshold: tuple[str, ...] = ()  # of risk, as a number or by name
    context: Path | None = None  # what only people know, for reports
    explanations: bool = True
    output_format: str | None = None
    output_layout: str | None = None  # wide or long; none: as the input is
    output_parts: int | None = None  # files of a folder; 0: one for every million records; none: one file
    escape_formulas: bool = False
    codebook: Path | bool | None = None  # None: next to the output, if siblings are grouped
    persons_out: Path | None = None  # whose the published records are, for the owner alone
    certificate: Path | None = None  # for recipients
    key: Path | None = None  # that signs the certificate
    passphrase: Passphrase = field(default=None, compare=False, repr=False)  # of the key; none: the environment's
    recoding: Path | None = None  # what was done to the items, to do the same to other data; for the owner alone
    proof: Path | None = None  # what the lower bound rests on, for the owner alone
    max_loss: float | None = None  # the loss above which nothing is written
    lists: tuple[Path, ...] = ()  # further files that are read: lists of labels
    compared_with: tuple[str, ...] | None = None  # earlier releases of its series; None: it is in no series
    suggests: bool = True  # whether reports and errors may suggest other commands for the same data
    given: Command | None = None  # the command line as the user gave it, if the paths here are others

    def run(self, engine: Engine = LOCAL, on_read: OnRead = lambda data: data) -> Story:
        """Search, apply, verify, and only then write all files, or none.

        ``on_read`` is called with the data as read. Return the release with the figures of its reports.
        """
        self.check()
        key = None if self.key is None else PrivateKey.load(self.key, self.passphrase)
        release = self.make(self.problem(on_read), engine)
        story = Story.of(
            release,
            self.given or self.command,
            engine,
            explained=self.explanations,
            thresholds=tuple(map(threshold, self.threshold)),
            context=None if self.context is None else Context.load(self.context),
            compared_with=self.compared_with,
            suggests=self.suggests,
        )
        if release.worthless:
            story.findings.tried  # noqa: B018  (while the engine still shows progress, and before anything is written)
        if self.max_loss is not None:
            require_loss(release, self.max_loss, f"max_loss={self.max_loss:g}", partial(headline.remedy_line, story))
        proof = None if self.proof is None else proof_of(release, engine)
        with output_path(self.output) as path, all_or_none():
            written = release.save(
                path,
                format=self.output_format,
                layout=self.output_layout,
                codebook=False if self.to_stdout and self.codebook is None else self.codebook,
                escape_formulas=self.escape_formulas,
                persons=self.persons_out,
                parts=self.output_parts,
                certificate=self.certificate,
                key=key,
                recoding=self.recoding,
            )
            story = story.of_written(written)
            for target in self.reports:
                report.write(story, target)
            for target in self.public_reports:
                report.write_public(story, target)
            if proof is not None and self.proof is not None:
                proof.save(self.proof)
        return story

    def make(self, problem: Problem[PrivacyModel], engine: Engine = LOCAL) -> Release:
        """Search, apply and verify."""
        return make_release(problem, self.algorithm, engine)

    def prepared_on_read(self, data: Dataset) -> Dataset:
        """Return the data to go on with, after they were read."""
        return data

    @property
    def command(self) -> Command:
        """The command line of the job, for remedies."""
        return Command.of(self)

    @property
    def output_name(self) -> str:
        """The output as the user names it: a folder ends in a slash."""
        return str(self.output) if self.output_parts is None else f"{self.output}/"

    @property
    def to_stdout(self) -> bool:
        """Whether the published data go to standard output."""
        return str(self.output) == STDOUT

    def check(self) -> None:
        """Refuse what can be refused before any work."""
        check_max_loss(self.max_loss, self.algorithm, "max_loss=")
        self._refuse_contradictions()
        self._check_files()
        for name in self.algorithm.files:
            codebook.load(name)  # an error in it is reported now
        for path in (*self.reports, *self.public_reports):
            report.format_of(path)
        for name in self.threshold:
            threshold(name)
        if self.context is not None:
            Context.load(self.context)  # an error in it is reported now
        if self.output_format:
            format_named(self.output_format)
        elif not self.to_stdout and self.output_parts is None:
            check_suffix(self.output, self.data.file, "output_format")
        if self.output_layout not in (None, *io.LAYOUTS):
            raise OptionError(f"output_layout= must be one of {', '.join(io.LAYOUTS)}, got '{self.output_layout}'.")
        discovery.get("shoal.metrics", AdditiveLoss, self.loss)

    def _refuse_contradictions(self) -> None:
        """Refuse options that contradict each other, or the model."""
        if self.certificate is not None and self.to_stdout:
            raise OptionError("certificate= names the published file, but it goes to standard output: name a file.")
        if self.key is not None and self.certificate is None:
            raise OptionError("key= signs a certificate: name its file with certificate=, or leave key= out.")
        for name in ("threshold", "context"):
            if getattr(self, name) and not self.reports and not self.public_reports:
                raise OptionError(
                    f"{name}= is for reports: name one with reports= or public_reports=, or leave it out."
                )
        if self.recoding is not None and not self.algorithm.reusable:
            raise not_reusable(self.algorithm)
        if self.proof is not None:
            refuse_unprovable(self.model, self.algorithm)
        if self.persons_out is not None and self.data.reading.person is None:
            raise OptionError("persons_out= needs the persons of the records: name their column with person=.")
        if self.output_parts is not None and self.output_parts < 0:
            raise OptionError(f"output_parts= must not be negative, got {self.output_parts}.")
        if self.output_parts is not None and self.to_stdout:
            raise OptionError("output_parts= needs a folder as the output, not standard output: name one.")
        keep = self.data.keep
        hidden = [] if keep is None else [name for name in self.model.columns if name not in keep]
        if hidden:
            raise OptionError(
                f"columns= leaves out the sensitive column '{hidden[0]}': name it too, or do not declare it sensitive."
            )

    def _check_files(self) -> None:
        """Refuse to overwrite what is read, and to write where nothing can be written."""
        read = [*map(Path, (*self.data.files, *self.algorithm.files, *self.model.files)), *self.lists]
        read += [path for path in (self.key, self.context) if path is not None]
        book = self.codebook if isinstance(self.codebook, Path) else None
        others = (
            book,
            self.persons_out,
            self.proof,
            self.recoding,
            self.certificate,
            *self.reports,
            *self.public_reports,
        )
        written = [path for path in (None if self.to_stdout else self.output, *others) if path is not None]
        folder = None if self.output_parts is None else self.output
        check_outputs(read, written, folder=folder)
        for parent in {path.resolve().parent for path in written}:
            remove_leftovers(parent)
        built = self.algorithm.needs_hierarchy and "" not in self.data.hierarchy
        maybe = built or getattr(self.algorithm, "siblings", "none") != "none"
        if self.codebook is True or (self.codebook is None and maybe and not self.to_stdout):
            try:
                check_outputs(read, [*written, codebook_path(self.output)], folder=folder)
            except OutputError as error:
                raise OutputError(
                    f"{error} (This is the code book: name another with codebook=, or pass no_codebook=True.)"
                ) from None

    def problem(self, on_read: OnRead = lambda data: data) -> Problem[PrivacyModel]:
        """Read all files, and return the problem."""

        def with_marks(data: Dataset) -> Dataset:
            """Keep the characters that separate items in the output out of new labels."""
            data = self.prepared_on_read(on_read(data))
            avoid = io.marks_to_write(data, self.output, self.output_format, self.output_layout)
            return replace(data, origin=replace(data.origin, avoid=avoid))

        loss = discovery.get("shoal.metrics", AdditiveLoss, self.loss)()
        build = self.algorithm.needs_hierarchy
        problem = self.data.problem(self.model, loss, self.seed, with_marks, build_hierarchy=build)
        if self.model.adds_columns:
            io.check_columns(problem.data, self.model.adds_columns, self.output, self.output_format)
        return problem


@contextmanager
def output_path(output: Path) -> Iterator[Path]:
    """Yield the file to write. For standard output it is a temporary file, which is copied there at the end."""
    if str(output) != STDOUT:
        yield output
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "standard output"
        with open(Path(folder) / "standard output", "rb") as written:
            shutil.copyfileobj(written, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def _there(source: Path) -> list[Path]:
    """Return the file or folder, or all files that match a pattern; an empty list, if there is none."""
    return [source] if os.path.exists(source) else list(map(Path, glob.glob(str(source), recursive=True)))


def _matches(target: Path, pattern: str) -> bool:
    """Return whether a pattern matches a file that does not exist yet."""
    return fnmatch.fnmatch(os.path.abspath(target), pattern.replace("**/", "*"))


def _holds_key(path: Path) -> bool:
    """Return whether a file is a key."""
    try:
        with open(path, "rb") as file:
            return file.read(100).startswith(b"-----BEGIN")
    except OSError:
        return False


def check_outputs(sources: Sequence[Path], targets: Sequence[Path], folder: Path | None = None) -> None:
    """Refuse, before any work, to overwrite what is read, and to write where nothing can be written.

    ``folder``: which of the targets will be a folder of parts.
    """
    for target in targets:
        check_folder(target) if target == folder else check_writable(target)
        if target.is_file() and _holds_key(target):
            raise OutputError(f"{target} holds a key, and a key is never replaced: name another file.")
        for source in chain.from_iterable(map(_there, sources)):
            if target.exists() and target.samefile(source):
                raise OutputError(f"{target} is an input too: name another file to write.")
            if source.is_dir() and source.resolve() in target.resolve().parents:
                raise OutputError(
                    f"{target} is in {source}, and all files of that folder are read: name another folder."
                )
        for pattern in map(os.path.abspath, sources):
            if glob.has_magic(pattern) and not os.path.exists(pattern) and _matches(target, pattern):
                raise OutputError(
                    f"{target} matches the pattern of the input, so the next run would read it: name another file."
                )
    if len({target.resolve() for target in targets}) < len(targets):
        raise OutputError(
            "The output, code book, persons, certificate, recoding, proof and reports must be different files."
        )
