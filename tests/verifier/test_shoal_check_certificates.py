"""What the second verifier makes of certificates: signed, unsigned, changed in any byte, or about something else.

Covers: verifier/shoal_check.py.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import shoal
from shoal import io
from tests.budget import PROFILE
from tests.verifier.checker import SCRIPT, compact, run, save_public, sha256, signed, signer_of, statement

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
SAFE = b"a,b\na,b\n\na\n"
READING = {"format": "basket", "delimiter": ","}
Change = Callable[[dict[str, Any]], object]


class Published:
    """A published file with its certificate and the key."""

    def __init__(self, folder: Path, content: bytes = SAFE) -> None:
        self.file = folder / "public.basket"
        self.certificate, self.key = folder / "certificate.json", save_public(KEY, folder / "key.pub")
        self.file.write_bytes(content)
        self.sign()

    def document(self, *, signer: str | None = signer_of(KEY)) -> dict[str, Any]:
        return statement([self.file], "km", {"k": 2, "m": 2}, READING, 4, signer=signer)

    def sign(self, change: Change = lambda document: None) -> None:
        document = self.document()
        change(document)
        self.certificate.write_bytes(signed(document, KEY))

    def leave_unsigned(self, change: Change = lambda document: None) -> None:
        document = self.document(signer=None)
        change(document)
        self.certificate.write_bytes(compact(document))

    def check(self, *words: object, key: Path | None = None, trusted: bool = True) -> tuple[int, str]:
        known = ("--public-key", key or self.key) if trusted else ()
        return run(self.file, "--certificate", self.certificate, *known, *words)


@pytest.fixture
def public(tmp_path: Path) -> Published:
    return Published(tmp_path)


def test_a_signed_certificate_holds(public: Published) -> None:
    code, text = public.check()
    assert (code, "signature: valid" in text, "ALL OF IT HOLDS: km" in text) == (0, True, True)


def test_what_was_not_checked_is_said(public: Published) -> None:
    code, text = public.check(trusted=False)
    assert (code, "signature: NOT CHECKED" in text) == (0, True)
    public.leave_unsigned()
    code, text = public.check(trusted=False)
    assert (code, "UNSIGNED" in text, "persons were not checked" in text) == (0, True, True)


def test_a_requested_signature_must_be_there(public: Published) -> None:
    public.leave_unsigned()
    assert public.check()[0] == 1
    public.certificate.write_bytes(compact(public.document()))  # the signer is named, but the signature was removed
    assert public.check(trusted=False) == (1, "NOT AS PROMISED: the certificate is not signed\n")


def test_a_requested_signature_that_cannot_be_checked_is_not_accepted(
    public: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.serialization", None)
    assert public.check()[0] == 2
    assert public.check(trusted=False)[0] == 0


def test_no_changed_byte_of_a_signed_certificate_is_accepted(public: Published) -> None:
    whole = public.certificate.read_bytes()
    for at in range(len(whole)):
        for mask in (1 << bit for bit in range(8)) if PROFILE == "fuzz" else (1 << at % 8,):
            public.certificate.write_bytes(whole[:at] + bytes([whole[at] ^ mask]) + whole[at + 1 :])
            assert public.check()[0] in (1, 2), (at, mask)


def test_no_truncated_certificate_is_accepted(public: Published) -> None:
    whole = public.certificate.read_bytes()
    for size in range(0, len(whole), 1 if PROFILE == "fuzz" else 9):
        public.certificate.write_bytes(whole[:size])
        assert public.check()[0] == 2
        assert public.check(trusted=False)[0] == 2


def test_no_changed_byte_of_the_file_is_accepted(public: Published) -> None:
    for at in range(len(SAFE)):
        public.file.write_bytes(SAFE[:at] + bytes([SAFE[at] ^ 1]) + SAFE[at + 1 :])
        code, text = public.check()
        assert (code, "is not the file of the certificate" in text) == (1, True)


def test_another_key_is_not_accepted(public: Published, tmp_path: Path) -> None:
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))
    assert public.check(key=save_public(other, tmp_path / "other.pub"))[0] == 1
    public.certificate.write_bytes(signed(public.document(), other))  # by the other, in the name of the first
    assert public.check()[0] == 1
    assert public.check(key=tmp_path / "other.pub")[0] == 1
    (tmp_path / "no.pub").write_bytes(b"no key")
    assert public.check(key=tmp_path / "no.pub")[0] == 2
    assert public.check(key=tmp_path / "not-there.pub")[0] == 2


def _set(*path: Any) -> Change:
    """Return a change: the last is the value, those before say where."""

    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for name in path[:-2]:
            place = place[name]
        place[path[-2]] = path[-1]

    return change


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (_set("predicate", "new", [1]), 0),
        (_set("predicate", "model", "options", "k", 3), 1),
        (_set("predicate", "data", "records", 5), 1),
        (_set("predicate", "check", "holds", False), 1),
        (_set("predicate", "model", "name", "transactional-k"), 2),  # it has no m
        (_set("predicate", "model", {"name": "transactional-k", "options": {"k": 2}}), 1),
        (_set("predicate", "model", "name", "km-negative"), 2),
        (_set("predicate", "model", "options", {"k": 2}), 2),
        (_set("predicate", "model", "options", {"k": 2, "m": 0}), 2),
        (_set("predicate", "model", "options", {"k": 1, "m": 2}), 2),
        (_set("predicate", "model", "options", {"k": True, "m": 2}), 2),
        (_set("predicate", "model", "options", {"k": 2.0, "m": 2}), 2),
        (_set("predicate", "model", "options", {"k": 2, "m": "every"}), 2),
        (_set("predicate", "model", "options", {"k": 2, "m": 2, "negative": True}), 2),
        (_set("predicate", "model", {"name": "lm", "options": {"l": 2, "m": "all", "sensitive": ["a"]}}), 2),
        (_set("predicate", "model", {"name": "lm", "options": {"l": 2, "m": 1, "sensitive": "a"}}), 2),
        (_set("predicate", "model", {"name": "lm", "options": {"l": 2, "m": 1, "sensitive": []}}), 2),
        (_set("predicate", "model", {"name": "lm", "options": {"l": 2, "m": 1, "sensitive": ["c"]}}), 2),
        (_set("predicate", "model", {"name": "k", "options": {"k": 2}}), 2),  # no columns
        (_set("predicate", "data", "quasi_identifiers", ["a"]), 2),
        (_set("predicate", "data", "reading", {}), 2),
        (_set("predicate", "data", "reading", {"format": "parquet"}), 2),
        (_set("predicate", "data", "reading", {"format": "basket", "quotes": True}), 2),
        (_set("predicate", "data", "reading", {"format": "basket", "multiset": True}), 2),
        (_set("predicate", "data", "reading", {"format": "basket", "delimiter": ""}), 2),
        (_set("predicate", "data", "reading", {"format": "basket", "delimiter": "\n"}), 2),
        (_set("predicate", "data", "reading", {"format": "basket", "sets": "items"}), 2),
        (_set("predicate", "data", "reading", {"format": "fimi", "delimiter": ","}), 2),
        (_set("predicate", "data", "reading", {"format": "csv"}), 2),
        (_set("predicate", "data", "reading", {"format": "csv", "sets": "a", "header": 1}), 2),
        (_set("predicate", "data", "files", []), 2),
        (_set("predicate", "data", "files", ["public.basket", "public.basket"]), 2),
        (_set("predicate", "data", "files", ["other.basket"]), 2),
        (_set("predicate", "data", "codebook", "public.codebook.csv"), 2),
        (_set("subject", 0, "name", "../public.basket"), 2),
        (_set("subject", 0, "name", ".."), 2),
        (_set("subject", 0, "name", ""), 2),
        (_set("subject", 0, "digest", {"sha256": sha256(SAFE).upper()}), 1),
        (_set("subject", 0, "digest", {"sha512": "00"}), 2),
        (_set("subject", []), 2),
        (_set("_type", "https://in-toto.io/Statement/v2"), 2),
        (_set("predicateType", "urn:shoal:certificate:2"), 2),
        (_set("predicateType", ["urn:shoal:certificate:1"]), 2),
        (_set("predicate", {}), 2),
        (_set("predicate", None), 2),
        *((_set("predicate", name, None), 2) for name in ("model", "check", "data")),
    ],
)
def test_every_other_statement_is_judged(public: Published, change: Change, wanted: int) -> None:
    public.leave_unsigned(change)
    code, text = public.check(trusted=False)
    assert (code, "Traceback" in text) == (wanted, False), text
    if wanted != 2:
        public.sign(change)
        assert public.check()[0] == wanted


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:-1] + b',"subject":[]}',  # a field twice
        lambda text: text.replace(b'"k":2', b'"k":2,"k":2'),
        lambda text: text.replace(b'"records":4', b'"records":NaN'),
        lambda text: text.replace(b'"records":4', b'"records":Infinity'),
        lambda text: text + b"x",
        lambda text: text + b" " * (4 << 20),
        lambda text: text.replace(b"title", b"\xff"),
        lambda text: b"[" * 100_000,
        lambda text: b"",
        lambda text: b"[]",
        lambda text: b"null",
    ],
)
def test_what_is_no_strict_json_cannot_be_checked(public: Published, spoil: Callable[[bytes], bytes]) -> None:
    public.leave_unsigned()
    public.certificate.write_bytes(spoil(public.certificate.read_bytes()))
    assert public.check(trusted=False)[0] == 2


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        ("payloadType", "application/json", 2),
        ("payload", None, 2),
        ("payload", "e30", 2),
        ("payload", "e31=", 2),  # not canonical
        ("payload", "e30=\n", 2),
        ("signatures", [], 2),
        ("signatures", [{"sig": "AA=="}], 1),
        ("signatures", [{"sig": "AA=="}, {"sig": "AA=="}], 2),
        ("signatures", [{"keyid": "AA=="}], 2),
        ("unknown", 1, 0),
    ],
)
def test_every_other_envelope_is_judged(public: Published, field: str, value: Any, wanted: int) -> None:
    envelope = json.loads(public.certificate.read_bytes())
    public.certificate.write_bytes(compact(envelope | {field: value}))
    assert public.check()[0] == wanted


def test_it_is_broken_if_the_guarantee_does_not_hold(tmp_path: Path) -> None:
    code, text = Published(tmp_path, b"a,b\na,b\n\nc\n").check()
    assert (code, "does not hold: ['c'] fits 1, fewer than 2" in text) == (1, True)


def test_options_beside_a_certificate_are_refused(public: Published) -> None:
    assert public.check("--model", "km")[0] == 2
    assert public.check("--sets", "items")[0] == 2
    assert run(public.file, "--public-key", public.key, "--model", "km", "--k", 2, "--m", 2, "--format", "fimi")[0] == 2


def test_the_code_book_is_checked_next_to_the_file(tmp_path: Path) -> None:
    public, book = Published(tmp_path), tmp_path / "public.codebook.csv"
    book.write_text("label,parent,item\n", encoding="utf-8")
    document = statement([public.file], "km", {"k": 2, "m": 2}, READING, 4, codebook=book)
    public.certificate.write_bytes(compact(document))
    assert public.check(trusted=False)[0] == 0
    book.write_text("label,parent,item\na,b,c\n", encoding="utf-8")
    code, text = public.check(trusted=False)
    assert (code, "public.codebook.csv is not the file" in text) == (1, True)
    book.unlink()
    assert public.check(trusted=False)[0] == 2


def test_a_folder_of_parts_is_one_file(tmp_path: Path) -> None:
    folder = tmp_path / "public"
    data = shoal.read([["a", "b"], ["c"], ["a", "b"], ["c"]])
    io.write_parts(data, folder, 2, format="csv")
    reading, parts = io.options_to_read(data, folder, format="csv"), sorted(folder.iterdir())
    certificate = tmp_path / "certificate.json"

    def check(files: list[Path], options: dict[str, Any]) -> int:
        certificate.write_bytes(compact(statement(files, "km", options, reading, 2 * len(files))))
        return run(folder, "--certificate", certificate)[0]

    assert check(parts, {"k": 2, "m": 2}) == 0
    assert check(parts, {"k": 3, "m": 2}) == 1
    assert check(parts[:1], {"k": 2, "m": 2}) == 1  # the other part would be read, too
    assert check([], {"k": 2, "m": 2}) == 2
    (folder / "part-00002.csv").write_bytes(parts[0].read_bytes())
    assert check(parts, {"k": 2, "m": 2}) == 1
    (folder / "part-00002.csv").unlink()
    parts[1].write_bytes(b"items\na\n")
    code, text = run(folder, "--certificate", certificate)
    assert (code, "part-00001.csv is not the file" in text) == (1, True)
    parts[1].unlink()
    assert run(folder, "--certificate", certificate)[0] == 2


@pytest.mark.parametrize(
    ("content", "reading"),
    [
        (b"", {"format": "fimi"}),
        (b"PAR1\0", {"format": "fimi"}),
        (b"\x28\xb5\x2f\xfd", {"format": "fimi"}),
        (b"\xff\xfea\0", {"format": "fimi"}),
        (b"\xe4", {"format": "fimi"}),
        (gzip.compress(b"a b\n", mtime=0)[:-1], {"format": "fimi"}),
        (b'"a', {"format": "basket"}),
        (b'"a"b', {"format": "basket"}),
        (b'"a", b\n', {"format": "basket", "delimiter": ", "}),  # quotes need a delimiter of one character
        (b"items\n", {"format": "csv", "sets": "items", "item_delimiter": "|"}),
        (b"a,a\n1,1\n", {"format": "csv", "sets": "a", "item_delimiter": "|"}),
        (b"a,b\n1\n", {"format": "csv", "sets": "a", "item_delimiter": "|"}),
        (b"a,b\n\n", {"format": "csv", "sets": "a", "item_delimiter": "|"}),
        (b"a,b\n1,1\n", {"format": "csv", "sets": "c", "item_delimiter": "|"}),
        (b"a,b\n1,1\n", {"format": "csv", "sets": "a"}),
        (b"a,b\n1,1\n", {"format": "csv", "sets": "a", "item_delimiter": ""}),
        (b"a,b\n1,1\n", {"format": "csv", "sets": ["a", "b"], "item_delimiter": ["|"]}),
        (b"a,a.b\n1,1\n", {"format": "csv", "sets": ["a", "a.b"], "item_delimiter": "|"}),
        (b"a,b\n1,1\n", {"format": "csv", "no_sets": True, "sets": "a", "item_delimiter": "|"}),
        (b"id,item\n1,a\n ,b\n", {"format": "csv", "id_column": "id", "item_column": "item"}),
        (b"id,item\n1,a\n", {"format": "csv", "id_column": "id"}),
        (b'{"items": ["a"]}\n', {"format": "jsonl"}),
        (b'["a"]\n', {"format": "jsonl", "sets": "items"}),
        (b'["a"]\n\n["a"]\n', {"format": "jsonl"}),
        (b'["a"]\n{"items": ["a"]}\n', {"format": "jsonl"}),
        (b"[null]\n", {"format": "jsonl"}),
        (b"[true]\n", {"format": "jsonl"}),
        (b"[1.5]\n", {"format": "jsonl"}),
        (b"[[]]\n", {"format": "jsonl"}),
        (b'{"items": "a"}\n', {"format": "jsonl", "sets": "items"}),
        (b'{"items": ["a"], "items": ["a"]}\n', {"format": "jsonl", "sets": "items"}),
    ],
)
def test_what_cannot_be_read_for_sure_cannot_be_checked(
    tmp_path: Path, content: bytes, reading: dict[str, Any]
) -> None:
    file, certificate = tmp_path / "public", tmp_path / "certificate.json"
    file.write_bytes(content)
    certificate.write_bytes(compact(statement([file], "km", {"k": 2, "m": 1}, reading, 1)))
    code, text = run(file, "--certificate", certificate)
    assert (code, text.splitlines()[-1].startswith("CANNOT BE CHECKED: ")) == (2, True), text


@pytest.mark.parametrize("ids", [b"p\n", b"p\np\np\np\np\n", b"p\n\np\np\n", b"", b"\xff\n"])
def test_wrong_persons_cannot_be_checked(public: Published, tmp_path: Path, ids: bytes) -> None:
    (tmp_path / "persons.txt").write_bytes(ids)
    assert public.check("--persons", tmp_path / "persons.txt")[0] == 2


def test_persons_are_counted(public: Published, tmp_path: Path) -> None:
    persons = tmp_path / "persons.txt"
    persons.write_text("p\np\nq\nr\n", encoding="utf-8")
    assert public.check("--persons", persons)[0] == 1
    persons.write_text("p\nq\nq\np\n", encoding="utf-8")
    assert public.check("--persons", persons)[0] == 0


def test_it_runs_as_a_program(public: Published, tmp_path: Path) -> None:
    def program(*words: object) -> tuple[int, str, str]:
        done = subprocess.run(  # isolated: neither the project nor its packages can be imported by accident
            [sys.executable, "-I", SCRIPT, *map(str, words)], capture_output=True, cwd=tmp_path, check=False
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    code, text, errors = program(public.file, "--certificate", public.certificate, "--public-key", public.key)
    assert (code, text.count("\n"), errors) == (0, 3, "")
    table = tmp_path / "table.csv"
    table.write_text("age;items\n1;Käse|b\n1;Käse\n2;b\n", encoding="utf-8")
    reading = ("--format", "csv", "--delimiter", ";", "--sets", "items", "--item-delimiter", "|")
    assert program(table, "--model", "km", "--k", 2, "--m", 1, *reading)[0] == 0
    assert program(table, "--model", "k", "--k", 2, "--quasi-identifier", "age", *reading)[0] == 1
    assert program(table, "--model", "lm", "--l", 2, "--m", 1, "--sensitive", "Käse", *reading)[0] == 1
    assert program(table, "--model", "km", "--k", 2, "--m", "all", *reading)[0] == 1
    assert program(table, "--model", "km", "--k", 2, "--m", 1)[0] == 2
    assert program(table, "--unknown")[0] == 2
    assert program(tmp_path / "none", "--model", "km", "--k", 2, "--m", 1, *reading)[0] == 2
