"""Load and save hierarchies: detect the format of a file, and run the checks that all formats share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, ModuleType

from shoal import files
from shoal.data.hierarchy import Hierarchy
from shoal.errors import DataError, HierarchyError, did_you_mean
from shoal.hierarchies import amnesia, amnesia_json, arx, parents
from shoal.hierarchies.delimited import check_delimiter, read_rows
from shoal.hierarchies.draft import Draft

_MODULES: dict[str, ModuleType] = {"arx": arx, "parents": parents, "amnesia": amnesia, "amnesia-json": amnesia_json}
_DELIMITED = ("arx", "parents")
_BY_SUFFIX = {".csv": "arx", ".tsv": "arx", ".json": "amnesia-json", ".txt": "amnesia"}

FORMATS = MappingProxyType({name: str(module.DESCRIPTION) for name, module in _MODULES.items()})


def load(path: str | Path, *, format: str | None = None, delimiter: str | None = None) -> Hierarchy:
    """Read a hierarchy from a file.

    Parameters
    ----------
    path : path
        The file. It may be compressed.
    format : str, optional
        One of :data:`FORMATS`. The default is detected from the name and the content of the file.
    delimiter : str, optional
        What separates the cells of the formats ``arx`` and ``parents``. The default is detected.

    Returns
    -------
    Hierarchy
        Its name is that of the file, and its hash that of the file's bytes.

    Raises
    ------
    HierarchyError
        The file is not a tree. The message names the first problem; :func:`problems` lists them all.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "drinks.csv")
    ...     _ = path.write_text("beer;alcohol;drinks\\nwine;alcohol;drinks\\n")
    ...     load(path)
    Hierarchy(drinks.csv: 2 items, 2 groups)
    """
    draft, sha256 = _read(path, format, delimiter)
    return replace(draft.hierarchy(), name=Path(path).name, file_sha256=sha256)


def problems(path: str | Path, *, format: str | None = None, delimiter: str | None = None) -> list[str]:
    """Return everything that keeps :func:`load` from loading a file.

    Parameters
    ----------
    path, format, delimiter
        As in :func:`load`.

    Returns
    -------
    list of str
        One message per problem. The list is empty if the file can be loaded.

    Examples
    --------
    >>> problems("missing.csv")
    ['missing.csv does not exist: check the path.']
    """
    try:
        return _read(path, format, delimiter)[0].problems()
    except HierarchyError as error:
        return [str(error)]


def read_draft(path: str | Path, format: str | None = None) -> Draft:
    """Return the content of a file before it is known to be a tree."""
    return _read(path, format, None)[0]


def save(hierarchy: Hierarchy, path: str | Path, *, format: str | None = None, delimiter: str | None = None) -> str:
    """Write a hierarchy to a file.

    Parameters
    ----------
    hierarchy : Hierarchy
        What to write.
    path : path
        The file. It appears only if everything was written.
    format : str, optional
        One of :data:`FORMATS`. By default, the suffix decides: .csv and .tsv are ``arx``, .json is ``amnesia-json``,
        .txt is ``amnesia``.
    delimiter : str, optional
        What separates the cells of the formats ``arx`` and ``parents``.

    Returns
    -------
    str
        The SHA-256 hash of the file.

    Raises
    ------
    HierarchyError
        The format cannot hold a label.
    OutputError
        The file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "drinks.csv")
    ...     sha256 = save(Hierarchy.from_tree({"drinks": ["beer", "wine"]}), path)
    ...     path.read_text().splitlines()
    ['beer;drinks', 'wine;drinks']
    """
    path = Path(path)
    suffix = files.plain_suffix(path)
    format = format_to_write(path, format)
    if delimiter is None and suffix == ".tsv" and format in _DELIMITED:
        delimiter = "\t"
    text = text_of(hierarchy, format, delimiter)
    with files.atomic_output(path) as file:
        file.write(text.encode())
    return files.sha256_of(path)


def text_of(hierarchy: Hierarchy, format: str = "arx", delimiter: str | None = None) -> str:
    """Return the content of the file that :func:`save` writes.

    Parameters
    ----------
    hierarchy : Hierarchy
        What to write.
    format : str
        One of :data:`FORMATS`.
    delimiter : str, optional
        As in :func:`save`.

    Returns
    -------
    str

    Raises
    ------
    HierarchyError
        The format cannot hold a label.

    Examples
    --------
    >>> text_of(Hierarchy.from_tree({"drinks": ["beer", "wine"]}))
    'beer;drinks\\nwine;drinks\\n'
    """
    module = _module(format, delimiter)
    for label in hierarchy.labels:
        if reason := _unwritable(label, format):
            raise HierarchyError(
                f"{hierarchy.name}: the label {label!r} {reason} and cannot be written in the format {format}: "
                f"rename it{', or use amnesia-json' if label and format != 'amnesia-json' else ''}."
            )
    text: str = module.write(hierarchy, delimiter)
    # A byte-order mark that belongs to the first label must not look like that of the file.
    return "\ufeff" + text if text.startswith("\ufeff") else text


def format_to_write(path: str | Path, format: str | None = None) -> str:
    """Return the given format, or else the one that the suffix indicates.

    Parameters
    ----------
    path : path
        The file to write.
    format : str, optional
        One of :data:`FORMATS`.

    Returns
    -------
    str

    Raises
    ------
    HierarchyError
        The suffix is unknown, and no format is given.

    Examples
    --------
    >>> format_to_write("products.txt"), format_to_write("products.txt", "parents")
    ('amnesia', 'parents')
    """
    if format is not None:
        return format
    suffix = files.plain_suffix(Path(path))
    if suffix not in _BY_SUFFIX:
        raise HierarchyError(
            f"{path}: the suffix '{suffix}' does not tell the format: use a name that ends in {', '.join(_BY_SUFFIX)}, "
            f"or pass format= ({', '.join(FORMATS)})."
        )
    return _BY_SUFFIX[suffix]


def _read(path: str | Path, format: str | None, delimiter: str | None) -> tuple[Draft, str]:
    """Return the content of a file, and its hash."""
    name = str(path)
    if format is not None:
        _module(format, delimiter)  # refuse a wrong option before reading
    try:
        content = files.load(path)
        text = content.text()
    except DataError as error:
        raise HierarchyError(str(error)) from None
    if not text.strip():
        raise HierarchyError(f"{name} is empty: a hierarchy needs at least one item.")
    format = format or _detect(text, files.plain_suffix(Path(path)), name, delimiter)
    draft: Draft = _module(format, delimiter).read(text, name, delimiter)
    return draft, content.sha256


def _detect(text: str, suffix: str, name: str, delimiter: str | None) -> str:
    """Return the format of a text. The suffix is trusted only for JSON, because .csv and .txt are used for anything."""
    if delimiter is None:
        if suffix == ".json" or amnesia_json.looks_like_it(text):
            return "amnesia-json"
        if amnesia.looks_like_it(text):
            return "amnesia"
    if "parent" not in text.lower():
        return "arx"
    rows = read_rows(text, name, delimiter)
    # In a table of parents, 'parent' is hardly anywhere but in the header. In arx, every row ends with the same root.
    is_table = bool(rows) and parents.is_header(rows[0].cells)
    same_root = len(rows) > 1 and all(row.cells[-1] == rows[0].cells[-1] for row in rows)
    return "parents" if is_table and not same_root else "arx"


def _module(format: str, delimiter: str | None) -> ModuleType:
    """Return the module of a format. Raise an error if it does not exist, or has no delimiter."""
    if format not in _MODULES:
        hint = did_you_mean(format, FORMATS)
        raise HierarchyError(f"There is no hierarchy format '{format}'{hint}: choose one of {', '.join(FORMATS)}.")
    if delimiter is not None:
        check_delimiter(delimiter)
        if format not in _DELIMITED:
            raise HierarchyError(f"The format {format} has no delimiter: leave out delimiter=, or use arx or parents.")
    return _MODULES[format]


def _unwritable(label: str, format: str) -> str:
    """Return why a label would not be read back exactly, or an empty string."""
    if not label:
        return "is empty"
    if format == "amnesia-json":
        return ""  # it escapes everything
    if "\r" in label or "\0" in label:
        return "contains a carriage return or a NUL character"
    return "" if label.isascii() or label.encode(errors="replace").decode() == label else "is not valid Unicode"
