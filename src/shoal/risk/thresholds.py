"""Thresholds of risk that regulators and data custodians use, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from shoal.errors import OptionError, did_you_mean


@dataclass(frozen=True)
class Threshold:
    """A threshold that a document states as the smallest group that is acceptable.

    Parameters
    ----------
    name : str
        What ``--threshold`` takes.
    crowd : int
        The smallest crowd that is not above it.
    text : str
        How the document writes it.
    source : str
        The title of the document.

    Examples
    --------
    >>> PRESETS["ema"].crowd, PRESETS["ema"].text, PRESETS["ema"].value
    (11, '0.09', 0.0909...)
    """

    name: str
    crowd: int
    text: str
    source: str

    @property
    def value(self) -> float:
        """The largest risk that is not above it."""
        return 1 / self.crowd


_EMA = (
    "External guidance on the implementation of the European Medicines Agency policy on the publication of clinical "
    "data for medicinal products for human use"
)
_HEALTH_CANADA = "Guidance document on Public Release of Clinical Information"
_CELLS = "cell sizes in use for health data (El Emam: Guide to the De-Identification of Personal Health Information)"

PRESETS: Mapping[str, Threshold] = MappingProxyType(
    {
        one.name: one
        for one in (
            Threshold("ema", 11, "0.09", _EMA),
            Threshold("health-canada", 11, "0.09", _HEALTH_CANADA),
            Threshold("cell-size-3", 3, "0.33", _CELLS),
            Threshold("cell-size-5", 5, "0.2", _CELLS),
            Threshold("cell-size-11", 11, "0.09", _CELLS),
            Threshold("cell-size-20", 20, "0.05", _CELLS),
        )
    }
)


def threshold(given: str | float) -> float:
    """Return the threshold of a name, or a number as it is.

    The documents round: they write 0.09 for a group of 11 records. The name stands for the group, so a crowd of 11
    is not above ``ema``. The number 0.09 is taken as it is, so a crowd of 11 is above it.

    Parameters
    ----------
    given
        A name of :data:`PRESETS`, or a number above 0 and up to 1, also as text.

    Returns
    -------
    float
        The threshold. A risk above it is too high.

    Examples
    --------
    >>> threshold("cell-size-5"), threshold("0.05"), threshold(0.2)
    (0.2, 0.05, 0.2)
    """
    if isinstance(given, str) and given in PRESETS:
        return PRESETS[given].value
    try:
        value = float(given)
    except ValueError:
        raise OptionError(
            f"threshold: '{given}' is no threshold{did_you_mean(str(given), PRESETS)}: give a number above 0 and up to "
            f"1, or one of {', '.join(PRESETS)}."
        ) from None
    if not 0 < value <= 1:
        raise OptionError(f"threshold: must be a number above 0 and up to 1, got {given}.")
    return value
