"""``shoal algorithms`` and ``shoal models``: list what is available."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import click

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.cli import console
from shoal.cli.help import GroupedCommand, json_option
from shoal.models.base import PrivacyModel
from shoal.options import Spec, format_value
from shoal.report.facts import plain

UNTRUE = "Not truthful: it adds, deletes or moves items."


@click.command(cls=GroupedCommand)
@json_option
def algorithms(as_json: bool) -> None:
    """List the algorithms, their models and their options."""
    classes = discovery.find("shoal.algorithms", Algorithm)
    more = {name: {"models": [model.name for model in cls.solves]} for name, cls in classes.items()}
    _list("algorithms", classes, {name: cls.truthful for name, cls in classes.items()}, more, as_json=as_json)


@click.command(cls=GroupedCommand)
@json_option
def models(as_json: bool) -> None:
    """List the privacy models and their options."""
    classes = discovery.find("shoal.models", PrivacyModel)
    known = discovery.find("shoal.algorithms", Algorithm).values()
    truthful = {
        name: any(one.truthful for one in known if issubclass(cls, one.solves)) for name, cls in classes.items()
    }
    more = {
        name: {"protects": cls.protects, "default_algorithm": cls.default_algorithm} for name, cls in classes.items()
    }
    _list("models", classes, truthful, more, as_json=as_json)


def _list(
    kind: str,
    classes: Mapping[str, type[Algorithm] | type[PrivacyModel]],
    truthful: Mapping[str, bool],
    more: Mapping[str, Mapping[str, Any]],
    *,
    as_json: bool,
) -> None:
    """Show a few lines for each name. They read well at any width."""
    if as_json:
        told = [{**_told(cls), "truthful": truthful[name], **more[name]} for name, cls in classes.items()]
        console.show_json(kind, {kind: told})
        return
    for at, (name, cls) in enumerate(classes.items()):
        if at:
            console.say("")
        console.say((name, "bold"), f"  {cls.title} ({cls.paper})")
        for line in (_about(cls), *_facts(more[name], truthful=truthful[name]), f"options: {_options(cls)}"):
            console.paragraph(line, indent=2)


def _facts(more: Mapping[str, Any], *, truthful: bool) -> list[str]:
    """Return the models of an algorithm, or the default algorithm of a model, and a warning if there is one."""
    lines = [] if truthful else [UNTRUE]
    if "models" in more:
        return [*lines, f"models: {', '.join(more['models'])}"]
    return [*lines, f"default algorithm: {more['default_algorithm']}"]


def _told(cls: type[Algorithm] | type[PrivacyModel]) -> dict[str, Any]:
    """Return a model or an algorithm for JSON."""
    options = [{"name": one.name, "default": plain(one.default), "help": one.help} for one in cls.options()]
    return {"name": cls.name, "title": cls.title, "paper": cls.paper, "about": _about(cls), "options": options}


def _options(cls: type[Spec]) -> str:
    """Return the options with their defaults."""
    return ", ".join(f"{one.flag} {format_value(one.default)}" for one in cls.options()) or "none"


def _about(cls: type) -> str:
    """Return one sentence on what it does."""
    return (inspect.getdoc(cls) or "").partition("\n")[0]
