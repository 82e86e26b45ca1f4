"""Tell what a command line or a call of :func:`shoal.anonymize` cannot say, so that a problem file must say it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.columns import Column
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Role
from shoal.files import plain_suffix
from shoal.jobs.dataset_spec import UNNAMED, DatasetSpec
from shoal.options import changed, labels_of, listed, names_of

if TYPE_CHECKING:
    from shoal.jobs.job import Job

SPELLED = ("label", "file", "hierarchy_format", "unknown_items", "weights", "allow_missing")  # of the data
LONGEST = 100_000  # characters of a command line that every shell takes


def command_lacks(job: Job) -> str:
    """Return what ``shoal anonymize`` cannot say about a job, or an empty text.

    >>> from shoal.data.columns import Column
    >>> from shoal.jobs import problem_file
    >>> tables = {"data": {"file": "a.csv"}, "output": {"file": "b.csv"}, "columns": {"age": {"type": "number"}}}
    >>> command_lacks(problem_file.of_tables(tables, "This", Path()))
    "that the values of column 'age' are of the type number"
    """
    return next(_both(job), "") or next(_command(job), "")


def script_lacks(job: Job) -> str:
    """Return what ``shoal.anonymize`` cannot say about a job, or an empty text."""
    return next(_both(job), "") or next(_script(job), "")


def _both(job: Job) -> Iterator[str]:
    """Yield what neither can say."""
    data = job.data
    if data.source is not None or set(changed(data)) - set(SPELLED) or data.generator:
        yield "how the data are made or sampled"
    if any(isinstance(tree, Hierarchy) for tree in data.hierarchy.values()):
        yield "a hierarchy that is in memory"
    known = {name: column for name, column in data.columns.items() if _is_known(column)}
    for name, column in known.items():
        if column.type not in ("auto", "category"):
            yield f"that the values of column '{name}' are of the type {column.type}"
        if isinstance(column.hierarchy, Hierarchy):
            yield "a hierarchy that is in memory"
        if column.role is None and column == Column():
            yield f"that column '{name}' has no role"
    if not _same_missing(data, known):
        yield "that columns have different values for 'not known'"
    named = any(column.role is Role.QUASI_IDENTIFIER for column in known.values())
    if named and any(column.role is None for column in known.values()):
        yield "more about a column that is no quasi-identifier"


def _is_known(column: Column) -> bool:
    """Return whether an attacker may know a column."""
    return column.role in (None, Role.QUASI_IDENTIFIER)


def _same_missing(data: DatasetSpec, known: Mapping[str, Column]) -> bool:
    """Return whether the same values mean "not known" in all columns that an attacker may know."""
    each = [{*data.missing, *column.missing} for column in known.values()]
    if not any(column.role is Role.QUASI_IDENTIFIER for column in known.values()):
        each.append(set(data.missing))  # then columns that are not named are known, too
    return all(one == each[0] for one in each)


def _command(job: Job) -> Iterator[str]:
    """Yield what the command line alone cannot say."""
    from shoal.jobs.command import Command

    data = job.data
    trees = [name for name in data.hierarchy if name]
    trees += [name for name, column in data.columns.items() if column.hierarchy is not None]
    more = [name for name, column in data.columns.items() if column.order or column.weight is not None]
    for name in (*trees, *more):
        if "=" in name:
            yield f"something about column '{name}', because its name has an equals sign"
    tree = str(data.hierarchy.get("", ""))
    if "=" in tree and not os.path.exists(tree):
        yield f"which hierarchy is meant by '{tree}'"
    for name in more:
        if name != name.strip():
            yield f"something about column '{name}', because its name begins or ends with a space"
    for names in _lists(data):
        if tuple(one.strip() for one in names_of(listed(names))) != names:
            yield "a name or a value that begins or ends with a space"
    if any(one is None for text in data.reading.values().values() if isinstance(text, tuple) for one in text):
        yield "that only some columns have a delimiter"
    if names_of(listed(data.reading.drop_items)) != data.reading.drop_items:
        yield "an item that is a blank"
    for text in _labels(job):
        if labels_of(listed(text) + ",") != text:
            yield "a label that is a blank"
    if len(Command.of(job).spelled(job.algorithm, {})) > LONGEST:
        yield "so many labels, because shells limit the length of a line"


def _lists(data: DatasetSpec) -> Iterator[tuple[str, ...]]:
    """Yield the lists of names and values that options about columns take."""
    known = [column for column in data.columns.values() if _is_known(column)]
    yield tuple(data.columns)
    yield tuple(dict.fromkeys((*data.missing, *(text for column in known for text in column.missing))))
    yield from (column.order for column in known if column.order)
    if data.keep is not None:
        yield data.keep


def _labels(job: Job) -> Iterator[tuple[str, ...]]:
    """Yield the lists of labels that the model and the algorithm take."""
    for spec in (job.model, job.algorithm):
        yield from (value for one in spec.options() if one.type is tuple and (value := getattr(spec, one.name)))


def _script(job: Job) -> Iterator[str]:
    """Yield what a call of :func:`shoal.anonymize` alone cannot say."""
    data = job.data
    trees = {**data.hierarchy, **{name: 0 for name, column in data.columns.items() if column.hierarchy is not None}}
    if "items" in trees and ("items" in data.columns or len(_names(data.reading.sets)) > 1):
        yield "that the column 'items' has a hierarchy, because this name stands for all items"
    suffixes = plain_suffix(job.output), plain_suffix(Path(data.file))
    if job.output_format or job.output_layout or (job.output_parts is None and len(set(suffixes)) > 1):
        yield "before the search that the release has another format or layout than the data"
    names = [*changed(data.reading), *job.model.values(), *changed(job.algorithm)]
    if len(set(names)) < len(names) or {*job.model.values(), *changed(job.algorithm)} & _arguments():
        yield "two options of the same name"
    if job.to_stdout or data.label not in (UNNAMED, Path(data.file).stem):
        yield "where the data come from or go to"


def _arguments() -> set[str]:
    """Return the names that :func:`shoal.anonymize` uses for something else than options of models and methods."""
    import inspect

    from shoal.jobs.anonymize import anonymize
    from shoal.jobs.arguments import describe_data

    names = {*inspect.signature(anonymize).parameters, *inspect.signature(describe_data).parameters}
    return names - {"k", "m", "options", "reading"}


def _names(value: Any) -> tuple[str, ...]:
    """Return names that are given as one text or as several."""
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)
