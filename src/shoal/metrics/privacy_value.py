"""The privacy value (P1): how much of what there is to know about groups of records was disturbed."""

from __future__ import annotations

import math

from shoal.metrics.base import Measure
from shoal.metrics.comparison import Comparison


class PrivacyValue(Measure):
    """k * 2^(I' - |I|), where I' is the mean number of different items that were changed in a group."""

    name = "privacy_value"
    meanings = {  # noqa: RUF012
        "privacy_value": (
            "Privacy value",
            "A higher value means that more items were disturbed, which leaves an attacker with less to rely on. It "
            "is the paper's figure and not a guarantee: what is guaranteed is what the model says.",
        ),
        "privacy_value_log2": (
            "Privacy value, as a power of 2",
            "The same as the exponent of 2, for data with so many items that the value itself is next to nothing.",
        ),
        "modified_items": (
            "Items disturbed per group",
            "In how many different items a group of records was changed, averaged over the groups.",
        ),
    }
    paper = "P1 Def. 5"

    def of(self, compared: Comparison) -> dict[str, float]:
        """The three values; nothing, for data that were not changed in groups."""
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
