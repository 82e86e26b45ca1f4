"""Options of models and algorithms, declared once.

The dataclass fields of a :class:`Spec` are its command-line options, its form fields and its benchmark axes.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import os
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np

from shoal.errors import OptionError, did_you_mean, shorten
from shoal.quoting import cells

Value = int | float | bool | str | tuple[str, ...]  # the last: a,b,c on the command line, or a file with one a line

LISTS = (".txt", ".csv", ".tsv", ".lst", ".list")  # suffixes of files of labels
NAMED = 8  # labels of a list that are spelled out for people


def format_value(value: Value | list[str]) -> str:
    """A value for people.

    >>> format_value(True), format_value(60.0), format_value("all"), format_value(("a", "b")), format_value(())
    ('yes', '60', 'all', 'a, b', 'none')
    """
    if isinstance(value, tuple | list):
        return (", ".join(value[:NAMED]) + (f" and {len(value) - NAMED} more" if len(value) > NAMED else "")) or "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value).removesuffix(".0")


Kind = type[int] | type[float] | type[bool] | type[str] | type[tuple]  # type: ignore[type-arg]
Kinds = tuple[type, ...]
Call = typing.TypeVar("Call", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """One declared option."""

    name: str
    type: Kind
    default: Any
    low: float | None
    high: float | None
    words: tuple[str, ...]  # what may be said instead of a number, or the only words allowed for text
    help: str
    file: bool = False  # text that is none of the words is the name of a file
    metavar: str = ""  # what the help calls its value; empty: what follows from its type
    rare: bool = False  # shown by --help-all only
    also: Kinds = ()  # other types that it takes, such as that of None

    @property
    def flag(self) -> str:
        """The option's spelling on the command line."""
        return "--" + self.name.replace("_", "-")

    def parse(self, text: Value) -> Value:
        """Return the checked value of the user's text."""
        value: Value = text
        if isinstance(text, str | tuple) and self.type is tuple:
            texts = (text,) if isinstance(text, str) else text
            value = tuple(dict.fromkeys(label for one in texts for label in labels_of(one)))
            if not value:
                raise OptionError(f"{self.flag} names no label: give {self.wanted}, or leave it out.")
        elif isinstance(text, str) and text not in self.words and self.type is not str:
            try:
                value = self.type(text)
            except ValueError:
                raise OptionError(f"{self.flag} must be {self.wanted}, got '{text}'.") from None
        self.check(self.flag, value)
        return value

    def check(self, name: str, value: Value) -> None:
        """Raise an OptionError unless the value is in range."""
        if isinstance(value, str) and value in self.words:
            return
        texts = value if isinstance(value, tuple) else ()
        if type(value) in self.also and all(isinstance(text, str | None) for text in texts):
            return
        if self.type is tuple:
            if not isinstance(value, tuple) or not all(isinstance(label, str) and label for label in value):
                raise OptionError(f"{name} must be {self.wanted}, got {shorten(repr(value))}.")
            return
        right_type = isinstance(value, (int, float) if self.type is float else self.type)
        if not right_type or (isinstance(value, bool) and self.type is not bool):
            raise OptionError(f"{name} must be {self.wanted}, got {shorten(repr(value))}.")
        if self.type is str:
            if self.words and not self.file and value not in self.words:
                raise OptionError(
                    f"{name} must be one of {', '.join(self.words)}, got '{value}'"
                    f"{did_you_mean(str(value), self.words)}."
                )
            return
        assert not isinstance(value, str | tuple)
        if isinstance(value, float) and not math.isfinite(value):
            raise OptionError(f"{name} must be {self.wanted}, got {value}.")
        if self.low is not None and value < self.low:
            raise OptionError(f"{name} must be at least {self.low:g}, got {format_value(value)}.")
        if self.high is not None and value > self.high:
            raise OptionError(f"{name} must be at most {self.high:g}, got {format_value(value)}.")

    @property
    def wanted(self) -> str:
        """What the option takes, in words."""
        kind = {
            int: "a whole number",
            float: "a number",
            bool: "true or false",
            str: "the name of a file" if self.file else "text or a list of texts" if tuple in self.also else "text",
            tuple: "a list of labels",
        }[self.type]
        return " or ".join([kind, *(f"'{word}'" for word in self.words)])

    def words_for(self, value: Value | None) -> list[str]:
        """Spell the option with this value on the command line; None and an empty list say nothing."""
        if value is None or value == ():
            return []
        if isinstance(value, bool):
            return [self.flag if value else f"--no-{self.flag[2:]}"]
        if self.type is not tuple:
            texts = (
                value if isinstance(value, tuple) else [format_value(value) if isinstance(value, float) else str(value)]
            )
            return [word for text in texts for word in (self.flag, text)]
        labels = listed(cast("tuple[str, ...]", value))
        if Path(labels).suffix.lower() in LISTS or os.path.isfile(labels):
            labels += ","  # these are labels, not the name of a file
        return [f"{self.flag}={labels}"] if labels.startswith("-") else [self.flag, labels]


def option(
    default: Any,
    *,
    help: str,
    low: float | None = None,
    high: float | None = None,
    words: tuple[str, ...] = (),
    file: bool = False,
    metavar: str = "",
    rare: bool = False,
) -> Any:
    """Declare a field of a :class:`Spec`."""
    bounds = {"low": low, "high": high, "words": words, "file": file}
    return dataclasses.field(default=default, metadata={**bounds, "help": help, "metavar": metavar, "rare": rare})


class Spec:
    """Base of everything with a name and options: models, algorithms. Subclasses are frozen dataclasses.

    >>> @dataclass(frozen=True)
    ... class Toy(Spec):
    ...     name = "toy"
    ...     k: int = option(5, low=2, help="group size")
    >>> Toy(k=1)
    Traceback (most recent call last):
    shoal.errors.OptionError: Toy: k must be at least 2, got 1.
    """

    name: ClassVar[str]

    def __post_init__(self) -> None:
        """Check every option."""
        for opt in self.options():
            value = getattr(self, opt.name)
            if isinstance(value, np.generic):
                value = value.item()
                object.__setattr__(self, opt.name, value)
            if tuple in (opt.type, *opt.also) and isinstance(value, list | tuple | set | frozenset):
                ordered = sorted(value) if isinstance(value, set | frozenset) else value
                value = tuple(dict.fromkeys(ordered) if opt.type is tuple else ordered)
                object.__setattr__(self, opt.name, value)
            opt.check(self.called(opt), value)

    def called(self, option: Option) -> str:
        """Name an option in an error."""
        return f"{type(self).__name__}: {option.name}"

    @classmethod
    @functools.cache
    def options(cls) -> tuple[Option, ...]:
        """The declared options, in order."""
        hints = typing.get_type_hints(cls)
        declared = [field for field in dataclasses.fields(cls) if "help" in field.metadata]  # type: ignore[arg-type]
        kinds = {field.name: _kinds(hints[field.name]) for field in declared}
        return tuple(
            Option(field.name, kinds[field.name][0], field.default, also=kinds[field.name][1:], **field.metadata)
            for field in declared
        )

    @classmethod
    def parse(cls, given: typing.Mapping[str, Value]) -> Self:
        """Build from option texts; unknown names are an error."""
        known = {opt.name: opt for opt in cls.options()}
        for name in given:
            if name not in known:
                raise OptionError(
                    f"{cls.name} has no option --{name.replace('_', '-')}{did_you_mean(name, known)}: "
                    f"it takes {', '.join(opt.flag for opt in known.values()) or 'none'}."
                )
        return cls(**{name: known[name].parse(text) for name, text in given.items()})

    @property
    def files(self) -> tuple[str, ...]:
        """The files that options name."""
        named = ((one, getattr(self, one.name)) for one in self.options() if one.file)
        return tuple(value for one, value in named if value not in one.words)

    def values(self) -> dict[str, Any]:
        """Option name -> value."""
        return {opt.name: getattr(self, opt.name) for opt in self.options()}

    def changed(self, **values: Any) -> Self:
        """The same with other values of some options."""
        return type(self)(**{**self.values(), **values})


def takes(spec: type[Spec]) -> Callable[[Call], Call]:
    """Show the options of a spec in the signature of a function that takes them as ``**options``."""

    def decorate(call: Call) -> Call:
        own = inspect.signature(call)
        *named, _ = own.parameters.values()
        hints = typing.get_type_hints(spec)
        options = [
            inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
            for one in spec.options()
        ]
        call.__signature__ = own.replace(parameters=[*named, *options])  # type: ignore[attr-defined]
        return call

    return decorate


def changed(spec: Spec) -> dict[str, Any]:
    """The options that are not at their defaults."""
    return {one.name: value for one in spec.options() if (value := getattr(spec, one.name)) != one.default}


def labels_of(text: str, folder: Path = Path()) -> tuple[str, ...]:
    """The labels that a text names: those in the file of that name, one a line, or else ``a,b,"c, d"``.

    >>> labels_of('milk, "beer, light"')
    ('milk', 'beer, light')
    """
    if os.path.isfile(folder / text):  # unlike Path.is_file, it takes texts that are too long for names
        if not {"/", "\\", "."} & set(text):  # a label, or a file that happens to be called like one?
            raise OptionError(
                f"'{text}' is also a file here: write ./{text} for the labels in it, or '{text},' for itself."
            )
        from shoal import files

        labels = files.load(folder / text).text().split("\n")
        if not any(map(str.strip, labels)):
            raise OptionError(f"{text} names no label: wanted one on each line.")
    elif Path(text).suffix.lower() in LISTS:
        raise OptionError(f"{folder / text} does not exist: check the path (or write '{text},' if it is a label).")
    else:
        labels = cells(text, ",\n")
    return tuple(dict.fromkeys(label for label in labels if label.strip()))


def names_of(text: str) -> tuple[str, ...]:
    """The names in a list such as ``a,b,"c, d"``, as :func:`listed` writes it; blanks are none.

    >>> names_of('milk, "beer, light",,'), names_of(listed(["a,b", ' "c"'])) == ("a,b", ' "c"')
    (('milk', 'beer, light'), True)
    """
    return tuple(dict.fromkeys(name for name in cells(text) if name.strip()))


def _kinds(hint: Any) -> tuple[Any, ...]:
    """The plain types of a hint such as ``int | Literal['all']``, the leading one first.

    >>> _kinds(tuple[str, ...]), _kinds(str | tuple[str, ...] | None), _kinds(typing.Literal["a", "b"])
    ((<class 'tuple'>,), (<class 'str'>, <class 'tuple'>, <class 'NoneType'>), (<class 'str'>,))
    """
    members = typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, typing.Union) else (hint,)
    plain = [typing.get_origin(one) or one for one in members]
    kinds = [kind for kind in (bool, str, int, float, tuple, types.NoneType) if kind in plain]
    return tuple(kinds) or (str,)  # Literal words only


def listed(labels: Sequence[str]) -> str:
    """Labels as an option takes them.

    >>> listed(("milk", "beer, light", " tea"))
    'milk,"beer, light"," tea"'
    """
    quoted = ('"' + label.replace('"', '""') + '"' for label in labels)
    plain = (not set(label) & set(',"\n\r') and label == label.lstrip() for label in labels)
    return ",".join(label if bare else wrapped for label, bare, wrapped in zip(labels, plain, quoted, strict=True))
