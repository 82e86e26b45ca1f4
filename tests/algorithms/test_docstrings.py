"""The docstrings of algorithms: what ``help()`` and the API pages show."""

from __future__ import annotations

import inspect
import re

import pytest

from shoal import algorithms
from shoal.algorithms import Algorithm
from shoal.options import Option

ALL = [getattr(algorithms, name) for name in algorithms.__all__ if name != "Algorithm"]


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.name)
def test_the_docstring_describes_every_option_with_its_default(cls: type[Algorithm]) -> None:
    described = re.findall(r"^(\w+) : .*default (.*)$", inspect.getdoc(cls) or "", flags=re.MULTILINE)
    options = {option.name: option.default for option in cls.options()}
    assert {name: text.strip('"') for name, text in described} == {
        name: str(default).removesuffix(".0") for name, default in options.items()
    }


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.name)
def test_the_docstring_has_a_summary_a_source_and_an_example(cls: type[Algorithm]) -> None:
    summary, blank, *_ = (text := inspect.getdoc(cls) or "").split("\n")
    assert summary.endswith(".")
    assert not blank
    assert "References\n----------" in text
    assert f"algorithm=shoal.algorithms.{cls.__name__}(" in text


@pytest.mark.parametrize(("cls", "option"), [(cls, option) for cls in ALL for option in cls.options()])
def test_help_texts_are_short_sentences(cls: type[Algorithm], option: Option) -> None:
    assert len(option.help) <= 160, (cls.name, option.name)
    assert option.help[0].isupper()
    assert option.help.endswith(".")
    assert "--" not in option.help
    assert "default" not in option.help
