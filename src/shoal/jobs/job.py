"""Job: one anonymization from files to files, as the command line and problem files describe it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from shoal import discovery, hierarchies, io, report
from shoal.algorithms import Algorithm
from shoal.data import Dataset, Hierarchy
from shoal.data.columns import Column
from shoal.data.table import Role
from shoal.data.tags import Tags
from shoal.engines import LOCAL, Engine
from shoal.errors import OptionError, OutputError, did_you_mean
from shoal.files import all_or_none, check_writable
from shoal.hierarchies import codebook
from shoal.hierarchies.codebook import beside
from shoal.hierarchies.weights import Weights
from shoal.io.detect import layout_named
from shoal.jobs.command import Command
from shoal.metrics import AdditiveLoss
from shoal.privacy import PrivacyModel
from shoal.problem import Problem
from shoal.release.pipeline import anonymize, check_max_loss, require_loss
from shoal.report import Story, headline


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to read, how to anonymize it, and what to write."""

    data: Path
    output: Path
    privacy: PrivacyModel
    algorithm: Algorithm
    reading: Mapping[str, Any] = field(default_factory=dict)  # as shoal.read takes it
    hierarchy: Mapping[str, str] = field(default_factory=dict)  # of the items: "", or of the column of that name
    hierarchy_format: str | None = None
    columns: Mapping[str, Column | str] = field(default_factory=dict)  # what each column beside the sets is
    missing: tuple[str, ...] = ()  # values of quasi-identifiers that mean "not known"
    keep: Sequence[str] | None = None  # the columns beside the sets to publish; none: all
    loss: str = "ncp"
    weights: Path | None = None
    unknown_items: Literal["error", "root"] = "error"
    allow_missing: bool = False
    seed: int = 0
    reports: tuple[Path, ...] = ()
    explanations: bool = True
    output_format: str | None = None
    escape_formulas: bool = False
    codebook: Path | bool | None = None  # what its labels stand for; none: beside the output, if siblings are grouped
    max_loss: float | None = None  # the loss above which nothing is written
    lists: tuple[Path, ...] = ()  # further files that are read: lists of labels

    def run(self, engine: Engine = LOCAL, seen: Callable[[Dataset], object] = lambda data: None) -> Story:
        """Search, apply, verify, and only then write: all files or none; ``seen`` is given the data as read.

        It returns the release with what was looked up for its reports.
        """
        self.check()
        release = anonymize(self.problem(seen), self.algorithm, engine)
        story = Story.of(release, Command.of(self), engine, explained=self.explanations)
        if release.worthless:
            story.findings.tried  # noqa: B018  (while the engine still shows progress, and before anything is written)
        if self.max_loss is not None:
            require_loss(release, self.max_loss, f"--max-loss {self.max_loss:g}", partial(headline.remedy_line, story))
        with all_or_none():
            written = release.write(
                self.output,
                format=self.output_format,
                codebook=self.codebook,
                escape_formulas=self.escape_formulas,
            )
            story = story.of_written(written)
            for path in self.reports:
                report.write(story, path)
        return story

    def check(self) -> None:
        """Whatever can be refused before any work."""
        trees = [said.hierarchy for said in self.columns.values() if isinstance(said, Column)]
        files = [Path(tree) for tree in (*trees, *self.hierarchy.values()) if isinstance(tree, str | Path)]
        check_max_loss(self.max_loss, self.algorithm, "--max-loss")
        files += [Path(name) for name in (*self.algorithm.files, *self.privacy.files)]
        book = self.codebook if isinstance(self.codebook, Path) else beside(self.output)
        written = [self.output, *([book] if isinstance(self.codebook, Path) else []), *self.reports]
        check_outputs([self.data, self.weights, *files, *self.lists], written)
        siblings = getattr(self.algorithm, "siblings", "none")
        if self.codebook is True or (self.codebook is None and siblings != "none"):
            try:
                check_outputs([self.data, self.weights, *files, *self.lists], [*written, book])
            except OutputError as error:
                raise OutputError(f"{error} (The code book: name it with --codebook, or pass --no-codebook.)") from None
        for name in self.algorithm.files:
            codebook.load(name)  # what is wrong with it is said now
        hidden = [] if self.keep is None else [name for name in self.privacy.columns if name not in self.keep]
        if hidden:
            raise OptionError(
                f"--columns leaves out the sensitive column '{hidden[0]}': name it too, or do not declare it."
            )
        for path in self.reports:
            report.format_of(path)
        if self.output_format:
            layout_named(self.output_format)
        if not self.hierarchy and self.algorithm.needs_hierarchy:
            raise OptionError(
                f"{self.algorithm.name} needs --hierarchy FILE: give one, or make one with "
                f"'shoal hierarchy build {self.data} -o hierarchy.csv'."
            )
        discovery.get("shoal.metrics", AdditiveLoss, self.loss)

    def problem(self, seen: Callable[[Dataset], object] = lambda data: None) -> Problem:
        """Read everything."""
        counted = Weights.load(self.weights) if self.weights else None
        dataset = read_for(self.privacy, self.data, self.reading)
        seen(dataset)
        dataset, said = kept(dataset, self.keep, self.columns)
        avoid = io.marks_to_write(dataset, self.output, self.output_format)
        dataset = replace(dataset, origin=replace(dataset.origin, avoid=avoid))
        made = Problem(
            dataset,
            items_tree(
                dataset, self.hierarchy, format=self.hierarchy_format, multiset=bool(self.reading.get("multiset"))
            ),
            self.privacy,
            discovery.get("shoal.metrics", AdditiveLoss, self.loss)(),
            self.seed,
            self.unknown_items,
            counted,
            self.allow_missing,
            described(dataset, self.privacy, said, self.hierarchy, self.missing),
        )
        if self.privacy.adds_columns:
            io.check_columns(dataset, self.privacy.adds_columns, self.output, self.output_format)
        return made


def kept(
    data: Dataset, keep: Sequence[str] | None, columns: Mapping[str, Column | str]
) -> tuple[Dataset, dict[str, Column | str]]:
    """The data with the columns to publish alone (none: all), and what is said of the columns but those left out."""
    if keep is None:
        return data, dict(columns)
    left = () if data.table is None else set(data.table.names) - set(keep)
    return data.keep_columns(keep), {name: said for name, said in columns.items() if name not in left}


def described(
    data: Dataset,
    privacy: PrivacyModel,
    columns: Mapping[str, Column | str],
    hierarchy: Mapping[str, str],
    missing: Sequence[str] = (),
) -> dict[str, Column | str]:
    """What is said of the columns, with the hierarchies that are named apart, and the values that mean "not known"."""
    names = () if data.table is None else data.table.names
    said, plain = dict(columns), Column(missing=tuple(missing))
    of = {name: tree for name, tree in hierarchy.items() if name}  # "" are the items, even if a column has no name
    for name in names:
        one = said.get(name, plain)
        if isinstance(one, Column) and privacy.relational and name not in privacy.columns:
            tree = of.get(name, one.hierarchy)
            said[name] = replace(one, hierarchy=tree, missing=tuple(dict.fromkeys((*one.missing, *missing))))
    for name in of:
        about = said.get(name)
        known = isinstance(about, Column) and about.role in (None, Role.QUASI_IDENTIFIER)
        if name in names and not known:
            raise OptionError(f"A hierarchy is given for column '{name}', which is no quasi-identifier: leave it out.")
    return said


def items_tree(data: Dataset, given: Mapping[str, str], *, format: str | None, multiset: bool) -> Hierarchy:
    """The hierarchy of the items, of several set columns one that joins theirs; others are those of other columns."""
    names, beside = data.origin.set_columns, () if data.table is None else data.table.names
    for name in given:
        if name and name not in names and name not in beside:
            known = (*names, *beside)
            listed = ", ".join(f"'{one}'" for one in known) or "none"
            raise OptionError(
                f"A hierarchy is given for '{name}'{did_you_mean(name, known)}, but {data.origin.name} has no such "
                f"column (it has {listed})."
            )
    trees = {name: hierarchies.load(path, format=format) for name, path in given.items() if not name or name in names}
    if len(names) < 2 or "" in trees:
        return tree_for(data, trees.get("", trees.get(names[0]) if names else None), multiset=multiset)
    tags = Tags(names)
    own: dict[str, list[str]] = {name: [] for name in names}
    for label in data.transactions.labels:
        column, item = tags.place(label)
        own[column].append(item)
    return tree_for(
        data,
        hierarchies.joined({name: trees.get(name) or Hierarchy.flat(own[name]) for name in names}),
        multiset=multiset,
    )


def read_for(privacy: PrivacyModel, path: Path, reading: Mapping[str, Any]) -> Dataset:
    """The data; for a model that is not about sets, they have sets only if it is said, or plain, which column it is."""
    if privacy.about_sets or reading.get("column") is not None or not reading.get("sets", True):
        return io.read(path, **reading)
    data = io.read(path, **{**reading, "sets": False})
    likely = io.likely_sets(data)
    return data if len(likely) != 1 else io.read(path, **{**reading, "column": likely[0]})


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
            if source is not None and os.path.exists(source) and target.exists() and target.samefile(source):
                raise OutputError(f"{target} is also read: name another file to write.")
    if len({target.resolve() for target in targets}) < len(targets):
        raise OutputError("The output, the code book and the reports must be different files.")
