"""P2 (relational and set-valued data together): the running example, E4 of the spec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.hierarchies import axes
from shoal.kernels.search.clusters.form_clusters import form_clusters
from shoal.metrics.comparison import Comparison
from shoal.release.pipeline import measure_all
from shoal.search.ncp_scale import NcpScale

ORIGIN = shoal.Hierarchy.from_tree(
    {"All": {"Africa": ["Algeria", "Nigeria"], "Europe": ["Greece", "France", "Germany", "Spain"]}}
)
GENDER = shoal.Hierarchy.from_tree({"All": ["Male", "Female"]})
ITEMS = shoal.Hierarchy.flat(list("ABCDEFGH"))
COLUMNS = {
    "Age": shoal.Column(),
    "Origin": shoal.Column(hierarchy=ORIGIN),
    "Gender": shoal.Column(hierarchy=GENDER),
}


def table(ages: str, origins: str, genders: str, sets: list[str]) -> shoal.Dataset:
    """A table of the paper: the columns as words, the sets as words of labels."""
    made = {"Age": ages.split(), "Origin": origins.split(), "Gender": genders.split()}
    return shoal.read(pa.table({**made, "items": [row.split() for row in sets]}))


FIG_1A = table(
    "19 22 28 39 70 55",
    "France Greece Germany Spain Algeria Nigeria",
    "Male Male Female Female Female Male",
    ["E F B G", "E F D H", "B C E G", "F D H", "E G", "A F H"],
)
S = "(A,B,C,D)"
FIG_1B = table(
    "[19:22] [19:22] [28:39] [28:39] [55:70] [55:70]",
    "Europe Europe Europe Europe Africa Africa",
    "Male Male Female Female All All",
    [f"E F {S} G", f"E F {S} H", f"E {S} G", f"F {S} H", "E G", f"F {S} H"],
)


def whole(data: shoal.Dataset, *, original: bool = False) -> shoal.published.Published:
    """With sets over the items A..H, and columns on the axes of Fig. 1a."""
    original_axes = axes.relational(FIG_1A, COLUMNS)
    relational = original_axes if original else axes.resolved(data, original_axes, COLUMNS)
    sets = (
        shoal.published.Published.plain(ITEMS.encode(data.transactions))
        if original
        else shoal.published.Published.resolve(data.transactions, ITEMS)
    )
    return replace(sets, relational=relational)


def holds(model: shoal.models.PrivacyModel, data: shoal.Dataset) -> bool:
    return model.verify(model.validated_view(data)).holds


def test_what_fig_1b_loses() -> None:
    was, now = whole(FIG_1A, original=True), whole(FIG_1B)
    assert was.relational is not None
    assert now.relational is not None
    assert [axis.denominator for axis in was.relational.attributes] == [51, 6, 2]
    assert now.relational.covers(was.relational).all()
    age = Fraction(2 * (3 + 11 + 15), 51 * 6)
    origin = Fraction(4 * 4 + 2 * 2, 6 * 6)
    gender = Fraction(2, 6)
    ul = (2 * Fraction(15, 2**7 - 1) + 3 * Fraction(15, 2**6 - 1)) / 6
    hidden = 1 + 1 + 2 + 1 + 0 + 1  # occurrences of A, B, C and D, of 20
    golden = {
        "relational_ncp:Age": age,
        "relational_ncp:Origin": origin,
        "relational_ncp:Gender": gender,
        "relational_ncp": (age + origin + gender) / 3,
        "ul": ul,
        "ncp": Fraction(hidden * 4, 20 * 8),
    }
    assert golden["relational_ncp"] == Fraction(55, 153)
    found = measure_all(Comparison(was, now))
    assert {name: found[name] for name in golden} == pytest.approx(
        {name: float(value) for name, value in golden.items()}, abs=1e-12
    )
    sizes = ("discernibility", "average_class_size", "smallest_class", "largest_class")
    assert [found[name] for name in sizes] == [12, 2, 2, 2]


def test_what_the_original_loses() -> None:
    was = whole(FIG_1A, original=True)
    found = measure_all(Comparison(was, was))
    assert {found[name] for name in found if "ncp" in name or name in ("ul", "lm")} == {0}
    assert [found[name] for name in ("discernibility", "average_class_size")] == [6, 1]


def test_fig_1b_is_2_anonymous_in_its_columns() -> None:
    assert holds(shoal.models.K(k=2), FIG_1B)
    assert not holds(shoal.models.K(k=3), FIG_1B)
    assert not holds(shoal.models.K(k=2), FIG_1A)


def test_the_sets_of_fig_1b_are_not_as_anonymous_as_the_paper_says() -> None:
    assert holds(shoal.Km(k=2, m=1), FIG_1B)
    model = shoal.Km(k=2, m=2)
    verdict = model.verify(model.validated_view(FIG_1B))
    assert {witness.labels for witness in verdict.witnesses} == {("E", "H"), ("F", "G")}
    assert {witness.support for witness in verdict.witnesses} == {1}


@pytest.mark.parametrize("m", [1, 2])
def test_fig_1b_gives_jim_away(m: int) -> None:
    model = shoal.KKm(k=2, m=m)
    verdict = model.verify(model.validated_view(FIG_1B))
    assert not verdict.holds
    jim = "{F} is in 1 record of those with Age=[55:70], Origin=Africa, Gender=All"
    assert jim in map(str, verdict.witnesses)


def test_the_converse_of_proposition_1_is_false() -> None:
    data = table("1 1 2 2", "France " * 4, "Male " * 4, ["a", "b", "a", "b"])
    assert holds(shoal.models.K(k=2), data)
    assert holds(shoal.Km(k=2, m=2), data)
    assert not holds(shoal.KKm(k=2, m=2), data)


ALL = ("[19:70] " * 6, "All " * 6, "All " * 6)
FIG_2 = {
    "a": table(
        "[19:22] [19:22] [28:39] [28:39] [55:70] [55:70]",
        "Europe Europe Europe Europe Africa Africa",
        "Male Male Female Female All All",
        ["D E (B,D) G", "E (B,D) H", "(B,C,F) (D,E) G", "(B,C,F) (D,E) H", "(A,E,F) G", "(A,E,F) H"],
    ),
    "b": table(*ALL, [f"E F {S} G", f"E F {S} H", f"E {S} G", f"F {S} H", "E G", f"F {S} H"]),
    "c": table(
        "[19:39] " * 4 + "[55:70] " * 2,
        "Europe " * 4 + "Africa " * 2,
        "All " * 6,
        ["E F (B,C,D) G", "E F (B,C,D) H", "E (B,C,D) G", "F (B,C,D) H", "(A,E,F) G", "(A,E,F) H"],
    ),
    "d": table(
        "[19:70] [19:70] [28:39] [28:39] [19:70] [19:70]",
        "All All Europe Europe All All",
        "All All Female Female All All",
        ["E F (A,B,D) G", "E F (A,B,D) H", "(B,C,F) (D,E) G", "(B,C,F) (D,E) H", "E G", "F (A,B,D) H"],
    ),
}


def with_gh(data: shoal.Dataset) -> list[str]:
    """The sets of a figure, if what the text of the paper has as "G" and "H" was printed as "(G,H)"."""
    return [" ".join(sorted("(G,H)" if label in ("G", "H") else label for label in row)) for row in sets_of(data)]


def sets_of(data: shoal.Dataset) -> list[list[str]]:
    return [sorted(row) for row in data.transactions.sets()]


def read_as_gh(data: shoal.Dataset) -> shoal.Dataset:
    assert data.table is not None
    columns = {name: data.table.arrow.column(name) for name in COLUMNS}
    return shoal.read(pa.table({**columns, "items": [row.split() for row in with_gh(data)]}))


@pytest.mark.parametrize("figure", ["b", "c", "d"])
def test_fig_2_is_what_the_paper_says_if_g_and_h_are_one_label(figure: str) -> None:
    assert holds(shoal.KKm(k=2, m=2), read_as_gh(FIG_2[figure]))


def test_fig_1b_is_what_the_paper_says_if_g_and_h_are_one_label() -> None:
    data = read_as_gh(FIG_1B)
    assert holds(shoal.models.K(k=2), data)
    assert holds(shoal.Km(k=2, m=2), data)
    assert not holds(shoal.KKm(k=2, m=2), data)


@pytest.mark.parametrize(
    ("figure", "algorithm", "rows"),
    [
        ("b", shoal.algorithms.Tfirst(chunks=1, within="sets-ul"), range(6)),
        ("c", shoal.algorithms.RmergeR(delta=0.65, formation="cluster", within="sets-ul"), range(6)),
        ("d", shoal.algorithms.RmergeT(delta=0.8, formation="cluster", within="sets-ul"), (0, 1, 4, 5)),
    ],
)
def test_shoal_publishes_fig_2(figure: str, algorithm: shoal.algorithms.Algorithm, rows: Sequence[int]) -> None:
    """Of 2d the merged cluster: the other one has (B,C,F) and (D,E) in print, and (B,C,D) and (E,F) with us."""
    release = shoal.anonymize(shoal.Problem(FIG_1A, ITEMS, shoal.KKm(k=2, m=2), columns=COLUMNS), algorithm=algorithm)
    published, printed = release.dataset, FIG_2[figure]
    assert published.table is not None
    assert printed.table is not None
    sets = [" ".join(row) for row in sets_of(published)]
    assert [sets[row] for row in rows] == [with_gh(printed)[row] for row in rows]
    for name in COLUMNS:
        ours, theirs = (table.arrow.column(name).to_pylist() for table in (published.table, printed.table))
        assert [ours[row] for row in rows] == [theirs[row] for row in rows]


@pytest.mark.parametrize("figure", FIG_2)
def test_fig_2_as_printed_is_not_what_the_paper_says(figure: str) -> None:
    data = FIG_2[figure]
    assert holds(shoal.models.K(k=2), data)
    assert not holds(shoal.KKm(k=2, m=2), data)
    if figure == "a":
        model = shoal.KKm(k=2, m=1)
        alone = {witness.labels for witness in model.verify(model.validated_view(data)).witnesses}
        assert {("G",), ("H",)} <= alone
    if figure == "b":
        model = shoal.KKm(k=2, m=2)
        assert ("E", "H") in {witness.labels for witness in model.verify(model.validated_view(data)).witnesses}


def test_cluster_forms_the_three_pairs_of_fig_2a() -> None:
    """From seeds 0, 2, 5 in turn, at k=2; published as the paper prints it."""
    raw = axes.relational(FIG_1A, COLUMNS)
    scale = NcpScale.of(raw)
    made = form_clusters(scale.codes, scale.scales, np.array([0, 2, 5, 1, 3, 4]), 2)
    assert made.tolist() == [0, 0, 1, 1, 2, 2]
    assert list(zip(*raw.generalized(made).columns(), strict=True))[::2] == [
        ("[19:22]", "Europe", "Male"),
        ("[28:39]", "Europe", "Female"),
        ("[55:70]", "Africa", "All"),
    ]


@pytest.mark.parametrize(
    "algorithm",
    [shoal.algorithms.Rfirst(), shoal.algorithms.Tfirst(), shoal.algorithms.RmergeRT(), shoal.algorithms.TmergeRT()],
)
def test_fig_1a_becomes_2_2_2_anonymous(algorithm: shoal.algorithms.Algorithm) -> None:
    release = shoal.anonymize(shoal.Problem(FIG_1A, ITEMS, shoal.KKm(k=2, m=2), columns=COLUMNS), algorithm=algorithm)
    assert holds(shoal.KKm(k=2, m=2), release.dataset)
    assert holds(shoal.models.K(k=2), release.dataset)
    assert holds(shoal.Km(k=2, m=2), release.dataset)
