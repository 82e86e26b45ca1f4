"""Options of models and algorithms, built from their dataclass fields, and their help."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.cli.help import (
    GUARANTEE,
    SEARCH,
    Command,
    GroupedCommand,
    GroupedOption,
    one_line,
    option,
    write_sections,
)
from shoal.errors import OptionError
from shoal.models.base import PrivacyModel
from shoal.options import Option, Spec, format_value


def model_option(help: str = "The privacy model (see: shoal models).", **more: Any) -> Callable[[Command], Command]:
    """``--model``, whose names the shell completes."""
    return option(
        "--model", default="km", metavar="NAME", group=GUARANTEE, help=help, shell_complete=_complete_model, **more
    )


def algorithm_option(*flags: str, help: str, **more: Any) -> Callable[[Command], Command]:
    """``--algorithm``, whose names the shell completes: those that solve the model."""
    return option(*flags, metavar="NAME", group=SEARCH, help=help, shell_complete=_complete_algorithm, **more)


def loss_option() -> Callable[[Command], Command]:
    """``--loss``."""
    return option(
        "--loss",
        default="ncp",
        metavar="ncp|lm",
        group=SEARCH,
        rare=True,
        help="The information loss that the search minimizes.",
    )


def _complete_model(_ctx: click.Context, _param: click.Parameter, start: str) -> list[CompletionItem]:
    models = discovery.find("shoal.models", PrivacyModel)
    return [CompletionItem(name, help=cls.title) for name, cls in models.items() if name.startswith(start)]


def _complete_algorithm(ctx: click.Context, _param: click.Parameter, start: str) -> list[CompletionItem]:
    methods = discovery.find("shoal.algorithms", Algorithm)
    model = discovery.find("shoal.models", PrivacyModel).get(ctx.params.get("model") or "")
    fitting = {name: cls for name, cls in methods.items() if model is None or issubclass(model, cls.solves)}
    return [CompletionItem(name, help=cls.title) for name, cls in fitting.items() if name.startswith(start)]


class ModelCommand(GroupedCommand):
    """A command with the options of models, or of models and algorithms, after ``--model``, ``--algorithm``.

    Importing all models and algorithms takes long. So the command declares only the options of the chosen ones, and
    declares all others only if it meets an unknown option. ``--help`` shows those of the chosen or default ones.
    """

    def __init__(self, *words: Any, specs: tuple[type[Spec], ...], **more: Any) -> None:
        super().__init__(*words, **more)
        self.specs = specs

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return all parameters, with the options of the chosen model and algorithm once these are known."""
        params = super().get_params(ctx)
        after = 1 + max(at for at, one in enumerate(params) if one.name in ("model", "algorithm"))
        return [*params[:after], *_spec_options(ctx.meta.get(_CHOSEN) or _all(self.specs)), *params[after:]]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Try the options of the chosen ones, then those of all, so that an error can name the owner of an option."""
        ctx.meta[_WORDS] = list(args)
        with contextlib.suppress(OptionError, click.NoSuchOption):
            ctx.meta[_CHOSEN] = self._chosen(_value(args, "--model"), _value(args, "--algorithm"))
            return super().parse_args(ctx, list(args))
        ctx.meta[_CHOSEN] = None
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, and below them the models, or the algorithms that solve the chosen one."""
        model, algorithm = (_value(ctx.meta.get(_WORDS, []), flag) for flag in ("--model", "--algorithm"))
        if model is None and algorithm is not None and Algorithm in self.specs:
            model = _solved_by(algorithm, self._default_model).name
        ctx.meta[_CHOSEN] = self._chosen(model, algorithm)
        super().format_options(ctx, formatter)
        if algorithm is not None and Algorithm in self.specs:
            solved = one_line(one.name for one in _get(Algorithm, algorithm).solves)
            formatter.write_paragraph()
            formatter.write_text(f"{algorithm} is for --model {solved}.".replace(" and ", " or "))
        elif model is not None and Algorithm in self.specs:
            write_sections(
                formatter, {f"Algorithms for {model} (--algorithm NAME)": _solvers(_get(PrivacyModel, model))}
            )
        elif model is None:
            self._list_models(ctx, formatter)

    def _list_models(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line for each model."""
        models = discovery.find("shoal.models", PrivacyModel)
        write_sections(formatter, {"Models (--model NAME)": [(name, cls.protects) for name, cls in models.items()]})
        formatter.write_paragraph()
        algorithm = " '--algorithm NAME --help' shows those of an algorithm." if Algorithm in self.specs else ""
        formatter.write_text(f"'{ctx.command_path} --model NAME --help' shows the options of a model.{algorithm}")

    @property
    def _default_model(self) -> str:
        """Return the default model."""
        return str(next(one.default for one in self.params if one.name == "model"))

    def _chosen(self, model: str | None, algorithm: str | None) -> tuple[type[Spec], ...]:
        """Return the model and the algorithm that these names choose."""
        guarantee = _get(PrivacyModel, model or self._default_model)
        if Algorithm not in self.specs:
            return (guarantee,)
        return guarantee, _get(Algorithm, algorithm or guarantee.default_algorithm)


_WORDS, _CHOSEN = f"{__name__}.words", f"{__name__}.chosen"


def _value(words: Sequence[str], flag: str) -> str | None:
    """Return the value of an option. If it is given twice, the last one counts.

    >>> _value(["d.dat", "--model=km", "--model", "lm"], "--model")
    'lm'
    """
    pairs = itertools.pairwise([*words, ""])
    values = [after if word == flag else word.partition("=")[2] for word, after in pairs if word.split("=")[0] == flag]
    return values[-1] if values else None


@functools.cache
def _spec_options(classes: tuple[type[Spec], ...]) -> list[GroupedOption]:
    """One command-line option for each field of some models and algorithms, in the group of the first that has it."""
    kinds = {cls.name: cls for cls in reversed(classes)}
    made = []
    for owners in _declared(classes).values():
        first, declared = next(iter(owners.items()))
        flags, attributes = click_option(declared, declared.help)
        made.append(GroupedOption(flags, group=_group(kinds[first]), **attributes))
    return made


def _group(cls: type[Any]) -> str:
    """Return the title for the options of a model or an algorithm."""
    kind = "model" if issubclass(cls, PrivacyModel) else "algorithm"
    return f"Options of the {kind} {cls.name} ({cls.title})"


def _all(bases: tuple[type[Spec], ...]) -> tuple[type[Spec], ...]:
    """Return every known model, or every known model and algorithm."""
    return tuple(cls for base in bases for cls in discovery.find(_package(base), base).values())


def _get(base: type[Any], name: str) -> Any:
    """Return the model or the algorithm of that name."""
    return discovery.get(_package(base), base, name)


def _solved_by(algorithm: str, preferred: str) -> type[PrivacyModel]:
    """Return a model that an algorithm solves: the preferred one, or its first."""
    solved = {cls.name: cls for cls in _get(Algorithm, algorithm).solves}
    found: type[PrivacyModel] = solved.get(preferred) or next(iter(solved.values()))
    return found


def _solvers(model: type[PrivacyModel]) -> list[tuple[str, str]]:
    """Return the algorithms that solve a model, its default first."""
    methods = [cls for cls in discovery.find("shoal.algorithms", Algorithm).values() if issubclass(model, cls.solves)]
    methods.sort(key=lambda cls: cls.name != model.default_algorithm)
    default = {model.default_algorithm: " [default]"}
    return [(cls.name, cls.title + default.get(cls.name, "")) for cls in methods]


def spec_options_of(cls: type[Spec], group: str) -> Callable[[Command], Command]:
    """One command-line option for each field of one class."""

    def decorate(command: Command) -> Command:
        for one in reversed(cls.options()):
            flags, attributes = click_option(one, one.help)
            command = option(*flags, group=group, **attributes)(command)
        return command

    return decorate


def choose(bases: Mapping[type[Spec], str], given: Mapping[str, Any]) -> list[Any]:
    """Build the chosen model and algorithm from the options given; an option of neither is an error."""
    chosen = [_get(base, name) for base, name in bases.items()]
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
        for one in cls.options():
            declared.setdefault(one.name, {})[cls.name] = one
    return declared


def click_option(option: Option, help: str) -> tuple[list[str], dict[str, Any]]:
    """Return the flags and attributes of a command-line option. A boolean becomes a flag."""
    shown = None if option.default == () else format_value(option.default)
    more: dict[str, Any] = {"default": None, "show_default": shown or False, "help": help}
    if option.type is bool:
        return [f"{option.flag}/--no-{option.flag[2:]}", option.name], more
    flags = [f"-{option.name}"] if len(option.name) == 1 and option.name != "h" else []  # -h is help
    several = option.type is tuple  # then it may be repeated
    return [*flags, option.flag, option.name], {**more, "metavar": _metavar(option), "multiple": several}


def _kind(base: type[Spec]) -> str:
    return {PrivacyModel: "the model", Algorithm: "the algorithm"}[base]


def _package(base: type[Spec]) -> str:
    return {PrivacyModel: "shoal.models", Algorithm: "shoal.algorithms"}[base]


def _metavar(option: Option) -> str:
    kind = {int: "N", float: "X", str: "FILE" if option.file else "TEXT", tuple: "FILE|A,B"}[option.type]
    only_words = option.words and option.type is str and not option.file
    return "|".join([*option.words, kind] if option.file else [*([] if only_words else [kind]), *option.words])
