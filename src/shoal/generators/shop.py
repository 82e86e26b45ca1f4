"""The database of a small shop: order lines, a product table and a customer table. Everything is made up.

Each order follows one shopping mission of :mod:`shoal.generators.supermarket`, and each customer prefers some missions
and one store. One line in five has nothing to do with the mission. So products of an aisle are ordered together, and
few products make up most of the lines. A product is a type, such as "oat milk", of one brand in one size. The types are
those of :mod:`shoal.generators.products`.

``orders`` has one line per product of an order. The customer, store, week and date are the same on all lines of an
order. Quantity and price are not. No order id belongs to two customers.

The tables are as dirty as real ones:

* Some products have a season as their category, instead of their type's category. So their type is in two categories,
  and the season is in several departments.
* Some products lack a type, a category or a department, or all three: the cell is null or a space.
* Some labels are on two levels: "baking" is a department and a category, "coffee" a category and a type.
* Some products are in the table, but were never ordered. Some were ordered, but are missing from the table.
* Product ids are texts of seven digits, and some begin with zeros.
* The customer table lacks three of ten customers, and some incomes.

Products, customers and orders have separate random numbers, so a shop with more customers sells the same products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Counts
from shoal.data.arrow import arrow_numbers, arrow_texts
from shoal.generators.supermarket import MISSIONS, TILL, attraction, product_hierarchy
from shoal.options import Spec, option

Floats = npt.NDArray[np.float64]

FIRST_DAY = np.datetime64("2024-01-01")  # a Monday
SEASONS = ("christmas", "easter", "summer party")
LEVELS = ("product_type", "product_category", "department")
AS_DEPARTMENT = {"baking ingredients": "baking", "frozen specialities": "frozen food"}  # categories that are renamed
AS_CATEGORY = {"ground coffee": "coffee", "black tea": "tea", "lager": "beer", "milk chocolate": "chocolate"}
BRANDS = ("own brand", "Harvest Lane", "Old Mill", "Sunny Side", "Northfield", "Bluebird")
SIZES = {
    "fresh produce": ("loose", "500 g", "1 kg"),
    "dairy and eggs": ("small", "regular", "family pack"),
    "drinks": ("330 ml", "750 ml", "6 x 500 ml"),
    "baby supplies": ("single pack", "twin pack", "bulk pack"),
    "household and pets": ("single pack", "twin pack", "bulk pack"),
    "health and beauty": ("travel size", "regular", "twin pack"),
}
_OTHER_SIZES = ("250 g", "500 g", "1 kg")
AGES = {"19-24": 46, "25-34": 142, "35-44": 194, "45-54": 288, "55-64": 59, "65+": 72}
INCOMES = {"under 25K": 135, "25-49K": 249, "50-74K": 192, "75-99K": 96, "100K+": 129}
HOUSEHOLDS = {"1": 255, "2": 318, "3": 109, "4": 53, "5+": 66}

_SEASONAL = 0.05  # share of the products with a season as their category
_DISCONTINUED = 0.06  # share of the products in the table that are not sold
_UNLISTED = 0.01  # share of the sold products that are not in the table
_GAPS: tuple[tuple[float, tuple[str, ...], str | None], ...] = (  # share of the products, levels, content of the cells
    (0.02, ("product_type",), None),
    (0.01, ("product_type",), " "),
    (0.01, ("product_type", "product_category"), None),
    (0.01, ("product_category",), " "),
    (0.005, ("department",), None),
    (0.005, LEVELS, None),
)
_NO_SIZE = 0.25  # share of the products without a size
_KNOWN = 0.7  # share of the customers in the customer table
_NO_INCOME = 0.04  # share of these customers without an income
_ZIPF = 1.0  # exponent of popularity within a type
_LOYAL = 0.85  # share of the orders in the customer's own store
_STRAY = 0.2  # share of the lines that are unrelated to the order's mission
_LARGER = 1.2  # how much larger orders are than the demo's baskets
_ORDER_TAIL, _SIZE_TAIL = 0.8, 0.5  # sigmas of lognormal factors for orders per customer and lines per order


@dataclass(frozen=True)
class Shop(Spec):
    """A generator of three tables: orders, products and customers.

    >>> tables = Shop(customers=20, products=100, seed=1).tables()
    >>> {name: table.column_names[0] for name, table in tables.items()}
    {'orders': 'customer_id', 'products': 'product_id', 'customers': 'customer_id'}
    """

    name = "shop"

    customers: int = option(400, low=1, high=100_000, help="number of customers who order")
    mean_orders: float = option(7.5, low=1, high=1_000, help="mean number of orders per customer")
    products: int = option(600, low=1, high=5_000, help="number of products, including a few that the table lacks")
    stores: int = option(8, low=1, high=500, help="number of stores")
    weeks: int = option(26, low=1, high=520, help="number of weeks with orders")
    seed: int = option(0, low=0, help="equal seeds and options give equal data")

    def tables(self) -> dict[str, Any]:
        """Return the three tables as Arrow tables, by name."""
        orders, product = self._orders()
        return {"orders": orders, "products": self._products(product), "customers": self._customers()}

    @cached_property
    def _assortment(self) -> Assortment:
        """Return the products."""
        return Assortment.draw(np.random.default_rng([self.seed, 0]), self.products)

    @cached_property
    def _customer_ids(self) -> Counts:
        """Return numbers of six digits, in random order."""
        rng = np.random.default_rng([self.seed, 1])
        return 100_000 + rng.choice(900_000, self.customers, replace=False)

    def _orders(self) -> tuple[Any, Counts]:
        """Return the order lines, and the product on each of them."""
        import pyarrow as pa

        rng = np.random.default_rng([self.seed, 2])
        often = rng.lognormal(0, _ORDER_TAIL, self.customers)
        orders = 1 + rng.poisson((self.mean_orders - 1) * often / often.mean())
        customer = np.repeat(np.arange(self.customers), orders)
        day = np.sort(rng.integers(0, 7 * self.weeks, len(customer)))
        customer = rng.permutation(customer)
        home = rng.integers(0, self.stores, self.customers)[customer]
        store = np.where(rng.random(len(customer)) < _LOYAL, home, rng.integers(0, self.stores, len(customer)))
        number = 1_000_000 + np.cumsum(rng.integers(1, 10, len(customer)))
        order, product, quantity = self._lines(rng, self._missions(rng, customer))
        reduced = np.where(rng.random(len(order)) < 0.1, 0.8, 1.0)
        columns = {
            "customer_id": arrow_numbers(self._customer_ids[customer][order]),
            "order_id": arrow_numbers(number[order]),
            "store_id": arrow_numbers(101 + store[order]),
            "week": arrow_numbers(1 + day[order] // 7),
            "date": arrow_numbers((FIRST_DAY + day[order]).astype(np.int32)).cast(pa.date32()),
            "product_id": _chosen(self._assortment.ids, product),
            "quantity": arrow_numbers(quantity),
            "price": arrow_numbers(np.round(self._assortment.price[product] * reduced, 2)),
        }
        return pa.table(columns), product

    def _missions(self, rng: np.random.Generator, customer: Counts) -> Counts:
        """Return the mission of each order. Each customer prefers some missions."""
        weight = np.array([mission.weight for mission in MISSIONS.values()])
        chance = np.cumsum(weight * rng.gamma(0.6, size=(self.customers, len(weight))), axis=1)
        point = rng.random(len(customer)) * chance[customer, -1]
        passed: Counts = np.count_nonzero(chance[customer] <= point[:, None], axis=1)
        return np.minimum(passed, len(weight) - 1)

    def _lines(self, rng: np.random.Generator, mission_of: Counts) -> tuple[Counts, Counts, Counts]:
        """Return order, product and quantity of each line, by order. A product that is drawn twice is one line."""
        assortment = self._assortment
        factor = _LARGER * rng.lognormal(-(_SIZE_TAIL**2) / 2, _SIZE_TAIL, len(mission_of))
        pairs = []  # order * products + product
        for which, (mission, chance) in enumerate(zip(MISSIONS.values(), assortment.chances(), strict=True)):
            members = np.flatnonzero(mission_of == which)
            order = np.repeat(members, 1 + rng.poisson((mission.size - 1) * factor[members]))
            pairs.append(order * len(chance) + rng.choice(len(chance), len(order), p=chance))
        line, times = np.unique(np.concatenate(pairs), return_counts=True)
        order, product = np.divmod(line, len(assortment.ids))
        quantity = times + rng.geometric(0.85, len(line)) - 1
        mixed = np.lexsort((rng.random(len(line)), order))  # lines of an order are in random order
        return order[mixed], product[mixed], quantity[mixed]

    def _products(self, ordered: Counts) -> Any:
        """Return the product table, by id, without the unlisted products."""
        import pyarrow as pa

        rng = np.random.default_rng([self.seed, 3])
        assortment = self._assortment
        used = np.unique(ordered)
        unlisted = rng.choice(used, round(_UNLISTED * len(used)), replace=False)
        listed = np.setdiff1d(np.arange(len(assortment.ids)), unlisted)
        by_id = listed[np.argsort(np.array(assortment.ids)[listed])]
        columns = {"product_id": assortment.ids, **assortment.levels}
        columns |= {"brand": assortment.brand, "size": assortment.size}
        return pa.table({name: _texts([cells[row] for row in by_id.tolist()]) for name, cells in columns.items()})

    def _customers(self) -> Any:
        """Return the customer table, by id, without the unlisted customers."""
        import pyarrow as pa

        rng = np.random.default_rng([self.seed, 4])
        known = np.sort(rng.permutation(self._customer_ids)[: max(1, round(_KNOWN * self.customers))])
        columns: dict[str, list[str | None]] = {}
        for name, shares in (("age", AGES), ("income", INCOMES), ("household_size", HOUSEHOLDS)):
            weight = np.array(list(shares.values()))
            bands = list(shares)
            columns[name] = [bands[band] for band in rng.choice(len(bands), len(known), p=weight / weight.sum())]
        for row in np.flatnonzero(rng.random(len(known)) < _NO_INCOME):
            columns["income"][row] = None
        return pa.table(
            {"customer_id": arrow_numbers(known)} | {name: _texts(cells) for name, cells in columns.items()}
        )


@dataclass(frozen=True, eq=False)
class Assortment:
    """All products, in random order."""

    ids: Sequence[str]
    type_of: Counts  # codes of types in the product hierarchy
    popularity: Floats  # within the type; 0: it is never ordered
    price: Floats
    levels: dict[str, list[str | None]]  # the cells of each level, including their errors
    brand: Sequence[str]
    size: Sequence[str | None]

    @classmethod
    def draw(cls, rng: np.random.Generator, products: int) -> Assortment:
        """Draw a number of products."""
        hierarchy = product_hierarchy()
        types = hierarchy.n_leaves
        variants = rng.permuted(np.tile(np.arange(len(BRANDS) * len(_OTHER_SIZES)), (types, 1)), axis=1)
        # Each type gets a product before any gets its second. After that, some types get more products than others.
        rank = np.arange(variants.shape[1]) * rng.uniform(0.5, 2.0, (types, 1)) + rng.uniform(0.0, 0.1, variants.shape)
        type_of, nth = np.divmod(np.argsort(rank, axis=None)[:products], variants.shape[1])
        brand, size = np.divmod(variants[type_of, nth], len(_OTHER_SIZES))
        popularity = (nth + 1.0) ** -_ZIPF
        popularity[rng.permutation(products)[: round(_DISCONTINUED * products)]] = 0
        typical = rng.lognormal(1.1, 0.6, types)[type_of]
        price = np.ceil(10 * typical * rng.lognormal(0, 0.2, products)) / 10 - 0.01
        path = [[hierarchy.labels[node] for node in hierarchy.ancestors(code)][:3] for code in range(types)]
        sizes: list[str | None] = [
            SIZES.get(path[code][2], _OTHER_SIZES)[which]
            for code, which in zip(type_of.tolist(), size.tolist(), strict=True)
        ]
        for row in np.flatnonzero(rng.random(products) < _NO_SIZE):
            sizes[row] = None
        ids = [f"{number:07d}" for number in rng.choice(9_999_999, products, replace=False) + 1]
        levels = _levels(rng, [path[code] for code in type_of.tolist()])
        return cls(ids, type_of, popularity, price, levels, [BRANDS[which] for which in brand], sizes)

    def chances(self) -> list[Floats]:
        """Return for each mission the chance of each product to be on the next line of an order."""
        hierarchy = product_hierarchy()
        missions = [*MISSIONS.values(), TILL]  # together they visit every aisle
        own = [_shares(attraction(mission, hierarchy)[self.type_of] * self.popularity) for mission in missions]
        weight = np.array([mission.weight for mission in missions])
        overall = _shares(weight @ np.array(own))
        return [_shares((1 - _STRAY) * chance + _STRAY * overall) for chance in own[:-1]]


def _levels(rng: np.random.Generator, paths: list[list[str]]) -> dict[str, list[str | None]]:
    """Return the level columns of the product table, including their errors."""
    levels: dict[str, list[str | None]] = {
        "product_type": [AS_CATEGORY.get(path[0], path[0]) for path in paths],
        "product_category": [AS_DEPARTMENT.get(path[1], path[1]) for path in paths],
        "department": [path[2] for path in paths],
    }
    clean = iter(rng.permutation(len(paths)).tolist())  # no product has two kinds of errors
    for at in range(round(_SEASONAL * len(paths))):
        levels["product_category"][next(clean)] = SEASONS[at % len(SEASONS)]
    for share, names, cell in _GAPS:
        for _ in range(round(share * len(paths))):
            row = next(clean)
            for name in names:
                levels[name][row] = cell
    return levels


def _shares(weights: Floats) -> Floats:
    """Scale weights to a sum of 1. Zeros stay zeros, even if there is nothing else."""
    return weights / max(float(weights.sum()), np.finfo(np.float64).tiny)


def _chosen(texts: Sequence[str], rows: Counts) -> Any:
    """Return a column of texts that repeat in many rows."""
    import pyarrow as pa

    return arrow_texts(texts).take(arrow_numbers(rows)).cast(pa.string())


def _texts(cells: Sequence[str | None]) -> Any:
    """Return a column of texts and nulls."""
    import pyarrow as pa
    import pyarrow.compute as pc

    given = arrow_numbers(np.array([cell is not None for cell in cells], dtype=np.uint8)).cast(pa.bool_())
    texts = arrow_texts([cell or "" for cell in cells]).cast(pa.string())
    return pc.if_else(given, texts, pa.nulls(len(cells), pa.string()))
