"""What a release says must be true, and what is said about it must be right: rows, labels, guarantee, losses."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Hashable
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from fuzz.problems.case import Failure
from fuzz.problems.definitions import DEFINITIONS, Losses, View, holds, utility_loss
from fuzz.problems.trees import Tree
from fuzz.problems.world import Seen, Sets, World
from shoal.recoding import GlobalCut, LocalCuts, LocalNodes

CLOSE = 1e-9
Covers = list[list[frozenset[str]]]


def check(world: World, seen: Seen, release: Any) -> list[Failure]:
    """All that is wrong with a release."""
    if len(seen.rows) != world.case.n_rows:
        return [Failure("row count", f"{world.case.n_rows} records became {len(seen.rows)}")]
    failures = guarantee(world, seen)
    known, sensitive = world.apart(seen.rows, seen.columns)
    covers: Covers = []
    for row in known:
        of_row = []
        for label in row:
            cover = world.cover(label, seen)
            if cover is None:
                return [*failures, Failure("unknown label", repr(label)[:200])]
            of_row.append(cover)
        covers.append(of_row)
    if release.algorithm.truthful:
        failures += _true_items(world, covers, release)
        failures += _same_sensitive(world, sensitive)
    else:
        failures += _changed_items(world, known, sensitive, seen, release)
    failures += _columns(world, seen)
    failures += _along_the_tree(world, known, seen, release)
    return failures or _losses(world, seen, covers, release)


def guarantee(world: World, seen: Seen) -> list[Failure]:
    """Whether the model's definition holds for what its reader sees."""
    case = world.case
    if case.model not in DEFINITIONS:
        return []
    if not holds(case.model, full_options(world), view_of(world, seen)):
        return [Failure(f"privacy: {case.model} by {case.algorithm}", "the release does not satisfy the definition")]
    return []


def full_options(world: World) -> dict[str, Any]:
    """The model's options with their defaults."""
    from shoal import discovery
    from shoal.models.base import PrivacyModel

    cls = discovery.get("shoal.models", PrivacyModel, world.case.model)
    return {**{option.name: option.default for option in cls.options()}, **world.case.model_options}


def view_of(world: World, seen: Seen) -> View:
    """Published data as an adversary sees them."""
    known, sensitive = world.apart(seen.rows, seen.columns)
    columns = [seen.columns[name] for name in world.quasi_identifiers if name in seen.columns]
    classes: list[Hashable] = list(zip(*columns, strict=True)) if columns else [()] * len(known)
    column = world.case.model_options.get("group_column", "group")
    return View(known, world.values(sensitive), classes, seen.columns.get(column, [None] * len(known)), world.people)


def _true_items(world: World, covers: Covers, release: Any) -> list[Failure]:
    """Every label covers an item of its record; every item is covered, or suppressed in all records."""
    gone: set[str] = set()
    kept: set[str] = set()
    for at, (row, labels) in enumerate(zip(world.known, covers, strict=True)):
        for cover in labels:
            if not cover & row:
                return [Failure("false label", f"record {at + 1}: {sorted(cover)[:5]} for {sorted(row)[:5]}")]
        covered = frozenset[str]().union(*labels)
        kept |= row & covered
        gone |= row - covered
    if gone and not release.algorithm.suppresses:
        return [Failure("lost item", f"{sorted(gone)[:3]}")]
    return [Failure("item suppressed in some records only", f"{sorted(gone & kept)[:3]}")] if gone & kept else []


def _same_sensitive(world: World, sensitive: Sets) -> list[Failure]:
    """Sensitive values are published as they are."""
    original = world.apart(world.rows, world.case.columns)[1]
    return [] if sensitive == original else [Failure("sensitive values changed", "")]


def _changed_items(world: World, known: Sets, sensitive: Sets, seen: Seen, release: Any) -> list[Failure]:
    """Methods that add, delete or move items: nothing comes from outside, and nothing sensitive vanishes."""
    before_known, before = world.apart(world.rows, world.case.columns)
    universe = frozenset[str]().union(*before_known)
    if not frozenset[str]().union(*known) <= universe:
        return [Failure("item from nowhere", "")]
    if frozenset[str]().union(*sensitive) != frozenset[str]().union(*before):
        return [Failure("sensitive item vanished or appeared", "")]
    groups = seen.columns.get(world.case.model_options.get("group_column", "group"))
    if groups is None or type(release.recoding).__name__ != "Reshuffled":
        return []
    if known != before_known:
        return [Failure("items changed that should be intact", "")]
    was, now = (
        Counter((g, v) for g, some in zip(groups, rows, strict=True) for v in some) for rows in (before, sensitive)
    )
    return [] if was == now else [Failure("groups hold other sensitive items than before", "")]


def _along_the_tree(world: World, known: Sets, seen: Seen, release: Any) -> list[Failure]:
    """Labels of a tree recoding are nodes, or groups of siblings if asked for; a cut has one label for each item."""
    recoding = release.recoding
    if not isinstance(recoding, GlobalCut | LocalCuts | LocalNodes):
        return []
    nodes = {world.tree.leaves[label] for label in world.tree.leaves}
    grouped = getattr(release.algorithm, "siblings", "none") != "none"
    label_of: dict[str, str] = {}
    for row in known:
        for label in row:
            cover = world.cover(label, seen) or frozenset()
            if cover not in nodes and not (grouped and world.tree.is_sibling_group(cover)):
                return [Failure("label off the hierarchy", f"{label!r} stands for {sorted(cover)[:5]}")]
            if isinstance(recoding, GlobalCut):
                for item in cover:
                    if label_of.setdefault(item, label) != label:
                        return [Failure("not one cut", f"{item!r}: {label!r} and {label_of[item]!r}")]
    return []


# ---- columns


def _columns(world: World, seen: Seen) -> list[Failure]:
    """Published values cover the original ones; other columns are as they were, identifiers are gone."""
    relational = world.case.model in ("k", "k-km", "k-lm")
    for name, values in world.case.columns.items():
        role = world.case.roles.get(name, {}).get("role")
        if role == "identifier":
            if name in seen.columns:
                return [Failure("identifier published", name)]
            continue
        if name not in seen.columns:
            return [Failure("column lost", name)]
        pairs = zip(values, seen.columns[name], strict=True)
        if relational and name in world.quasi_identifiers:
            for was, now in pairs:
                if not covers_value(world, name, was, now):
                    return [Failure("false value of a column", f"{name}: {was!r} became {now!r}")]
        elif any((was or "") != (now or "") for was, now in pairs):
            return [Failure("column changed", name)]
    return []


def covers_value(world: World, name: str, was: str | None, now: str | None) -> bool:
    """Whether a published value covers the original one."""
    role = world.case.roles.get(name, {})
    missing = not (was or "").strip() or was in role.get("missing", ())
    if not (now or "").strip() or now in role.get("missing", ()):
        return missing
    assert was is not None
    assert now is not None
    tree = role.get("hierarchy")
    if isinstance(tree, dict):
        leaves = Tree(tree).leaves
        return now in leaves and (now == Tree(tree).root if missing else was in leaves[now])
    if missing:
        return now == "*"
    if now in (was, "*"):
        return True
    if (members := collected(now)) and now not in world.case.columns[name]:
        return was in members
    if bounds := re.fullmatch(r"\[([^:]+):([^:]+)\]", now):
        low, value, high = place(bounds[1]), place(was), place(bounds[2])
        return None not in (low, value, high) and low <= value <= high  # type: ignore[operator]
    return place(now) is not None and place(now) == place(was)


def collected(text: str) -> list[str]:
    """The values of a collection such as (a,b); none: it is no collection."""
    return next(csv.reader([text[1:-1]])) if text.startswith("(") and text.endswith(")") else []


def _collected(now: str | None, values: set[str | None]) -> Fraction:
    """What a published category costs that has no hierarchy."""
    if now is None or now in values:
        return Fraction(0)
    return Fraction(1) if now == "*" else Fraction(len(collected(now)), len(values))


def place(text: str) -> Fraction | None:
    """A number or a date as a number; none: it is neither."""
    try:
        return Fraction(Decimal(text.strip()))
    except (InvalidOperation, ValueError):
        pass
    try:
        return Fraction(date.fromisoformat(text.strip()).toordinal())
    except ValueError:
        return None


# ---- losses


def item_weights(world: World) -> dict[str, Fraction] | None:
    """The weight of each item: its own, or that of the nearest group above it that has one."""
    given = world.case.weights
    if given is None:
        return None
    weights: dict[str, Fraction] = {}
    for item in world.tree.items:
        label: str | None = item
        while label is not None and label not in given:
            label = world.tree.parents[label]
        weights[item] = Fraction(1) if label is None else Fraction(str(given[label]))
    return weights


def _losses(world: World, seen: Seen, covers: Covers, release: Any) -> list[Failure]:
    """Every loss that is told, worked out anew."""
    reported, weights = release.losses, item_weights(world)
    losses = Losses.of(world.known, covers, len(world.tree.items))
    wanted: dict[str, Fraction] = {name: losses.mean(name) for name in ("ncp", "lm")}
    wanted["lm_sum"] = losses.total("lm")
    wanted["ul"] = utility_loss(covers)
    if weights is not None:
        wanted |= {f"weighted_{name}": losses.mean(name, weights) for name in ("ncp", "lm")}
        wanted["weighted_ul"] = utility_loss(covers, weights)
    wanted |= _column_losses(world, seen)
    for name, value in wanted.items():
        if name in reported and abs(reported[name] - value) > CLOSE:
            return [Failure(f"loss: {name}", f"told {reported[name]}, is {float(value)}")]
    needed = {"ncp", "lm", "lm_sum"} | ({"weighted_ncp", "weighted_lm"} if weights is not None else set())
    missing = needed - reported.keys()
    return [Failure("loss not told", f"{sorted(missing)}")] if missing else []


def _column_losses(world: World, seen: Seen) -> dict[str, Fraction]:
    """NCP of the columns that are categories, or numbers without levels."""
    losses: dict[str, Fraction] = {}
    if world.case.model not in ("k", "k-km", "k-lm"):
        return {}
    for name in world.quasi_identifiers:
        role = world.case.roles.get(name, {})
        was, now = world.case.columns[name], seen.columns[name]
        present = [value for value in was if (value or "").strip() and value not in role.get("missing", ())]
        penalties: list[Fraction] = []
        if isinstance(role.get("hierarchy"), str) or not present:
            continue
        if isinstance(role.get("hierarchy"), dict):
            tree = Tree(role["hierarchy"])
            penalties = [
                _share(len(tree.leaves[value]), len(tree.items)) if value in tree.leaves else Fraction(0)
                for value in map(str, now)
            ]
        elif role.get("type") == "category" or any(
            place(str(value)) is None or re.match(r"0\d", str(value)) for value in present
        ):
            penalties = [_collected(value, set(present)) for value in now]
        else:
            points = [place(str(value)) for value in present]
            ends = [point for point in points if point is not None]
            length = max(ends) - min(ends) or Fraction(1)
            for value in now:
                bounds = re.fullmatch(r"\[([^:]+):([^:]+)\]", value or "")
                low, high = (place(bounds[1]), place(bounds[2])) if bounds else (None, None)
                wide = high - low if low is not None and high is not None else Fraction(0)
                penalties.append(Fraction(1) if value == "*" else min(Fraction(1), wide / length))
        losses[f"relational_ncp:{name}"] = sum(penalties, Fraction(0)) / max(1, len(penalties))
    return losses


def _share(part: int, whole: int) -> Fraction:
    return Fraction(0) if part == 1 else Fraction(part, whole)
