"""``shoal init`` writes a problem file that runs as it is, and names columns, never values.

Covers: cli/init.py, jobs/find_layout.py, jobs/suggest_roles.py.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import InputError, OptionError, OutputError
from shoal.generators.shop import Shop
from shoal.io import read, write
from shoal.jobs import problem_file
from shoal.jobs.init import init
from tests.conftest import DATA, Shell

BASKETS = "".join(f"milk,bread{at % 3}\nbeer,milk\n" for at in range(10))
PATIENTS = "name,patient,age,income,region,diagnoses\n" + "".join(
    f"Nora {at},{at // 2},{20 + at % 7},{at % 5}000,{('south', 'north')[at % 2]},flu|{('cold', 'gout')[at % 2]}\n"
    for at in range(60)
)
TABLE = "age,origin\n" + "".join(f"{20 + at % 7},{'France' if at % 2 else 'Greece'}\n" for at in range(40))


def parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def test_sets_alone(shell: Shell) -> None:
    shell.write("in.basket", BASKETS)
    code, out, _ = shell("init", "in.basket")
    assert code == 0
    assert "shoal run problem.toml" in out
    problem = parsed((shell.folder / "problem.toml").read_text())
    assert problem["data"] == {"file": "in.basket", "format": "basket"}
    assert problem["model"] == {"name": "km", "k": 5, "m": 2}
    assert problem["algorithm"] == {"name": "auto"}
    assert problem["output"] == {"file": "in-public.basket", "reports": ["in-report.html"]}
    assert shell("run", "problem.toml")[0] == 0
    assert (shell.folder / "in-public.basket").exists()
    assert (shell.folder / "in-report.html").exists()


def test_sets_with_columns_and_persons(shell: Shell) -> None:
    shell.write("visits.csv", PATIENTS)
    assert shell("init", "visits.csv", "-o", "v.toml")[0] == 0
    text = (shell.folder / "v.toml").read_text()
    problem = parsed(text)
    assert problem["data"]["sets"] == "diagnoses"
    assert problem["data"]["item_delimiter"] == "|"
    assert problem["data"]["person"] == "patient"
    assert "60 records of 30 patients" in text
    assert problem["columns"] == {
        "name": "identifier",
        **dict.fromkeys(("age", "income", "region"), "quasi-identifier"),
    }
    assert "may be sensitive" in next(line for line in text.splitlines() if line.startswith("income"))
    assert problem["model"]["name"] == "k-km"
    assert not any(value in text for value in ("Nora", "north", "flu", "gout", "4000"))
    code, _, err = shell("run", "v.toml")
    assert code == 0, err


def test_common_categories_are_named_if_asked_for(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(PATIENTS, encoding="utf-8")
    assert "such as south, north" in init(tmp_path / "visits.csv", examples=True)


def test_a_table_without_sets(shell: Shell) -> None:
    shell.write("people.csv", TABLE)
    assert shell("init", "people.csv")[0] == 0
    problem = parsed((shell.folder / "problem.toml").read_text())
    assert problem["data"]["no_sets"] is True
    assert problem["model"] == {"name": "k", "k": 5}
    assert "items" not in problem
    assert shell("run", "problem.toml")[0] == 0


def test_order_lines(shell: Shell) -> None:
    orders = Shop(customers=20, products=30, mean_orders=4.0).tables()["orders"]
    write(read(orders, no_sets=True), shell.folder / "orders.csv")
    assert shell("init", "orders.csv")[0] == 0
    problem = parsed((shell.folder / "problem.toml").read_text())
    found = {name: problem["data"][name] for name in ("id_column", "item_column", "person")}
    assert found == {"id_column": "order_id", "item_column": "product_id", "person": "customer_id"}
    assert problem["columns"]["store_id"] == "identifier"
    code, _, err = shell("run", "problem.toml")
    assert code == 0, err


def test_several_columns_of_lists(tmp_path: Path) -> None:
    table = pa.table({"drugs": [["a"], ["b"]] * 3, "ills": [["x", "y"], ["x"]] * 3})
    pq.write_table(table, tmp_path / "in.parquet")
    assert parsed(init(tmp_path / "in.parquet"))["data"]["sets"] == ["drugs", "ills"]


def test_what_is_said_stays(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,p q\n2,p\n1,q\n", encoding="utf-8")
    found = parsed(init(tmp_path / "x.csv", sets="b", item_delimiter=" "))["data"]
    assert (found["sets"], found["item_delimiter"]) == ("b", " ")
    with pytest.raises(InputError, match="has no column 'c'"):
        init(tmp_path / "x.csv", sets="c")


def test_names_of_columns_are_quoted(tmp_path: Path) -> None:
    names = ["a b", 'say "x"', "tab\there", "ümlaut"]
    rows = "".join(f"{at % 3},{at % 4},{at % 5},{at % 2}\n" for at in range(30))
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    (tmp_path / "x.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    init(tmp_path / "x.csv", tmp_path / "p.toml", header=True)
    assert list(parsed((tmp_path / "p.toml").read_text(encoding="utf-8"))["columns"]) == names
    problem_file.load(tmp_path / "p.toml").run()


def test_it_overwrites_nothing(shell: Shell) -> None:
    shell.write("in.basket", BASKETS)
    shell.write("problem.toml", "mine")
    said = shell.fails("init", "in.basket")
    assert "problem.toml exists already: name another file (--output), or remove it first." in said
    assert (shell.folder / "problem.toml").read_text() == "mine"
    assert "[model]" in shell("init", "in.basket", "-o", "-")[1]
    with pytest.raises(OutputError, match="path="):
        init(shell.folder / "in.basket", shell.folder / "problem.toml")


def test_what_cannot_be_described(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        init(tmp_path / "none.csv")
    with pytest.raises(OptionError, match="must be the name of a file, got list"):
        init([["a"]])  # type: ignore[arg-type]
    (tmp_path / "ids.csv").write_text("email\n" + "".join(f"p{at}@x\n" for at in range(30)), encoding="utf-8")
    with pytest.raises(OptionError, match="nothing to publish"):
        init(tmp_path / "ids.csv", no_sets=True, header=True)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data at {DATA}: set SHOAL_DATA")
def test_real_data() -> None:
    problem = parsed(init(DATA / "informs-2005" / "records.csv"))
    assert problem["data"]["sets"] == "items"
    assert problem["columns"]["id"] == "identifier"
    assert problem["model"]["name"] == "k-km"
