"""Step 6, result: several runs side by side, from the figures that each has noted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.report.formatting import count, share
from shoal.web.page import Desk, duration, show
from shoal.web.pages.result import done
from shoal.web.runs import Run

FIRST = 6  # runs that are compared if none were picked


@dataclass(frozen=True)
class Row:
    """A run in the comparison: its figures from 0 to 1, None if it has no such figure."""

    run: Run
    loss: float | None
    measure: str  # of the loss
    unchanged: float | None
    risk_before: float | None
    risk: float | None  # in the release
    seconds: float | None

    @classmethod
    def of(cls, run: Run, known: int) -> Row:
        """Take the figures of a run that is done. ``known``: the items that an attacker of the risk knows."""
        figures = run.figures
        useful = figures["usefulness"]
        before, after = (_risk(figures["risk"][when], known) for when in ("before", "after"))
        return cls(
            run=run,
            loss=figures["loss"]["value"],
            measure=figures["loss"]["measure"],
            unchanged=useful and useful["share_unchanged"],
            risk_before=before,
            risk=after,
            seconds=run.seconds,
        )

    @property
    def choices(self) -> str:
        """The model and the method with the options that most differ."""
        model = self.run.figures["model"]
        options = [f"{name} = {model['options'][name]}" for name in ("k", "l", "m", "p") if name in model["options"]]
        return ", ".join([str(model["name"]), *options])

    @property
    def about_items(self) -> str:
        """The hierarchy, and how many items are sensitive: runs that differ only there must not look alike."""
        tree, sensitive = self.run.choices.get("items", {}).get("hierarchy", ""), self.run.choices["model"]
        trees = [tree] if isinstance(tree, str) else list(tree.values())
        names = [one.rpartition("/")[2] for one in trees if one] or ["no hierarchy of your own"]
        several = len(sensitive.get("sensitive", ()))
        return ", ".join([*names, *([f"{count(several)} sensitive"] if several else [])])

    def text(self, name: str) -> str:
        """Return a figure in words."""
        value = getattr(self, name)
        return "–" if value is None else duration(value) if name == "seconds" else share(value)


def _risk(exposure: dict[str, Any], known: int) -> float | None:
    """Return the average chance to pick the right record. None: the promise is about learning values instead."""
    chances = exposure.get("average") or []
    return chances[min(known, len(chances)) - 1] if chances else None


def known_by(runs: list[Run]) -> int:
    """Return the number of known items for which all runs have figures, but for runs that have none at all."""
    lengths = [len(one.figures["risk"]["after"].get("average") or ()) for one in runs]
    return min((length for length in lengths if length), default=1)


CHARTS = (  # figure, title, and how bars are coloured
    ("loss", "Information lost", "before"),
    ("unchanged", "Items published unchanged", "now"),
    ("risk", "Average chance to find a record", "before"),
    ("seconds", "Time", "now"),
)


async def page(request: Request) -> Response:
    """Show the runs that were picked, or the latest."""
    desk = Desk.of(request)
    runs = done(desk)
    picked = set(request.query_params.getlist("run")) or {str(one.number) for one in runs[:FIRST]}
    known = known_by([one for one in runs if str(one.number) in picked])
    every = {one.number: Row.of(one, known) for one in runs}
    rows = [every[one.number] for one in runs if str(one.number) in picked][::-1]
    longest = max((one.seconds or 0 for one in rows), default=0) or 1
    return show(
        request,
        "compare",
        desk,
        runs=runs,
        rows=rows,
        picked=picked,
        all=every,
        known=known,
        measures=sorted({one.measure for one in rows}),
        charts=[
            (name, title, kind, longest if name == "seconds" else 1)
            for name, title, kind in CHARTS
            if any(getattr(one, name) is not None for one in rows)
        ],
    )


routes = [Route("/result/compare", page)]
