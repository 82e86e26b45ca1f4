"""Step 2 of the workbench: how many people could be found, in a sentence, charts and examples.

Covers: web/pages/risk.py, web/tasks/risk.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal.risk import PRESETS
from shoal.web.page import templates
from shoal.web.pages.risk import sentence, words
from shoal.web.tasks import risk
from shoal.web.worker import Session
from tests.web.client import Client

EVIL = "<img src=x onerror=alert(1)>"
PATIENTS = b"id,age,codes\n1,30,a b\n2,30,a c\n3,32,b c\n4,33,a b\n"
VISITS = b"household_id,basket_id,product_id\n1,1,tea\n1,1,ale\n1,2,tea\n2,3,tea\n2,3,rye\n2,4,rye\n3,5,tea\n3,6,rye\n"


@pytest.fixture
def baskets(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "baskets.basket"
    path.write_text("milk,tea\nmilk,tea\nmilk,ale\nmilk,rye\n")
    return {"file": str(path)}


def test_figures_are_those_of_the_profile(baskets: dict[str, Any]) -> None:
    result = risk.overview(Session(), baskets, [])
    assert [(one["items"], one["unique"], one["few"]) for one in result["rows"]] == [
        (1, 0.5, 1.0),  # ale, rye
        (2, 0.5, 1.0),
        (3, 0.5, 1.0),
    ]
    assert "knows the right 2 items of a record can pick out 50 % of the 4 records" in sentence(result)


def test_columns_alone_and_with_items(tmp_path: Path) -> None:
    path = tmp_path / "patients.csv"
    path.write_bytes(PATIENTS)
    result = risk.overview(Session(), {"file": str(path), "sets": "codes", "item_delimiter": " "}, ["age"])
    shares = {(one["columns"], one["items"]): one["unique"] for one in result["rows"]}
    assert shares[False, 2] == 0.5  # a c and b c, but not a b
    assert shares[True, 0] == 0.5  # ages 32 and 33
    assert shares[True, 1] == 1.0


def test_a_table_without_sets(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,zip\n30,1\n30,1\n31,2\n")
    data = {"file": str(path), "no_sets": True}
    result = risk.overview(Session(), data, ["age", "zip"])
    assert [(one["items"], one["columns"]) for one in result["rows"]] == [(0, True)]
    assert "knows the quasi-identifying columns of a record can pick out 33.3 % of the 3 records" in sentence(result)
    assert len(risk.details(Session(), data, ["age"], ["ema"])["rows"]) == 1
    assert "1 record has age=31" in risk.examples(Session(), data, ["age"])["groups"][0]["texts"][0]
    assert "nothing in these data" in sentence(risk.overview(Session(), data, []))


def test_persons_are_found_if_one_of_their_records_is(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_bytes(VISITS)
    data = {"file": str(path), "id_column": "basket_id", "item_column": "product_id", "person": "household_id"}
    result = risk.overview(Session(), data, [])
    assert result["persons"] == {"count": 3, "noun": "household", "nouns": "households"}
    by_two = result["rows"][1]
    assert by_two["persons"]["unique"] == pytest.approx(2 / 3)  # tea and ale, tea and rye in one basket
    assert by_two["unique"] == pytest.approx(2 / 6)
    assert "can find 66.7 % of the 3 households" in sentence(result)


def test_examples_of_two_items_leave_out_what_one_item_finds(tmp_path: Path) -> None:
    path = tmp_path / "pairs.basket"
    path.write_text("a,b\nb,c\nc,a\nx,a\n")
    groups = risk.examples(Session(), {"file": str(path)}, [])["groups"]
    assert [one["what"] for one in groups] == ["1 known item", "2 known items"]
    assert groups[0]["texts"] == ["{x} is in 1 record"]
    assert sorted(groups[1]["texts"])[0] == "{a, b} is in 1 record"


def test_the_figures_of_assessors(baskets: dict[str, Any]) -> None:
    result = risk.details(Session(), baskets, [], ["ema", "cell-size-3"])
    first = result["rows"][0]
    assert first["smallest"]["value"] == 1
    assert [one["value"] for one in first["above"]] == [1.0, 1.0]
    assert [one["crowd"] for one in result["thresholds"]] == [11, 3]


def test_estimates_are_shown_with_their_range(baskets: dict[str, Any]) -> None:
    result = risk.details(Session(), baskets, [], ["ema"])
    exact = templates().get_template("risk_details.html")
    context = {"words": words, "limit": PRESETS["ema"]}
    assert "95 %" not in exact.render(result=result, **context)
    result["rows"][0]["random"] = {"value": 0.25, "low": 0.2, "high": 0.3, "exact": False}
    shown = exact.render(result={**result, "draws": 20_000}, **context)
    assert "(20 % to 30 %)" in shown
    assert "up to 20,000 draws; the true figure is in the range with 95 % certainty" in shown


def test_examples_come_by_post_only(client: Client) -> None:
    base = client.project("evil.basket", f"{EVIL},tea\ntea,rye\ntea,rye\n".encode())
    assert client.get(f"{base}/risk/examples").status == 405
    page = client.get(f"{base}/risk")
    assert page.status == 200
    assert "onerror" not in page.text
    shown = client.post(f"{base}/risk/examples").text
    assert "&lt;img src=x onerror=alert(1)&gt;} is in 1 record" in shown
    assert EVIL not in shown


def test_an_unknown_threshold_is_refused(client: Client) -> None:
    base = client.project("limits.basket", b"a,b\na,b\n")
    assert client.get(f"{base}/risk/details?threshold=none").status == 400
    assert "at least 3 in its crowd" in client.settled(f"{base}/risk/details?threshold=cell-size-3").text


def test_a_browser_shows_charts_and_examples_on_request(client: Client, tab: Any) -> None:
    base = client.project("risk browser.csv", PATIENTS)
    tab.goto(f"{client.origin}{base}/risk")
    tab.get_by_text("can pick out 50 % of the 4 records").wait_for()
    tab.get_by_text("Show examples from the data").click()
    tab.get_by_role("button", name="Show examples").click()
    tab.get_by_text("1 record has age=32").wait_for()
    assert tab.url.endswith("/risk")
