"""Refuses a search whose rows do not fit into memory, with an estimate."""

from __future__ import annotations

from shoal.engines import Engine
from shoal.errors import OptionError
from shoal.search.thinning import LARGE

BYTES_OF_ITEM = 100  # of memory that a search takes for each item of the records that it needs; measured with AA


def refuse_too_many(items: int, engine: Engine, search: str = "The search") -> None:
    """Raise an error if a search that holds so many items of records would not fit into memory.

    >>> refuse_too_many(3_000_000, Engine(memory=200_000_000), "Algorithm lra")
    Traceback (most recent call last):
    shoal.errors.OptionError: Algorithm lra needs about 300 MB of memory for these data, and 200 MB are allowed: ...
    """
    if fits(items, engine):
        return
    wanted, allowed = (_size(size) for size in (items * BYTES_OF_ITEM, engine.memory_limit))
    raise OptionError(
        f"{search} needs about {wanted} of memory for these data, and {allowed} are allowed: nothing was written. Pass "
        f"a larger memory= if the machine has it. Data larger than memory can be anonymized if an attacker knows few "
        f"items (m or p up to 2, and m=3 by aa): model km by aa, da, auto, optimal, hghs, mhghs, optimal-suppress and "
        f"mm, lm and (without persons) km-negative by aa, da, auto and optimal, hkp by mm."
    )


def fits(items: int, engine: Engine) -> bool:
    """Whether a search that holds so many items of records fits into memory. Few items always do."""
    return items < LARGE or items * BYTES_OF_ITEM <= engine.memory_limit


def _size(number: int) -> str:
    """Return a number of bytes as a text.

    >>> _size(64_000_000), _size(1_830_000_000)
    ('64 MB', '1.8 GB')
    """
    return f"{number / 10**9:.1f} GB" if number >= 10**9 else f"{number / 10**6:.0f} MB"
