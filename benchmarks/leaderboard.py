"""research/leaderboard.md: our algorithms on all data sets, with the optimum and the gap to it; from a named grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.papers.common import DOCS, put, rows
from shoal.evaluation.results import Row

PAGE = DOCS / "research" / "leaderboard.md"
# What releases of a model are ranked by, and what is told beside it.
LOSSES = {
    "k": {"relational_ncp": "NCP of columns"},
    "k-km": {"relational_ncp": "NCP of columns", "ul": "UL", "ncp": "NCP"},
}
OTHERS = {"ncp": "NCP"}
TITLES = {
    "km": "k^m-anonymity",
    "transactional-k": "transactional k-anonymity",
    "k-km": "(k, k^m)-anonymity",
    "k": "k-anonymity of columns",
}


def write(*, again: bool = False) -> None:
    """Run what has not run yet, and fill the page."""
    results = rows("leaderboard", again=again)
    put(PAGE, "overview", "\n".join(overview(results)))
    put(PAGE, "tables", "\n\n".join(tables(results)))


def overview(results: Sequence[Row]) -> Iterator[str]:
    """What each method loses for k^m-anonymity; in bold what nothing of its kind can beat."""
    some = [row for row in results if row["model"] == "km"]
    methods = list(dict.fromkeys(row["algorithm"] for row in some))
    yield f"| data | m | {' | '.join(f'`{name}`' for name in methods)} |"
    yield f"|---|---:|{'---:|' * len(methods)}"
    for data, order, model, k, m in dict.fromkeys(_place(row) for row in some):
        here = {row["algorithm"]: row for row in some if _place(row) == (data, order, model, k, m)}
        named = ", ".join(part for part in (data, _order(data, order).removeprefix("hierarchy ")) if part)
        yield f"| {named} | {m} | {' | '.join(_short(here[name]) for name in methods)} |"


def _short(row: Row) -> str:
    """The loss in percent."""
    if row["status"] != "ok":
        return str(row["status"])
    loss = f"{100 * row['ncp']:.2f}"
    return f"**{loss}**" if row["gap"] == 0 else loss


def tables(results: Sequence[Row]) -> Iterator[str]:
    """A table for each data set and guarantee; who loses least comes first."""
    places = dict.fromkeys((row["data"], row["data.order"], row["model"], row["k"], row["m"]) for row in results)
    for data, order, model, k, m in places:
        some = [row for row in results if _place(row) == (data, order, model, k, m)]
        losses = LOSSES.get(model, OTHERS)
        first = next(iter(losses))
        some.sort(key=lambda row: (row["status"] != "ok", row.get(first) if row.get(first) is not None else 9.0))
        facts = next((row for row in some if row["status"] == "ok"), some[0])
        bounds = {row["optimum"] for row in some} - {None}
        yield "\n".join(
            [
                f"### {data}{', ' + _order(data, order) if _order(data, order) else ''}: {TITLES[model]}, k = {k}"
                f"{f', m = {m}' if m is not None else ''}",
                "",
                f"{facts['records']:,} records" + (f", {facts['items']:,} items." if model != "k" else "."),
                "",
                f"| method | {' | '.join(losses.values())} |{' optimum | gap |' if bounds else ''} s | CPU s | MB | |",
                f"|---|{'---:|' * (len(losses) + (2 if bounds else 0) + 3)}---|",
                *(_line(row, list(losses), bool(bounds)) for row in some),
            ]
        )


def _place(row: Row) -> tuple[Any, ...]:
    return row["data"], row["data.order"], row["model"], row["k"], row["m"]


def _order(data: str, order: str | None) -> str:
    """How the artificial hierarchy was ordered."""
    own = data in ("groceries", "informs-2005", "adult")
    return "" if own else f"hierarchy by {order or 'label'}"


def _line(row: Row, losses: list[str], bounded: bool) -> str:
    """A method; one without a release with its reason."""
    cells = [f"`{row['method']}`"]
    cells += ["" if row.get(name) is None else f"{row[name]:.6f}" for name in losses]
    if bounded:
        proved = "" if row["optimum"] is None else f"{row['optimum']:.6f}"
        cells += [proved, "" if row["gap"] is None else f"{row['gap']:.1%}".replace("%", " %")]
    if row["status"] == "ok":
        cells += [f"{row['seconds']:.2f}", f"{row['cpu_seconds']:.2f}", f"{row['peak_mb']:.0f}", _proof(row)]
    else:
        cells += ["", "", "", row["error"] or row["status"]]
    return f"| {' | '.join(cells)} |"


def _proof(row: Row) -> str:
    """What is known about the release."""
    if not row["ended"]:
        return "verified"
    return f"verified, {'proved' if row['ended'] == 'proven' else 'ended by its time limit'}"
