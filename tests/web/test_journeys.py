"""The whole way through the workbench in a real browser, from a file to what is taken away.

With ``SHOAL_PICTURES=docs/images/workbench``, the first journey also takes the pictures of the documentation.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow.csv as pacsv

import shoal
from tests.web.client import Client
from tests.web.conftest import serving
from tests.web.looks import settle, violations

PICTURES = os.environ.get("SHOAL_PICTURES")
TREE = b"tea;drinks;*\nbeer;drinks;*\nrice;food;*\n"
BAD = {  # a file, and what the page says about it
    "binary.csv": (bytes(range(256)), "expected text, got binary data"),
    "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(50), "expected text, got binary data"),
    "sheet.xlsx": (b"PK\x03\x04" + bytes(50), "is an Excel file or another archive: save the table as CSV"),
    "empty.csv": (b"", "'empty.csv' is empty: choose a file with data"),
    "header.csv": (b"id,items\n", "holds no records: there is nothing after the header"),
    "latin.csv": ("id,items\n1,crème thé\n".encode("latin-1"), "line 2: not UTF-8 text (byte 0xe8)"),
    "ragged.csv": (b"a,b,c\n1,2,3\n4,5\n", "line 3: expected 3 fields as in the header, got 2"),
    "large.csv": (b"a,b\n" * 30_000, "'large.csv' is larger than 100 kB, the limit of uploads"),
    "~.csv": (b"a,b\n1,2\n", "'~.csv' cannot be the name of a file here"),
}


def picture(tab: Any, name: str, top: Any = None) -> None:
    """Take a picture for the documentation, if one is wanted, from the top of the page or of a part."""
    if PICTURES:
        settle(tab)
        (top or tab.locator("body")).first.evaluate(
            "part => window.scrollTo(0, part.getBoundingClientRect().top + scrollY - 16)"
        )
        tab.screenshot(path=Path(PICTURES) / f"{name}.png", caret="initial")


def begin(tab: Any, client: Client, path: Path) -> str:
    """Choose a file on the first page, and return the address of its project."""
    tab.goto(f"{client.origin}/")
    tab.get_by_label("Drop a file here").set_input_files(path)
    tab.wait_for_url("**/data")
    settle(tab)
    return str(tab.url.removesuffix("/data"))


def go_on(tab: Any, step: str) -> None:
    """Follow the button at the end of a step."""
    tab.get_by_role("link", name="Next:").click()
    tab.wait_for_url(f"**/{step}**")
    settle(tab)


def drop_hierarchy(tab: Any, path: Path) -> None:
    """Upload a hierarchy in its step."""
    with tab.expect_navigation():
        tab.get_by_label("Or drop a file here").set_input_files(path)
    settle(tab)


def choose_point(tab: Any, name: str) -> None:
    """Draw the chart of costs, choose a point of it, and take its picture."""
    tab.get_by_role("button", name="Draw the chart").first.click()
    point = tab.get_by_role("button", name=name).first
    point.wait_for(timeout=60_000)
    with tab.expect_response("**/promise/point*"):
        point.click()
    tab.get_by_text("This will be promised").wait_for()
    picture(tab, "promise", tab.get_by_role("heading", name="How strong the promise is"))


def run(tab: Any) -> None:
    """Start a run, wait until it has ended, and open its result."""
    tab.get_by_role("button", name="Start the run").click()
    link = tab.get_by_role("link", name="See the result").first
    link.wait_for(timeout=60_000)
    settle(tab)
    link.click()
    tab.get_by_text("Verified:").wait_for()


def taken(tab: Any, name: str) -> bytes:
    """Download a file of the last step, and return its content."""
    with tab.expect_download() as found:
        tab.get_by_role("link", name=name, exact=True).first.click()
    return Path(found.value.path()).read_bytes()


def test_groceries_with_their_hierarchy(client: Client, tab: Any, real_data: Path, tmp_path: Path) -> None:
    tree = tmp_path / "product groups.csv"
    tree.write_bytes((real_data / "groceries" / "hierarchy.csv").read_bytes())
    base = begin(tab, client, real_data / "groceries" / "transactions.basket")
    tab.get_by_text("9,835").first.wait_for()
    picture(tab, "data")
    go_on(tab, "risk")
    tab.get_by_text("can pick out").wait_for()
    picture(tab, "risk")
    go_on(tab, "hierarchy")
    drop_hierarchy(tab, tree)
    tab.locator(".tree summary").nth(1).click()
    settle(tab)
    picture(tab, "hierarchy", tab.locator(".figures"))
    go_on(tab, "promise")
    if PICTURES:  # half a minute of search; other tests draw the chart of smaller data
        choose_point(tab, "k = 5, m = 2")
    for name, value, promise in (("k", "10", "at least 10 records that fit"), ("m", "1", "knows 1 item of a record")):
        tab.get_by_label(name, exact=True).fill(value)
        tab.get_by_label(name, exact=True).press("Enter")
        tab.get_by_text(promise).first.wait_for()
    go_on(tab, "runs")
    picture(tab, "run")
    run(tab)
    picture(tab, "result")
    tab.get_by_role("link", name="Records before and after", exact=True).click()
    settle(tab)
    tab.get_by_role("link", name="Take away").click()
    settle(tab)
    picture(tab, "take-away")
    run_folder = client.workspace / base.partition("/projects/")[2].join(["projects/", "/runs/0001"])
    assert taken(tab, "release.basket") == (run_folder / "release.basket").read_bytes()
    assert shoal.verify(run_folder / "release.basket", k=10, m=1).holds


def test_order_lines_with_a_product_table(client: Client, tab: Any, tmp_path: Path) -> None:
    for name, table in shoal.generate("shop", customers=60).items():
        pacsv.write_csv(table, tmp_path / f"{name}.csv")
    begin(tab, client, tmp_path / "orders.csv")
    assert tab.get_by_label("Role of order_id").input_value() == "record"
    assert tab.get_by_label("Role of product_id").input_value() == "set"
    assert tab.get_by_label("Role of customer_id").input_value() == "person"
    go_on(tab, "risk")
    go_on(tab, "hierarchy")
    drop_hierarchy(tab, tmp_path / "products.csv")
    with tab.expect_navigation():
        tab.get_by_role("button", name="Make the hierarchy").click()
    tab.get_by_role("heading", name="Tree").wait_for()
    go_on(tab, "promise")
    go_on(tab, "runs")
    run(tab)


def test_patients_with_their_diagnoses(client: Client, tab: Any, tmp_path: Path) -> None:
    path = tmp_path / "patients with diagnoses.csv"
    rows = [f"P{at},{20 + at % 7},{'mf'[at % 2]},{'ABC'[at % 3]}1 {'DEF'[at % 4 % 3]}{at % 2}" for at in range(80)]
    path.write_text("\n".join(["patient,age,sex,diagnoses", *rows]) + "\n")
    begin(tab, client, path)
    tab.get_by_label("Role of age").select_option("plain")
    tab.get_by_text("age is plain").wait_for()
    tab.get_by_label("Role of age").select_option("quasi-identifier")
    for step in ("risk", "hierarchy", "promise", "runs"):
        go_on(tab, step)
    run(tab)


def test_bad_files_are_explained_and_harm_nothing(chromium: Any, tmp_path: Path) -> None:
    with serving(tmp_path / "workspace", "--max-upload", "100kB") as (client, _):
        tab = chromium.new_page(viewport={"width": 1280, "height": 800})
        crashes: list[str] = []
        tab.on("pageerror", lambda error: crashes.append(str(error)))
        tab.goto(client.link)
        for name, (content, message) in BAD.items():
            tab.goto(f"{client.origin}/")
            tab.get_by_label("Drop a file here").set_input_files([{"name": name, "mimeType": "", "buffer": content}])
            tab.get_by_text(message).wait_for()
            assert "Traceback" not in tab.content()
        assert violations(tab) == []
        base = client.project("drinks.basket", b"tea,rice\nbeer,gin\n" * 3)
        tab.goto(f"{client.origin}{base}/hierarchy")
        for name, content, message in (
            ("binary tree.csv", bytes(range(256)), "expected text, got binary data"),
            ("two parents.csv", TREE + b"tea;food;*\n", "Item 'tea' occurs twice (line 1 and line 4)"),
            ("missing.csv", TREE, "1 label of your data has no place"),
        ):
            tab.goto(f"{client.origin}{base}/hierarchy")
            (tmp_path / name).write_bytes(content)
            drop_hierarchy(tab, tmp_path / name)
            tab.locator("main").get_by_text(message).first.wait_for()
        tab.context.close()
        assert crashes == []
        inputs = {one.name for one in (client.workspace / "inputs").iterdir()}
        assert not inputs & {"empty.csv", "large.csv", "~.csv"}
