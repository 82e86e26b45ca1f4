"""Certifier: the interface of a release to its certificates, implemented in :mod:`shoal.evidence`.

A release finds its certifier by name. So this package does not import the evidence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from shoal.release.release import Release


class Certifier(ABC):
    """Writes certificates of releases."""

    name: ClassVar[str]

    @abstractmethod
    def check(self, release: Release) -> None:
        """Refuse a release that no recipient could check."""

    @abstractmethod
    def write(self, release: Release, path: Path, key: Any) -> dict[str, Any]:
        """Write the certificate of a release that was saved. Return the entry for the provenance.

        ``key``: the private key that signs it, or its file. None: it is not signed.
        """
