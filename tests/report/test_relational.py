"""Reports on columns and sets together: the figures are those of the tables, no sentence is false, no value is told."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal import report
from shoal.algorithms.base import Algorithm
from shoal.data.hierarchy import Hierarchy
from shoal.models.base import PrivacyModel
from shoal.report import Story, gather, sentences
from tests.report.test_report import EVIL, Page

AGES = [19, 22, 22, 50, 55, 70, 70, 71]
CITIES = ["Lyon", "Lyon", "Paris", "Athens", "Volos", "Volos", "Athens", "Volos"]
SETS = [["a", "b"], ["a", "c"], ["b"], ["a"], ["c"], ["a", "c"], ["c"], []]
ILLNESS = ["flu", "cold", "gout", "flu", "cold", "gout", "mumps", "flu"]
EUROPE = Hierarchy.from_tree({"Europe": {"France": ["Lyon", "Paris"], "Greece": ["Athens", "Volos"]}}, name="eu.csv")
TREE = {"ALL": {"A": ["a", "b"], "c": []}}
QI = "quasi-identifier"
COLUMNS: dict[str, shoal.Column | str] = {
    "name": "identifier",
    "age": shoal.Column(role=QI, weight=0.75),  # type: ignore[arg-type]
    "city": shoal.Column(role=QI, hierarchy=EUROPE, weight=0.25),  # type: ignore[arg-type]
    "ward": "plain",
}
K, KKM = shoal.models.K(k=2), shoal.KKm(k=2, m=2)
KLM = shoal.KLm(k=2, l=2, m=1, sensitive_column=("illness",))
BEFORE = (
    "For 100 % of the records, the values in all quasi-identifying columns{} enough to narrow the search down to fewer "
    "than 2 records, and for 100 % to one."
)
NOW = "No record can be narrowed down to fewer than 2 records by knowing its values in all quasi-identifying columns{}."


def table(sets: bool = True, **more: list[Any]) -> pa.Table:
    columns: dict[str, Any] = {"name": [f"secret-{at}" for at in range(8)], "age": AGES, "city": CITIES}
    columns["ward"] = ["ward-x"] * 8
    return pa.table(columns | more | ({"items": pa.array(SETS, pa.list_(pa.string()))} if sets else {}))


def release(
    model: PrivacyModel = KKM,
    algorithm: Algorithm | None = None,
    data: pa.Table | None = None,
    tree: Mapping[str, object] | None = None,
    columns: Mapping[str, shoal.Column | str] = COLUMNS,
    sets: bool = True,
) -> shoal.Release:
    given = table(sets) if data is None else data
    read = shoal.read(given) if sets else shoal.read(given, no_sets=True)
    hierarchy = Hierarchy.from_tree(tree, name="tree.csv") if tree else Hierarchy.flat(read.transactions.labels)
    problem = shoal.Problem(read, hierarchy, model, columns=columns)
    return shoal.anonymize(
        problem, algorithm=algorithm or (shoal.algorithms.Cluster() if model.name == "k" else shoal.algorithms.Rfirst())
    )


def diverse(**more: Any) -> shoal.Release:
    data = table(illness=ILLNESS)
    return release(KLM, data=data, columns={**COLUMNS, "illness": "sensitive"}, **more)


def texts(made: shoal.Release) -> list[str]:
    """What people read."""
    return [report.as_markdown(Story.of(made)), Page(report.as_html(Story.of(made))).text]


def told(made: shoal.Release, *sentences: str) -> None:
    for text in texts(made):
        for sentence in sentences:
            assert sentence in text


ALL = pytest.mark.parametrize("make", [lambda: release(K, sets=False), lambda: release(K), release, diverse])


@ALL
def test_figures_agree_with_the_published_table(make: Any) -> None:
    made = make()
    facts = report.as_dict(Story.of(made))["relational"]
    before, after = made.problem.data.table.arrow.to_pydict(), made.dataset.table.arrow.to_pydict()
    assert [one["name"] for one in facts["columns"]] == ["age", "city"]
    for one in facts["columns"]:
        was, now = list(map(str, before[one["name"]])), after[one["name"]]
        assert (one["values"], one["values_after"]) == (len(set(was)), len(set(now)))
        assert one["unchanged"] == sum(map(str.__eq__, was, now))
        assert one["ncp"] == made.losses[f"relational_ncp:{one['name']}"]
        assert one["missing"] == 0
    sizes = sorted(Counter(zip(after["age"], after["city"], strict=True)).values())
    own = facts["classes"]
    assert (own["before"], own["number"]) == (8, len(sizes))
    assert (own["smallest"], own["median"], own["largest"]) == (sizes[0], statistics.median(sizes), sizes[-1])
    assert own["mean"] == made.losses["average_class_size"]
    assert sum(band["classes"] for band in own["sizes"]) == len(sizes)
    assert all(band["low"] >= sizes[0] and band["high"] <= sizes[-1] for band in own["sizes"])
    assert "name" not in after


@ALL
def test_schema(make: Any) -> None:
    made = make()
    facts = json.loads(report.as_json(Story.of(made)))
    assert facts["report"] == 1
    assert list(facts["relational"]) == ["sets", "columns", "identifiers", "sensitive", "plain", "classes"]
    keys = ["name", "type", "hierarchy", "values", "values_after", "missing", "unchanged", "ncp", "weight"]
    assert [list(one) for one in facts["relational"]["columns"]] == [keys, keys]
    assert list(facts["relational"]["classes"]) == [
        *("before", "number", "smallest", "median", "mean", "largest", "sizes")
    ]
    assert facts["losses"] == made.losses  # all of them, whatever the table shows
    assert facts["relational"]["identifiers"] == ["name"]
    assert facts["relational"]["plain"] == ["ward"]


def test_nothing_of_it_without_columns() -> None:
    data = shoal.read(pa.table({"items": SETS[:7]}))
    made = shoal.anonymize(
        shoal.Problem(data, Hierarchy.from_tree(TREE), shoal.Km(k=2, m=1)), algorithm=shoal.algorithms.AA()
    )
    assert report.as_dict(Story.of(made))["relational"] is None
    for text in texts(made):
        assert "What became of the columns" not in text
        assert "class" not in text


@ALL
def test_no_value_is_told(make: Any) -> None:
    """Neither values of columns nor names of persons, nor what stands in plain columns."""
    made = make()
    for text in (report.as_json(Story.of(made)), *texts(made), report.summary_html(Story.of(made))):
        assert "secret-" not in text
        assert "ward-x" not in text
        assert not any(city in text for city in CITIES)
        assert "[19:" not in text


def test_a_table_without_sets() -> None:
    made = release(K, sets=False)
    told(
        made,
        "8 records. Each has values in 2 quasi-identifying columns and 2 other columns. There are no sets.",
        "The records were put into 4 clusters of similar records. All records of a cluster are published with equal "
        "values in the quasi-identifying columns. Where their values differed, they are published as a range or a "
        "group of categories that covers all of them. No value is made up.",
        BEFORE.format(" are"),
        NOW.format(""),
        "Before, there were 8 different combinations of values. Now there are 4. The records with the same "
        "combination form a class. Each has 2 records.",
        "of the values in quasi-identifying columns are published unchanged. The others are published as ranges or "
        "groups.",
    )
    for text in texts(made):
        for word in ("set of items", "ccurrence", "Labels", "labels", "known items", "Known items", "well-chosen"):
            assert word not in text
        for word in ("of the sets (", "Hierarchy", "hierarchy was", "(UL)", "LM"):
            assert word not in text
    page = Page(report.as_html(Story.of(made))).text
    assert "A record is counted if its values in all quasi-identifying columns are enough." in page
    assert "in the smallest class of equal values 2 records" in page
    assert "lost in the columns (NCP)" in page
    assert "the number of different values of a column" in page


def test_sets_that_were_not_touched() -> None:
    made = release(K)
    told(
        made,
        "Each has values in 2 quasi-identifying columns and 2 other columns, and a set of items: 10 items "
        "in all, 3 different. 1 set is empty.",
        "No value is made up. The sets were not changed.",
        "The sets are published unchanged.",
        "The sets are published unchanged. The guarantee covers the quasi-identifying columns only.",
        BEFORE.format(" are"),
        NOW.format(""),
    )
    for text in texts(made):
        for false in ("UL", "Loss metric", "of the sets (NCP)", "items are published", "labels per record"):
            assert false not in text


@pytest.mark.parametrize(
    ("within", "by"),
    [
        ("sets", "a set of items, in the same way in every record of the cluster. A label such as (A,B) means"),
        ("aa", "a group of the hierarchy tree.csv that contains it, in the same way in every record"),
        ("optimal", "a group of the hierarchy tree.csv that contains it, in the same way in every record"),
    ],
)
def test_columns_and_sets(within: Any, by: str) -> None:
    if within == "optimal":
        pytest.importorskip("ortools")
    made = release(KKM, shoal.algorithms.Rfirst(within=within), tree=TREE)
    clusters = report.as_dict(Story.of(made))["recoding"]["clusters"]
    told(
        made,
        f"The records were put into {clusters} clusters of similar records.",
        f"The sets of each cluster were generalized separately. An item was either kept or replaced by {by}",
        BEFORE.format(" and 2 well-chosen items (or fewer) are"),
        NOW.format(" and up to 2 items of it"),
        "all columns, 1 item",
        "all columns, up to 2 items",
    )
    assert "its values in all quasi-identifying columns and some choice of its items are enough" in texts(made)[1]
    assert "lost in the columns (NCP)" in texts(made)[1]
    assert "lost in the sets (UL)" in texts(made)[1]


def test_clusters_with_equal_values() -> None:
    """Sets first: their clusters may get the same values."""
    data = pa.table({"age": ["20", "60"] * 4, "items": [["a"]] * 4 + [["b"]] * 4})
    made = release(KKM, shoal.algorithms.Tfirst(), data=data, columns={})
    how = report.as_dict(Story.of(made))["recoding"]
    assert (how["clusters"], how["classes"]) == (2, 1)
    told(made, "No value is made up. Some clusters have equal published values, so 1 class remains. The sets of each")


def test_sensitive_columns() -> None:
    made = diverse()
    told(
        made,
        BEFORE.format(" and 1 well-chosen item that is not sensitive are"),
        NOW.format(" and 1 item of it that is not sensitive"),
        "Sensitive columns, published unchanged: illness",
        "Identifiers, left out: name",
        "Other columns, published unchanged: ward",
        "Sensitive values were left unchanged: 4 values in 8 records.",
    )
    assert report.as_dict(Story.of(made))["relational"]["sensitive"] == ["illness"]


def test_what_columns_were_taken_as() -> None:
    days = [f"2020-0{at + 1}-15" for at in range(8)]
    columns = {
        **COLUMNS,
        "age": shoal.Column(role=QI, hierarchy="width:10,20", missing=("70",)),  # type: ignore[arg-type]
        "day": shoal.Column(role=QI),  # type: ignore[arg-type]
        "sex": QI,
    }
    made = release(K, data=table(False, day=days, sex=["m", "f"] * 4), columns=columns, sets=False)
    rows = {one["name"]: one for one in report.as_dict(Story.of(made))["relational"]["columns"]}
    assert [(one["type"], one["hierarchy"], one["missing"]) for one in rows.values()] == [
        ("number", "width:10,20", 2),
        ("category", "eu.csv", 0),
        ("date", None, 0),
        ("category", None, 0),
    ]
    told(
        made,
        "numbers, ranges by width:10,20; missing in 2 records",
        "categories, hierarchy eu.csv",
        "dates, ranges with free ends",
        "categories, sets of values",
    )
    assert "| city | categories, hierarchy eu.csv | 4 |" in report.as_markdown(Story.of(made))
    assert "* covers every value, and missing values too" in texts(made)[1]
    assert "* covers every value" not in texts(release(K))[1]


def test_losses_are_told_once() -> None:
    made = release()
    titles = [title for title, _, _ in sentences.losses(gather(Story.of(made)))]
    assert titles[:3] == [
        "Normalized certainty penalty of the columns (relational NCP)",
        "Utility loss of the sets (UL)",
        "Normalized certainty penalty of the sets (NCP)",
    ]
    assert titles[-1] == "Discernibility"
    assert not [title for title in titles if "'age'" in title or title.endswith("est class") or "per class" in title]
    alone = sentences.losses(gather(Story.of(release(K))))
    assert [title for title, _, _ in alone] == [titles[0], "Discernibility"]


def test_nothing_had_to_be_changed() -> None:
    same = pa.table({"age": ["30"] * 4, "items": [["a"]] * 4})
    told(
        release(data=same, columns={}),
        "All values in quasi-identifying columns are published unchanged.",
        "Every item of the sets is published unchanged.",
        "All 4 records have the same values, as before.",
    )
    empty = pa.table({"age": ["30", "31", "30", "31"], "items": pa.array([[]] * 4, pa.list_(pa.string()))})
    told(release(data=empty, columns={}), "All sets are empty.", "4 sets are empty.")


def test_bands_of_classes() -> None:
    ages = [str(20 + at) for at in range(3) for _ in range((2, 4, 30)[at])]
    made = release(K, data=pa.table({"age": ages}), columns={}, sets=False)
    sizes = [
        (band["low"], band["high"], band["classes"])
        for band in report.as_dict(Story.of(made))["relational"]["classes"]["sizes"]
    ]
    assert sizes == [(2, 2, 1), (3, 5, 1), (21, 30, 1)]
    assert "| 2 | 1 |\n| 3–5 | 1 |\n| 21–30 | 1 |" in report.as_markdown(Story.of(made))
    page = Page(report.as_html(Story.of(made))).text
    assert "How large the classes are" in page
    assert "21–30 records" in page
    told(
        made,
        "Before, there were 3 different values. Now there are 3. The records with the same value form a class. The "
        "smallest class has 2 records, the median is 4, and the largest has 30.",
    )


def test_long_labels_are_cut() -> None:
    items = [f"item-{at:03}" for at in range(300)]
    data = pa.table({"age": ["30"] * 100, "items": [items[at : at + 200 : 7] for at in range(100)]})
    made = release(
        KKM, shoal.algorithms.RmergeRT(within="sets-ul", formation="cluster", delta=0.65), data=data, columns={}
    )
    labels = [group["label"] for group in report.as_dict(Story.of(made))["generalized"]["groups"]]
    assert max(map(len, labels)) > 200  # the JSON has them whole
    for text in (*texts(made), report.summary_html(Story.of(made))):
        assert not any(label in text for label in labels if len(label) > 60)
        assert max(map(len, text.split())) < 100
    assert ",…)" in report.as_markdown(Story.of(made))


def test_names_are_text() -> None:
    made = release(K, data=pa.table({f"age {EVIL}": ["1", "2"], f"x {EVIL}|": ["3", "4"]}), columns={}, sets=False)
    markdown = [
        line for line in report.as_markdown(Story.of(made)).splitlines() if not line.startswith("    ")
    ]  # code is literal
    for text in (*markdown, report.as_html(Story.of(made)), report.summary_html(Story.of(made))):
        assert "<script" not in text
    assert "| age &lt;script&gt;alert(1)&lt;/script&gt; |" in report.as_markdown(Story.of(made))
    assert f"age {EVIL}" in Page(report.as_html(Story.of(made))).text


@pytest.mark.parametrize(("make", "sets"), [(lambda: release(K, sets=False), False), (release, True), (diverse, True)])
def test_card(make: Any, sets: bool) -> None:
    made = make()
    card = Page(report.summary_html(Story.of(made))).text
    own = report.as_dict(Story.of(made))["relational"]["classes"]
    assert f"{own['number']} classes" in card
    assert f"{own['smallest']} records in the smallest" in card
    assert "NCP of the columns" in card
    for name in ("items", "groups", "UL of the sets", "NCP of the sets"):
        assert (f" {name} " in card) == sets
