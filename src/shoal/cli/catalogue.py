"""``shoal algorithms`` and ``shoal models``: what there is."""

from __future__ import annotations

import inspect

import click

from shoal import discovery
from shoal.algorithms import Algorithm
from shoal.cli import console
from shoal.options import Spec, say
from shoal.privacy import PrivacyModel


@click.command()
def algorithms() -> None:
    """List the algorithms with the models they solve and their options."""
    found = discovery.find("shoal.algorithms", Algorithm)
    rows = [
        (name, cls.title, ", ".join(model.name for model in cls.solves), _options(cls), cls.paper, _first_line(cls))
        for name, cls in found.items()
    ]
    console.table(None, ["name", "algorithm", "models", "options", "paper", "in a word"], rows, right=9)


@click.command()
def models() -> None:
    """List the privacy models with their options."""
    found = discovery.find("shoal.privacy", PrivacyModel)
    rows = [
        (name, cls.title, _options(cls), cls.default_algorithm, cls.paper, _first_line(cls))
        for name, cls in found.items()
    ]
    console.table(None, ["name", "model", "options", "algorithm", "paper", "in a word"], rows, right=9)


def _options(cls: type[Spec]) -> str:
    return ", ".join(f"{option.flag} {say(option.default)}" for option in cls.options()) or "none"


def _first_line(cls: type) -> str:
    return (inspect.getdoc(cls) or "").partition("\n")[0]
