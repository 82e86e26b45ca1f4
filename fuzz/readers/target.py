"""What must be true of any file: Shoal raises an error on purpose, or reads data that survive a round trip."""

from __future__ import annotations

import base64
import resource
import tempfile
import time
import warnings
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import shoal
from fuzz.problems.check import BUGS, where
from fuzz.problems.files import SUFFIX
from shoal import hierarchies, io
from shoal.errors import ShoalError
from shoal.hierarchies.codebook import CodeBook, load
from shoal.hierarchies.weights import Weights

MOST_SECONDS = 3.0  # of processor time for one input
MOST_MEMORY = 600 * 2**20  # that one input may add
SIZES = (("source", "_PIECE", 7), ("csv", "_BLOCK", 99), ("jsonl", "_BATCH", 2), ("arrow", "_ROWS", 2))  # if small
DATA = ("fimi", "basket", "csv", "tsv", "long", "jsonl", "parquet", "feather")  # saved inputs count on the order
TREES = tuple(hierarchies.FORMATS)
KINDS = (*DATA, *(f"tree:{name}" for name in TREES), "tree:auto", "codebook", "groups", "weights")


class Finding(Exception):
    """Something is wrong with a reader."""


def name_of(data: bytes) -> str:
    """What an input is for: its first byte says so."""
    return KINDS[data[0] % len(KINDS)] if data else KINDS[0]


def check(data: bytes, folder: Path) -> bool:
    """Read an input; returns whether it was accepted. Raises a Finding if it does harm."""
    began, memory = time.process_time(), _memory()
    try:
        accepted = _read(data, folder)
    except ShoalError as error:
        if isinstance(error, BUGS):
            raise Finding(f"crash: {where(error)}") from error
        message = str(error)
        if len(message) < 15 or "Traceback" in message:
            raise Finding(f"unclear message: {message[:60]!r}") from error
        accepted = False
    except Finding:
        raise
    except RecursionError as error:
        raise Finding("crash: RecursionError") from error
    except Exception as error:
        raise Finding(f"crash: {where(error)}") from error
    if time.process_time() - began > MOST_SECONDS:
        raise Finding(f"slow: {name_of(data)}")
    if _memory() - memory > MOST_MEMORY:
        raise Finding(f"memory: {name_of(data)}")
    return accepted


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _read(data: bytes, folder: Path) -> bool:
    """Bytes: what it is, how it is read, the content."""
    name, how, content = name_of(data), data[1] if len(data) > 1 else 0, data[2:]
    if name in DATA:
        return _read_data(name, how, content, folder)
    suffix = {"tree:amnesia": ".txt", "tree:amnesia-json": ".json"}.get(name, ".json" if how & 1 else ".csv")
    path = _put(folder / f"in{suffix}", content)
    if name.startswith("tree:"):
        form = None if name == "tree:auto" else name.removeprefix("tree:")
        _tree(path, form, folder)
    elif name == "codebook":
        _codebook(path, folder)
    elif name == "groups":
        load(path).tree(shoal.Hierarchy.flat(["a", "b", "c", "d"]))
    else:
        Weights.load(path)
    return True


def _read_data(form: str, how: int, content: bytes, folder: Path) -> bool:
    options: dict[str, Any] = {} if how & 1 else {"format": "csv" if form == "long" else form}
    tabular = form not in ("fimi", "basket")
    if form == "long" or (tabular and how & 32):
        options |= {"id_column": "id", "item_column": "item", "keep_ids": bool(how & 2)}
        options["drop_null_items"] = bool(how & 8)
    elif tabular and how & 2:
        options |= {"no_sets": True} if how & 4 else {"sets": "A,B"} if how & 8 else {"sets": "items"}
    if how & 4 and "sets" not in options:
        options["multiset"] = True
    path = _put(folder / f"in{SUFFIX[form]}{'.gz' if how & 16 else ''}", content)
    first = io.read(path, **options)
    if how & 64:
        _read_in_pieces(first, path, options)
    target = folder / f"out{SUFFIX[form]}"
    try:
        io.write(first, target)
        reading = io.options_to_read(first, target)
        reading |= {name: options[name] for name in ("keep_ids",) if name in options}
    except ShoalError:
        return True  # it says that the format cannot hold the data
    second = io.read(target, **reading)
    if first.transactions.sets() != second.transactions.sets():
        raise Finding(f"other sets after a round trip: {form}")
    if _columns(first) != _columns(second):
        raise Finding(f"other columns after a round trip: {form}")
    return True


def _read_in_pieces(whole: shoal.Dataset, path: Path, options: dict[str, Any]) -> None:
    """The same data, however the file is cut; but a doubt about the start of a file depends on how much it is."""
    with ExitStack() as stack:
        for module, name, size in SIZES:
            stack.enter_context(patch.object(import_module(f"shoal.io.{module}"), name, size))
        try:
            parts = io.read(path, **options)
        except ShoalError:
            return
    if getattr(parts.origin.layout, "shape", "") != getattr(whole.origin.layout, "shape", ""):
        return  # rows of one item were seen, or not, in the first of them
    if parts.transactions.sets() != whole.transactions.sets() or _columns(parts) != _columns(whole):
        raise Finding(f"other data in pieces: {path.suffix}")


def _columns(data: shoal.Dataset) -> dict[str, list[str]]:
    if data.table is None:
        return {}
    return {name: list(map(repr, data.table.arrow.column(name).to_pylist())) for name in data.table.names}


def _tree(path: Path, form: str | None, folder: Path) -> None:
    first = hierarchies.load(path, format=form)
    target = folder / f"out{path.suffix}"
    try:
        hierarchies.save(first, target, format=form)
    except ShoalError:
        return
    if hierarchies.load(target, format=form).parents_by_label() != first.parents_by_label():
        raise Finding(f"another tree after a round trip: {form or 'auto'}")


def _codebook(path: Path, folder: Path) -> None:
    first = CodeBook.load(path)
    for name in ("out.csv", "out.json"):
        first.save(folder / name)
        if sorted(map(repr, CodeBook.load(folder / name).facts())) != sorted(map(repr, first.facts())):
            raise Finding(f"another code book after a round trip: {name}")


def _put(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def finding(data: bytes, folder: Path) -> str:
    """The kind of what is wrong with an input; empty: nothing."""
    try:
        check(data, folder)
    except Finding as error:
        return str(error)
    return ""


def smaller(data: bytes, folder: Path, seconds: float = 10.0) -> bytes:
    """The input without what it does not need to fail in the same way."""
    kind, end = finding(data, folder), time.monotonic() + seconds
    size = max(1, len(data) // 2)
    while size and time.monotonic() < end:
        at = 2
        while at < len(data) and time.monotonic() < end:
            less = data[:at] + data[at + size :]
            if finding(less, folder) == kind:
                data = less
            else:
                at += size
        size //= 2
    return data


def replay(case: dict[str, str]) -> list[str]:
    """Run a saved input again."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kind = finding(base64.b64decode(case["input"]), Path(folder))
    return [kind] if kind else []
