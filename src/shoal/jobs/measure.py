"""Measure what published data lost against the original, as ``shoal measure`` does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shoal.data import Dataset, Hierarchy
from shoal.data.arrays import Counts
from shoal.data.columns import Column
from shoal.data.sensitive import split_sensitive_values
from shoal.engines import Engine
from shoal.errors import OptionError
from shoal.hierarchies import axes
from shoal.hierarchies.weights import Weights
from shoal.jobs.arguments import (
    CodeBookSource,
    ColumnsSource,
    HierarchySource,
    as_columns,
    at_least,
)
from shoal.jobs.column_specs import names_in
from shoal.jobs.notes import taking_notes
from shoal.jobs.published_file import (
    LabelMeanings,
    places,
    read_both,
    refuse_torn,
    require_items,
    sensitive_items,
    without_suppressed,
)
from shoal.metrics.are import AreResult, are
from shoal.metrics.comparison import Comparison
from shoal.metrics.ml2 import Mined, mining_loss, summed_up
from shoal.metrics.patterns import Patterns, patterns
from shoal.metrics.risk import Risk
from shoal.metrics.workload import Workload
from shoal.progress import engine_with
from shoal.published import Grouping, Published
from shoal.release.pipeline import measure_all
from shoal.release.release import Release
from shoal.report import formatting
from shoal.report.formatting import count_noun

K = 5  # the default for the risk
_RISK = ("below_k", "unique", "prosecutor", "average")


@dataclass(frozen=True, eq=False)
class Measurement:
    """What published data lost against the original."""

    losses: Mapping[str, float]  # by measure: ncp, lm, ..
    total_items: int  # the number of items in all original records
    unchanged_items: int  # of these, published unchanged
    suppressed_items: int
    different_suppressed_items: int
    emptied_records: int  # records that lost all items
    uncovered_records: int | None = None  # records whose published values do not cover the original; None: no columns
    answers: AreResult | None = None  # to the queries of a workload
    mining: tuple[Mined, ...] = ()  # frequent itemsets, for each threshold
    patterns: Patterns | None = None  # what became of the most frequent sets and the best rules
    risk_before: Risk | None = None  # if 1, 2, .. items are known
    risk_after: Risk | None = None
    notes: tuple[str, ...] = ()  # remarks about the result

    @property
    def counts(self) -> dict[str, int]:
        """The figures about items and records, by name."""
        counts = {
            "total_items": self.total_items,
            "unchanged_items": self.unchanged_items,
            "suppressed_items": self.suppressed_items,
            "different_suppressed_items": self.different_suppressed_items,
            "emptied_records": self.emptied_records,
        }
        if self.uncovered_records is not None:
            counts["uncovered_records"] = self.uncovered_records
        if self.answers is not None:
            counts["queries"] = len(self.answers.sizes)
        return counts

    def as_dict(self) -> dict[str, Any]:
        """Return what ``shoal measure --json`` prints."""
        figures = {**self.losses, **self.counts}
        facts: dict[str, Any] = {name: value if math.isfinite(value) else None for name, value in figures.items()}
        if self.answers is not None:
            facts["are_by_size"] = self.answers.by_size
        if self.mining:
            facts["mining"] = [{**asdict(one), "ml2": one.ml2, "dml2": one.dml2} for one in self.mining]
        if self.patterns is not None:
            facts["patterns"] = self.patterns.as_dict()
        if self.risk_before is not None and self.risk_after is not None:
            both = {"before": _by_known_items(self.risk_before), "after": _by_known_items(self.risk_after)}
            facts["risk"] = {"k": self.risk_before.k, **both}
        return facts


def _by_known_items(risk: Risk) -> list[dict[str, Any]]:
    """Return the risk for each number of known items, as plain values."""
    figures = zip(*(getattr(risk, name) for name in _RISK), strict=True)
    return [
        {"known_items": number, "records": risk.records, **dict(zip(_RISK, values, strict=True))}
        for number, values in enumerate(figures, 1)
    ]


def measure(
    original: Any,
    published: Any,
    *,
    hierarchy: HierarchySource = None,
    codebook: CodeBookSource = None,
    unknown_items: Literal["error", "root"] = "error",
    weights: Weights | str | Path | None = None,
    sensitive: str | Sequence[str] = (),
    quasi_identifiers: ColumnsSource = (),
    group_column: str | None = None,
    k: int | None = None,
    known: int | None = None,
    mining: Sequence[float] | None = None,
    top_sets: int | None = None,
    rules: int | None = None,
    workload: Workload | str | Path | None = None,
    queries: int | None = None,
    query_values: int | None = None,
    query_items: int | Sequence[int] | None = None,
    seed: int | None = None,
    suppressed: Sequence[str] | None = None,
    workers: int = 0,
    memory: int | str | None = None,
    work_dir: str | Path | None = None,
    progress: bool | Callable[[str, float], None] = False,
    engine: Engine | None = None,
    **reading: Any,
) -> Measurement:
    """Measure what published data of any tool lost against the original. Both have the same rows in the same order.

    Parameters
    ----------
    original, published
        Anything that :func:`shoal.read` takes, or what it returned.
    hierarchy
        The hierarchy that the published groups come from, or its file. Default: the original items alone.
    codebook
        The code book of the release, or its file. Default: the one next to the published file, if it is needed.
    unknown_items
        Items that are not in the hierarchy: ``"error"``, or ``"root"`` to take them as items below its root.
    weights
        How much the loss of items or groups counts, or a file that tells it. Adds the weighted losses.
    sensitive
        Items that were sensitive, or groups of them. NCP and LM leave them out, and operations count them apart.
    quasi_identifiers
        Columns to measure too: their names, or a :class:`shoal.Column` for each name.
    group_column
        The published column that tells which records were changed together. Default: equal records are a group.
    k
        The k of the guarantee, for the privacy value (default: the smallest group) and for ``known`` (default: 5).
    known
        Compare the risk before and after, if 1, 2, .. ``known`` items of a record are known.
    mining
        Compare the frequent itemsets at these thresholds: shares of the records, such as 0.01. Needs ``hierarchy``.
    top_sets, rules
        Look for so many of the most frequent sets of items, and of the best association rules, in the published data.
    workload
        Queries to measure ARE by (see :func:`shoal.workload`), or their file.
    queries, query_values, query_items, seed
        Instead of a workload: draw so many queries, each of so many quasi-identifiers and items.
    suppressed
        Published labels that represent what was suppressed. Default: ``*``, unless it is an item or a group.
    workers, memory, work_dir, progress, engine
        As in :func:`shoal.anonymize`.
    **reading
        Options of :func:`shoal.read`, if the data are not read yet.

    Returns
    -------
    Measurement
        The losses by name in ``result.losses``, the risk, and the answers to queries.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"ALL": {"DRINKS": ["milk", "tea"], "FOOD": ["bread", "rice"]}})
    >>> before = [["milk", "rice"], ["tea", "rice"], ["milk", "bread"]]
    >>> after = [["DRINKS", "rice"], ["DRINKS", "rice"], ["DRINKS"]]
    >>> result = shoal.measure(before, after, hierarchy=tree, known=1, k=2)
    >>> round(result.losses["ncp"], 6), result.unchanged_items, result.suppressed_items
    (0.416667, 2, 1)
    >>> result.risk_before.unique, result.risk_after.unique  # records that one known item pins down
    ((2,), (0,))

    What is published of the most frequent set of items:

    >>> [found] = shoal.measure(before * 2, after * 2, hierarchy=tree, top_sets=1).patterns.sets
    >>> found.items, found.support, found.shown
    (('bread', 'milk'), 2, 'not visible')
    """
    drawing = query_drawing(workload, queries, values=query_values, items=query_items, seed=seed)
    at_least(1, "measure", k=k, known=known, queries=queries, top_sets=top_sets, rules=rules)
    with (
        taking_notes() as notes,
        engine_with(progress=progress, workers=workers, memory=memory, work_dir=work_dir, engine=engine) as running,
    ):
        before, after = read_both(original, published, reading)
        known_persons = before.transactions.persons
        if known_persons is not None and known_persons.several and not isinstance(published, Release):
            raise OptionError(
                "measure compares record by record, but where a person has several records, these are published in "
                "another order: read the figures in the report of the release."
            )
        asked = Workload.load(workload) if isinstance(workload, str | Path) else workload
        meanings = LabelMeanings.of(before, after, hierarchy, codebook, notes)
        if meanings.alone and mining is not None:
            raise OptionError("mining= needs hierarchy=: itemsets are mined at each level of the hierarchy.")
        after = without_suppressed(after, suppressed, set(before.transactions.labels), meanings, notes)
        pair = _Pair.of(before, after, meanings, names_in(sensitive), unknown_items)
        counted = pair.item_weights(weights)
        pair = pair.with_groups(after, group_column, k, notes, k_is_used=known is not None)
        pair = pair.with_columns(before, after, as_columns(quasi_identifiers))
        wanted = (top_sets or 0, rules or 0), (k or K, known)
        return pair.measured(counted, drawing or asked, mining, *wanted, running, notes)


def query_drawing(
    workload: object,
    queries: int | None,
    *,
    values: int | None = None,
    items: int | Sequence[int] | None = None,
    seed: int | None = None,
) -> dict[str, Any] | None:
    """Return the arguments of :meth:`Workload.generated`, or None if no queries are drawn."""
    options = {"values": values, "items": items, "seed": seed}
    given = {name: value for name, value in options.items() if value is not None}
    if workload is not None and (queries is not None or given):
        raise OptionError("workload= cannot be combined with queries= and its options: leave one out.")
    if queries is not None:
        return {"queries": queries, **given}
    for name in given:
        flag = {"values": "query_values=", "items": "query_items="}.get(name, "seed=")
        raise OptionError(f"{flag} needs queries=: add it, or leave {flag} out.")
    return None


@dataclass(frozen=True, eq=False)
class _Pair:
    """Original and published data in the same item codes."""

    original: Published
    published: Published
    tree: Hierarchy  # of the items that are not sensitive
    sensitive: tuple[str, ...]  # items

    @classmethod
    def of(
        cls, before: Dataset, after: Dataset, meanings: LabelMeanings, sensitive: Sequence[str], unknown_items: str
    ) -> _Pair:
        """Split off the sensitive items, and find out what each published label represents."""
        refuse_torn(after)
        if meanings.alone:
            require_items(after, before, meanings.book)
        tree = meanings.tree
        hidden = tuple(item for label in sensitive for item in sensitive_items(label, tree, before))
        tree = tree.without_items(hidden)
        (known, values), (shown, shown_values) = (split_sensitive_values(data, hidden) for data in (before, after))
        if unknown_items == "root":
            tree = tree.with_items_under_root(known.in_use().labels)
        original = Published.plain(tree.encode(known, before.first_use), values)
        shown = shown.in_use()
        published = Published.resolve(shown, tree, places(after, shown), meanings.book)
        return cls(original, replace(published, sensitive=shown_values), tree, hidden)

    def item_weights(self, weights: Weights | str | Path | None) -> Counts | None:
        """Return the weight of each item, or None if all weights are equal."""
        if weights is None:
            return None
        return (weights if isinstance(weights, Weights) else Weights.load(weights)).per_item(self.tree, self.sensitive)

    def with_groups(
        self, data: Dataset, column: str | None, k: int | None, notes: list[str], *, k_is_used: bool
    ) -> _Pair:
        """Add the groups of rows that were changed together, unless labels hide what was changed.

        ``data``: what is published; ``k_is_used``: k says something else too.
        """
        grouping = None if column is None else Grouping.of_column(data, column, 1)
        if self.published.generalized:
            if column is not None or (k is not None and not k_is_used):
                notes.append(
                    "Some labels represent several items, so added and deleted items cannot be counted: group_column= "
                    "and k= change nothing."
                )
            return self
        if grouping is None:
            values = self.published.sensitive
            some = np.ones(len(data), dtype=np.bool_)
            if values is not None and self.sensitive:
                some = values.items.sizes > 0
            grouping = Grouping.of_equal_rows(self.published.as_written, some)
        smallest = int(grouping.sizes.min(initial=len(data)))
        if k is not None and len(grouping) and k > smallest:
            notes.append(f"The smallest group has {count_noun(smallest, 'record')}, below k={k}.")
        grouping = Grouping(grouping.of, smallest if k is None else k)
        return replace(self, published=replace(self.published, grouping=grouping))

    def with_columns(self, before: Dataset, after: Dataset, named: dict[str, Column]) -> _Pair:
        """Add the original and the published quasi-identifiers, if any are named."""
        if not named:
            return self
        for data in (before, after):
            data.keep_columns(list(named))  # they must be there
        were = axes.relational(before, named)
        return replace(
            self,
            original=replace(self.original, relational=were),
            published=replace(self.published, relational=axes.resolved(after, were, named)),
        )

    def measured(
        self,
        weights: Counts | None,
        asked: Workload | dict[str, Any] | None,
        mining: Sequence[float] | None,
        wanted: tuple[int, int],
        risk: tuple[int, int | None],
        engine: Engine,
        notes: Sequence[str],
    ) -> Measurement:
        """Return all figures. ``wanted``: how many sets and rules; ``risk``: k and the number of known items."""
        compared = Comparison(self.original, self.published)
        losses = measure_all(compared, weights)
        k, known = risk
        answers: AreResult | None = None
        mined: tuple[Mined, ...] = ()
        if asked is not None:
            workload = asked if isinstance(asked, Workload) else Workload.generated(self.original, **asked)
            answers = are(self.original, self.published, workload)
            losses["are"] = answers.mean
        if mining is not None:
            mined = tuple(mining_loss(self.original, self.published, self.tree, mining, engine))
            losses |= summed_up(mined)
        before, after = (None, None) if known is None else self.risks(k, known, engine)
        notes = [*notes, *self.misplaced(compared)]
        return Measurement(
            losses=losses,
            **self.outcome(compared),
            uncovered_records=self.uncovered_records(),
            answers=answers,
            mining=mined,
            patterns=patterns(self.original, self.published, *wanted, engine) if any(wanted) else None,
            risk_before=before,
            risk_after=after,
            notes=tuple(notes),
        )

    def misplaced(self, compared: Comparison) -> Iterator[str]:
        """Yield a note if many labels fit no item of their record: then the rows may be in another order."""
        labels, outcome = self.published.rows.total_items, compared.outcome
        foreign = labels - (outcome.items - int(outcome.suppressed_counts.sum()))  # a label needs an item
        if self.published.generalized and foreign > labels / 10:
            yield (
                f"At least {formatting.share(foreign / labels)} of the published labels fit no item of their record: "
                f"are the rows in the same order as in the original? Releases of persons with several records are "
                f"sorted; in Python, measure the release itself."
            )

    def outcome(self, compared: Comparison) -> dict[str, int]:
        """Return how many items are unchanged, generalized and suppressed."""
        items, outcome = self.original.rows, compared.outcome
        gone, times = outcome.suppressed_items, outcome.suppressed_counts
        if not self.published.generalized:  # items may have been deleted here and there: only those that vanished count
            vanished = times == items.supports[gone]
            gone, times = gone[vanished], times[vanished]
        return {
            "total_items": outcome.items,
            "unchanged_items": outcome.unchanged,
            "suppressed_items": int(times.sum()),
            "different_suppressed_items": len(gone),
            "emptied_records": outcome.emptied,
        }

    def uncovered_records(self) -> int | None:
        """Count the records whose published values do not cover the original. None: no columns are named."""
        were, are_now = self.original.relational, self.published.relational
        return None if were is None or are_now is None else int(np.count_nonzero(~are_now.covers(were)))

    def risks(self, k: int, known: int, engine: Engine) -> list[Risk]:
        """Return the risk before and after, for 1, 2, .. known items, up to the longest record."""
        both = self.original.rows, self.published.rows
        longest = max(int(rows.sizes.max(initial=1)) for rows in both)  # nobody can know more
        return [Risk.of(rows, k, min(known, longest), engine) for rows in both]
