"""A figure: a number that was counted, or an estimate with an interval."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A number with the interval that it is in.

    Parameters
    ----------
    value : float
        The number. An estimate if it is not exact.
    low, high : float
        The ends of the interval. If the figure is exact, both are the value. Otherwise the true number is in the
        interval with a probability of at least 95 %, or with certainty if nothing was sampled.
    exact : bool
        Whether the number was counted.

    Examples
    --------
    >>> Figure.of(0.25)
    Figure(value=0.25, low=0.25, high=0.25, exact=True)
    >>> Figure.within(2, 1, 4).inverse()
    Figure(value=0.5, low=0.25, high=1.0, exact=False)
    """

    value: float
    low: float
    high: float
    exact: bool

    @classmethod
    def of(cls, value: float) -> Figure:
        """Return an exact figure."""
        return cls(value, value, value, True)

    @classmethod
    def within(cls, value: float, low: float, high: float) -> Figure:
        """Return a figure that is in an interval. It is exact if both ends are the same."""
        return cls.of(low) if low == high else cls(min(max(value, low), high), low, high, False)

    def at_most(self, other: Figure) -> Figure:
        """Return the figure of a number that is known to be no larger than another.

        >>> Figure.within(0.2, 0.1, 0.4).at_most(Figure.of(0.3)).high
        0.3
        """
        if self.exact or self.high <= other.high:
            return self
        if other.high <= self.low:  # the draws were far off, so all that is known is the other figure
            return Figure(other.high, 0.0, other.high, False) if other.high else Figure.of(0.0)
        return Figure(min(self.value, other.high), self.low, other.high, False)

    def inverse(self) -> Figure:
        """Return 1 divided by the figure. A figure of 0 stays 0."""
        if not self.high:
            return self
        return Figure(1 / self.value, 1 / self.high, 1 / self.low, self.exact)

    def as_dict(self) -> dict[str, float | bool]:
        """Return plain values."""
        return {"value": self.value, "low": self.low, "high": self.high, "exact": self.exact}
