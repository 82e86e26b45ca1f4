"""DSSE envelopes: a payload, its type, and signatures of both (https://github.com/secure-systems-lab/dsse).

An envelope is written as compact JSON without a key id, and its base64 is read strictly. So a change of any byte makes
it unreadable, or its signature wrong.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any

from shoal.errors import DataError
from shoal.evidence.keys import PrivateKey, PublicKey
from shoal.files import strict_json

PAYLOAD_TYPE = "application/vnd.in-toto+json"


def encoded_for_signing(kind: str, body: bytes) -> bytes:
    """Return the bytes that are signed: DSSE's pre-authentication encoding of a type and a body.

    >>> encoded_for_signing("http://example.com/HelloWorld", b"hello world")
    b'DSSEv1 29 http://example.com/HelloWorld 11 hello world'
    """
    name = kind.encode()
    return b"DSSEv1 %d %b %d %b" % (len(name), name, len(body), body)


@dataclass(frozen=True)
class Envelope:
    """A payload with its signatures.

    Parameters
    ----------
    payload : bytes
        What is signed.
    signatures : tuple of bytes
        Its signatures.

    Examples
    --------
    >>> key = PrivateKey.generate()
    >>> envelope = Envelope.signed(b"{}", key)
    >>> Envelope.read(strict_json.loads(envelope.as_json(), "c.json"), "c.json") == envelope
    True
    >>> envelope.signed_by(key.public), envelope.signed_by(PrivateKey.generate().public)
    (True, False)
    """

    payload: bytes
    signatures: tuple[bytes, ...]

    @classmethod
    def signed(cls, payload: bytes, key: PrivateKey) -> Envelope:
        """Sign a payload."""
        return cls(payload, (key.sign(encoded_for_signing(PAYLOAD_TYPE, payload)),))

    @classmethod
    def read(cls, document: Any, name: str) -> Envelope:
        """Return the envelope of a JSON document.

        Raises
        ------
        DataError
            A field is missing, or has another type or another payload type.
        """
        if document.get("payloadType") != PAYLOAD_TYPE:
            raise DataError(f"{name} is an envelope of another kind: wanted the payloadType {PAYLOAD_TYPE}.")
        listed = document.get("signatures")
        if not isinstance(listed, list) or len(listed) != 1 or not isinstance(listed[0], dict):
            raise DataError(f"{name} is an envelope with another number of signatures than one: it is damaged.")
        payload = _decoded(document.get("payload"), "payload", name)
        return cls(payload, tuple(_decoded(one.get("sig"), "signature", name) for one in listed))

    def signed_by(self, key: PublicKey) -> bool:
        """Return whether one of the signatures was made with the private key that belongs to this public one."""
        message = encoded_for_signing(PAYLOAD_TYPE, self.payload)
        return any(key.verifies(signature, message) for signature in self.signatures)

    def as_json(self) -> bytes:
        """Return the envelope as compact JSON."""
        signatures = [{"sig": base64.b64encode(one).decode()} for one in self.signatures]
        payload = base64.b64encode(self.payload).decode()
        return strict_json.dumps({"payload": payload, "payloadType": PAYLOAD_TYPE, "signatures": signatures})


def _decoded(text: Any, what: str, name: str) -> bytes:
    """Return the bytes of a base64 text. A text that no encoder writes is an error."""
    try:
        decoded = base64.b64decode(text, validate=True) if isinstance(text, str) else None
    except (binascii.Error, ValueError):
        decoded = None
    if decoded is None or base64.b64encode(decoded).decode() != text:
        raise DataError(f"The {what} in {name} is not base64: it is damaged.")
    return decoded
