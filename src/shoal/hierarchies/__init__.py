"""Hierarchies over items: loading, saving, converting, building and checking them.

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
from shoal.hierarchies.joined import joined
from shoal.hierarchies.names import readable
from shoal.hierarchies.prefixes import from_prefixes
from shoal.hierarchies.show import show

__all__ = [
    "FORMATS",
    "Check",
    "CodeBook",
    "Missing",
    "balanced",
    "build",
    "check",
    "format_to_write",
    "from_prefixes",
    "joined",
    "load",
    "problems",
    "readable",
    "save",
    "show",
    "with_counts",
    "without_counts",
]
