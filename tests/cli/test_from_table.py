"""``shoal hierarchy from-table``: files in, a hierarchy and a short summary out."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from shoal import hierarchies
from tests.conftest import Shell

PRODUCTS = (
    "product_id,product_type,category,department\n"
    "7,ale,beer,BAR\n8,ale,beer,BAR\n9,ale,spirits,BAR\n10,,spirits,BAR\n11,,,\n12,BAR,beer,BAR\n,oats,,\n"
)
ORDERS = "order,product_id\n1,7\n1,9\n2,9\n3,99\n"
LEVELS = ("--levels", "product_id,product_type,category,department")


@pytest.fixture
def shop(shell: Shell) -> Shell:
    shell.write("products.csv", PRODUCTS)
    shell.write("orders.csv", ORDERS)
    return shell


def test_a_table_becomes_a_hierarchy_with_a_summary(shop: Shell) -> None:
    code, out, err = shop("hierarchy", "from-table", "products.csv", *LEVELS, "-o", "tree.csv")
    assert code == 0
    assert out == ("6 items, height 4: 6 product_id, 2 product_type, 2 category, 1 department: tree.csv\n")
    assert err.splitlines() == [
        "Note: 1 group has several parents (1 product_type) and was put below the parent that most rows name, "
        "which moved 1 item (--several-parents split splits them instead): 'ale' under 'beer' (2), 'spirits' (1).",
        "Note: 2 items have blank levels, which were skipped (product_type in 2 rows, category in 1 row, department in "
        "1 row): '10' below 'spirits' below 'BAR (department)'; '11' below '(no department)'.",
        "Note: 1 item has no department and was put below '(no department)': '11' below '(no department)'.",
        "Note: 2 groups have the label of another node and got their level in brackets: 'BAR (department)'; "
        "'BAR (product_type)'.",
        "Note: 1 row has no product_id and was left out.",
    ]
    assert shop("hierarchy", "check", "tree.csv")[0] == 0
    assert hierarchies.load("tree.csv").parents_by_label()["ale"] == "beer"


def test_the_data_weigh_parents(shop: Shell) -> None:
    words = ("hierarchy", "from-table", "products.csv", *LEVELS, "--items", "orders.csv:product_id", "-o", "tree.csv")
    code, _, err = shop(*words, "--unknown-items", "root")
    tree = hierarchies.load("tree.csv").parents_by_label()
    assert (code, tree["ale"], tree["99"]) == (0, "spirits", "*")
    assert "1 item of the data is not in the table (used 1 time) and was put below the root: '99'." in err
    assert "This hierarchy names items that only the data have" in err
    code, _, err = shop(*words, "--only-used", "--several-parents", "split")
    assert (code, set(hierarchies.load("tree.csv").items)) == (0, {"7", "9", "99"})
    assert "4 items of the table do not occur in the data and were left out: '8'; '10'; '11'." in err
    assert shop("hierarchy", "check", "tree.csv")[0] == 0


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.tsv", "t.jsonl"])
def test_tables_of_every_format_give_the_same(shop: Shell, name: str) -> None:
    rows = [line.split(",") for line in PRODUCTS.splitlines()]
    cells = {column: [row[at] or None for row in rows[1:]] for at, column in enumerate(rows[0])}
    table = pa.table({**cells, "product_id": [float(cell) if cell else None for cell in cells["product_id"]]})
    if name == "t.parquet":
        pq.write_table(table, name)
    elif name == "t.feather":
        feather.write_feather(table, name)
    elif name == "t.tsv":
        shop.write(name, PRODUCTS.replace(",", "\t"))
    else:
        shop.write(name, pa.table(cells).to_pandas().to_json(orient="records", lines=True))
    for source, target in (("products.csv", "a.csv"), (name, "b.csv")):
        assert shop("hierarchy", "from-table", source, *LEVELS, "-o", target)[0] == 0
    assert Path("b.csv").read_bytes() == Path("a.csv").read_bytes()


@pytest.mark.parametrize(
    "how", [("t.csv",), ("t.tsv",), ("t.json",), ("t.csv", "--to", "parents"), ("t.csv.gz",)], ids=lambda how: how[-1]
)
def test_every_format_of_hierarchies_can_be_written(shop: Shell, how: tuple[str, ...]) -> None:
    shop.write("products.csv", PRODUCTS.replace("spirits", '"rum; gin, ""x"" | y"'))
    assert shop("hierarchy", "from-table", "products.csv", *LEVELS, "--root", "all of it", "-o", *how)[0] == 0
    tree = hierarchies.load(how[0]).parents_by_label()
    assert (tree["10"], tree['rum; gin, "x" | y'], tree["11"]) == (
        'rum; gin, "x" | y',
        "BAR (department)",
        "(no department)",
    )


def test_a_colon_in_the_name_of_a_file_or_column_is_no_trouble(shop: Shell) -> None:
    shop.write("my:orders.csv", "order,product:id\n1,9\n")
    words = ("hierarchy", "from-table", "products.csv", *LEVELS, "-o", "t.csv")
    assert shop(*words, "--items", "my:orders.csv:product:id")[0] == 0
    assert shop(*words, "--items", "orders.csv:product_id")[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--levels", "product_id,type"], "--levels: products.csv has no column 'type' (did you mean"),
        (["--levels", "product_id"], "--levels must name at least two columns, got 1"),
        (["--levels", "product_id,category,category"], "--levels names the column 'category' twice"),
        ([*LEVELS, "--several-parents", "error"], "product_type 'ale' has 2 parents, 'beer' (2 rows)"),
        ([*LEVELS, "--items", "orders.csv"], "--items must be a file, a colon and the name of a column"),
        ([*LEVELS, "--items", "orders"], "--items must be a file, a colon and the name of a column"),
        (
            [*LEVELS, "--items", "orders.csv:product"],
            "--items: orders.csv has no column 'product' (did you",
        ),
        ([*LEVELS, "--items", "nowhere.csv:product_id"], "nowhere.csv"),
        ([*LEVELS, "--items", "orders.csv:order"], "none of the 3 items of the data is in 'product_id'"),
        ([*LEVELS, "--only-used"], "--only-used needs the items of the data: add --items FILE:COLUMN"),
        ([*LEVELS, "--root", "7"], "the root cannot be called '7', as an item has that name"),
        ([*LEVELS, "--to", "xml"], "There is no hierarchy format 'xml'"),
        ([*LEVELS, "--to", "amnesia"], "the label '(no department)' cannot be written in the format amnesia"),
        (["--levels", "category,product_type", "--items", "orders.csv:product_id"], "none of the 3 items of the data"),
        (["--levels", "product_type,product_id", "--items", "orders.csv:product_id"], "put 'product_id' first"),
    ],
)
def test_what_cannot_be_used_is_refused_and_nothing_is_written(shop: Shell, words: list[str], message: str) -> None:
    assert message in shop.fails("hierarchy", "from-table", "products.csv", *words, "-o", "tree.csv")


def test_an_empty_table_and_a_name_without_format_are_refused(shop: Shell) -> None:
    shop.write("empty.csv", PRODUCTS.splitlines()[0] + "\n")
    assert "empty.csv" in shop.fails("hierarchy", "from-table", "empty.csv", *LEVELS, "-o", "tree.csv")
    assert "does not tell the format" in shop.fails("hierarchy", "from-table", "products.csv", *LEVELS, "-o", "tree")
    assert "products.csv" in shop.fails("hierarchy", "from-table", "products.csv", *LEVELS, "-o", "products.csv")
