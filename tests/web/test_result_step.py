"""Step 6 of the workbench: what became of the data, and which run does better.

Covers web/pages/result.py, web/pages/compare.py, web/pages/files.py, web/tasks/result.py, web/tasks/sides.py and
web/tasks/told.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from shoal import io
from shoal.errors import DataError, InputError
from shoal.web.pages.compare import Row, known_by
from shoal.web.runs import Run
from shoal.web.tasks import result
from shoal.web.tasks.data import inspect
from shoal.web.tasks.run import run
from shoal.web.tasks.sides import Sides
from shoal.web.worker import Session
from shoal.web.workspace import Project, Workspace
from tests.web import probe
from tests.web.client import Client
from tests.web.test_runs_step import ended, finished, folder_of, project_with, small

LINES = "person,basket,item\n" + "".join(
    f"p{number % 5},b{number},{item}\n"
    for number, items in enumerate(
        ["milk tea", "rice", "milk rice", "tea beer", "milk tea", "rice", "tea rice", "milk", "beer rice", "tea"]
    )
    for item in items.split()
)
TREE = "milk;DRINKS;ALL\ntea;DRINKS;ALL\nbeer;DRINKS;ALL\nrice;FOOD;ALL\noats;FOOD;ALL\n"
GROUPS = {"DRINKS": {"milk", "tea", "beer"}, "FOOD": {"rice", "oats"}, "ALL": {"milk", "tea", "beer", "rice", "oats"}}
EVIL = "<img src=x onerror=alert(1)>"


def released(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str, **tables: dict[str, Any]
) -> tuple[Session, dict[str, Any], dict[str, Any]]:
    """A run in a folder, as a worker carries it out: its session, tables and figures."""
    monkeypatch.chdir(folder)
    (folder / name).write_text(content)
    (folder / "tree.csv").write_text(TREE)
    (folder / "run").mkdir()
    session = Session()
    data = inspect(session, {"file": name, **tables.pop("data", {})})["options"]
    output = {"file": f"run/release.{name.rpartition('.')[2]}", "reports": ["run/report.json"], "codebook": True}
    model = tables.get("model", {"name": "km", "k": 2, "m": 2})
    given = {"data": {"file": name, **data}, "items": {"hierarchy": "tree.csv"}, **tables, "model": model}
    told = run(session, {**given, "output": {**output, **tables.get("output", {})}}, "run")
    return session, given, told


def side_by_side(
    session: Session, tables: dict[str, Any], told: dict[str, Any], release: str, **asked: Any
) -> dict[str, Any]:
    """Records of the run before and after."""
    figures = told["figures"]
    return result.records(
        session, tables["data"], figures["input"], "run", f"run/{release}", figures["reading"], **asked
    )


def test_records_of_persons_are_matched_although_the_release_is_sorted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = {"id_column": "basket", "item_column": "item", "person": "person"}
    session, tables, told = released(tmp_path, monkeypatch, "lines.csv", LINES, data=reading)
    shown = side_by_side(session, tables, told, "release.csv")
    assert shown["reordered"]
    assert sorted(one["place"] for one in shown["records"]) == list(range(1, 11))
    assert [one["place"] for one in shown["records"]] != list(range(1, 11))
    for one in shown["records"]:
        before = {item["label"] for item in one["before"]["items"]}
        after = [GROUPS.get(item["label"], {item["label"]}) for item in one["after"]["items"]]
        assert before <= set().union(*after)
        assert all(group & before for group in after)
        assert one["changed"] == any(item["changed"] for item in one["before"]["items"] + one["after"]["items"])
    assert shown["changed"] == sum(one["changed"] for one in shown["records"])


def test_records_are_searched_before_and_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "age,codes\n" + "".join(f"{30 + at % 4},{'milk' if at % 3 else 'rice oats'}\n" for at in range(60))
    columns = {"age": "quasi-identifier"}
    model = {"name": "k-km", "k": 20, "m": 1}
    session, tables, told = released(tmp_path, monkeypatch, "a.csv", rows, columns=columns, model=model)
    shown = side_by_side(session, tables, told, "release.csv")
    assert (shown["all"], len(shown["records"]), shown["pages"]) == (60, 25, 3)
    assert side_by_side(session, tables, told, "release.csv", page=9)["page"] == 3
    oats = side_by_side(session, tables, told, "release.csv", find="OATS", where="before")
    assert oats["fitting"] == 20
    assert [item["label"] for item in oats["records"][0]["before"]["items"] if item["found"]] == ["oats"]
    assert side_by_side(session, tables, told, "release.csv", find="31", where="before")["fitting"] == 15
    changed = side_by_side(session, tables, told, "release.csv", changed=True)
    assert changed["fitting"] == changed["changed"] > 0
    cell = changed["records"][0]["columns"][0]
    assert cell["name"] == "age"
    assert cell["changed"] == (cell["before"] != cell["after"])
    assert side_by_side(session, tables, told, "release.csv", find="no such thing")["records"] == []


def test_removed_items_and_emptied_records_are_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "milk,tea\nmilk,tea\nmilk\nbeer\ntea\nmilk,tea\n"
    algorithm = {"name": "mhghs"}
    session, tables, told = released(tmp_path, monkeypatch, "a.basket", lines, algorithm=algorithm)
    shown = side_by_side(session, tables, told, "release.basket")
    assert len(shown["records"]) == 6
    assert [one["emptied"] for one in shown["records"]] == [False, False, False, True, False, False]
    removed = [one for one in result.groups(session, "run")["groups"] if one["removed"]]
    assert [(one["label"], one["before"], one["after"], one["lost"]) for one in removed] == [("beer", 1, 0, 1.0)]


def test_an_input_that_has_changed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="run again"):
        Sides.of(io.read([["a"]]), io.read([["a"], ["b"]]), None)
    lines = "milk,tea\nmilk,tea\nbeer,tea\n"
    session, tables, told = released(tmp_path, monkeypatch, "a.basket", lines)
    (tmp_path / "a.basket").write_text(lines.replace("beer", "rice"))  # as many records, and as long
    with pytest.raises(InputError, match="The input has changed since the run"):
        side_by_side(session, tables, told, "release.basket")


def test_a_joined_table_that_has_changed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "names.csv").write_text("id,item\n1,milk\n2,tea\n")
    reading = {"id_column": "order", "item_column": "item", "join": ["names.csv:id"]}
    session, tables, told = released(tmp_path, monkeypatch, "a.csv", "order,id\n1,1\n1,2\n2,1\n2,2\n", data=reading)
    assert side_by_side(session, tables, told, "release.csv")["all"] == 2
    (tmp_path / "names.csv").write_text("id,item\n1,rice\n2,tea\n")
    with pytest.raises(InputError, match="The input has changed since the run"):
        side_by_side(session, tables, told, "release.csv")


def test_groups_show_what_became_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "".join(f"{row}\n" for row in ["milk,tea", "milk,rice", "beer,oats", "tea", "milk", "rice"] * 2)
    model = {"name": "km", "k": 4, "m": 2}
    session, tables, told = released(tmp_path, monkeypatch, "a.basket", lines, model=model)
    shown = result.groups(session, "run")
    assert shown["groups"]
    assert sum(one["lost"] for one in shown["groups"]) == pytest.approx(1)
    weights = [one["weight"] for one in shown["groups"]]
    assert weights == sorted(weights, reverse=True)
    before = side_by_side(session, tables, told, "release.basket")["records"]
    for one in shown["groups"]:
        for item, records, _ in one["items"]:
            assert records == sum(any(own["label"] == item for own in row["before"]["items"]) for row in before)
        assert one["after"] == sum(any(own["label"] == one["label"] for own in row["after"]["items"]) for row in before)
        assert one["why"]
    assert result.groups(session, "run", find="no such")["fitting"] == 0
    name = shown["groups"][0]["items"][0][0]
    assert result.groups(session, "run", find=name.upper())["groups"][0]["items"][0] == [
        name,
        shown["groups"][0]["items"][0][1],
        True,
    ]
    book = result.codebook(session, "run/release.codebook.csv", find=name)
    assert name in book["labels"][0]["items"]


def test_runs_are_compared_by_figures_that_they_have(project: Project) -> None:
    def run(number: int, average: list[float], measure: str) -> Run:
        risk = {"before": {"average": average}, "after": {"average": average}}
        figures = {**probe.FIGURES, "risk": risk, "usefulness": None, "loss": {"value": 0.1, "measure": measure}}
        return Run(project, number, {"figures": figures, "tables": {"model": {"sensitive": ["HIV"]}}})

    runs = [run(1, [0.1, 0.2], "NCP"), run(2, [0.1, 0.2, 0.3], "NCP"), run(3, [], "NCP of the columns")]
    assert known_by(runs) == 2  # the last one has no such figures at all
    rows = [Row.of(one, 2) for one in runs]
    assert [one.risk for one in rows] == [0.2, 0.2, None]
    assert [(one.loss, one.measure) for one in rows][::2] == [(0.1, "NCP"), (0.1, "NCP of the columns")]
    assert rows[0].about_items == "no hierarchy of your own, 1 sensitive"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A new project."""
    return Workspace.open(tmp_path / "ws").new_project("p")


def test_the_overview_tells_what_reports_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, _, told = released(tmp_path, monkeypatch, "a.basket", "milk,tea\nmilk,rice\ntea,rice\n" * 3)
    shown = result.overview(session, "run")
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert shown["promise"] == told["figures"]["promise"] == report["model"]["description"]
    assert shown["holds"] is report["verdict"]["holds"] is True
    assert shown["headline"] == report["officer"]["headline"]
    assert shown["best"] == (report["optimality"] or {"sentence": ""})["sentence"]
    assert "groups" not in shown
    assert told["figures"]["loss"] == {"value": report["losses"]["ncp"], "measure": "NCP"}


def test_a_nearly_worthless_result_offers_what_does_better(client: Client) -> None:
    rows = "".join(f"{a},{b}\n" for a, b in zip("abcdefgh" * 3, "abcdefgh" * 3, strict=True)).encode()
    tree = b"".join(f"{one};{'AB'[one > 'd']};ALL\n".encode() for one in "abcdefgh")
    (client.workspace / "inputs" / "letters.csv").write_bytes(tree + b"z;B;ALL\n")
    base = project_with(
        client,
        "worthless.basket",
        rows + b"a,z\n",
        items={"hierarchy": "inputs/letters.csv"},
        model={"name": "km", "k": 3, "m": 2},
        algorithm={"name": "aa"},
    )
    client.post(f"{base}/runs", explanations="yes")
    assert ended(client, base, 1)["state"] == "done"
    page = client.get(f"{base}/result/overview/shown?run=1")
    assert page.status == 200
    told = json.loads((folder_of(client, base, 1) / "result.json").read_text())
    if told["worthless"] is None or not told["worthless"]["better"]:
        pytest.fail("this release should be nearly worthless, and something should do better")
    assert "Use these choices" in client.settled(f"{base}/result/overview/shown?run=1").text
    assert client.post(f"{base}/runs/1/better", way="0").status == 303
    project = json.loads((client.workspace / base.lstrip("/") / "project.json").read_text())
    assert project["tables"]["algorithm"] == told["worthless"]["better"][0]["algorithm"]
    assert client.post(f"{base}/runs/1/better", way="9").status == 400


def test_results_are_shown_and_compared(client: Client) -> None:
    assert "There is no result yet" in client.get(f"{small(client, 'none yet.basket')}/result").text
    base = finished(client)
    file = client.workspace / base.lstrip("/") / "project.json"
    project = json.loads(file.read_text())
    project["tables"]["model"]["k"] = 3
    file.write_text(json.dumps(project))
    client.post(f"{base}/runs", explanations="yes")
    assert ended(client, base, 2)["state"] == "done"
    client.settled(f"{base}/result/overview/shown?run=1")
    assert "Verified: k<sup>m</sup>-anonymity, k = 2" in client.get(f"{base}/result?run=1").text
    client.settled(f"{base}/result/records/shown?run=2")
    assert "6 records" in client.get(f"{base}/result/records").text
    assert client.get(f"{base}/result/groups").status == 200
    page = client.get(f"{base}/result/compare").text
    assert "Side by side" in page
    assert "k = 3" in page
    assert "Mark two or more" in client.get(f"{base}/result/compare?run=1").text
    for bad in ("result?run=7", "result?run=x", "result/records?run=../1"):
        assert client.get(f"{base}/{bad}").status == 400
    assert client.get(f"{base}/result/nothing").status == 404
    client.post(f"{base}/runs/2/delete")
    assert "k = 2" in client.settled(f"{base}/result/overview/shown").text


def searched(client: Client, base: str, part: str, **form: str) -> str:
    """Search a part of a result, and return the name of the search."""
    return client.post(f"{base}/result/{part}/search", **form).location.partition("search=")[2]


def test_what_is_searched_for_is_in_no_address(client: Client) -> None:
    base = finished(client)
    answer = client.post(f"{base}/result/records/search", run="1", find="beer", where="before", changed="1")
    assert answer.status == 303
    assert "beer" not in answer.location
    shown = client.settled(answer.location.replace("/records", "/records/shown")).text
    assert 'value="beer"' in shown
    assert "<mark>beer</mark>" in shown
    assert '<option value="before" selected>' in shown
    assert "changed records only" in shown
    everything = client.settled(f"{base}/result/records/shown?run=1&search=unknown").text
    assert "<mark>" not in everything
    assert client.post(f"{base}/result/records/search", run="1", where="nowhere").status == 400


def test_labels_are_text(client: Client) -> None:
    rows = f'<b>age</b>,codes\n30,"{EVIL};tea"\n31,"{EVIL};b"\n30,"b;tea"\n31,"tea;{EVIL}"\n'
    base = project_with(client, "evil.csv", rows.encode(), model={"name": "k-km", "k": 2, "m": 1})
    client.post(f"{base}/runs", explanations="yes")
    run = ended(client, base, 1)
    assert run["state"] == "done"
    for part in ("overview", "records", "groups"):
        name = searched(client, base, part, run="1", find="<img")
        page = client.settled(f"{base}/result/{part}/shown?run=1&search={name}").text
        assert "<img" not in page
        assert "<b>age" not in page
    assert "&lt;img" in client.settled(f"{base}/result/records/shown?run=1").text
    assert "<img" not in client.get(f"{base}/runs").text


def test_only_files_that_a_run_wrote_are_served(client: Client) -> None:
    base = finished(client)
    report = client.get(f"{base}/runs/1/files/report.html")
    assert report.headers["content-security-policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert "sandbox" in report.headers["content-security-policy"]
    assert report.headers["cache-control"] == "no-store"
    assert report.headers["content-type"].startswith("text/html")
    release = client.get(f"{base}/runs/1/files/release.basket")
    assert release.headers["content-disposition"] == 'attachment; filename="release.basket"'
    assert release.headers["cache-control"] == "no-store"
    assert "attachment" in client.get(f"{base}/runs/1/files/report.html?download").headers["content-disposition"]
    for name in ("run.json", "problem.toml", "result.json", "order.npy", "..%2frun.json", "%2e%2e", "%2fetc%2fpasswd"):
        assert client.get(f"{base}/runs/1/files/{name}").status in (400, 404), name
    public = folder_of(client, base, 1) / "public.json"
    content = public.read_bytes()
    public.unlink()
    public.symlink_to("/etc/passwd")
    assert client.get(f"{base}/runs/1/files/public.json").status == 404
    assert "it is damaged" in client.get(f"{base}/runs").text
    public.unlink()
    public.write_bytes(content)  # other tests use this run, too


def test_a_browser_runs_and_sees_the_result(client: Client, tab: Any) -> None:
    base = small(client, "browser.basket")
    tab.goto(f"{client.origin}{base}/runs")
    tab.get_by_text("Ready.").wait_for()
    tab.get_by_role("button", name="Start the run").click()
    tab.get_by_role("link", name="See the result").click()
    tab.get_by_text("Verified:").wait_for()
    tab.get_by_role("link", name="Records before and after").first.click()
    tab.get_by_role("table").wait_for()
    tab.get_by_label("Items or values that contain").fill("beer")
    tab.get_by_role("button", name="Search").click()
    tab.get_by_text("found").wait_for()
    assert tab.locator("tbody tr").count() == 1
