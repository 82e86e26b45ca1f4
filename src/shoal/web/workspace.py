"""The workspace: the folder that holds inputs, projects, runs and what they wrote.

::

    WORKSPACE/
      README.txt                  says what is here
      inputs/                     data, hierarchies, product tables, keys
      projects/NAME/
        project.json              the choices, as the tables of a problem file; no data
        hierarchies/              hierarchies that were made or changed in the workbench
          history/                how each was made, and its versions before each change
        runs/0001/
          run.json                the state of the run, and its figures
          problem.toml            'shoal run problem.toml' does the same again
          result.json             what the page of the result shows; it quotes the original data
          order.npy               the input row of each published record, if their order is another one
          message.txt             why the run has no result, if it has none
          ...                     what the run wrote: release, reports, certificate, code book

Names that come from a browser never lead out of it: they are plain names, and links that lead elsewhere are not
followed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import InputError, OptionError, OutputError
from shoal.files import atomic_output
from shoal.files.staging import remove_leftovers
from shoal.jobs.problem_paths import paths_of
from shoal.visible import visible

LAYOUT = 1  # the version of the folder's layout
README = f"""This folder belongs to the Shoal workbench (layout {LAYOUT}). Start it with: shoal serve --workspace FOLDER

inputs/     your data, hierarchies, tables and keys. You may add files here by hand.
projects/   a folder for each project: your choices (project.json), hierarchies, and one folder for each run.
            A run has its state (run.json), a problem file that repeats it (problem.toml), and what it wrote.

project.json, run.json and problem.toml hold no data, only names of files and columns, and labels that you chose.
Of a run, publish the release, its code book, the certificate and public.html or public.json. Keep all other files.
"""
_PROJECT = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_RUN = re.compile(r"[0-9]{4,9}")
LAST = 999_999_999  # the largest number of a run
_LONGEST = 120  # characters of a file's name
_MOST_BYTES = 200  # of a file's name; systems take 255, and temporary names are longer
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}


def plain_name(name: str) -> str:
    r"""Return the name of a file, if it is one and nothing else.

    >>> plain_name("../../etc/passwd")
    Traceback (most recent call last):
    shoal.errors.InputError: '../../etc/passwd' cannot be the name of a file here: ...
    """
    bad = not name or len(name) > _LONGEST or name.startswith((".", "-", "~")) or name != name.strip()
    bad = bad or any(one in '/\\:*?"<>|' or not one.isprintable() for one in name) or name.endswith(".")
    if bad or len(name.encode()) > _MOST_BYTES or name.split(".")[0].strip().lower() in _RESERVED:
        raise InputError(
            f"'{visible(name[:_LONGEST])}' cannot be the name of a file here: use letters, digits, spaces, dots, - and "
            f"_, at most {_LONGEST}, and no dot at the start."
        )
    return name


def project_name(text: str) -> str:
    """Return a name for a project, from that of its file.

    >>> project_name("Orders 2024 (final).csv"), project_name("日本.csv")
    ('orders-2024-final', 'project')
    """
    return re.sub(r"[^a-z0-9]+", "-", text.split(".")[0].lower()).strip("-")[:60].strip("-") or "project"


def is_own(path: Path) -> bool:
    """Return whether a path is a file with a plain name that is in its folder, and not a link to another place."""
    try:
        plain_name(path.name)
        return path.is_file() and path.resolve().parent == path.parent.resolve()
    except (InputError, OSError, RuntimeError):
        return False


def delete_folder(folder: Path) -> None:
    """Delete a folder. It is gone at once, even if somebody still writes into it."""
    gone = folder.with_name(f".deleted-{secrets.token_hex(4)}")
    try:
        folder.rename(gone)
    except OSError as error:
        raise OutputError(f"{folder} cannot be deleted: {error.strerror}.") from None
    shutil.rmtree(gone, ignore_errors=True)


def _folded(name: str) -> str:
    """Return what names of the same file have in common on systems that know no case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _refuse_strangers(folder: Path) -> None:
    """Refuse a folder that another user of this computer controls: root may use those of others."""
    if not hasattr(os, "geteuid"):
        return
    about = folder.stat()
    if os.geteuid() not in (0, about.st_uid):
        raise OutputError(f"{folder} belongs to another user: name another folder.")
    if about.st_mode & stat.S_IWOTH:
        raise OutputError(f"All users of this computer can write to {folder}: name another folder, or chmod o-w it.")
    if about.st_mode & stat.S_IWGRP:  # they could replace the folders in it
        folder.chmod(stat.S_IMODE(about.st_mode) & ~stat.S_IWGRP)


@dataclass(frozen=True)
class InputFile:
    """A file of the workspace that can be chosen."""

    name: str
    size: int


@dataclass(frozen=True)
class Workspace:
    """The folder. ``open`` makes what is missing."""

    root: Path

    @classmethod
    def open(cls, root: Path) -> Workspace:
        """Open a workspace, or make a new one."""
        try:
            if not root.exists():
                root.mkdir(mode=0o700, parents=True)
            for folder in (root / "inputs", root / "projects"):
                folder.mkdir(mode=0o700, exist_ok=True)
            for folder in (root / "inputs", root / "projects"):
                if folder.resolve().parent != root.resolve():
                    raise OutputError(f"{folder} is a link to another place: a workspace needs a folder of its own.")
            _refuse_strangers(root)
            for folder in (root / "inputs", root / "projects"):
                _refuse_strangers(folder)
                folder.chmod(0o700)
            about = root / "README.txt"
            if not os.path.lexists(about):
                with about.open("x", encoding="utf-8") as file:  # never through a link
                    file.write(README)
        except OSError as error:
            raise OutputError(f"{root} cannot be a workspace: {error.strerror}. Name another folder.") from None
        return cls(root.resolve())

    def finish_deleting(self) -> None:
        """Delete what an earlier workbench had begun to delete."""
        for folder in (*self.root.glob("projects/.deleted-*"), *self.root.glob("projects/*/runs/.deleted-*")):
            shutil.rmtree(folder, ignore_errors=True)

    @property
    def inputs(self) -> Path:
        """The folder of inputs."""
        return self.root / "inputs"

    def input_files(self) -> list[InputFile]:
        """List what can be chosen: plain files, and links that stay in the folder."""
        found = [InputFile(one.name, one.stat().st_size) for one in self.inputs.iterdir() if is_own(one)]
        return sorted(found, key=lambda one: one.name.lower())

    def input(self, name: str) -> str:
        """Return the path of an input below the workspace."""
        if not is_own(self.inputs / plain_name(name)):
            raise InputError(f"There is no file '{visible(name)}' in {self.inputs.name}/: choose one of the list.")
        return f"inputs/{name}"

    def new_input(self, name: str) -> Path:
        """Return where an upload is to be written. An input is never replaced."""
        path = self.inputs / plain_name(name)
        # Names that differ only in case or in the spelling of accents are the same file on other computers.
        if os.path.lexists(path) or any(_folded(one) == _folded(name) for one in os.listdir(self.inputs)):
            raise InputError(
                f"There is a file '{visible(name)}' in {self.inputs.name}/ already: choose it, or rename yours."
            )
        return path

    def versions(self, tables: Mapping[str, Any], *paths: str) -> list[list[Any]]:
        """Return what changes when one of the files changes that tables or ``paths`` name."""
        found = []
        for path in dict.fromkeys((*paths_of(tables), *paths)):
            with contextlib.suppress(OSError):
                about = (self.root / path).stat()
                found.append([path, about.st_mtime_ns, about.st_size])
        return found

    def projects(self) -> list[Project]:
        """List the projects, the latest first."""
        found = [Project(self, one.name) for one in (self.root / "projects").iterdir()]
        return sorted((one for one in found if one.is_sound()), key=lambda one: -one.file.stat().st_mtime)

    def project(self, name: str) -> Project:
        """Return a project that exists."""
        if not (found := Project(self, name)).is_sound():
            raise InputError(f"There is no project '{visible(name)}': choose one of the list.")
        return found

    def new_project(self, wish: str) -> Project:
        """Make an empty project with a name that is free."""
        base = project_name(wish)
        for number in range(1, 1000):
            name = base if number == 1 else f"{base[:55]}-{number}"
            folder = self.root / "projects" / name
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            (folder / "hierarchies").mkdir()
            (folder / "runs").mkdir()
            return Project(self, name)
        raise OutputError(f"There are too many projects called '{base}': delete some.")


@dataclass(frozen=True)
class Project:
    """A project: a folder with choices, hierarchies and runs."""

    workspace: Workspace
    name: str

    @property
    def path(self) -> str:
        """The folder, below the workspace."""
        return f"projects/{self.name}"

    @property
    def folder(self) -> Path:
        """The folder."""
        return self.workspace.root / self.path

    @property
    def file(self) -> Path:
        """The file of the choices."""
        return self.folder / "project.json"

    def is_sound(self) -> bool:
        """Return whether it is there, and not a link to another place."""
        return bool(_PROJECT.fullmatch(self.name)) and self.file.is_file() and self.file.resolve() == self.file

    def load(self) -> dict[str, Any]:
        """Return the content of the file."""
        return read_json(self.file)

    def save(self, content: dict[str, Any]) -> None:
        """Write the file."""
        write_json(self.file, content)

    def runs(self) -> Iterator[Path]:
        """Yield the folders of the runs, the latest first."""
        place = self.folder / "runs"
        if place.is_dir() and place.resolve() == place:
            folders = [one for one in place.iterdir() if _RUN.fullmatch(one.name) and one.is_dir()]
            yield from sorted((one for one in folders if not one.is_symlink()), key=lambda one: -int(one.name))

    def run(self, number: int) -> Path:
        """Return the folder of a run that exists."""
        folder = self.folder / "runs" / f"{number:04d}"
        if number > LAST or not (folder / "run.json").is_file() or folder.resolve() != folder:
            raise InputError(f"Project {self.name} has no run {str(number)[:10]}: choose one of the list.")
        return folder

    def new_run(self) -> Path:
        """Make the folder of the next run."""
        number = max((int(one.name) for one in self.runs()), default=0) + 1
        place = self.folder / "runs"
        place.mkdir(exist_ok=True)
        if place.resolve() != place:
            raise OutputError(f"{place} is a link to another place, where nothing is written: delete the link.")
        if number > LAST:
            raise OutputError(f"{place} holds run {LAST}, the last that can be: delete it.")
        folder = place / f"{number:04d}"
        folder.mkdir()
        return folder

    def delete(self) -> None:
        """Delete the project with its runs. Inputs stay."""
        delete_folder(self.folder)

    def hierarchies(self) -> list[str]:
        """List the hierarchies that were made here, as paths below the workspace."""
        folder = self.folder / "hierarchies"
        found = folder.iterdir() if folder.is_dir() and folder.resolve() == folder else ()
        return sorted(f"{self.path}/hierarchies/{one.name}" for one in found if is_own(one))


def read_json(path: Path) -> dict[str, Any]:
    """Read a file of the workspace."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError):
        raise InputError(f"{path} cannot be read: it is damaged. Restore it, or delete its folder.") from None
    if not isinstance(content, dict) or content.get("layout") != LAYOUT:
        raise OptionError(f"{path} was written by another version of Shoal: open it with that version.")
    return content


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a file of the workspace, or leave the old one."""
    remove_leftovers(path.parent)
    with atomic_output(path, private=True) as file:
        file.write(json.dumps({"layout": LAYOUT, **content}, indent=1, ensure_ascii=False).encode())
