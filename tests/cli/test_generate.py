"""``shoal generate shop``: three files in a folder, all of them or none. The other generators: test_anonymize.py."""

from __future__ import annotations

import pytest

from shoal import hierarchies, io
from shoal.generators.shop import Shop
from tests.conftest import Shell

FEW = ("--customers", "12", "--products", "40")
NAMES = ("orders", "products", "customers")


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet", "feather"])
def test_the_three_tables_are_written_in_every_format(shell: Shell, format: str) -> None:
    code, out, _ = shell("generate", "shop", "-o", "shop", *FEW, "--format", format)
    assert code == 0
    tables = Shop(customers=12, products=40).tables()
    assert {path.name for path in (shell.folder / "shop").iterdir()} == {f"{name}.{format}" for name in NAMES}
    for name in NAMES:
        table = io.read(f"shop/{name}.{format}", format=format, no_sets=True).table
        assert table is not None
        assert list(table.names) == tables[name].column_names
        assert table.arrow.num_rows == tables[name].num_rows
        assert f"{tables[name].num_rows:,} " in out
    products = io.read(f"shop/products.{format}", format=format, no_sets=True).table
    assert products is not None
    assert products.arrow["product_id"].to_pylist() == tables["products"]["product_id"].to_pylist()


def test_equal_seeds_give_equal_files_and_replace_old_ones(shell: Shell) -> None:
    for folder, seed in (("a", "1"), ("b", "2"), ("b", "1")):
        assert shell("generate", "shop", "-o", folder, *FEW, "--seed", seed)[0] == 0
    for name in NAMES:
        assert (shell.folder / f"a/{name}.csv").read_bytes() == (shell.folder / f"b/{name}.csv").read_bytes()


def test_nothing_is_written_where_something_is_in_the_way(shell: Shell) -> None:
    (shell.folder / "file").write_text("")
    assert "file is a file: name a folder" in shell.fails("generate", "shop", "-o", "file", *FEW)
    assert "the folder no does not exist" in shell.fails("generate", "shop", "-o", "no/shop", *FEW)
    assert "cannot be made: File name too long" in shell.fails("generate", "shop", "-o", "x" * 300, *FEW)
    (shell.folder / "shop" / "customers.csv").mkdir(parents=True)
    assert "customers.csv is a folder" in shell.fails("generate", "shop", "-o", "shop", *FEW)
    assert [path.name for path in (shell.folder / "shop").iterdir()] == ["customers.csv"]


def test_a_new_folder_goes_away_if_writing_fails(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(io, "write", full)
    shell.fails("generate", "shop", "-o", "shop", *FEW)
    assert not (shell.folder / "shop").exists()


def test_supermarket_baskets_and_their_products(shell: Shell) -> None:
    code, out, _ = shell("generate", "supermarket", "-o", "b.basket", "--rows", "50", "--hierarchy", "products.csv")
    assert (code, out) == (0, "50 baskets of 330 products: b.basket\n")
    assert len(io.read("b.basket")) == 50
    assert hierarchies.load("products.csv").n_leaves == 330
    assert shell("generate", "supermarket", "-o", "c.basket", "--rows", "50", "--seed", "0")[0] == 0
    assert (shell.folder / "b.basket").read_bytes() == (shell.folder / "c.basket").read_bytes()
