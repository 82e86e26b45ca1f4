"""Chooses the kernels: the compiled ones (C++), or their readable Python twins, which are below each wrapper.

Without a compiler, the install still works and the twins are used. They give the same results, but are much slower; a
warning says so once. Set ``SHOAL_KERNELS=python`` to use the twins on purpose.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import pkgutil
import warnings
from collections.abc import Callable
from typing import Any, Literal, TypeVar

Tick = Callable[[float], None]
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

ASKED_FOR_TWINS = os.environ.get("SHOAL_KERNELS") == "python"


def _load() -> Any:
    """Return the compiled kernels, unless they were not built or the twins are requested."""
    with contextlib.suppress(ImportError):
        return None if ASKED_FOR_TWINS else importlib.import_module("shoal.kernels._native")
    return None


native = _load()
KIND: Literal["native", "python"] = "python" if native is None else "native"


def compiled_or(twin: Kernel) -> Kernel:
    """Return the compiled kernel, or its readable twin, which has the same arguments.

    ``some_kernel_twin`` is the twin of the compiled ``some_kernel``, and ``SomeKernelTwin`` that of ``SomeKernel``.
    """
    if native is None:
        _warn_once()
        return twin
    kernel: Kernel = getattr(native, _name(twin))
    return kernel


def twins() -> dict[str, Any]:
    """Return every readable twin by the name of its kernel, for tests and the fuzzer."""
    package = importlib.import_module("shoal.kernels")
    modules = [importlib.import_module(info.name) for info in pkgutil.walk_packages(package.__path__, "shoal.kernels.")]
    return {
        _name(value): value
        for module in modules
        for name, value in vars(module).items()
        if name.endswith(("_twin", "Twin"))
    }


def no_progress(share: float) -> None:
    """Show no progress."""


def _name(twin: Callable[..., Any]) -> str:
    """Return the name of the compiled kernel."""
    return twin.__name__.removesuffix("_twin").removesuffix("Twin")


@functools.cache
def _warn_once() -> None:
    """Warn at the first use of the twins, unless they were requested."""
    if not ASKED_FOR_TWINS:
        warnings.warn(
            "Shoal runs without its compiled kernels and is much slower: install a C++ compiler (for instance "
            "'apt-get install g++' or 'xcode-select --install') and reinstall it: 'pip install --force-reinstall .'",
            RuntimeWarning,
            stacklevel=4,
        )
