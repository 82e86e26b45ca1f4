"""How data are read is declared once: Python, the command line and TOML files take the same options."""

from __future__ import annotations

import inspect
from typing import Any

import click
import pytest

from shoal import io
from shoal.cli.options import data_options, reading
from shoal.errors import OptionError
from shoal.io.read_options import ReadOptions
from shoal.jobs.toml_file import READING

NAMES = [one.name for one in ReadOptions.options()]
GIVEN: dict[str, Any] = {
    "format": "csv",
    "sets": ("a", "b c"),
    "item_delimiter": ("|", "|"),
    "no_sets": True,
    "delimiter": ";",
    "header": False,
    "escaped_formulas": True,
    "id_column": "id",
    "item_column": "-x",
    "quantity_column": "n",
    "drop_null_items": True,
    "keep_ids": True,
    "person": "who",
    "join": ("products.csv:product_id", "b.csv:x=y"),
    "where": "week <= 12",
    "multiset": True,
    "drop_items": ("-9", "a, b"),
    "max_expanded": "4GB",
}


def parsed(*words: str) -> dict[str, Any]:
    @click.command()
    @data_options
    def command(**given: Any) -> dict[str, Any]:
        return reading(given)

    found: dict[str, Any] = command.main(list(words), standalone_mode=False)
    return found


def test_every_surface_takes_every_option() -> None:
    shown = inspect.signature(io.read).parameters
    assert list(shown) == ["source", "codebook", *NAMES]
    assert shown["no_sets"].default is False
    assert list(READING) == NAMES == list(GIVEN)
    assert parsed() == ReadOptions().values()


@pytest.mark.parametrize("name", NAMES)
def test_the_words_of_an_option_are_read_as_that_option(name: str) -> None:
    options = ReadOptions(**{name: GIVEN[name]})
    assert ReadOptions(**parsed(*options.words())) == options


def test_one_text_or_several() -> None:
    assert ReadOptions(sets=["a", "a"]).sets == ("a", "a")  # type: ignore[arg-type]
    assert parsed("--sets", "a,b")["sets"] == "a,b"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"header": "no"}, "header must be true or false, got 'no'"),
        ({"no_sets": None}, "no_sets must be true or false, got None"),
        ({"sets": 5}, "sets must be text or a list of texts, got 5"),
        ({"sets": ("a", 5)}, "sets must be text or a list of texts, got ('a', 5)"),
        ({"delimiter": 5}, "delimiter must be text, got 5"),
        ({"max_expanded": True}, "max_expanded must be text, got True"),
        ({"drop_items": "ab"}, "drop_items= must be a collection of labels, got a text"),
    ],
)
def test_what_is_no_option_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        io.read([["a"]], **given)
    assert message in str(caught.value)


def test_an_unknown_option_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="colum"):
        io.read([["a"]], colum="items")
