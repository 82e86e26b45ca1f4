"""Recoding files: JSON that says what a release did to items (:class:`~shoal.release.saved_recoding.SavedRecoding`).

The file is for the owner: it names all items of the hierarchy, and those that were removed. A hash of its content shows
damage. What a wrong label would do is checked as well: the groups must fit the hierarchy in the file, and every release
is verified.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal import discovery, files
from shoal._version import __version__
from shoal.algorithms.base import Algorithm
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Role
from shoal.errors import DataError, HierarchyError, OptionError, shorten
from shoal.files import atomic_output, strict_json
from shoal.files.fields import Fields
from shoal.io.read_options import ReadOptions
from shoal.metrics.base import AdditiveLoss
from shoal.models.base import PrivacyModel
from shoal.options import Spec
from shoal.release.saved_recoding import NOT_KEPT, SavedRecoding

KIND = "urn:shoal:recoding:1"  # the number rises when a key goes or changes its meaning
FAMILY = KIND.rpartition(":")[0]
WHY = "is not a recoding that Shoal wrote"
WARNING = "INTERNAL: this file names all items of the hierarchy. Do not publish it."
UNKNOWN = ("error", "root")  # what can be done with items that the hierarchy lacks


def document(saved: SavedRecoding) -> dict[str, Any]:
    """Return a recoding as plain values, with a hash of them.

    >>> import shoal
    >>> flat = Hierarchy.flat(["ale", "rye"])
    >>> release = shoal.anonymize([["ale"], ["ale"], ["rye"], ["rye"]], k=2, m=1, hierarchy=flat)
    >>> told = document(release.saved_recoding)
    >>> told["type"], told["hierarchy"]["parents"], told["raised"]
    ('urn:shoal:recoding:1', {'ale': '*', 'rye': '*', '*': None}, [])
    """
    told: dict[str, Any] = {
        "do_not_publish": WARNING,
        "type": KIND,
        "shoal": __version__,
        "model": {"name": saved.model.name, "options": _plain(saved.model.values())},
        "method": {"name": saved.method.name, "options": _plain(_without_files(saved.method))},
        "loss": saved.loss,
        "hierarchy": {
            "name": saved.tree.name,
            "sha256": saved.tree.sha256,
            "built": saved.built,
            "parents": saved.tree.parents_by_label(),
        },
        "groups": {label: list(members) for label, members in saved.groups.items()},
        "raised": list(saved.raised),
        "suppressed": list(saved.suppressed),
        "order": list(saved.order),
        "retired": list(saved.retired),
        "unknown_items": saved.unknown_items,
        "reading": _plain(saved.reading),
        "columns": None if saved.columns is None else list(saved.columns),
        "roles": dict(saved.roles),
        "joined": saved.joined,
    }
    return {**told, "sha256": _hash(told)}


def save(saved: SavedRecoding, path: str | Path) -> dict[str, Any]:
    """Write a recoding. Return the entry for the provenance: the name and the hash of the file."""
    content = json.dumps(document(saved), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    with atomic_output(path, private=True) as file:
        file.write(content.encode())
    return {"name": Path(path).name, "sha256": files.sha256_of(path)}


def load(path: str | Path) -> SavedRecoding:
    """Read a recoding.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    SavedRecoding

    Raises
    ------
    DataError
        The file is no recoding, or of another version, or it was changed after Shoal wrote it.
    HierarchyError
        A label of it represents other items than it should.

    Examples
    --------
    >>> load("pyproject.toml")
    Traceback (most recent call last):
    shoal.errors.DataError: pyproject.toml, line 1, column 2: this is not JSON (...): ...
    """
    content = files.load(path)
    given = Fields(strict_json.loads(content.text().encode(), str(path)), str(path), WHY)
    kind = given.text("type")
    if kind != KIND:
        other = (
            f"is a recoding of another version ({shorten(kind)})" if kind.startswith(f"{FAMILY}:") else "is no recoding"
        )
        raise DataError(f"{path} {other}: this version of Shoal reads {KIND}. Make the recoding again with --recoding.")
    own = {name: value for name, value in given.values.items() if name != "sha256"}
    if _hash(own) != given.text("sha256"):
        raise DataError(
            f"{path} was changed after Shoal wrote it: its content does not fit its hash. Take the original file, or "
            f"make the recoding again."
        )
    saved = replace(_read(given), name=str(path), sha256=content.sha256)
    _check(saved, given)
    return saved


def _check(saved: SavedRecoding, given: Fields) -> None:
    """Refuse fields that contradict each other."""
    if not (saved.method.reusable and isinstance(saved.model, saved.method.solves)):
        given.refuse(f"{saved.method.name} makes no recodings for {saved.model.name} that can be repeated")
    if saved.unknown_items not in UNKNOWN:
        given.refuse(f"'unknown_items' is none of {', '.join(UNKNOWN)}")
    lists = {"raised": saved.raised, "suppressed": saved.suppressed, "order": saved.order, "retired": saved.retired}
    lists |= {"columns": saved.columns or ()} | {
        f"groups: {shorten(name)}": some for name, some in saved.groups.items()
    }
    for name, labels in lists.items():
        if len(set(labels)) < len(labels):
            given.refuse(f"'{name}' names something twice")
    if not all(saved.groups.values()):
        given.refuse("a group has no members")
    saved.cut  # noqa: B018  (refuses labels that represent other items than they should)
    wrong = {
        "is a group, but not published": saved.groups.keys() - set(saved.raised),
        "is published as a group, but is an item": set(saved.raised).intersection(saved.tree.items),
        "is retired, but in use": set(saved.retired).intersection((*saved.groups, *saved.tree.labels)),
        "has a role, but is not published": saved.roles.keys() - set(saved.columns or ()),
    }
    for why, found in wrong.items():
        if found:
            given.refuse(f"'{shorten(min(found))}' {why}")


def _read(given: Fields) -> SavedRecoding:
    """Return the recoding that a document holds."""
    try:
        return SavedRecoding(
            model=_spec(given.below("model"), "shoal.models", PrivacyModel),
            method=_spec(given.below("method"), "shoal.algorithms", Algorithm),
            loss=discovery.get("shoal.metrics", AdditiveLoss, given.text("loss")).name,
            tree=_tree(given.below("hierarchy")),
            groups={label: given.below("groups").texts(label) for label in given.below("groups").values},
            raised=given.texts("raised"),
            suppressed=given.texts("suppressed"),
            order=given.texts("order"),
            retired=given.texts("retired"),
            unknown_items=given.text("unknown_items"),
            reading=_reading(given.below("reading")),
            columns=None if given.get("columns") is None else given.texts("columns"),
            roles={name: Role(given.below("roles").text(name)).value for name in given.below("roles").values},
            joined="joined" in given.values and given.flag("joined"),
            built=given.below("hierarchy").flag("built"),
        )
    except (OptionError, HierarchyError, ValueError, TypeError) as error:
        given.refuse(str(error).rstrip("."))


def _spec(given: Fields, package: str, base: type[Any]) -> Any:
    """Return a model or an algorithm with its options."""
    options = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in given.below("options").values.items()
    }
    cls: type[Spec] = discovery.get(package, base, given.text("name"))
    known = {one.name for one in cls.options()}
    if unknown := sorted(options.keys() - known):
        given.refuse(f"{cls.name} has no option '{shorten(unknown[0])}'")
    return cls(**options)


def _tree(given: Fields) -> Hierarchy:
    """Return the hierarchy, which keeps the name and the hash of its file."""
    parents = given.below("parents").values
    if not all(parent is None or isinstance(parent, str) for parent in parents.values()):
        given.refuse("a parent of its hierarchy is not a text")
    return replace(Hierarchy.from_parents(parents, given.text("name")), file_sha256=given.text("sha256"))


def _reading(given: Fields) -> dict[str, Any]:
    """Return the options of reading. Those that name other files are refused."""
    known = {one.name for one in ReadOptions.options()} - {*NOT_KEPT}
    if unknown := sorted(given.values.keys() - known):
        given.refuse(f"'{shorten(unknown[0])}' is no option of reading that a recoding may have")
    options: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.values.items()
    }
    ReadOptions(**options)
    return options


def _without_files(method: Algorithm) -> dict[str, Any]:
    """Return the options of a method without those that name files, which may be gone."""
    return {name: value for name, value in method.values().items() if value not in method.files}


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values that JSON has."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _hash(told: Mapping[str, Any]) -> str:
    """Return the hash of a document."""
    return hashlib.sha256(strict_json.dumps(told)).hexdigest()
