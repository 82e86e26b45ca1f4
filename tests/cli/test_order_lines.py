"""Order lines from the command line: long data, joins, filters, standard input and output.

Covers: cli/anonymize.py, jobs/job.py, jobs/dataset_spec.py, jobs/toml_file.py, jobs/problem_file.py.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.files import sha256_of
from shoal.jobs.command import Command
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.job import Job
from tests.conftest import Shell

ORDERS = "order,week,product,price\n" + "".join(
    f"{order},{order % 3},{product},{price}\n"
    for order in range(10, 22)
    for price, product in enumerate(["ale", "tea"] if order % 2 else ["ale", "oats", "tea"])
)
PRODUCTS = "product,type,aisle\nale,beer,bar\ntea,hot,bar\noats,grain,food\n"
LONG = ("--id-column", "order", "--item-column", "product")
MODEL = ("--k", "2", "--m", "2")


@pytest.fixture
def shop(shell: Shell) -> Shell:
    shell.write("orders.csv", ORDERS)
    shell.write("products.csv", PRODUCTS)
    return shell


def text(shop: Shell, name: str) -> str:
    return (shop.folder / name).read_text()


def test_long_stays_long_and_ids_become_numbers(shop: Shell) -> None:
    code, _, err = shop("anonymize", "orders.csv", "-o", "public.csv", *LONG, *MODEL)
    assert code == 0, err
    lines = text(shop, "public.csv").splitlines()
    assert lines[:4] == ["order,week,product", "1,1,ale", "1,1,oats", "1,1,tea"]
    assert "The ids of records (order) are not published" in err
    assert "Columns with several values in one record were left out: price." in err
    assert shop.was_read == [
        "Read orders.csv: 12 records, 3 different items (csv; ids in 'order'; items in 'product'; other columns "
        "'week'; left out, because they vary within a record: 'price').\n"
    ]
    assert shop("verify", "public.csv", *LONG, *MODEL)[0] == 0


def test_the_layout_can_be_changed_both_ways(shop: Shell) -> None:
    assert shop("anonymize", "orders.csv", "-o", "wide.csv", *LONG, *MODEL, "--output-layout", "wide")[0] == 0
    assert text(shop, "wide.csv").splitlines()[:2] == ["week,items", "1,ale|oats|tea"]
    words = ("wide.csv", "-o", "long.parquet", "--sets", "items", *MODEL)
    assert shop("anonymize", *words, "--output-layout", "long")[0] == 0
    table = pq.read_table(shop.folder / "long.parquet")
    assert table.slice(0, 2).to_pylist() == [
        {"id": 1, "item": "ale", "week": "1"},
        {"id": 1, "item": "oats", "week": "1"},
    ]
    assert "has no columns, so it cannot be long" in shop.fails(
        "anonymize", *words[:1], "-o", "x.dat", *words[3:], "--columns", "none", "--output-layout", "long"
    )


def test_joined_columns_can_be_items_and_filters_come_first(shop: Shell) -> None:
    words = ("orders.csv", "-o", "public.csv", "--join", "products.csv:product", "--id-column", "order", *MODEL)
    code, _, err = shop("anonymize", *words, "--item-column", "aisle", "--where", "week <= 1 and order > '11'")
    assert code == 0, err
    assert text(shop, "public.csv").splitlines()[:3] == ["order,week,aisle", "1,0,bar", "1,0,food"]
    assert "Only rows with week <= 1 and order > '11' were read" in err
    assert "Columns of products.csv were added by 'product'." in err
    assert "type" not in text(shop, "public.csv")


def test_a_report_names_the_hash_of_a_joined_file_but_neither_its_folder_nor_its_keys(shop: Shell) -> None:
    (shop.folder / "secret").mkdir()
    shop.write("secret/products.csv", PRODUCTS.replace("tea,hot,bar\n", ""))
    words = ("orders.csv", "-o", "public.csv", "--join", f"{shop.folder}/secret/products.csv:product", *LONG, *MODEL)
    assert shop("anonymize", *words, "--report", "r.json")[0] == 0
    report = json.loads(text(shop, "r.json"))
    hashed = {"name": "products.csv", "sha256": sha256_of(shop.folder / "secret/products.csv")}
    assert report["provenance"]["input"]["joined"] == [hashed]
    (told,) = [note for note in report["warnings"] if "products.csv" in note]
    assert "12 of 30 rows have no match in products.csv" in told
    assert "'tea'" not in told
    assert "secret" not in json.dumps(report["warnings"])


def test_a_problem_file_joins_files_beside_it(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.write(
        "problem.toml",
        '[data]\nfile = "orders.csv"\nid_column = "order"\nitem_column = "type"\njoin = "products.csv:product"\n'
        'where = "week < 2"\n[model]\nk = 2\nm = 1\n[output]\nfile = "public.csv"\nlayout = "wide"\ncolumns = []\n',
    )
    (shop.folder / "elsewhere").mkdir()
    monkeypatch.chdir(shop.folder / "elsewhere")
    code, _, err = shop("run", "../problem.toml")
    assert code == 0, err
    assert text(shop, "public.csv").splitlines()[:2] == ["items", "beer|grain|hot"]


def test_standard_input_and_output(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path.name for path in shop.folder.iterdir()}
    stdout = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", stdout)
    with open(shop.folder / "orders.csv") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        code, _, err = shop("anonymize", "-", "-o", "-", "--format", "csv", *LONG, *MODEL)
    assert code == 0, err
    assert stdout.buffer.getvalue().splitlines()[:2] == [b"order,week,product", b"1,1,ale"]
    assert "Verified:" in err
    assert not [path for path in shop.folder.iterdir() if path.name not in before]


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_a_release_of_joined_and_filtered_rows_is_measured_and_explained(shop: Shell, layout: str) -> None:
    """How the original was read is not how the release is read: its rows are joined and filtered, its items counted."""
    shop.write("tree.csv", "beer;*\nhot;*\ngrain;*\n")
    reading = ("--join", "products.csv:product", "--where", "week < 2", "--id-column", "order", "--item-column", "type")
    words = ("--hierarchy", "tree.csv", *reading)
    code, _, err = shop(
        "anonymize", "orders.csv", "-o", "public.csv", *words, *MODEL, "--columns", "none", "--output-layout", layout
    )
    assert code == 0, err
    for command in (("measure",), ("explain", *MODEL)):
        code, _, err = shop(command[0], "orders.csv", "public.csv", *command[1:], *words)
        assert code == 0, err


def test_counted_items_are_measured(shop: Shell) -> None:
    counted = ("--quantity-column", "price", "--multiset", "--where", "price >= 1")
    code, _, err = shop("anonymize", "orders.csv", "-o", "public.csv", *LONG, *MODEL, *counted)
    assert code == 0, err
    assert shop("measure", "orders.csv", "public.csv", *LONG, *counted)[0] == 0


def test_the_note_on_ids_tells_what_is_published(shop: Shell) -> None:
    words = ("anonymize", "orders.csv", "-o", "public.csv", *LONG, *MODEL, "--keep-ids")
    _, _, err = shop(*words, "--columns", "week")
    assert "The ids of records (order) are not published" in err
    _, _, err = shop(*words, "--columns", "week,order", "--plain", "order")
    assert "The ids of records (order) are published" in err


def test_an_output_must_not_match_the_pattern_that_is_read(shop: Shell) -> None:
    (shop.folder / "parts").mkdir()
    shop.write("parts/a.csv", ORDERS)
    words = ("anonymize", "parts/*.csv", *LONG, *MODEL)
    assert "parts/b.csv matches the pattern of the input" in shop.fails(*words, "-o", "parts/b.csv")
    assert "(This is the code book: name another with --codebook" in shop.fails(*words, "-o", "parts/b.parquet")
    assert shop(*words, "-o", "b.csv")[0] == 0


def test_labels_do_not_depend_on_the_format_of_long_data(shop: Shell) -> None:
    shop.write("tree.csv", "ale;*\ntea;*\noats;*\n")
    for name in ("public.csv", "other.parquet"):
        assert (
            shop("anonymize", "orders.csv", "-o", name, *LONG, "--hierarchy", "tree.csv", "--k", "8", "--m", "1")[0]
            == 0
        )
    labels = {row["product"] for row in pq.read_table(shop.folder / "other.parquet").to_pylist()}
    assert labels == {line.split(",")[2] for line in text(shop, "public.csv").splitlines()[1:]}
    assert len(labels) < 3


def test_the_code_book_of_another_release_is_not_overwritten(shop: Shell) -> None:
    shop.write("tree.csv", "ale;*\ntea;*\noats;*\n")
    words = (*LONG, "--hierarchy", "tree.csv", "--k", "8", "--m", "1")
    assert shop("anonymize", "orders.csv", "-o", "public.csv", *words)[0] == 0
    book = text(shop, "public.codebook.csv")
    wanted = "public.codebook.csv belongs to another release: name another output or code book (--codebook)"
    assert shop("anonymize", "orders.csv", "-o", "public.tsv", *words)[0] == 0  # the same code book
    shop.write("other.csv", "ale;all\ntea;all\noats;all\n")
    other = (*LONG, "--hierarchy", "other.csv", "--k", "8", "--m", "1")
    assert wanted in shop.fails("anonymize", "orders.csv", "-o", "public.parquet", *other)
    assert text(shop, "public.codebook.csv") == book
    assert shop("anonymize", "orders.csv", "-o", "public.csv", *other)[0] == 0  # its own may be replaced


def test_standard_input_needs_a_format(shop: Shell) -> None:
    assert "Standard input has no name that tells its format: pass --format" in shop.fails("profile", "-")


def test_an_output_must_not_lie_in_the_folder_that_is_read(shop: Shell) -> None:
    (shop.folder / "parts").mkdir()
    shop.write("parts/a.csv", ORDERS)
    words = ("anonymize", "parts", *LONG, *MODEL)
    assert "parts/b.csv is in parts, and all files of that folder are read" in shop.fails(*words, "-o", "parts/b.csv")
    pattern = ("anonymize", "par*/*.csv", *LONG, *MODEL)
    assert "parts/a.csv is an input too" in shop.fails(*pattern, "-o", "parts/a.csv")
    assert shop(*words, "-o", "b.csv")[0] == 0


def test_the_printed_command_repeats_how_the_data_were_read(tmp_path: Path) -> None:
    reading = shoal.io.read_options.ReadOptions(
        id_column=("store", "day"), item_column="type", join="p.csv:product", where="week < 2"
    )
    job = Job(
        data=DatasetSpec(file="orders.csv", reading=reading),
        output=Path("out.csv"),
        model=shoal.Km(k=2, m=1),
        algorithm=shoal.algorithms.AA(),
        output_layout="wide",
    )
    assert (
        "orders.csv -o out.csv --id-column store --id-column day --item-column type --join p.csv:product "
        "--where 'week < 2' --output-layout wide --model km"
    ) in Command.of(job).spelled(job.algorithm, {})


def test_a_long_frame_comes_back_as_a_long_frame() -> None:
    frame = pa.table({"order": [7, 7, 9, 9], "item": ["a", "b", "b", "a"], "store": [1, 1, 2, 2]})
    data = shoal.read(frame, id_column="order", item_column="item")
    release = shoal.anonymize(shoal.Problem(data, shoal.Hierarchy.flat(["a", "b"]), shoal.Km(k=2, m=2)))
    assert release.data.to_pydict() == {"order": [1, 1, 2, 2], "item": ["a", "b"] * 2, "store": [1, 1, 2, 2]}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--id-column", "ordr", "--item-column", "product"), "has no column 'ordr' (did you mean 'order'?)"),
        (("--id-column", "order", "--item-column", "order"), "must differ"),
        ((*LONG, "--sets", "product"), "sets is for a column of sets"),
        ((*LONG, "--quantity-column", "price"), "--quantity-column is for multisets"),
        ((*LONG, "--join", "products.csv"), "names no key"),
        ((*LONG, "--join", "products.csv:produkt"), "produkt"),
        ((*LONG, "--join", "nowhere.csv:product"), "nowhere.csv does not exist"),
        ((*LONG, "--join", "products.csv:price=product"), "No row of orders.csv has a match in products.csv"),
        ((*LONG, "--columns", "price"), "Column 'price' differs within a record, so it is left out in orders.csv"),
        ((*LONG, "--columns", "order"), "Column 'order' is the id of records (--keep-ids keeps it)"),
        ((*LONG, "--plain", "product"), "Column 'product' holds the items"),
        ((*LONG, "--hierarchy", "h.csv"), "nor are 3 of all 3 items: is it the hierarchy of these data?"),
        ((*LONG, "--where", "week <"), "week <"),
        ((*LONG, "--where", "weak < 3"), "did you mean 'week'"),
        ((*LONG, "--where", "week > 99"), "No row of orders.csv fulfils"),
        ((*LONG, "--output-layout", "tall"), "tall"),
    ],
)
def test_what_cannot_be_read_is_refused_and_nothing_is_written(
    shop: Shell, words: tuple[str, ...], message: str
) -> None:
    assert message in shop.fails("anonymize", "orders.csv", "-o", "public.csv", *MODEL, *words)
    assert not (shop.folder / "public.csv").exists()
