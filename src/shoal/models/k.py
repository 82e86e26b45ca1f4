"""k-anonymity of columns: at least k records share each combination of quasi-identifying values.

Every combination of published values of the quasi-identifying columns occurs at least k times. If persons are given, it
occurs in records of at least k different persons.

The verifier groups the records by their published values and counts. It sorts once for each column. Its memory is
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
    """k-anonymity: each record has the same quasi-identifying values as at least k - 1 others.

    An attacker who knows the values of a record in all quasi-identifying columns finds at least k records that fit. The
    sets are published unchanged and are not protected.

    Parameters
    ----------
    k : int, default 5
        Records (or persons, if given) that must share the values of all quasi-identifiers. At least 2.

    References
    ----------
    P. Samarati, L. Sweeney: Protecting privacy when disclosing information: k-anonymity and its enforcement through
    generalization and suppression. Technical report, SRI International, 1998.

    Examples
    --------
    >>> import pandas as pd
    >>> import shoal
    >>> people = pd.DataFrame({"age": ["[19:22]", "[19:22]", "70"]})
    >>> result = shoal.verify(people, shoal.models.K(k=2))
    >>> print(result.holds, result.verdict.witnesses[0])
    False 1 record has age=70
    """

    name = "k"
    title = "k-anonymity"
    protects = "Columns: each record has the quasi-identifiers of at least k - 1 others."
    promise = (
        "Someone who knows the quasi-identifiers of a record, such as age and place, cannot narrow it down to "
        "fewer than k records."
    )
    suits = "Tables without sets: age, place, profession."
    paper = "Samarati and Sweeney 1998; Poulis et al. 2013, s.2"
    default_algorithm = "cluster"
    views = ("combination of values", "combinations of values")
    check_scope = "one for every combination of published values of the quasi-identifying columns"

    covers_sets = False
    counts_persons = True

    k: int = option(5, low=2, help="Records (or persons, if given) that must share all quasi-identifying values.")

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count the records of each combination of values, and return the verdict."""
        engine.tick("verifying")(0.0)
        return self.too_small(self.classes(published), published.rows.persons)

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Count the records that all quasi-identifying values single out."""
        classes, persons = self.classes(published), published.rows.persons
        return Risk.by_sizes([class_sizes(classes, persons)[classes.of]], self.k, person=noun(persons))

    @property
    def short(self) -> str:
        """The guarantee in a few words, such as "5-anonymity"."""
        return f"{self.k}-anonymity"

    def describe(self, persons: Persons | None = None) -> str:
        """Describe the guarantee in one sentence."""
        return (
            f"An attacker who knows the values of a record in all quasi-identifying columns is left with at least "
            f"{fitting(self.k, persons)}."
        )

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """List what the guarantee does not promise."""
        return [
            "It covers the quasi-identifying columns only. An attacker who also knows items of the sets, or values of "
            "other columns, may find a record.",
            *about_values(persons),
            "It does not hide what all fitting records have in common. If they share a value of another column, an "
            "attacker learns that value without knowing which record it is.",
            about_people(persons),
            "It covers this release only. Publishing the same records again in another form can undo it.",
        ]
