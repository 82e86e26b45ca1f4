"""Where data come from: files, folders, globs, standard input and pipes. Covers: io/source.py, io/parts.py."""

from __future__ import annotations

import gzip
import hashlib
import os
import random
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import shoal
from shoal.data import Dataset
from shoal.engines import Engine
from shoal.errors import DataError, OptionError
from shoal.io.coding import Encoder
from shoal.io.read_table import read_table
from shoal.io.source import Source, sha256_of_source
from tests.io.long_tables import columns_of

LINES = "id,item\n1,a\n1,b\n2,a\n"
SETS = [frozenset("ab"), frozenset("a")]


def read(source: Any, **options: Any) -> Dataset:
    return shoal.read(source, id_column="id", item_column="item", **options)


def put(folder: Path, **parts: Any) -> Path:
    """Write texts or bytes: ``put(folder, **{"week=1/a.csv": ..})``."""
    for name, content in parts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def put_parquet(path: Path, **columns: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pa.table(columns), path)


# -- folders and globs -------------------------------------------------------------------------------------------------


def test_a_folder_is_read_as_one_table_without_hidden_files(tmp_path: Path) -> None:
    put(tmp_path / "orders", **{"b.csv": "id,item\n2,a\n1,b\n", "a.csv": "item,id\na,1\n"})
    put(tmp_path / "orders", **{"_SUCCESS": "", ".a.csv.crc": "x", "_temporary/c.csv": "id,item\n9,z\n"})
    for name in ("orders", "orders/", "orders/*", "orders/*.csv", "ord*", "**/[ab].csv"):
        data = read(f"{tmp_path}/{name}")
        assert data.transactions.sets() == SETS
        assert data.origin.name == Path(name).name


def test_hidden_files_are_read_if_the_pattern_spells_them(tmp_path: Path) -> None:
    put(tmp_path, **{"_a.csv": LINES, "b.csv": "id,item\n7,z\n"})
    assert read(f"{tmp_path}/_*.csv").transactions.sets() == SETS


def test_parts_in_any_order_give_the_same_records(tmp_path: Path) -> None:
    chance = random.Random(3)
    lines = [f"{chance.randrange(12)},{chance.choice('abcdef')},{at}" for at in range(60)]
    results = []
    for turn in range(3):
        chance.shuffle(lines)
        cuts = sorted(chance.sample(range(60), 3))
        parts = [lines[one:other] for one, other in zip([0, *cuts], [*cuts, 60], strict=True)]
        names = chance.sample(["a.csv", "b.csv", "c/d.csv", "e.csv"], 4)
        folder = tmp_path / str(turn)
        put(folder, **{name: "\n".join(["id,item,n", *part]) for name, part in zip(names, parts, strict=True)})
        results.append(read(folder).transactions.sets())
    assert results[0] == results[1] == results[2]


def test_a_part_may_hold_no_records(tmp_path: Path) -> None:
    put(tmp_path, **{"a.csv": "id,item\n", "b.csv": LINES, "c.csv": "item,id\n"})
    assert read(tmp_path).transactions.sets() == SETS
    put(tmp_path, **{"b.csv": "id,item\n"})
    with pytest.raises(DataError, match="holds no records"):
        read(tmp_path)


def test_compressed_parts(tmp_path: Path) -> None:
    put(tmp_path, **{"a.csv.gz": gzip.compress(LINES.encode()), "b.csv": "id,item\n3,c\n"})
    assert read(tmp_path).transactions.sets() == [*SETS, {"c"}]


def test_parts_of_sets(tmp_path: Path) -> None:
    put(tmp_path, **{"fimi/a.dat": "1 2\n", "fimi/b.dat": "3\n", "wide/a.csv": "id,items\n5,a|b\n"})
    put(tmp_path, **{"wide/b.csv": "id,items\n6,c\n"})
    assert shoal.read(tmp_path / "fimi").transactions.sets() == [{"1", "2"}, {"3"}]
    assert shoal.read(tmp_path / "wide").transactions.sets() == [{"a", "b"}, {"c"}]


@pytest.mark.parametrize(("name", "error"), [("empty", "is a folder without files"), ("x/*.csv", "No file matches")])
def test_nothing_to_read(tmp_path: Path, name: str, error: str) -> None:
    (tmp_path / "empty").mkdir()
    put(tmp_path / "empty", **{"_SUCCESS": ""})
    with pytest.raises(DataError, match=error):
        read(f"{tmp_path}/{name}")
    with pytest.raises(DataError, match="The path of the data is empty"):
        read("")


def test_a_name_with_brackets_is_a_file_if_there_is_one(tmp_path: Path) -> None:
    put(tmp_path, **{"a[1].csv": LINES, "a1.csv": "id,item\n7,z\n"})
    assert read(tmp_path / "a[1].csv").transactions.sets() == SETS


@pytest.mark.parametrize("name", ["https://x.org/a.csv", "s3://bucket/a.parquet", Path("https://x.org/a.csv")])
def test_addresses_are_refused(name: str | Path) -> None:
    with pytest.raises(DataError, match=r"is a URL, but Shoal reads only local files.*download the file"):
        read(name)


# -- different parts ---------------------------------------------------------------------------------------------------


def test_parts_with_different_columns_are_refused_with_file_and_column(tmp_path: Path) -> None:
    put(tmp_path, **{"a.csv": "id,item,week\n1,a,1\n", "b.csv": "id,item,weak\n1,a,1\n"})
    with pytest.raises(DataError) as error:
        read(tmp_path)
    assert str(error.value) == (
        f"{tmp_path}/a.csv has the column 'week', but {tmp_path}/b.csv does not (did you mean 'weak'?): "
        "give all parts the same columns."
    )
    put(tmp_path, **{"b.csv": "id,item,week,price\n1,a,1,2\n"})
    with pytest.raises(DataError, match=r"b.csv has the column 'price', but .*a.csv does not: give all parts"):
        read(tmp_path)


def test_parts_with_different_types_are_refused_with_file_and_column(tmp_path: Path) -> None:
    put_parquet(tmp_path / "a.parquet", id=[1], item=["a"])
    put_parquet(tmp_path / "b.parquet", id=["1"], item=["a"])
    with pytest.raises(DataError, match=r"Column 'id' is string in .*b.parquet, but int64 in .*a.parquet: give all"):
        read(tmp_path)


def test_a_wrong_guess_of_a_part_may_follow_one_of_all_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first part holds nulls only, and in the second one a text comes late."""
    monkeypatch.setattr("shoal.io.jsonl._BATCH", 2, raising=False)
    (tmp_path / "a.jsonl").write_text('{"id": 1, "v": null}\n')
    (tmp_path / "b.jsonl").write_text(
        "".join(f'{{"id": {at}, "v": {at}}}\n' for at in range(2, 6)) + '{"id": 6, "v": "x"}\n'
    )
    assert read_table(tmp_path).column("id").to_pylist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("nulls_first", [True, False])
def test_a_column_of_nulls_fits_any_type(tmp_path: Path, nulls_first: bool) -> None:
    names = ["b.parquet", "a.parquet"] if nulls_first else ["a.parquet", "b.parquet"]
    put_parquet(tmp_path / names[0], id=[1, 1], item=["a", "b"], store=[7, 7])
    put_parquet(tmp_path / names[1], id=[2], item=pa.nulls(1), store=pa.nulls(1))
    put_parquet(tmp_path / "c.parquet", id=[3], item=["c"], store=[8])
    data = read(tmp_path, drop_null_items=True)
    assert data.transactions.sets() == [{"a", "b"}, frozenset(), {"c"}]
    assert columns_of(data) == {"store": ["7", "", "8"]}


def test_json_parts_may_hold_nothing_but_empty_sets(tmp_path: Path) -> None:
    put(tmp_path, **{"a.jsonl": '{"items": []}\n', "b.jsonl": '{"items": ["x"]}\n', "c.jsonl": '{"items": []}\n'})
    assert shoal.read(tmp_path).transactions.sets() == [frozenset(), {"x"}, frozenset()]


def test_parts_of_different_formats_are_refused(tmp_path: Path) -> None:
    put(tmp_path, **{"a.csv": LINES})
    put_parquet(tmp_path / "b.parquet", id=[1], item=["a"])
    with pytest.raises(DataError, match=r"different formats: a.csv is csv, b.parquet is parquet.*a pattern such as"):
        read(tmp_path)


def test_a_bad_line_is_named_with_its_part(tmp_path: Path) -> None:
    put(tmp_path, **{"a.csv": LINES, "b/c.csv": "id,item\n5,x\n,y\n"})
    with pytest.raises(DataError) as error:
        read(tmp_path)
    assert str(error.value).startswith(f"{tmp_path}, file b/c.csv, line 3: 'id' is empty")
    put(tmp_path, **{"b/c.csv": "id,item\n5,x\n7\n"})
    with pytest.raises(DataError, match=r"b/c.csv, line 3: expected 2 fields as in the header, got 1"):
        read(tmp_path)


def test_a_truncated_part_is_named(tmp_path: Path) -> None:
    put_parquet(tmp_path / "a.parquet", id=[1], item=["a"])
    put(tmp_path, **{"b.parquet": (tmp_path / "a.parquet").read_bytes()[:-9]})
    with pytest.raises(DataError, match=r"b.parquet is not a parquet file, or it is damaged.*get a complete copy"):
        read(tmp_path)


# -- partitions --------------------------------------------------------------------------------------------------------


def test_folders_name_columns(tmp_path: Path) -> None:
    put(tmp_path, **{"week=2/store=N%20W/a.csv": LINES, "week=10/store=S/a.csv": "id,item\n3,c\n"})
    data = read(tmp_path)
    assert columns_of(data) == {"week": ["2", "2", "10"], "store": ["N W", "N W", "S"]}
    assert data.table is not None
    assert data.table.arrow.schema.field("week").type == pa.int64()
    assert read(tmp_path, where="week < 10").transactions.sets() == SETS
    assert read(f"{tmp_path}/week=*/*/*.csv").transactions.sets() == data.transactions.sets()
    assert columns_of(read(f"{tmp_path}/week=*")) == columns_of(data)


def test_a_null_partition(tmp_path: Path) -> None:
    put(tmp_path, **{"week=2/a.csv": LINES, "week=__HIVE_DEFAULT_PARTITION__/a.csv": "id,item\n3,c\n"})
    assert columns_of(read(tmp_path)) == {"week": ["2", "2", ""]}


def test_a_partition_that_is_no_integer_is_text(tmp_path: Path) -> None:
    put(tmp_path, **{"week=02/a.csv": LINES, "week=3/a.csv": "id,item\n3,c\n"})
    assert columns_of(read(tmp_path)) == {"week": ["02", "02", "3"]}


def test_a_partition_may_be_an_id(tmp_path: Path) -> None:
    put(tmp_path, **{"week=2/a.csv": LINES, "week=3/a.csv": LINES})
    data = shoal.read(tmp_path, id_column=("week", "id"), item_column="item")
    assert data.transactions.sets() == SETS * 2


def test_a_partition_must_not_be_a_column_of_the_file(tmp_path: Path) -> None:
    put(tmp_path, **{"item=2/a.csv": LINES})
    with pytest.raises(DataError, match="column 'item' is in the file and in the name of its folder: rename one"):
        read(tmp_path)


def test_all_parts_have_the_same_partitions(tmp_path: Path) -> None:
    put(tmp_path, **{"week=2/a.csv": LINES, "b.csv": LINES})
    with pytest.raises(DataError, match=r"the folders of b.csv and week=2/a.csv name different columns"):
        read(tmp_path)


# -- hashes ------------------------------------------------------------------------------------------------------------


def test_the_hash_of_a_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    for name, content in {"a.csv": LINES.encode(), "a.csv.gz": gzip.compress(LINES.encode())}.items():
        put(tmp_path, **{name: content})
        assert read(tmp_path / name).origin.sha256 == hashlib.sha256(content).hexdigest()


def test_the_hash_of_parts_is_that_of_their_paths_and_bytes(tmp_path: Path) -> None:
    put(tmp_path, **{"one/week=1/a.csv": LINES, "same/week=1/a.csv": LINES, "other/week=2/a.csv": LINES})
    one, same, other = (read(tmp_path / name).origin.sha256 for name in ("one", "same", "other"))
    assert one == same == sha256_of_source(tmp_path / "one") == read(f"{tmp_path}/one/*/*.csv").origin.sha256
    assert one != other  # its records have another week
    put(tmp_path, **{"same/week=1/a.csv": LINES + "9,x\n"})
    assert read(tmp_path / "same").origin.sha256 != one


# -- standard input and pipes ------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    """The same table in several formats."""
    table = pa.table({"id": [1, 1, 2], "item": ["a", "b", "a"]})
    pyarrow.parquet.write_table(table, folder / "x.parquet")
    pyarrow.feather.write_feather(table, folder / "x.feather")
    json = '{"id": 1, "item": "a"}\n{"id": 1, "item": "b"}\n{"id": 2, "item": "a"}\n'
    written = {name: (folder / f"x.{name}").read_bytes() for name in ("parquet", "feather")}
    return {"csv": LINES.encode(), "tsv": LINES.replace(",", "\t").encode(), "jsonl": json.encode(), **written}


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet", "feather"])
def test_standard_input(format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = contents(tmp_path)[format]
    put(tmp_path, stdin=content)
    with open(tmp_path / "stdin") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        data = read("-", format=format)
    assert data.transactions.sets() == SETS
    assert (data.origin.name, data.origin.path) == ("standard input", None)
    assert data.origin.sha256 == hashlib.sha256(content).hexdigest()


def test_standard_input_needs_a_format_and_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="Standard input has no name that tells its format: pass format="):
        read("-")
    put(tmp_path, stdin="")
    with open(tmp_path / "stdin") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(DataError, match="standard input is empty"):
            read("-", format="csv")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DataError, match="Standard input cannot be read: it is closed"):
        read("-", format="csv")


def test_standard_input_cannot_be_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.io.jsonl._BATCH", 1)
    put(tmp_path, stdin='{"id": 1, "item": "a"}\n{"id": "x", "item": "b"}\n')
    with open(tmp_path / "stdin") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(DataError, match=r"standard input: .* it can be read only once: save it as a file"):
            read("-", format="jsonl")
    put(tmp_path, **{"x.jsonl": (tmp_path / "stdin").read_bytes()})
    assert len(read(tmp_path / "x.jsonl")) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet", "x.feather", "parquet", "feather", "jsonl"])
def test_named_pipes(name: str, tmp_path: Path) -> None:
    content = contents(tmp_path)[name.rpartition(".")[2]]
    pipe = tmp_path / "pipes" / name
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    data = read(pipe)
    writer.join()
    assert data.transactions.sets() == SETS
    assert data.origin.sha256 == hashlib.sha256(content).hexdigest()


def test_a_file_can_be_looked_at_and_read_again(tmp_path: Path) -> None:
    put(tmp_path, **{"a.csv": LINES})
    (file,) = Source.of(tmp_path / "a.csv").parts
    assert file.start == LINES.encode()
    for _ in range(2):
        assert b"".join(file.pieces()) == LINES.encode()
    assert file.can_be_read_again
    assert file.sha256 == hashlib.sha256(LINES.encode()).hexdigest()


@pytest.mark.parametrize("name", ["in.dat", "in.dat.gz", "in.parquet"])
@pytest.mark.parametrize("how", ["grows", "is replaced", "is removed"])
def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, how: str
) -> None:
    path = tmp_path / name
    shoal.write(shoal.read([["a", "b"], ["a"]]), path)

    def sets(self: Encoder) -> Any:
        rows = own(self)
        if how == "grows":
            with open(path, "ab") as file:
                file.write(path.read_bytes())
        elif how == "is removed":
            path.unlink()
        else:
            other = tmp_path / "other"
            other.write_bytes(path.read_bytes())
            other.replace(path)
        return rows

    own = Encoder.transactions
    monkeypatch.setattr(Encoder, "transactions", sets)
    with pytest.raises(DataError, match="changed while it was read"):
        shoal.read(path)


# -- read ahead --------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.io.source._PIECE", 10)
    monkeypatch.setattr("shoal.io.source._LARGE", 20)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", ["x.dat", "x.dat.gz"])
def test_a_large_file_is_read_ahead(tmp_path: Path, name: str, workers: int) -> None:
    """Its records and its hash are the same, and the calling thread tells the progress."""
    text = "".join(f"{row} {row % 7}\n" for row in range(1, 200)).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    told: list[tuple[str, float, int]] = []
    before = threading.active_count()
    engine = Engine(workers, lambda stage, share: told.append((stage, share, threading.get_ident())))
    with engine.in_use():
        data = shoal.read(tmp_path / name)
    assert [len(row) for row in data.transactions.sets()] == [1 + (row >= 7) for row in range(1, 200)]
    assert data.origin.sha256 == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
    shares = [share for stage, share, _ in told if stage == "reading"]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert {thread for *_, thread in told} == {threading.get_ident()}
    assert threading.active_count() == before


@pytest.mark.usefixtures("small_pieces")
def test_a_file_that_is_not_read_to_its_end_leaves_no_thread(tmp_path: Path) -> None:
    before = threading.active_count()
    (tmp_path / "x.dat").write_bytes(b"1 2\n" * 100 + b"\0" + b"1 2\n" * 100)
    with Engine(workers=2).in_use(), pytest.raises(DataError, match="line 101: expected text"):
        shoal.read(tmp_path / "x.dat")
    until = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() == before
