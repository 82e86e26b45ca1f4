"""Release: published data with their proof, their losses and their provenance."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.data.arrays import Counts
from shoal.data.dataset import Dataset
from shoal.data.note import Note
from shoal.data.table import Role
from shoal.errors import OptionError, OutputError
from shoal.hierarchies.codebook import CodeBook, beside
from shoal.metrics.change import Change
from shoal.metrics.comparison import Comparison
from shoal.metrics.risk import Exposure
from shoal.metrics.usefulness import Usefulness, Worthless
from shoal.models.base import PrivacyModel, Verdict
from shoal.problem import Prepared
from shoal.published import Published
from shoal.recoding import Recoding, RecodingSummary
from shoal.recoding.solution import Optimality, Solution
from shoal.release import notes
from shoal.release.order import by_content
from shoal.release.reporter import Reporter


@dataclass(frozen=True, eq=False)
class Release:
    """What :func:`shoal.anonymize` returns: the only thing that can be written or reported."""

    problem: Prepared[PrivacyModel]
    algorithm: Algorithm
    solution: Solution
    comparison: Comparison  # of the data and what is published; what is measured of it is computed once
    verdict: Verdict
    losses: dict[str, float]
    timings: dict[str, float]
    provenance: dict[str, Any]
    cpu_timings: dict[str, float] = field(default_factory=dict)  # the same steps as in timings, on all processors

    def __repr__(self) -> str:
        """Never the data themselves."""
        model = self.problem.model
        loss = f"NOT TRUTHFUL: {self.falsehoods[0]}" if self.falsehoods else f"ncp={self.losses['ncp']:.6f}"
        loss += ", NEARLY WORTHLESS" if self.worthless else ""
        return f"Release({self.published!r}, {model!r}, {self.algorithm!r}, {loss})"

    @property
    def published(self) -> Published:
        """What the world sees."""
        return self.comparison.published

    @property
    def recoding(self) -> Recoding:
        """How the data were changed."""
        return self.solution.recoding

    @property
    def optimality(self) -> Optimality | None:
        """What is proved about how good that is; none: nothing."""
        return self.solution.optimality

    @cached_property
    def order(self) -> Counts | None:
        """For each published record the row of the input that it is, if some person has several; None: as they stood.

        Such records are published by their content, as neighbours in the input may be of one person.
        """
        persons = self.problem.persons
        return by_content(self.aligned) if persons is not None and persons.several else None

    @property
    def dataset(self) -> Dataset:
        """The published records with the columns beside them but identifiers, laid out as the input was."""
        return self.aligned if self.order is None else self.aligned.reordered(self.order)

    @property
    def aligned(self) -> Dataset:
        """The same in the order of the input."""
        data = self.problem.model.to_dataset(self.problem.data, self.published)
        if data.table is None:
            return data
        roles = data.table.roles
        return data.keep_columns([name for name in data.table.names if roles.get(name) is not Role.IDENTIFIER])

    @property
    def data(self) -> Any:
        """The published data as the kind of object that the input was: a data frame for a data frame, and so on."""
        from shoal import io

        return io.to_native(self.dataset)

    @cached_property
    def risk_before(self) -> Exposure:
        """What an attacker could do with the raw data."""
        return self.problem.model.risk(self.problem.original)

    @cached_property
    def risk_after(self) -> Exposure:
        """What an attacker can do with the published data."""
        return self.problem.model.risk(self.published)

    @property
    def loss(self) -> float:
        """The information loss that was minimised: that of the items, or of the columns if the sets are left alone."""
        if not self.problem.model.covers_sets and "relational_ncp" in self.losses:
            return self.losses["relational_ncp"]
        name = self.problem.loss.name
        return self.losses.get(f"weighted_{name}", self.losses[name])

    @property
    def loss_name(self) -> str:
        """The name of that loss, for people."""
        if not self.problem.model.covers_sets and "relational_ncp" in self.losses:
            return "NCP of the columns"
        weighted = "weighted " if f"weighted_{self.problem.loss.name}" in self.losses else ""
        return f"{weighted}{self.problem.loss.name.upper()}"

    @cached_property
    def summary(self) -> RecodingSummary:
        """The recoding in figures; of items and labels, it counts those that occur in the data."""
        return self.recoding.summary(self.problem.items)

    @property
    def usefulness(self) -> Usefulness:
        """How much of the items can still be read."""
        return self.comparison.usefulness

    @property
    def worthless(self) -> Worthless | None:
        """Why the release is nearly worthless (:mod:`shoal.metrics.usefulness`); None: it is not."""
        return self.usefulness.worthless if self.problem.model.covers_sets else None

    @property
    def change(self) -> Change | None:
        """Which items were added to records and which deleted, for methods that do so, or that deal items anew."""
        return None if self.algorithm.truthful else self.comparison.change

    @cached_property
    def falsehoods(self) -> list[Note]:
        """What a publisher must know where not all is true that is published; mostly nothing."""
        return [] if self.change is None else self.recoding.falsehoods(self.change)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What a publisher must know beyond the guarantee; first the falsehoods."""
        return notes.of_release(self)

    @property
    def warnings(self) -> list[str]:
        """The notes in words."""
        return self.reporter.warnings()

    @cached_property
    def codebook(self) -> CodeBook:
        """What each published label represents, items apart; nothing about the data. ``.save(path)`` writes it."""
        published, hierarchy = self.published, self.problem.hierarchy
        labels = {published.rows.labels[code]: code for code in np.flatnonzero(published.rows.supports).tolist()}
        covers = {
            label: published.cover(code).tolist() for label, code in labels.items() if label not in hierarchy.code_of
        }
        sets = {label: items for label, items in covers.items() if len(items) > 1}
        return CodeBook.of_labels(hierarchy, labels).with_sets(hierarchy, sets)

    @property
    def groups_siblings(self) -> bool:
        """Whether labels are published that are no nodes of the owner's hierarchy: readers need the code book."""
        owner = self.problem.hierarchy.refines
        return owner is not None and any(label not in owner.code_of for label in self.codebook.labels)

    def save(
        self,
        path: str | Path,
        *,
        codebook: str | Path | bool | None = None,
        persons: str | Path | None = None,
        **layout: Any,
    ) -> Release:
        """Write the published data and, if they hold groups of siblings, the code book; all files or none.

        Parameters
        ----------
        path
            The file. It is laid out as the input was, unless its suffix or ``layout`` asks for something else.
        codebook
            Where the code book goes (CSV, or JSON if the name ends in .json). None: beside the file, as
            ``NAME.codebook.csv``, if groups of siblings are published; True: there in any case; False: nowhere.
        persons
            Where the ids of persons go: one for each published record, in their order. For your own checks with
            ``shoal.verify(.., persons=FILE)``; not to be published.
        **layout
            As :func:`shoal.io.write` takes it.

        Returns
        -------
        Release
            The same, with the hashes of the files.
        """
        from shoal.files import all_or_none

        if codebook is None:
            codebook = self.groups_siblings
        book = beside(path) if codebook is True else Path(codebook) if codebook else None
        if book is not None and book.resolve() == Path(path).resolve():
            raise OutputError(f"{path} is to hold both the data and the code book: name two files.")
        if persons is not None and Path(persons).resolve() in {one.resolve() for one in (Path(path), book) if one}:
            raise OutputError(f"{persons} is to hold both the persons and what is published: name two files.")
        with all_or_none():
            written = self._write(path, **layout)
            book_file = book and {"name": book.name, "sha256": self.codebook.save(book)}
            more: dict[str, Any] = {"codebook": book_file}
            if persons is not None:
                more["persons"] = self._write_persons(Path(persons))
        return replace(written, provenance={**written.provenance, **more})

    def _write_persons(self, path: Path) -> dict[str, Any]:
        """Write whose the published records are; returns what the provenance says about it."""
        from shoal.io.persons_file import write_persons

        known = self.problem.persons
        if known is None:
            raise OptionError(
                f"{path} cannot be written: no persons are known. Name their column (--person), or leave the file out."
            )
        write_persons((known if self.order is None else known.take(self.order)).ids_of_rows(), path)
        return {**self.provenance["persons"], "file": path.name}

    def _write(self, path: str | Path, **layout: Any) -> Release:
        """Write the published data; returns the release with the file's hash."""
        from shoal import io

        if added := self.problem.model.adds_columns:
            io.check_columns(self.problem.data, added, path, layout.get("format"))
        sha256 = io.write(self.dataset, path, **layout)
        options = io.options_to_read(self.dataset, path, **layout)
        output = {"name": Path(path).name, "sha256": sha256, "read_options": options}
        return replace(self, provenance={**self.provenance, "output": output})

    @cached_property
    def reporter(self) -> Reporter:
        """What tells people about this release."""
        return discovery.get("shoal.report", Reporter, "story").of(self)

    def report(self, path: str | Path, *, explained: bool = True) -> None:
        """Write a report: ``.html``, ``.json`` or ``.md``; ``explained``: with the rare sets that forced each group."""
        self.reporter.write(Path(path), explained=explained)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return self.reporter.card()


def peak_memory() -> int | None:
    """Peak resident memory of this process in bytes, where the system tells."""
    with contextlib.suppress(
        OSError, StopIteration
    ):  # Linux; its resource usage counts that of whoever started us, too
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) * 1024
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
