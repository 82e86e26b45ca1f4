"""Step 2, risk before: how many people could be found, in one sentence, charts and, on request, examples."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import InputError
from shoal.report.formatting import count, share
from shoal.risk import PRESETS
from shoal.web.crew import TaskError
from shoal.web.forms import read_form
from shoal.web.page import AT_ONCE, Desk, go, render, show, stage_text, waiting

NUMBERS = {1: "1 item", 2: "2 items", 3: "3 items"}
ANSWERED = 2  # known items of the sentence on top


def known_columns(desk: Desk) -> list[str]:
    """Return the columns that an attacker may know, as the step Data says."""
    return [name for name in desk.draft.tables["columns"] if desk.draft.role(name) == "quasi-identifier"]


async def page(request: Request) -> Response:
    """Show the step."""
    return show(request, "risk", Desk.of(request), presets=list(PRESETS.values()))


async def figures(request: Request) -> Response:
    """Show the sentence and the charts, as soon as all is counted."""
    desk = Desk.of(request)
    task = desk.ask("risk.overview", data=desk.draft.data, columns=known_columns(desk))
    if shown := await waiting(request, task):
        return shown
    result = task.result()
    return render("risk_figures.html", result=result, sentence=sentence(result), groups=_groups(result), words=words)


def words(row: dict[str, Any]) -> str:
    """Return what is known, in words.

    >>> words({"items": 2, "columns": True}), words({"items": "all", "columns": False})
    ('the columns and 2 items', 'all items')
    """
    items = "all items" if row["items"] == "all" else "" if not row["items"] else NUMBERS[row["items"]]
    return " and ".join(part for part in ("the columns" if row["columns"] else "", items) if part)


def sentence(result: dict[str, Any]) -> str:
    """Return the answer in one sentence: about two known items, or the columns if there are no items.

    >>> row = {"items": 2, "columns": False, "unique": 0.43, "few": 0.5, "persons": None}
    >>> sentence({"records": 9835, "persons": None, "rows": [row]})
    'Someone who knows the right 2 items of a record can pick out 43 % of the 9,835 records.'
    """
    rows = [one for one in result["rows"] if one["items"] in (0, ANSWERED)]
    if not rows or not result["records"]:
        return "There is nothing in these data that somebody could know: no items, and no quasi-identifier."
    one = next((row for row in rows if row["items"] == ANSWERED and not row["columns"]), rows[0])
    what = "the quasi-identifying columns" if not one["items"] else f"the right {NUMBERS[one['items']]}"
    both = next((row for row in rows if row["items"] == ANSWERED and row["columns"]), None)
    persons = result["persons"]
    if persons:
        also = "" if both is None else f", and {share(both['persons']['unique'])} if they also know the columns"
        whom = f"the {count(persons['count'])} {persons['nouns']}"
        return f"Someone who knows {what} of one record can find {_part(one['persons']['unique'])} {whom}{also}."
    also = "" if both is None else f", and {share(both['unique'])} if they also know the columns"
    whom = f"the {count(result['records'])} records"
    return f"Someone who knows {what} of a record can pick out {_part(one['unique'])} {whom}{also}."


def _part(part: float) -> str:
    """Return a share, before "of"."""
    return f"{share(part)} of" if part else "none of"


def _groups(result: dict[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the charts: by items, by columns, and by both."""
    rows = result["rows"]
    both = [one for one in rows if one["columns"]]
    found = [
        ("By items alone", [one for one in rows if not one["columns"]]),
        ("By columns, and by columns and items" if result["items"] else "By columns", both),
    ]
    return [(title, lines) for title, lines in found if lines]


async def details(request: Request) -> Response:
    """Show the figures of risk assessors."""
    desk = Desk.of(request)
    limit = request.query_params.get("threshold", "ema")
    if limit not in PRESETS:
        raise InputError(f"There is no threshold of that name: choose one of {', '.join(PRESETS)}.")
    task = desk.ask("risk.details", data=desk.draft.data, columns=known_columns(desk), limits=[limit])
    if shown := await waiting(request, task):
        return shown
    return render("risk_details.html", result=task.result(), words=words, limit=PRESETS[limit])


async def examples(request: Request) -> Response:
    """Show what singles out some records. Only a POST shows raw data, so no address leads to them."""
    desk = Desk.of(request)
    await read_form(request)
    if not request.headers.get("hx-request"):
        return await _examples_page(request, desk)
    task = desk.ask("risk.examples", data=desk.draft.data, columns=known_columns(desk))
    if not await task.wait(AT_ONCE):
        return render("risk_waiting.html", base=desk.base, stage=stage_text(task.stage))
    try:
        return render("risk_examples.html", result=task.result())
    except TaskError as error:
        return render("failed.html", error=error)


async def _examples_page(request: Request, desk: Desk) -> Response:
    """Show the whole page with the examples, for browsers without scripts."""
    task = desk.ask("risk.examples", data=desk.draft.data, columns=known_columns(desk))
    if not await task.wait(20):
        return go(request, f"{desk.base}/risk")
    return show(request, "risk", desk, presets=list(PRESETS.values()), examples=task.result())


routes = [
    Route("/risk", page),
    Route("/risk/figures", figures),
    Route("/risk/details", details),
    Route("/risk/examples", examples, methods=["POST"]),
]
