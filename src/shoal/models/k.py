"""Relational k-anonymity (Samarati, Sweeney 1998; needed by P2): every combination of values is shared by k records.

Every combination of published values of the quasi-identifying columns occurs at least k times; where persons are
given, in records of at least k different persons.

The verifier groups the records by their published values and counts. Cost: one sort for each column; memory is
proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.persons import Persons
from shoal.engines import LOCAL, Engine
from shoal.metrics.risk import Risk
from shoal.models.base import Verdict
from shoal.models.people import about_people, class_sizes, fitting, noun
from shoal.models.relational import RelationalModel, about_values
from shoal.options import option
from shoal.published import Published


@dataclass(frozen=True)
class K(RelationalModel):
    """Any record has the same values in the quasi-identifying columns as at least k - 1 others.

    >>> import pyarrow as pa
    >>> import shoal
    >>> data = shoal.read(pa.table({"age": ["[19:22]", "[19:22]", "70"], "items": [["a"], ["b"], ["c"]]}))
    >>> verdict = K(k=2).verify(K(k=2).validated_view(data))
    >>> verdict.holds, str(verdict.witnesses[0])
    (False, '1 record has age=70')
    """

    name = "k"
    title = "k-anonymity"
    protects = "Columns: each record has the quasi-identifiers of at least k - 1 others."
    paper = "Samarati and Sweeney 1998; P2 s.2"
    default_algorithm = "cluster"
    views = ("combination of values", "combinations of values")
    check_scope = "every combination of published values of the quasi-identifying columns"

    covers_sets = False
    counts_persons = True

    k: int = option(5, low=2, help="records (persons, where given) that must share the values of all quasi-identifiers")

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count the records of each combination of values."""
        engine.tick("verifying")(0.0)
        return self.too_small(self.classes(published), published.rows.persons)

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Who can be found by all values."""
        classes, persons = self.classes(published), published.rows.persons
        return Risk.by_sizes([class_sizes(classes, persons)[classes.of]], self.k, person=noun(persons))

    @property
    def short(self) -> str:
        """For instance 5-anonymity."""
        return f"{self.k}-anonymity"

    def describe(self, persons: Persons | None = None) -> str:
        """In plain words."""
        return (
            f"An attacker who knows the values of a record in all quasi-identifying columns is left with at least "
            f"{fitting(self.k, persons)}."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """In plain words."""
        return [
            "It is about the quasi-identifying columns alone: an attacker who also knows something of the sets, or of "
            "other columns, may find a record.",
            *about_values(persons),
            "It does not hide what all fitting records have in common: a value of another column that they all share "
            "is learned without knowing which record it is.",
            about_people(persons),
            "It is about this release alone. Publishing the same records again in another form can undo it.",
        ]
