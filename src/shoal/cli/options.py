"""Options that commands share; those of models and algorithms are read off their dataclass fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from shoal import discovery, io
from shoal.algorithms import Algorithm
from shoal.cli import console
from shoal.data import Dataset
from shoal.errors import OptionError
from shoal.io.read_options import ReadOptions
from shoal.options import Option, Spec, names_of, say
from shoal.privacy import PrivacyModel

Command = TypeVar("Command", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)


def data_options(command: Command) -> Command:
    """How to read the data: one command-line option for each field of :class:`ReadOptions`."""
    for one in reversed(ReadOptions.options()):
        if one.type is not bool:
            made = click.option(
                one.flag, one.name, metavar=one.metavar or None, multiple=tuple in one.also, help=one.help
            )
        elif one.default is None:
            made = click.option(f"{one.flag}/--no-{one.flag[2:]}", one.name, default=None, help=one.help)
        elif one.default:
            made = click.option(
                f"--no-{one.flag[2:]}", one.name, flag_value=False, default=True, type=bool, help=one.help
            )
        else:
            made = click.option(one.flag, one.name, is_flag=True, help=one.help)
        command = made(command)
    return command


def hierarchy_options(command: Command) -> Command:
    """How to read the hierarchy, and what to do with items that it does not know."""
    unknown = "Items not in the hierarchy: 'error', or 'root' to take them as items directly below its root."
    for option in (
        click.option("--unknown-items", default="error", show_default=True, help=unknown),
        click.option("--hierarchy-format", help="Format of the hierarchy; default: by its name and content."),
    ):
        command = option(command)
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


def tell(data: Dataset) -> Dataset:
    """The data, once the user was told what was read."""
    console.log(io.summary(data))
    return data


def spec_options(*bases: type[Spec]) -> Callable[[Command], Command]:
    """One command-line option for each field of every known model and algorithm."""

    def decorate(command: Command) -> Command:
        for owners in reversed(list(_declared(bases).values())):
            option = next(iter(owners.values()))
            defaults = {str(own.default) for own in owners.values()}
            spread = ", ".join(f"{say(own.default)} for {name}" for name, own in owners.items())
            default = spread if len(defaults) > 1 else say(option.default)
            some = {word: [name for name, own in owners.items() if word in own.words] for word in option.words}
            only = "".join(f"; {word}: {', '.join(who)}" for word, who in some.items() if len(who) < len(owners))
            meant: dict[str, list[str]] = {}
            for name, own in owners.items():
                meant.setdefault(own.help, []).append(name)
            *others, last = [f"{help} [{', '.join(who)}" for help, who in meant.items()]
            text = "".join(f"{other}]; " for other in others) + f"{last}; default: {default}{only}]"
            command = _click(option, text)(command)
        return command

    return decorate


def spec_options_of(cls: type[Spec]) -> Callable[[Command], Command]:
    """One command-line option for each field of one class."""

    def decorate(command: Command) -> Command:
        for option in reversed(cls.options()):
            command = _click(option, f"{option.help} [default: {say(option.default)}]")(command)
        return command

    return decorate


def choose(bases: Mapping[type[Spec], str], given: dict[str, Any]) -> list[Any]:
    """Build the chosen model and algorithm from the options given; an option of neither is an error."""
    chosen = [discovery.get(_package(base), base, name) for base, name in bases.items()]
    texts = {name: given[name] for name in _declared(tuple(bases)) if given.get(name) not in (None, ())}
    known = {option.name for cls in chosen for option in cls.options()}
    for name in texts:
        if name not in known:
            owners = ", ".join(_declared(tuple(bases))[name])
            kinds = {_kind(base) for base in bases for owner in _declared((base,)).get(name, ())}
            instead = " or ".join(kind.replace("the", "another") for kind in sorted(kinds))
            asked = [f"{_kind(base)} {cls.name}" for base, cls in zip(bases, chosen, strict=True)]
            raise OptionError(
                f"--{name.replace('_', '-')} is an option of {owners}, not of {' or '.join(asked)}: leave it out, "
                f"or choose {instead}."
            )
    return [
        cls.parse({option.name: texts[option.name] for option in cls.options() if option.name in texts})
        for cls in chosen
    ]


def _declared(bases: tuple[type[Spec], ...]) -> dict[str, dict[str, Option]]:
    """Option name -> the names of those that declare it, with their declarations."""
    declared: dict[str, dict[str, Option]] = {}
    for base in bases:
        for name, cls in discovery.find(_package(base), base).items():
            for option in cls.options():
                declared.setdefault(option.name, {})[name] = option
    return declared


def _click(option: Option, help: str) -> Callable[[Command], Command]:
    """The command-line option; yes or no is a flag."""
    if option.type is bool:
        return click.option(f"{option.flag}/--no-{option.flag[2:]}", option.name, default=None, help=help)
    several = option.type is tuple  # then it may be repeated
    flags = [f"-{option.name}"] if len(option.name) == 1 else []
    return click.option(*flags, option.flag, option.name, metavar=_metavar(option), multiple=several, help=help)


def _kind(base: type[Spec]) -> str:
    return {PrivacyModel: "the model", Algorithm: "the algorithm"}[base]


def _package(base: type[Spec]) -> str:
    return {PrivacyModel: "shoal.privacy", Algorithm: "shoal.algorithms"}[base]


def _metavar(option: Option) -> str:
    kind = {int: "N", float: "X", str: "FILE" if option.file else "WORD", tuple: "FILE|A,B"}[option.type]
    only_words = option.words and option.type is str and not option.file
    return "|".join([*option.words, kind] if option.file else [*([] if only_words else [kind]), *option.words])
