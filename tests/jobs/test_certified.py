"""Files checked against their certificates, and every way to tamper with them. Covers: jobs/certified.py."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import DataError, ShoalError
from shoal.evidence.envelope import Envelope
from shoal.files import strict_json
from shoal.jobs import certified
from tests.conftest import Shell
from tests.evidence.worlds import BASKETS, KEY, OTHER_KEY, TREE, saved


def outcome(file: Path, certificate: Path, key: Any = KEY.public, **more: Any) -> str | bool:
    """Return whether a check holds, or "error" if it cannot be made."""
    try:
        return shoal.verify_certificate(file, certificate, public_key=key, **more).holds
    except ShoalError as error:
        return "error" if error.exit_code == 2 else f"exit code {error.exit_code}"


def test_no_changed_byte_of_a_signed_certificate_is_accepted(tmp_path: Path) -> None:
    file, path = saved(tmp_path, None)

    def small(says: Any) -> None:
        says |= {"signer": KEY.public.fingerprint, "risk": None, "limits": [], "versions": {}}

    rewritten(path, small, KEY)
    content = path.read_bytes()
    assert outcome(file, path) is True
    assert len(content) < 2_500
    for at in range(len(content)):
        for bit in (1, 2, 4, 8, 16, 32, 64, 128) if at > len(content) - 100 else (1 << at % 8,):
            path.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
            assert outcome(file, path) is not True, (at, bit)


def test_no_changed_byte_of_the_file_is_accepted(tmp_path: Path) -> None:
    file, path = saved(tmp_path)
    content = file.read_bytes()
    for at in range(len(content)):
        file.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert outcome(file, path) is False, at


def test_no_changed_code_book_is_accepted(tmp_path: Path) -> None:
    rows = [[f"item {at % 9}", f"item {(at * 4 + 1) % 9}"] for at in range(30)]
    shoal.anonymize(rows, k=6, m=2).save(tmp_path / "p.csv", certificate=tmp_path / "c.json", key=KEY)
    book = tmp_path / "p.codebook.csv"
    assert outcome(tmp_path / "p.csv", tmp_path / "c.json") is True
    content = book.read_bytes()
    assert len(content.splitlines()) > 5
    for at in range(len(content)):
        book.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        check = shoal.verify_certificate(tmp_path / "p.csv", tmp_path / "c.json", public_key=KEY.public)
        assert (check.steps[-1].part, check.steps[-1].passed) == ("code book", False)
    book.rename(tmp_path / "elsewhere.csv")
    assert outcome(tmp_path / "p.csv", tmp_path / "c.json") == "error"
    (tmp_path / "elsewhere.csv").write_bytes(content)
    assert outcome(tmp_path / "p.csv", tmp_path / "c.json", codebook=tmp_path / "elsewhere.csv") is True


@pytest.mark.parametrize("left", [0, 1, 50, 0.5, -1])
def test_a_truncated_certificate_cannot_be_checked(tmp_path: Path, left: float) -> None:
    file, path = saved(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * left) if left == 0.5 else int(left)])
    assert outcome(file, path) == "error"


def test_another_key_is_noticed(tmp_path: Path) -> None:
    file, path = saved(tmp_path)
    assert outcome(file, path, OTHER_KEY.public) is False
    file, path = saved(tmp_path, OTHER_KEY)
    assert outcome(file, path) is False


def test_a_statement_that_names_another_signer_is_noticed(tmp_path: Path) -> None:
    """The key is right, but the certificate was made for another one."""
    file, path = saved(tmp_path, None)
    told = json.loads(path.read_bytes())
    told["predicate"]["signer"] = OTHER_KEY.public.fingerprint
    path.write_bytes(Envelope.signed(strict_json.dumps(told), KEY).as_json())
    assert outcome(file, path) is False


def test_a_certificate_without_a_signature_does_not_pass_for_a_signed_one(tmp_path: Path) -> None:
    file, path = saved(tmp_path, None)
    assert outcome(file, path) is False
    assert outcome(file, path, None) is True
    file, path = saved(tmp_path)
    stripped = Envelope.read(json.loads(path.read_bytes()), "c").payload
    path.write_bytes(stripped)
    assert outcome(file, path) is False
    document = json.loads(Envelope(stripped, ()).as_json())
    path.write_bytes(strict_json.dumps(document))
    assert outcome(file, path) == "error"  # an envelope without signatures


def test_a_signature_that_is_not_checked_is_called_so(tmp_path: Path) -> None:
    file, path = saved(tmp_path)
    check = shoal.verify_certificate(file, path)
    assert check.holds
    assert not check.signed
    assert check.steps[0].passed is None
    assert "was not checked" in check.steps[0].sentence


@pytest.mark.parametrize("key", [KEY, None])
def test_a_certificate_of_another_file_is_noticed(tmp_path: Path, key: Any) -> None:
    _, path = saved(tmp_path, key)
    other = shoal.anonymize(BASKETS[::-1], k=2, m=2, hierarchy=shoal.Hierarchy.from_tree(TREE))
    other.save(tmp_path / "other.csv")
    check = shoal.verify_certificate(tmp_path / "other.csv", path)
    assert check.steps[-1].part == "file"
    assert not check.holds


def test_a_renamed_file_is_the_same_file(tmp_path: Path) -> None:
    file, path = saved(tmp_path)
    file.rename(tmp_path / "renamed.csv")
    assert outcome(tmp_path / "renamed.csv", path) is True


def rewritten(path: Path, change: Any, key: Any) -> None:
    """Change the statement of a certificate, and sign it again if there is a key."""
    told = json.loads(path.read_bytes())
    change(told["predicate"])
    content = strict_json.dumps(told)
    path.write_bytes(content if key is None else Envelope.signed(content, key).as_json())


def test_a_stronger_claim_is_counted_and_refused(tmp_path: Path) -> None:
    """The publisher signs a lie, or nobody signs it: the count finds it."""
    for key in (KEY, None):
        file, path = saved(tmp_path, None)

        def lie(says: Any, key: Any = key) -> None:
            says["signer"] = None if key is None else key.public.fingerprint
            says["model"]["options"]["k"] = 4

        rewritten(path, lie, key)
        check = shoal.verify_certificate(file, path, public_key=None if key is None else key.public)
        assert (check.steps[-1].part, check.steps[-1].passed) == ("guarantee", False)
        assert check.verification is not None
        assert not check.verification.holds


def test_another_number_of_records_is_noticed(tmp_path: Path) -> None:
    file, path = saved(tmp_path, None)
    rewritten(path, lambda says: says["data"].update(records=5), None)
    check = shoal.verify_certificate(file, path)
    assert (check.steps[-1].part, check.steps[-1].passed) == ("records", False)


def test_persons_are_counted_if_their_file_is_given(tmp_path: Path) -> None:
    rows = [{"who": f"p{at % 5}", "items": ["a" if at % 2 else "b"]} for at in range(20)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "in.jsonl").write_text(lines, encoding="ascii")
    made = shoal.anonymize(tmp_path / "in.jsonl", k=3, m=1, sets="items", person="who")
    made.save(tmp_path / "p.jsonl", persons=tmp_path / "w.txt", certificate=tmp_path / "c.json", key=KEY)
    open_check = shoal.verify_certificate(tmp_path / "p.jsonl", tmp_path / "c.json", public_key=KEY.public)
    assert open_check.holds
    assert open_check.persons_open
    check = shoal.verify_certificate(
        tmp_path / "p.jsonl", tmp_path / "c.json", public_key=KEY.public, persons=tmp_path / "w.txt"
    )
    assert check.holds
    assert not check.persons_open
    (tmp_path / "w.txt").write_text("one\n" * 20, encoding="ascii")
    assert outcome(tmp_path / "p.jsonl", tmp_path / "c.json", persons=tmp_path / "w.txt") is False


def test_a_file_that_is_called_like_standard_input_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, path = saved(tmp_path)
    monkeypatch.chdir(tmp_path)
    file.rename("-")
    assert outcome(Path("-"), path) is True
    Path("-").write_text("items\nA\n", encoding="ascii")
    assert outcome(Path("-"), path) is False


def test_a_file_that_changes_while_it_is_checked_is_not_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, path = saved(tmp_path)
    read = vars(certified)["as_dataset"]

    def changed_before(*given: Any) -> Any:
        file.write_bytes(file.read_bytes() + file.read_bytes()[-5:])
        return read(*given)

    monkeypatch.setattr("shoal.jobs.certified.as_dataset", changed_before)
    with pytest.raises(DataError, match="was changed while it was checked"):
        shoal.verify_certificate(file, path, public_key=KEY.public)


def test_a_signature_that_was_removed_is_noticed_without_a_key(tmp_path: Path) -> None:
    file, path = saved(tmp_path)
    path.write_bytes(Envelope.read(json.loads(path.read_bytes()), "c").payload)
    check = shoal.verify_certificate(file, path)
    assert (check.steps[-1].part, check.steps[-1].passed) == ("signature", False)


HOSTILE = {
    "digits": lambda says: says.update(more=10**5000),
    "holds": lambda says: says["check"].update(holds=False),
    "no texts": lambda says: says["model"]["options"].update(sensitive=[[]]),
    "null ids": lambda says: says["data"]["reading"].update(id_column=[None]),
    "surrogate": lambda says: says["data"]["reading"].update(delimiter="\ud800"),
    "long name": lambda says: says["data"].update(codebook="x" * 300),
    "known": lambda says: says["data"].update(quasi_identifiers=["zip"]),
    "shown": lambda says: says.update(method="x", losses=[1], versions=3, optimality="y", limits="z", notes=4),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_certificates_are_errors_and_never_crash(tmp_path: Path, shell: Shell, name: str) -> None:
    file, path = saved(tmp_path, None)
    told = json.loads(path.read_bytes())
    HOSTILE[name](told["predicate"])
    sys.set_int_max_str_digits(0)
    try:
        path.write_text(json.dumps(told), encoding="utf-8")
    finally:
        sys.set_int_max_str_digits(4300)
    for more in ((), ("--json",)):
        code, _, err = shell("verify", str(file), "--certificate", str(path), *more)
        assert code == {"shown": 0, "holds": 1}.get(name, 2), err


def test_infinite_numbers_and_many_keys_are_refused_quickly(tmp_path: Path) -> None:
    file, path = saved(tmp_path, None)
    path.write_bytes(path.read_bytes().replace(b'"losses": {', b'"losses": {"x": 1e999, ', 1))
    assert outcome(file, path, None) == "error"
    path.write_text("{" + ",".join(f'"{at}":1' for at in range(200_000)) + ',"199999":2}', encoding="ascii")
    assert outcome(file, path, None) == "error"


def test_a_check_of_what_is_missing_is_an_error(tmp_path: Path) -> None:
    file, path = saved(tmp_path)
    assert outcome(tmp_path / "none.csv", path) == "error"
    assert outcome(file, tmp_path / "none.json") == "error"
    assert outcome(file, path, tmp_path / "none.pub") == "error"
    assert outcome(file, file) == "error"
    assert outcome(file, path, codebook=file) == "error"  # the certificate names none
