"""(h,k,p)-coherence (Xu et al. 2008): p public items fit k records, and reveal no private item too surely.

Items are public or private. Every set b of 1..p public labels that occurs is in at least k records, and at most the
share h of these has any one private item e: sup(b with e) / sup(b) <= h. An attacker who knows nothing (b = {}) is not
considered, so a private item that most records have is no violation by itself. Without private items, or with h = 1,
this is k^m-anonymity of the public items with m = p.

The verifier counts the published rows and nothing else: first supports, then shares. If all supports are at least k, a
share above h needs more than h*k records with the private item. So the verifier skips sets with fewer, and their
supersets.

Time: that of k^p-anonymity, and of enumerating the sets of up to p labels that more than h*k records with a private
item have. Memory is proportional to the data.
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
from shoal.models.people import NOT_MISSING, about_people
from shoal.models.rare import rare_sets
from shoal.models.sensitive import SensitiveValues
from shoal.models.set_counting import count_shares, counts_by_table
from shoal.models.witness import DisclosingSet, RareSet
from shoal.options import format_value, option
from shoal.published import Published

DECIMALS = 9  # of h: shares are compared exactly, in 64 bits


@dataclass(frozen=True)
class Hkp(SensitiveValues, ItemsetModel):
    """(h,k,p)-coherence: p public items fit at least k records, of which at most the share h has a private item.

    An attacker who knows up to p public items of a record finds at least k records that fit, or none. Each private item
    is in at most the share h of them.

    Parameters
    ----------
    h : float, default 0.8
        Largest share of the records that fit which may have the same private item. Above 0, at most 1.
    k : int, default 5
        Records that must share any p known items. At least 2.
    p : int, default 2
        Public items of a record that an attacker may know. At least 1.
    sensitive : tuple of str
        Private items, groups of the hierarchy, or values of a column such as ``"disease=HIV"``.
    sensitive_column : tuple of str
        Columns whose values are all private.

    References
    ----------
    Y. Xu, K. Wang, A. W.-C. Fu, P. S. Yu: Anonymizing transaction databases for publication. KDD 2008.

    Examples
    --------
    >>> import shoal
    >>> rows = [["a", "b"], ["a", "b", "HIV"], ["a"]]
    >>> shoal.verify(rows, shoal.models.Hkp(h=0.5, k=2, p=2, sensitive=("HIV",))).holds
    True
    >>> print(shoal.verify(rows, shoal.models.Hkp(h=0.4, k=2, p=2, sensitive=("HIV",))).verdict.witnesses[0])
    1 of the 2 records with {b} has 'HIV'
    """

    name = "hkp"
    title = "(h,k,p)-coherence"
    protects = "Sets: p known items fit k records; a sensitive item has a chance of at most h."
    promise = (
        "Someone who knows up to p items that are not sensitive cannot narrow a record down to fewer than k, and "
        "is right about a sensitive value with a chance of at most h."
    )
    suits = "Items may be left out, but must not be replaced by groups."
    paper = "Xu et al. 2008"
    default_algorithm = "mm"
    views = ("label set or share", "label sets and shares")
    check_scope = (
        "one for every set of published labels that occurs and that an attacker may know (or for every different "
        "published record, if that covers all such sets), and one for every share of a private item that could be too "
        "high"
    )

    h: float = option(
        0.8, low=0, high=1, help="Largest share of the records that fit which may have the same private item."
    )
    k: int = option(5, low=2, help="Records that must share any p known items.")
    p: int = option(2, low=1, help="Public items of a record that an attacker may know.")
    sensitive: tuple[str, ...] = option(
        (), help="Items or groups that must not be learned: a,b,c or a file with one a line."
    )
    sensitive_column: tuple[str, ...] = option((), help="Other columns whose values must not be learned: a,b.")

    def __post_init__(self) -> None:
        """Raise an error if the share h is 0 or has too many decimals to be compared exactly."""
        super().__post_init__()
        if not self.h:
            raise OptionError(
                "(h,k,p)-coherence needs h above 0, got 0. With 0, no record could have both a private and a public "
                "item: remove the private items instead."
            )
        if self.share.denominator > 10**DECIMALS:
            raise OptionError(f"(h,k,p)-coherence: h must have at most {DECIMALS} decimals, got {self.h}: round it.")

    @property
    def share(self) -> Fraction:
        """The share h as an exact fraction.

        >>> Hkp(h=0.1).share
        Fraction(1, 10)
        """
        return Fraction(str(self.h))

    @property
    def risk_caveat(self) -> str:
        """Say that the risk figures leave out private items."""
        if not self.sensitive and not self.sensitive_column:
            return ""
        return "The charts show the risk of finding a record. The guarantee also limits what is learned about it."

    @property
    def notes(self) -> list[Note]:
        """Warn if nothing is private."""
        if self.sensitive or self.sensitive_column:
            return []
        return [NoPrivateItems(self.k, self.p)]

    @property
    def max_known_items(self) -> int:
        """The number of items that an attacker may know: p."""
        return self.p

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Check supports first, then the shares of private items, and return the verdict."""
        rows, values = self.both(published)
        rare = rare_sets(rows, self.k, self.p, engine)
        least, share = int(self.share * self.k) + 1, self.share.as_integer_ratio()
        if not rare.violations and counts_by_table(rows, self.p, engine):
            checked, violations = count_shares(rows, values, share, self.p, engine, least=least)
            if not violations:  # else the other way names them
                return Verdict(True, rare.checked + checked)
        known = min((len(codes) - 1 for codes, _ in rare.sets), default=self.p)
        told = disclosing_sets(
            rows.indptr,
            rows.items,
            len(rows.labels),
            values.indptr,
            values.items,
            len(values.labels),
            share,
            range(1, known + 1),
            least=least,
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
        """Count the records that a few public items single out."""
        return Risk.of(self.both(published)[0], self.k, min(self.p, DRAWN), engine)

    def demand(self, rows: Transactions) -> Demand:
        """Ask that any p labels are in k records, and at most the share h of these has the same private item."""
        return Demand(self.k, min(self.p, rows.longest), self.share)

    def feasible(self, published: Published) -> None:
        """Do nothing: the model is always feasible, because its algorithms may suppress all public items."""

    @property
    def short(self) -> str:
        """The guarantee in a few words, such as "(0.8,5,2)-coherence"."""
        return f"({format_value(self.h)},{self.k},{self.p})-coherence"

    def describe(self, persons: Persons | None = None) -> str:
        """Describe the guarantee in one sentence."""
        known = "a public item" if self.p == 1 else f"up to {self.p} public items"
        fitting = f"at least {self.k} records that fit, or with none"
        left = f"An attacker who knows {known} of a record is left with {fitting}"
        if not self.sensitive and not self.sensitive_column:
            return f"{left}."
        return f"{left}, and finds each private item in at most {float(self.share * 100):g} % of them."

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """List what the guarantee does not promise."""
        known = "1 public item" if self.p == 1 else f"{self.p} public items"
        return [
            f"It says nothing about an attacker who knows more than {known} of a record.",
            "It says nothing about an attacker who knows a private item of a record. These items are published "
            "unchanged.",
            "It says nothing about an attacker who knows no item. If nearly all records have a private item, everyone "
            "can guess that a record has it.",
            "It protects only private items from being learned. If every record that fits what an attacker knows also "
            "holds a certain public item, they learn that item without knowing which record it is.",
            NOT_MISSING,
            about_people(None),
            "It covers this release only. Publishing the same records again in another form can undo it.",
        ]
