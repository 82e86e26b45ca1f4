"""What analysts still find: the most frequent sets of items and the best association rules, before and after.

The sets are the most frequent sets of at least two items in the original. The rules are made of the most frequent sets,
ten times as many as rules are wanted: all items of a set but one on the left, the other one on the right. Of the rules
with a confidence of at least 20 %, those with the highest lift come first.

In the published data a set is read as items, as groups, or not at all. A support is read as the expected number of
records that hold the set (:mod:`shoal.metrics.set_images`). Confidence and lift are those of expected supports. All
supports count records, also if persons are known. Sensitive items count like all others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from shoal.data.arrays import row_ids
from shoal.data.labels import canonical_order
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.engines import Engine, current
from shoal.errors import OptionError
from shoal.metrics.coverage import check_fit
from shoal.metrics.set_images import Images, images_of
from shoal.metrics.top_sets import ItemSet, TopSets, most_frequent_sets
from shoal.published import Published

SETS, RULES = 100, 100  # that are looked for
MOST = 1_000  # that may be asked for
CONFIDENCE = Fraction(1, 5)  # that a rule needs
SETS_PER_RULE = 10

Shown = Literal["as items", "as groups", "not visible"]
SHOWN: tuple[Shown, ...] = ("as items", "as groups", "not visible")


@dataclass(frozen=True)
class FoundSet:
    """A frequent set of the original, and what the published data say about it."""

    items: tuple[str, ...]
    support: int  # original records that hold it
    shown: Shown
    labels: tuple[str, ...]  # that the items are mostly published as, in the same order; empty: not visible
    least: int  # published records that show all items as themselves
    most: int  # published records that may hold the set
    estimate: float  # the expected number of published records that hold it

    @property
    def error(self) -> float:
        """The difference between estimate and support, as a share of the support."""
        return abs(self.estimate - self.support) / self.support


@dataclass(frozen=True)
class FoundRule:
    """An association rule of the original, and what the published data say about it."""

    given: tuple[str, ...]
    item: str
    support: int  # original records that hold all its items
    confidence: float  # the share of the records with ``given`` that hold the item
    lift: float  # confidence, divided by the share of all records that hold the item
    shown: Shown
    labels: tuple[str, ...]  # that ``given`` and the item are mostly published as; empty: not visible
    published_confidence: float | None  # None: not visible
    published_lift: float | None

    @property
    def error(self) -> float:
        """The difference between the confidences. 0 if the rule is not visible."""
        return 0.0 if self.published_confidence is None else abs(self.published_confidence - self.confidence)

    @property
    def lift_error(self) -> float:
        """The difference between the lifts, as a share of the original one. 0 if the rule is not visible."""
        return 0.0 if self.published_lift is None else abs(self.published_lift - self.lift) / self.lift


@dataclass(frozen=True)
class Patterns:
    """What became of the most frequent sets and the best rules of the original.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"*": {"drink": ["tea", "rum"], "food": ["rye", "bun"]}})
    >>> before = [["tea", "rye"], ["tea", "rye"], ["rum", "rye"], ["bun"]]
    >>> after = [["drink", "rye"], ["drink", "rye"], ["drink", "rye"], ["bun"]]
    >>> found = shoal.measure(before, after, hierarchy=tree, top_sets=10, rules=10).patterns
    >>> found.sets[0].labels, found.sets[0].support, found.sets[0].estimate  # "drink" is tea, rum or both
    (('rye', 'drink'), 2, 2.0)
    >>> [(rule.given, rule.item, rule.shown) for rule in found.rules]
    [(('tea',), 'rye', 'as groups'), (('rye',), 'tea', 'as groups')]
    """

    records: int
    sets: tuple[FoundSet, ...] = ()
    rules: tuple[FoundRule, ...] = ()
    published_sets: int = 0  # how many of the most frequent sets of published labels were compared
    matching_sets: int = 0  # how many of them show one of ``sets``
    rules_least_support: int = 0  # original records that hold each of the sets that rules are made of

    def count(self, shown: Shown) -> int:
        """Return how many sets are shown in a way."""
        return sum(one.shown == shown for one in self.sets)

    def count_rules(self, shown: Shown) -> int:
        """Return how many rules are shown in a way."""
        return sum(one.shown == shown for one in self.rules)

    def support_error(self, *shown: Shown) -> float:
        """Return the mean relative error of the supports of visible sets, or of those that are shown in some ways."""
        return _mean(one.error for one in self.sets if one.shown in (shown or SHOWN[:2]))

    def confidence_error(self, *shown: Shown) -> float:
        """Return the mean difference of confidences of visible rules, or of those that are shown in some ways."""
        return _mean(one.error for one in self.rules if one.shown in (shown or SHOWN[:2]))

    @property
    def lift_error(self) -> float:
        """The mean relative error of the lifts of visible rules."""
        return _mean(one.lift_error for one in self.rules if one.shown != "not visible")

    def as_dict(self) -> dict[str, Any]:
        """Return all figures as plain values."""
        facts: dict[str, Any] = {"records": self.records}
        if self.sets:
            facts["sets"] = {
                **{_key(shown): self.count(shown) for shown in SHOWN},
                "mean_error_of_support": self.support_error(),
                "published_sets": self.published_sets,
                "matching_sets": self.matching_sets,
                "listed": [{**asdict(one), "error": one.error} for one in self.sets],
            }
        if self.rules:
            facts["rules"] = {
                **{_key(shown): self.count_rules(shown) for shown in SHOWN},
                "mean_error_of_confidence": self.confidence_error(),
                "mean_error_of_lift": self.lift_error,
                "least_support": self.rules_least_support,
                "least_confidence": float(CONFIDENCE),
                "listed": [asdict(one) for one in self.rules],
            }
        return facts


def patterns(
    original: Published, published: Published, sets: int = SETS, rules: int = RULES, engine: Engine | None = None
) -> Patterns:
    """Return what the published data say about the most frequent sets and the best rules of the original.

    ``sets`` and ``rules`` say how many are looked for. 0: none.
    """
    for name, number in (("top_sets", sets), ("rules", rules)):
        if not 0 <= number <= MOST:
            raise OptionError(f"{name} must be from 0 to {MOST:,}, got {number}.")
    check_fit(original.rows, published)
    engine = engine or current()
    before, after = _with_sensitive(original, published)
    top = most_frequent_sets(before, max(sets, SETS_PER_RULE * rules), engine)
    of_sets = top.first(sets)
    of_rules = _Rules(before, top.first(SETS_PER_RULE * rules))
    chosen = of_rules.best(rules)
    asked = sorted({*of_sets.sets, *(part for rule in chosen for part in rule.parts)})
    reader = _Reader(after, dict(zip(asked, images_of(after, asked, engine), strict=True)))
    found = Patterns(
        records=len(before),
        sets=tuple(reader.set(*one) for one in zip(of_sets.sets, of_sets.supports, strict=True)),
        rules=tuple(reader.rule(rule) for rule in chosen),
        rules_least_support=min(of_rules.top.supports, default=0),
    )
    if not sets:
        return found
    own = most_frequent_sets(after.rows, sets, engine).sets
    return replace(found, published_sets=len(own), matching_sets=_matching(after, of_sets.sets, own))


@dataclass(frozen=True)
class _Rule:
    """A rule of the original, with the numbers of records that hold its parts."""

    whole: ItemSet
    at: int  # the place of the item on the right
    records: int
    both: int
    of_given: int
    of_item: int

    @property
    def given(self) -> ItemSet:
        """The items on the left."""
        return (*self.whole[: self.at], *self.whole[self.at + 1 :])

    @property
    def confidence(self) -> Fraction:
        return Fraction(self.both, self.of_given)

    @property
    def lift(self) -> Fraction:
        return self.confidence * self.records / self.of_item

    @property
    def parts(self) -> tuple[ItemSet, ItemSet, ItemSet]:
        """The sets whose supports the confidence and the lift are made of."""
        return self.whole, self.given, (self.whole[self.at],)


class _Rules:
    """The rules that frequent sets make. Every part of a frequent set is a frequent set, or a single item."""

    def __init__(self, rows: Transactions, top: TopSets) -> None:
        self.rows, self.top = rows, top
        self._support = dict(zip(top.sets, top.supports, strict=True))
        items = {item for one in top.sets for item in one}
        self._support |= {(item,): int(rows.supports[item]) for item in items}

    def best(self, number: int) -> list[_Rule]:
        """Return the confident rules with the highest lift, then with the highest support, then the shortest."""
        rules = [rule for one in self.top.sets for rule in self._of(one) if rule.confidence >= CONFIDENCE]
        return sorted(rules, key=lambda one: (-one.lift, -one.both, len(one.whole)))[:number]  # others keep their order

    def _of(self, one: ItemSet) -> Iterator[_Rule]:
        """Yield the rules of a set, one for each item on the right."""
        for at, item in enumerate(one):
            given = (*one[:at], *one[at + 1 :])
            supports = (self._support[part] for part in (one, given, (item,)))
            yield _Rule(one, at, len(self.rows), *supports)


class _Reader:
    """Says in labels what published data show."""

    def __init__(self, published: Published, images: dict[ItemSet, Images]) -> None:
        self._published, self._images = published, images

    def set(self, one: ItemSet, support: int) -> FoundSet:
        """Return what the published data say about a set."""
        images = self._images[one]
        return FoundSet(
            items=self._items(one),
            support=support,
            shown=_shown(images),
            labels=self._labels(images),
            least=images.least,
            most=images.most,
            estimate=images.expected,
        )

    def rule(self, rule: _Rule) -> FoundRule:
        """Return what the published data say about a rule."""
        whole, given, item = (self._images[part] for part in rule.parts)
        shown: Shown = _shown(whole)
        if shown == "as items" and not _shown(given) == _shown(item) == "as items":
            shown = "as groups"  # then its confidence is an estimate
        confidence = lift = None
        labels: tuple[str, ...] = ()
        if shown != "not visible":
            share = Fraction(whole.expected) / Fraction(given.expected)  # exact, so equal supports make equal figures
            confidence, lift = float(share), float(share * rule.records / Fraction(item.expected))
            behind = self._labels(whole)
            labels = (*behind[: rule.at], *behind[rule.at + 1 :], behind[rule.at])
        return FoundRule(
            given=self._items(rule.given),
            item=self._published.items[rule.whole[rule.at]],
            support=rule.both,
            confidence=float(rule.confidence),
            lift=float(rule.lift),
            shown=shown,
            labels=labels,
            published_confidence=confidence,
            published_lift=lift,
        )

    def _items(self, codes: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._published.items[code] for code in codes)

    def _labels(self, images: Images) -> tuple[str, ...]:
        """Return the labels of the most frequent image if the set is visible."""
        codes = () if _shown(images) == "not visible" else images.typical
        return tuple(self._published.rows.labels[code] for code in codes)


def _shown(images: Images) -> Shown:
    """Return how a set is read.

    As groups: where it may be, its items mostly have a label each. Otherwise several of its items are behind one label.
    """
    if not images.most or 2 * sum(images.apart.values()) < images.most:
        return "not visible"
    return "as items" if images.least == images.most else "as groups"


def _matching(published: Published, sets: Sequence[ItemSet], own: Sequence[ItemSet]) -> int:
    """Count the sets of labels that show one of the sets: each label covers one of its items, in some order."""
    labels, starts = row_ids(published.cover_indptr), published.cover_items
    covering: dict[int, set[int]] = {item: set() for one in sets for item in one}
    for label, item in zip(labels.tolist(), starts.tolist(), strict=True):
        if item in covering:
            covering[item].add(label)
    with_label: dict[int, set[ItemSet]] = {}
    for one in own:
        for label in one:
            with_label.setdefault(label, set()).add(one)
    matching: set[ItemSet] = set()
    for items in sets:
        near = (with_label.get(label, set()) for label in covering[items[0]])
        for one in set().union(*near) - matching:
            if len(one) == len(items) and _pairs_up([covering[item] for item in items], set(one)):
                matching.add(one)
    return len(matching)


def _pairs_up(choices: Sequence[set[int]], labels: set[int]) -> bool:
    """Return whether each choice can take a label of its own.

    >>> _pairs_up([{1, 2}, {1}], {1, 2}), _pairs_up([{1}, {1}], {1, 2})
    (True, False)
    """
    if not choices:
        return True
    return any(_pairs_up(choices[1:], labels - {label}) for label in choices[0] & labels)


def _with_sensitive(original: Published, published: Published) -> tuple[Transactions, Published]:
    """Return both rows with their sensitive items, as items of one list that cover themselves."""
    if original.sensitive is None and published.sensitive is None:
        return original.rows, published
    hidden = canonical_order({*_labels(original.sensitive), *_labels(published.sensitive)})
    items = (*published.items, *hidden)
    code_of = {label: code for code, label in enumerate(items)}
    before, after = original.as_written, published.as_written
    before = before.recode(np.array([code_of[label] for label in before.labels], dtype=np.int32), items)
    own = after.labels[len(published.rows.labels) :]  # as_written puts the sensitive items at the end
    covers = [*published.cover_items.tolist(), *(code_of[label] for label in own)]
    indptr = np.concatenate([published.cover_indptr, published.cover_indptr[-1] + 1 + np.arange(len(own))])
    return before, Published(after, indptr, np.array(covers, dtype=np.int32), items)


def _labels(sensitive: Sensitive | None) -> Sequence[str]:
    return () if sensitive is None else sensitive.items.labels


def _key(shown: Shown) -> str:
    return shown.replace(" ", "_")


def _mean(errors: Iterable[float]) -> float:
    values = list(errors)
    return math.fsum(values) / max(1, len(values))
