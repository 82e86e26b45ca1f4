"""The chart of the step Promise: what each choice of the main numbers costs. Each point is a button."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

from shoal.jobs.choose_model import knowledge, strength
from shoal.models.base import PrivacyModel
from shoal.report.formatting import share
from shoal.web.crew import Task, TaskError
from shoal.web.page import Desk, stage_text

MEASURES = {"lost": "Information lost", "unchanged": "Items published unchanged"}
QUICK = 5_000  # items of records up to which the chart is drawn at once, for searches that share their work
SMALL = 800  # the same, for others
LARGE = 200_000  # items of records, from which a sample is suggested even for searches that share their work
SAMPLE, SMALL_SAMPLE = 10_000, 2_000  # records of a sample, for such searches and for others
KEPT = 6  # charts of a project
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 320, 64, 24, 20, 52
SIZE = 28  # of a point, which is a button


def prefix(desk: Desk, what: str) -> str:
    """Return how the names of the project's long calls of a kind begin."""
    return f"{desk.project.path}/{what}/"


def key(desk: Desk, tables: dict[str, Any], model: type[PrivacyModel]) -> str:
    """Return the name of the chart. It does not depend on the numbers that the chart varies, nor on the method."""
    varied = {one.name for one in (strength(model), knowledge(model)) if one is not None}
    own = {name: value for name, value in tables["model"].items() if name not in varied}
    text = json.dumps(
        {**tables, "model": {**own, "name": model.name}, "algorithm": {}, "versions": desk.versions()}, sort_keys=True
    )
    return prefix(desk, "frontier") + hashlib.sha256(text.encode()).hexdigest()[:20]


def samples(desk: Desk, model: type[PrivacyModel]) -> list[int]:
    """Return the numbers of records that the chart can be drawn from, the suggested one first. 0: all."""
    found = desk.draft.found
    shared = model.shares_searches
    if shared and found["total_items"] <= LARGE:
        return [0]
    size = SAMPLE if shared else SMALL_SAMPLE
    return [size, 0] if found["records"] > size else [0]


def start(desk: Desk, tables: dict[str, Any], model: type[PrivacyModel], sample: int) -> None:
    """Begin to draw the chart. One that goes on for other choices is cancelled."""
    crew = desk.bench.crew
    crew.make_room(prefix(desk, "frontier"), KEPT)
    own = {**tables, "algorithm": {}}
    crew.alone(key(desk, tables, model), "promise.frontier", {"tables": own, "sample": sample})


def costs(desk: Desk, tables: dict[str, Any], model: type[PrivacyModel], measure: str) -> dict[str, Any]:
    """Return what the page shows of the chart: that it can be drawn, how far it is, or the chart itself."""
    crew, name, found = desk.bench.crew, key(desk, tables, model), desk.draft.found
    if strength(model) is None:
        return {"state": "none"}
    task = crew.task(name)
    small = max(found["records"], found["total_items"]) <= (QUICK if model.shares_searches else SMALL)
    if task is None and small:
        start(desk, tables, model, 0)
        task = crew.task(name)
    known = {"samples": samples(desk, model), "records": found["records"], "message": ""}
    if task is None or task.cancelled:  # a cancelled one does not start again by itself
        return {"state": "idle", **known}
    if not task.work.done():
        return {"state": "running", "task": task, "stage": stage_text(task.stage)}
    try:
        result = task.result()
    except TaskError as error:
        return {"state": "idle", **known, "message": str(error)}
    return {"state": "done", **known, **drawn(result, tables["model"], measure)}


def drawn(result: dict[str, Any], own: dict[str, Any], measure: str) -> dict[str, Any]:
    """Return the chart and the table."""
    choices = [Choice.of(one, result, own) for one in result["points"]]
    losses = any(one.lost is not None for one in choices)
    measure = measure if measure in MEASURES and losses else "lost" if losses else "unchanged"
    return {
        "result": result,
        "choices": choices,
        "measure": measure,
        "measures": MEASURES if losses else {"unchanged": MEASURES["unchanged"]},
        "chart": chart(choices, measure),
    }


@dataclass(frozen=True)
class Choice:
    """A point of the chart."""

    strength: int
    knowledge: int | None
    lost: float | None
    unchanged: float | None
    name: str  # k = 5, m = 2
    value: str  # of its button
    chosen: bool
    proven: bool
    worthless: bool
    failure: str
    sampled: bool

    @classmethod
    def of(cls, point: dict[str, Any], result: dict[str, Any], own: dict[str, Any]) -> Choice:
        """Return a point of a result. ``own``: the table [model] of the draft."""
        first, second = result["strength"], result["knowledge"]
        pair = {first: point["strength"]} | ({second: point["knowledge"]} if second else {})
        return cls(
            strength=point["strength"],
            knowledge=point["knowledge"],
            lost=point["loss"],
            unchanged=point["unchanged"],
            name=", ".join(f"{name} = {value}" for name, value in pair.items()),
            value=",".join(f"{name}={value}" for name, value in pair.items()),
            chosen=all(own.get(name) == value for name, value in pair.items()),
            proven=point["proven"],
            worthless=point["worthless"],
            failure=point["failure"],
            sampled=result["sampled"],
        )

    def figure(self, measure: str) -> float | None:
        """Return what the chart shows of it."""
        return self.lost if measure == "lost" else self.unchanged

    def said(self, measure: str) -> str:
        """Return the name of its button for people who do not see the chart."""
        what = "of the information is lost" if measure == "lost" else "of the items are published unchanged"
        best = ", proved to be the least" if self.proven and measure == "lost" and not self.sampled else ""
        best = ", estimated from a sample" if self.sampled else best
        return f"Choose {self.name}: {share(self.figure(measure) or 0.0)} {what}{best}"


def chart(choices: list[Choice], measure: str) -> dict[str, Any]:
    """Return the places of points, lines and ticks in a drawing of WIDTH x HEIGHT."""
    shown = [one for one in choices if one.figure(measure) is not None]
    strengths = sorted({one.strength for one in choices})
    top = _ceiling(max((one.figure(measure) or 0.0 for one in shown), default=1.0))
    step = (WIDTH - LEFT - RIGHT - SIZE) / max(1, len(strengths) - 1)
    across = {value: round(LEFT + SIZE / 2 + at * step, 1) for at, value in enumerate(strengths)}

    def up(value: float) -> float:
        return round(HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM), 1)

    points = [
        {
            "x": across[one.strength],
            "y": up(one.figure(measure) or 0.0),
            "text": str(one.strength if one.knowledge is None else one.knowledge),
            "choice": one,
            "said": one.said(measure),
        }
        for one in shown
    ]
    lines = [
        " ".join(f"{at['x']},{at['y']}" for at, one in zip(points, shown, strict=True) if one.knowledge == known)
        for known in dict.fromkeys(one.knowledge for one in shown)
    ]
    ticks = [{"y": up(top * part / 4), "text": share(round(top * part / 4, 6))} for part in range(5)]
    return {"points": points, "lines": lines, "ticks": ticks, "across": list(across.items()), "half": SIZE / 2}


def _ceiling(value: float) -> float:
    """Return a round number above a share, so that ticks have short texts.

    >>> _ceiling(0.036), _ceiling(0.0), _ceiling(0.61), _ceiling(0.99)
    (0.04, 0.04, 0.8, 1.0)
    """
    if value <= 0:
        return 0.04
    size = 10.0 ** math.floor(math.log10(value))
    return min(1.0, round(next(part * size for part in (1, 2, 4, 8, 10) if part * size >= value), 10))


def estimate_task(desk: Desk, tables: dict[str, Any]) -> Task:
    """Return the task that estimates time and memory of a run, and begin it if there is none."""
    text = json.dumps([tables, desk.versions()], sort_keys=True)
    name = prefix(desk, "estimate") + hashlib.sha256(text.encode()).hexdigest()[:20]
    task = desk.bench.crew.task(name)
    if task is None or task.failed:
        desk.bench.crew.make_room(prefix(desk, "estimate"), KEPT)
        task = desk.bench.crew.alone(name, "promise.estimate", {"tables": tables})
    return task
