"""Options that commands share; those of models and algorithms are read off their dataclass fields."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from shoal import discovery, io
from shoal.algorithms.base import Algorithm
from shoal.cli import console
from shoal.data import Dataset
from shoal.errors import OptionError
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.models.base import PrivacyModel
from shoal.options import Option, Spec, format_value, names_of

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
    """A command with the options of models, or of models and algorithms, after ``--model``, ``--algorithm``.

    Those of what was chosen are declared, and those of all others only if an option is none of these: to import all
    takes long. ``--help`` shows those of the default, or of what was chosen.
    """

    def __init__(self, *words: Any, specs: tuple[type[Spec], ...], **more: Any) -> None:
        super().__init__(*words, **more)
        self.specs = specs

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """All parameters: with the options of what was chosen, once that is known."""
        params = super().get_params(ctx)
        after = 1 + max(at for at, one in enumerate(params) if one.name in ("model", "algorithm"))
        return [*params[:after], *_spec_options(ctx.meta.get(_CHOSEN) or _all(self.specs)), *params[after:]]

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """The long one: -h is an option of a model."""
        return [name for name in super().get_help_option_names(ctx) if name.startswith("--")]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Try the options of what was chosen, then those of all, so that an error names whose option it is."""
        ctx.meta[_WORDS] = list(args)
        with contextlib.suppress(OptionError, click.NoSuchOption):
            ctx.meta[_CHOSEN] = self._by_default(_value(args, "--model"), _value(args, "--algorithm"))
            return super().parse_args(ctx, list(args))
        ctx.meta[_CHOSEN] = None
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help of the options."""
        model, algorithm = (_value(ctx.meta.get(_WORDS, []), flag) for flag in ("--model", "--algorithm"))
        fitting = self._by_default if model is algorithm is None else _fitting
        ctx.meta[_CHOSEN] = tuple(cls for cls in fitting(model, algorithm) if issubclass(cls, self.specs))
        super().format_options(ctx, formatter)
        if model is algorithm is None:
            formatter.write_paragraph()
            formatter.write_text(self._others(ctx))

    def _by_default(self, model: str | None, algorithm: str | None) -> tuple[type[Spec], ...]:
        """The model and the algorithm that run, if these were chosen."""
        default = str(next(one.default for one in self.params if one.name == "model"))
        guarantee = discovery.get("shoal.models", PrivacyModel, model or default)
        if Algorithm not in self.specs:
            return (guarantee,)
        return guarantee, discovery.get("shoal.algorithms", Algorithm, algorithm or guarantee.default_algorithm)

    def _others(self, ctx: click.Context) -> str:
        """How to see the options that the help does not show."""
        models = ", ".join(discovery.find("shoal.models", PrivacyModel))
        if Algorithm not in self.specs:
            return f"Options of another model: {ctx.command_path} --model NAME --help (models: {models})."
        return (
            f"Options of another model or algorithm: {ctx.command_path} --model NAME --help, or --algorithm NAME "
            f"--help (models: {models}; algorithms: see shoal algorithms)."
        )


_WORDS, _CHOSEN = f"{__name__}.words", f"{__name__}.chosen"


def _value(words: Sequence[str], flag: str) -> str | None:
    """What an option was given; the last time counts.

    >>> _value(["d.dat", "--model=km", "--model", "lm"], "--model")
    'lm'
    """
    pairs = itertools.pairwise([*words, ""])
    values = [after if word == flag else word.partition("=")[2] for word, after in pairs if word.split("=")[0] == flag]
    return values[-1] if values else None


@functools.cache
def _spec_options(classes: tuple[type[Spec], ...]) -> list[click.Option]:
    """One command-line option for each field of some models and algorithms."""
    declared = [_click(next(iter(owners.values())), _help(owners)) for owners in _declared(classes).values()]
    return [click.Option(flags, **attributes) for flags, attributes in declared]


def _all(bases: tuple[type[Spec], ...]) -> tuple[type[Spec], ...]:
    """Every known model, or every known model and algorithm."""
    return tuple(cls for base in bases for cls in discovery.find(_package(base), base).values())


def _fitting(model: str | None, algorithm: str | None) -> tuple[type[Spec], ...]:
    """The models and the algorithms that go with what was chosen."""
    models = discovery.find("shoal.models", PrivacyModel)
    methods = discovery.find("shoal.algorithms", Algorithm)
    if model is not None:
        models = {model: discovery.get("shoal.models", PrivacyModel, model)}
    if algorithm is not None:
        methods = {algorithm: discovery.get("shoal.algorithms", Algorithm, algorithm)}
    if model is not None and algorithm is not None:
        return models[model], methods[algorithm]
    pairs = [(one, other) for one in models.values() for other in methods.values() if issubclass(one, other.solves)]
    return tuple(dict.fromkeys([*(one for one, _ in pairs), *(other for _, other in pairs)]))


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


def choose(bases: Mapping[type[Spec], str], given: Mapping[str, Any]) -> list[Any]:
    """Build the chosen model and algorithm from the options given; an option of neither is an error."""
    chosen = [discovery.get(_package(base), base, name) for base, name in bases.items()]
    texts = {name: value for name, value in given.items() if value not in (None, ())}
    known = {option.name for cls in chosen for option in cls.options()}
    for name in _declared(_all(tuple(bases))) if texts.keys() - known else ():
        if name in texts and name not in known:
            owners = {_kind(base): _declared(_all((base,))).get(name, {}) for base in bases}
            instead = " or ".join(kind.replace("the", "another") for kind in sorted(owners) if owners[kind])
            asked = [f"{_kind(base)} {cls.name}" for base, cls in zip(bases, chosen, strict=True)]
            raise OptionError(
                f"--{name.replace('_', '-')} is an option of {', '.join(itertools.chain(*owners.values()))}, not of "
                f"{' or '.join(asked)}: leave it out, or choose {instead}."
            )
    return [
        cls.parse({option.name: texts[option.name] for option in cls.options() if option.name in texts})
        for cls in chosen
    ]


def _declared(classes: Iterable[type[Spec]]) -> dict[str, dict[str, Option]]:
    """Option name -> the names of the classes that declare it, with their declarations."""
    declared: dict[str, dict[str, Option]] = {}
    for cls in classes:
        for option in cls.options():
            declared.setdefault(option.name, {})[cls.name] = option
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
    return {PrivacyModel: "shoal.models", Algorithm: "shoal.algorithms"}[base]


def _metavar(option: Option) -> str:
    kind = {int: "N", float: "X", str: "FILE" if option.file else "WORD", tuple: "FILE|A,B"}[option.type]
    only_words = option.words and option.type is str and not option.file
    return "|".join([*option.words, kind] if option.file else [*([] if only_words else [kind]), *option.words])
