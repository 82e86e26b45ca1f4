"""All pages of the workbench in a real browser: for everybody, on every screen."""

from __future__ import annotations

from typing import Any

from tests.web.client import Client
from tests.web.looks import complaints, violations
from tests.web.test_data_step import PATIENTS


def test_everybody_can_use_the_first_pages(client: Client, tab: Any) -> None:
    base = client.project("for all.csv", PATIENTS)
    assert complaints(tab, f"{client.origin}/") == []
    assert complaints(tab, f"{client.origin}{base}/data") == []


def test_the_rules_see_what_is_wrong(tab: Any) -> None:
    tab.evaluate("() => { document.querySelector('main').innerHTML = '<input><button></button>' }")
    assert any(one.startswith("label") for one in violations(tab))
