"""What an intruder learns by putting several releases of the same records together.

A release keeps its promise on its own. Whoever knows which records of two releases belong to the same person combines
what they say: a record that is hidden in one group of products in one release, and in another group in the other, holds
a product of both groups. :mod:`~shoal.risk.together.linked` is for intruders who know which records belong together,
:mod:`~shoal.risk.together.unlinked` for those who do not.
"""

from shoal.risk.together.findings import Group, Matched
from shoal.risk.together.joined import compatible
from shoal.risk.together.linked import linked, linked_persons
from shoal.risk.together.unlinked import excess_of_single_matches, matched
from shoal.risk.together.view import Source, View, views_of

__all__ = [
    "Group",
    "Matched",
    "Source",
    "View",
    "compatible",
    "excess_of_single_matches",
    "linked",
    "linked_persons",
    "matched",
    "views_of",
]
