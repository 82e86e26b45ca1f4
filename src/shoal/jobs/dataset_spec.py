"""DatasetSpec: one description of a data set, for the command line, Python, problem files and comparisons.

It says where the data come from and how they are read, what their columns are, the hierarchy and the weights of their
items, and which part of the rows is taken. Whatever is declared as an option may be varied in a grid.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from shoal import hierarchies, io
from shoal.caching import cached_property
from shoal.data import Dataset, Hierarchy, Transactions
from shoal.data.columns import Column
from shoal.data.hierarchy import NO_HIERARCHY
from shoal.data.table import Role
from shoal.data.tags import Tags
from shoal.errors import OptionError, did_you_mean
from shoal.files import sha256_of
from shoal.generators.supermarket import product_hierarchy
from shoal.hierarchies import intervals
from shoal.hierarchies.default import build_default
from shoal.hierarchies.weights import Weights
from shoal.io.read_options import ReadOptions
from shoal.io.source import sha256_of_source
from shoal.jobs.generate import generate
from shoal.jobs.sampling import choose, draw_sensitive, items_modulo, only_items, rows_holding
from shoal.metrics.base import AdditiveLoss
from shoal.models.base import PrivacyModel
from shoal.options import Option, Spec, changed, option
from shoal.problem import Problem
from shoal.quoting import cells

OnRead = Callable[[Dataset], Dataset]  # gets the data as read, and returns the data to go on with
UNNAMED = "data"
GENERATORS = ("quest", "bms-pos", "videos", "supermarket")


@dataclass(frozen=True)
class DatasetSpec(Spec):
    """Describe a data set and its hierarchy. Nothing is read before it is needed.

    Parameters
    ----------
    reading
        How the file is read.
    hierarchy
        The hierarchy of each column, or its file: that of the items has the name ``""``.
    columns
        What each other column is.
    missing
        Values of quasi-identifiers that mean "not known".
    keep
        The other columns to publish. None: all.
    generator
        Options of the generator.
    source
        Data in memory, instead of a file.

    Examples
    --------
    >>> toy = DatasetSpec(label="toy", generate="quest", generator={"rows": 50, "items": 8, "mean_size": 3}, fanout=3)
    >>> data, tree = toy.load(seed=1)
    >>> len(data), tree.n_leaves, tree.height
    (50, 8, 2)
    """

    name = "data"

    label: str = option(UNNAMED, help="The name of the data set.")
    file: str = option("", help="The file of the data.")
    generate: str = option("", words=("", *GENERATORS), help="The generator of the data, instead of a file.")
    fanout: int = option(0, low=0, help="Children of a node of an artificial hierarchy; 0: none is built.")
    order: str = option(
        "label", words=("label", "frequency", "random"), help="The order of the items in the artificial hierarchy."
    )
    modulo: int = option(
        0, low=0, help="Number the items in order and take them modulo this; 0: do not. (Terrovitis et al. 2008.)"
    )
    rows: int = option(0, low=0, help="The number of rows, from the first; 0: all.")
    sample: int = option(0, low=0, help="The number of rows, drawn by the seed; 0: all.")
    kept_items: int = option(
        0, low=0, help="The number of items, drawn by the seed, with the rows that hold one; 0: all."
    )
    secrets: int = option(0, low=0, help="The number of sensitive items, drawn by the seed; 0: those of the model.")
    secrets_least: float = option(0.0, low=0, high=1, help="The least share of rows that hold a drawn sensitive item.")
    secrets_most: float = option(1.0, low=0, high=1, help="The largest share of rows that hold a drawn sensitive item.")
    hierarchy_format: str | None = option(
        None, metavar="NAME", rare=True, help="The format of the hierarchy, if its name and content do not tell."
    )
    levels: str = option(
        "",
        help="If the hierarchy is a table: its columns a,b,c, from the items to the widest groups.",
    )
    unknown_items: str = option(
        "error",
        words=("error", "root"),
        rare=True,
        help="What to do with items that the hierarchy lacks: stop, or put them directly below the root.",
    )
    weights: str = option(
        "",
        file=True,
        rare=True,
        help="A file with the weights of items or groups in the loss: rows such as 'medicines,10'. Others count 1.",
    )
    allow_missing: bool = option(
        False, rare=True, help="Continue if a sensitive label is not in the data. It may be misspelt."
    )
    reading: ReadOptions = field(default_factory=ReadOptions)
    hierarchy: Mapping[str, str | Hierarchy] = field(default_factory=dict)  # of the items: "", of columns: their names
    columns: Mapping[str, Column] = field(default_factory=dict)  # what each other column is
    missing: tuple[str, ...] = ()  # values of quasi-identifiers that mean "not known"
    keep: tuple[str, ...] | None = None  # the other columns to publish; None: all
    generator: Mapping[str, Any] = field(default_factory=dict)  # the options of the generator
    source: Any = field(default=None, repr=False)  # data in memory, instead of a file

    def __post_init__(self) -> None:
        """Refuse fields that contradict each other."""
        super().__post_init__()
        if [bool(self.file), bool(self.generate), self.source is not None].count(True) != 1:
            raise OptionError(f"Data '{self.label}': name a file, or one of the generators {', '.join(GENERATORS)}.")
        if self.generate and self.reading.person is not None:
            raise OptionError(f"Data '{self.label}': person is for files, generated data have none: leave it out.")
        if self.fanout == 1:
            raise OptionError(f"Data '{self.label}': fanout must be at least 2, or 0 for none, got 1.")
        if "rows" in self.generator and self.rows:
            raise OptionError(f"Data '{self.label}': rows is given twice, here and in the generator: leave one out.")
        if self.levels and "" not in self.hierarchy:
            raise OptionError(f"Data '{self.label}': levels are columns of a table: name its file as the hierarchy.")
        if "" in self.hierarchy and (self.fanout or self.order != "label"):
            raise OptionError(
                f"Data '{self.label}': give the hierarchy's file, or fanout and order of an artificial one, not both."
            )

    def called(self, option: Option) -> str:
        """Return the name of an option for error messages."""
        return option.name if self.label == UNNAMED else f"Data '{self.label}': {option.name}"

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the data set needs; levels such as width:5,10 are no files."""
        trees = [str(one.hierarchy) for one in self.columns.values() if isinstance(one.hierarchy, str | Path)]
        own = [tree for tree in self.hierarchy.values() if isinstance(tree, str)]
        named = (self.file, self.weights, *own, *trees, *self.reading.joined_files)
        return tuple(path for path in named if path and not intervals.is_spec(path))

    def require_files(self) -> Self:
        """Return the description itself, or raise an error if a file is missing."""
        for path in self.files:
            if not os.path.exists(path) and not glob.glob(path, recursive=True):
                raise OptionError(f"Data '{self.label}': {path} does not exist: check the path.")
        return self

    @property
    def changed_options(self) -> dict[str, Any]:
        """The options that are not at their defaults, without names and files. They tell variants apart."""
        left_out = ("label", "file", "generate", "hierarchy_format", "levels", "weights")
        return {name: value for name, value in changed(self).items() if name not in left_out} | dict(self.generator)

    @property
    def seeded(self) -> bool:
        """Whether the data depend on the seed of a case."""
        drawn = self.generate and "seed" not in self.generator
        return bool(self.sample or self.kept_items or self.secrets or drawn or self.order == "random")

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """Everything that the content depends on, without defaults. Files count by their content."""
        told = {
            **changed(self),
            "file": sha256_of_source(self.file) if self.file else "",
            "source": "" if self.source is None else self.read_for_model().sha256,
            "joined": [sha256_of_source(file) for file in self.reading.joined_files],
            "reading": {name: value for name, value in changed(self.reading).items() if name != "max_expanded"},
            "hierarchy": {name: _file(path) for name, path in self.hierarchy.items()},
            "columns": {name: _content(column) for name, column in self.columns.items()},
            "keep": self.keep,
            "missing": self.missing,
            "weights": sha256_of(self.weights) if self.weights else "",
            "generator": dict(self.generator),
        }
        return {name: value for name, value in told.items() if value not in (None, "", (), {}, [])}

    @property
    def content(self) -> str:
        """A hash of everything that the content depends on. If it differs, the data have changed."""
        told = json.dumps(self.fingerprint, sort_keys=True, default=str)
        return hashlib.sha256(told.encode()).hexdigest()[:12]

    def problem(
        self,
        model: PrivacyModel,
        loss: AdditiveLoss,
        seed: int = 0,
        on_read: OnRead = lambda data: data,
        *,
        publish: bool = True,
        build_hierarchy: bool = False,
    ) -> Problem[PrivacyModel]:
        """Read all files, and return the problem.

        With ``publish=False``, columns that the model does not need are left out. With ``build_hierarchy``, the items
        get a hierarchy if none is given; otherwise, they are siblings.
        """
        weights = Weights.load(self.weights) if self.weights else None
        data, tree, columns = self._prepare(seed, model, on_read)
        if self.secrets:
            shares = (self.secrets_least, self.secrets_most)
            drawn = draw_sensitive(data.transactions, self.secrets, shares, seed, f"Data '{self.label}'")
            if any(
                one.name == "sensitive" for one in model.options()
            ):  # other models see the same rows with the same items
                model = model.changed(sensitive=drawn)
        if build_hierarchy and not self._has_item_hierarchy(data, tree):
            data, tree = build_default(data, model.sensitive_labels, multiset=self.reading.multiset)
        if not publish and not model.relational and data.table is not None:
            data, columns = select_columns(data, model.columns, columns)
        specs = self.complete_column_specs(data, model, columns)
        unknown: Any = self.unknown_items
        return Problem(data, tree, model, loss, seed, unknown, weights, self.allow_missing, specs)

    def load(
        self, seed: int = 0, model: PrivacyModel | None = None, on_read: OnRead = lambda data: data
    ) -> tuple[Dataset, Hierarchy]:
        """Read or generate the data and the hierarchy of their items. Sampling does not change the hierarchy.

        ``on_read`` gets the data as read, and returns the data to go on with.
        """
        return self._prepare(seed, model, on_read)[:2]

    def _prepare(
        self, seed: int, model: PrivacyModel | None, on_read: OnRead
    ) -> tuple[Dataset, Hierarchy, dict[str, Column]]:
        """Return the data, the hierarchy, and the descriptions of the columns that are kept."""
        data, tree = self._generate(seed) if self.generate else (on_read(self.read_for_model(model)), None)
        data, columns = select_columns(data, self.keep, self.columns)
        if not self.generate:
            tree = self.load_item_hierarchy(data)
        if self.modulo:
            data, tree = data.with_transactions(items_modulo(data.transactions, self.modulo)), None
        if self.kept_items:
            chosen = choose(seed, 0, len(data.transactions.labels), self.kept_items)
            data, tree = data.take(rows_holding(data.transactions, chosen)), None
            data = data.with_transactions(only_items(data.transactions, chosen))
        if self.fanout and data.transactions.labels:
            tree = self._build_hierarchy(data.transactions, seed)
        tree = self.hierarchy_or_flat(data, tree)
        if self.rows and self.rows < len(data):
            data = data.take(np.arange(self.rows))
        if self.sample and self.sample < len(data):
            drawn = np.random.default_rng([seed, 2]).permutation(len(data))  # a small sample is a part of a larger one
            data = data.take(np.sort(drawn[: self.sample]))
        return data, tree, columns

    def read_for_model(self, model: PrivacyModel | None = None) -> Dataset:
        """Read the file. If the model is not about sets, read sets only if it is clear which column holds them."""
        return read_for_model(self.file if self.source is None else self.source, self.reading, model)

    def load_item_hierarchy(self, data: Dataset) -> Hierarchy:
        """Load the hierarchy of the items, or return a flat one. Hierarchies of several columns are joined."""
        names, others = data.origin.set_columns, () if data.table is None else data.table.names
        for name in self.hierarchy:
            if name and name not in names and name not in others:
                known = (*names, *others)
                listed = ", ".join(f"'{one}'" for one in known) or "none"
                raise OptionError(
                    f"A hierarchy is given for '{name}'{did_you_mean(name, known)}, but {data.origin.name} has no such "
                    f"column (it has {listed})."
                )
        trees = {
            name: tree if isinstance(tree, Hierarchy) else self._load_hierarchy(name, tree, data.transactions)
            for name, tree in self.hierarchy.items()
            if not name or name in names
        }
        if len(names) < 2 or "" in trees:
            return self.hierarchy_or_flat(data, trees.get("", trees.get(names[0]) if names else None))
        tags = Tags(names)
        own: dict[str, list[str]] = {name: [] for name in names}
        for label in data.transactions.labels:
            column, item = tags.place(label)
            own[column].append(item)
        return self.hierarchy_or_flat(
            data, hierarchies.joined({name: trees.get(name) or Hierarchy.flat(own[name]) for name in names})
        )

    def _load_hierarchy(self, column: str, path: str, rows: Transactions) -> Hierarchy:
        """Load the hierarchy of the items, or of one column of sets."""
        if self.levels and not column:
            return self._from_table(path, rows)
        return hierarchies.load(path, format=self.hierarchy_format)

    def _has_item_hierarchy(self, data: Dataset, tree: Hierarchy) -> bool:
        """Whether the items have a hierarchy: from a file, from the generator, or an artificial one."""
        given = any(not name or name in data.origin.set_columns for name in self.hierarchy)
        return given or bool(self.fanout) or (bool(self.generate) and tree.name != NO_HIERARCHY)

    def _from_table(self, path: str, rows: Transactions) -> Hierarchy:
        """Build the hierarchy from columns of a table. An item with several parents gets the one that it uses most."""
        levels = cells(self.levels)
        used = dict(zip(rows.labels, rows.supports.tolist(), strict=True))
        return hierarchies.from_table(io.read_table(Path(path), levels), levels, items=used, only_used=True, name=path)

    def hierarchy_or_flat(self, data: Dataset, tree: Hierarchy | None) -> Hierarchy:
        """Return the hierarchy, or a flat one. If items have counts, each counted item lies below its item."""
        items, counted = data.transactions.labels, self.reading.multiset
        if tree is None:
            tree = Hierarchy.flat(hierarchies.without_counts(items) if counted else items)
        return hierarchies.with_counts(tree, items) if counted else tree

    def _build_hierarchy(self, rows: Transactions, seed: int) -> Hierarchy:
        """Build an artificial hierarchy with this fanout and order."""
        supports: Counter[str] = Counter()
        for label, support in zip(rows.labels, rows.supports.tolist(), strict=True):
            supports[hierarchies.without_counts([label])[0] if self.reading.multiset else label] += support
        order: Any = self.order
        return hierarchies.balanced(supports, fanout=self.fanout, order=order, supports=supports, seed=seed)

    def complete_column_specs(
        self, data: Dataset, model: PrivacyModel, columns: Mapping[str, Column] | None = None
    ) -> dict[str, Column]:
        """Return the descriptions of the columns with their hierarchies and the values that mean "missing"."""
        names = () if data.table is None else data.table.names
        specs = dict(self.columns if columns is None else columns)
        trees = {name: tree for name, tree in self.hierarchy.items() if name}  # "" are the items
        for name in names:
            if model.relational and name not in model.columns:
                spec = specs.get(name, Column())
                missing = tuple(dict.fromkeys((*spec.missing, *self.missing)))
                specs[name] = replace(spec, hierarchy=trees.get(name, spec.hierarchy), missing=missing)
        for name in trees:
            if name in names and (name not in specs or specs[name].role not in (None, Role.QUASI_IDENTIFIER)):
                raise OptionError(
                    f"A hierarchy is given for column '{name}', which is not a quasi-identifier: leave it out."
                )
        return specs

    def _generate(self, seed: int) -> tuple[Dataset, Hierarchy | None]:
        """Run the generator, with the seed of the case unless it has its own."""
        data = generate(self.generate, **{"seed": seed, **self.generator})
        return data, product_hierarchy() if self.generate == "supermarket" else None


def read_for_model(source: Any, reading: ReadOptions, model: PrivacyModel | None) -> Dataset:
    """Read a file or an object in memory, as :meth:`DatasetSpec.read_for_model` describes it."""
    if isinstance(source, Dataset):
        return source
    plain = (
        reading.sets is not None or reading.id_column or reading.item_column
    )  # then it is clear which column holds the items
    if model is None or model.covers_sets or plain or reading.no_sets:
        return io.read_with(source, reading)
    data = io.read_with(source, reading.changed(no_sets=True))
    likely = io.likely_sets(data)
    return data if len(likely) != 1 else io.read_with(source, reading.changed(sets=likely[0]))


def select_columns(
    data: Dataset, keep: Sequence[str] | None, columns: Mapping[str, Column]
) -> tuple[Dataset, dict[str, Column]]:
    """Return the data with only the columns to publish (None: all), and the descriptions of these columns."""
    if keep is None:
        return data, dict(columns)
    left_out = () if data.table is None else set(data.table.names) - set(keep)
    return data.keep_columns(keep), {name: spec for name, spec in columns.items() if name not in left_out}


def _file(tree: str | Hierarchy) -> str:
    """Return a hash of a hierarchy or its file; levels such as width:5,10 are no file."""
    if isinstance(tree, Hierarchy):
        return tree.sha256
    return tree if intervals.is_spec(tree) else sha256_of(tree)


def _content(column: Column) -> dict[str, Any]:
    """Return the description of a column as plain values. The file of a hierarchy counts by its content."""
    content = {one.name: getattr(column, one.name) for one in fields(column) if one.name != "order" or column.order}
    tree = content["hierarchy"]
    if tree is not None and not (isinstance(tree, str) and intervals.is_spec(tree)):
        content["hierarchy"] = tree.sha256 if isinstance(tree, Hierarchy) else sha256_of(tree)
    return content
