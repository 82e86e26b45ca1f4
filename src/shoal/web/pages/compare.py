"""Step 6, result: several runs side by side, from the figures that each has noted."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.report.formatting import share
from shoal.web.page import Desk, duration, show
from shoal.web.pages.result import done
from shoal.web.runs import Run

FIRST = 6  # runs that are compared if none were picked


@dataclass(frozen=True)
class Row:
    """A run in the comparison: its figures from 0 to 1, None if it has no such figure."""

    run: Run
    loss: float | None
    unchanged: float | None
    risk_before: float | None
    risk: float | None  # after
    seconds: float | None

    @classmethod
    def of(cls, run: Run) -> Row:
        """Take the figures of a run that is done."""
        figures = run.figures
        losses, useful = figures["losses"], figures["usefulness"]
        before, after = (_risk(figures["risk"][when]) for when in ("before", "after"))
        relational = losses.get("relational_ncp")
        return cls(
            run=run,
            loss=losses.get("ncp") if relational is None else relational,
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

    def text(self, name: str) -> str:
        """Return a figure in words."""
        value = getattr(self, name)
        return "–" if value is None else duration(value) if name == "seconds" else share(value)


def _risk(exposure: dict[str, list[float]]) -> float | None:
    """Return the share of records at risk from the attacker who knows the most, in the milder degree."""
    shares = next((value for name, value in exposure.items() if name.startswith("share_")), [])
    return shares[-1] if shares else None


CHARTS = (  # figure, title, and how bars are coloured
    ("loss", "Information lost (NCP)", "before"),
    ("unchanged", "Items published unchanged", "now"),
    ("risk", "Records at risk in the release", "before"),
    ("seconds", "Time", "now"),
)


async def page(request: Request) -> Response:
    """Show the runs that were picked, or the latest."""
    desk = Desk.of(request)
    runs = done(desk)
    picked = set(request.query_params.getlist("run")) or {str(one.number) for one in runs[:FIRST]}
    rows = [Row.of(one) for one in runs if str(one.number) in picked][::-1]
    longest = max((one.seconds or 0 for one in rows), default=0) or 1
    return show(
        request,
        "compare",
        desk,
        runs=runs,
        rows=rows,
        picked=picked,
        all={one.number: Row.of(one) for one in runs},
        charts=[
            (name, title, kind, longest if name == "seconds" else 1)
            for name, title, kind in CHARTS
            if any(getattr(one, name) is not None for one in rows)
        ],
    )


routes = [Route("/result/compare", page)]
