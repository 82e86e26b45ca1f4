"""Operations: how many items were added to records and deleted from them (Wang et al. 2014)."""

from __future__ import annotations

from shoal.metrics.base import Measure
from shoal.metrics.comparison import Comparison


class Operations(Measure):
    """Operations: how many items were added and deleted, separately for sensitive and other items.

    References
    ----------
    S.-L. Wang, Y.-C. Tsai, H.-Y. Kao, T.-P. Hong: On anonymizing transactions with sensitive items. Applied
    Intelligence, 2014, section 5.

    Examples
    --------
    >>> import shoal
    >>> losses = shoal.measure([["tea", "rum"], ["tea"]], [["tea"], ["tea"]]).losses
    >>> losses["operations"], losses["qid_additions"], losses["qid_deletions"]
    (1, 0, 1)
    """

    name = "operations"
    meanings = {  # noqa: RUF012
        "operations": (
            "Items added or deleted",
            "How many items were added to records or deleted from them, in all.",
        ),
        "qid_additions": (
            "Items added, not sensitive",
            "How often a record was given an item that it did not have, not counting sensitive items.",
        ),
        "qid_deletions": (
            "Items deleted, not sensitive",
            "How often a record lost an item that it had, not counting sensitive items.",
        ),
        "sensitive_additions": (
            "Sensitive items added",
            "How often a record was given a sensitive item that it did not have.",
        ),
        "sensitive_deletions": ("Sensitive items deleted", "How often a record lost a sensitive item that it had."),
    }
    paper = "Wang et al. 2014, s.5"

    def of(self, compared: Comparison) -> dict[str, float]:
        """Return the counts, or nothing for data that were not changed in groups."""
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
