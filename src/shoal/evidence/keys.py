"""Ed25519 keys: with the private one, a publisher signs certificates. With the public one, anybody checks them.

Keys are PEM files: PKCS #8 for the private key, SubjectPublicKeyInfo for the public one, so other tools read them, too.
The package ``cryptography`` is imported when a key is used.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from shoal import files
from shoal.errors import OptionError, OutputError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

NAMING = b"shoal: names of inputs in certificates, 1"  # what the derived key is for
PASSPHRASE = "SHOAL_PASSPHRASE"  # the environment variable with the passphrase of a private key
MISSING = "Signatures need the package cryptography: install it with pip install 'shoal[sign]'."
Passphrase = bytes | str | Callable[[str], bytes | str | None] | None  # a function is asked for that of a file


@dataclass(frozen=True)
class PublicKey:
    """A public key. It checks the signatures of its private key.

    Parameters
    ----------
    raw : bytes
        The 32 bytes of the key.

    Examples
    --------
    >>> private = PrivateKey.generate()
    >>> private.public.verifies(private.sign(b"text"), b"text"), private.public.verifies(private.sign(b"a"), b"b")
    (True, False)
    """

    raw: bytes

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a public key from a PEM file.

        Raises
        ------
        OptionError
            The file is no Ed25519 public key.
        """
        with _installed():
            from cryptography.hazmat.primitives import serialization
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        text = files.raw(path)
        if b"PRIVATE KEY" in text:
            raise OptionError(
                f"{path} is a private key, which nobody but the publisher may have: give the public key, NAME.pub."
            )
        with _readable(path, "public"):
            key = serialization.load_pem_public_key(text)
        if not isinstance(key, Ed25519PublicKey):
            raise OptionError(f"{path} is a public key of another kind: wanted Ed25519, as 'shoal keys new' makes.")
        return cls(key.public_bytes_raw())

    @property
    def _key(self) -> Ed25519PublicKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        return Ed25519PublicKey.from_public_bytes(self.raw)

    @property
    def der(self) -> bytes:
        """The key as SubjectPublicKeyInfo in DER, the bytes that the fingerprint is taken of."""
        from cryptography.hazmat.primitives import serialization

        return self._key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)

    @property
    def pem(self) -> bytes:
        """The key as a PEM file."""
        from cryptography.hazmat.primitives import serialization

        return self._key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 hash of the key, as certificates name it. People compare it by telephone or on a web page."""
        return f"sha256:{hashlib.sha256(self.der).hexdigest()}"

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Return whether the private key made this signature of the message."""
        from cryptography.exceptions import InvalidSignature

        try:
            self._key.verify(signature, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, repr=False)
class PrivateKey:
    """A private key. It signs certificates, and names inputs in them. Its ``repr`` does not show it.

    Parameters
    ----------
    raw : bytes
        The 32 bytes of the key. Keep them secret.

    Examples
    --------
    >>> PrivateKey.generate()
    PrivateKey(sha256:...)
    """

    raw: bytes

    def __repr__(self) -> str:
        """Show the fingerprint of the public key only."""
        return f"PrivateKey({self.public.fingerprint})"

    @classmethod
    def generate(cls) -> Self:
        """Make a new key, from the randomness of the operating system."""
        with _installed():
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def load(cls, path: str | Path, passphrase: Passphrase = None) -> Self:
        """Read a private key from a PEM file.

        Parameters
        ----------
        path
            The file.
        passphrase
            What the file is encrypted with, or a function that asks for that of a file, called only if it is needed.
            Default: the environment variable SHOAL_PASSPHRASE.

        Raises
        ------
        OptionError
            The file is no Ed25519 private key, or the passphrase is wrong.
        """
        with _installed():
            from cryptography.hazmat.primitives import serialization
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        text = files.raw(path)
        if b"PUBLIC KEY" in text:
            raise OptionError(f"{path} is a public key: to sign, give the private key, NAME.key.")
        secret = None
        if b"ENCRYPTED" in text:
            given = passphrase(str(path)) if callable(passphrase) else passphrase or os.environ.get(PASSPHRASE)
            if not given:
                raise OptionError(
                    f"{path} is encrypted: set its passphrase in the environment variable {PASSPHRASE}, or pass "
                    f"PrivateKey.load(path, passphrase)."
                )
            secret = given.encode() if isinstance(given, str) else given
        with _readable(path, "private"):
            key = serialization.load_pem_private_key(text, secret)
        if not isinstance(key, Ed25519PrivateKey):
            raise OptionError(f"{path} is a private key of another kind: wanted Ed25519, as 'shoal keys new' makes.")
        return cls(key.private_bytes_raw())

    @property
    def _key(self) -> Ed25519PrivateKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.raw)

    @property
    def public(self) -> PublicKey:
        """The public key that belongs to it."""
        return PublicKey(self._key.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message."""
        return self._key.sign(message)

    def pem(self, passphrase: bytes | None = None) -> bytes:
        """Return the key as a PEM file, encrypted if a passphrase is given."""
        from cryptography.hazmat.primitives import serialization

        kind = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
        return self._key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, kind)

    def name_input(self, hashes: list[str]) -> str:
        """Return the name of an input that only the owner of this key can make, from the hashes of its files.

        A plain hash would let anybody confirm a guess about a small or public file.
        """
        from cryptography.hazmat.primitives import hashes as algorithms
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        derived = HKDF(algorithm=algorithms.SHA256(), length=32, salt=None, info=NAMING).derive(self.raw)
        return hmac.digest(derived, "\n".join(hashes).encode(), "sha256").hex()


def new_keys(name: str | Path, passphrase: str | None = None) -> tuple[Path, Path, PublicKey]:
    """Make a pair of keys, and write them to NAME.key and NAME.pub. Existing files are never replaced.

    Parameters
    ----------
    name
        The path of both files, without a suffix. Only the owner can read NAME.key.
    passphrase
        What to encrypt NAME.key with. Default: it is not encrypted.

    Returns
    -------
    tuple of Path, Path, PublicKey
        The files of the private and of the public key, and the public key.

    Raises
    ------
    OutputError
        One of the files exists, or cannot be written. Then none is written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     private, public, key = new_keys(Path(folder, "clinic"), passphrase="correct horse")
    ...     private.name, public.name, oct(private.stat().st_mode)[-3:], PublicKey.load(public) == key
    ('clinic.key', 'clinic.pub', '600', True)
    """
    if not Path(name).name:
        raise OptionError("The name of the keys is empty: give one, such as clinic.")
    if passphrase == "":
        raise OptionError("The passphrase is empty: give another, or leave passphrase= out for a key without one.")
    private, public = (Path(f"{name}{suffix}") for suffix in (".key", ".pub"))
    for path in (private, public):
        files.check_writable(path)
        if os.path.lexists(path):
            raise OutputError(f"{path} exists, and a key is never replaced: choose another name, or move it away.")
    key = PrivateKey.generate()
    with _removed_on_error(private):
        _create(private, key.pem(passphrase.encode() if passphrase else None), 0o600)
        _create(public, key.public.pem, 0o644)
    return private, public, key.public


def _create(path: Path, content: bytes, mode: int) -> None:
    """Write a new file. A file that has appeared in the meantime is an error."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        with open(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {files.reason(error)}.") from None


@contextmanager
def _removed_on_error(path: Path) -> Iterator[None]:
    """Remove a file that the block made, if the block ends with an error."""
    there = os.path.lexists(path)
    try:
        yield
    except BaseException:
        if not there:
            path.unlink(missing_ok=True)
        raise


@contextmanager
def _installed() -> Iterator[None]:
    """Turn the error about a missing package into one sentence."""
    try:
        yield
    except ImportError:
        raise OptionError(MISSING) from None


@contextmanager
def _readable(path: str | Path, kind: str) -> Iterator[None]:
    """Turn errors on reading a PEM file into one sentence."""
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        yield
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        if kind == "private" and "password" in str(error).lower():
            raise OptionError(f"{path} cannot be opened with this passphrase: check it.") from None
        raise OptionError(
            f"{path} is not a {kind} key: wanted a PEM file as 'shoal keys new' writes it, or the file is damaged."
        ) from None


def describe(path: str | Path) -> dict[str, Any]:
    """Return what a key file holds: its kind, its fingerprint if it can be known without a passphrase.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     private, public, _ = new_keys(Path(folder, "clinic"))
    ...     about = describe(public)
    ...     about["kind"], about["fingerprint"] == describe(private)["fingerprint"]
    ('public', True)
    """
    text = files.raw(path)
    encrypted = b"ENCRYPTED" in text
    if b"PRIVATE KEY" not in text:
        return {"kind": "public", "encrypted": False, "fingerprint": PublicKey.load(path).fingerprint}
    fingerprint = None if encrypted else PrivateKey.load(path).public.fingerprint
    return {"kind": "private", "encrypted": encrypted, "fingerprint": fingerprint}
