"""Keys: made once, readable by others, and never shown. Covers: evidence/keys.py."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from shoal.errors import DataError, OptionError, OutputError
from shoal.evidence.keys import PrivateKey, PublicKey, describe, new_keys


def test_a_pair_of_keys_signs_and_checks(tmp_path: Path) -> None:
    private, public, key = new_keys(tmp_path / "k")
    signature = PrivateKey.load(private).sign(b"text")
    assert PublicKey.load(public) == key
    assert key.verifies(signature, b"text")
    assert not key.verifies(signature, b"Text")
    assert not PrivateKey.generate().public.verifies(signature, b"text")


def test_only_the_owner_can_read_the_private_key(tmp_path: Path) -> None:
    private, public, _ = new_keys(tmp_path / "k")
    assert private.stat().st_mode & 0o777 == 0o600
    assert public.stat().st_mode & 0o400


@pytest.mark.parametrize("there", ["k.key", "k.pub"])
def test_a_key_is_never_replaced(tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("mine", encoding="ascii")
    with pytest.raises(OutputError, match=f"{there} exists, and a key is never replaced"):
        new_keys(tmp_path / "k")
    assert [path.name for path in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text(encoding="ascii") == "mine"


def test_no_half_pair_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(path: Path, content: bytes, mode: int) -> None:
        if path.suffix == ".pub":
            raise OutputError("disk full")
        path.write_bytes(content)

    monkeypatch.setattr("shoal.evidence.keys._create", fails)
    with pytest.raises(OutputError, match="disk full"):
        new_keys(tmp_path / "k")
    assert not list(tmp_path.iterdir())


def test_a_passphrase_is_needed_and_must_be_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOAL_PASSPHRASE", raising=False)
    private, _, key = new_keys(tmp_path / "k", "open sesame")
    assert b"ENCRYPTED" in private.read_bytes()
    assert PrivateKey.load(private, "open sesame").public == key
    assert PrivateKey.load(private, lambda _: "open sesame").public == key
    with pytest.raises(OptionError, match="is encrypted: set its passphrase in the environment variable"):
        PrivateKey.load(private)
    with pytest.raises(OptionError, match="cannot be opened with this passphrase"):
        PrivateKey.load(private, "open wheat")
    monkeypatch.setenv("SHOAL_PASSPHRASE", "open sesame")
    assert PrivateKey.load(private).public == key
    assert describe(private) == {"kind": "private", "encrypted": True, "fingerprint": None}


def test_files_that_are_no_keys_are_refused(tmp_path: Path) -> None:
    private, public, _ = new_keys(tmp_path / "k")
    other = ec.generate_private_key(ec.SECP256R1())
    pem = serialization.Encoding.PEM
    (tmp_path / "ec.key").write_bytes(
        other.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    (tmp_path / "ec.pub").write_bytes(
        other.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    (tmp_path / "cut.key").write_bytes(private.read_bytes()[:60])
    (tmp_path / "noise").write_bytes(b"\0\xff" * 100)
    for name, load, message in (
        ("k.pub", PrivateKey.load, "is a public key: to sign, give the private key"),
        ("k.key", PublicKey.load, "is a private key, which nobody but the publisher may have"),
        ("ec.key", PrivateKey.load, "is a private key of another kind: wanted Ed25519"),
        ("ec.pub", PublicKey.load, "is a public key of another kind: wanted Ed25519"),
        ("cut.key", PrivateKey.load, "is not a private key"),
        ("noise", PrivateKey.load, "is not a private key"),
        ("noise", PublicKey.load, "is not a public key"),
    ):
        with pytest.raises(OptionError, match=message):
            load(tmp_path / name)
    with pytest.raises(DataError, match="does not exist"):
        PublicKey.load(tmp_path / "none.pub")
    assert describe(public)["fingerprint"] == describe(private)["fingerprint"]


def test_a_repr_does_not_show_the_key() -> None:
    key = PrivateKey.generate()
    assert key.raw.hex() not in repr(key)
    assert str(key.raw) not in repr(key)


def test_the_fingerprint_is_the_hash_that_openssl_prints(tmp_path: Path) -> None:
    _, public, key = new_keys(tmp_path / "k")
    der = serialization.load_pem_public_key(public.read_bytes()).public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert key.fingerprint == f"sha256:{hashlib.sha256(der).hexdigest()}"


def test_the_name_of_an_input_depends_on_the_key_and_on_every_file() -> None:
    one, other = PrivateKey(b"1" * 32), PrivateKey(b"2" * 32)
    names = {one.name_input(["a"]), one.name_input(["b"]), one.name_input(["a", "b"]), other.name_input(["a"])}
    assert len(names) == 4
    assert one.name_input(["a"]) == PrivateKey(b"1" * 32).name_input(["a"])
    assert hashlib.sha256(b"a").hexdigest() not in names


def test_nothing_loads_cryptography_before_a_key_is_used() -> None:
    code = "import sys, shoal.evidence.certificate, shoal.jobs.certified; print('cryptography' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_without_cryptography_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private, public, _ = new_keys(tmp_path / "k")
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives", None)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    for needs_it in (PrivateKey.generate, lambda: PrivateKey.load(private), lambda: PublicKey.load(public)):
        with pytest.raises(OptionError, match=r"pip install 'shoal\[sign\]'"):
            needs_it()
