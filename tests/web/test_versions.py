"""Pages never show what was found in a file, a run or a project that has been replaced since.

Covers: web/page.py, web/workspace.py, web/crew.py, web/searches.py
"""

from __future__ import annotations

import http.client
import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette")

from shoal.web.draft import Draft
from shoal.web.workspace import Workspace
from tests.web.client import Client
from tests.web.test_runs_step import ended


def replace(client: Client, name: str, content: bytes) -> None:
    """Replace an input, as people do by hand. Clocks of file systems may be coarse."""
    path = client.workspace / "inputs" / name
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 10**9))


def test_steps_show_the_file_that_is_there(client: Client) -> None:
    base = client.project("replaced.basket", b"a,b\na,c\n" * 5)
    assert "<dd>10</dd>" in client.settled(f"{base}/data/found").text
    assert "of the 10 records" in client.settled(f"{base}/risk/figures").text
    assert "From all 10 records" in client.settled(f"{base}/promise/frontier").text
    replace(client, "replaced.basket", b"a,b\nd,c\n" * 7)
    assert "were not read yet, or have changed" in client.get(f"{base}/promise").text
    assert "were not read yet, or have changed" in client.get(f"{base}/runs").text
    assert "of the 14 records" in client.settled(f"{base}/risk/figures").text
    assert "<dd>14</dd>" in client.settled(f"{base}/data/found").text
    assert "From all 14 records" in client.settled(f"{base}/promise/frontier").text


def test_a_table_that_is_joined_is_read_again(client: Client) -> None:
    (client.workspace / "inputs" / "joined names.csv").write_bytes(b"product,name\n1,milk\n2,tea\n")
    base = client.project("joined lines.csv", b"order,product\n1,1\n1,2\n2,1\n2,2\n")
    client.post(f"{base}/data/join", file="inputs/joined names.csv", key="product")
    assert "milk" in client.settled(f"{base}/data/found").text
    client.post(f"{base}/data/roles", column=["product", "name"], role=["drop", "set"])
    client.settled(f"{base}/data/found")
    replace(client, "joined names.csv", b"product,name\n1,rice\n2,tea\n")
    page = client.settled(f"{base}/data/found").text
    assert "rice" in page
    assert "milk" not in page


def test_another_project_of_the_same_name_has_a_chart_of_its_own(client: Client) -> None:
    for count in (6, 8):
        base = client.project("same name.basket", b"a,b\na,c\n" * count)
        assert base == "/projects/same-name"
        assert f"From all {2 * count} records" in client.settled(f"{base}/promise/frontier").text
        client.post(f"{base}/delete", name="same-name")
        client.post("/files/delete", file="same name.basket")


def test_another_run_of_the_same_number_has_a_certificate_of_its_own(client: Client) -> None:
    base = client.project("renumbered.basket", b"a,b\na,c\n" * 6)
    for _ in range(2):
        client.post(f"{base}/runs", certificate="yes")
        ended(client, base, 1)
        assert "check again" in client.settled(f"{base}/take-away/checked?run=1").text
        client.post(f"{base}/take-away/check", run="1")
        assert "holds" in client.settled(f"{base}/take-away/checked?run=1").text
        client.post(f"{base}/runs/1/delete")


def test_a_form_that_arrives_slowly_undoes_nothing(client: Client) -> None:
    base = client.project("slow form.csv", b"id,age,codes\n1,30,a b\n2,31,a c\n3,32,b c\n4,33,a b\n")
    at, body = urlsplit(client.link), b"model=lm"
    connection = http.client.HTTPConnection(str(at.hostname), at.port, timeout=30)
    connection.putrequest("POST", f"{base}/promise/model")
    for name, value in {
        "Cookie": client.cookie,
        "Origin": client.origin,
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": str(len(body)),
    }.items():
        connection.putheader(name, value)
    connection.endheaders()
    client.get("/")  # now, the server waits for the form
    assert client.post(f"{base}/data/roles", column="age", role="sensitive").status == 303
    connection.send(body)
    assert connection.getresponse().status == 303
    connection.close()
    draft = Draft.load(Workspace.open(client.workspace).project(base.rpartition("/")[2]))
    assert draft.role("age") == "sensitive"
    assert draft.tables["model"]["name"] == "lm"


def test_versions_follow_the_files(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    tables = {"data": {"file": "inputs/a.csv"}}
    assert workspace.versions(tables) == []
    (tmp_path / "inputs" / "a.csv").write_text("a")
    one = workspace.versions(tables)
    (tmp_path / "inputs" / "a.csv").write_text("ab")
    assert one != workspace.versions(tables)
    assert len(workspace.versions(tables, "README.txt", "inputs/a.csv")) == 2
