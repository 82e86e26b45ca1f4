"""``cached_property`` without a lock.

Before Python 3.12, ``functools.cached_property`` holds a lock while the value is computed, one for all instances of a
class. On a cluster, the value of one object may need tasks that ask other objects for the same property in the same
process. They would wait for each other for ever.

>>> class Circle:
...     @cached_property
...     def area(self) -> float:
...         print("computed")
...         return 3.14
>>> circle = Circle()
>>> circle.area, circle.area
computed
(3.14, 3.14)
"""

from __future__ import annotations

import sys
from functools import cached_property as _cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    cached_property = _cached_property
else:

    class cached_property(_cached_property):  # noqa: N801
        """A property whose value is computed once, and stored in the instance."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            """Return the stored value, or compute it. Two threads may both compute it; the values are equal."""
            if instance is None:
                return self
            stored = vars(instance)
            if self.attrname not in stored:
                stored[self.attrname] = self.func(instance)
            return stored[self.attrname]


__all__ = ["cached_property"]
