"""Release: published data with the verdict, the losses and the provenance."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.caching import cached_property
from shoal.data.arrays import Counts
from shoal.data.dataset import Dataset
from shoal.data.note import Note
from shoal.data.table import Role
from shoal.engines import current, release_batches
from shoal.errors import OptionError, OutputError
from shoal.hierarchies.codebook import CodeBook, codebook_path, refuse_other_codebook
from shoal.hierarchies.default import was_built
from shoal.metrics.change import Change
from shoal.metrics.comparison import Comparison
from shoal.metrics.risk import Exposure
from shoal.metrics.usefulness import Usefulness, Worthless
from shoal.models.base import PrivacyModel, Verdict
from shoal.problem import Prepared
from shoal.published import Published
from shoal.recoding import Recoding, RecodingSummary
from shoal.recoding.solution import Optimality, Solution
from shoal.release import notes, recoding_file
from shoal.release.certifier import Certifier
from shoal.release.order import by_content
from shoal.release.reporter import Reporter
from shoal.release.risks import RiskFigures
from shoal.release.saved_recoding import SavedRecoding


@dataclass(frozen=True, eq=False)
class Release:
    """Published data that passed the check, with losses, notes and reports. :func:`shoal.anonymize` returns it.

    In a notebook, a release shows itself as a card with figures and warnings.

    Parameters
    ----------
    problem : Prepared
        Data, hierarchy and privacy model.
    algorithm : Algorithm
        The algorithm that made the release.
    solution : Solution
        The recoding, and what is proved about it.
    comparison : Comparison
        Original and published data side by side.
    verdict : Verdict
        The result of the check. ``verdict.holds`` is True for every release.
    losses : dict of str to float
        Information loss by measure, such as ``losses["ncp"]``.
    timings, cpu_timings : dict of str to float
        Seconds of each step, by the clock and on all processors.
    provenance : dict
        Versions, options and hashes that are needed to repeat the release.
    risks : RiskFigures
        The risk before and after: ``risks.at([0.09])`` assesses it once for all documents.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> data = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
    >>> release = shoal.anonymize(data, k=2, m=2, hierarchy=tree)
    >>> release.data
    [['A', 'b1', 'b2'], ['A', 'b1'], ['A', 'b1', 'b2'], ['A', 'b2']]
    >>> release.verdict.holds, round(release.losses["ncp"], 4), release.notes
    (True, 0.2273, [])
    """

    problem: Prepared[PrivacyModel]
    algorithm: Algorithm
    solution: Solution
    comparison: Comparison
    verdict: Verdict
    losses: dict[str, float]
    timings: dict[str, float]
    provenance: dict[str, Any]
    risks: RiskFigures
    cpu_timings: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Show the model, the algorithm and the loss, but no data."""
        model = self.problem.model
        loss = f"NOT TRUTHFUL: {self.falsehoods[0]}" if self.falsehoods else f"ncp={self.losses['ncp']:.6f}"
        loss += ", NEARLY WORTHLESS" if self.worthless else ""
        return f"Release({self.published!r}, {model!r}, {self.algorithm!r}, {loss})"

    @property
    def published(self) -> Published:
        """The published data as sets of labels."""
        return self.comparison.published

    @property
    def recoding(self) -> Recoding:
        """How the data were changed."""
        return self.solution.recoding

    @property
    def optimality(self) -> Optimality | None:
        """What is proved about the loss, or None."""
        return self.solution.optimality

    @cached_property
    def order(self) -> Counts | None:
        """The row of the input for each published record, or None if the order of the input is kept.

        If a person has several records, all records are sorted by their content.
        """
        persons = self.problem.persons
        return by_content(self.aligned) if persons is not None and persons.several else None

    @property
    def dataset(self) -> Dataset:
        """The published sets and other columns, without identifiers, in the layout of the input."""
        return self.aligned if self.order is None else self.aligned.reordered(self.order)

    @property
    def aligned(self) -> Dataset:
        """The same as :attr:`dataset`, but in the order of the input."""
        data = self.problem.model.to_dataset(self.problem.data, self.published)
        if data.table is None:
            return data
        roles = data.table.roles
        return data.keep_columns([name for name in data.table.names if roles.get(name) is not Role.IDENTIFIER])

    @property
    def data(self) -> Any:
        """The published data as the same kind of object as the input, such as a pandas data frame."""
        from shoal import io

        return io.to_native(self.dataset)

    @cached_property
    def risk_before(self) -> Exposure:
        """The risk in the original data."""
        return self.problem.model.risk(self.problem.original, current())

    @cached_property
    def risk_after(self) -> Exposure:
        """The risk in the published data."""
        return self.problem.model.risk(self.published, current())

    @property
    def loss(self) -> float:
        """The information loss that was minimized: of the items, or of the columns if the sets are not changed."""
        if not self.problem.model.covers_sets and "relational_ncp" in self.losses:
            return self.losses["relational_ncp"]
        name = self.problem.loss.name
        return self.losses.get(f"weighted_{name}", self.losses[name])

    @property
    def loss_name(self) -> str:
        """The name of :attr:`loss`, such as "NCP"."""
        if not self.problem.model.covers_sets and "relational_ncp" in self.losses:
            return "NCP of the columns"
        weighted = "weighted " if f"weighted_{self.problem.loss.name}" in self.losses else ""
        return f"{weighted}{self.problem.loss.name.upper()}"

    @cached_property
    def summary(self) -> RecodingSummary:
        """The recoding in figures. It counts items and labels that occur in the data."""
        return self.recoding.summary(self.problem.items)

    @property
    def usefulness(self) -> Usefulness:
        """How many items can still be read."""
        return self.comparison.usefulness

    @property
    def worthless(self) -> Worthless | None:
        """Why the release is nearly worthless (see :mod:`shoal.metrics.usefulness`), or None."""
        return self.usefulness.worthless if self.problem.model.covers_sets else None

    @property
    def change(self) -> Change | None:
        """The items that were added, deleted or shuffled, or None if the algorithm does not do that."""
        return None if self.algorithm.truthful else self.comparison.change

    @cached_property
    def falsehoods(self) -> list[Note]:
        """Notes on false statements in the published data. Empty for algorithms that generalize or suppress."""
        return [] if self.change is None else self.recoding.falsehoods(self.change)

    @cached_property
    def note_values(self) -> tuple[Note, ...]:
        """The notes as values, first those on false statements."""
        return notes.of_release(self)

    @property
    def notes(self) -> list[str]:
        """What a publisher must know beyond the guarantee, as sentences."""
        return self.reporter.warnings()

    @cached_property
    def codebook(self) -> CodeBook:
        """The items that each published label represents, without anything about the data. ``save(path)`` writes it."""
        published, hierarchy = self.published, self.problem.hierarchy
        labels = {published.rows.labels[code]: code for code in np.flatnonzero(published.rows.supports).tolist()}
        covers = {
            label: published.cover(code).tolist() for label, code in labels.items() if label not in hierarchy.code_of
        }
        sets = {label: items for label, items in covers.items() if len(items) > 1}
        return CodeBook.of_labels(hierarchy, labels).with_sets(hierarchy, sets)

    @property
    def saved_recoding(self) -> SavedRecoding:
        """What was done to the items. :func:`shoal.apply` does the same to other data."""
        return SavedRecoding.of(self)

    @property
    def groups_siblings(self) -> bool:
        """Whether published labels are groups of siblings, so that readers need the code book."""
        owner = self.problem.hierarchy.refines
        return owner is not None and any(label not in owner.code_of for label in self.codebook.labels)

    @property
    def needs_codebook(self) -> bool:
        """Whether readers need the code book: labels are published that no hierarchy of the owner explains."""
        return self.groups_siblings or (was_built(self.problem.data) and bool(self.codebook.labels))

    def save(
        self,
        path: str | Path,
        *,
        codebook: str | Path | bool | None = None,
        persons: str | Path | None = None,
        parts: int | None = None,
        certificate: str | Path | None = None,
        key: Any = None,
        recoding: str | Path | None = None,
        **layout: Any,
    ) -> Release:
        """Write the published data, and the code book if it is needed. Either all files are written or none.

        Parameters
        ----------
        path
            The file. It has the layout of the input, unless its suffix or ``layout`` sets another one.
        codebook
            The file of the code book: CSV, or JSON if the name ends in .json. By default it is written next to ``path``
            as ``NAME.codebook.csv`` if groups of siblings are published. True: always write it. False: never.
        persons
            A file for the ids of persons, one for each published record. Use it for your own checks with
            ``shoal.verify(.., persons=FILE)``. Do not publish it.
        parts
            Write a folder with this number of files instead of one file. 0: one for every million records. This is the
            default if ``path`` is a text that ends in ``/``.
        certificate
            A file for the certificate: what was promised, checked and lost, with the hashes of the files. It holds
            nothing of the original data but totals, so it may be published. ``shoal.verify_certificate`` checks it.
        key
            The private key that signs the certificate (:class:`shoal.evidence.PrivateKey`), or its file. Without one,
            the certificate is not signed.
        recoding
            A file for what was done to the items. :func:`shoal.apply` does the same to other data. Do not publish it.
        **layout
            Options of :func:`shoal.io.write`.

        Returns
        -------
        Release
            The same release, with the names and hashes of the files in its provenance.
        """
        from shoal.files import all_or_none, names_folder

        parts = 0 if parts is None and names_folder(path) else parts
        if codebook is None:
            codebook = self.needs_codebook
        book = codebook_path(path) if codebook is True else Path(codebook) if codebook else None
        if codebook is True:
            refuse_other_codebook(path, self.codebook)
        if book is not None and book.resolve() == Path(path).resolve():
            raise OutputError(f"{path} cannot hold both the data and the code book: name two files.")
        if persons is not None and Path(persons).resolve() in {one.resolve() for one in (Path(path), book) if one}:
            raise OutputError(f"{persons} cannot hold both the persons and the published data: name two files.")
        if key is not None and certificate is None:
            raise OptionError("key= signs a certificate: name its file with certificate=, or leave key= out.")
        saved_recoding = None if recoding is None else self.saved_recoding
        certifier = None if certificate is None else discovery.get("shoal.evidence", Certifier, "certificate")()
        if certifier is not None:
            certifier.check(self)
        with all_or_none():
            written = self._write(path, parts, **layout)
            book_file = book and {"name": book.name, "sha256": self.codebook.save(book)}
            more: dict[str, Any] = {"codebook": book_file}
            if persons is not None:
                more["persons"] = self._write_persons(Path(persons))
            if saved_recoding is not None and recoding is not None:
                more["recoding"] = recoding_file.save(saved_recoding, recoding)
            saved = replace(written, provenance={**written.provenance, **more})
            if certifier is not None and certificate is not None:
                entry = certifier.write(saved, Path(certificate), key)
                saved = replace(saved, provenance={**saved.provenance, "certificate": entry})
        return saved

    def _write_persons(self, path: Path) -> dict[str, Any]:
        """Write the person of each published record. Return the entry for the provenance."""
        from shoal.io.persons_file import write_persons

        known = self.problem.persons
        if known is None:
            raise OptionError(
                f"{path} cannot be written, because no persons are known: name their column with person=, or leave the "
                f"file out."
            )
        write_persons((known if self.order is None else known.take(self.order)).ids_of_rows(), path)
        return {**self.provenance["persons"], "file": path.name}

    def _write(self, path: str | Path, parts: int | None, **layout: Any) -> Release:
        """Write the published data. Return the release with the hash of the file."""
        from shoal import io

        if added := self.problem.model.adds_columns:
            io.check_columns(self.problem.data, added, path, layout.get("format"))
        dataset = self.dataset
        if parts is None:
            listed = [(Path(path).name, io.write(dataset, path, **layout))]
        else:
            listed = io.write_listed_parts(dataset, path, parts, **layout)
        sha256 = listed[0][1] if parts is None else io.hash_of_parts(listed)
        options = io.options_to_read(dataset, path, **layout)
        release_batches()  # of the texts of the last batch
        output: dict[str, Any] = {"name": Path(path).name, "sha256": sha256, "read_options": options}
        output["files"] = [{"name": name, "sha256": digest} for name, digest in listed]
        return replace(self, provenance={**self.provenance, "output": output})

    @cached_property
    def reporter(self) -> Reporter:
        """The reporter of this release."""
        return discovery.get("shoal.report", Reporter, "story").of(self)

    def report(
        self,
        path: str | Path,
        *,
        explained: bool = True,
        public: bool = False,
        threshold: str | float | Sequence[str | float] = (),
        context: str | Path | None = None,
    ) -> None:
        """Write a report as HTML, JSON or Markdown. Only a public one may be published: others quote the original data.

        Parameters
        ----------
        path
            The file. Its suffix sets the format: ``.html``, ``.json`` or ``.md``.
        explained
            Whether the report names the rare sets of the original data that forced each group.
        public
            Whether to write the public report, which holds nothing of the original data but totals.
        threshold
            A risk that the risk of each record is compared with, such as 0.05 or ``"ema"``, or several.
        context
            A TOML file with what only people know: recipients, contracts, who is responsible.
        """
        thresholds = (threshold,) if isinstance(threshold, str | float | int) else tuple(threshold)
        self.reporter.write(Path(path), explained=explained, public=public, thresholds=thresholds, context=context)

    def _repr_html_(self) -> str:
        """Return the card for notebooks."""
        return self.reporter.card()


def peak_memory() -> int | None:
    """Return the peak resident memory of this process in bytes, or None if the system does not say."""
    with contextlib.suppress(OSError, StopIteration):  # on Linux, the resource module counts the parent process, too
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) * 1024
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
