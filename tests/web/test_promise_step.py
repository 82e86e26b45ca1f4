"""Step 4 of the workbench: promises, the chart of what they cost, sensitive items, and the job that they make.

Covers: web/pages/promise.py, web/pages/promise_view.py, web/pages/promise_costs.py, web/tasks/promise.py,
jobs/choose_model.py, jobs/run_options.py, evaluation/sweep.py.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal import discovery
from shoal.engines import Engine
from shoal.evaluation.sweep import sweep
from shoal.jobs.choose_model import advice, has, models
from shoal.jobs.job import Job
from shoal.jobs.run_options import RunOptions
from shoal.metrics.base import AdditiveLoss
from shoal.models.k import K
from shoal.models.km import Km
from shoal.problem import Problem
from shoal.web.draft import Draft
from shoal.web.pages.promise_costs import Choice, chart, drawn
from shoal.web.tasks import promise
from shoal.web.worker import Session
from shoal.web.workspace import Workspace
from tests.web.client import Client
from tests.web.looks import settle

EVIL = "<img src=x onerror=alert(1)>"
PATIENTS = "id,age,illness,codes\n" + "".join(
    f"{at},{30 + at % 4},{'flu' if at % 5 else 'HIV'},{'a b' if at % 2 else 'a c'}{' s' if at % 9 == 0 else ''}\n"
    for at in range(36)
)


def draft_of(client: Client, base: str) -> Draft:
    """Return the draft of a project as the workbench reads it."""
    return Draft.load(Workspace.open(client.workspace).project(base.rpartition("/")[2]))


def patients(client: Client, name: str) -> str:
    """Begin a project with columns and sets. ``id`` identifies, ``age`` may be known."""
    base = client.project(name, PATIENTS.encode())
    client.post(f"{base}/data/roles", column=["illness"], role=["plain"])
    client.settled(f"{base}/data/found")
    return base


@pytest.mark.parametrize("name", sorted(models()))
def test_every_model_becomes_a_job(client: Client, name: str) -> None:
    """A loop over all models: choose it, give it numbers and what it needs, and the draft is a job that runs."""
    model = models()[name]
    base = patients(client, f"{name} patients.csv")
    if not model.relational:
        assert client.post(f"{base}/promise/model", model=name).status == 400  # age would not be protected
        client.post(f"{base}/data/roles", column=["age"], role=["plain"])
    assert client.post(f"{base}/promise/model", model=name).status == 303
    numbers = {one.name: "2" if one.type is int else "0.5" for one in model.options() if one.type in (int, float)}
    assert client.post(f"{base}/promise/settings", of=name, **numbers).status == 303
    if has(model, "sensitive"):
        assert "Choose at least one sensitive item" in client.get(f"{base}/promise").text
        assert client.post(f"{base}/promise/labels", pick="s").status == 303
    assert client.post(f"{base}/promise/method", method="").status == 303
    assert client.post(f"{base}/promise/run", seed="7", max_loss="0.9", loss="lm").status == 303
    job = draft_of(client, base).job()
    assert isinstance(job, Job)
    assert {one: str(value) for one, value in job.model.values().items() if one in numbers} == numbers
    assert job.model.sensitive_labels == (("s",) if has(model, "sensitive") else ())
    assert (job.seed, job.loss, job.max_loss) == (7, "lm", 0.9)
    assert job.algorithm.name == model.default_algorithm
    page = client.settled(f"{base}/promise/state").text
    assert "This will be promised" in page
    assert "cannot be kept" not in page
    assert ("It does not protect the items" in page) == (not model.covers_sets)


def test_every_model_says_what_it_promises_in_plain_words() -> None:
    for model in models().values():
        assert model.promise.endswith(".")
        assert model.suits.endswith(".")
        assert not {"QID", "l-diversity", "k-anonymity"} & set(model.promise.split())


def test_the_losses_of_a_run_are_those_that_exist() -> None:
    loss = next(one for one in RunOptions.options() if one.name == "loss")
    assert set(loss.words) == set(discovery.find("shoal.metrics", AdditiveLoss))


def test_models_that_do_not_fit_say_why(client: Client) -> None:
    base = client.project("only baskets.basket", b"a,b\na,b\na,c\n")
    page = client.get(f"{base}/promise").text
    assert "it is about quasi-identifying columns, and no column is called one" in page
    refused = client.post(f"{base}/promise/model", model="k-km")
    assert refused.status == 400
    assert "does not fit these data" in refused.text
    assert draft_of(client, base).job().model.name == "km"


def test_persons_are_promised_to(client: Client) -> None:
    rows = "".join(f"{at // 2},{at},{item}\n" for at in range(24) for item in ("tea", "ale" if at % 2 else "rye"))
    base = client.project("persons.csv", f"household_id,basket_id,product_id\n{rows}".encode())
    page = client.get(f"{base}/promise").text
    assert "it counts records, not households" in page
    assert 'value="transactional-k"' not in page
    assert "at least 5 households with a record that fits" in client.settled(f"{base}/promise/state").text


def test_numbers_are_kept_when_another_model_is_chosen(client: Client) -> None:
    base = patients(client, "kept.csv")
    client.post(f"{base}/promise/settings", of="k-km", k="7", m="3")
    client.post(f"{base}/promise/method", method="tfirst")
    client.post(f"{base}/promise/model", model="k-lm")
    table = draft_of(client, base).tables
    assert (table["model"]["k"], table["model"]["m"]) == (7, 3)
    assert table["algorithm"]["name"] == "tfirst"
    client.post(f"{base}/promise/model", model="k")
    job = draft_of(client, base).job()
    assert job.model == K(k=7)
    assert job.algorithm.name == "cluster"  # tfirst does not solve it


def test_wrong_values_have_messages_and_nothing_is_lost(client: Client) -> None:
    base = client.project("wrong.basket", b"a,b\na,b\na,c\n")
    answer = client.post(f"{base}/promise/settings", of="km", k="1", m="3")
    assert answer.status == 400
    assert "k must be at least 2, got 1." in answer.text
    assert re.search(r'id="option-m" name="m" type="text" value="3"', answer.text)
    assert re.search(r'id="option-k" name="k" type="number" value="1"[^>]*aria-invalid="true"', answer.text)
    assert draft_of(client, base).tables["model"]["k"] == 5
    assert "max_loss must be at most 1" in client.post(f"{base}/promise/run", max_loss="3", seed="1").text
    assert draft_of(client, base).tables["run"] == {}
    wrong = client.post(f"{base}/promise/method", method="", time_limit="soon").text
    assert "time_limit must be a number" in wrong
    assert "soon" in wrong


def test_options_together_are_refused_at_a_field(client: Client) -> None:
    base = client.project("hkp.basket", b"a,b\na,b\na,c\n")
    client.post(f"{base}/promise/model", model="hkp")
    assert "needs h above 0" in client.post(f"{base}/promise/settings", of="hkp", h="0", k="2", p="1").text


def test_weak_and_hopeless_settings_are_said(client: Client) -> None:
    assert advice(Km(k=5, m=2)) == []
    base = client.project("weak.basket", b"a,b\na,b\na,c\n")
    client.post(f"{base}/promise/settings", of="km", k="2", m="1")
    state = client.settled(f"{base}/promise/state").text
    assert "k = 2 is weak" in state
    assert "m = 1 is weak" in state
    client.post(f"{base}/promise/settings", of="km", k="9", m="1")
    state = client.settled(f"{base}/promise/state").text
    assert "This promise cannot be kept" in state
    assert "needs at least 9 non-empty records, got 3" in state


def test_sensitive_items_are_found_picked_and_removed(client: Client) -> None:
    base = client.project("evil items.basket", f"{EVIL},tea\n{EVIL}x,rye\ntea,rye\ntea,ale\n".encode())
    client.post(f"{base}/promise/model", model="lm")
    found = client.post(f"{base}/promise/search", text="IMG src").text
    assert "&lt;img src=x onerror=alert(1)&gt;" in found
    assert EVIL not in found
    client.post(f"{base}/promise/labels", pick=EVIL)
    client.post(f"{base}/promise/labels", pick=f"{EVIL}x")
    page = client.get(f"{base}/promise").text
    assert EVIL not in page
    assert draft_of(client, base).job().model.sensitive_labels == (EVIL, f"{EVIL}x")
    client.post(f"{base}/promise/labels", remove=EVIL)
    assert draft_of(client, base).tables["model"]["sensitive"] == [f"{EVIL}x"]
    client.post(f"{base}/promise/labels", list="rye\r\n\n ale \nrye")
    assert draft_of(client, base).tables["model"]["sensitive"] == [f"{EVIL}x", "rye", "ale"]
    client.post(f"{base}/promise/labels", list="alle")
    assert "&#39;alle&#39; (did you mean &#39;ale&#39;?)" in client.settled(f"{base}/promise/state").text
    client.post(f"{base}/promise/labels", none="yes")
    assert "sensitive" not in draft_of(client, base).tables["model"]


def test_searches_find_groups_and_values_and_show_few(tmp_path: Path) -> None:
    data, tree = tmp_path / "visits.csv", tmp_path / "tree.csv"
    data.write_text("illness,items\n" + "".join(f"flu,i{at} drink\n" for at in range(120)))
    tree.write_text("".join(f"i{at};drinks and more;*\n" for at in range(120)) + "drink;other;*\n")
    tables = {
        "data": {"file": str(data), "sets": "items", "item_delimiter": " "},
        "items": {"hierarchy": str(tree)},
    }
    found = promise.search(Session(), tables, "DRINK", ["illness"], [], groups=True)
    assert [(one["label"], one["kind"], one["count"]) for one in found["results"]] == [
        ("drink", "item", 120),  # the very word first, then groups
        ("drinks and more", "group", 120),
    ]
    many = promise.search(Session(), tables, "i", ["illness"], ["i7"], groups=True)
    assert len(many["results"]) == promise.FOUND
    assert many["total"] == 119 + 3  # without i7; drink, its group, and illness=flu
    values = promise.search(Session(), tables, "flu", ["illness"], [], groups=True)["results"]
    assert values == [{"label": "illness=flu", "kind": "value", "count": 120}]


def test_a_sensitive_column_is_protected(client: Client) -> None:
    base = patients(client, "columns.csv")
    client.post(f"{base}/promise/model", model="k-lm")
    client.post(f"{base}/promise/settings", of="k-lm", k="2", l="2", m="1")
    client.post(f"{base}/promise/column", column="illness", sensitive="yes")
    job = draft_of(client, base).job()
    assert job.model.columns == ("illness",)
    found = client.post(f"{base}/promise/search", text="HIV").text
    assert 'value="illness=HIV"' in found
    client.post(f"{base}/promise/labels", pick="illness=HIV")
    assert "This will be promised" in client.settled(f"{base}/promise/state").text
    client.post(f"{base}/promise/column", column="illness", sensitive="")
    draft = draft_of(client, base)
    assert draft.tables["model"]["sensitive"] == []
    assert draft.role("illness") == "quasi-identifier"
    client.post(f"{base}/data/roles", column=["age", "illness"], role=["plain", "plain"])
    client.post(f"{base}/promise/model", model="lm")
    client.post(f"{base}/promise/column", column="illness", sensitive="yes")
    assert draft_of(client, base).job().model.columns == ("illness",)
    client.post(f"{base}/promise/column", column="illness", sensitive="")
    assert draft_of(client, base).role("illness") == "plain"  # lm protects no quasi-identifiers


def test_the_chart_of_small_data_is_drawn_at_once_and_a_point_can_be_chosen(client: Client) -> None:
    base = client.project("chart.basket", b"a1,b1,b2\na2,b1\na2,b1,b2\na1,a2,b2\n" * 9)
    page = ""
    until = time.monotonic() + 60
    while "foreignObject" not in page and time.monotonic() < until:
        page = client.get(f"{base}/promise/frontier").text
        time.sleep(0.1)
    assert 'value="k=10,m=2"' in page
    assert "From all 36 records" in page
    assert client.post(f"{base}/promise/point", point="k=10,m=2").status == 303
    assert draft_of(client, base).job().model == Km(k=10, m=2)
    again = client.get(f"{base}/promise").text  # the chart stays, with another point chosen
    assert re.search(r'value="k=10,m=2"[^>]*aria-pressed="true"', again)
    assert client.post(f"{base}/promise/point", point="k=1,m=2").status == 400
    assert client.post(f"{base}/promise/point", point="x=1").status == 400
    assert draft_of(client, base).job().model == Km(k=10, m=2)


def test_a_k_that_is_too_large_leaves_the_others_in_the_chart(tmp_path: Path) -> None:
    path = tmp_path / "few.basket"
    path.write_text("a,b\n" * 6)
    tables = {"data": {"file": str(path)}, "model": {"name": "km", "k": 5, "m": 2}}
    result = promise.frontier(Session(), tables, 0)
    made = {one["strength"]: one["failure"] for one in result["points"]}
    assert not made[5]
    assert "needs at least 10 non-empty records, got 6" in made[10]
    assert len(result["points"]) == 15


def test_a_hierarchy_that_changes_under_its_name_is_read_again(client: Client) -> None:
    base = client.project("trees.basket", b"a,b\na,b\na,c\na,c\n" * 3)
    tree = client.workspace / "inputs" / "letters.csv"
    tree.write_text("a;X;*\nb;X;*\nc;Y;*\n")
    project = Workspace.open(client.workspace).project(base.rpartition("/")[2])
    draft = Draft.load(project)
    draft.tables["items"] = {"hierarchy": "inputs/letters.csv"}
    draft.save(project)
    assert "cannot be kept" not in client.settled(f"{base}/promise/state").text
    tree.write_text("a;X;*\nb;X;*\n")
    assert "cannot be kept" in client.settled(f"{base}/promise/state").text


def test_the_chart_of_large_data_waits_for_a_button_and_can_be_cancelled(client: Client) -> None:
    rows = "".join(f"i{at % 97},j{at % 89},k{at % 83},l{at % 13}\n" for at in range(3000))
    base = client.project("larger.basket", rows.encode())
    assert "Draw the chart from all 3,000 records" in client.get(f"{base}/promise").text
    assert client.post(f"{base}/promise/draw", sample="17").status == 400
    assert client.post(f"{base}/promise/draw", sample="0").status == 303
    assert 'id="cancel-costs"' in client.get(f"{base}/promise/frontier").text
    client.post(f"{base}/promise/settings", of="km", k="4", m="2")  # it goes on meanwhile
    assert 'id="cancel-costs"' in client.get(f"{base}/promise").text
    client.post(f"{base}/promise/draw", cancel="yes")
    assert "Draw the chart from all 3,000 records" in client.get(f"{base}/promise").text


@pytest.mark.parametrize("pause", [0, 50, 300])
def test_what_is_typed_while_another_field_is_saved_is_kept(client: Client, tab: Any, pause: int) -> None:
    base = client.project(f"typed {pause}.basket", b"a1,b1,b2\na2,b1\na2,b1,b2\na1,a2,b2\n" * 9)
    tab.goto(f"{client.origin}{base}/promise")
    settle(tab)
    tab.get_by_label("k", exact=True).focus()
    tab.keyboard.press("Control+a")
    tab.keyboard.type("7")
    tab.keyboard.press("Tab")
    tab.wait_for_timeout(pause)
    tab.keyboard.type("3")
    tab.keyboard.press("Tab")
    tab.get_by_text("knows up to 3 items").first.wait_for()
    tab.get_by_text("at least 7 records").first.wait_for()
    settle(tab)
    assert draft_of(client, base).tables["model"] == {"name": "km", "k": 7, "m": 3}


def test_a_small_chart_that_was_cancelled_does_not_start_again(client: Client) -> None:
    rows = "".join(f"i{at % 37},j{at % 29},k{at % 23}\n" for at in range(1500))
    base = client.project("cancelled.basket", rows.encode())
    assert 'id="cancel-costs"' in client.get(f"{base}/promise/frontier").text
    client.post(f"{base}/promise/draw", cancel="yes")
    for _ in range(3):
        assert "Draw the chart from all 1,500 records" in client.get(f"{base}/promise/frontier").text
    client.post(f"{base}/promise/draw", sample="0")
    assert 'id="cancel-costs"' in client.get(f"{base}/promise/frontier").text
    client.post(f"{base}/promise/draw", cancel="yes")


def test_charts_from_samples_say_so_and_points_without_a_release_why(tmp_path: Path) -> None:
    path = tmp_path / "patients.csv"
    path.write_text(PATIENTS)
    tables = {
        "data": {"file": str(path), "sets": "codes", "item_delimiter": " "},
        "columns": {"id": "identifier", "age": "quasi-identifier", "illness": "plain"},
        "model": {"name": "k-lm", "k": 2, "l": 2, "m": 1, "sensitive": ["s"]},
    }
    result = promise.frontier(Session(), tables, 20)
    assert (result["sampled"], result["records"], result["rows"]) == (True, 20, 36)
    assert (result["strength"], result["knowledge"]) == ("k", "m")
    failed = [one for one in result["points"] if one["failure"]]
    assert {one["strength"] for one in failed} == {25}
    assert "got 20" in failed[0]["failure"]
    assert json.dumps(result, allow_nan=False)
    points = drawn(result, {}, "lost")["chart"]["points"]
    assert all(one["said"].endswith("estimated from a sample") for one in points)


@pytest.mark.parametrize("name", sorted(models()))
def test_every_model_has_a_chart(tmp_path: Path, name: str) -> None:
    path, model = tmp_path / "few.csv", models()[name]
    path.write_text(PATIENTS)
    tables: dict[str, Any] = {
        "data": {"file": str(path), "sets": "codes", "item_delimiter": " "},
        "columns": {"id": "identifier", "age": "quasi-identifier" if model.relational else "plain", "illness": "plain"},
        "model": {"name": name, **({"sensitive": ["s"]} if has(model, "sensitive") else {})},
    }
    result = promise.frontier(Session(), tables, 0)
    assert any(not one["failure"] for one in result["points"])
    assert drawn(result, tables["model"], "unchanged")["chart"]["points"]


def test_a_sweep_ends_in_time() -> None:
    problem = Problem(shoal.read([["a", "b"]] * 4), shoal.Hierarchy.flat(["a", "b"]), Km(k=2, m=1))
    points = list(sweep(problem, [2, 3], [1], Engine(), within=-1))
    assert [(one.strength, one.loss) for one in points] == [(2, None), (3, None)]
    assert "not tried within" in points[0].failure
    assert [one.loss for one in sweep(problem, [2, 3], [1], Engine())] == [0, 0]


def test_points_lie_higher_the_more_is_lost() -> None:
    result = {"strength": "k", "knowledge": "m", "sampled": False}
    made = [
        Choice.of(
            {"strength": k, "knowledge": m, "loss": k * m / 100, "unchanged": 0.5, "proven": True, "worthless": False,
             "failure": ""},
            result,
            {"k": 5, "m": 1},
        )
        for m in (1, 2)
        for k in (2, 5)
    ]  # fmt: skip
    assert [one.chosen for one in made] == [False, True, False, False]
    drawn = chart(made, "lost")
    heights = [one["y"] for one in drawn["points"]]
    assert heights == sorted(heights, reverse=True) or heights[1] > heights[3]
    assert len(drawn["lines"]) == 2
    assert [one["text"] for one in drawn["ticks"]] == ["0 %", "2.5 %", "5 %", "7.5 %", "10 %"]


def test_an_estimate_is_made_on_demand(client: Client) -> None:
    base = client.project("estimate.basket", b"a,b\na,b\na,c\na,c\n" * 20)
    assert "A run takes about 1 second" in client.settled(f"{base}/promise/estimate").text


def test_a_browser_chooses_a_point_by_keyboard_and_keeps_its_place(client: Client, tab: Any) -> None:
    base = client.project("keyboard.basket", b"a1,b1,b2\na2,b1\na2,b1,b2\na1,a2,b2\n" * 9)
    tab.goto(f"{client.origin}{base}/promise")
    point = tab.get_by_role("button", name=re.compile(r"^Choose k = 3, m = 2: "))
    point.wait_for(timeout=60_000)
    point.focus()
    tab.keyboard.press("Enter")
    tab.get_by_text("up to 2 items of a record is left with at least 3 records").wait_for()
    assert "Choose k = 3, m = 2" in tab.evaluate("document.activeElement.getAttribute('aria-label')")
    tab.get_by_label("k", exact=True).fill("1")
    tab.get_by_label("k", exact=True).press("Tab")
    tab.get_by_text("k must be at least 2, got 1.").wait_for()
    tab.locator("#model-lm").click()
    tab.get_by_text("Choose at least one sensitive item").first.wait_for()
    tab.get_by_label("Search").press_sequentially("b1")
    tab.get_by_role("button", name="b1 27 records").click()
    tab.get_by_role("button", name="Remove b1").wait_for()
