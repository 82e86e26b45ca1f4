"""What P3 says of its complete experimental view (s.6.2.1): AA beside VPA in all runs of Fig. 14 to 17."""

from __future__ import annotations

from benchmarks.papers.curves import over
from benchmarks.papers.p3_rows import as_usual
from benchmarks.papers.reading import Rows, by_setting, span, times
from benchmarks.papers.verdict import Cell, Claim
from shoal.evaluation.results import Row

PLACE = ("k", "m", "data.fanout")


def general(rows: Rows) -> Claim:
    """AA loses less than VPA, or the same."""
    cells: list[Cell] = []
    found: dict[str, list[float]] = {}
    for where, here in by_setting(rows):
        for place in dict.fromkeys(tuple(row.get(name) for name in PLACE) for row in here):
            pair = _both([row for row in here if tuple(row.get(name) for name in PLACE) == place])
            if len(pair) == 2 and all(row.get("ncp") is not None for row in pair):
                loss = over(pair, "vpa", "aa", "ncp")
                cells.append(Cell(loss >= 1, where | dict(zip(("k", "m"), place[:2], strict=True))))
                found.setdefault(f"{where['data']}, {where['order']}, {where['size']}", []).append(loss)
    lines = tuple((name, span(losses, times)) for name, losses in found.items())
    says = "AA is in general (slightly) better than VPA in terms of information loss"
    about = "VPA's loss over AA's in all runs of Fig. 14 to 17"
    seen = "; ".join(f"{name}: {text}" for name, text in lines) or "no figures: no rows"
    return Claim("Fig. 14-17", says, tuple(cells), seen, own={"size": "all records"}, about=about, lines=lines)


def _both(rows: Rows) -> list[Row]:
    """AA and VPA once each: the same run may be in several grids."""
    return list({row["algorithm"]: row for row in rows if row["algorithm"] in ("aa", "vpa") and as_usual(row)}.values())
