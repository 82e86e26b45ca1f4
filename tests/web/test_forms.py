"""Forms: each option of each model, method and reader comes back from a browser as it was.

Covers: web/forms.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.errors import InputError, OptionError
from shoal.io.read_options import ReadOptions
from shoal.models.base import PrivacyModel
from shoal.options import Option, Spec
from shoal.web.forms import Field, Form, fields, parse

FILES = ("inputs/groups.csv", "projects/a/hierarchies/tree.csv")
SPECS: dict[str, type[Spec]] = {
    **discovery.find("shoal.models", PrivacyModel),
    **discovery.find("shoal.algorithms", Algorithm),
    "reading": ReadOptions,
}


def sent(made: list[Field]) -> Form:
    """Return what a browser sends for fields that nobody touches."""
    for one in made:
        assert one.kind != "choice" or one.value in [value for value, _ in one.choices], one
    return Form({one.name: [one.value] for one in made})


def form(**values: str) -> Form:
    """Return a form with one text for each name."""
    return Form({name: [text] for name, text in values.items()})


def examples(one: Option) -> list[Any]:
    """Return values of an option that are not its default."""
    values: list[Any] = list(one.words)
    if one.type is tuple:
        values += [["milk"], ["beer, light", " tea", "/etc/passwd", "@a.txt", "<b>", '"']]
    elif bool in (one.type, *one.also):
        values += [True, False]
    elif one.file:
        values += FILES
    elif one.type in (int, float):
        low = 1 if one.low is None else one.low
        high = low + 7 if one.high is None else one.high
        values += [one.type(low), one.type(high), one.type((low + high) / 2)]
    elif not one.words:
        values += ["age", " a b ", "|", "none at all", "x,y"] + ([" ", "\t", ","] if one.metavar == "TEXT" else [])
    if tuple in one.also:
        values += [["a", "b c", "d,e", '"f"']] + ([["|", None, " "], ["\t", ","]] if one.metavar == "TEXT" else [])
    return [value for value in values if value != one.default]


@pytest.mark.parametrize("name", SPECS)
def test_defaults_need_no_words(name: str) -> None:
    assert parse(SPECS[name], sent(fields(SPECS[name], {}, FILES)), FILES) == {}


@pytest.mark.parametrize("name", SPECS)
def test_every_option_comes_back(name: str) -> None:
    spec = SPECS[name]
    for one in spec.options():
        for value in examples(one):
            shown = fields(spec, {one.name: value}, FILES)
            assert parse(spec, sent(shown), FILES) == {one.name: value}, (one.name, value)


@pytest.mark.parametrize("name", SPECS)
def test_every_number_has_its_bounds(name: str) -> None:
    for one in SPECS[name].options():
        if one.type not in (int, float) or bool in one.also:
            continue
        bad = ["x", "1e", "--1", "1;2", "nan", "inf", "1" * 400 + "e", "0x10", "½"]
        bad += [] if one.low is None else [str(one.low - 1)]
        bad += [] if one.high is None else [str(one.high + 1)]
        for text in bad:
            if text in one.words:
                continue
            with pytest.raises(OptionError, match=one.name):
                parse(SPECS[name], form(**{one.name: text}))


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../secret", "inputs/other.csv", "inputs/groups.csv ", "@inputs/groups.csv"]
)
def test_a_file_is_one_of_the_list(path: str) -> None:
    for spec in SPECS.values():
        for one in spec.options():
            if one.file:
                with pytest.raises(OptionError, match="choose a file of the list"):
                    parse(spec, form(**{one.name: path}), FILES)


def test_a_text_is_never_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("labels.txt").write_text("secret\n")
    assert parse(SPECS["lm"], form(sensitive="labels.txt\n/etc/passwd\n")) == {
        "sensitive": ["labels.txt", "/etc/passwd"]
    }
    assert parse(ReadOptions, form(drop_items="labels.txt", sets="labels.txt")) == {
        "drop_items": ["labels.txt"],
        "sets": "labels.txt",
    }


def test_what_a_page_asks_in_another_way_is_not_read() -> None:
    assert parse(ReadOptions, form(join="/etc/passwd:x", sets="a"), without=("join",)) == {"sets": "a"}
    assert "join" not in [one.name for one in fields(ReadOptions, {}, without=("join",))]


def test_words_that_are_none() -> None:
    bad: list[tuple[str, Mapping[str, str]]] = [
        ("aa", {"siblings": "nonsense"}),
        ("reading", {"header": "maybe"}),
        ("reading", {"no_sets": "on"}),
    ]
    for name, values in bad:
        with pytest.raises(OptionError):
            parse(SPECS[name], form(**values))


def test_a_file_that_is_gone_is_still_shown() -> None:
    shown = {one.name: one for one in fields(SPECS["aa"], {"siblings": "inputs/gone.csv"}, FILES)}["siblings"]
    assert shown.choices[0] == ("inputs/gone.csv", "gone.csv")


def test_numbers_and_texts_of_forms() -> None:
    some = Form({"k": ["1", "5"], "empty": [""], "bad": ["5; DROP"], "long": ["9" * 13]})
    assert (some.number("k"), some.text("k"), some.texts("k")) == (5, "5", ["1", "5"])
    assert (some.number("empty", 3), some.text("none", "x"), some.texts("none")) == (3, "x", [])
    assert ("k" in some, "empty" in some, "none" in some) == (True, False, False)
    for name in ("bad", "long", "empty", "none"):
        with pytest.raises(InputError, match="whole number"):
            some.number(name)
