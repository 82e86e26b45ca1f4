"""Confine: the tables of a project name files of the workspace only, whoever wrote them.

A form cannot name another file, but project.json and run.json can be edited by hand, or come with a workspace of
somebody else. What they name is read by workers, so it is checked whenever they are loaded and saved.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.errors import InputError
from shoal.io.read_options import ReadOptions
from shoal.jobs.problem_paths import with_paths
from shoal.models.base import PrivacyModel
from shoal.options import Spec
from shoal.visible import visible
from shoal.web.workspace import Project, is_own, plain_name


def check_paths(tables: Mapping[str, Any], project: Project) -> None:
    """Raise an InputError if the tables of a problem file name a file outside of inputs/ and of the project."""
    try:
        with_paths(_with_names(tables), lambda path: _checked(path, project))
        _refuse_list_files(tables)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError(
            f"The choices of project {project.name} are damaged: restore its project.json, or delete the project."
        ) from None


def _checked(path: str, project: Project) -> str:
    """Return a path, if it leads to an input, a hierarchy of the project, or an output of one of its runs."""
    folder, _, name = path.removesuffix("/").rpartition("/")
    runs = f"{project.path}/runs/"
    allowed = folder in ("inputs", f"{project.path}/hierarchies")
    written = folder.startswith(runs) and folder.removeprefix(runs).isdecimal()
    target = project.workspace.root / path
    try:
        plain_name(name)
        new = not os.path.lexists(target) and "[" not in name  # readers take that for a pattern
        parts = written and path.endswith("/") and not target.is_symlink()
        # A folder on the way that is a link would lead out, also for files that are still to be written.
        here = target.parent.resolve() == project.workspace.root / folder
        sound = (allowed or written) and here and (is_own(target) or new or parts)
    except InputError:
        sound = False
    if not sound:
        raise InputError(
            f"Project {project.name} names the file '{visible(path[:200])}', which is not one of the workspace: choose "
            f"a file of inputs/."
        )
    return path


def _with_names(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables with the names of the model and the method that count if none is named."""
    model = {"name": "km", **tables.get("model", {})}
    method = discovery.get("shoal.models", PrivacyModel, model["name"]).default_algorithm
    return {**tables, "model": model, "algorithm": {"name": method, **tables.get("algorithm", {})}}


def _refuse_list_files(tables: Mapping[str, Any]) -> None:
    """Refuse a text where labels are wanted: it could be the name of a file that lists them."""
    named = _with_names(tables)
    specs: dict[str, type[Spec]] = {
        "data": ReadOptions,
        "model": discovery.get("shoal.models", PrivacyModel, named["model"]["name"]),
        "algorithm": discovery.get("shoal.algorithms", Algorithm, named["algorithm"]["name"]),
    }
    for table, spec in specs.items():
        for one in spec.options():
            if one.type is tuple and isinstance(tables.get(table, {}).get(one.name), str):
                raise InputError(f"[{table}] {one.name} must be a list of labels, not a text.")
