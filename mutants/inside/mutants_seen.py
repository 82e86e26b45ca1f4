"""A pytest plugin that says whether the file with the fault was imported from the copy."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def pytest_collection_finish() -> None:
    """The process may not live to the end."""
    _mark()


def pytest_sessionfinish() -> None:
    """Some modules are imported late."""
    _mark()


def _mark() -> None:
    faulty = Path(os.environ["MUTANTS_FILE"])
    files = {
        getattr(module, "__file__", None) for name, module in list(sys.modules.items()) if name.startswith("shoal")
    }
    if str(faulty) in files or faulty.suffix != ".py":
        Path(os.environ["MUTANTS_SEEN"]).touch()
