"""Step 1 of the workbench: what a file holds, and what its columns are.

Covers: web/pages/data.py, web/tasks/data.py, web/words.py
"""

from __future__ import annotations

from typing import Any

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
