"""Recoding: what an algorithm returns."""

from __future__ import annotations

from abc import ABC, abstractmethod

from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.published import Published


class Recoding(ABC):
    """How the data are to be changed."""

    @abstractmethod
    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """The published rows, with what was set apart from them; same number and order as the given ones."""

    @abstractmethod
    def summary(self) -> dict[str, object]:
        """For reports: what was changed."""
