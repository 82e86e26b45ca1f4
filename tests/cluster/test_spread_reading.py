"""Parts that workers read are what one process reads from all of them: sets, columns, notes, hashes and places.

Covers: io/spread.py data/together.py data/spread.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.data import Dataset
from shoal.engines import Engine, current
from shoal.engines.lead import run
from shoal.errors import DataError
from shoal.search.thinning import RowsByPerson

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]

LINES: list[
    dict[str, Any]
] = [  # baskets in two parts, and in any order; the price varies within a basket, the shop does not
    {"basket": 7, "product": "milk", "shop": "A", "price": 1.0, "customer": "u1", "week": 1},
    {"basket": 3, "product": "beer", "shop": "B", "price": 2.0, "customer": "u2", "week": 1},
    {"basket": 7, "product": "rye", "shop": "A", "price": 3.0, "customer": "u1", "week": 1},
    {"basket": 10, "product": "milk", "shop": "A", "price": 1.0, "customer": "u1", "week": 2},
    {"basket": 3, "product": "milk", "shop": "B", "price": 1.0, "customer": "u2", "week": 1},
    {"basket": 2, "product": None, "shop": "C", "price": 1.0, "customer": "u3", "week": 2},
    {"basket": 2, "product": "bun", "shop": "C", "price": 1.0, "customer": "u3", "week": 2},
    {"basket": 10, "product": "ale", "shop": "A", "price": 1.0, "customer": "u1", "week": 2},
]
KINDS = {"product": ["milk", "beer", "rye", "bun"], "kind": ["dairy", "drinks", "bread", "bread"]}
LONG: dict[str, Any] = {"id_column": "basket", "item_column": "product", "drop_null_items": True}


def told(data: Dataset) -> dict[str, Any]:
    """All that there is to compare."""
    rows = data.transactions
    return {
        "sets": [sorted(row) for row in rows.sets()],
        "labels": rows.labels,
        "supports": rows.supports.tolist(),
        "sizes": rows.size_counts.tolist(),
        "table": None if data.table is None else data.table.arrow.to_pydict(),
        "notes": list(data.origin.notes),
        "hash": data.origin.sha256,
        "persons": None if rows.persons is None else rows.persons.ids_of_rows(),
        "places": [data.origin.place(row) for row in range(len(rows))],
        "layout": shoal.io.options_to_read(data, "out.jsonl"),
    }


def compared(client: Any, source: Path, *, spread: bool = True, **options: Any) -> None:
    """Read the parts here and on the cluster, where the sets must have stayed on the workers, or not."""

    def there(engine: Any, tell: Any) -> tuple[Any, bool]:
        data = shoal.read(source, **options)
        return told(data), data.transactions.bounds is not None

    found, on_workers = run(client, there, Engine())
    assert found == told(shoal.read(source, **options))
    assert on_workers == spread


def parts(folder: Path, lines: list[dict[str, Any]], number: int, suffix: str, names: str = "part-{}") -> Path:
    """Write some of the lines into each of several files."""
    for at in range(number):
        frame = pd.DataFrame(lines[at * len(lines) // number : (at + 1) * len(lines) // number])
        file = folder / f"{names.format(at)}{suffix}"
        file.parent.mkdir(parents=True, exist_ok=True)
        if suffix == ".csv":
            frame.to_csv(file, index=False)
        else:
            frame.astype({"product": "string"} if "product" in frame else {}).to_parquet(file, index=False)
    return folder


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize("number", [1, 2, 5])
def test_long_data(client: Any, tmp_path: Path, suffix: str, number: int) -> None:
    folder = parts(tmp_path / "data", LINES, number, suffix)
    compared(client, folder, **LONG)
    compared(client, folder, person="customer", **LONG)
    compared(client, folder, keep_ids=True, **LONG)


def test_joined_and_filtered(client: Any, tmp_path: Path) -> None:
    folder = parts(tmp_path / "data", LINES, 3, ".parquet")
    kinds = tmp_path / "kinds.csv"
    pd.DataFrame(KINDS).to_csv(kinds, index=False)
    joined: dict[str, Any] = {
        "join": f"{kinds}:product",
        "id_column": "basket",
        "item_column": "kind",
        "drop_null_items": True,
    }
    compared(client, folder, **joined)
    compared(client, folder, where="week = 2", **joined)
    with pytest.raises(DataError, match=r"No row of .* fulfils where="):
        compared(client, folder, where="week = 9", **joined)


def test_folders_that_name_columns(client: Any, tmp_path: Path) -> None:
    lines = [{name: value for name, value in line.items() if name != "week"} for line in LINES]
    folder = parts(tmp_path / "data", lines, 2, ".parquet", "week={}/part")
    compared(client, folder, **LONG)
    (tmp_path / "data" / "week=0").rename(tmp_path / "data" / "week=none")
    compared(client, folder, **LONG)


RECORDS: list[dict[str, Any]] = [
    {"age": at % 3, "items": "a|b" if at % 2 else "c", "who": f"p{at % 4}"} for at in range(20)
]


@pytest.mark.parametrize("person", [None, "who"])
def test_sets_with_columns(client: Any, tmp_path: Path, person: str | None) -> None:
    folder = parts(tmp_path / "data", RECORDS, 3, ".csv")
    compared(client, folder, person=person)
    compared(client, folder, person=person, item_delimiter="|")


def test_parts_that_differ_are_read_in_one_place(client: Any, tmp_path: Path) -> None:
    folder = parts(tmp_path / "data", RECORDS, 3, ".csv")
    text = (folder / "part-2.csv").read_text()
    (folder / "part-2.csv").write_text(text.replace("a|b", "b").replace("c", "b"))  # it guesses the same delimiter
    compared(client, folder)
    (folder / "part-2.csv").write_text("items,age,who\na|b,1,x\n")  # other places of columns
    compared(client, folder, spread=False)
    (folder / "part-2.csv").write_text("age,items\n1,a\n")
    with pytest.raises(DataError, match=r"has the column 'who'"):
        compared(client, folder)


def test_rows_are_taken_from_workers(client: Any, tmp_path: Path) -> None:
    folder = parts(tmp_path / "data", RECORDS, 3, ".csv")
    wanted = [19, 0, 7, 7, 3]

    def there(engine: Any, tell: Any) -> Any:
        rows = shoal.read(folder, person="who").transactions
        some = rows.take(np.array(wanted))
        assert rows.bounds is not None
        assert some.bounds is None
        return some.sets(), some.persons.ids_of_rows() if some.persons else None

    rows = shoal.read(folder, person="who").transactions.take(np.array(wanted))
    assert rows.persons is not None
    assert run(client, there, Engine()) == (rows.sets(), rows.persons.ids_of_rows())


def test_persons_are_in_one_part(client: Any, tmp_path: Path) -> None:
    """Their rows are where RowsByPerson says, after a recoding, too."""
    folder = parts(tmp_path / "data", RECORDS, 4, ".csv")

    def there(engine: Any, tell: Any) -> Any:
        data = shoal.read(folder, person="who").transactions
        rows = data.recode(np.array([1, 1, 0], dtype=np.int32), ["x", "y"])
        placed = RowsByPerson.of(rows)
        found = list(current().over("looking", lambda part, _: (part.items.sets(), part.persons.tolist()), placed))
        assert placed.order is not None
        local = rows.gathered
        assert [row for sets, _ in found for row in sets] == [local.sets()[row] for row in placed.order]
        assert [one for _, persons in found for one in persons] == local.repeaters[placed.order].tolist()
        groups = [set(persons) for _, persons in found]
        return len(groups), sum(map(len, groups)), len(set().union(*groups))

    number, counted, different = run(client, there, Engine())
    assert number > 1
    assert counted == different == 4
