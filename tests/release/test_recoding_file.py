"""Recoding files are as their schema says, and are refused if they are damaged, changed or of another kind."""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError, ShoalError
from shoal.files import strict_json
from shoal.release import recoding_file
from shoal.release.saved_recoding import SavedRecoding

DOCS = Path(__file__).parents[2] / "docs"
TREE = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2", "a3"], "B": ["b1", "b2"], "C": ["c1", "c2"]}})
ROWS = [["a1", "b1"], ["a2", "b1"], ["a1", "b1"], ["c1", "b2"], ["c2", "b2"], ["c1", "b1"]]


@pytest.fixture(name="path")
def saved_file(tmp_path: Path) -> Path:
    release = shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE, algorithm="auto", siblings="best")
    release.save(tmp_path / "out.jsonl", recoding=tmp_path / "r.json")
    return tmp_path / "r.json"


def rewritten(path: Path, change: Callable[[dict[str, Any]], Any]) -> Path:
    """A file that was changed by somebody who knows how its hash is made."""
    told = json.loads(path.read_text("utf-8"))
    change(told)
    told.pop("sha256", None)
    path.write_bytes(strict_json.dumps({**told, "sha256": recoding_file._hash(told)}))
    return path


def test_a_file_says_what_was_done_and_nothing_about_records(path: Path) -> None:
    saved = recoding_file.load(path)
    told = json.loads(path.read_text("utf-8"))
    assert told["type"] == "urn:shoal:recoding:1"
    assert told["hierarchy"]["parents"] == TREE.parents_by_label()
    assert isinstance(saved, SavedRecoding)
    assert saved.model == shoal.Km(k=2, m=2)
    assert recoding_file.document(saved) == told
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_files_are_as_their_schema_says(tmp_path: Path) -> None:
    schema = json.loads((DOCS / "reference" / "json" / "recoding.json").read_text(encoding="utf-8"))
    check = jsonschema.Draft202012Validator(schema).validate
    patients = {"name": ["Ann", "Bob", "Cy"], "ward": ["a", "a", "b"], "codes": [["flu", "rye"], ["flu", "x"], ["x"]]}
    releases = [
        shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE, algorithm="auto", siblings="best"),
        shoal.anonymize(ROWS, k=3, m=2, algorithm="mm", unknown_items="root"),
        shoal.anonymize(pa.table(patients), shoal.Lm(l=2, m=1, sensitive=("rye",)), sets="codes", identifiers=["name"]),
        shoal.anonymize([["a", "a"], ["a"]], k=2, m="all", multiset=True, algorithm="aa"),
    ]
    for release in releases:
        recoding_file.save(release.saved_recoding, tmp_path / "r.json")
        told = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
        check(told)
        assert list(told) == list(schema["properties"])  # what is not in the schema is not written
        for name in told.keys() - {"joined"}:  # files of earlier versions lack this one
            with pytest.raises(jsonschema.ValidationError):
                check({key: value for key, value in told.items() if key != name})
        compact = json.dumps({**told, "sha256": None}, ensure_ascii=False, separators=(",", ":"))
        content = compact.replace(',"sha256":null}', "}")
        assert told["sha256"] == hashlib.sha256(content.encode()).hexdigest()


def test_a_changed_byte_is_noticed(path: Path) -> None:
    text = path.read_text("utf-8")
    path.write_text(text.replace('"k": 2', '"k": 3'), "utf-8")
    with pytest.raises(DataError, match="was changed after Shoal wrote it"):
        recoding_file.load(path)
    path.write_text(text[: len(text) // 2], "utf-8")
    with pytest.raises(DataError, match="not JSON"):
        recoding_file.load(path)


def leave_out(name: str) -> Callable[[dict[str, Any]], Any]:
    return lambda told: told.pop(name)


def put(name: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda told: told.__setitem__(name, value)


def put_into(table: str, name: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda told: told[table].__setitem__(name, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("type", "urn:shoal:recoding:2"), "a recoding of another version"),
        (put("type", "urn:shoal:certificate:1"), "is no recoding"),
        (leave_out("groups"), "it has no 'groups'"),
        (put("raised", ["A", 3]), "'raised' is not a list of texts"),
        (put("raised", ["nowhere"]), "'nowhere' is unknown in its hierarchy"),
        (put("raised", ["A", "ALL"]), "'A' is published, and a group that contains it, too"),
        (put("groups", {"a1 | b1": ["a1", "b1"]}), "are not siblings"),
        (put("groups", {"B": ["a1", "a2"]}), "'B' represents other items in the hierarchy"),
        (put("groups", {"all of A": ["a1", "a2", "a3"]}), "a group of siblings that is no group"),
        (put("groups", {"x": ["a1", "a2"], "y": ["a2", "a3"]}), "share 'a2'"),
        (put("groups", {"x": ["a1", "milk"]}), "'milk' is neither an item nor a node"),
        (put("groups", {"x": []}), "a group has no members"),
        (put("groups", {"x": ["a1", "a2", "a1"]}), "'groups: x' names something twice"),
        (put("groups", {"a1 or a2": ["a1", "a2"], "A or B": ["A", "B"]}), "'A or B' is a group, but not published"),
        (put("raised", ["B", "C", "a1 or a2", "a3"]), "'a3' is published as a group, but is an item"),
        (put("raised", ["B", "C", "a1 or a2", "C"]), "'raised' names something twice"),
        (put("retired", ["C"]), "'C' is retired, but in use"),
        (put("roles", {"age": "plain"}), "'age' has a role, but is not published"),
        (put("columns", ["age", "age"]), "'columns' names something twice"),
        (put("unknown_items", "drop"), "'unknown_items' is none of error, root"),
        (put("suppressed", ["ALL"]), "'ALL' is removed, but is no item"),
        (put("loss", "none"), "Unknown loss"),
        (put("model", {"name": "km", "options": {"k": 1, "m": 2}}), "k must be at least 2"),
        (put("model", {"name": "km", "options": {"l": 2}}), "km has no option 'l'"),
        (put("model", {"name": "k-km", "options": {"k": 2, "m": 2}}), "auto makes no recodings for k-km"),
        (put("method", {"name": "magic", "options": {}}), "Unknown algorithm"),
        (put("method", {"name": "lra", "options": {}}), "lra makes no recodings for km that can be repeated"),
        (put("reading", {"join": "/etc/passwd:x"}), "'join' is no option of reading that a recoding may have"),
        (put("reading", {"sets": 3}), "sets must be"),
        (put("roles", {"age": "king"}), "king"),
        (put("unknown_items", 3), "'unknown_items' is not a text"),
        (put_into("hierarchy", "parents", {"a": "b", "b": "a"}), "cycle"),
        (put_into("hierarchy", "parents", {"a": 1}), "not a text"),
        (put_into("hierarchy", "parents", {"a": "x", "b": "y"}), "exactly one root"),
    ],
)
def test_what_is_wrong_is_refused_even_with_a_right_hash(
    path: Path, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    with pytest.raises(ShoalError, match=message) as caught:
        recoding_file.load(rewritten(path, change))
    assert caught.value.exit_code == 2
    assert "r.json" in str(caught.value)


def test_other_json_is_no_recoding(tmp_path: Path) -> None:
    deep = '{"type": ' + "[" * 50_000 + "]" * 50_000 + "}"
    for text in ("[]", "{}", '{"type": 3}', '{"type": "x", "type": "y"}', '{"type": NaN}', deep, "", "\x00", "1;2\n"):
        (tmp_path / "r.json").write_text(text, "utf-8")
        with pytest.raises(DataError, match=r"r\.json"):
            recoding_file.load(tmp_path / "r.json")
