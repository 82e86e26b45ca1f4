"""Forms: fields made from the declared options of models, methods and readers, and what a browser sends back.

The options are those of the command line (:mod:`shoal.options`), so that a new option appears in the page by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

from shoal.errors import InputError, OptionError
from shoal.options import Option, Spec, format_value, listed
from shoal.quoting import cells
from shoal.web.words import in_page, label

LARGEST = 1 << 20  # bytes of a form
DELIMITER = "TEXT"  # what options call a text between others
MARKS = {" ": "space", "\t": "tab"}  # delimiters that nobody can see, as forms spell them
SPELLED = {word: mark for mark, word in MARKS.items()}
NONE = "none"  # of several delimiters: this column has none
FIELDS = 2000


@dataclass(frozen=True)
class Form:
    """What a browser sent: names with one or more texts."""

    values: Mapping[str, Sequence[str]]

    def text(self, name: str, default: str = "") -> str:
        """Return the last text of a name."""
        return self.values.get(name, [default])[-1]

    def texts(self, name: str) -> list[str]:
        """Return all texts of a name."""
        return list(self.values.get(name, []))

    def number(self, name: str, default: int | None = None) -> int:
        """Return a whole number."""
        text = self.text(name)
        if not text and default is not None:
            return default
        if not text.removeprefix("-").isdecimal() or len(text) > 12:
            raise InputError(f"{name} must be a whole number, got '{text[:40]}'.")
        return int(text)

    def __contains__(self, name: str) -> bool:
        """Return whether a name was sent with a text."""
        return bool(self.text(name))


async def read_form(request: Request) -> Form:
    """Return the fields of a form, which must be small."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LARGEST:
            raise InputError(f"The form is larger than {LARGEST // 1024:,} KB: put long lists into a file of inputs/.")
    values: dict[str, list[str]] = {}
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=FIELDS, errors="strict")
        if any("\0" in text for pair in pairs for text in pair):
            raise ValueError
    except ValueError:
        raise InputError("The form could not be read: reload the page and try again.") from None
    for name, text in pairs:
        values.setdefault(name, []).append(text.replace("\r\n", "\n"))
    return Form(values)


@dataclass(frozen=True)
class Field:
    """A field of a form, for templates."""

    name: str
    label: str
    help: str
    kind: str  # number, check, choice, text, labels
    value: str
    choices: tuple[tuple[str, str], ...] = ()  # value and text
    low: float | None = None
    high: float | None = None
    step: str = "1"
    rare: bool = False
    error: str = ""  # what is wrong with the value

    @property
    def id(self) -> str:
        """The id of the field in the page."""
        return f"option-{self.name}"


def fields(
    spec: type[Spec], values: Mapping[str, Any], files: Collection[str] = (), without: Collection[str] = ()
) -> list[Field]:
    """Return a field for each option of a model, a method or a reader.

    Parameters
    ----------
    spec
        What declares the options.
    values
        Those that are set.
    files
        The files that can be chosen, below the workspace.
    without
        Options that the page asks for in another way.
    """
    return [_field(one, values.get(one.name, one.default), files) for one in spec.options() if one.name not in without]


def _field(one: Option, value: Any, files: Collection[str]) -> Field:
    """Return the field of an option."""
    text = "" if value is None or value == () or value == [] else _text(one, value)
    rest: dict[str, Any] = {"name": one.name, "label": label(one.name), "help": in_page(one.help), "rare": one.rare}
    if one.type is tuple:
        return Field(**rest, kind="labels", value="\n".join(value or ()))
    if bool in (one.type, *one.also):
        words = (("yes", "yes"), ("no", "no"))
        unset = (("", "find out"),) if one.default is None else ()
        return Field(**rest, kind="choice", value=text, choices=(*unset, *words))
    if one.file or (one.type is str and one.words):
        choices = [(word, word or "none") for word in one.words]
        choices += [(file, file.rpartition("/")[2]) for file in files if one.file]
        if text not in [known for known, _ in choices]:
            choices.insert(0, (text, text.rpartition("/")[2] or "none"))
        return Field(**rest, kind="choice", value=text, choices=tuple(choices))
    if one.type in (int, float) and not one.words:
        return Field(
            **rest, kind="number", value=text, low=one.low, high=one.high, step="1" if one.type is int else "any"
        )
    return Field(**rest, kind="text", value=text)


def _text(one: Option, value: Any) -> str:
    """Return the value of an option as a text that :func:`_value` reads back."""
    if one.metavar == DELIMITER and isinstance(value, str) and (len(value) == 1 or tuple not in one.also):
        return MARKS.get(value, value)
    if tuple in one.also:
        several = (value,) if isinstance(value, str) else value
        return ", ".join(listed([NONE if text is None else MARKS.get(text, text)]) for text in several)
    return format_value(value) if isinstance(value, bool) else str(value)


def parse(spec: type[Spec], form: Form, files: Collection[str] = (), without: Collection[str] = ()) -> dict[str, Any]:
    """Return the options that a form sets, without those at their defaults. A wrong value is an OptionError.

    A text is never the name of a file, unless the option is one, and then it must be one of ``files``.
    """
    values: dict[str, Any] = {}
    for one in spec.options():
        value = _value(one, form, files) if one.name in form.values and one.name not in without else None
        if value not in (None, one.default) and not (value == [] and one.default == ()):
            values[one.name] = value
    return values


def checked(
    spec: type[Spec], form: Form, files: Collection[str] = (), without: Collection[str] = ()
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what :func:`parse` does, and what is wrong with each wrong field, by its name."""
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    names = [one.name for one in spec.options() if one.name not in without]
    for name in names:
        try:
            values |= parse(spec, form, files, [one.name for one in spec.options() if one.name != name])
        except OptionError as error:
            errors[name] = str(error)
    return values, errors


def with_errors(made: Sequence[Field], form: Form | None, errors: Mapping[str, str]) -> list[Field]:
    """Return the fields as the user filled them in, each with what is wrong about it. Nothing typed is lost."""
    return [
        replace(one, value=form.text(one.name, one.value), error=errors.get(one.name, ""))
        if form is not None and one.name in form.values
        else one
        for one in made
    ]


def _value(one: Option, form: Form, files: Collection[str]) -> Any:
    """Return the value of one option, or None if the field is empty."""
    text = form.text(one.name)
    if one.type is tuple:
        return [label for label in text.split("\n") if label.strip()]
    if not text.strip():
        return None if "" not in one.words else ""
    if bool in (one.type, *one.also):
        if text not in ("yes", "no"):
            raise OptionError(f"{one.name} must be yes or no, got '{text[:80]}'.")
        return text == "yes"
    if one.file and text not in one.words:
        if text not in files:
            raise OptionError(f"{one.name}: choose a file of the list, got '{text[:80]}'.")
        return text
    if tuple in one.also:
        texts: list[Any] = [cell for cell in cells(text) if cell.strip()]
        if one.metavar == DELIMITER:
            texts = [None if cell == NONE else SPELLED.get(cell, cell) for cell in texts]
        return texts if len(texts) > 1 else texts[0] if texts else text
    if one.metavar == DELIMITER:
        return SPELLED.get(text, text)
    try:
        return one.parse(text)
    except OptionError as error:
        raise OptionError(str(error).removeprefix(one.flag).strip().join([f"{one.name} ", ""])) from None
