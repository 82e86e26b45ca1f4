"""Tables of counts that are filled by several processes, and added up afterwards."""

from __future__ import annotations

from typing import Any, Self, TypeVar

from shoal.kernels.choice import compiled_or


class MergeableCounts:
    """A table of counts that can be sent to another process, and to which the counts of other rows can be added.

    A subclass calls ``_made_by(twin, *arguments)`` once. Its kernel has ``cells()``, the counts as an array, and
    ``merge_cells(cells)``, which adds those of another kernel that was made with the same arguments.
    """

    _kernel: Any

    def _made_by(self, twin: Any, *arguments: Any) -> None:
        """Make the kernel, or its readable twin, with these arguments."""
        self._made_with = twin, arguments
        self._kernel = compiled_or(twin)(*arguments)

    def merge(self, other: Self) -> None:
        """Add what was counted in rows of other persons."""
        self._kernel.merge_cells(other._kernel.cells())

    def __reduce__(self) -> Any:
        """Return how to make the same table in another process."""
        rest = {name: value for name, value in vars(self).items() if name not in ("_kernel", "_made_with")}
        return _made_again, (type(self), *self._made_with, self._kernel.cells(), rest)


Counts = TypeVar("Counts", bound=MergeableCounts)


def _made_again(kind: type[Counts], twin: Any, arguments: tuple[Any, ...], cells: Any, rest: dict[str, Any]) -> Counts:
    table = object.__new__(kind)
    table._made_by(twin, *arguments)
    table._kernel.merge_cells(cells)
    vars(table).update(rest)
    return table
