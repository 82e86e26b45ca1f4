"""The choices of a project: roles of columns, and what is found in a file.

Covers: web/draft.py.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from shoal.errors import ShoalError
from shoal.web.draft import ROLES, TABLES, Draft
from shoal.web.tasks.data import inspect
from shoal.web.worker import Session
from shoal.web.workspace import Workspace

COLUMNS = ("id", "age", "codes")


def wide() -> Draft:
    """Return the draft of a file with a column of sets."""
    draft = Draft.of_file("inputs/a.csv")
    draft.read(
        {
            "options": {"sets": "codes", "item_delimiter": " "},
            "columns": [
                {"name": "id", "role": "identifier", "type": ""},
                {"name": "age", "role": "quasi-identifier", "type": "number"},
            ],
            "model": {"name": "k-km", "k": 5},
            "records": 4,
        },
        [],
    )
    return draft


def test_what_is_found_becomes_the_first_choice() -> None:
    draft = wide()
    assert [draft.role(name) for name in COLUMNS] == ["identifier", "quasi-identifier", "set"]
    assert draft.tables["model"] == {"name": "k-km", "k": 5}
    assert "options" not in draft.found


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_has_the_role_that_it_was_given(column: str, role: str) -> None:
    draft = wide()
    draft.give_role(column, role)
    assert draft.role(column) == role


@pytest.mark.parametrize("column", COLUMNS)
def test_a_role_can_be_changed_again_and_again(column: str) -> None:
    for first, second in permutations(ROLES, 2):
        draft = wide()
        draft.give_role(column, first)
        draft.give_role(column, second)
        assert draft.role(column) == second, (first, second)
        others = [name for name in COLUMNS if name != column]
        dropped = [name for name in others if draft.role(name) == "drop"]
        assert not dropped, (first, second)


def test_columns_that_are_left_out_come_back() -> None:
    draft = wide()
    draft.give_role("age", "drop")
    assert draft.tables["output"]["columns"] == ["id"]
    draft.give_role("id", "drop")
    draft.give_role("age", "plain")
    draft.give_role("id", "plain")
    assert "columns" not in draft.tables["output"]
    assert draft.tables["columns"]["age"] == {"role": "plain", "type": "number"}


def test_rows_become_records_and_back() -> None:
    draft = Draft.of_file("inputs/a.csv")
    draft.give_role("product", "set")
    draft.give_role("order", "record")
    assert draft.data == {"file": "inputs/a.csv", "item_column": "product", "id_column": "order"}
    draft.give_role("store", "record")
    assert draft.data["id_column"] == ["order", "store"]
    draft.give_role("order", "plain")
    assert draft.data["id_column"] == "store"
    draft.give_role("product", "plain")
    assert "item_column" not in draft.data
    draft.give_role("customer", "person")
    assert draft.data["person"] == "customer"


def test_several_columns_of_sets() -> None:
    draft = wide()
    draft.give_role("id", "set")
    assert draft.data["sets"] == ["codes", "id"]
    draft.give_role("codes", "plain")
    assert draft.data["sets"] == "id"
    assert draft.found == {}


def test_the_promise_is_to_persons_if_there_are_some() -> None:
    draft = Draft(
        {"data": {"file": "a.basket"}, "model": {"name": "km", "k": 5, "m": 2}, "output": {"file": "b.basket"}}
    )
    assert "at least 5 records" in draft.promise(draft.job())
    draft.found = {"persons": {"count": 9, "noun": "household", "nouns": "households"}}
    assert "at least 5 households" in draft.promise(draft.job())


def test_what_was_decided_survives_a_second_reading() -> None:
    draft = wide()
    draft.give_role("age", "sensitive")
    draft.tables["model"]["k"] = 9
    again = [{"name": "age", "role": "plain", "type": ""}, {"name": "zip", "role": "quasi-identifier", "type": ""}]
    draft.read({"options": {"sets": "codes"}, "columns": again, "model": {"name": "km"}}, [])
    assert draft.tables["columns"] == {"age": {"role": "sensitive", "type": "number"}, "zip": "quasi-identifier"}
    assert draft.tables["model"] == {"name": "k-km", "k": 9}


def test_a_draft_is_kept_without_empty_tables(tmp_path: Path) -> None:
    project = Workspace.open(tmp_path).new_project("a")
    draft = wide()
    draft.save(project)
    loaded = Draft.load(project)
    assert (loaded.tables, loaded.found) == (draft.tables, draft.found)
    assert set(loaded.tables) == set(TABLES)
    assert set(project.load()["tables"]) == {"data", "columns", "model"}


def test_a_draft_describes_a_job() -> None:
    draft = wide()
    assert (draft.model.name, draft.job().data.file) == ("k-km", "inputs/a.csv")
    assert draft.tables["output"] == {}
    wrong: list[tuple[str, dict[str, Any]]] = [("model", {"name": "none"}), ("model", {"k": 0}), ("run", {"x": 1})]
    for table, values in wrong:
        broken = wide()
        broken.tables[table] = values
        with pytest.raises(ShoalError):
            broken.job()


@pytest.mark.parametrize("role", ["drop", "plain", "identifier"])
def test_a_column_that_is_no_set_stays_so_when_the_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("id,age,codes\n1,30,a b\n2,31,a c\n3,32,b c\n4,33,a b\n")
    draft = Draft.of_file("a.csv")
    draft.read(inspect(Session(), draft.data | {"sets": "codes", "item_delimiter": " "}), [])
    assert draft.role("codes") == "set"
    draft.give_role("codes", role)
    draft.read(inspect(Session(), draft.data), [])
    assert draft.role("codes") == role
    assert ("codes" in draft.tables["output"].get("columns", ["codes"])) == (role != "drop")
