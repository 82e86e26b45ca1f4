"""The second verifier, run in this process, and certificates made by hand for it."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib.util
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

SCRIPT = Path(__file__).parents[2] / "verifier" / "shoal_check.py"
PAYLOAD = "application/vnd.in-toto+json"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("shoal_check", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SHOAL_CHECK = _load()


def run(*words: object) -> tuple[int, str]:
    """Return the exit code, and what was printed."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = SHOAL_CHECK.main([str(word) for word in words])
    return code, printed.getvalue()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def statement(
    files: Sequence[Path],
    model: str,
    options: Mapping[str, Any],
    reading: Mapping[str, Any],
    records: int,
    *,
    quasi_identifiers: Sequence[str] = (),
    codebook: Path | None = None,
    signer: str | None = None,
) -> dict[str, Any]:
    """Return the statement of a certificate about these files."""
    subjects = [*files, *([] if codebook is None else [codebook])]
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": one.name, "digest": {"sha256": sha256(one.read_bytes())}} for one in subjects],
        "predicateType": "urn:shoal:certificate:1",
        "predicate": {
            "date": "2026-11-18T19:48:00Z",
            "signer": signer,
            "model": {"name": model, "options": dict(options), "title": "", "promise": ""},
            "check": {"holds": True, "checked": 1, "counted": "records"},
            "data": {
                "files": [one.name for one in files],
                "codebook": codebook and codebook.name,
                "reading": dict(reading),
                "records": records,
                "persons": None,
                "quasi_identifiers": list(quasi_identifiers),
                "columns": [],
            },
        },
    }


def compact(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def signer_of(key: Ed25519PrivateKey) -> str:
    return f"sha256:{sha256(key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))}"


def signed(document: Mapping[str, Any], key: Ed25519PrivateKey) -> bytes:
    """Return the envelope of a statement."""
    body = compact(document)
    signature = key.sign(f"DSSEv1 {len(PAYLOAD)} {PAYLOAD} {len(body)} ".encode() + body)
    encoded = [base64.b64encode(part).decode() for part in (body, signature)]
    return compact({"payload": encoded[0], "payloadType": PAYLOAD, "signatures": [{"sig": encoded[1]}]})


def save_public(key: Ed25519PrivateKey, path: Path) -> Path:
    path.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return path
