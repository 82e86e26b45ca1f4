"""Keys and certificates on the command line.

Covers: cli/certificates.py, cli/keys.py, cli/verify.py, cli/witnesses.py, release/dates.py.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.cli import keys
from tests.conftest import Shell

MAKE = ("anonymize", "in.basket", "-o", "out.csv", "--hierarchy", "h.csv", "--k", "2", "--certificate", "c.json")
CHECK = ("verify", "out.csv", "--certificate", "c.json")


@pytest.fixture
def desk(shell: Shell) -> Shell:
    assert shell("keys", "new", "clinic")[0] == 0
    return shell


def test_the_way_from_keys_to_a_decision(desk: Shell) -> None:
    code, out, _ = desk(*MAKE, "--key", "clinic.key")
    assert code == 0
    assert "c.json (signed)" in out
    code, out, _ = desk(*CHECK, "--public-key", "clinic.pub")
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()[:4]] == [
        ["right", "signature:"],
        ["right", "file:"],
        ["right", "records:"],
        ["right", "guarantee:"],
    ]
    assert "- It says nothing about an attacker who knows more than 2 items of a record." in out
    assert out.endswith("Holds. The owner of the key signed this file, and its promise holds.\n")


def test_what_failed_is_said(desk: Shell) -> None:
    desk(*MAKE, "--key", "clinic.key")
    desk("keys", "new", "other")
    code, out, _ = desk(*CHECK, "--public-key", "other.pub")
    assert code == 1
    assert out.startswith("WRONG  signature: The certificate names the key sha256:")
    assert out.endswith("Failed. Nothing about the file is proved. Do not rely on it.\n")
    assert "What the certificate says" not in out  # nothing in it can be trusted
    path = desk.folder / "out.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("b1", "b2", 1), encoding="utf-8")
    code, out, _ = desk(*CHECK, "--public-key", "clinic.pub")
    assert code == 1
    assert "WRONG  file: out.csv is not the file of the certificate: its hash differs." in out
    assert out.endswith("Failed. The file is not what the certificate says. Do not rely on it.\n")


def test_a_broken_promise_shows_what_an_attacker_could_use(desk: Shell) -> None:
    desk(*MAKE)
    path = desk.folder / "c.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"k": 2', '"k": 4'), encoding="utf-8")
    code, out, _ = desk(*CHECK)
    assert code == 1
    assert "WRONG  guarantee: The file is not k^m-anonymity" in out
    assert "an attacker who knows" in out


def test_without_a_key_nothing_is_proved(desk: Shell) -> None:
    desk(*MAKE)
    code, out, _ = desk(*CHECK)
    assert code == 0
    assert out.startswith("open   signature: The certificate is not signed. Anybody can have written it.")
    assert out.endswith("Who wrote them is not proved.\n")
    assert desk(*CHECK, "--public-key", "clinic.pub")[0] == 1
    desk(*MAKE, "--key", "clinic.key")
    code, out, _ = desk(*CHECK)
    assert code == 0
    assert "give the key of the publisher with --public-key" in out


def test_options_that_the_certificate_says_are_refused(desk: Shell) -> None:
    desk(*MAKE)
    assert "--k would say: leave out one of the two" in desk.fails(*CHECK, "--k", "2")
    assert "--sets would say" in desk.fails(*CHECK, "--sets", "items")
    assert "name it with --certificate" in desk.fails("verify", "out.csv", "--public-key", "clinic.pub")


def test_bad_files_are_errors(desk: Shell) -> None:
    desk(*MAKE, "--key", "clinic.key")
    assert "is not JSON" in desk.fails("verify", "out.csv", "--certificate", "out.csv")
    assert "does not exist" in desk.fails("verify", "out.csv", "--certificate", "none.json")
    assert "is a private key" in desk.fails(*CHECK, "--public-key", "clinic.key")
    assert "is not a public key" in desk.fails(*CHECK, "--public-key", "h.csv")
    assert "clinic.key exists, and a key is never replaced" in desk.fails("keys", "new", "clinic")
    assert "The name of the keys is empty" in desk.fails("keys", "new", "")


def test_a_certificate_is_refused_before_any_work(desk: Shell) -> None:
    make = ("anonymize", "in.basket", "--hierarchy", "h.csv", "--k", "2")
    assert "name its file with --certificate" in desk.fails(*make, "-o", "new.csv", "--key", "clinic.key")
    told = desk.fails(*make, "-o", "-", "--certificate", "c2.json")
    assert "it goes to standard output: name a file" in told
    assert "must be different" in desk.fails(*make, "-o", "c2.json", "--certificate", "c2.json")
    assert "is an input too" in desk.fails(*make, "-o", "new.csv", "--certificate", "h.csv")
    signed = (*make, "-o", "new.csv", "--certificate", "c2.json", "--key")
    for key in ("clinic.key", "clinic.pub"):
        assert "a key is never replaced" in desk.fails(*signed[:-2], key, "--key", "clinic.key")
    assert "is a public key" in desk.fails(*signed, "clinic.pub")
    assert "does not exist" in desk.fails(*signed, "none.key")


def test_a_problem_file_names_certificate_and_key(desk: Shell) -> None:
    problem = (
        '[data]\nfile = "in.basket"\n[items]\nhierarchy = "h.csv"\n[model]\nk = 2\n'
        '[output]\nfile = "out.csv"\ncertificate = "c.json"\nkey = "clinic.key"\n'
    )
    desk.write("p.toml", problem)
    assert desk("run", "p.toml")[0] == 0
    assert desk(*CHECK, "--public-key", "clinic.pub")[0] == 0


def test_a_passphrase_comes_from_the_environment_or_a_person(desk: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "There is no terminal to ask" in desk.fails("keys", "new", "safe", "--passphrase")
    monkeypatch.setenv("SHOAL_PASSPHRASE", "open sesame")
    assert desk("keys", "new", "safe", "--passphrase")[0] == 0
    assert desk(*MAKE, "--key", "safe.key")[0] == 0
    monkeypatch.delenv("SHOAL_PASSPHRASE")
    assert "safe.key is encrypted: set its passphrase" in desk.fails(*MAKE, "--key", "safe.key")
    answers = {"Passphrase of safe.key": "open sesame"}
    monkeypatch.setattr(keys, "_ask", lambda question, **_: answers[question])
    assert desk(*MAKE, "--key", "safe.key")[0] == 0
    monkeypatch.setattr(keys, "_ask", lambda *_, **__: "wrong")
    assert "cannot be opened with this passphrase" in desk.fails(*MAKE, "--key", "safe.key")
    code, out, _ = desk("keys", "show", "safe.key")
    assert code == 0
    assert "unknown: the key is encrypted" in out


def test_keys_are_shown_without_the_key(desk: Shell) -> None:
    _, private, _ = desk("keys", "show", "clinic.key")
    _, public, _ = desk("keys", "show", "clinic.pub")
    fingerprint = public.split()[-1]
    assert fingerprint.startswith("sha256:")
    assert fingerprint in private
    body = (desk.folder / "clinic.key").read_text(encoding="ascii").splitlines()[1]
    assert body not in private


def test_reports_and_certificates_have_the_date_of_the_environment(
    desk: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    texts = set()
    for _ in range(2):
        assert (
            desk(*MAKE, "--key", "clinic.key", "--report", "r.json", "--report", "r.html", "--report", "r.md")[0] == 0
        )
        texts.add(tuple(Path(desk.folder, name).read_bytes() for name in ("c.json", "r.json", "r.html", "r.md")))
    assert len(texts) == 1
    report = json.loads((desk.folder / "r.json").read_text(encoding="utf-8"))
    assert report["provenance"]["created"] == "2023-11-14 22:13 UTC"
    assert report["timings"] == {}


@pytest.mark.parametrize("flag", ["--certificate", "--public-report", "--context"])
def test_a_cluster_makes_nothing_that_needs_all_records_in_one_place(desk: Shell, flag: str) -> None:
    desk.write("c.toml", '[release]\npurpose = "x"\n')
    value = {"--context": "c.toml", "--public-report": "p.html"}.get(flag, "new.json")
    more = ("--report", "r.html") if flag == "--context" else ()
    told = desk.fails("anonymize", "in.basket", "-o", "new.csv", "--k", "2", flag, value, *more, "--engine", "dask")
    assert f"{flag} needs figures of risk, for which all records must be on one machine" in told
