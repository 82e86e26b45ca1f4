"""The privacy value: how many items of groups of records were changed (Wang et al. 2014)."""

from __future__ import annotations

import math

from shoal.metrics.base import Measure
from shoal.metrics.comparison import Comparison


class PrivacyValue(Measure):
    """Privacy value: k * 2^(I' - |I|), where I' is the mean number of different items that were changed in a group.

    References
    ----------
    S.-L. Wang, Y.-C. Tsai, H.-Y. Kao, T.-P. Hong: On anonymizing transactions with sensitive items. Applied
    Intelligence, 2014, definition 5.

    Examples
    --------
    >>> import shoal
    >>> losses = shoal.measure([["tea", "rum"], ["tea"]], [["tea"], ["tea"]], k=2).losses
    >>> losses["privacy_value"], losses["modified_items"]  # 2 * 2^(1 - 2)
    (1.0, 1.0)
    """

    name = "privacy_value"
    meanings = {  # noqa: RUF012
        "privacy_value": (
            "Privacy value",
            "A higher value means that more items were changed, so an attacker can rely on fewer items. This figure of "
            "Wang et al. (2014) is no guarantee. The guarantee is that of the privacy model.",
        ),
        "privacy_value_log2": (
            "Privacy value, as a power of 2",
            "The same value as an exponent of 2, because it is close to 0 for data with many items.",
        ),
        "modified_items": (
            "Items changed per group",
            "How many different items were changed in a group of records, on average over all groups.",
        ),
    }
    paper = "Wang et al. 2014, Def. 5"

    def of(self, compared: Comparison) -> dict[str, float]:
        """Return the three values, or nothing for data that were not changed in groups."""
        change = compared.change_in_groups
        if change is None or change.grouping is None:
            return {}
        k, items = max(1, change.grouping.least), len(change.labels)
        if change.n_qid == 1 and len(change.labels) > 1 and not change.before[0] and not change.after[0]:
            items -= 1  # it stands in where all items are sensitive
        modified = len(change.touched.items) / max(1, len(change.grouping))
        return {
            "privacy_value": k * 2.0 ** (modified - items),
            "privacy_value_log2": math.log2(k) + (modified - items),
            "modified_items": modified,
        }
