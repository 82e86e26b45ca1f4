"""Write a problem file for some data, as ``shoal init`` does. The user reads and edits it before running it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal import discovery, files
from shoal.algorithms.base import Algorithm
from shoal.data import Dataset
from shoal.data.reading_notes import IdentifyingColumns, IdsReplaced, VaryingColumns
from shoal.data.table import Role
from shoal.errors import OptionError, OutputError
from shoal.io.read_options import ReadOptions, reading_words
from shoal.jobs.find_layout import FoundLayout, find_layout
from shoal.jobs.suggest_roles import SuggestedRole, suggest_roles
from shoal.jobs.toml_text import toml_key, toml_value
from shoal.models.base import PrivacyModel
from shoal.options import takes
from shoal.report.formatting import count_noun
from shoal.report.sentences import shell_word
from shoal.visible import visible

K, M = 5, 2
_WIDTH = 34  # where the comments of a table begin
_SUFFIX = {"fimi": ".dat", "feather": ".feather"}


@takes(ReadOptions)
def init(data: str | Path, path: str | Path | None = None, *, examples: bool = False, **reading: Any) -> str:
    """Write a commented problem file for a data file. ``shoal.run`` runs it.

    The file says how the data are read, what each column is and why, a privacy model that fits, and what to write. It
    names columns, never values.

    Parameters
    ----------
    data
        The file, folder or glob.
    path
        Where to write the problem file. It must not exist yet. None: do not write it.
    examples
        Also name common categories of columns, in comments. They come from the data.
    **reading
        What you know about the layout, as :func:`shoal.read` takes it. The rest is found out.

    Returns
    -------
    str
        The text of the problem file.

    Raises
    ------
    OutputError
        The problem file exists already, or cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     baskets = Path(folder) / "baskets.basket"
    ...     _ = baskets.write_text("milk,bread\\nmilk\\nbread,beer\\n")
    ...     text = init(baskets, Path(folder) / "problem.toml")
    >>> [line for line in text.splitlines() if line.startswith("name")]
    ['name = "km"', 'name = "auto"                     # see: shoal algorithms, shoal recommend']
    """
    if not isinstance(data, str | os.PathLike):
        raise OptionError(f"init: data must be the name of a file, got {type(data).__name__}: save the data first.")
    target = None if path is None else Path(path)
    if target is not None:
        if target.exists():
            raise OutputError(f"{target} exists already: name another file (path=), or remove it first.")
        files.check_writable(target)
    found = find_layout(Path(data), ReadOptions(**reading))
    roles = list(suggest_roles(found.data, examples=examples))
    folder = Path() if target is None else target.parent
    text = "\n".join(_lines(Path(data), folder, target or Path("problem.toml"), found, roles)) + "\n"
    if target is not None:
        with files.atomic_output(target) as file:
            file.write(text.encode())
    return text


def _lines(source: Path, folder: Path, target: Path, found: FoundLayout, roles: list[SuggestedRole]) -> Iterator[str]:
    """Yield the lines of the file."""
    model = suggest_model(found.data, roles)
    yield f"# {visible(target.name)}: what 'shoal run {visible(target.name)}' does. Paths are relative to this file."
    yield f"# 'shoal init' wrote it from what it found in {visible(source.name)}. Read it before you run it: check the"
    yield "# roles of the columns first, because only you can judge what an attacker may know."
    yield from ("", "[data]")
    yield from _data(source, folder, found)
    if roles:
        yield from ("", "[columns]")
        yield from _columns(roles)
    if model.covers_sets:
        yield from ("", "[items]")
        yield from _items(source, found.options)
    yield from ("", "[model]", *_model_lines(model, found.data))
    yield from ("", "[algorithm]")
    yield _entry("name", model.default_algorithm, "see: shoal algorithms, shoal recommend")
    yield from ("", "[output]")
    stem, suffix = source.name.split(".")[0] or "data", _suffix(source, found.options)
    yield _entry("file", f"{stem}-public{suffix}", "the release; its suffix decides the format")
    yield _entry("reports", [f"{stem}-report.html"], "for the person who signs this off; also .json and .md")
    yield f'# public_reports = ["{stem}-public-report.html"]  # for recipients'
    yield f'# certificate = "{stem}-certificate.json"  # for recipients; key = "NAME.key" signs it: shoal keys new'
    if discovery.get("shoal.algorithms", Algorithm, model.default_algorithm)().generalizes:
        yield "# If readers need a code book, which lists the items of each group, it is written next to the release."
    yield from ("", "[run]")
    yield _entry("seed", 0, "for methods that draw random numbers: the same seed gives the same release")
    yield "# max_loss = 0.2                  # write nothing if more than this share of the information is lost"


def _data(source: Path, folder: Path, found: FoundLayout) -> Iterator[str]:
    """Yield how the data are read, and what was found."""
    data, options = found.data, dict(found.options)
    rows, persons = data.transactions, data.transactions.persons
    yield _entry("file", Path(os.path.relpath(source, folder)).as_posix(), _counts(data))
    yield f"# {visible(found.why)}"
    for name in ("format", "sets", "item_delimiter", "id_column", "item_column", "no_sets"):
        if name in options:
            yield _entry(name, options.pop(name), _MEANING[name])
    if data.origin.layout.without_sets:
        yield '# If a column does hold sets, write sets = "NAME" instead of no_sets.'
    if persons is not None:
        named = f"{count_noun(len(rows), 'record')} of {persons.name(persons.count())}"
        yield _entry("person", options.pop("person"), f"the person of each record: {named}. Not published")
    for name, value in options.items():
        yield _entry(name, value)
    for names, reason in left_out(data):
        yield f"# Left out: {', '.join(map(visible, names))} ({reason})."


def left_out(data: Dataset) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the columns that were left out while reading, with the reason."""
    for note in data.origin.notes:
        if isinstance(note, VaryingColumns | IdentifyingColumns | IdsReplaced):
            yield note.columns, _WHY[type(note)]


_MEANING = {
    "format": "as its name and content tell",
    "sets": "the column that holds the sets",
    "item_delimiter": "what separates the items of a set",
    "id_column": "the column that names the record",
    "item_column": "the column that names the item",
    "no_sets": "a table without sets",
}
_WHY: dict[type, str] = {
    VaryingColumns: "differs within a record",
    IdentifyingColumns: "nearly every record has its own value",
    IdsReplaced: "the id of a record; records are numbered instead",
}


def _counts(data: Dataset) -> str:
    """Describe the sets in a line."""
    rows = data.transactions
    told = count_noun(len(rows), "record")
    if data.origin.layout.without_sets or not len(rows):
        return told
    return (
        f"{told}, {count_noun(len(rows.labels), 'different item')}, {rows.total_items / len(rows):.1f} items a record"
    )


def _columns(roles: list[SuggestedRole]) -> Iterator[str]:
    """Yield the role of each column with the reason, then examples of further settings."""
    yield "# identifier: dropped. quasi-identifier: an attacker may know it, so it is generalized. plain: published as"
    yield "# it is. sensitive: an attacker must not learn it (models lm and k-lm)."
    for one in roles:
        value: Any = one.role.value
        if one.type:
            value = {"role": one.role.value, "type": one.type}
        yield _entry(one.column, value, one.reason)
        if one.examples:
            yield f"#   such as {', '.join(map(visible, one.examples))}"
    known = [one for one in roles if one.role is Role.QUASI_IDENTIFIER]
    for one in [one for one in known if one.levels][:1]:
        example = toml_value({"hierarchy": one.levels})
        yield f"# Shoal chooses the ranges itself. For fixed ranges: {toml_key(one.column)} = {example}"
    for one in [one for one in known if one.codes][:1]:
        yield f"# If its numbers are codes: {toml_key(one.column)} = {toml_value({'type': 'category'})}"
    for one in [one for one in known if one.kind == "category"][:1]:
        example = toml_value({"hierarchy": "groups.csv"})
        yield f"# For groups of categories, from rows such as value;group;*: {toml_key(one.column)} = {example}"


def _items(source: Path, options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the hierarchy of the items, and how to build one."""
    words = [shell_word(word) for word in reading_words({name: options[name] for name in options if name != "person"})]
    command = " ".join(["shoal hierarchy build", shell_word(str(source)), "-o hierarchy.csv", *words])
    yield '# hierarchy = "hierarchy.csv"     # groups of items; without it, Shoal groups the items itself'
    yield f"# To build one that you can edit: {visible(command)}"


def suggest_model(data: Dataset, roles: list[SuggestedRole]) -> PrivacyModel:
    """Choose the model that fits: for sets, for sets with columns, or for columns alone."""
    known = any(one.role is Role.QUASI_IDENTIFIER for one in roles)
    if data.origin.layout.without_sets:
        if not known:
            raise OptionError(
                f"{data.origin.name} has no sets, and each of its columns names people: there is nothing to publish. "
                f"If a column holds sets, name it (sets=)."
            )
        return _named("k", k=K)
    return _named("k-km", k=K, m=M) if known else _named("km", k=K, m=M)


def _named(name: str, **options: Any) -> PrivacyModel:
    """Return a model by its name."""
    return discovery.get("shoal.models", PrivacyModel, name)(**options)


def _model_lines(model: PrivacyModel, data: Dataset) -> Iterator[str]:
    """Yield the model and its parameters."""
    yield f"# {model.describe(data.transactions.persons)}"
    yield _entry("name", model.name)
    options = model.values()
    yield _entry("k", options["k"], "at least this many records fit what an attacker knows")
    if "m" in options:
        yield _entry("m", options["m"], "how many items an attacker may know; 'shoal frontier' shows what k and m cost")


def _suffix(source: Path, options: Mapping[str, Any]) -> str:
    """Return the suffix of the release: that of the data, if it has one."""
    format = str(options.get("format", ""))
    return files.plain_suffix(source) or (_SUFFIX.get(format, f".{format}") if format else "")


def _entry(key: str, value: Any, why: str = "") -> str:
    """Return a line ``key = value  # why``."""
    line = f"{toml_key(key)} = {toml_value(value)}"
    return f"{line.ljust(_WIDTH - 2)}  # {why}" if why else line
