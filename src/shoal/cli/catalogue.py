"""``shoal algorithms`` and ``shoal models``: what there is."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

import click

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.cli import console
from shoal.models.base import PrivacyModel
from shoal.options import Spec, format_value

UNTRUE = "not truthful: adds or moves items"


@click.command()
def algorithms() -> None:
    """List the algorithms with the models they solve and their options."""
    classes = discovery.find("shoal.algorithms", Algorithm)
    solved = {name: f"models: {', '.join(model.name for model in cls.solves)}" for name, cls in classes.items()}
    untrue = {name: f"{UNTRUE}; {solved[name]}" for name, cls in classes.items() if not cls.truthful}
    _list(classes, solved | untrue)


@click.command()
def models() -> None:
    """List the privacy models with their options."""
    classes = discovery.find("shoal.models", PrivacyModel)
    known = discovery.find("shoal.algorithms", Algorithm).values()
    default = {name: f"default algorithm: {cls.default_algorithm}" for name, cls in classes.items()}
    for name, cls in classes.items():
        if not any(one.truthful for one in known if cls in one.solves):
            default[name] = f"{UNTRUE}; {default[name]}"
    _list(classes, default)


def _list(classes: Mapping[str, type[Algorithm] | type[PrivacyModel]], more: dict[str, str]) -> None:
    """A name and what there is to know about it; reads well at any width."""
    rows = [
        (name, f"{cls.title} ({cls.paper})\n{_first_line(cls)}\n{more[name]}; options: {_options(cls)}\n")
        for name, cls in classes.items()
    ]
    console.table(None, ["", ""], rows, right=9)


def _options(cls: type[Spec]) -> str:
    return ", ".join(f"{option.flag} {format_value(option.default)}" for option in cls.options()) or "none"


def _first_line(cls: type) -> str:
    return (inspect.getdoc(cls) or "").partition("\n")[0]
