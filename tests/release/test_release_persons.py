"""Releases of data in which a person has several records: their order, their files, and whom they tell about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.errors import OptionError, OutputError

TREE = shoal.Hierarchy.from_tree({"*": {"A": ["a1", "a2"], "B": ["b1", "b2", "b3"]}})
PEOPLE = np.random.default_rng(5).integers(0, 12, 40)
SETS = [[f"a{1 + one % 2}", f"b{1 + one * one % 3}"][: 1 + one % 3] for one in range(40)]


def frame(people: Any = PEOPLE, rows: Any = None) -> pd.DataFrame:
    whole = pd.DataFrame({"patient": people, "ward": ["x", "y"] * 20, "items": SETS})
    return whole if rows is None else whole.iloc[rows]


def released(data: Any, person: str | None = "patient", **options: Any) -> shoal.Release:
    read = shoal.read(data, **options)
    return shoal.anonymize(
        shoal.Problem(read, TREE, shoal.Km(k=3, m=2), person=person), algorithm=shoal.algorithms.AA()
    )


def persons_counted(published: list[list[str]], ids: list[str]) -> dict[frozenset[str], int]:
    """By another library: for each set of one or two labels, of how many persons records hold it."""
    held = pd.DataFrame({"row": range(len(ids)), "who": ids, "label": published}).explode("label").dropna()
    pairs = held.merge(held, on=["row", "who"])
    pairs["set"] = [frozenset(two) for two in zip(pairs["label_x"], pairs["label_y"], strict=True)]
    counted: dict[frozenset[str], int] = pairs.groupby("set")["who"].nunique().to_dict()
    return counted


def test_the_published_file_depends_on_neither_the_order_nor_the_numbers_of_persons(tmp_path: Path) -> None:
    release = released(frame())
    expected = release.data
    assert list(expected.columns) == ["ward", "items"]
    assert expected["ward"].is_monotonic_increasing
    for seed in range(3):
        rng = np.random.default_rng(seed)
        renamed = rng.permutation(12)[PEOPLE]
        other = released(frame(renamed, rng.permutation(40)))
        pd.testing.assert_frame_equal(other.data, expected)
        names = [tmp_path / f"{name}.csv" for name in ("one", "other")]
        release.save(names[0], codebook=False)
        other.save(names[1], codebook=False)
        assert names[0].read_bytes() == names[1].read_bytes()


@pytest.mark.parametrize("method", ["auto", "optimal", "aa", "da", "lra", "vpa", "mhghs", "hghs", "mm"])
def test_the_numbers_of_persons_change_no_byte(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.search.siblings.MOVES_PER_ITEM", 500)  # seven searches: a tenth of the moves is enough
    rng = np.random.default_rng(8)
    names = [f"i{i:02}" for i in range(24)]
    tree = shoal.Hierarchy.from_tree({"*": {"A": names[:12], "B": names[12:]}})
    rows = shoal.data.Transactions.from_sets([[one for one in names if rng.random() < 0.1] for _ in range(120)])
    whose = rng.integers(0, 30, 120)
    algorithm = discovery.get("shoal.algorithms", Algorithm, method)()

    def written(people: Any, order: Any) -> bytes:
        data = shoal.Dataset(rows.take(order).of_persons(people[order]))
        problem = shoal.Problem(data, tree, shoal.Km(k=3, m=2))
        shoal.anonymize(problem, algorithm=algorithm).save(tmp_path / "public.jsonl", codebook=False)
        return (tmp_path / "public.jsonl").read_bytes()

    same = np.arange(120)
    expected = written(whose, same)
    for _ in range(3):
        renumbered = rng.permutation(40)[whose]
        assert written(renumbered, same) == expected
        if method == "auto":
            assert written(renumbered, rng.permutation(120)) == expected


def test_rows_of_published_are_those_of_the_input_and_the_order_says_where_they_went() -> None:
    release = released(frame())
    assert release.order is not None
    assert sorted(release.order.tolist()) == list(range(40))
    assert release.dataset.transactions.sets() == [release.published.rows.sets()[row] for row in release.order]
    assert [len(row) for row in release.published.rows.sets()] == [len(set(row)) for row in SETS]


def test_the_persons_file_counts_as_a_foreign_count_does(tmp_path: Path) -> None:
    data = frame()
    release = released(data)
    written = release.save(tmp_path / "public.csv", persons=tmp_path / "persons.txt")
    assert (tmp_path / "persons.txt").stat().st_mode & 0o777 == 0o600
    ids = (tmp_path / "persons.txt").read_text().splitlines()
    assert release.order is not None
    assert ids == [str(data["patient"][row]) for row in release.order]
    assert written.provenance["persons"] == {"column": "patient", "file": "persons.txt"}
    rows = list(pd.read_csv(tmp_path / "public.csv")["items"].str.split("|"))
    counted = persons_counted(rows, ids)
    assert min(counted.values()) >= 3
    read = shoal.read(tmp_path / "public.csv", sets="items", item_delimiter="|")
    for source in (tmp_path / "persons.txt", ids):
        result = shoal.verify(read, release.problem.model, persons=source)
        assert result.holds
        assert result.persons == len(set(ids)) == 12


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "feather"])
@pytest.mark.parametrize("layout", ["wide", "long"])
def test_persons_of_one_record_each_give_the_same_bytes(suffix: str, layout: str, tmp_path: Path) -> None:
    without = released(frame().drop(columns="patient"), person=None)
    given = released(frame(range(40)))
    for release, name in ((without, "without"), (given, "with")):
        release.save(tmp_path / f"{name}.{suffix}", layout=layout, codebook=False)
    one, other = (tmp_path / f"{name}.{suffix}" for name in ("without", "with"))
    assert one.read_bytes() == other.read_bytes()


def test_the_index_of_a_frame_is_dropped_with_the_order() -> None:
    named = frame().set_index(pd.Index([f"n{one}" for one in range(40)]))
    assert released(named).data.index.tolist() == list(range(40))
    assert released(named.assign(patient=range(40))).data.index.tolist() == named.index.tolist()
    assert "The index of the data frame is dropped." in "\n".join(released(named).notes)


def test_long_data_have_running_numbers_and_ids_cannot_be_kept(tmp_path: Path) -> None:
    lines = frame().assign(visit=range(40)).explode("items")
    options: dict[str, Any] = {"id_column": "visit", "item_column": "items"}
    release = released(lines, **options)
    release.save(tmp_path / "long.csv", codebook=False)
    visits = pd.read_csv(tmp_path / "long.csv")["visit"]
    assert visits.unique().tolist() == list(range(1, 41))
    assert "Running numbers replace the ids of records (visit)." in "\n".join(release.notes)
    with pytest.raises(
        OptionError, match=r"keep_ids=True would publish 'visit', the id of each record, but some patient"
    ):
        released(lines, **options, keep_ids=True)
    both: dict[str, Any] = {"id_column": ("patient", "visit"), "item_column": "items"}
    assert released(lines, **both).dataset.table is not None


def test_data_that_were_read_with_their_persons_need_no_more() -> None:
    read = shoal.read(frame(), person="patient")
    release = shoal.anonymize(shoal.Problem(read, TREE, shoal.Km(k=3, m=2)), algorithm=shoal.algorithms.AA())
    pd.testing.assert_frame_equal(release.data, released(frame()).data)
    polars = pytest.importorskip("polars")
    assert released(polars.DataFrame({"patient": PEOPLE, "items": SETS})).data.columns == ["items"]


def test_persons_are_written_only_where_there_are_any_and_never_over_the_data(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"no persons are known: name their column"):
        released(frame().drop(columns="patient"), person=None).save(tmp_path / "a.csv", persons=tmp_path / "p.txt")
    with pytest.raises(OutputError, match="cannot hold both the persons and the published data"):
        released(frame()).save(tmp_path / "a.csv", persons=tmp_path / "a.csv")
    assert not list(tmp_path.iterdir())


def test_reports_tell_about_persons_but_never_who_they_are(tmp_path: Path) -> None:
    release = released(frame([f"secret {one}" for one in PEOPLE]))
    for suffix in ("html", "json", "md"):
        release.report(tmp_path / f"report.{suffix}")
        text = (tmp_path / f"report.{suffix}").read_text(encoding="utf-8")
        assert "secret" not in text
        assert "patients" in text
    import json

    facts = json.loads((tmp_path / "report.json").read_text())
    most = int(np.bincount(PEOPLE).max())
    assert facts["persons"] == {
        "column": "patient",
        "noun": "patient",
        "nouns": "patients",
        "persons": 12,
        "mean_records": 40 / 12,
        "most_records": most,
        "order": "by content",
        "ids_replaced": False,
    }
    told = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Data: 40 records of 12 patients" in told
    assert "narrowed down to fewer than 3 patients" in told
    assert "patients" in release._repr_html_()
    assert "secret" not in repr(release)


def test_classes_of_equal_columns_tell_how_many_persons_they_have(tmp_path: Path) -> None:
    data = frame().assign(age=np.arange(40) // 4)
    given = shoal.Problem(
        shoal.read(data, person="patient"),
        TREE,
        shoal.KKm(k=3, m=1),
        columns={"ward": "plain", "age": "quasi-identifier"},
    )
    release = shoal.anonymize(given)
    release.report(tmp_path / "report.md")
    assert release.order is not None
    assert (
        "patients."
        in (tmp_path / "report.md").read_text(encoding="utf-8").split("Each class has records of at least")[1][:20]
    )
    ages = release.dataset.table
    assert ages is not None
    assert pa.types.is_string(ages.arrow.schema.field("age").type)
