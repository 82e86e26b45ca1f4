"""Generate synthetic data, as ``shoal generate`` does."""

from __future__ import annotations

from typing import Any

from shoal.data.dataset import Dataset
from shoal.errors import OptionError, did_you_mean
from shoal.generators.quest import Quest
from shoal.generators.shop import Shop
from shoal.generators.supermarket import supermarket
from shoal.generators.videos import Videos
from shoal.options import Spec

KINDS = ("supermarket", "quest", "bms-pos", "videos", "shop")
_SPECS: dict[str, type[Spec]] = {"quest": Quest, "bms-pos": Quest, "videos": Videos, "shop": Shop}
_OPTIONS = {
    "supermarket": ("rows", "seed"),
    **{kind: tuple(one.name for one in spec.options()) for kind, spec in _SPECS.items()},
}


def generate(kind: str, **options: Any) -> Any:
    """Generate synthetic data.

    Parameters
    ----------
    kind
        ``"supermarket"``: baskets of named products. ``"quest"``: transactions in the style of IBM Quest;
        ``"bms-pos"``: the same with the shape of the BMS-POS data.
        ``"videos"``: records with columns and a set. ``"shop"``: three tables with order lines, products, customers.
    **options
        Options of the generator: those of ``shoal generate KIND``, such as ``rows`` and ``seed``. A supermarket has
        ``rows`` and ``seed`` only.

    Returns
    -------
    Dataset or dict
        The data. A shop is a dict of three Arrow tables.

    Examples
    --------
    >>> import shoal
    >>> data = shoal.generate("quest", rows=100, items=20, seed=1)
    >>> len(data), len(data.transactions.labels)
    (100, 20)
    >>> sorted(shoal.generate("shop", customers=30))
    ['customers', 'orders', 'products']
    """
    known = _OPTIONS.get(kind, ())
    for name in options:
        if known and name not in known:
            raise OptionError(f"The generator {kind} has no option '{name}'{did_you_mean(name, known)}.")
    if kind == "supermarket":
        return Dataset(supermarket(**options))
    if kind == "quest":
        return Dataset(Quest(**options).transactions())
    if kind == "bms-pos":
        return Dataset(Quest.like(kind, **options).transactions())
    if kind == "videos":
        return Videos(**options).dataset()
    if kind == "shop":
        return Shop(**options).tables()
    raise OptionError(f"There is no generator '{kind}'{did_you_mean(kind, KINDS)}: known are {', '.join(KINDS)}.")
