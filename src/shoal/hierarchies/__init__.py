"""Load, save, convert, build and check hierarchies over items.

>>> from shoal import hierarchies
>>> print(hierarchies.show(hierarchies.balanced(["a", "b", "c", "d"], fanout=2)))
* (4 items)
├── a..b (2 items)
│   ├── a
│   └── b
└── c..d (2 items)
    ├── c
    └── d
"""

from __future__ import annotations

from shoal.hierarchies.balance import balanced
from shoal.hierarchies.build import build
from shoal.hierarchies.check import Check, Missing, check
from shoal.hierarchies.codebook import CodeBook
from shoal.hierarchies.counts import with_counts, without_counts
from shoal.hierarchies.formats import FORMATS, format_to_write, load, problems, save
from shoal.hierarchies.from_table import from_table, from_table_with_summary
from shoal.hierarchies.joined import joined
from shoal.hierarchies.names import readable
from shoal.hierarchies.prefixes import from_prefixes
from shoal.hierarchies.show import show
from shoal.hierarchies.table_summary import Finding, TableSummary

__all__ = [
    "FORMATS",
    "Check",
    "CodeBook",
    "Finding",
    "Missing",
    "TableSummary",
    "balanced",
    "build",
    "check",
    "format_to_write",
    "from_prefixes",
    "from_table",
    "from_table_with_summary",
    "joined",
    "load",
    "problems",
    "readable",
    "save",
    "show",
    "with_counts",
    "without_counts",
]
