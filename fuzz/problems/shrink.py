"""Make a failing case small: drop records, items, columns and options while the same failure stays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from fuzz.problems.case import Case

SECONDS = 20.0


def shrink(case: Case, fails: Callable[[Case], bool], seconds: float = SECONDS) -> Case:
    """The smallest case found in a while that still fails."""
    end = time.monotonic() + seconds
    smaller = True
    while smaller and time.monotonic() < end:
        smaller = False
        for candidate in _smaller(case):
            if time.monotonic() > end:
                break
            if candidate != case and fails(candidate):
                case, smaller = candidate, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """Cases with a little less, the boldest first."""
    count = case.n_rows
    size = max(1, count // 2)
    while size >= 1 and count:
        for start in range(0, count, size):
            yield _without_rows(case, range(start, min(count, start + size)))
        if size == 1:
            break
        size //= 2
    yield from _fewer_persons(case)
    yield replace(case, format=None)
    yield replace(case, memory="list")
    yield replace(case, weights=None)
    yield replace(case, loss="ncp", seed=0, multiset=False, tree_format="parents")
    for name in case.columns:
        yield replace(
            case,
            columns={key: values for key, values in case.columns.items() if key != name},
            roles={key: role for key, role in case.roles.items() if key != name},
        )
    for name in case.roles:
        yield replace(case, roles={**case.roles, name: {}})
    for column in case.sets if len(case.sets) > 1 else ():
        yield replace(case, sets={key: rows for key, rows in case.sets.items() if key != column})
    for less in _smaller_options(case.algorithm_options):
        yield replace(case, algorithm_options=less)
    for less in _smaller_options(case.model_options):
        yield replace(case, model_options=less)
    yield from _smaller_trees(case)
    for column, rows in case.sets.items():
        for item in sorted({item for row in rows for item in row}):
            yield replace(case, sets={**case.sets, column: [[one for one in row if one != item] for row in rows]})
        for at, row in enumerate(rows):
            for place in range(len(row)):
                fewer = [*rows[:at], row[:place] + row[place + 1 :], *rows[at + 1 :]]
                yield replace(case, sets={**case.sets, column: fewer})
    yield from _plainer(case)


def _smaller_options(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Without one of them, or with a smaller value."""
    for name, value in given.items():
        yield {key: other for key, other in given.items() if key != name}
        if isinstance(value, list) and len(value) > 1:
            yield from ({**given, name: value[:at] + value[at + 1 :]} for at in range(len(value)))
        if isinstance(value, int) and not isinstance(value, bool) and value > 2:
            yield {**given, name: value - 1}


def _without_rows(case: Case, gone: range) -> Case:
    kept = [at for at in range(case.n_rows) if at not in gone]
    return replace(
        case,
        sets={column: [rows[at] for at in kept] for column, rows in case.sets.items()},
        columns={column: [values[at] for at in kept] for column, values in case.columns.items()},
        persons=case.persons and [case.persons[at] for at in kept],
    )


def _fewer_persons(case: Case) -> Iterator[Case]:
    """Without persons; or with plain numbers, or with a record less for one of them, who becomes another person."""
    people = case.persons
    if people is None:
        return
    yield replace(case, persons=None)
    number = {person: at for at, person in enumerate(dict.fromkeys(people))}
    yield replace(case, persons=[number[person] for person in people])
    for at, person in enumerate(people):
        if people.count(person) > 1:
            yield replace(case, persons=[*people[:at], max(people) + 1, *people[at + 1 :]])


def _smaller_trees(case: Case) -> Iterator[Case]:
    """Without a group, whose children move up; or without an item that does not occur."""
    if case.parents is None:
        return
    yield replace(case, parents=None)
    inner = set(case.parents.values())
    for label, above in case.parents.items():
        if label in inner and above is not None:
            moved = {child: above if parent == label else parent for child, parent in case.parents.items()}
            del moved[label]
            yield replace(case, parents=moved)
        elif label not in inner and above is not None:
            yield replace(case, parents={child: parent for child, parent in case.parents.items() if child != label})


def _plainer(case: Case) -> Iterator[Case]:
    """With simpler labels."""
    used = {item for rows in case.sets.values() for row in rows for item in row}
    everything = used | set(case.parents or ())
    fresh = iter(name for name in "abcdefghijklmnop" if name not in everything)
    for label in sorted(everything, key=len, reverse=True):
        if len(label) > 1 and (name := next(fresh, None)) is not None:
            yield _renamed(case, label, name)


def _renamed(case: Case, old: str, new: str) -> Case:
    def named(label: str) -> str:
        return new if label == old else label

    def options(given: dict[str, object]) -> dict[str, object]:
        return {
            key: [named(one) for one in value] if isinstance(value, list) else value for key, value in given.items()
        }

    parents = case.parents and {named(child): above and named(above) for child, above in case.parents.items()}
    return replace(
        case,
        sets={column: [[named(item) for item in row] for row in rows] for column, rows in case.sets.items()},
        parents=parents,
        weights=case.weights and {named(label): value for label, value in case.weights.items()},
        model_options=options(case.model_options),
        algorithm_options=options(case.algorithm_options),
    )
