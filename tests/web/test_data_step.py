"""Step 1 of the workbench: what a file holds, and what its columns are.

Covers: web/pages/data.py, web/tasks/data.py, web/words.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal.web.tasks import data
from shoal.web.worker import Session
from tests.web.client import Client

PATIENTS = b"id,age,codes\n1,30,a b\n2,31,a c\n3,32,b c\n4,33,a b\n"


def test_columns_have_roles_that_can_be_changed(client: Client) -> None:
    base = client.project("patients.csv", PATIENTS)
    page = client.settled(f"{base}/data/found").text
    assert '<option value="quasi-identifier" selected>' in page
    assert client.post(f"{base}/data/roles", column="age", role="sensitive").status == 303
    assert '<option value="sensitive" selected>' in client.settled(f"{base}/data/found").text


def test_a_browser_shows_the_first_rows(client: Client, tab: Any) -> None:
    base = client.project("in a browser.csv", PATIENTS)
    tab.goto(f"{client.origin}{base}/data")
    tab.get_by_label("Role of age").wait_for()
    assert tab.get_by_label("Role of age").input_value() == "quasi-identifier"


def test_remarks_that_quote_data_are_shown_and_not_kept(client: Client) -> None:
    orders = b"order,product\n1,5978656\n1,2\n2,2\n2,5978656\n"
    base = client.project("orders of remarks.csv", orders)
    (client.workspace / "inputs" / "names.csv").write_bytes(b"product,name\n2,milk\n")
    assert client.post(f"{base}/data/join", file="inputs/names.csv", key="product").status == 303
    assert "5978656" in client.settled(f"{base}/data/found").text.partition("<table")[0]
    assert "5978656" not in (client.workspace / base[1:] / "project.json").read_text()


def test_a_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "patients.csv").write_bytes(PATIENTS)
    reads, find = [], data.find_layout
    monkeypatch.setattr(data, "find_layout", lambda *given: reads.append(given) or find(*given))
    session, file = Session(), str(tmp_path / "patients.csv")
    told = data.inspect(session, {"file": file})
    data.preview(session, {"file": file, **told["options"]})
    assert len(reads) == 1
    data.preview(session, {"file": file, **told["options"], "header": True})
    assert len(reads) == 2
