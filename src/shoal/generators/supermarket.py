"""The demo's data: synthetic supermarket baskets with a product hierarchy. No real person bought any of it.

Each basket follows one shopping mission: "pasta night" visits pasta, sauces, cheese, wine. A mission defines how often
it is chosen, how many products it looks for, and how attractive each aisle is. Within an aisle, popularity follows
Zipf's law in the order in which :mod:`shoal.generators.products` lists the products. So staples are in thousands of
baskets and some specialities in a few dozen. A fifth of the baskets of any mission also hold something from the
till.

Real baskets mix missions more freely. With m=2, a cut of the hierarchy then loses more detail than here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data import Hierarchy, Transactions
from shoal.data.arrays import Counts, csr_from_pairs
from shoal.errors import OptionError
from shoal.generators.products import aisles, product_tree

_ZIPF = 0.9  # exponent of popularity within an aisle
_BAGS = 0.2  # share of baskets with something from the till
_TAIL = 0.5  # sigma of the lognormal factor that makes some baskets large


@dataclass(frozen=True)
class Mission:
    """A reason to go shopping."""

    weight: float  # how often it is chosen, relative to the other missions
    size: float  # mean number of products it looks for; duplicates count once
    aisles: dict[str, float]  # how attractive each aisle is, relative to the others


def _mission(weight: float, size: float, aisles: str) -> Mission:
    """Parse aisles such as ``"milk 4, bread 2"``."""
    pairs = (entry.rsplit(" ", 1) for entry in aisles.split(", "))
    return Mission(weight, size, {aisle: float(pull) for aisle, pull in pairs})


MISSIONS = {
    "top up": _mission(18, 4.1, "milk 5, bread 4, eggs 3, butter and cream 2, fresh fruit 4, yoghurt 2, water 2"),
    "weekly shop": _mission(
        14,
        14,
        "milk 4, bread 4, eggs 3, butter and cream 3, fresh fruit 5, vegetables 5, salad 4, yoghurt 3, pasta 2,"
        " everyday cheese 3, poultry 2, beef and pork 2, water 2, paper goods 2, cleaning 2",
    ),
    "breakfast": _mission(
        12,
        6.2,
        "milk 4, bread 3, butter and cream 2, yoghurt 2, cereals 3, spreads 3, coffee 3, tea 1, juice 2, pastries 2",
    ),
    "pasta night": _mission(
        9,
        6.2,
        "pasta 5, pasta sauces 4, everyday cheese 3, salad 2, beef and pork 2, wine 2, fresh herbs 1,"
        " cured specialities 1",
    ),
    "healthy lunch": _mission(
        6,
        6.2,
        "salad 5, vegetables 3, fresh fruit 4, exotic fruit 1, unusual vegetables 1,"
        " milk alternatives 2, tins and jars 2",
    ),
    "sunday roast": _mission(
        4, 6.2, "vegetables 5, butter and cream 2, poultry 3, game and lamb 1.5, wine 2, frozen vegetables 2"
    ),
    "curry night": _mission(3, 6.2, "asian cooking 4, rice and grains 2, vegetables 2, poultry 2, spices 2"),
    "taco night": _mission(2.5, 6.2, "mexican cooking 5, beef and pork 2, salad 2, beer 2, dips 1"),
    "barbecue": _mission(4.5, 7.5, "barbecue meat 5, beer 4, salad 3, crisps and nuts 2, soft drinks 2"),
    "party": _mission(6, 7.5, "beer 4, soft drinks 3, crisps and nuts 4, dips 1, wine 2, spirits 1, frozen pizza 2"),
    "cheese evening": _mission(
        2.5, 5.5, "cheese counter 4, speciality bread 2, wine 4, cured specialities 2, fresh fruit 2"
    ),
    "fish friday": _mission(2.5, 5.5, "fish 4, vegetables 3, wine 2, oil and vinegar 1.5"),
    "baking day": _mission(4, 6.2, "flour and sugar 4, baking ingredients 4, eggs 3, butter and cream 3, milk 2"),
    "baby": _mission(5, 6.2, "nappies 4, baby care 3, baby food 5, infant milk 2, milk 2, fresh fruit 2"),
    "cleaning day": _mission(
        5, 5.5, "paper goods 4, laundry 3, cleaning 5, cleaning specialities 1, light and power 1.5, toiletries 3"
    ),
    "chemist": _mission(3.5, 4.2, "toiletries 5, cosmetics 2, pharmacy 3"),
    "cat owner": _mission(3, 4.2, "cat supplies 5, milk 2, paper goods 1"),
    "dog owner": _mission(2, 3.9, "dog supplies 5, bread 2, cold cuts 2"),
    "small pets": _mission(0.7, 3, "small animals 4, fresh fruit 2"),
    "lazy evening": _mission(
        5, 5.5, "frozen pizza 4, ice cream 3, soft drinks 3, frozen vegetables 2, frozen specialities 2"
    ),
    "sweet tooth": _mission(4.5, 4.6, "chocolate 4, sweets 3, biscuits 4, soft drinks 2"),
    "sandwiches": _mission(5, 4.9, "bread 5, cold cuts 4, everyday cheese 3, salad 3"),
    "gift": _mission(2, 3, "flowers and garden 4, wine 3, chocolate 3"),
}
TILL = _mission(1, 1, "shopping bags 1")  # baskets of every mission may hold this


def product_hierarchy() -> Hierarchy:
    """Return the hierarchy groceries -> departments -> aisles -> products.

    >>> h = product_hierarchy()
    >>> [h.labels[node] for node in h.ancestors(h.code_of["oat milk"])]
    ['oat milk', 'milk alternatives', 'dairy and eggs', 'groceries']
    """
    return Hierarchy.from_tree(product_tree(), name="products")


def supermarket(rows: int = 20_000, seed: int = 0) -> Transactions:
    """Generate baskets. Equal ``rows`` and ``seed`` give equal baskets. No basket is empty.

    >>> len(supermarket(rows=100))
    100
    """
    for name, value in (("rows", rows), ("seed", seed)):
        if value < 0:
            raise OptionError(f"supermarket: {name} must be at least 0, got {value}.")
    rng = np.random.default_rng(seed)
    hierarchy = product_hierarchy()
    labels = hierarchy.labels[: hierarchy.n_leaves]
    weights = np.array([mission.weight for mission in MISSIONS.values()])
    chosen = rng.choice(len(MISSIONS), rows, p=weights / weights.sum())
    factor = rng.lognormal(-(_TAIL**2) / 2, _TAIL, rows)
    baskets, codes = [], []  # pairs of a basket and the code of a product in it

    def shop(mission: Mission, members: Counts) -> None:
        """Fill the baskets of one mission."""
        sizes = 1 + rng.poisson((mission.size - 1) * factor[members])
        baskets.append(np.repeat(members, sizes))
        codes.append(rng.choice(len(labels), int(sizes.sum()), p=attraction(mission, hierarchy)))

    for which, mission in enumerate(MISSIONS.values()):
        shop(mission, np.flatnonzero(chosen == which))
    shop(TILL, np.flatnonzero(rng.random(rows) < _BAGS))
    return Transactions(*csr_from_pairs(np.concatenate(baskets), np.concatenate(codes), rows), labels)


def attraction(mission: Mission, hierarchy: Hierarchy) -> npt.NDArray[np.float64]:
    """Return the chance of each product to be the next one that the mission puts in the basket."""
    chance = np.zeros(hierarchy.n_leaves)
    sold = aisles()
    for aisle, pull in mission.aisles.items():
        zipf = np.arange(1, len(sold[aisle]) + 1) ** -_ZIPF
        chance[[hierarchy.code_of[product] for product in sold[aisle]]] = pull * zipf / zipf.sum()
    chance /= chance.sum()
    return chance
