"""Which kernels run: ``KIND`` is "native" (C++) or "python", their readable twins."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import warnings
from collections.abc import Callable
from typing import Any, Literal

from shoal.data.arrays import Offsets


def _choose() -> tuple[Literal["native", "python"], Any]:
    """The compiled kernels if they were built and nobody asked for the others."""
    if os.environ.get("SHOAL_KERNELS") != "python":
        with contextlib.suppress(ImportError):
            return "native", importlib.import_module("shoal.kernels._native")
    return "python", importlib.import_module("shoal.kernels._python")


KIND, _impl = _choose()


@functools.cache
def kernels() -> Any:
    """The chosen kernels; the first use of the slow ones is announced, unless they were asked for."""
    if KIND == "python" and os.environ.get("SHOAL_KERNELS") != "python":
        warnings.warn(
            "Shoal runs without its compiled kernels and is much slower: install a C++ compiler (for instance "
            "'apt-get install g++' or 'xcode-select --install') and reinstall it: 'pip install --force-reinstall .'",
            RuntimeWarning,
            stacklevel=3,
        )
    return _impl


Tick = Callable[[float], None]


def still(share: float) -> None:
    """No progress display."""


def capped(k: int, indptr: Offsets) -> int:
    """No support is above the number of rows, so a larger k means the same; it must fit 64 bits."""
    return min(k, len(indptr))
