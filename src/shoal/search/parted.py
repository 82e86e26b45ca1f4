"""Clusters that part persons: records of one person in several of them.

Shares of persons are not additive. Two persons with one record in each of two classes may each have a sensitive value
in another class: 1 of 2 in both classes, 2 of 2 in all records together. So while no cluster parts a person, clusters
can only be safe if all records together are. Where these are not, clusters have to part persons, and then a union of
two safe clusters need not be safe: whatever becomes one class is looked at again.

This is a search and no proof: which groupings are safe depends on all sensitive values at once, and not every grouping
is tried.
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

MOST = 5_000  # classes of equal records that are merged, if the first clusters do not work out


def must_part(problem: Prepared[ItemsetModel]) -> bool:
    """Whether there are persons with several records, and no clusters without parting them can be safe."""
    items, one_in = problem.items, problem.model.demand(problem.items).one_in
    return bool(one_in and len(items.repeaters)) and not Needs(problem).is_feasible(np.arange(len(items)))


def safe_clusters(
    first: Counts, within: SetGeneralizer, engine: Engine, title: str, clusters: Callable[[Counts], Clusters]
) -> Clusters:
    """Safe clusters that part persons: the first ones or equal records, merged as needed; equal records; or all in one.

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
    """Why the method gives up, and what could be done."""
    values, persons = problem.sensitive, problem.items.persons
    assert persons is not None
    having = holders(values, persons)
    worst = int(np.argmax(having))
    return (
        f"{title} found no groups of records with {problem.model.short}, by {persons.nouns}: each grouping that it "
        f"tried has a group in which a sensitive value is too frequent, such as '{values.labels[worst]}', which is in "
        f"records of {having[worst]:,} of {persons.name(persons.count())}. Not all groupings are tried, so others may "
        f"hold: choose a smaller k or l, another --seed or algorithm, or do not declare the value sensitive."
    )
