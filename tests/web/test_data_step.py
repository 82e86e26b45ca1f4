"""Step 1 of the workbench: what a file holds, and what its columns are.

Covers: web/pages/data.py, web/tasks/data.py, web/tasks/data_remedies.py, web/words.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal.errors import InputError
from shoal.io.read_options import ReadOptions
from shoal.jobs.find_layout import FoundLayout, find_layout
from shoal.web.tasks import data, data_remedies
from shoal.web.worker import Session
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


def test_a_form_that_is_refused_keeps_what_was_typed(client: Client, tab: Any) -> None:
    base = client.project("refused form.csv", PATIENTS)
    tab.goto(f"{client.origin}{base}/data")
    tab.get_by_text("How the values of columns are read").click()
    tab.get_by_label("Values that mean “missing”").first.fill("none\nunknown")
    tab.get_by_label("Weight of its loss").first.fill("heavy")
    tab.get_by_role("button", name="Save", exact=True).click()
    tab.get_by_text("must be a number from 0 to 1, got 'heavy'").wait_for()
    assert tab.get_by_label("Values that mean “missing”").first.input_value() == "none\nunknown"
    tab.get_by_label("Weight of its loss").first.fill("0.5")
    with tab.expect_navigation():
        tab.get_by_role("button", name="Save", exact=True).click()
    tab.get_by_text("How the values of columns are read").click()
    assert tab.get_by_label("Values that mean “missing”").first.input_value() == "none\nunknown"


def test_windows_text_is_converted_on_demand(client: Client) -> None:
    content = "id,items\n1,crème thé\n2,thé\n"
    client.upload("excel.csv", content.encode("cp1252"))
    base = client.post("/projects", file="excel.csv").location.removesuffix("/data")
    assert "not UTF-8 text (byte 0xe8)" in client.settled(f"{base}/data/found").text
    assert "Read a converted copy" in client.settled(f"{base}/data/remedies").text
    assert client.post(f"{base}/data/convert").status == 303
    assert "crème" in client.settled(f"{base}/data/found").text
    assert (client.workspace / "inputs" / "excel-utf8.csv").read_text(encoding="utf-8") == content


@pytest.mark.parametrize("content", [bytes(range(256)), b"\x81\x8d", "crème".encode(), b"plain"])
def test_nothing_else_is_windows_text(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file.csv").write_bytes(content)
    assert not data_remedies.is_windows_text(Session(), str(tmp_path / "file.csv"))
    with pytest.raises(InputError, match="is not Windows text"):
        data_remedies.to_utf8(Session(), str(tmp_path / "file.csv"), str(tmp_path / "new.csv"))
    assert not (tmp_path / "new.csv").exists()


def test_windows_text_is_decoded_across_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_remedies, "PIECE", 2)
    (tmp_path / "file.csv").write_bytes("äöü€ß".encode("cp1252"))
    copy = data_remedies.to_utf8(Session(), str(tmp_path / "file.csv"), str(tmp_path / "new.csv"))
    assert Path(copy).read_text(encoding="utf-8") == "äöü€ß"


def test_a_file_that_must_be_corrected_is_removed_and_dropped_again(client: Client) -> None:
    for content, wanted in ((b"a,b,c\n1,2,3\n4,5\n", "expected 3 fields"), (b"a,b,c\n1,2,3\n4,5,6\n", "<dd>2</dd>")):
        assert client.upload("corrected.csv", content).status == 201
        base = client.post("/projects", file="corrected.csv").location.removesuffix("/data")
        assert wanted in client.settled(f"{base}/data/found").text
        assert client.post(f"{base}/data/discard").location == "/"
        assert not (client.workspace / base[1:]).exists()
        assert not (client.workspace / "inputs" / "corrected.csv").exists()


def test_a_file_that_others_use_stays(client: Client) -> None:
    base, other = (client.project("shared by two.csv", PATIENTS) for _ in range(2))
    client.post(f"{base}/data/discard")
    assert (client.workspace / "inputs" / "shared by two.csv").exists()
    refused = client.post("/files/delete", file="shared by two.csv")
    assert f"used by the project {other.rpartition('/')[2]}" in refused.text
    (client.workspace / "inputs" / "shared by two.csv.gz").write_bytes(b"x")
    assert client.post("/files/delete", file="shared by two.csv.gz").status == 303


def test_keys_are_not_offered_as_data(client: Client) -> None:
    for name in ("mine.key", "mine.pub"):
        (client.workspace / "inputs" / name).write_text("-----BEGIN")
    base = client.project("beside keys.csv", PATIENTS)
    start = client.get("/").text
    assert 'value="mine.key"' not in start
    assert "<option>mine.key</option>" in start  # to be deleted
    assert "mine.key" not in client.get(f"{base}/data").text


def test_remarks_are_shown_and_not_kept(client: Client) -> None:
    base = client.project("orders of remarks.csv", b"order,product\n1,5978656\n1,2\n2,2\n2,5978656\n")
    (client.workspace / "inputs" / "names.csv").write_bytes(b"product,name\n2,milk\n")
    assert client.post(f"{base}/data/join", file="inputs/names.csv", key="product").status == 303
    assert "2 of 4 rows have no match" in client.settled(f"{base}/data/found").text
    assert "2 of 4 rows" not in (client.workspace / base[1:] / "project.json").read_text()


def test_a_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "patients.csv").write_bytes(PATIENTS)
    reads: list[Path] = []

    def read(file: Path, options: ReadOptions) -> FoundLayout:
        reads.append(file)
        return find_layout(file, options)

    monkeypatch.setattr(data, "find_layout", read)
    session, file = Session(), str(tmp_path / "patients.csv")
    told = data.inspect(session, {"file": file})
    data.preview(session, {"file": file, **told["options"]})
    assert len(reads) == 1
    data.preview(session, {"file": file, **told["options"], "header": True})
    assert len(reads) == 2
