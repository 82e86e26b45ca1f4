"""Certificates: files that say what was promised about a release, signed by its publisher.

A signed certificate is a DSSE envelope around an in-toto statement. One that is not signed is the statement alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from shoal import files
from shoal.errors import DataError
from shoal.evidence.claims import Claims
from shoal.evidence.envelope import Envelope
from shoal.evidence.keys import PrivateKey, PublicKey
from shoal.evidence.statement import published_model, statement_of
from shoal.files import atomic_output, strict_json
from shoal.release.certifier import Certifier
from shoal.release.release import Release

LARGEST = 4 * 2**20  # bytes of a certificate; a release of 10,000 columns has 1 MB

Signature = Literal["right", "wrong", "unsigned", "not checked"]


@dataclass(frozen=True)
class Certificate:
    """A certificate that was read. Nothing in it is trusted before its signature was checked.

    Parameters
    ----------
    name : str
        The file, for messages.
    content : bytes
        The statement as JSON.
    envelope : Envelope, optional
        The envelope with the signatures. None: the certificate is not signed.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> release = shoal.anonymize([["ale"], ["ale"], ["rye"], ["rye"]], k=2, m=1)
    >>> key = PrivateKey.generate()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = release.save(Path(folder, "public.dat"), certificate=Path(folder, "c.json"), key=key)
    ...     certificate = Certificate.load(Path(folder, "c.json"))
    >>> certificate.signature(key.public), certificate.claims.model
    ('right', Km(k=2, m=1))
    """

    name: str
    content: bytes
    envelope: Envelope | None = None

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate. Only its outer form is checked.

        Raises
        ------
        DataError
            The file is too large, or is neither an envelope nor a statement.
        """
        name = Path(path).name
        with files.clear_errors(str(path)), open(path, "rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise DataError(f"{path} has more than {LARGEST:,} bytes: this is no certificate.")
        document = strict_json.loads(content, name)
        if not isinstance(document, dict):
            raise DataError(f"{path} is no certificate: wanted a JSON object.")
        if "payloadType" not in document and "payload" not in document:
            return cls(name, content)
        envelope = Envelope.read(document, name)
        return cls(name, envelope.payload, envelope)

    def signature(self, key: PublicKey | None) -> Signature:
        """Return what the signature is worth to somebody who trusts a key."""
        if self.envelope is None:
            return "unsigned"
        if key is None:
            return "not checked"
        return "right" if self.envelope.signed_by(key) and self.claims.signer == key.fingerprint else "wrong"

    @property
    def claims(self) -> Claims:
        """What the certificate claims.

        Raises
        ------
        DataError
            The statement is of another version, or damaged.
        """
        return Claims.of(strict_json.loads(self.content, self.name), self.name)


class ReleaseCertifier(Certifier):
    """Writes the certificate of a release."""

    name = "certificate"

    def check(self, release: Release) -> None:
        """Refuse a release without published sensitive values, if the model is about them."""
        published_model(release)

    def write(self, release: Release, path: Path, key: Any) -> dict[str, Any]:
        """Write the certificate, signed if a key is given. Return its name, its hash and the fingerprint of the key."""
        private = key if key is None or isinstance(key, PrivateKey) else PrivateKey.load(key)
        statement = statement_of(release, private)
        if private is None:
            content = (json.dumps(statement, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
        else:
            content = Envelope.signed(strict_json.dumps(statement), private).as_json()
        with atomic_output(path) as file:
            file.write(content)
        signer = None if private is None else private.public.fingerprint
        return {"name": path.name, "sha256": files.sha256_of(path), "signer": signer}
