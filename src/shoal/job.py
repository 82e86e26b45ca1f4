"""Job: one anonymization from files to files, as the command line and problem files describe it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from shoal import discovery, hierarchies, io, report
from shoal.algorithms import Algorithm
from shoal.anonymize import anonymize
from shoal.columns import Column
from shoal.data import Dataset, Hierarchy
from shoal.data.tags import Tags
from shoal.engines import LOCAL, Engine
from shoal.errors import OptionError, OutputError, did_you_mean
from shoal.io.detect import layout_named
from shoal.io.files import all_or_none, check_writable
from shoal.metrics import AdditiveLoss
from shoal.privacy import PrivacyModel
from shoal.problem import Problem
from shoal.release import Release
from shoal.weights import Weights


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to read, how to anonymize it, and what to write."""

    data: Path
    output: Path
    privacy: PrivacyModel
    algorithm: Algorithm
    reading: Mapping[str, Any] = field(default_factory=dict)  # as shoal.read takes it
    hierarchy: Mapping[str, Path] = field(default_factory=dict)  # of the items: "", or the name of each set column
    hierarchy_format: str | None = None
    columns: Mapping[str, Column | str] = field(default_factory=dict)  # what each column beside the sets is
    keep: Sequence[str] | None = None  # the columns beside the sets to publish; none: all
    loss: str = "ncp"
    weights: Path | None = None
    unknown_items: Literal["error", "root"] = "error"
    allow_missing: bool = False
    seed: int = 0
    reports: tuple[Path, ...] = ()
    explanations: bool = True
    output_format: str | None = None
    lists: tuple[Path, ...] = ()  # further files that are read: lists of labels

    def run(self, engine: Engine = LOCAL) -> Release:
        """Search, apply, verify, and only then write: all files or none."""
        self.check()
        release = anonymize(self.problem(), self.algorithm, engine)
        with all_or_none():
            release = release.write(self.output, format=self.output_format)
            for path in self.reports:
                release.report(path, explained=self.explanations)
        return release

    def check(self) -> None:
        """Whatever can be refused before any work."""
        trees = [said.hierarchy for said in self.columns.values() if isinstance(said, Column)]
        files = [Path(tree) for tree in trees if isinstance(tree, str | Path)]
        check_outputs(
            [self.data, *self.hierarchy.values(), self.weights, *files, *self.lists], [self.output, *self.reports]
        )
        hidden = [] if self.keep is None else [name for name in self.privacy.columns if name not in self.keep]
        if hidden:
            raise OptionError(
                f"--columns leaves out the sensitive column '{hidden[0]}': name it too, or do not declare it."
            )
        for path in self.reports:
            report.form_of(path)
        if self.output_format:
            layout_named(self.output_format)
        if not self.hierarchy and self.algorithm.needs_hierarchy:
            raise OptionError(
                f"{self.algorithm.name} needs --hierarchy FILE: give one, or make one with "
                f"'shoal hierarchy build {self.data} -o hierarchy.csv'."
            )
        discovery.get("shoal.metrics", AdditiveLoss, self.loss)

    def problem(self) -> Problem:
        """Read everything."""
        trees = {name: hierarchies.load(path, format=self.hierarchy_format) for name, path in self.hierarchy.items()}
        counted = Weights.load(self.weights) if self.weights else None
        dataset = io.read(self.data, **self.reading)
        if self.keep is not None:
            dataset = dataset.keep_columns(self.keep)
        made = Problem(
            dataset,
            self._tree(dataset, trees),
            self.privacy,
            discovery.get("shoal.metrics", AdditiveLoss, self.loss)(),
            self.seed,
            self.unknown_items,
            counted,
            self.allow_missing,
            self.columns,
        )
        if self.privacy.adds_columns:
            io.check_columns(dataset, self.privacy.adds_columns, self.output, self.output_format)
        return made

    def _tree(self, dataset: Dataset, trees: Mapping[str, Hierarchy]) -> Hierarchy:
        """The hierarchy of the items; of several set columns, one that joins theirs."""
        names, multiset = dataset.origin.set_columns, bool(self.reading.get("multiset"))
        for name in trees:
            if name and name not in names:
                listed = ", ".join(f"'{one}'" for one in names) or "no name"
                raise OptionError(
                    f"A hierarchy is given for '{name}'{did_you_mean(name, names)}, which is neither a column of sets "
                    f"(these are called {listed}) nor a quasi-identifier."
                )
        if len(names) < 2 or "" in trees:
            return tree_for(dataset, trees.get("", trees.get(names[0]) if names else None), multiset=multiset)
        tags, items = Tags(names), dataset.transactions.labels
        own: dict[str, list[str]] = {name: [] for name in names}
        for label in items:
            column, item = tags.place(label)
            own[column].append(item)
        given = {name: trees[name] if name in trees else Hierarchy.flat(own[name]) for name in names}
        return tree_for(dataset, hierarchies.joined(given), multiset=multiset)


def tree_for(data: Dataset, tree: Hierarchy | None, *, multiset: bool) -> Hierarchy:
    """The hierarchy for the data: a flat one if none was given; with counted items below their items, if so read."""
    items = data.transactions.labels
    if tree is None:
        tree = Hierarchy.flat(hierarchies.without_counts(items) if multiset else items)
    return hierarchies.with_counts(tree, items) if multiset else tree


def check_outputs(sources: Sequence[Path | None], targets: Sequence[Path]) -> None:
    """Nothing is overwritten that was read; everything can be written; before any work."""
    for target in targets:
        check_writable(target)
        for source in sources:
            if source is not None and target.exists() and source.exists() and target.samefile(source):
                raise OutputError(f"{target} is also read: name another file to write.")
    if len({target.resolve() for target in targets}) < len(targets):
        raise OutputError("The output and the reports must be different files.")
