"""Release: published data with their proof, their losses and their provenance."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shoal import discovery
from shoal.algorithms import Algorithm
from shoal.data.dataset import Dataset
from shoal.data.sensitive import lookalikes, spelling_notes
from shoal.data.table import Role
from shoal.errors import OutputError
from shoal.hierarchies.codebook import CodeBook, beside
from shoal.metrics import Comparison
from shoal.metrics.change import Change
from shoal.metrics.risk import Exposure
from shoal.metrics.usefulness import Usefulness, Worthless
from shoal.options import say
from shoal.privacy import Verdict
from shoal.privacy.sensitive import SensitiveItems
from shoal.problem import Problem
from shoal.published import Published
from shoal.recoding import Clustered, Dealt, LocalSets, Recoding
from shoal.recoding.solution import Optimality, Solution
from shoal.release.reporter import Reporter


@dataclass(frozen=True, eq=False)
class Release:
    """What :func:`shoal.anonymize` returns: the only thing that can be written or reported."""

    problem: Problem
    algorithm: Algorithm
    solution: Solution
    comparison: Comparison  # of the data and what is published; what is measured of it is computed once
    verdict: Verdict
    losses: dict[str, float]
    timings: dict[str, float]
    provenance: dict[str, Any]

    def __repr__(self) -> str:
        """Never the data themselves."""
        privacy = self.problem.privacy
        loss = f"ncp={self.losses['ncp']:.6f}"
        if self.made_up and isinstance(self.recoding, Dealt):
            loss = "NOT TRUTHFUL: sensitive items dealt anew inside groups"
        elif self.made_up and self.change is not None:
            added, deleted = len(self.change.added.items), len(self.change.deleted.items)
            loss = f"NOT TRUTHFUL: {added:,} items added, {deleted:,} deleted"
        loss += ", NEARLY WORTHLESS" if self.worthless else ""
        return f"Release({self.published!r}, {privacy!r}, {self.algorithm!r}, {loss})"

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

    @property
    def dataset(self) -> Dataset:
        """The published rows with the columns beside them but identifiers, laid out as the input was."""
        data = self.problem.privacy.written(self.problem.data, self.published)
        if data.table is None:
            return data
        roles = data.table.roles
        return data.keep_columns([name for name in data.table.names if roles.get(name) is not Role.IDENTIFIER])

    @property
    def data(self) -> Any:
        """The published data as the kind of object that the input was: a data frame for a data frame, and so on."""
        from shoal import io

        return io.to_kind(self.dataset)

    @cached_property
    def risk_before(self) -> Exposure:
        """What an adversary could do with the raw data."""
        return self.problem.privacy.risk(self.problem.raw)

    @cached_property
    def risk_after(self) -> Exposure:
        """What an adversary can do with the published data."""
        return self.problem.privacy.risk(self.published)

    @property
    def loss(self) -> float:
        """The information loss that was minimised: that of the items, or of the columns if the sets are left alone."""
        if not self.problem.privacy.about_sets and "relational_ncp" in self.losses:
            return self.losses["relational_ncp"]
        name = self.problem.loss.name
        return self.losses.get(f"weighted_{name}", self.losses[name])

    @property
    def loss_name(self) -> str:
        """The name of that loss, for people."""
        if not self.problem.privacy.about_sets and "relational_ncp" in self.losses:
            return "NCP of the columns"
        weighted = "weighted " if f"weighted_{self.problem.loss.name}" in self.losses else ""
        return f"{weighted}{self.problem.loss.name.upper()}"

    @cached_property
    def summary(self) -> dict[str, object]:
        """The recoding in figures; of items and labels, it counts those that occur in the data."""
        return self.recoding.summary(self.problem.items)

    @property
    def usefulness(self) -> Usefulness:
        """How much of the items can still be read."""
        return self.comparison.usefulness

    @property
    def worthless(self) -> Worthless | None:
        """Why the release is nearly worthless (:mod:`shoal.metrics.usefulness`); None: it is not."""
        return self.usefulness.worthless if self.problem.privacy.about_sets else None

    @property
    def change(self) -> Change | None:
        """Which items were added to records and which deleted, for methods that do so, or that deal items anew."""
        return None if self.algorithm.truthful else self.comparison.change

    @property
    def made_up(self) -> list[str]:
        """What a publisher must know where not all is true that is published; mostly nothing."""
        from shoal.report.untrue import made_up

        return [] if self.change is None else made_up(self.change, self.recoding)

    @property
    def warnings(self) -> list[str]:
        """What a publisher must know beyond the guarantee."""
        from shoal.report import column_notes

        notes = [*self.made_up, *self.problem.privacy.notes]
        guarded = self.problem.privacy.columns
        beside = self.dataset.table.names if self.dataset.table is not None else ()
        own = {*guarded, *self.problem.privacy.adds_columns, *self.problem.quasi_identifiers}
        names = [f"'{name}'" for name in beside if name not in own]
        if not self.problem.privacy.about_sets and len(self.problem.items.items):
            notes.append("The sets are published untouched: the guarantee covers the quasi-identifying columns only.")
        if names:
            columns = f"column {names[0]} is" if len(names) == 1 else f"columns {', '.join(names)} are"
            only = "sets and the quasi-identifying columns" if self.problem.quasi_identifiers else "sets"
            only = only if self.problem.privacy.about_sets else "quasi-identifying columns"
            notes.append(
                f"The {columns} published untouched: the guarantee covers the {only} only. "
                f"Drop whatever could identify a person."
                f"{' Items that were added would be false statements about that person.' if self.made_up else ''}"
            )
        index = getattr(getattr(self.problem.data.origin.layout, "frame", None), "index", None)
        if self.problem.privacy.relational and index is not None and type(index).__name__ != "RangeIndex":
            notes.append("The index of the data frame has no role and was dropped: make it a column if it is needed.")
        if self.problem.data.origin.dropped:
            notes.append(f"Items that were left out when the data were read: {say(self.problem.data.origin.dropped)}.")
        notes += column_notes.notes(self.problem, self.published, self.dataset, self.losses)
        sets = self.recoding.sets if isinstance(self.recoding, Clustered) else None
        if isinstance(sets, LocalSets) and not self.problem.hierarchy.is_flat:
            notes.append("The hierarchy of the items was not used: --within sets needs none, --within aa uses it.")
        notes += self._declared()
        if self.problem.added_items:
            added = self.problem.added_items
            items = "1 item was" if added == 1 else f"{added:,} items were"
            notes.append(f"{items} not in the hierarchy and taken as directly below its root (unknown_items=root).")
            if self.groups_siblings:
                notes.append(
                    "Labels of groups and the code book name such items, too, however rare they are: if that must not "
                    "be known, add them to the hierarchy below a node of their own."
                )
        if (
            self.algorithm.truthful
            and self.problem.weights is not None
            and not self.problem.occurrences[-1]
            and len(self.problem.items.items)
        ):
            notes.append(
                "All items that occur have weight 0: nothing counts as lost, so any cut is as good as another."
            )
        if self.algorithm.reveals:
            notes.append(
                "Whoever knows the method and its options can rule out some originals, and may learn more than the "
                "published labels say. The definition still holds, but in a test on a tiny domain such an intruder "
                f"found a record with {self.algorithm.reveals}: see docs/minimality.md."
            )
        return notes + self._emptied()

    def _emptied(self) -> list[str]:
        """Which records are published without any item, and whether they had some."""
        if not self.problem.privacy.about_sets:
            return []
        hidden, notes = self.published.sensitive, []
        what = ("empty record", "empty records")
        if self.published.relational is not None:
            what = ("record without items", "records without items")
        way, gone = ("suppressed", "suppression") if self.algorithm.truthful else ("deleted", "deletion")
        if len(self.problem.items.items) and not len(self.published.rows.items):
            bare = "empty" if hidden is None else "without any item but sensitive values"
            more = ", more data, or another hierarchy" if self.algorithm.generalizes else " or more data"
            notes.append(
                f"Every item was {way}: all records are published {bare}. A weaker guarantee{more} would keep more."
            )
        empty = self.published.rows.sizes == 0
        told = np.zeros(len(empty), dtype=bool) if hidden is None else hidden.values.sizes > 0
        emptied = empty & (self.problem.items.sizes > 0)
        if count := int(np.count_nonzero(emptied)):
            apart = "" if hidden is None else ", sensitive values apart,"
            have, stay = (
                ("has lost all that it", "it stays") if count == 1 else ("have lost all that they", "they stay")
            )
            records = "1 record" if count == 1 else f"{count:,} records"
            notes.append(f"{records} {have} had{apart} to {gone}; {stay} in place.")
        for some, one, many in (
            (empty & ~told & ~emptied, f"{what[0]} is", f"{what[1]} are"),
            (
                empty & told & ~emptied,
                "record with nothing but sensitive values is",
                "records with nothing but sensitive values are",
            ),
        ):
            if count := int(np.count_nonzero(some)):
                other = "other " if emptied.any() else ""
                notes.append(f"1 {other}{one} published." if count == 1 else f"{count:,} {other}{many} published.")
        return notes

    def _declared(self) -> list[str]:
        """What to know about what was declared sensitive."""
        hidden = self.problem.set_apart
        if hidden is None:
            return []
        notes = []
        if missed := self.problem.missed:
            notes.append(f"Declared sensitive, but not in the data: {say(missed)}. Check the spelling.")
        if isinstance(self.problem.privacy, SensitiveItems) and not self.problem.sensitive.non_empty:
            notes.append(
                "No record holds a sensitive item: nothing was protected, and all records are published as they are."
            )
        for group, items in self.problem.sensitive_groups.items():
            if items:
                notes.append(f"'{group}' stands for {items:,} sensitive item{'' if items == 1 else 's'}.")
        for label, other in lookalikes(hidden.values.labels, self.problem.items.in_use().labels):
            notes.append(f"'{label}' is sensitive, '{other}', which looks like it, is not: an item like any other.")
        notes += spelling_notes(self.problem.data, hidden)
        for column in sorted(hidden.columns):
            named = sorted(label for label in hidden.labels if label.startswith(f"{column}="))
            if named:
                notes.append(f"Of the column '{column}' only these values are protected: {say(tuple(named))}.")
        return notes

    @cached_property
    def codebook(self) -> CodeBook:
        """What each published label stands for, items apart; nothing about the data. ``.save(path)`` writes it."""
        rows = self.published.rows
        return CodeBook.of_labels(self.problem.hierarchy, [rows.labels[code] for code in np.flatnonzero(rows.supports)])

    @property
    def groups_siblings(self) -> bool:
        """Whether labels are published that are no nodes of the owner's hierarchy: readers need the code book."""
        owner = self.problem.hierarchy.refines
        return owner is not None and any(label not in owner.code_of for label in self.codebook.labels)

    def write(self, path: str | Path, *, codebook: str | Path | bool | None = None, **layout: Any) -> Release:
        """Write the published data and, if they hold groups of siblings, the code book; both or neither.

        Parameters
        ----------
        path
            The file. It is laid out as the input was, unless its suffix or ``layout`` asks for something else.
        codebook
            Where the code book goes (CSV, or JSON if the name ends in .json). None: beside the file, as
            ``NAME.codebook.csv``, if groups of siblings are published; True: there in any case; False: nowhere.
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
        with all_or_none():
            written = self._write(path, **layout)
            told = book and {"name": book.name, "sha256": self.codebook.save(book)}
        return replace(written, provenance={**written.provenance, "codebook": told})

    def _write(self, path: str | Path, **layout: Any) -> Release:
        """Write the published data; returns the release with the file's hash."""
        from shoal import io

        if added := self.problem.privacy.adds_columns:
            io.check_columns(self.problem.data, added, path, layout.get("format"))
        sha256 = io.write(self.dataset, path, **layout)
        options = io.read_options(self.dataset, path, **layout)
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
