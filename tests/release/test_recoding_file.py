"""Recoding files are refused if they are damaged, changed or of another kind."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import DataError, ShoalError
from shoal.files import strict_json
from shoal.release import recoding_file
from shoal.release.saved_recoding import SavedRecoding

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
        (put("suppressed", ["ALL"]), "'ALL' is removed, but is no item"),
        (put("loss", "none"), "Unknown loss"),
        (put("model", {"name": "km", "options": {"k": 1, "m": 2}}), "k must be at least 2"),
        (put("model", {"name": "km", "options": {"l": 2}}), "km has no option 'l'"),
        (put("method", {"name": "magic", "options": {}}), "Unknown algorithm"),
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
    for text in ("[]", "{}", '{"type": 3}', '{"type": "x", "type": "y"}'):
        (tmp_path / "r.json").write_text(text, "utf-8")
        with pytest.raises(DataError, match=r"r\.json"):
            recoding_file.load(tmp_path / "r.json")
