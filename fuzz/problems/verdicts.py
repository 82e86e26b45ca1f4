"""The verifier must say what brute force says: of the original data, of the release, and of changed releases."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa

import shoal
from fuzz.problems import library
from fuzz.problems.case import Failure
from fuzz.problems.definitions import DEFINITIONS, View, holds
from fuzz.problems.truth import full_options, view_of
from fuzz.problems.world import Seen, Sets, World
from shoal.data.dataset import Dataset
from shoal.data.table import Role, Table
from shoal.errors import ShoalError
from shoal.models.base import PrivacyModel, Verdict
from shoal.models.witness import DisclosingInClass, DisclosingSet, RareInClass, RareRecord

PERTURBED = 3  # changed copies of each release


def of_original(world: World) -> list[Failure]:
    """The original data, as a file of which nothing else is known."""
    case = world.case
    if case.model not in DEFINITIONS or case.multiset:
        return []
    if "group_column" in full_options(world) or (case.model in ("k", "k-km", "k-lm") and not world.quasi_identifiers):
        return []
    try:
        model = library.privacy_of(case)
        data = library.data_of(case)
        if case.parents is not None:
            model = model.expand_groups(shoal.Hierarchy.from_parents(case.parents), set(data.transactions.labels))
    except ShoalError:
        return []
    return _agree(world, model, Seen(world.rows, dict(case.columns), {}), "the original")


def of_release(world: World, seen: Seen, release: Any) -> list[Failure]:
    """The release, and copies of it with a few labels changed, or with persons who repeat a record."""
    model = release.problem.model
    failures = _agree(world, model, seen, "the release")
    if not seen.rows or failures:
        return failures
    random_ = random.Random(world.case.perturb)
    copies = [_changed(random_, seen.rows) for _ in range(PERTURBED)]
    if world.has_repeaters:
        copies += [_repeated(random_, rows, world.people) for rows in (seen.rows, *copies)]
    for rows in copies:
        failures += _agree(world, model, Seen(rows, seen.columns, seen.book), "a changed release")
    return failures


def _repeated(random_: random.Random, rows: Sets, people: list[int]) -> Sets:
    """The rows, where most records of a person are the same one: by records it weighs more than by persons."""
    same = dict(random_.sample(list(zip(people, rows, strict=True)), len(rows)))
    return [same[person] if random_.random() < 0.9 else row for row, person in zip(rows, people, strict=True)]


def _changed(random_: random.Random, rows: Sets) -> Sets:
    """The rows with one to three changes."""
    changed = list(rows)
    labels = sorted(frozenset[str]().union(*rows)) or ["a"]
    for _ in range(random_.randint(1, 3)):
        at = random_.randrange(len(changed))
        roll = random_.random()
        if roll < 0.4 and changed[at]:
            changed[at] = changed[at] - {random_.choice(sorted(changed[at]))}
        elif roll < 0.8:
            changed[at] = changed[at] | {random_.choice(labels)}
        else:
            changed[at] = random_.choice(changed)
    return changed


def _agree(world: World, model: PrivacyModel, seen: Seen, what: str) -> list[Failure]:
    """Whether verifier and definition agree, and the first witness is one."""
    data = _dataset(world, seen)
    view = view_of(world, seen)
    try:
        verdict = model.verify(model.validated_view(data))
    except ShoalError:
        return []  # what is sensitive is not there, say
    expected = holds(world.case.model, full_options(world), view)
    if verdict.holds != expected:
        return [Failure(f"verdict on {what}: {world.case.model}", f"told {verdict.holds}, is {expected}")]
    if not verdict.holds and (wrong := _witness(verdict, view, by_persons=world.case.persons is not None)):
        return [Failure(f"witness on {what}: {world.case.model}", wrong)]
    return []


def _witness(verdict: Verdict, view: View, *, by_persons: bool) -> str:
    """What is wrong with the first witness; empty: nothing."""
    if not verdict.witnesses or verdict.violations < 1:
        return "violated without a witness"
    one = verdict.witnesses[0]
    if bool(one.person) != by_persons and not isinstance(one, DisclosingSet):  # which may be about records as well
        return f"{one}: counts {one.unit()}"
    if isinstance(one, DisclosingInClass):
        return ""
    people = view.people if one.person else range(len(view.known))
    has, lacks = frozenset(one.labels), frozenset(one.named) - frozenset(one.labels)
    rows = list(zip(view.known, view.sensitive, people, strict=True))
    if isinstance(one, RareInClass):
        classes = [[row for row, own in zip(rows, view.classes, strict=True) if own == each] for each in view.classes]
        sizes = {len({person for known, _, person in members if has <= known}) for members in classes}
        return "" if one.support in sizes else f"{one}: {sorted(sizes)} {one.unit()}"
    if isinstance(one, RareRecord):
        count = len({person for known, secret, person in rows if known | secret == has})
    else:
        count = len({person for known, _, person in rows if has <= known and not lacks & known})
    if count != one.support:
        return f"{one}: {count} {one.unit()}"
    if not isinstance(one, DisclosingSet):
        return ""
    holders = len({person for known, secret, person in rows if has <= known and one.sensitive in secret})
    return f"{one}: {holders} holders" if holders != one.holders else ""


def _dataset(world: World, seen: Seen) -> Dataset:
    """Published data for the verifier; labels are those that brute force sees."""
    data = shoal.read([sorted(row) for row in seen.rows])
    data = data.with_transactions(data.transactions.of_persons(world.case.persons))
    if not seen.columns:
        return data
    table = Table(pa.table({name: pa.array(values, pa.string()) for name, values in seen.columns.items()}))
    if world.case.model in ("k", "k-km", "k-lm"):
        known = set(world.quasi_identifiers)
        secret = set(world.sensitive_columns)
        roles = {
            name: Role.QUASI_IDENTIFIER if name in known else Role.SENSITIVE if name in secret else Role.PLAIN
            for name in seen.columns
        }
        table = Table(table.arrow, roles)
    return Dataset(data.transactions, table)
