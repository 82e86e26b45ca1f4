"""(h,k,p)-coherence (Xu, Wang, Fu, Yu, KDD 2008; the guarantee of P4's rival MM).

Items are public or private. Every set b of 1..p public labels that occurs is in at least k records, and of these at
most the share h has any one private item e: sup(b with e) / sup(b) <= h. An attacker who knows nothing (b = {}) is not
considered: a private item that most records have is no violation by itself. Without private items, or with h = 1, this
is k^m-anonymity of the public items with m = p.

The verifier counts the published rows and nothing else: first supports, then shares. Where all supports are at least k
a share above h needs more than h*k records with the private item, so sets with fewer are left with all that contain
them.

Cost: that of k^p-anonymity, and the time to enumerate the sets of up to p labels that more than h*k records with a
private item have; memory is proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.data.note import Note
from shoal.data.notes import NoPrivateItems
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import OptionError
from shoal.kernels.verify.disclosing_sets import disclosing_sets
from shoal.metrics.risk import Risk
from shoal.models.base import DRAWN, Demand, ItemsetModel, Verdict
from shoal.models.rare import rare_sets
from shoal.models.sensitive import SensitiveValues
from shoal.models.witness import DisclosingSet, RareSet
from shoal.options import format_value, option
from shoal.published import Published

DECIMALS = 9  # of h: shares are compared exactly, in 64 bits


@dataclass(frozen=True)
class Hkp(SensitiveValues, ItemsetModel):
    """Any p or fewer public items of a record are in at least k records, and tell no private item too surely.

    >>> rows = Transactions.from_sets([["a", "b"], ["a", "b", "HIV"], ["a"]])
    >>> for h in (0.5, 0.4):
    ...     verdict = Hkp(h=h, k=2, p=2, sensitive=("HIV",)).verify(Published.plain(rows))
    ...     verdict.holds, [str(witness) for witness in verdict.witnesses]
    (True, [])
    (False, ["1 of the 2 records with {b} has 'HIV'"])
    """

    name = "hkp"
    title = "(h,k,p)-coherence"
    protects = "Sets: p known items fit k records; a sensitive item has a chance of at most h."
    paper = "Xu, Wang, Fu, Yu, KDD 2008; P4's rival MM"
    default_algorithm = "mm"
    views = ("attacker view", "attacker views")
    check_scope = (
        "every set of published labels that occurs and that an attacker may know (or, where that settles all such sets "
        "at once, every different published record), and of those in enough records with a private item all shares"
    )

    h: float = option(0.8, low=0, high=1, help="largest share of the records that fit which may have a private item")
    k: int = option(5, low=2, help="records that must share any known itemset")
    p: int = option(2, low=1, help="public items an attacker may know of a record")
    sensitive: tuple[str, ...] = option(
        (), help="what is not to be learned, items or groups: a file, one a line, or a,b,c"
    )
    sensitive_column: tuple[str, ...] = option((), help="other columns with values not to be learned: a,b")

    def __post_init__(self) -> None:
        """The share must be above 0, and short enough to be compared exactly."""
        super().__post_init__()
        if not self.h:
            raise OptionError(
                "(h,k,p)-coherence needs an h above 0, got 0: with 0 no record could have a private item and a public "
                "one; remove the private items instead."
            )
        if self.share.denominator > 10**DECIMALS:
            raise OptionError(f"(h,k,p)-coherence: h must have at most {DECIMALS} decimals, got {self.h}: round it.")

    @property
    def share(self) -> Fraction:
        """What h says, exactly as it was written.

        >>> Hkp(h=0.1).share
        Fraction(1, 10)
        """
        return Fraction(str(self.h))

    @property
    def risk_caveat(self) -> str:
        """Risks are drawn for finding a record."""
        if not self.sensitive and not self.sensitive_column:
            return ""
        return "The figures are about finding a record; the guarantee also limits what is learned of private items."

    @property
    def notes(self) -> list[Note]:
        """Without private items half of it is idle."""
        if self.sensitive or self.sensitive_column:
            return []
        return [NoPrivateItems(self.k, self.p)]

    @property
    def max_known_items(self) -> int:
        """As many items as p says."""
        return self.p

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Supports first, then the shares of private items for sets that are too small to be rare."""
        rows, values = self.both(published)
        rare = rare_sets(rows, self.k, self.p, engine)
        known = min((len(codes) - 1 for codes, _ in rare.sets), default=self.p)
        told = disclosing_sets(
            rows.indptr,
            rows.items,
            len(rows.labels),
            values.indptr,
            values.items,
            len(values.labels),
            self.share.as_integer_ratio(),
            range(1, known + 1),
            least=int(self.share * self.k) + 1,
            threads=engine.threads,
            tick=engine.tick("verifying"),
        )
        checked = rare.checked + told.checked
        if told.violations:  # of a smaller size than any rare set
            shares = [
                DisclosingSet(tuple(rows.labels[code] for code in codes), count, values.labels[value], holders)
                for codes, value, count, holders in told.sets
            ]
            return Verdict(False, checked, told.violations, tuple(shares))
        witnesses = [RareSet(tuple(rows.labels[code] for code in codes), support) for codes, support in rare.sets]
        return Verdict(rare.violations == 0, checked, rare.violations, tuple(witnesses))

    def risk(self, published: Published, engine: Engine = LOCAL) -> Risk:
        """Who can be found by public items."""
        return Risk.of(self.both(published)[0], self.k, min(self.p, DRAWN), engine)

    def demand(self, rows: Transactions) -> Demand:
        """Any p labels are in k records, of which at most the share h has the same private item."""
        return Demand(self.k, min(self.p, int(rows.sizes.max(initial=0))), self.share)

    def feasible(self, published: Published) -> None:
        """It always is: without public items there is nothing to know. The algorithms for it may suppress."""

    @property
    def short(self) -> str:
        """For instance (0.8,5,2)-coherence."""
        return f"({format_value(self.h)},{self.k},{self.p})-coherence"

    def describe(self, persons: Persons | None = None) -> str:
        """In plain words."""
        known = "a public item" if self.p == 1 else f"up to {self.p} public items"
        fitting = f"at least {self.k} records that fit, or with none"
        left = f"An attacker who knows {known} of a record is left with {fitting}"
        if not self.sensitive and not self.sensitive_column:
            return f"{left}."
        return f"{left}, and finds each private item in at most {float(self.share * 100):g} % of them."

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """In plain words."""
        known = "1 public item" if self.p == 1 else f"{self.p} public items"
        return [
            f"It says nothing about an attacker who knows more than {known} of a record.",
            "It says nothing about an attacker who knows a private item of a record: these are published as they are.",
            "It says nothing about an attacker who knows no item: if nearly all records have a private item, everybody "
            "may guess so.",
            "Only what was declared private is protected from being learned. If every record that fits what an "
            "attacker knows also holds a certain other item, they learn that item without knowing which record it is.",
            "It counts what an attacker knows to be in a record, not what they know to be missing from it.",
            "It counts records, not people. If one person is behind several records, fewer people may fit.",
            "It is about this release alone. Publishing the same records again in another form can undo it.",
        ]
