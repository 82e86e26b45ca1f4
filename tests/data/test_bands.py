"""Ordered values in text: which are recognised, and that a published range is read back as what it covers."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.data.attributes import MISSING
from shoal.data.bands import Band, BandedAttribute, recognised
from shoal.errors import DataError, OptionError
from tests.conftest import Shell

AGES = ("19-24", "25-34", "35-44", "45-54", "55-64", "65+")
INCOMES = ("Under 15K", "15-24K", "25-34K", "200-249K", "250K+")
ORDERS = [
    AGES,
    INCOMES,
    ("<18", "18-25", "26 or more"),
    ("0", "1", "2", "3+"),
    ("$0-$9,999", "$10,000-$19,999", "$20,000+"),
    ("up to 10", "10-20", "> 20"),
    ("00-04", "05-09", "10-14"),
]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order[0])
def test_bands_are_put_in_order_and_every_range_is_read_back(order: tuple[str, ...]) -> None:
    assert recognised(reversed(order)) == order
    bands = BandedAttribute.of("x", order)
    texts = {}
    for low, high in itertools.combinations_with_replacement(range(len(order)), 2):
        text = bands.text(low, high)
        assert text is not None
        assert bands.parse(text) == (low, high)
        texts[text] = low, high
    assert len(texts) == len(order) * (len(order) + 1) // 2


@pytest.mark.parametrize(
    ("order", "low", "high", "text"),
    [
        (AGES, 1, 2, "25-44"),
        (AGES, 4, 5, "55+"),
        (INCOMES, 1, 2, "15-34K"),
        (INCOMES, 0, 1, "Up to 24K"),
        (INCOMES, 3, 4, "200K+"),
        (INCOMES, 0, 4, "*"),
        (AGES, 0, 5, "*"),
        (("0", "1", "2", "3+"), 0, 2, "0-2"),
        (("$0-$9,999", "$10,000-$19,999", "$20,000+"), 0, 1, "$0-$19,999"),
        (("small", "medium", "large"), 0, 1, "small .. medium"),
        (("small", "medium", "large"), 0, 2, "*"),
    ],
)
def test_ranges_are_written_in_the_style_of_the_bands(order: tuple[str, ...], low: int, high: int, text: str) -> None:
    assert BandedAttribute.of("x", order).text(low, high) == text


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order[0])
def test_all_bands_together_are_one_star_which_may_be_missing_if_some_are(order: tuple[str, ...]) -> None:
    last = len(order) - 1
    low, high = np.array([0, 0, 1, MISSING, 0]), np.array([last, MISSING, MISSING, MISSING, 0])
    for optional, end in ((False, last), (True, MISSING)):
        bands = BandedAttribute.of("x", order, optional=optional)
        wide = bands.generalize(low[:1], high[:1])
        assert (wide[0].tolist(), wide[1].tolist(), bands.parse("*")) == ([0], [end], (0, end))
        assert bands.penalties(*wide).tolist() == [1]
    wide = bands.generalize(low, high)
    assert bands.texts(*wide) == ["*", "*", "*", None, order[0]]
    assert len(np.unique(np.stack(wide)[:, :3], axis=1).T) == 1, "what reads the same is one class"
    assert bands.parse(older_text(order)) == (0, last)


def older_text(order: tuple[str, ...]) -> str:
    """How all bands together were written before."""
    first, last = Band.of(order[0]), Band.of(order[-1])
    text = first.to(last) if first and last else None
    return f"{order[0]} .. {order[-1]}" if text is None else text


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2"],
        ["a-b", "c-d"],
        ["15-24", "20+"],
        ["555-1234", "555-1299"],
        ["2020-01", "2020-02"],
        ["25-34"],
        ["5+", "x"],
    ],
)
def test_other_values_are_no_bands(values: list[str]) -> None:
    assert recognised(values) == ()


def records() -> shoal.Dataset:
    ages, sizes = ["19-24", "25-34", "35-44", "65+"], ["small", "medium", "large", "large"]
    return shoal.read(pa.table({"age": ages * 5, "size": sizes * 5, "items": [["a", "b"]] * 20}), sets="items")


def test_bands_become_ranges_and_a_stated_order_holds() -> None:
    tree, columns = shoal.Hierarchy.flat(["a", "b"]), {"size": shoal.Column(order=("small", "medium", "large"))}
    problem = shoal.Problem(records(), tree, shoal.KKm(k=8, m=2), columns=columns)
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.RmergeRT())
    table = release.dataset.table
    assert table is not None
    assert set(table.arrow.column("age").to_pylist()) == {"19-34", "35+"}
    assert set(table.arrow.column("size").to_pylist()) == {"small .. medium", "large"}
    plain = {"age": shoal.Column(type="category"), "size": shoal.Column(type="category")}
    flat = shoal.Problem(records(), tree, shoal.KKm(k=8, m=2), columns=plain)
    assert shoal.anonymize(flat).losses["relational_ncp"] > release.losses["relational_ncp"]


@pytest.mark.parametrize("order", [("a", "a"), ("a",), "ab"])
def test_orders_that_make_no_sense(order: object) -> None:
    with pytest.raises(OptionError, match="order"):
        shoal.Column(order=order)  # type: ignore[arg-type]


def test_a_value_beyond_the_order_is_told() -> None:
    columns = {"size": shoal.Column(order=("small", "medium"))}
    with pytest.raises(DataError, match="'large' is not in the given order"):
        shoal.Problem(records(), shoal.Hierarchy.flat(["a", "b"]), shoal.KKm(k=8), columns=columns)


def test_from_the_command_line_to_the_checked_file(shell: Shell) -> None:
    lines = [f"{age},{size},a b" for age, size in (("19-24", "s"), ("25-34", "m"), ("35-44", "l"), ("65+", "l"))] * 5
    shell.write("d.csv", "\n".join(["age,size,items", *lines, ""]))
    words = ("--sets", "items", "--item-delimiter", " ", "--model", "k-km", "--k", "8", "--m", "2")
    code, _, err = shell("anonymize", "d.csv", "-o", "o.csv", *words, "--ordered", "size=s,m,l")
    assert (code, "19-34,s .. m" in (shell.folder / "o.csv").read_text(), "No --delta was given" in err) == (
        0,
        True,
        True,
    )
    assert shell("verify", "o.csv", *words)[0] == 0
    known = ("--quasi-identifiers", "age,size", "--ordered", "size=s,m,l", "--json")
    code, out, _ = shell("measure", "d.csv", "o.csv", "--sets", "items", "--item-delimiter", " ", *known)
    assert (code, '"relational_ncp"' in out) == (0, True)
    assert "such as size=small" in shell.fails("anonymize", "d.csv", "-o", "x.csv", *words, "--ordered", "size")
    both = ("--ordered", "size=s,m,l", "--categorical", "size")
    assert "leave one out" in shell.fails("anonymize", "d.csv", "-o", "x.csv", *words, *both)
