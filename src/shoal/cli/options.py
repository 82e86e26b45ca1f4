"""Options that commands share; those of models and algorithms are read off their dataclass fields."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from shoal import discovery, io
from shoal.algorithms import Algorithm
from shoal.cli import console
from shoal.data import Dataset
from shoal.errors import OptionError
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.options import Option, Spec, format_value, names_of
from shoal.privacy import PrivacyModel

Command = TypeVar("Command", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)


def data_options(command: Command) -> Command:
    """How to read the data: one command-line option for each field of :class:`ReadOptions`."""
    return _declare(command, ReadOptions.options())


def dataset_options(*names: str) -> Callable[[Command], Command]:
    """Fields of :class:`DatasetSpec`, as command-line options."""
    return lambda command: _declare(command, [one for one in DatasetSpec.options() if one.name in names])


hierarchy_options = dataset_options("hierarchy_format", "unknown_items")  # how to read it, and items that are not in it


def _declare(command: Command, options: Sequence[Option]) -> Command:
    """One command-line option for each declared one."""
    for one in reversed(options):
        flag, off = one.flag, f"--no-{one.flag[2:]}"
        if one.type is not bool:
            kind: dict[str, Any] = {"default": one.default, "show_default": True} if one.words else {}
            kind |= {"type": FILE} if one.file else {}
            option = click.option(
                flag, one.name, metavar=one.metavar or None, multiple=tuple in one.also, help=one.help, **kind
            )
        elif one.default is None:
            option = click.option(f"{flag}/{off}", one.name, default=None, help=one.help)
        elif one.default:
            option = click.option(off, one.name, flag_value=False, default=True, type=bool, help=one.help)
        else:
            option = click.option(flag, one.name, is_flag=True, help=one.help)
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


class ModelCommand(click.Command):
    """A command with the options of all models, or of all models and algorithms, after ``--model``, ``--algorithm``.

    They are looked up when they are needed. With a model or an algorithm, ``--help`` shows theirs alone.
    """

    def __init__(self, *words: Any, specs: tuple[type[Spec], ...], **more: Any) -> None:
        super().__init__(*words, **more)
        self.specs = specs

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """All parameters; while help is shown, those of what was chosen."""
        params = super().get_params(ctx)
        after = 1 + max(at for at, one in enumerate(params) if one.name in ("model", "algorithm"))
        return [*params[:after], *_spec_options(self.specs, ctx.meta.get(_CHOSEN)), *params[after:]]

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Those that are no option of a model: -h may be one."""
        taken = {flag for option in _spec_options(self.specs, None) for flag in option.opts}
        return [name for name in super().get_help_option_names(ctx) if name not in taken]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words, as ``--help`` is heard before all others."""
        ctx.meta[_WORDS] = list(args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help of the options."""
        given, _, _ = self.make_parser(ctx).parse_args(ctx.meta.get(_WORDS, []))
        ctx.meta[_CHOSEN] = _fitting(given.get("model"), given.get("algorithm"))
        super().format_options(ctx, formatter)


_WORDS, _CHOSEN = f"{__name__}.words", f"{__name__}.chosen"


@functools.cache
def _spec_options(bases: tuple[type[Spec], ...], names: frozenset[str] | None) -> list[click.Option]:
    """One command-line option for each field of every known model and algorithm, or of those of some names."""
    declared = [_click(next(iter(owners.values())), _help(owners)) for owners in _declared(bases, names).values()]
    return [click.Option(flags, **attributes) for flags, attributes in declared]


def _fitting(model: str | None, method: str | None) -> frozenset[str]:
    """The names of the models and the algorithms that go with what was chosen."""
    models = discovery.find("shoal.privacy", PrivacyModel)
    methods = discovery.find("shoal.algorithms", Algorithm)
    if model is not None:
        models = {model: discovery.get("shoal.privacy", PrivacyModel, model)}
    if method is not None:
        methods = {method: discovery.get("shoal.algorithms", Algorithm, method)}
    if model is not None and method is not None:
        return frozenset((model, method))
    pairs = [(one, other) for one in models for other in methods if issubclass(models[one], methods[other].solves)]
    return frozenset(name for pair in pairs for name in pair)


def _help(owners: Mapping[str, Option]) -> str:
    """What an option means, for whom, and its defaults."""
    option = next(iter(owners.values()))
    defaults = {str(own.default) for own in owners.values()}
    spread = ", ".join(f"{format_value(own.default)} for {name}" for name, own in owners.items())
    default = spread if len(defaults) > 1 else format_value(option.default)
    some = {word: [name for name, own in owners.items() if word in own.words] for word in option.words}
    only = "".join(f"; {word}: {', '.join(who)}" for word, who in some.items() if len(who) < len(owners))
    meant: dict[str, list[str]] = {}
    for name, own in owners.items():
        meant.setdefault(own.help, []).append(name)
    *others, last = [f"{help} [{', '.join(who)}" for help, who in meant.items()]
    return "".join(f"{other}]; " for other in others) + f"{last}; default: {default}{only}]"


def spec_options_of(cls: type[Spec]) -> Callable[[Command], Command]:
    """One command-line option for each field of one class."""

    def decorate(command: Command) -> Command:
        for option in reversed(cls.options()):
            flags, attributes = _click(option, f"{option.help} [default: {format_value(option.default)}]")
            command = click.option(*flags, **attributes)(command)
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


def _declared(bases: tuple[type[Spec], ...], names: Collection[str] | None = None) -> dict[str, dict[str, Option]]:
    """Option name -> the names of those that declare it, with their declarations; of some only, if names are given."""
    declared: dict[str, dict[str, Option]] = {}
    for base in bases:
        for name, cls in discovery.find(_package(base), base).items():
            for option in cls.options() if names is None or name in names else ():
                declared.setdefault(option.name, {})[name] = option
    return declared


def _click(option: Option, help: str) -> tuple[list[str], dict[str, Any]]:
    """The flags and the attributes of a command-line option; yes or no is a flag."""
    if option.type is bool:
        return [f"{option.flag}/--no-{option.flag[2:]}", option.name], {"default": None, "help": help}
    flags = [f"-{option.name}"] if len(option.name) == 1 else []
    several = option.type is tuple  # then it may be repeated
    return [*flags, option.flag, option.name], {"metavar": _metavar(option), "multiple": several, "help": help}


def _kind(base: type[Spec]) -> str:
    return {PrivacyModel: "the model", Algorithm: "the algorithm"}[base]


def _package(base: type[Spec]) -> str:
    return {PrivacyModel: "shoal.privacy", Algorithm: "shoal.algorithms"}[base]


def _metavar(option: Option) -> str:
    kind = {int: "N", float: "X", str: "FILE" if option.file else "WORD", tuple: "FILE|A,B"}[option.type]
    only_words = option.words and option.type is str and not option.file
    return "|".join([*option.words, kind] if option.file else [*([] if only_words else [kind]), *option.words])
