"""Small releases to certify."""

from __future__ import annotations

from pathlib import Path

import shoal
from shoal.evidence.keys import PrivateKey

KEY, OTHER_KEY = PrivateKey(b"a" * 32), PrivateKey(b"b" * 32)
BASKETS = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
TREE = {"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}}


def release() -> shoal.Release:
    """A release of four baskets."""
    return shoal.anonymize(BASKETS, k=2, m=2, hierarchy=shoal.Hierarchy.from_tree(TREE))


def saved(folder: Path, key: PrivateKey | None = KEY) -> tuple[Path, Path]:
    """Write the release to a file with its certificate."""
    file, certificate = folder / "public.csv", folder / "certificate.json"
    release().save(file, certificate=certificate, key=key)
    return file, certificate
