"""All pages of the workbench in a real browser: for everybody, on every screen."""

from __future__ import annotations

from typing import Any

from tests.web.client import Client
from tests.web.looks import complaints, violations
from tests.web.test_data_step import PATIENTS
from tests.web.test_runs_step import finished

PAGES = (
    "/",
    "/data",
    "/risk",
    "/hierarchy",
    "/hierarchy?at=4",
    "/promise",
    "/runs",
    "/result",
    "/result/records",
    "/result/groups",
    "/result/codebook",
    "/result/compare",
    "/take-away",
    "/take-away?checked=1",
    "/no-such-page",
)


def test_everybody_can_use_each_page(client: Client, tab: Any) -> None:
    base = finished(client)
    found = {page: complaints(tab, f"{client.origin}{base if page != '/' else ''}{page}") for page in PAGES}
    assert {page: one for page, one in found.items() if one} == {}


def test_everybody_can_use_the_choice_of_sensitive_items(client: Client, tab: Any) -> None:
    base = client.project("for all.csv", PATIENTS)
    assert complaints(tab, f"{client.origin}{base}/data") == []
    client.post(f"{base}/promise/model", model="k-lm")
    assert complaints(tab, f"{client.origin}{base}/promise") == []


def test_the_rules_see_what_is_wrong(tab: Any) -> None:
    tab.evaluate("() => { document.querySelector('main').innerHTML = '<input><button></button>' }")
    assert any(one.startswith("label") for one in violations(tab))
