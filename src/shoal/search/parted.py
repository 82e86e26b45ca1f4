"""Clusters that split persons: one person may have records in several of them.

Shares of persons are not additive. Suppose two persons each have one record in each of two classes, and each person has
a sensitive value in a different class. Then the share is 1 of 2 in both classes, but 2 of 2 in all records together. So
as long as no cluster splits a person, clusters can only be safe if all records together are. If these are not, clusters
have to split persons. Then a union of two safe clusters need not be safe, so every merged class is checked again.

This is a heuristic: which groupings are safe depends on all sensitive values at once, and not every grouping is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from shoal.data.arrays import Counts
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.models.base import ItemsetModel
from shoal.models.people import holders
from shoal.problem import Prepared
from shoal.search.clusters import Clusters
from shoal.search.needs import Needs
from shoal.search.set_generalizer import SetGeneralizer

MOST = 5_000  # limit on the classes of equal records to merge, if the first clusters do not work


def must_part(problem: Prepared[ItemsetModel]) -> bool:
    """Whether some persons have several records, and no clusters can be safe without splitting persons."""
    items, one_in = problem.items, problem.model.demand(problem.items).one_in
    return bool(one_in and len(items.repeaters)) and not Needs(problem).is_feasible(np.arange(len(items)))


def safe_clusters(
    first: Counts, within: SetGeneralizer, engine: Engine, title: str, clusters: Callable[[Counts], Clusters]
) -> Clusters:
    """Return safe clusters that split persons: the first ones or equal records, merged as needed, or all in one.

    Raises :class:`~shoal.errors.Infeasible` if none of these are safe. ``title``: of the method, for the message.
    """
    problem = within.problem
    raw, needs = problem.relational, Needs(problem)
    assert raw is not None

    def candidates() -> Iterator[Clusters]:
        finest = [raw.classes] if raw.classes.max() < MOST else []
        for start in (first, *finest):
            formed = clusters(start)
            formed.merge_infeasible()
            yield formed
        yield clusters(raw.classes)
        yield clusters(np.zeros(len(raw), dtype=np.int64))

    def is_safe(rows: Counts) -> bool:
        if not needs.can_be_class(rows):
            return False
        try:
            within.loss(rows, engine)
        except Infeasible:
            return False
        return True

    for candidate in candidates():
        if all(candidate.is_feasible(number) or is_safe(rows) for number, rows in candidate.rows.items()):
            return candidate
    raise Infeasible(_not_found(problem, title))


def _not_found(problem: Prepared[ItemsetModel], title: str) -> str:
    """Return a message: why the method gives up, and what the user can do."""
    values, persons = problem.sensitive, problem.items.persons
    assert persons is not None
    having = holders(values, persons)
    worst = int(np.argmax(having))
    return (
        f"{title} found no groups of records that satisfy {problem.model.short}, counted by {persons.nouns}: each "
        f"grouping that it tried has a group in which a sensitive value is too frequent, such as "
        f"'{values.labels[worst]}', which is in records of {having[worst]:,} of {persons.name(persons.count())}. Other "
        f"groupings may work: choose a smaller k or l, another seed= or algorithm=, or do not declare it sensitive."
    )
