"""Operations (P1): how many items were added to records and deleted from them."""

from __future__ import annotations

from shoal.metrics import Comparison, Measure


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
        made = compared.change_in_groups
        if made is None:
            return {}
        return {
            "operations": len(made.added.rows) + len(made.deleted.rows),
            "qid_additions": made.qid_additions,
            "qid_deletions": made.qid_deletions,
            "sensitive_additions": made.sensitive_additions,
            "sensitive_deletions": made.sensitive_deletions,
        }
