"""Material: a data set of a comparison. Where it comes from, which part of it is taken, and the hierarchy of its items.

Whatever is said here may be varied in a grid: the number of rows, of items, the hierarchy's fanout and order.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shoal import hierarchies, io
from shoal.data import Dataset, Hierarchy, Transactions
from shoal.data.arrays import Counts, row_ids
from shoal.data.columns import Column
from shoal.data.labels import canonical_order
from shoal.errors import DataError, OptionError
from shoal.files import sha256_of
from shoal.generators.quest import Quest
from shoal.generators.supermarket import product_hierarchy, supermarket
from shoal.generators.videos import Videos
from shoal.hierarchies import intervals
from shoal.hierarchies.weights import Weights
from shoal.jobs.job import described, items_tree, kept, read_for, tree_for
from shoal.metrics import AdditiveLoss
from shoal.options import Spec, changed, option
from shoal.privacy import PrivacyModel
from shoal.problem import Problem

Seen = Callable[[Dataset], object]  # what is told of data that were read
GENERATORS = ("quest", "bms-pos", "videos", "supermarket")


@dataclass(frozen=True)
class Material(Spec):
    """A data set and its hierarchy, described: nothing is read before it is needed.

    >>> toy = Material(label="toy", generate="quest", generator={"rows": 50, "items": 8, "mean_size": 3}, fanout=3)
    >>> data, tree = toy.load(seed=1)
    >>> len(data), tree.n_leaves, tree.height
    (50, 8, 2)
    """

    name = "data"

    label: str = option("data", help="what to call it")
    file: str = option("", help="the file it is in")
    generate: str = option("", words=("", *GENERATORS), help="or the generator that makes it")
    fanout: int = option(0, low=0, help="children of a node of an artificial hierarchy; 0: none is made")
    order: str = option("label", words=("label", "frequency", "random"), help="which items are neighbours in it")
    modulo: int = option(
        0, low=0, help="items, numbered in order, are taken modulo this, duplicates removed (P0's small sets); 0: not"
    )
    rows: int = option(0, low=0, help="only the first so many rows; 0: all")
    sample: int = option(0, low=0, help="only so many rows, drawn by the seed; 0: all")
    kept_items: int = option(0, low=0, help="only so many items, drawn by the seed, and the rows that hold one; 0: all")
    secrets: int = option(
        0, low=0, help="so many items are sensitive, drawn by the seed; 0: those that the model names"
    )
    secrets_least: float = option(
        0.0, low=0, high=1, help="at least this share of the rows holds a drawn sensitive item"
    )
    secrets_most: float = option(1.0, low=0, high=1, help="at most this share of the rows holds one")
    unknown_items: str = option("error", words=("error", "root"), help="items that the hierarchy does not know")
    allow_missing: bool = option(False, help="go on where what is declared sensitive is not in the data")
    reading: Mapping[str, Any] = field(default_factory=dict)  # as shoal.read takes it
    hierarchy: Mapping[str, str] = field(default_factory=dict)  # files: of the items "", of columns by name
    hierarchy_format: str | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)  # what each column beside the sets is
    missing: tuple[str, ...] = ()  # values of quasi-identifiers that mean "not known"
    weights: str = ""  # the file that says how much the loss of each item counts; none: all the same
    keep: tuple[str, ...] | None = None  # the columns beside the sets to publish; none: all
    generator: Mapping[str, Any] = field(default_factory=dict)  # its options

    def __post_init__(self) -> None:
        """Refuse what does not fit together."""
        super().__post_init__()
        if bool(self.file) == bool(self.generate):
            raise OptionError(f"Data '{self.label}': name a file, or one of the generators {', '.join(GENERATORS)}.")
        for path in (self.file, self.weights, *self.hierarchy.values()):
            if path and not intervals.is_spec(path) and not os.path.isfile(path):
                raise OptionError(f"Data '{self.label}': {path} does not exist, or is no file: check the path.")
        if self.fanout == 1:
            raise OptionError(f"Data '{self.label}': fanout must be at least 2, or 0 for none, got 1.")
        if "rows" in self.generator and self.rows:
            raise OptionError(
                f"Data '{self.label}': say how many rows once, as rows or as the generator's: both would be one column."
            )
        if "" in self.hierarchy and (self.fanout or self.order != "label"):
            raise OptionError(
                f"Data '{self.label}': give the hierarchy's file, or fanout and order of an artificial one, not both."
            )

    @property
    def said(self) -> dict[str, Any]:
        """What was said about it beyond its name and its files: what may differ between two of the same name."""
        left_out = ("label", "file", "generate")
        return {name: value for name, value in changed(self).items() if name not in left_out} | dict(self.generator)

    @property
    def seeded(self) -> bool:
        """Whether the data themselves depend on the seed of a case."""
        drawn = self.generate and "seed" not in self.generator
        return bool(self.sample or self.kept_items or self.secrets or drawn or self.order == "random")

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """All that its content depends on: files by what is in them, wherever they are; nothing that is as always."""
        plain = {"sets": True, "multiset": False, "escaped_formulas": False}
        told = {
            **changed(self),
            "file": sha256_of(self.file) if self.file else "",
            "reading": {
                name: value
                for name, value in self.reading.items()
                if value not in (None, ()) and value != plain.get(name) and name != "max_expanded"
            },
            "hierarchy": {name: _file(path) for name, path in self.hierarchy.items()},
            "hierarchy_format": self.hierarchy_format,
            "columns": {name: _content(column) for name, column in self.columns.items()},
            "keep": self.keep,
            "missing": self.missing,
            "weights": sha256_of(self.weights) if self.weights else "",
            "generator": dict(self.generator),
        }
        return {name: value for name, value in told.items() if value not in (None, "", (), {})}

    @property
    def content(self) -> str:
        """A hash of all that its content depends on: another one, and the data have changed."""
        told = json.dumps(self.fingerprint, sort_keys=True, default=str)
        return hashlib.sha256(told.encode()).hexdigest()[:12]

    def problem(self, privacy: PrivacyModel, loss: AdditiveLoss, seed: int) -> Problem[PrivacyModel]:
        """The problem of protecting it so."""
        data, tree, said = self._loaded(seed, privacy)
        if self.secrets:
            drawn = self._drawn(data.transactions, seed)
            if any(one.name == "sensitive" for one in privacy.options()):  # others see the same rows, secrets and all
                privacy = privacy.changed(sensitive=drawn)
        unknown: Any = self.unknown_items
        weights = Weights.load(self.weights) if self.weights else None
        if not privacy.relational:  # nothing is published here, and other columns change nothing
            data, said = kept(data, privacy.columns if data.table is not None else None, said)
        columns = described(data, privacy, said, self.hierarchy, self.missing)
        return Problem(data, tree, privacy, loss, seed, unknown, weights, self.allow_missing, columns)

    def load(
        self, seed: int = 0, privacy: PrivacyModel | None = None, seen: Seen = lambda data: None
    ) -> tuple[Dataset, Hierarchy]:
        """Read or generate the data, and the hierarchy of their items: of all of them, whichever rows are taken.

        ``seen`` is given the data as they are read.
        """
        return self._loaded(seed, privacy, seen)[:2]

    def _loaded(
        self, seed: int, privacy: PrivacyModel | None, seen: Seen = lambda data: None
    ) -> tuple[Dataset, Hierarchy, Mapping[str, Column | str]]:
        """The same, and what is said of the columns that are kept."""
        data, tree = self._generated(seed) if self.generate else self._read(privacy, seen)
        data, said = kept(data, self.keep, self.columns)
        if self.modulo:
            data, tree = data.with_transactions(_modulo(data.transactions, self.modulo)), None
        if self.kept_items:
            chosen = _choice(seed, 0, len(data.transactions.labels), self.kept_items)
            data, tree = data.take(_holding(data.transactions, chosen)), None
            data = data.with_transactions(_only(data.transactions, chosen))
        rows, counted = data.transactions, bool(self.reading.get("multiset"))
        if self.fanout and rows.labels:
            supports: Counter[str] = Counter()
            for label, support in zip(rows.labels, rows.supports.tolist(), strict=True):
                supports[hierarchies.without_counts([label])[0] if counted else label] += support
            order: Any = self.order
            tree = hierarchies.balanced(supports, fanout=self.fanout, order=order, supports=supports, seed=seed)
        tree = tree_for(data, tree, multiset=counted)
        if self.rows and self.rows < len(data):
            data = data.take(np.arange(self.rows))
        if self.sample and self.sample < len(data):
            drawn = np.random.default_rng([seed, 2]).permutation(len(data))  # smaller samples are parts of larger ones
            data = data.take(np.sort(drawn[: self.sample]))
        return data, tree, said

    def _read(self, privacy: PrivacyModel | None, seen: Seen) -> tuple[Dataset, Hierarchy | None]:
        """From the files."""
        path = Path(self.file)
        data = io.read(path, **self.reading) if privacy is None else read_for(privacy, path, self.reading)
        seen(data)
        counted = bool(self.reading.get("multiset"))
        return data, items_tree(data, self.hierarchy, format=self.hierarchy_format, multiset=counted)

    def _generated(self, seed: int) -> tuple[Dataset, Hierarchy | None]:
        """By the generator, with the seed of the case unless one is given."""
        given: dict[str, Any] = {"seed": seed, **self.generator}
        if self.generate == "videos":
            return Videos(**given).dataset(), None
        if self.generate == "supermarket":
            return Dataset(supermarket(**given)), product_hierarchy()
        made = Quest(**given) if self.generate == "quest" else Quest.like(self.generate, **given)
        return Dataset(made.transactions()), None

    def _drawn(self, rows: Transactions, seed: int, tries: int = 500) -> tuple[str, ...]:
        """Sensitive items: none in too many rows, and as many rows hold one of them as is wanted."""
        rng = np.random.default_rng([seed, 1])
        rare = np.flatnonzero((rows.supports > 0) & (rows.supports <= self.secrets_most * len(rows)))
        for _ in range(tries if len(rare) >= self.secrets else 0):
            chosen = np.sort(rng.choice(rare, self.secrets, replace=False))
            if self.secrets_least <= len(_holding(rows, chosen)) / len(rows) <= self.secrets_most:
                return tuple(rows.labels[code] for code in chosen)
        raise DataError(
            f"Data '{self.label}', seed {seed}: {tries} tries found no {self.secrets} sensitive items that "
            f"{self.secrets_least:.0%} to {self.secrets_most:.0%} of the rows hold one of: take another seed."
        )


def _file(path: str) -> str:
    """What is in a file of a hierarchy; levels such as width:5,10 are no file."""
    return path if intervals.is_spec(path) else sha256_of(path)


def _content(column: Column) -> dict[str, Any]:
    """What is said of a column; a hierarchy's file by what is in it."""
    said = {one.name: getattr(column, one.name) for one in fields(column)}
    tree = said["hierarchy"]
    if tree is not None and not (isinstance(tree, str) and intervals.is_spec(tree)):
        said["hierarchy"] = tree.sha256 if isinstance(tree, Hierarchy) else sha256_of(tree)
    return said


def _choice(seed: int, stream: int, n: int, size: int) -> Counts:
    """So many of the first n numbers, in ascending order."""
    return np.sort(np.random.default_rng([seed, stream]).choice(n, min(size, n), replace=False))


def _holding(rows: Transactions, items: Counts) -> Counts:
    """The rows that hold one of the items, in ascending order."""
    return np.unique(row_ids(rows.indptr)[np.isin(rows.items, items)])


def _only(rows: Transactions, items: Counts) -> Transactions:
    """The rows with these items alone."""
    code_of = np.full(len(rows.labels), -1, dtype=np.int32)
    code_of[items] = np.arange(len(items), dtype=np.int32)
    return rows.recode(code_of, [rows.labels[item] for item in items])


def _modulo(rows: Transactions, modulo: int) -> Transactions:
    """Items numbered from 0 in the order of their labels, modulo a number; what becomes equal in a row is one item.

    Not the labels themselves: BMS-WebView-2 has odd ids alone, so that ids modulo 40 would leave 20 items of P0's 40.
    """
    number = {label: at % modulo for at, label in enumerate(canonical_order(rows.labels))}
    codes = np.array([number[label] for label in rows.labels], dtype=np.int32)
    return rows.recode(codes, [str(one) for one in range(min(modulo, len(rows.labels)))])
