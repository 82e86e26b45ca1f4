"""A data set is described once: the command line, problem files and the lab read it the same way.

Covers: jobs/sampling.py.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import shoal
from shoal.algorithms.auto import Auto
from shoal.data.columns import Column
from shoal.data.table import Role
from shoal.errors import DataError, OptionError
from shoal.evaluation.grid import Case
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.job import Job
from tests.evaluation.test_runner import data_set


def test_a_hierarchy_is_made_from_columns_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,item\n1,ale\n1,oats\n2,ale\n2,rum\n3,rum\n", encoding="utf-8")
    table = "item,type,department\nale,beer,bar\nrum,spirits,bar\noats,,food\nnever,beer,pub\nunused,seed,food\n"
    (tmp_path / "products.csv").write_text(table, encoding="utf-8")
    spec = DatasetSpec(
        label="toy",
        file=str(tmp_path / "rows.csv"),
        reading=ReadOptions(id_column=("id",), item_column="item"),
        hierarchy={"": str(tmp_path / "products.csv")},
        levels="item,type,department",
    )
    _, tree = spec.load()
    assert tree.parents_by_label() == {
        **{"ale": "beer", "beer": "bar", "rum": "spirits", "spirits": "bar", "bar": "*"},
        **{"oats": "food", "food": "*", "*": None},
    }
    assert spec.fingerprint["levels"] == "item,type,department"
    with pytest.raises(OptionError, match="levels are columns of a table"):
        replace(spec, hierarchy={})


def test_the_part_that_is_asked_for_is_taken(tmp_path: Path) -> None:
    whole, tree = data_set(tmp_path).load()
    first, _ = data_set(tmp_path, rows=10).load()
    assert first.transactions.sets() == whole.transactions.sets()[:10]
    drawn, same = (data_set(tmp_path, sample=10).load(seed=3)[0].transactions.sets() for _ in range(2))
    assert drawn == same
    assert len(drawn) == 10
    assert drawn != data_set(tmp_path, sample=10).load(seed=4)[0].transactions.sets()
    small, tree = data_set(tmp_path, modulo=3, rows=20).load()
    want = [frozenset(str((int(item) - 1) % 3) for item in row) for row in whole.transactions.sets()[:20]]
    assert small.transactions.sets() == want
    assert set(tree.items) == {"0", "1", "2"}
    few, tree = data_set(tmp_path, kept_items=3).load(seed=1)
    assert len(few.transactions.labels) == 3
    assert all(few.transactions.sets())
    assert set(tree.items) == set(few.transactions.labels)


def test_sensitive_items_can_be_drawn(tmp_path: Path) -> None:
    one = data_set(tmp_path, secrets=2, secrets_least=0.1, secrets_most=0.8)
    problem = one.problem(shoal.models.SensitiveK(k=2, sensitive=("drawn",)), shoal.metrics.NCP(), 1)
    drawn = problem.model.values()["sensitive"]
    share = sum(bool(set(drawn) & row) for row in problem.data.transactions.sets()) / 60
    assert len(drawn) == 2
    assert 0.1 <= share <= 0.8
    with pytest.raises(DataError, match="use another seed"):
        data_set(tmp_path, secrets=2, secrets_most=0.001).problem(
            shoal.models.SensitiveK(k=2, sensitive=("drawn",)), shoal.metrics.NCP(), 1
        )


@pytest.mark.parametrize("fanout", [0, 2])
def test_counted_items_are_below_their_items(fanout: int, tmp_path: Path) -> None:
    (tmp_path / "rows.basket").write_text("a,a,b\nb,c\na\nc,c\nd,a\n", encoding="utf-8")
    reading = ReadOptions(multiset=True)
    data_set = DatasetSpec(
        label="x", file=str(tmp_path / "rows.basket"), reading=reading, fanout=fanout, order="frequency"
    )
    _, tree = data_set.load()
    parents = tree.parents_by_label()
    assert parents["a*1"] == parents["a*2"] == "a"
    above = parents["a"]
    assert above is not None
    if fanout:  # a (3 rows), then b and c (2), then d
        assert tree.items_of(above) == ("a*1", "a*2", "b*1")
    else:
        assert above == tree.labels[-1]


def test_smaller_samples_are_contained_in_larger_ones() -> None:
    data_sets = [
        DatasetSpec(label="x", generate="videos", generator={"rows": 300, "seed": 0}, sample=size) for size in (50, 200)
    ]
    small, large = (
        {str(row) for row in data.table.arrow.to_pylist()}
        for data, _ in (one.load(seed=1) for one in data_sets)
        if data.table is not None
    )
    assert len(small) > 45
    assert small < large


def test_rows_are_said_once() -> None:
    with pytest.raises(OptionError, match="rows is given twice"):
        DatasetSpec(label="made", generate="quest", generator={"rows": 50}, rows=20, fanout=3)


def test_a_job_and_a_case_of_the_lab_read_the_same(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,town,items\n" + "20,x,a|b\n30,?,a\n" * 3, encoding="utf-8")
    spec = DatasetSpec(
        file=str(tmp_path / "t.csv"),
        reading=ReadOptions(sets="items", item_delimiter="|"),
        columns={"age": Column(Role.QUASI_IDENTIFIER), "town": Column(Role.PLAIN)},
        hierarchy={"age": "width:10,20"},
        missing=("?",),
    )
    model = shoal.KKm(k=2, m=1)
    job = Job(data=spec, output=tmp_path / "out.csv", model=model, algorithm=Auto())
    one, other = job.problem().prepared, Case(spec, model, Auto()).problem().prepared
    assert one.data.transactions.sets() == other.data.transactions.sets()
    assert one.quasi_identifiers == other.quasi_identifiers
    assert one.quasi_identifiers["age"] == Column(Role.QUASI_IDENTIFIER, hierarchy="width:10,20", missing=("?",))
    wrong = replace(spec, hierarchy={"town": "width:10,20"})
    with pytest.raises(OptionError, match="column 'town', which is not a quasi-identifier"):
        wrong.problem(model, shoal.metrics.NCP())


def test_a_model_of_columns_alone_takes_sets_only_if_they_are_plain(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,items\n20,a|b\n30,a\n", encoding="utf-8")
    spec = DatasetSpec(file=str(tmp_path / "t.csv"), reading=ReadOptions(delimiter=","))
    assert spec.read_for_model(shoal.models.K(k=2)).origin.set_columns == ("items",)
    (tmp_path / "t.csv").write_text("age,zip\n20,1\n30,2\n", encoding="utf-8")
    assert spec.read_for_model(shoal.models.K(k=2)).origin.set_columns == ()


def test_files_must_be_there_and_an_error_names_the_data_set(tmp_path: Path) -> None:
    toy = data_set(tmp_path)
    assert toy.require_files() is toy
    gone = str(tmp_path / "no.csv")
    for spec in (
        replace(toy, file=gone),
        replace(toy, weights=gone),
        replace(toy, fanout=0, hierarchy={"": gone}),
        replace(toy, columns={"age": Column(hierarchy=gone)}),
    ):
        with pytest.raises(OptionError, match=r"Data 'toy': .*no.csv does not exist"):
            spec.require_files()
    assert replace(toy, columns={"age": Column(hierarchy="width:5,10")}).require_files()
    with pytest.raises(OptionError, match="Data 'toy': rows must be at least 0, got -1"):
        replace(toy, rows=-1)
    with pytest.raises(OptionError, match=r"^unknown_items must be one of error, root"):
        DatasetSpec(file="x.csv", unknown_items="roto")


def test_samples_know_whose_their_rows_are(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("patient,items\n" + "".join(f"p{row % 4},a{row}|b\n" for row in range(20)))
    spec = DatasetSpec(file=str(path), reading=ReadOptions(sets="items", person="patient"), sample=8, kept_items=15)
    data, _ = spec.load(seed=3)
    persons = data.transactions.persons
    assert persons is not None
    held = [sorted(row) for row in data.transactions.sets()]
    for items, person in zip(held, persons.ids_of_rows(), strict=True):
        assert {f"p{int(item[1:]) % 4}" for item in items if item != "b"} <= {person}
    assert spec.content != replace(spec, reading=ReadOptions(sets="items")).content
    problem = replace(spec, keep=()).problem(shoal.Km(k=2, m=1), shoal.metrics.NCP(), publish=False)
    assert problem.prepared.persons is not None
