"""Step 3 of the workbench: hierarchies are chosen, built, checked, repaired, changed and downloaded.

Covers: web/pages/hierarchy.py, web/pages/hierarchy_choice.py, web/pages/hierarchy_edit.py, web/subject.py,
web/tasks/hierarchy.py, web/tasks/hierarchy_change.py, web/tasks/hierarchy_edits.py, web/tasks/hierarchy_problems.py,
web/tasks/hierarchy_versions.py
"""

from __future__ import annotations

import asyncio
import json
import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal import hierarchies
from shoal.errors import InputError
from shoal.web.crew import Task
from shoal.web.draft import Draft
from shoal.web.pages import hierarchy_edit
from shoal.web.subject import Subject
from shoal.web.tasks import hierarchy, hierarchy_change, hierarchy_versions
from shoal.web.worker import Session
from shoal.web.workspace import Workspace
from tests.web.asgi import run
from tests.web.client import Client
from tests.web.looks import complaints, settle

EVIL = "<img src=x onerror=alert(1)>"
BASKETS = b"tea,rice\ntea,beer\ntea,oats\nbeer,rice\nmlik\n"
TREE = "tea;hot;drinks;*\ncoffee;hot;drinks;*\nbeer;beer;drinks;*\nrice;rice;food;*\noats;oats;food;*\n"
ITEMS: dict[str, Any] = {"of": "items", "spec": {"file": "inputs/h.csv"}}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace folder as workers see it: with baskets, a hierarchy, and a project's folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inputs").mkdir()
    (tmp_path / "own").mkdir()
    (tmp_path / "inputs/a.basket").write_bytes(BASKETS)
    (tmp_path / "inputs/h.csv").write_text(TREE)
    return tmp_path


DATA = {"file": "inputs/a.basket"}


def change(session: Session, spec: dict[str, Any], **edit: Any) -> dict[str, Any]:
    """Change a hierarchy of the items, and return what to use then."""
    done = hierarchy_change.change(session, DATA, "items", spec, "own", edit)
    assert hierarchies.problems(done["file"]) == []
    return done


def draft_of(client: Client, base: str) -> Draft:
    """Return the draft of a project as the workbench reads it."""
    return Draft.load(Workspace.open(client.workspace).project(base.rpartition("/")[2]))


def part(client: Client, base: str, of: str = "items", **query: Any) -> str:
    """Return the text of the step's content."""
    more = "".join(f"&{name}={one}" for name, one in query.items())
    page = client.settled(f"{base}/hierarchy/part?of={of}{more}")
    assert page.status == 200
    return page.text


def words(page: str) -> str:
    """Return what a person reads."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


def test_a_tree_shows_counts_an_example_and_what_is_missing(place: Path) -> None:
    seen = hierarchy.look(Session(), DATA, **ITEMS)
    assert seen["example"] == ["tea", "hot", "drinks", "*"]
    assert seen["figures"] == {"items": 5, "groups": 4, "levels": 4, "mean": 1.7}
    drinks = seen["tree"]["below"]["nodes"][0]
    assert (drinks["label"], drinks["leaves"], drinks["records"]) == ("drinks", 3, 4)
    titles = {one["title"]: one for one in seen["problems"]}
    missing = titles["1 label of your data has no place"]
    assert missing["harmful"]
    assert missing["places"][0]["label"] == "mlik"
    assert titles["1 label of the hierarchy is in no record"]["places"][0]["label"] == "coffee"
    assert [one["harmful"] for one in seen["problems"]] == [True, False]


def test_long_lists_come_in_pages(place: Path) -> None:
    (place / "inputs/h.csv").write_text("".join(f"i{number};*\n" for number in range(250)) + "tea;hot;*\n")
    session = Session()
    root = hierarchy.look(session, DATA, **ITEMS)["tree"]
    assert [len(root["below"]["nodes"]), root["below"]["total"]] == [100, 251]
    last = hierarchy.children(session, DATA, parent=root["id"], start=200, **ITEMS)
    assert len(last["nodes"]) == 51
    at = hierarchy.search(session, DATA, text="I249", **ITEMS)["results"][0]["id"]
    seen = hierarchy.look(session, DATA, at=at, **ITEMS)
    assert seen["tree"]["below"]["start"] == 200 or "i249" in [one["label"] for one in seen["tree"]["below"]["nodes"]]
    assert seen["chosen"]["path"][-1]["label"] == "*"


def test_a_search_shows_the_path_from_the_root(place: Path) -> None:
    found = hierarchy.search(Session(), DATA, text="te", **ITEMS)
    assert [(one["label"], one["path"]) for one in found["results"]] == [("tea", ["*", "drinks", "hot"])]
    assert hierarchy.search(Session(), DATA, text=" ", **ITEMS)["found"] == 0


def test_a_change_makes_a_copy_and_undo_goes_back_to_the_input(place: Path) -> None:
    session, spec = Session(), {"file": "inputs/h.csv"}
    first = change(session, spec, what="rename", label=["hot"], name="warm")
    own = {"file": first["file"]}
    assert first["file"] == "own/h.csv"
    second = change(session, own, what="arrange", label=["oats", "rice"], parent="drinks")
    assert second["file"] == first["file"]
    assert "'food' had nothing left below" in second["said"]
    assert (place / "inputs/h.csv").read_text() == TREE
    back = hierarchy_change.undo(session, own["file"], "own")
    assert back["from"] is None
    assert hierarchies.load(own["file"]).items_of("food") == ("oats", "rice")
    assert hierarchy_change.undo(session, own["file"], "own")["from"]["file"] == "inputs/h.csv"
    hierarchy_change.discard(session, own["file"], "own")
    assert list(place.glob("own/*.csv")) == list(place.glob("own/history/*")) == []


def test_a_file_that_a_run_has_used_stays_as_it_is(place: Path) -> None:
    session = Session()
    own = {"file": change(session, {"file": "inputs/h.csv"}, what="rename", label=["hot"], name="warm")["file"]}
    before = Path(own["file"]).read_bytes()
    edit = {"what": "rename", "label": ["warm"], "name": "heated"}
    done = hierarchy_change.change(session, DATA, "items", own, "own", edit, used=True)
    assert done["file"] == "own/h-2.csv"
    assert Path(own["file"]).read_bytes() == before
    back = hierarchy_change.undo(session, done["file"], "own", used=True)
    assert Path(back["file"]).read_bytes() == before
    assert back["file"] == "own/h-3.csv"


def test_only_so_many_versions_are_kept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hierarchy_versions, "VERSIONS", 3)
    session, spec, name = Session(), {"file": "inputs/h.csv"}, "hot"
    for number in range(6):
        spec = {"file": change(session, spec, what="rename", label=[name], name=f"g{number}")["file"]}
        name = f"g{number}"
    assert len(list(place.glob("own/history/h.csv/*.csv"))) == 3
    for _ in range(3):
        hierarchy_change.undo(session, spec["file"], "own")
    assert "g2" in hierarchies.load(spec["file"]).labels
    with pytest.raises(InputError, match="no change to take back"):
        hierarchy_change.undo(session, spec["file"], "own")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"what": "move", "label": ["drinks"], "parent": "hot"}, "which is below it"),
        ({"what": "move", "label": [], "parent": "hot"}, "Choose what to move"),
        ({"what": "rename", "label": ["hot"], "name": "tea"}, "is an item of this hierarchy already"),
        ({"what": "rename", "label": ["hot"], "name": "a,b"}, "which separates items in the data"),
        ({"what": "add", "label": ["wine"], "parent": "drinks"}, "is not in your data"),
        ({"what": "arrange", "label": ["rice"], "name": "a", "parent": "hot"}, "either the name of a new group"),
        ({"what": "arrange", "label": ["rice"]}, "either the name of a new group"),
        ({"what": "explode"}, "not known"),
    ],
)
def test_a_change_that_is_refused_writes_nothing(place: Path, edit: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        change(Session(), {"file": "inputs/h.csv"}, **edit)
    assert list(place.glob("own/*.csv")) == []


@pytest.mark.parametrize("what", ["add_all", "add", "single", "unused", "item_of_group", "group", "remove"])
def test_each_repair_keeps_a_tree_over_the_items(place: Path, what: str) -> None:
    (place / "inputs/a.basket").write_bytes(BASKETS + b"hot\n")
    forms: dict[str, dict[str, Any]] = {
        "add_all": {"parent": "*", "name": "other"},
        "add": {"parent": "food", "label": ["mlik"]},
        "group": {"name": "grain", "label": ["rice", "oats"]},
        "remove": {"label": ["food"]},
    }
    session = Session()
    done = change(session, {"file": "inputs/h.csv"}, what=what, **forms.get(what, {}))
    tree = hierarchies.load(done["file"])
    assert set(tree.items) >= {"tea", "beer", "rice", "oats"}
    assert ("coffee" in tree.items) is (what != "unused")
    found = hierarchy.look(session, DATA, "items", {"file": done["file"]})["problems"]
    assert ("1 label of your data has no place" in [one["title"] for one in found]) is (what not in ("add", "add_all"))


def test_nothing_of_the_data_is_in_the_hierarchy(place: Path) -> None:
    (place / "inputs/h.csv").write_text("x;A;*\ny;A;*\nz;B;*\n")
    found = hierarchy.look(Session(), DATA, **ITEMS)["problems"]
    assert found[0]["title"] == "Nothing of your data is in this hierarchy"


def test_a_table_is_recognized_and_its_problems_are_told(place: Path) -> None:
    table = {"product": ["tea", "beer", "rice", "oats", "ale"], "kind": ["a", "a", "b", "b", None]}
    pq.write_table(pa.table({**table, "aisle": ["x", "x", "x", "y", "y"]}), place / "inputs/t.parquet")
    session = Session()
    found = hierarchy_change.recognize(session, DATA, "items", [], "inputs/t.parquet")
    assert (found["kind"], found["columns"][0]["covered"]) == ("table", 4)
    assert hierarchy_change.recognize(session, DATA, "items", [], "inputs/t.parquet", asked=False)["kind"] == "other"
    how = {"kind": "table", "file": "inputs/t.parquet", "levels": ["product", "kind", "aisle"], "only_used": True}
    made = hierarchy_change.make(session, DATA, "items", {}, "own", how)
    tree = hierarchies.load(made["file"])
    assert tree.items_of("b") == ("oats", "rice")
    assert "ale" not in tree.labels
    told = hierarchy_change.history(session, made["file"], "own")
    assert told is not None
    assert any("several parents" in one for one in told["findings"])
    assert not any("=" in one for one in told["findings"])
    again = hierarchy_change.make(session, DATA, "items", {}, "own", how)
    assert again["file"] == "own/t-2.csv"


def test_the_tree_that_shoal_builds_is_shown_and_can_be_changed(place: Path) -> None:
    session = Session()
    assert hierarchy.look(session, DATA, "items", {"file": ""})["state"] == "built"
    done = change(session, {"file": ""}, what="group", name="cold", label=["beer", "tea"])
    assert hierarchies.load(done["file"]).items_of("cold") == ("beer", "tea")


def test_items_with_counts_are_shown_without_them(place: Path) -> None:
    (place / "inputs/a.basket").write_bytes(b"tea,tea,rice\ntea\n")
    session, data = Session(), {"file": "inputs/a.basket", "multiset": True}
    seen = hierarchy.look(session, data, "items", {"file": ""})
    assert {one["label"]: one["records"] for one in seen["tree"]["below"]["nodes"]} == {"rice": 1, "tea": 2}


def test_ranges_come_in_the_order_of_their_values(place: Path) -> None:
    (place / "inputs/n.csv").write_text("age,items\n" + "".join(f"{at},a b\n" for at in (3, 7, 12, 101, 20)))
    data = {"file": "inputs/n.csv", "sets": "items", "item_delimiter": " "}
    seen = hierarchy.look(Session(), data, "column.age", {"file": "", "levels": "width:5"})
    below = [one["label"] for one in seen["tree"]["below"]["nodes"]]
    assert below == ["[0:4]", "[5:9]", "[10:14]", "[20:24]", "[100:104]"]


def test_several_columns_of_sets_have_trees_of_their_own_that_are_joined(place: Path) -> None:
    (place / "inputs/s.csv").write_text("drugs,tests\na b,x\na,x y\n")
    (place / "inputs/d.csv").write_text("a;A;*\nb;B;*\n")
    data = {"file": "inputs/s.csv", "sets": ["drugs", "tests"], "item_delimiter": " "}
    session, spec = Session(), {"file": "inputs/d.csv"}
    one = hierarchy.look(session, data, "set.drugs", spec)
    assert {node["label"]: node["records"] for node in one["tree"]["below"]["nodes"]} == {"A": 2, "B": 1}
    assert [problem["harmful"] for problem in one["problems"]] == [False]
    both = hierarchy.look(session, data, "items", {"file": "", "sets": {"drugs": "inputs/d.csv"}})
    assert (both["state"], both["tree"]["label"]) == ("joined", "drugs+tests")
    draft = Draft({"data": data}, {"sets": ["drugs", "tests"]})
    Subject.of(draft, "set.drugs").choose("inputs/d.csv")
    assert draft.tables["items"] == {"hierarchy": {"drugs": "inputs/d.csv"}}
    assert draft.job().data.load()[1].items_of("drugs.A") == ("drugs.a",)


def test_a_column_has_ranges_or_a_hierarchy(client: Client) -> None:
    rows = "".join(f"{20 + at},{'north' if at % 2 else 'south'},a b\n" for at in range(30))
    base = client.project("columns.csv", ("age,region,items\n" + rows).encode())
    client.post(f"{base}/data/roles", column=["age", "region"], role=["quasi-identifier"] * 2)
    assert "instead of “34”" in words(part(client, base, "column.age"))
    sent = {"of": "column.age", "type": "auto"}
    refused = client.post(f"{base}/hierarchy/levels", kind="width", levels="no", **sent)
    assert refused.status == 400
    assert "does not describe ranges" in refused.text
    assert client.post(f"{base}/hierarchy/levels", kind="width", levels="5, 10", **sent).status == 303
    assert draft_of(client, base).tables["columns"]["age"]["hierarchy"] == "width:5,10"
    assert "[20:29] 10 values · 10 records" in words(part(client, base, "column.age"))
    client.post(f"{base}/hierarchy/make", of="column.region", kind="build", by="label", fanout="2")
    about = draft_of(client, base).tables["columns"]["region"]
    assert about["hierarchy"] == "projects/columns/hierarchies/region-by-label.csv"
    assert "Every value of your data has one place" in part(client, base, "column.region")
    refused = client.post(f"{base}/hierarchy/levels", of="column.region", type="number", kind="width", levels="5")
    assert "'north' is not a number" in unescape(refused.text) or "'south' is not a number" in unescape(refused.text)
    client.post(f"{base}/hierarchy/choose", of="column.region", file="")
    assert "hierarchy" not in draft_of(client, base).about("region")


def test_from_a_malformed_file_to_a_hierarchy_of_ones_own(client: Client) -> None:
    base = client.project("malformed.basket", BASKETS)
    assert client.upload("two parents.csv", b"tea;hot;*\ntea;cold;*\nbeer;cold;*\nrice;food\n").status == 201
    listed = client.settled(f"{base}/hierarchy/files?of=items").text
    assert "two parents.csv" in listed
    assert client.post(f"{base}/hierarchy/choose", of="items", file="two parents.csv").status == 303
    page = words(part(client, base))
    assert "two parents.csv is not a hierarchy yet" in page
    assert "Item 'tea' occurs twice (line 1 and line 2)" in page
    client.post(f"{base}/hierarchy/make", of="items", kind="repair")
    assert "2 labels of your data have no place" in words(part(client, base))
    client.post(f"{base}/hierarchy/edit", of="items", what="add_all", parent="*", name="other")
    page = words(part(client, base))
    assert "Every item of your data has one place" in page
    assert "2 missing labels went below 'other'" in page
    file = client.get(f"{base}/hierarchy/file.csv?of=items")
    assert "attachment" in file.headers["content-disposition"]
    (client.workspace / "inputs" / "downloaded.csv").write_bytes(file.body)
    tree = hierarchies.load(client.workspace / "inputs" / "downloaded.csv")
    assert tree.items_of("other") == ("mlik", "oats")
    draft = draft_of(client, base)
    assert draft.tables["items"] == {"hierarchy": "projects/malformed/hierarchies/two-parents.csv"}
    assert draft.job().data.hierarchy == {"": "projects/malformed/hierarchies/two-parents.csv"}
    assert (client.workspace / "inputs" / "two parents.csv").read_text().endswith("rice;food\n")


def test_names_that_are_not_files_of_the_workspace(client: Client) -> None:
    base = client.project("names.basket", BASKETS)
    (client.workspace / "inputs" / "secret.key").write_text("x")
    for name in ("../../etc/passwd", "/etc/passwd", "inputs/../project.json", "nothing.csv", "secret.key"):
        refused = client.post(f"{base}/hierarchy/choose", of="items", file=name)
        assert (refused.status, "is no file" in refused.text or "no file" in refused.text) == (400, True)
        assert client.get(f"{base}/hierarchy/table?of=items&table={name}").status == 400
    assert "secret.key" not in client.settled(f"{base}/hierarchy/files?of=items").text
    for of in ("column.nothing", "set.", "x"):
        assert client.get(f"{base}/hierarchy/part?of={of}").status == 400
    for form in ({"by": "magic"}, {"fanout": "1"}, {"fanout": "x"}, {"by": "prefix", "lengths": "0"}):
        assert client.post(f"{base}/hierarchy/make", of="items", kind="build", **form).status == 400
    assert client.post(f"{base}/hierarchy/make", of="items", kind="magic").status == 400
    assert client.get(f"{base}/hierarchy/work/part?name=unknown").status == 303


def test_work_that_takes_long_is_waited_for_on_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hierarchy_edit, "SOON", 0)
    desk: Any = SimpleNamespace(base="/projects/p", project=SimpleNamespace(name="p"))
    monkeypatch.setattr(hierarchy_edit, "Desk", SimpleNamespace(of=lambda request: desk))

    async def scenario() -> None:
        task = Task("hierarchy_change.make")
        task.work = asyncio.get_running_loop().create_future()
        query: dict[str, str] = {}
        request: Any = SimpleNamespace(
            headers={}, query_params=query, url=SimpleNamespace(path="/projects/p/hierarchy/work/part", query="name=x")
        )
        answer = await hierarchy_edit.carry_out(request, desk, task, lambda desk, result: f"/done/{result}")
        page, _, query["name"] = answer.headers["location"].partition("?name=")
        assert page == "/projects/p/hierarchy/work"
        assert b"progress" in (await hierarchy_edit.work_part(request)).body
        task.work.set_result(7)
        desk.project.name = "another"
        assert (await hierarchy_edit.work_part(request)).headers["location"] == "/projects/p/hierarchy"
        desk.project.name = "p"
        assert (await hierarchy_edit.work_part(request)).headers["location"] == "/done/7"
        assert (await hierarchy_edit.work_part(request)).headers["location"] == "/projects/p/hierarchy"

    run(scenario())


def test_labels_are_text(client: Client) -> None:
    rows = "".join(f'"{EVIL} {at}","{EVIL} b{at % 3}"\n' for at in range(30))
    base = client.project("evil.csv", f'"{EVIL}",items\n{rows}'.encode())
    tables = client.workspace / "projects" / base.rpartition("/")[2] / "project.json"
    content = json.loads(tables.read_text())
    content["tables"]["data"] |= {"sets": "items", "item_delimiter": "|"}
    tables.write_text(json.dumps(content))
    client.post(f"{base}/data/roles", column=EVIL, role="quasi-identifier")
    client.settled(f"{base}/data/found")
    pages = [client.get(f"{base}/hierarchy").text, part(client, base)]
    client.post(f"{base}/hierarchy/make", of="items", kind="build", by="label", fanout="2")
    client.post(f"{base}/hierarchy/edit", of="items", what="rename", label="*", name=EVIL)
    pages += [part(client, base, at=at) for at in (0, 1, 3, 4)]
    pages += [client.settled(f"{base}/hierarchy/node?of=items&at={at}").text for at in (0, 4)]
    found = client.post(f"{base}/hierarchy/search", of="items", text="<img").location
    assert "img" not in found
    pages.append(client.settled(found).text)
    pages.append(client.settled(f"{base}/hierarchy/files?of=items").text)
    assert all("<img" not in page for page in pages)
    assert any("&lt;img" in page for page in pages)


def test_a_browser_opens_the_tree_and_changes_it_by_keyboard(client: Client, tab: Any) -> None:
    base = client.project("keyboard.basket", b"tea,rice\ntea,beer\ntea,oats\nbeer,rice\n")
    tab.goto(f"{client.origin}{base}/hierarchy")
    tab.get_by_text("No hierarchy is chosen").wait_for()
    tab.set_input_files("#upload", {"name": "keyboard-tree.csv", "mimeType": "text/csv", "buffer": TREE.encode()})
    tab.get_by_text("Every item of your data has one place").wait_for()
    drinks = tab.locator("summary", has_text="drinks")
    drinks.focus()
    tab.keyboard.press("Enter")
    hot = tab.locator("summary", has_text="hot")
    hot.wait_for()
    tab.get_by_label("Change hot").focus()
    tab.keyboard.press("Enter")
    field = tab.get_by_label("Put it below another group")
    field.fill("food")
    tab.keyboard.press("Enter")
    tab.get_by_text("'hot' went below 'food'.").wait_for()
    tab.get_by_label("Search a label").fill("coffee")
    tab.keyboard.press("Enter")
    tab.get_by_text("→ hot → food → * ·").wait_for()
    tab.get_by_role("button", name="Undo").click()
    tab.get_by_text("Changes go into a copy").wait_for()
    settle(tab)


def test_everybody_can_use_the_step_without_a_hierarchy(client: Client, tab: Any) -> None:
    base = client.project("looks.basket", BASKETS)
    assert complaints(tab, f"{client.origin}{base}/hierarchy") == []
