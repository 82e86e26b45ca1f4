"""What a bug report needs to know about the machine: versions, and no names of hosts or users."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("numpy", "pyarrow", "ortools", "click", "rich")


def describe() -> str:
    """Describe the environment, one line for each part."""
    from shoal.kernels.choice import native

    lines = {
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": " ".join(filter(None, (platform.system(), platform.machine(), *platform.libc_ver()))),
        **{name: _version(name) for name in PACKAGES},
        "compiled kernels": "no" if native is None else "yes",
        "processors": str(os.cpu_count() or "unknown"),
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items())


def _version(package: str) -> str:
    """Return the version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
