"""Operations (P1): how many items were added to records and deleted from them."""

from __future__ import annotations

from shoal.metrics.base import Measure
from shoal.metrics.comparison import Comparison


class Operations(Measure):
    """Additions and deletions of items, apart for those that may be known (QID) and for sensitive ones."""

    name = "operations"
    meanings = {  # noqa: RUF012
        "operations": ("Items added or deleted", "How many items were added to records or deleted from them, in all."),
        "qid_additions": (
            "Items added, not sensitive",
            "How often a record was given an item that it did not have, sensitive items apart.",
        ),
        "qid_deletions": (
            "Items deleted, not sensitive",
            "How often a record lost an item that it had, sensitive items apart.",
        ),
        "sensitive_additions": (
            "Sensitive items added",
            "How often a record was given a sensitive item that it did not have.",
        ),
        "sensitive_deletions": ("Sensitive items deleted", "How often a record lost a sensitive item that it had."),
    }
    paper = "P1 s.5"

    def of(self, compared: Comparison) -> dict[str, float]:
        """Whole numbers; nothing, for data that were not changed in groups."""
        change = compared.change_in_groups
        if change is None:
            return {}
        return {
            "operations": len(change.added.rows) + len(change.deleted.rows),
            "qid_additions": change.qid_additions,
            "qid_deletions": change.qid_deletions,
            "sensitive_additions": change.sensitive_additions,
            "sensitive_deletions": change.sensitive_deletions,
        }
