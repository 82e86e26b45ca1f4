"""A cached property computes its value once, and holds no lock meanwhile."""

from __future__ import annotations

import threading
from typing import Any

from shoal.caching import cached_property


class Slow:
    def __init__(self, other: Slow | None = None) -> None:
        self.other, self.computed = other, 0

    @cached_property
    def value(self) -> int:
        """Wait for the value of another object, which another thread computes, as a lead waits for a task."""
        self.computed += 1
        if self.other is None:
            return 1
        found: list[Any] = []
        thread = threading.Thread(target=lambda other=self.other: found.append(other.value), daemon=True)
        thread.start()
        thread.join(10)
        return 1 + int(found[0])


def test_the_value_of_one_object_may_wait_for_that_of_another() -> None:
    slow = Slow(Slow())
    assert slow.value == 2


def test_it_is_computed_once() -> None:
    slow = Slow()
    assert (slow.value, slow.value, slow.computed) == (1, 1, 1)
    assert isinstance(Slow.__dict__["value"], type(Slow.value))
