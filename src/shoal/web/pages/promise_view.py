"""What the step Promise shows: the models as cards, fields, the sentence, and the costs of each choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from shoal.algorithms.base import Algorithm
from shoal.jobs.choose_model import has, misfit, models, solvers, truthful
from shoal.jobs.run_options import RunOptions
from shoal.models.base import PrivacyModel
from shoal.web import forms
from shoal.web.crew import TaskError
from shoal.web.forms import Field, Form
from shoal.web.page import AT_ONCE, Desk, render, show
from shoal.web.pages import promise_costs

HIDDEN = ("sensitive", "sensitive_column")  # options that the page asks for in another way
GUESSED = "km"


@dataclass(frozen=True)
class Card:
    """A privacy model to choose."""

    name: str
    title: str
    promise: str
    suits: str
    chosen: bool
    suggested: bool
    truthful: bool
    learning: bool  # whether it is about what can be learned, not about who can be found
    misfit: str


@dataclass(frozen=True)
class Wrong:
    """A form that could not be saved: which one, what was typed, and what is wrong with each field."""

    form: str
    typed: Form
    errors: Mapping[str, str] = field(default_factory=dict)


def model_of(desk: Desk) -> type[PrivacyModel]:
    """Return the model of the draft, or the one for a beginning."""
    known = models()
    return known.get(desk.draft.tables["model"].get("name", GUESSED), known[GUESSED])


def method_of(desk: Desk) -> type[Algorithm]:
    """Return the method of the draft: by default, that of the model."""
    model = model_of(desk)
    known = solvers(model)
    return known[desk.draft.tables["algorithm"].get("name", model.default_algorithm)]


def sensitive_columns(desk: Desk) -> list[str]:
    """Return the columns that the step Data calls sensitive."""
    return [name for name in desk.draft.tables["columns"] if desk.draft.role(name) == "sensitive"]


def misfit_of(desk: Desk, model: type[PrivacyModel]) -> str:
    """Return why a model does not fit the data of the draft, or an empty string."""
    found, columns = desk.draft.found, desk.draft.tables["columns"]
    return misfit(
        model,
        sets=not found.get("without_sets", False),
        quasi_identifiers=any(desk.draft.role(name) == "quasi-identifier" for name in columns),
        sensitive=sensitive_columns(desk),
        persons=found["persons"]["nouns"] if found.get("persons") else "",
    )


def cards(desk: Desk) -> list[Card]:
    """Return all models: those that fit first, the suggested one before all others."""
    chosen, suggested = model_of(desk).name, (desk.draft.found.get("model") or {}).get("name")
    made = [
        Card(
            name,
            model.title,
            model.promise or model.protects or model.title,
            model.suits,
            chosen=name == chosen,
            suggested=name == suggested,
            truthful=truthful(model),
            learning=model.about_learning,
            misfit=misfit_of(desk, model),
        )
        for name, model in models().items()
    ]
    return sorted(made, key=lambda one: (bool(one.misfit), not one.suggested, not one.truthful, one.name))


def missing(desk: Desk) -> str:
    """Return what must be chosen before there is a promise, or an empty string."""
    model = model_of(desk)
    if why := misfit_of(desk, model):
        return f"This promise does not fit these data: {why}. Choose another one, or change the columns in step Data."
    if has(model, "sensitive") and not desk.draft.tables["model"].get("sensitive") and not sensitive_columns(desk):
        return "Choose at least one sensitive item or value: search for it above."
    return ""


def tables_of(desk: Desk) -> dict[str, Any]:
    """Return the tables that a promise depends on."""
    tables = {name: desk.draft.tables[name] for name in ("data", "columns", "items", "model", "algorithm", "run")}
    kept = desk.draft.tables["output"].get("columns")
    return {**tables, "output": {} if kept is None else {"columns": kept}}


def _fields(desk: Desk, wrong: Wrong | None) -> dict[str, list[Field]]:
    """Return the fields of all forms."""
    tables, files = desk.draft.tables, desk.files()
    made = {
        "settings": forms.fields(model_of(desk), tables["model"], files, HIDDEN),
        "method": forms.fields(method_of(desk), tables["algorithm"], files),
        "run": forms.fields(RunOptions, tables["run"], files),
    }
    if wrong is not None and wrong.form in made:
        made[wrong.form] = forms.with_errors(made[wrong.form], wrong.typed, wrong.errors)
    return made


async def context(
    desk: Desk, *, measure: str = "", wrong: Wrong | None = None, search: Any = None, opened: str = ""
) -> dict[str, Any]:
    """Return what the templates show. ``opened``: the folded part that the user works in."""
    model, lacks = model_of(desk), missing(desk)
    state, task = None, None if lacks else desk.ask("promise.check", tables=tables_of(desk))
    if task is not None and await task.wait(AT_ONCE):
        try:
            state = task.result()
        except TaskError as error:
            lacks = str(error)
    made = _fields(desk, wrong)
    numbers = [one.name for one in model.options() if one.type in (int, float) and not one.rare]
    return {
        "model": model,
        "cards": cards(desk),
        "lacks": lacks,
        "state": state,
        "main": [one for one in made["settings"] if one.name in numbers],
        "more": [one for one in made["settings"] if one.name not in numbers],
        "method": method_of(desk),
        "own_method": desk.draft.tables["algorithm"].get("name", ""),
        "methods": solvers(model),
        "method_fields": made["method"],
        "run_fields": made["run"],
        "opened": opened,
        "wrong": wrong,
        "sensitive": has(model, "sensitive"),
        "picked": list(desk.draft.tables["model"].get("sensitive", [])),
        "columns": _columns(desk, model),
        "search": search,
        "costs": promise_costs.costs(desk, tables_of(desk), model, measure) if not lacks else None,
    }


def _columns(desk: Desk, model: type[PrivacyModel]) -> list[tuple[str, bool]]:
    """Return the columns that can be called sensitive, and whether they are."""
    if not has(model, "sensitive_column"):
        return []
    known = ("sensitive", "quasi-identifier", "plain")
    names = [name for name in desk.draft.tables["columns"] if desk.draft.role(name) in known]
    return [(name, desk.draft.role(name) == "sensitive") for name in names]


async def answer(request: Request, desk: Desk, *, status: int = 200, **more: Any) -> Response:
    """Return the body of the page if htmx asked, or the whole page."""
    last = request.url.path.rpartition("/")[2]
    shown = await context(desk, **{"measure": request.query_params.get("measure", ""), "opened": last, **more})
    if request.headers.get("hx-request"):
        return render("promise_body.html", base=desk.base, draft=desk.draft, **shown)
    response = show(request, "promise", desk, **shown)
    response.status_code = status
    return response
