"""Step 7 of the workbench: what leaves the house, and the commands that give the same bytes.

Covers: web/pages/take_away.py, web/pages/packing.py, web/tasks/take_away.py
"""

from __future__ import annotations

import io
import json
import os
import time
import zipfile
from pathlib import Path
from typing import Any, cast

import pytest

pytest.importorskip("starlette")

from shoal.errors import InputError
from shoal.evidence.keys import new_keys
from shoal.web.draft import TABLES, Draft
from shoal.web.outputs import wanted
from shoal.web.pages.packing import Parcel, packed
from shoal.web.runs import Run, Runs
from shoal.web.tasks import take_away
from shoal.web.tasks.data import inspect
from shoal.web.tasks.run import run as carry_out
from shoal.web.worker import Session
from shoal.web.workspace import Workspace
from tests.web.client import PATIENCE, Answer, Client

EPOCH = "1760000000"
BASKETS = "beer ale,rye\nale,bun\nrye,bun,stout\nale,stout\n" * 3
TREE = "beer ale;BEER;ALL\nstout;BEER;ALL\nrye;BREAD;ALL\nbun;BREAD;ALL\nale;BEER;ALL\n"


def workspace_with(root: Path, files: dict[str, str]) -> Workspace:
    """Return a workspace with a project ``p`` and these files."""
    workspace = Workspace.open(root)
    project = workspace.new_project("p")
    project.save({"tables": {}, "found": {}})
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    return workspace


def run_of(
    workspace: Workspace, tables: dict[str, Any], key: str = "", project: str = "p", certificate: bool = True
) -> Run:
    """Carry out a run as the workbench does, in this process, whose folder is the workspace."""
    draft = Draft({**{name: {} for name in TABLES}, **tables})
    runs = Runs(workspace, cast(Any, None), 5)  # nobody works on its queue
    run = runs.add(workspace.project(project), draft.tables, wanted(draft, certificate=certificate), {}, key)
    run.change(state="done", **carry_out(Session(), run.tables, run.path))
    return run


def contents(run: Run, root: Path) -> dict[str, bytes]:
    """Return the files that may be published."""
    return {one.name: (root / run.path / one.name).read_bytes() for one in Parcel.of(run).publish}


def until_done(client: Client, path: str) -> Answer:
    """Return a page about a run as soon as the run is done."""
    until = time.monotonic() + PATIENCE
    while (answer := client.settled(path)).status == 400 and time.monotonic() < until:
        time.sleep(0.1)
    return answer


EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def done(client: Client) -> tuple[str, Run]:
    """The address of a project, and a run that is done."""
    base = client.project("take away.basket", BASKETS.replace("beer ale", EVIL).encode())
    tables = {
        "data": {"file": "inputs/take away.basket"},
        "model": {"name": "lm", "l": 2, "m": 1, "sensitive": [EVIL]},
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(client.workspace)
        return base, run_of(Workspace(client.workspace), tables, project=base.rpartition("/")[2])


def test_a_project_without_a_run_says_what_to_do(client: Client) -> None:
    base = client.project("nothing yet.basket", BASKETS.encode())
    page = client.get(f"{base}/take-away")
    assert "no run of this project has ended with a release" in page.text
    assert client.get(f"{base}/take-away/commands").status == 404
    assert client.get(f"{base}/take-away?run=7").status == 400


def test_what_may_be_published_is_apart_from_what_may_not(client: Client, done: tuple[str, Run]) -> None:
    base, run = done
    before, after = client.get(f"{base}/take-away").text.split("Keep this")
    for name in run.outputs:
        internal = name in ("report.html", "report.json", "persons.txt", "proof.json")
        assert (f">{name}</a>" in before, f">{name}</a>" in after) == (not internal, internal)
        assert client.get(f"{base}/runs/{run.number}/files/{name}?download").status == 200
    assert run.figures["promise"] in before


def test_an_unknown_file_of_a_run_is_kept(tmp_path: Path) -> None:
    workspace = workspace_with(tmp_path / "workspace", {})
    run = Run(workspace.project("p"), 1, {"state": "done", "outputs": ["release.csv", "surprise.csv"]})
    run.folder.mkdir()
    for name in run.outputs:
        (run.folder / name).touch()
    assert [[one.name for one in some] for some in (Parcel.of(run).publish, Parcel.of(run).keep)] == [
        ["release.csv"],
        ["surprise.csv"],
    ]


def test_the_archive_holds_what_may_be_published_and_nothing_else(client: Client, done: tuple[str, Run]) -> None:
    base, run = done
    answer = client.get(f"{base}/take-away/published.zip?run={run.number}")
    archive = zipfile.ZipFile(io.BytesIO(answer.body))
    assert archive.testzip() is None
    folder = f"{run.project.name}-run-1"
    assert answer.headers["content-disposition"] == f'attachment; filename="{folder}.zip"'
    assert archive.namelist() == sorted(f"{folder}/{one.name}" for one in Parcel.of(run).publish)
    for one in Parcel.of(run).publish:
        assert archive.read(f"{folder}/{one.name}") == one.path.read_bytes()


def test_equal_files_give_an_equal_archive(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.csv").write_bytes(b"x" * 3_000_000)
    os.utime(tmp_path / "two" / "a.csv", (0, 0))
    first, second = (b"".join(packed("f", {"a.csv": tmp_path / name / "a.csv"})) for name in ("one", "two"))
    assert first == second


def test_labels_are_text_in_commands(client: Client, done: tuple[str, Run]) -> None:
    base, _ = done
    text = client.settled(f"{base}/take-away/commands").text
    assert EVIL not in text
    assert "--sensitive &#39;&lt;img src=x onerror=alert(1)&gt;&#39;" in text


def test_the_commands_can_be_saved(client: Client, done: tuple[str, Run]) -> None:
    base, run = done
    texts = {name: client.get(f"{base}/take-away/commands/{name}").text for name in ("anonymize.sh", "anonymize.py")}
    assert texts["anonymize.sh"].startswith("shoal anonymize 'inputs/take away.basket' \\\n    -o projects/take-away/")
    assert texts["anonymize.py"].startswith(
        'import shoal\n\nrelease = shoal.anonymize(\n    "inputs/take away.basket",'
    )
    problem = client.get(f"{base}/take-away/commands/problem.toml")
    assert problem.body == (run.folder / "problem.toml").read_bytes()
    assert client.get(f"{base}/take-away/commands/run.json").status == 404


def test_the_release_is_checked_as_a_recipient_does(client: Client, done: tuple[str, Run]) -> None:
    base, run = done
    assert client.get(f"{base}/take-away/checked").text.count("check again") == 1
    answer = client.post(f"{base}/take-away/check", run="1", key="")
    assert answer.location.endswith("/take-away?run=1&checked=1#check")
    shown = client.settled(f"{base}/take-away/checked?run=1").text
    assert "the promise holds. Who wrote the certificate was not proved." in shown
    assert "public_key=" not in shown
    release = run.folder / "release.basket"
    intact = release.read_bytes()
    try:
        release.write_bytes(intact + b"rye\n")
        client.post(f"{base}/take-away/check", run="1", key="")
        assert "Something is wrong: do not publish this." in client.settled(f"{base}/take-away/checked?run=1").text
    finally:
        release.write_bytes(intact)
    assert client.post(f"{base}/take-away/check", run="1", key="inputs/../x.pub").status == 400


def test_a_run_is_signed_with_keys_made_here(client: Client, done: tuple[str, Run]) -> None:
    pytest.importorskip("cryptography")
    base, run = done
    secret = "correct horse battery"
    wrong = client.post(f"{base}/take-away/keys", run="1", name="hospital", passphrase=secret, again="x")
    assert "The two passphrases differ" in wrong.text
    for name in ("", "../hospital", ".hospital", "a/b"):
        assert client.post(f"{base}/take-away/keys", run="1", name=name, passphrase="", again="").status == 400
    made = client.post(f"{base}/take-away/keys", run="1", name="hospital", passphrase=secret, again=secret)
    assert made.location == f"{base}/take-away?run=1&made=1#keys"
    private = client.workspace / "inputs" / "hospital.key"
    assert private.stat().st_mode & 0o777 == 0o600
    assert b"ENCRYPTED" in private.read_bytes()
    assert client.post(f"{base}/take-away/keys", run="1", name="hospital", passphrase="", again="").status == 400
    public = client.get(f"{base}/take-away/public-keys/hospital.pub")
    assert public.body == (client.workspace / "inputs" / "hospital.pub").read_bytes()
    assert client.get(f"{base}/take-away/public-keys/hospital.key").status == 404
    assert "hospital.key (sha256:" in client.settled(f"{base}/take-away/certificate").text
    refused = client.post(f"{base}/take-away/sign", run="1", key="inputs/hospital.key", passphrase="wrong")
    assert refused.status == 400
    assert client.post(f"{base}/take-away/sign", run="1", key="inputs/hospital.key", passphrase=secret).status == 303
    signed = until_done(client, f"{base}/take-away/certificate?run=2")
    assert "The release and the code book have the same bytes." in signed.text
    assert secret not in "".join(one.read_text() for one in run.folder.parent.rglob("*.[jt]*"))
    with zipfile.ZipFile(io.BytesIO(client.get(f"{base}/take-away/published.zip?run=2").body)) as archive:
        assert any(name.endswith("/hospital.pub") for name in archive.namelist())
        assert not any(name.endswith(".key") for name in archive.namelist())
    client.post(f"{base}/take-away/check", run="2", key="inputs/hospital.pub")
    assert "Right: the owner of the key signed" in client.settled(f"{base}/take-away/checked?run=2").text


def test_a_run_that_the_time_limit_ended_is_not_said_to_give_the_same_bytes(
    client: Client, done: tuple[str, Run]
) -> None:
    base, _ = done
    file = client.workspace / base[1:] / "runs" / "0001" / "run.json"
    content = file.read_text()
    run = json.loads(content)
    run["figures"]["optimality"] = {**(run["figures"]["optimality"] or {}), "ended": "time limit"}
    file.write_text(json.dumps(run))
    try:
        commands = client.settled(f"{base}/take-away/commands?run=1").text
        assert "may find another release" in commands
        assert "the same bytes" not in commands
    finally:
        file.write_text(content)
    assert "the same bytes" in client.settled(f"{base}/take-away/commands?run=1").text


def test_a_run_without_a_certificate_gets_one(client: Client) -> None:
    base = client.project("no certificate.basket", BASKETS.encode())
    tables = {"data": {"file": "inputs/no certificate.basket"}, "model": {"name": "km", "k": 2, "m": 1}}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(client.workspace)
        run_of(Workspace(client.workspace), tables, project=base.rpartition("/")[2], certificate=False)
    assert "This run wrote no certificate" in client.settled(f"{base}/take-away/certificate").text
    assert client.post(f"{base}/take-away/check", run="1", key="").status == 400
    assert client.post(f"{base}/take-away/sign", run="1", key="").status == 303
    assert "<strong>Not signed.</strong>" in until_done(client, f"{base}/take-away/certificate?run=2").text


def test_the_date_of_a_certificate_gives_its_bytes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    workspace = workspace_with(tmp_path / "workspace", {"inputs/a.basket": BASKETS})
    monkeypatch.chdir(workspace.root)
    run = run_of(workspace, {"data": {"file": "inputs/a.basket"}, "model": {"name": "km", "k": 2, "m": 1}})
    path = f"{run.path}/certificate.json"
    first = Path(path).read_bytes()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(take_away.evidence(Session(), path, "", [])["certificate"]["epoch"]))
    time.sleep(1.1)
    carry_out(Session(), run.tables, run.path)
    assert Path(path).read_bytes() == first


@pytest.mark.parametrize("name", ["KEY.KEY", "renamed.csv", "link.csv"])
def test_a_private_key_of_another_name_is_not_shown_either(tmp_path: Path, name: str) -> None:
    new_keys(tmp_path / "own")
    if name == "link.csv":
        (tmp_path / name).symlink_to(tmp_path / "own.key")
    else:
        (tmp_path / name).write_bytes((tmp_path / "own.key").read_bytes())
    with pytest.raises(InputError, match="never shown"):
        inspect(Session(), {"file": str(tmp_path / name)})


def test_a_private_key_is_not_shown_as_data(tmp_path: Path) -> None:
    for data in ({"file": "a.key"}, {"file": "a.csv", "join": ["b.key:x"]}):
        with pytest.raises(InputError, match="never shown"):
            inspect(Session(), data)


def test_without_the_package_for_signatures_the_page_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert take_away.evidence(Session(), "", "", ["inputs/a.key"]) == {
        "installed": False,
        "missing": "Signatures need the package cryptography: install it with pip install 'shoal[sign]'.",
        "certificate": None,
        "same": None,
        "public_key": "",
        "private": [],
        "public": [],
        "damaged": [],
    }


def test_a_browser_copies_a_command(client: Client, tab: Any, done: tuple[str, Run]) -> None:
    base, _ = done
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=client.origin)
    tab.goto(f"{client.origin}{base}/take-away?run=1")
    tab.get_by_role("button", name="Copy: Command line").click()
    tab.get_by_text("Copied.").wait_for()
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied == tab.locator("#command-line").text_content()
    assert copied.startswith("shoal anonymize ")
    tab.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")  # as on other computers
    tab.get_by_role("button", name="Copy: Python script").click()
    tab.get_by_text("Selected: copy it with Ctrl+C.").wait_for()
    assert tab.evaluate("getSelection().toString()").startswith("import shoal")
