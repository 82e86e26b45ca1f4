"""The result of an assessment of risk. It holds aggregates only, so that it may be published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from shoal.errors import OptionError
from shoal.risk.figure import Figure

Known = int | Literal["all"]  # items that an intruder knows; "all": every item of the record
Choice = Literal["worst", "random"]  # which items of the record these are


@dataclass(frozen=True)
class Band:
    """The share of records with a crowd of about the same size.

    Parameters
    ----------
    least, most : int
        The smallest and the largest size. ``most`` is None in the last band, which has no end.
    share : Figure
        The share of records.

    Examples
    --------
    >>> Band(2, 4, Figure.of(0.5)).as_dict()
    {'from': 2, 'to': 4, 'share': {'value': 0.5, 'low': 0.5, 'high': 0.5, 'exact': True}}
    """

    least: int
    most: int | None
    share: Figure

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"from": self.least, "to": self.most, "share": self.share.as_dict()}


@dataclass(frozen=True)
class Scenario:
    """The risk from an intruder who knows some items of a record, and maybe its columns.

    The crowd of a record are the records, or persons, that fit what the intruder knows of it.

    Parameters
    ----------
    known_items : int or "all"
        How many items of the record the intruder knows. A record with fewer items is known as a whole.
    columns : bool
        Whether the intruder also knows all quasi-identifying columns.
    choice : "worst" or "random"
        Whether the known items are those that leave the smallest crowd, or are drawn at random.
    draws : int
        How many draws the estimates rest on. 0 means that all records and sets were counted.
    smallest : Figure
        The size of the smallest crowd.
    quantiles : tuple of (float, Figure)
        For 1 %, 5 %, 25 % and 50 % of the records: the size that their crowds do not exceed.
    histogram : tuple of Band
        The shares of records by the size of their crowd.
    prosecutor_max, prosecutor_mean : Figure
        The chance to pick the target out of its crowd: the largest, and the mean over all records.
    marketer : Figure
        The expected share of records that are re-identified if every record is attacked.
    journalist_max, journalist_mean : Figure or None
        The same as the prosecutor's, but with crowds in the population. None if no population was given.
    above : tuple of (float, Figure)
        For each threshold, the share of records whose risk is above it.

    Examples
    --------
    >>> import shoal
    >>> result = shoal.assess_risk([["a", "b"], ["a", "b"], ["a", "c"]], m=1, thresholds=[0.5])
    >>> one = result.assessment.scenario(1, "worst")
    >>> one.smallest.value, one.prosecutor_mean.value, [share.value for _, share in one.above]
    (1, 0.666..., [0.333...])
    >>> [(band.least, band.most, band.share.value) for band in one.histogram][:2]
    [(1, 1, 0.333...), (2, 2, 0.666...)]
    """

    known_items: Known
    columns: bool
    choice: Choice
    draws: int
    smallest: Figure
    quantiles: tuple[tuple[float, Figure], ...]
    histogram: tuple[Band, ...]
    prosecutor_max: Figure
    prosecutor_mean: Figure
    marketer: Figure
    journalist_max: Figure | None
    journalist_mean: Figure | None
    above: tuple[tuple[float, Figure], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values in a fixed order."""
        return {
            "known_items": self.known_items,
            "columns": self.columns,
            "choice": self.choice,
            "draws": self.draws,
            "smallest": self.smallest.as_dict(),
            "quantiles": [{"share": share, "crowd": crowd.as_dict()} for share, crowd in self.quantiles],
            "histogram": [band.as_dict() for band in self.histogram],
            "prosecutor_max": self.prosecutor_max.as_dict(),
            "prosecutor_mean": self.prosecutor_mean.as_dict(),
            "marketer": self.marketer.as_dict(),
            "journalist_max": self.journalist_max and self.journalist_max.as_dict(),
            "journalist_mean": self.journalist_mean and self.journalist_mean.as_dict(),
            "above": [{"threshold": threshold, "share": share.as_dict()} for threshold, share in self.above],
        }


@dataclass(frozen=True)
class Posterior:
    """How probable a sensitive value is for an intruder who knows some items of a record that has it.

    The probability is the share of the value among the records, or persons, that fit.

    Parameters
    ----------
    known_items : int or "all"
        How many items of the record the intruder knows. A record with fewer items is known as a whole.
    columns : bool
        Whether the intruder also knows all quasi-identifying columns.
    draws : int
        How many draws the mean rests on. 0 means that all was counted.
    largest : Figure
        The largest share, over all records with the value and all sets of so many of their items.
    mean : Figure
        The mean over the records with the value, if the items are drawn at random.

    Examples
    --------
    >>> import shoal
    >>> result = shoal.assess_risk([["a", "HIV"], ["a"], ["b", "HIV"], ["b", "HIV"]], m=1, sensitive="HIV")
    >>> one = result.assessment.inferences[0].posteriors[0]
    >>> one.known_items, one.largest.value, one.mean.value  # 2 of 2 with b, 1 of 2 with a
    (1, 1.0, 0.833...)
    """

    known_items: Known
    columns: bool
    draws: int
    largest: Figure
    mean: Figure

    def as_dict(self) -> dict[str, Any]:
        """Return plain values in a fixed order."""
        return {
            "known_items": self.known_items,
            "columns": self.columns,
            "draws": self.draws,
            "largest": self.largest.as_dict(),
            "mean": self.mean.as_dict(),
        }


@dataclass(frozen=True)
class Inference:
    """What known items reveal of a sensitive value. What is learned is the difference to the prior.

    Parameters
    ----------
    value : str
        The sensitive item, or ``column=value``.
    records : int
        How many records have it.
    prior : Figure
        Its share in the whole data.
    posteriors : tuple of Posterior
        Its probability for an intruder who knows 1, 2, .. items of a record that has it, or columns.

    Examples
    --------
    >>> import shoal
    >>> result = shoal.assess_risk([["a", "HIV"], ["a"], ["b"], ["b"]], m=1, sensitive="HIV")
    >>> one = result.assessment.inferences[0]
    >>> one.value, one.records, one.prior.value, one.posteriors[0].largest.value
    ('HIV', 1, 0.25, 0.5)
    """

    value: str
    records: int
    prior: Figure
    posteriors: tuple[Posterior, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values in a fixed order."""
        return {
            "value": self.value,
            "records": self.records,
            "prior": self.prior.as_dict(),
            "posteriors": [posterior.as_dict() for posterior in self.posteriors],
        }


@dataclass(frozen=True)
class Assessment:
    """The risk in some data, for intruders who know more and more.

    Parameters
    ----------
    records : int
        How many records there are. Shares are shares of records.
    persons : int or None
        How many persons there are, or None if none are given.
    counted : str
        What crowds consist of: "records", or the plural noun for persons.
    population : int or None
        How many records, or persons, the population has. None if none was given.
    thresholds : tuple of float
        The thresholds that the risk is compared with.
    scenarios : tuple of Scenario
        One for each intruder.
    inferences : tuple of Inference
        One for each sensitive value.

    Examples
    --------
    >>> from shoal import risk
    >>> from shoal.data.transactions import Transactions
    >>> from shoal.published import Published
    >>> view = Published.plain(Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"]]))
    >>> result = risk.assess(view, m=1, thresholds=[0.5])
    >>> worst = result.scenario(1, "worst")
    >>> worst.smallest.value, worst.prosecutor_max.value, round(worst.marketer.value, 3)
    (1, 1.0, 0.667)
    """

    records: int
    persons: int | None
    counted: str
    population: int | None
    thresholds: tuple[float, ...]
    scenarios: tuple[Scenario, ...]
    inferences: tuple[Inference, ...]

    def scenario(self, known_items: Known, choice: Choice, *, columns: bool = False) -> Scenario:
        """Return the scenario of an intruder.

        Parameters
        ----------
        known_items
            How many items of the record are known, or ``"all"``.
        choice
            ``"worst"`` or ``"random"``.
        columns
            Whether the quasi-identifying columns are known, too.

        Returns
        -------
        Scenario
            The risk from this intruder.

        Raises
        ------
        OptionError
            If the assessment has no such scenario.
        """
        wanted = (known_items, columns, choice)
        for one in self.scenarios:
            if (one.known_items, one.columns, one.choice) == wanted:
                return one
        have = ", ".join(dict.fromkeys(str(one.known_items) for one in self.scenarios if one.columns == columns))
        raise OptionError(
            f"Assessment: no scenario with known_items={known_items!r}, choice={choice!r} and columns={columns}: "
            + (f"choose known_items from {have}, and choice from worst, random." if have else "leave columns= out.")
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain values in a fixed order. They hold aggregates, and no items but the sensitive ones."""
        return {
            "records": self.records,
            "persons": self.persons,
            "counted": self.counted,
            "population": self.population,
            "thresholds": list(self.thresholds),
            "scenarios": [scenario.as_dict() for scenario in self.scenarios],
            "inferences": [inference.as_dict() for inference in self.inferences],
        }
