"""Generalization with suppression beside its rivals (P4): loss, time and memory of six methods.

Each run is a process of its own with a limit; one that does not end within it is told so. LG knows no m: it is run once
for each k.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import case, data

SETS = ("groceries", "bms-webview-1", "bms-webview-2")
KS, MS = (5, 10, 50), (2, 3, 7)
METHODS = {
    "AA": ("aa", {}),
    "optimal": ("optimal", {"time_limit": 60.0}),
    "LG": ("partition", {}),
    "MM": ("mm", {}),
    "mHgHs": ("mhghs", {}),
    "optimal-suppress": ("optimal-suppress", {"time_limit": 60.0}),
}
LIMIT = 120.0  # seconds for a run, with reading and checking
PAGE = Path(__file__).parents[1] / "docs" / "suppression.md"


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """One row for each set, k, m and method; none where there are no real data."""
    for name in SETS if data.REAL.is_dir() else ():
        file, tree = data.groceries() if name == "groceries" else data.real(name, folder)
        for k in KS:
            local = _told(_run(file, tree, "LG", k=k, model="transactional-k"))
            for m in MS:
                for method in METHODS:
                    found = local if method == "LG" else _told(_run(file, tree, method, k=k, m=m, model="km"))
                    yield {"data": name, "k": k, "m": m, "method": method, **found}


def growing(folder: Path) -> Iterator[dict[str, Any]]:
    """The first quarter, half, three quarters and all of BMS-WebView-2, k=5, m=3, by the methods of P4."""
    for quarters in (1, 2, 3, 4) if data.REAL.is_dir() else ():
        file, tree, size = data.part("bms-webview-2", folder, quarters / 4)
        times: dict[str, Any] = {}
        for method in ("AA", "LG", "MM", "mHgHs"):
            guarantee = {"model": "transactional-k"} if method == "LG" else {"model": "km", "m": 3}
            found = _told(_run(file, tree, method, k=5, **guarantee))
            times |= {f"{method} s": found["s"], f"{method} NCP": found["NCP"]}
        yield {"rows": size, **times}


def _run(file: str, tree: str, method: str, **guarantee: Any) -> dict[str, Any]:
    """One process."""
    algorithm, options = METHODS[method]
    at: dict[str, Any] = {"what": "solve", "file": file, "hierarchy": tree, "algorithm": algorithm, "options": options}
    return case.run(limit=LIMIT, **at, **guarantee)


def _told(found: dict[str, Any]) -> dict[str, Any]:
    """The columns of a run."""
    names = ("NCP", "s", "MB", "suppressed %", "proof", "note")
    if "error" in found:
        return {**dict.fromkeys(names, ""), "note": found["error"]}
    ended, gap = found.get("ended", ""), found.get("gap", 0.0)
    return {
        "NCP": f"{found['loss']:.6f}",
        "s": f"{found['seconds']:.2f}",
        "MB": found["peak_mb"],
        "suppressed %": f"{found['suppressed']:.2%}".removesuffix("%"),
        "proof": "proven" if ended == "proven" else f"gap {gap:.1%}" if ended else "",
        "note": "",
    }


def write(results: Sequence[dict[str, Any]], page: Path = PAGE) -> None:
    """Put the table into the page, between its marks."""
    lines = [
        f"| data | k | m | {' | '.join(METHODS)} |",
        f"|---|---:|---:|{'---|' * len(METHODS)}",
    ]
    for start in range(0, len(results), len(METHODS)):
        some = results[start : start + len(METHODS)]
        least = min(float(one["NCP"]) for one in some if one["NCP"])
        first = some[0]
        lines.append(
            f"| {first['data']} | {first['k']} | {first['m']} | {' | '.join(_cell(one, least) for one in some)} |"
        )
    text = page.read_text(encoding="utf-8")
    table = "<!-- table -->\n\n" + "\n".join(lines) + "\n\n<!-- end of table -->"
    page.write_text(
        re.sub(r"<!-- table -->.*<!-- end of table -->", lambda _: table, text, flags=re.S), encoding="utf-8"
    )


def _cell(one: dict[str, Any], least: float) -> str:
    """Loss (the least of the row in bold), seconds, memory, and what is proved or suppressed."""
    if not one["NCP"]:
        return str(one["note"])
    loss = f"**{float(one['NCP']):.5f}**" if float(one["NCP"]) == least else f"{float(one['NCP']):.5f}"
    gone = f"; {one['suppressed %']} % removed" if float(one["suppressed %"]) else ""
    return f"{loss} {one['proof']}<br>{one['s']} s, {one['MB']} MB{gone}".replace(" <br>", "<br>")
