"""Options that commands share: how to read the data and the hierarchies."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from shoal import io
from shoal.cli import console
from shoal.cli.help import DATA, Command, option
from shoal.data import Dataset
from shoal.errors import DataError, OptionError
from shoal.files import names_folder
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.options import Option, names_of

FILE = click.Path(path_type=Path)


class InputPath(click.Path):
    """A path that must exist, or a pattern that must match a file. It is checked before everything else."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or raise an error if it does not exist."""
        try:
            os.stat(value)
        except (FileNotFoundError, NotADirectoryError):
            if os.fspath(value) != "-" and not glob.glob(os.fspath(value), recursive=True):
                if glob.has_magic(os.fspath(value)):
                    raise DataError(f"No file matches the pattern {value}: check it.") from None
                raise DataError(f"{value} does not exist: check the path.") from None
        except (OSError, ValueError):  # who reads it says what is wrong
            pass
        return super().convert(value, param, ctx)


INPUT = InputPath(path_type=Path)
_FOLDER = f"{__name__}.folder"


class OutputPath(click.Path):
    """A path to write. Remember whether it ends in a slash, so that it is a folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if ctx is not None:
            ctx.meta[_FOLDER] = names_folder(value)
        return super().convert(value, param, ctx)


OUTPUT_PATH = OutputPath(path_type=Path)


def is_folder() -> bool:
    """Whether the output of the current command ends in a slash."""
    return bool(click.get_current_context().meta.get(_FOLDER))


def data_options(command: Command) -> Command:
    """How to read the data: one command-line option for each field of :class:`ReadOptions`."""
    return _declare(command, ReadOptions.options())


def dataset_options(*names: str) -> Callable[[Command], Command]:
    """Fields of :class:`DatasetSpec`, as command-line options."""
    return lambda command: _declare(command, [one for one in DatasetSpec.options() if one.name in names])


hierarchy_options = dataset_options("hierarchy_format", "unknown_items")  # how to read it, and items that are not in it


def _declare(command: Command, options: Sequence[Option]) -> Command:
    """Make a command-line option for each declared option."""
    for one in reversed(options):
        flag, off = one.flag, f"--no-{one.flag[2:]}"
        more: dict[str, Any] = {"group": DATA, "rare": one.rare, "help": one.help}
        if one.type is not bool:
            more |= {"default": one.default, "type": click.Choice(one.words)} if one.words and not one.file else {}
            more |= {"type": FILE} if one.file else {}
            made = option(flag, one.name, metavar=one.metavar or None, multiple=tuple in one.also, **more)
        elif one.default is None:
            made = option(f"{flag}/{off}", one.name, default=None, **more)
        elif one.default:
            made = option(off, one.name, flag_value=False, default=True, type=bool, **more)
        else:
            made = option(flag, one.name, is_flag=True, **more)
        command = made(command)
    return command


def reading(given: dict[str, Any]) -> dict[str, Any]:
    """Take the data options out of a command's arguments, as :func:`shoal.read` wants them."""
    chosen = {one.name: given.pop(one.name) for one in ReadOptions.options()}
    for one in ReadOptions.options():
        if tuple in one.also:  # it may be given several times
            texts = chosen[one.name]
            chosen[one.name] = texts if len(texts) > 1 else texts[0] if texts else None
        elif one.type is tuple:
            chosen[one.name] = names_of(chosen[one.name] or "")
    return chosen


def names(text: str | None) -> list[str] | None:
    """Return the columns that an option names, or None if it is not given."""
    return None if text is None else [name.strip() for name in names_of(text)]


def tell(data: Dataset) -> Dataset:
    """Return the data after telling the user what was read."""
    console.log(io.summary(data))
    return data


def seconds(text: str, flag: str) -> Any:
    """Parse a number of seconds, or "none"."""
    try:
        if text != "none" and not 0 <= float(text) < float("inf"):
            raise ValueError
    except ValueError:
        raise OptionError(f"{flag} must be a number of seconds, or 'none', got '{text}'.") from None
    return text if text == "none" else float(text)
