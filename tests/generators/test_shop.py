"""The generated shop: three tables that fit together, with the dirt of real ones."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from shoal.errors import OptionError
from shoal.generators.shop import (
    AGES,
    AS_CATEGORY,
    AS_DEPARTMENT,
    BRANDS,
    HOUSEHOLDS,
    INCOMES,
    LEVELS,
    SEASONS,
    SIZES,
    Shop,
)
from shoal.generators.supermarket import product_hierarchy

Row = dict[str, Any]
Tables = dict[str, list[Row]]


def rows_of(shop: Shop) -> Tables:
    return {name: table.to_pylist() for name, table in shop.tables().items()}


@pytest.fixture(scope="module")
def tables() -> Tables:
    return rows_of(Shop(seed=1))


def parents(products: list[Row], child: str, parent: str) -> dict[str, set[str]]:
    """The labels above each label of a level, where both are given."""
    above = defaultdict(set)
    for row in products:
        if (row[child] or "").strip() and (row[parent] or "").strip():
            above[row[child]].add(row[parent])
    return above


def test_equal_seeds_give_equal_tables_and_others_do_not() -> None:
    shop, same, other = (Shop(customers=30, seed=seed).tables() for seed in (3, 3, 4))
    for name, table in shop.items():
        assert table.equals(same[name])
        assert not table.equals(other[name])


def test_more_customers_order_from_the_same_assortment() -> None:
    few, many = Shop(customers=20, seed=2), Shop(customers=40, seed=2)
    assert few._assortment.ids == many._assortment.ids
    assert few._assortment.levels == many._assortment.levels


def test_the_default_shop_has_the_size_that_its_options_say(tables: Tables) -> None:
    orders = {row["order_id"] for row in tables["orders"]}
    assert len(orders) == pytest.approx(3_000, rel=0.05)
    assert len(tables["orders"]) == pytest.approx(20_000, rel=0.1)
    assert len({row["customer_id"] for row in tables["orders"]}) == 400
    assert 590 <= len(tables["products"]) < 600
    assert {row["week"] for row in tables["orders"]} == set(range(1, 27))
    assert {row["store_id"] for row in tables["orders"]} == set(range(101, 109))


def test_columns_about_an_order_are_the_same_on_all_its_lines_and_others_are_not(tables: Tables) -> None:
    values: dict[str, dict[int, set[Any]]] = defaultdict(lambda: defaultdict(set))
    for row in tables["orders"]:
        for name, value in row.items():
            values[name][row["order_id"]].add(value)
    varying = {name for name, of_order in values.items() if max(map(len, of_order.values())) > 1}
    assert varying == {"product_id", "quantity", "price"}
    lines = [(row["order_id"], row["product_id"]) for row in tables["orders"]]
    assert len(set(lines)) == len(lines)


def test_dates_are_in_their_weeks_and_orders_are_numbered_by_date(tables: Tables) -> None:
    lines = tables["orders"]
    assert all((row["date"].toordinal() - lines[0]["date"].toordinal()) // 7 == row["week"] - 1 for row in lines)
    by_number = sorted(lines, key=lambda row: row["order_id"])
    assert by_number == lines
    assert all(before["date"] <= after["date"] for before, after in pairwise(lines))


def test_quantities_and_prices_are_plausible(tables: Tables) -> None:
    assert {1, 2, 3} <= {row["quantity"] for row in tables["orders"]}
    assert min(row["quantity"] for row in tables["orders"]) == 1
    assert all(0 < row["price"] < 100 and round(row["price"], 2) == row["price"] for row in tables["orders"])


def test_few_products_make_up_most_of_the_lines(tables: Tables) -> None:
    _, supports = np.unique([row["product_id"] for row in tables["orders"]], return_counts=True)
    supports = np.sort(supports)[::-1]
    assert supports[: len(supports) // 5].sum() > 0.5 * supports.sum()
    assert supports[-1] < 5


def test_products_of_one_department_are_ordered_together(tables: Tables) -> None:
    department = {row["product_id"]: row["department"] for row in tables["products"]}
    orders = defaultdict(list)
    for row in tables["orders"]:
        orders[row["order_id"]].append(department.get(row["product_id"]))
    every = [name for names in orders.values() for name in names]
    rng = np.random.default_rng(0)
    shuffled = iter(rng.permutation(np.array(every, dtype=object)))

    def same(groups: list[list[str | None]]) -> float:
        """The share of pairs of lines in one order that have the same department."""
        pairs = [names[0] == name for names in groups for name in names[1:]]
        return float(np.mean(pairs))

    assert same(list(orders.values())) > 1.5 * same([[next(shuffled) for _ in names] for names in orders.values()])


# ---- the dirt


def test_some_types_stand_under_two_categories_and_seasons_under_several_departments(tables: Tables) -> None:
    categories = parents(tables["products"], "product_type", "product_category")
    assert sum(len(above) > 1 for above in categories.values()) > 10
    departments = parents(tables["products"], "product_category", "department")
    assert all(len(departments[season]) > 1 for season in SEASONS)
    assert {name for name, above in departments.items() if len(above) > 1} == set(SEASONS)


def test_some_levels_are_null_or_blank(tables: Tables) -> None:
    for name in LEVELS:
        assert any(row[name] is None for row in tables["products"])
    for name in LEVELS[:2]:
        assert any(row[name] == " " for row in tables["products"])
    assert any(all(row[name] is None for name in LEVELS) for row in tables["products"])


def test_labels_are_equal_on_two_levels_on_purpose_only(tables: Tables) -> None:
    types, categories, departments = (
        {row[name] for row in tables["products"] if (row[name] or "").strip()} for name in LEVELS
    )
    assert types & categories == set(AS_CATEGORY.values())
    assert categories & departments == set(AS_DEPARTMENT.values())
    assert not types & departments
    known = set(product_hierarchy().labels)
    assert types | categories | departments <= known | set(SEASONS)
    assert not known & set(SEASONS)
    assert set(SIZES) <= departments


def test_the_product_table_lacks_some_ordered_products_and_has_some_that_nobody_ordered(tables: Tables) -> None:
    listed = [row["product_id"] for row in tables["products"]]
    ordered = {row["product_id"] for row in tables["orders"]}
    assert listed == sorted(set(listed))
    assert 3 <= len(ordered - set(listed)) <= 10
    assert len(set(listed) - ordered) > 30


def test_product_ids_are_texts_of_seven_digits_and_some_begin_with_zeros(tables: Tables) -> None:
    for name in ("orders", "products"):
        ids = {row["product_id"] for row in tables[name]}
        assert all(len(one) == 7 and one.isdigit() for one in ids)
        assert any(one.startswith("0") for one in ids)
    assert {row["brand"] for row in tables["products"]} == set(BRANDS)


def test_the_customer_table_lacks_some_customers_and_some_incomes(tables: Tables) -> None:
    known = [row["customer_id"] for row in tables["customers"]]
    assert known == sorted(set(known))
    assert set(known) < {row["customer_id"] for row in tables["orders"]}
    assert len(known) == 280
    assert {row["age"] for row in tables["customers"]} == set(AGES)
    assert {row["income"] for row in tables["customers"]} == {*INCOMES, None}
    assert {row["household_size"] for row in tables["customers"]} == set(HOUSEHOLDS)


# ---- limits


@pytest.mark.parametrize(
    "shop",
    [
        Shop(customers=1, mean_orders=1, products=1, stores=1, weeks=1),
        Shop(customers=3, products=5, seed=7),
        Shop(customers=5, products=5_000),
    ],
)
def test_small_shops_and_large_assortments(shop: Shop) -> None:
    tables = rows_of(shop)
    assert len({row["customer_id"] for row in tables["orders"]}) == shop.customers
    assert 0 < len(tables["products"]) <= shop.products
    assert len({row["product_id"] for row in tables["products"]}) == len(tables["products"])
    assert tables["customers"]


def test_wrong_options_are_told() -> None:
    with pytest.raises(OptionError, match="--products must be at most 5000, got 5001"):
        Shop.parse({"products": 5_001})
    with pytest.raises(OptionError, match=r"--mean-orders must be at least 1, got 0\.5"):
        Shop.parse({"mean_orders": "0.5"})
