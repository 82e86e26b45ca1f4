"""Step 4, promise: what nobody may be able to find or learn, how strong it is, and what it costs."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import InputError, OptionError
from shoal.jobs.choose_model import has, models, solvers
from shoal.jobs.run_options import RunOptions
from shoal.models.base import PrivacyModel
from shoal.web import forms
from shoal.web.crew import Task
from shoal.web.forms import Form, read_form
from shoal.web.page import AT_ONCE, Desk, go, render, show, waiting
from shoal.web.pages import promise_costs
from shoal.web.pages.promise_view import (
    HIDDEN,
    Wrong,
    answer,
    method_of,
    misfit_of,
    missing,
    model_of,
    sensitive_columns,
    tables_of,
)

LABELS = 2000  # sensitive labels of a project


async def page(request: Request) -> Response:
    """Show the step."""
    desk = Desk.of(request)
    if not desk.draft.found:
        return show(request, "promise", desk, unread=True)
    return await answer(request, desk)


async def _saved(request: Request, desk: Desk, **more: Any) -> Response:
    """Write the draft, and show the page as it is now."""
    desk.save()
    if request.headers.get("hx-request"):
        return await answer(request, desk, **more)
    return go(request, f"{desk.base}/promise")


async def choose(request: Request) -> Response:
    """Choose a model. Options that it shares with the old one keep their values."""
    form, desk = await read_form(request), Desk.of(request)
    name = form.text("model")
    if name not in models():
        raise InputError("There is no promise of that name: choose one of the list.")
    model, old = models()[name], desk.draft.tables["model"]
    if why := misfit_of(desk, model):
        raise InputError(f"This promise does not fit these data: {why}.")
    kept = {one.name: old[one.name] for one in model.options() if one.name in old and _fits(one, old[one.name])}
    desk.draft.tables["model"] = {"name": name, **kept}
    if desk.draft.tables["algorithm"].get("name") not in solvers(model):
        desk.draft.tables["algorithm"] = {}
    return await _saved(request, desk)


def _fits(one: Any, value: Any) -> bool:
    """Return whether an option takes a value."""
    try:
        one.check(one.name, tuple(value) if isinstance(value, list) else value)
    except OptionError:
        return False
    return True


async def settings(request: Request) -> Response:
    """Change the options of the model."""
    form, desk = await read_form(request), Desk.of(request)
    model = model_of(desk)
    if form.text("of", model.name) != model.name:
        raise InputError("Another promise was chosen in the meantime: reload the page.")
    values, errors = forms.checked(model, form, desk.files(), HIDDEN)
    values = {name: value for name, value in values.items() if name not in HIDDEN}
    kept = {name: desk.draft.tables["model"][name] for name in HIDDEN if name in desk.draft.tables["model"]}
    if not errors:
        errors = _together(model, {**values, **kept}, sensitive_columns(desk))
    if errors:
        return await answer(request, desk, status=400, wrong=Wrong("settings", form, errors))
    own = {one.name: values.get(one.name, one.default) for one in model.options() if _main(one)}
    desk.draft.tables["model"] = {"name": model.name, **own, **values, **kept}
    return await _saved(request, desk)


def _main(one: Any) -> bool:
    """Return whether an option is written down even at its default: numbers make the promise."""
    return one.type in (int, float)


def _together(model: type[PrivacyModel], values: dict[str, Any], columns: list[str]) -> dict[str, str]:
    """Return what is wrong with options together, at the first field. Sensitive labels may be chosen later."""
    given: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in values.items()}
    if has(model, "sensitive") and not given.get("sensitive"):
        given["sensitive"] = ("\ue000",)
    if has(model, "sensitive_column"):
        given["sensitive_column"] = tuple(columns)
    try:
        model(**given)
    except OptionError as error:
        named = [one.name for one in model.options() if one.name not in HIDDEN]
        at = next((name for name in named if f" {name} " in str(error) or f" {name}=" in str(error)), named[0])
        return {at: str(error)}
    return {}


async def point(request: Request) -> Response:
    """Choose a point of the chart, such as ``k=5,m=2``."""
    form, desk = await read_form(request), Desk.of(request)
    model = model_of(desk)
    known = {one.name: one for one in model.options() if one.type is int}
    chosen: dict[str, Any] = {}
    for part in form.text("point").split(","):
        name, _, value = part.partition("=")
        if name not in known:
            raise InputError("This is no point of the chart: choose one of the list.")
        chosen[name] = known[name].parse(value)
    desk.draft.tables["model"] = {**desk.draft.tables["model"], "name": model.name, **chosen}
    return await _saved(request, desk, opened=form.text("opened"))


async def method(request: Request) -> Response:
    """Choose the method, or change its options."""
    form, desk = await read_form(request), Desk.of(request)
    name, own = form.text("method"), desk.draft.tables["algorithm"]
    if name and name not in solvers(model_of(desk)):
        raise InputError("This method cannot keep the promise: choose one of the list.")
    if name != own.get("name", ""):
        desk.draft.tables["algorithm"] = {"name": name} if name else {}
        return await _saved(request, desk)
    cls = method_of(desk)
    values, errors = forms.checked(cls, form, desk.files())
    if not errors:
        try:
            cls(**{one: tuple(value) if isinstance(value, list) else value for one, value in values.items()})
        except OptionError as error:
            errors = {next(iter(values)): str(error)}
    if errors:
        return await answer(request, desk, status=400, wrong=Wrong("method", form, errors))
    desk.draft.tables["algorithm"] = ({"name": name} if name else {}) | values
    return await _saved(request, desk)


async def run(request: Request) -> Response:
    """Change what a run searches for, and when its result is refused."""
    form, desk = await read_form(request), Desk.of(request)
    values, errors = forms.checked(RunOptions, form)
    if errors:
        return await answer(request, desk, status=400, wrong=Wrong("run", form, errors))
    desk.draft.tables["run"] = values
    return await _saved(request, desk)


async def labels(request: Request) -> Response:
    """Pick a sensitive item, group or value, or remove one."""
    form, desk = await read_form(request), Desk.of(request)
    table = desk.draft.tables["model"]
    if not has(model_of(desk), "sensitive"):
        raise InputError("This promise is not about sensitive items: choose another one first.")
    picked = [one for one in table.get("sensitive", []) if one != form.text("remove")]
    if "pick" in form:
        picked = list(dict.fromkeys([*picked, form.text("pick")]))
    pasted = [line.strip() for line in form.text("list").split("\n") if line.strip()]
    picked = list(dict.fromkeys([*picked, *pasted]))
    if "none" in form:
        picked = []
    if len(picked) > LABELS:
        raise InputError(f"At most {LABELS:,} items can be picked: pick whole groups of the hierarchy instead.")
    desk.draft.tables["model"] = {**table, "name": model_of(desk).name, "sensitive": picked}
    if not picked:
        desk.draft.tables["model"].pop("sensitive")
    desk.save()
    return await _found(request, desk, form)


async def _found(request: Request, desk: Desk, form: Form) -> Response:
    """Show the page after a label was picked, with what was searched for."""
    if not request.headers.get("hx-request") and not form.text("text"):
        return go(request, f"{desk.base}/promise")
    return await answer(request, desk, search=await _results(desk, form.text("text")))


async def _results(desk: Desk, text: str) -> dict[str, Any] | None:
    """Search for items, groups and values. If that takes long, the page asks for the results at an address."""
    if not text.strip():
        return None
    task = _search(desk, text)
    if not await task.wait(AT_ONCE):
        return {"text": text, "address": f"{desk.base}/promise/found?search={desk.keep_search(text=text)}"}
    return {"text": text, **task.result()}


def _search(desk: Desk, text: str) -> Task:
    """Begin to search."""
    return desk.ask(
        "promise.search",
        tables={name: desk.draft.tables[name] for name in ("data", "items")},
        text=text[:200],
        columns=sensitive_columns(desk) if has(model_of(desk), "sensitive_column") else [],
        picked=list(desk.draft.tables["model"].get("sensitive", [])),
        groups=True,
    )


async def found(request: Request) -> Response:
    """Show what was found, as soon as it is."""
    desk = Desk.of(request)
    text = str(desk.search(request).get("text", ""))
    task = _search(desk, text)
    if shown := await waiting(request, task):
        return shown
    return render("promise_found.html", base=desk.base, search={"text": text, **task.result()})


async def search(request: Request) -> Response:
    """Search for items that nobody may learn. The text is sent in the body, so that no address holds a label."""
    form, desk = await read_form(request), Desk.of(request)
    results = await _results(desk, form.text("text"))
    if request.headers.get("hx-request"):
        return render("promise_found.html", base=desk.base, search=results)
    return await answer(request, desk, search=results)


async def column(request: Request) -> Response:
    """Call a column sensitive, or no longer."""
    form, desk = await read_form(request), Desk.of(request)
    name = form.text("column")
    if name not in desk.draft.tables["columns"]:
        raise InputError("There is no such column: choose one of the list.")
    known = "quasi-identifier" if model_of(desk).relational else "plain"
    role = "sensitive" if "sensitive" in form else known
    desk.draft.give_role(name, role)
    start = f"{name}="
    picked = desk.draft.tables["model"].get("sensitive")
    if picked and role != "sensitive":
        desk.draft.tables["model"]["sensitive"] = [one for one in picked if not one.startswith(start)]
    return await _saved(request, desk)


async def state(request: Request) -> Response:
    """Show what is promised, as soon as it is checked."""
    desk = Desk.of(request)
    lacks, result = missing(desk), None
    if not lacks:
        task = desk.ask("promise.check", tables=tables_of(desk))
        if shown := await waiting(request, task):
            return shown
        result = task.result()
    return render("promise_state.html", state=result, lacks=lacks, base=desk.base)


async def frontier(request: Request) -> Response:
    """Show the chart, or how far it is."""
    desk = Desk.of(request)
    if missing(desk):
        return render("promise_costs.html", costs=None, base=desk.base)
    measure = request.query_params.get("measure", "")
    shown = promise_costs.costs(desk, tables_of(desk), model_of(desk), measure)
    return render("promise_costs.html", costs=shown, base=desk.base)


async def draw(request: Request) -> Response:
    """Begin to draw the chart, or cancel it."""
    form, desk = await read_form(request), Desk.of(request)
    if lacks := missing(desk):
        raise InputError(lacks)
    tables, model = tables_of(desk), model_of(desk)
    if "cancel" in form:
        desk.bench.crew.cancel(promise_costs.prefix(desk, "frontier"))
    else:
        sample = form.number("sample", 0)
        if sample not in promise_costs.samples(desk, model):
            raise InputError("The chart cannot be drawn from that many records: choose one of the list.")
        promise_costs.start(desk, tables, model, sample)
    if request.headers.get("hx-request"):
        shown = promise_costs.costs(desk, tables, model, "")
        return render("promise_costs.html", costs=shown, base=desk.base)
    return go(request, f"{desk.base}/promise")


async def estimate(request: Request) -> Response:
    """Show about how long a run takes and how much memory it needs."""
    desk = Desk.of(request)
    if lacks := missing(desk):
        raise InputError(lacks)
    task = promise_costs.estimate_task(desk, tables_of(desk))
    if shown := await waiting(request, task):
        return shown
    return render("promise_estimate.html", result=task.result())


routes = [
    Route("/promise", page),
    Route("/promise/model", choose, methods=["POST"]),
    Route("/promise/settings", settings, methods=["POST"]),
    Route("/promise/point", point, methods=["POST"]),
    Route("/promise/method", method, methods=["POST"]),
    Route("/promise/run", run, methods=["POST"]),
    Route("/promise/labels", labels, methods=["POST"]),
    Route("/promise/search", search, methods=["POST"]),
    Route("/promise/found", found),
    Route("/promise/column", column, methods=["POST"]),
    Route("/promise/state", state),
    Route("/promise/frontier", frontier),
    Route("/promise/draw", draw, methods=["POST"]),
    Route("/promise/estimate", estimate),
]
