"""The second verifier as a script of its own, persons, and the certificates that Shoal writes.

Covers: verifier/shoal_check.py.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.evidence.keys import PrivateKey
from tests.evidence.test_certificate import WORLDS
from tests.verifier.checker import SCRIPT, run

KEY = PrivateKey(b"k" * 32)
NOT_COVERED = {"flips"}  # the model sensitive-k


def test_it_is_short_and_needs_nothing() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    lines = text.splitlines()
    assert len(lines) <= 300
    assert max(map(len, lines)) <= 120
    tree = ast.parse(text, feature_version=(3, 9))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in imports if isinstance(node, ast.ImportFrom)}
    roots = {name.partition(".")[0] for name in names}
    assert "shoal" not in roots
    assert roots - set(sys.stdlib_module_names) == {"cryptography"}
    assert not any(call in text for call in ("__import__", "import_module", "exec(", "eval("))


@pytest.mark.parametrize(
    ("rows", "people", "wanted"),
    [
        (["s", "s", "a"], "ppq", 1),  # 1 of 2 persons, but 2 of 3 records
        (["s", "a", "a"], "pqq", 0),
        (["s", "s", "a", "a", "a"], "pqrrr", 1),  # 2 of 5 records, but 2 of 3 persons
    ],
)
def test_shares_must_hold_by_records_and_by_persons(tmp_path: Path, rows: list[str], people: str, wanted: int) -> None:
    file, persons = tmp_path / "public.basket", tmp_path / "persons.txt"
    file.write_text("\n".join(rows), encoding="utf-8")
    persons.write_text("\n".join(people), encoding="utf-8")
    words = ("--format", "basket", "--model", "lm", "--l", 2, "--m", 1, "--sensitive", "s")
    assert run(file, *words, "--persons", persons)[0] == wanted


@pytest.mark.parametrize(("ids", "wanted"), [((2, 10), 1), ((10, 2), 0), (("2x", "10x"), 0)])
def test_persons_follow_the_order_of_ids(tmp_path: Path, ids: tuple[object, object], wanted: int) -> None:
    file, persons = tmp_path / "public.csv", tmp_path / "persons.txt"
    file.write_text(f"id,item\n{ids[0]},a\n{ids[1]},b\n30,a\n{ids[0]},a\n", encoding="utf-8")
    persons.write_text("p\nq\np\n", encoding="utf-8")
    words = ("--format", "csv", "--id-column", "id", "--item-column", "item", "--model", "km", "--k", 2, "--m", 1)
    code, text = run(file, *words, "--persons", persons)
    assert (code, "['a'] fits 1" in text) == (1, bool(wanted))


@pytest.mark.parametrize("key", [KEY, None])
@pytest.mark.parametrize("world", WORLDS)
def test_it_checks_the_certificates_that_shoal_writes(tmp_path: Path, world: str, key: Any) -> None:
    given = dict(WORLDS[world])
    made = shoal.anonymize(given.pop("data"), **given)
    file, certificate, public = tmp_path / "public.csv", tmp_path / "c.json", tmp_path / "k.pub"
    made.save(file, certificate=certificate, key=key)
    public.write_bytes(KEY.public.pem)
    trusted = () if key is None else ("--public-key", public)
    code, text = run(file, "--certificate", certificate, *trusted)
    assert code == (2 if world in NOT_COVERED else 0), text
    if code == 0:
        file.write_bytes(file.read_bytes() + b"x\n")
        assert run(file, "--certificate", certificate, *trusted)[0] == 1


def test_it_checks_a_folder_that_shoal_wrote(tmp_path: Path) -> None:
    made = shoal.anonymize([["a"], ["a"], ["b"], ["b"]], k=2, m=1)
    made.save(tmp_path / "out", parts=2, format="csv", certificate=tmp_path / "c.json", key=KEY)
    assert run(tmp_path / "out", "--certificate", tmp_path / "c.json")[0] == 0
    (tmp_path / "out" / "part-00001.csv").unlink()
    assert run(tmp_path / "out", "--certificate", tmp_path / "c.json")[0] in (1, 2)
