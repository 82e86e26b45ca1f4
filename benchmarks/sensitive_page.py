"""docs/sensitive.md: tables, claims and pictures from the rows of the benchmarks."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks import sensitive_growth, sensitive_plots
from benchmarks.sensitive_published import KS, implied, published
from benchmarks.sensitive_published import METHODS as PRINTED

Rows = Sequence[dict[str, Any]]
PAGE = Path(__file__).parents[1] / "docs" / "sensitive.md"
SETS = ("D1", "D2", "D3", "D4")
OURS = ("STN", "GSC", "K-NN", "K-NN, GSC order", "K-NN, STN order")
MEASURES = ("operations", "QID+", "QID-", "SI+", "SI-", "KL", "KL mean", "privacy value", "I'", "groups", "joined")


def means(results: Rows) -> list[dict[str, Any]]:
    """Over the runs of each data set, method and k: means, and the median of the seconds; none if infeasible."""
    cells: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for row in results:
        cells.setdefault((row["data"], row["method"], row["k"]), []).append(row)
    made = []
    for (name, method, k), some in cells.items():
        done = [row for row in some if row["verified"]]
        values: dict[str, Any] = dict.fromkeys(("seconds", *MEASURES))
        if done:
            values = {"seconds": statistics.median(row["seconds"] for row in done)}
            values |= {measure: statistics.fmean(row[measure] for row in done) for measure in MEASURES}
        made.append({"data": name, "method": method, "k": k, "verified": len(done), "runs": len(some), **values})
    return made


def draw(results: Rows, folder: Path) -> None:
    """Four pictures."""
    found = means(results)
    three, four = ("STN", "GSC", "K-NN"), OURS[:4]  # K-NN in STN's order is STN
    sensitive_plots.against_k(found, "seconds", "search (ms)", three, folder / "sensitive-time.png", 1_000)
    sensitive_plots.against_k(found, "operations", "items added or deleted", four, folder / "sensitive-operations.png")
    sensitive_plots.against_k(found, "KL", "KL divergence (nats, sum)", four, folder / "sensitive-kl.png")
    sensitive_plots.privacy(found, folder / "sensitive-privacy.png")


def draw_growth(results: list[dict[str, Any]], folder: Path) -> None:
    """One picture."""
    sensitive_plots.growth(results, folder / "sensitive-growth.png")


def write(results: Rows, variants: Rows = (), page: Path = PAGE) -> None:
    """Put all tables of the experiments into the page."""
    found = means(results)
    put(page, "data", _data(results))
    put(page, "time", _grid(found, "seconds", ("STN", "GSC", "K-NN"), lambda row: f"{row['seconds'] * 1_000:.1f}"))
    put(page, "operations", _grid(found, "operations", OURS, lambda row: f"{row['operations']:,.0f}"))
    put(page, "kinds", _kinds(found))
    put(page, "kl", _grid(found, "KL", OURS, lambda row: f"{row['KL']:,.0f} ({row['KL mean']:.2f})"))
    for number, name in enumerate(SETS, 1):
        put(page, f"privacy {number}", _privacy(found, name))
    put(page, "bound", _bound(results))
    put(page, "claims", _claims(results))
    put(page, "privacy claims", _privacy_claims(found))
    if variants:
        put(page, "variants", _variants(variants))


def write_growth(results: list[dict[str, Any]], page: Path = PAGE) -> None:
    """Put the tables of the growth into the page."""
    lines = [
        "| rows | sensitive rows | k | method | search | file to file | peak memory | packed bits, 10^9 words |",
        "|---:|---:|---:|---|---:|---:|---:|---:|",
    ]
    for row in results:
        start = f"| {row['rows']:,} | {row['sensitive rows']:,} | {row['k']} | {row['method']} |"
        words = f"{row['words'] / 1e9:.1f}" if row["method"].startswith(("STN", "K-NN")) else ""
        if row["error"]:
            lines.append(f"{start} {row['error']} | | | {words} |")
        else:
            lines.append(f"{start} {row['solve']:.2f} s | {row['seconds']:.1f} s | {row['peak_mb']:,} MB | {words} |")
    put(page, "growth", lines)
    lines = [
        "| method | exponent over rows: search | file to file | memory | over sensitive rows: search |",
        "|---|---:|---:|---:|---:|",
    ]
    for method in sensitive_growth.METHODS:
        over = [sensitive_growth.exponent(results, method, "rows", name) for name in ("solve", "seconds", "peak_mb")]
        share = "" if method == "Sort APX Cover" else f"{sensitive_growth.exponent(results, method, 'share'):.2f}"
        lines.append(f"| {method} | {' | '.join(f'{one:.2f}' for one in over)} | {share} |")
    put(page, "exponents", lines)


def put(page: Path, name: str, lines: Iterable[str]) -> None:
    """Replace what is between two marks."""
    text = page.read_text(encoding="utf-8")
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    if start not in text or end not in text:
        raise ValueError(f"{page}: no marks for '{name}'")
    made = "\n".join((start, "", *lines, "", end))
    text = re.sub(f"{re.escape(start)}.*?{re.escape(end)}", lambda _: made, text, flags=re.S)
    page.write_text(text, encoding="utf-8")


def _data(results: Rows) -> Iterator[str]:
    """What was drawn."""
    yield "| data | rows | items a row | sensitive rows | their share | items in these | without QID items | seeds |"
    yield "|---|---|---|---|---|---|---|---|"
    for name in SETS:
        runs = list({row["run"]: row for row in results if row["data"] == name}.values())
        if not runs:
            continue
        cells = [
            _range([run["rows"] for run in runs], ",.0f"),
            _range([run["mean size"] for run in runs], ".2f"),
            _range([run["sensitive rows"] for run in runs], ",.0f"),
            _range([100 * run["share"] for run in runs], ".1f") + " %",
            _range([run["their mean size"] for run in runs], ".2f"),
            _range([100 * run["bare"] for run in runs], ".1f") + " %",
            ", ".join(str(run["seed"]) for run in runs),
        ]
        yield f"| {name} | {' | '.join(cells)} |"


def _range(values: Sequence[float], form: str) -> str:
    """Mean (least to most)."""
    if min(values) == max(values):
        return format(values[0], form)
    return f"{statistics.fmean(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def _grid(found: Rows, measure: str, methods: Sequence[str], cell: Callable[[dict[str, Any]], str]) -> Iterator[str]:
    """Data and methods down, k across; the least of each k among the methods is bold."""
    yield f"| data | method | {' | '.join(f'k = {k}' for k in KS)} |"
    yield f"|---|---|{'---:|' * len(KS)}"
    for name in SETS:
        here = {(row["method"], row["k"]): row for row in found if row["data"] == name}
        for method in methods if here else ():
            cells = []
            for k in KS:
                row = here[method, k]
                least = min((here[m, k][measure] for m in methods if here[m, k][measure] is not None), default=None)
                told = "-" if row[measure] is None else cell(row)
                cells.append(f"**{told}**" if row[measure] is not None and row[measure] == least else told)
            yield f"| {name} | {method} | {' | '.join(cells)} |"


def _kinds(found: Rows) -> Iterator[str]:
    """What the operations are, at k = 10."""
    names = ("groups", "joined", "QID+", "QID-", "SI+", "SI-")
    yield "| data | method | groups | joined rows | QID added | QID deleted | sensitive added | sensitive deleted |"
    yield f"|---|---|{'---:|' * len(names)}"
    for row in found:
        if row["k"] == 10 and row["method"] != "K-NN, STN order":
            cells = ("-" if row[name] is None else f"{row[name]:,.0f}" for name in names)
            yield f"| {row['data']} | {row['method']} | {' | '.join(cells)} |"


def _privacy(found: Rows, name: str) -> Iterator[str]:
    """One of P1's tables: published / ours, and I' of both."""
    yield f"| {name} | {' | '.join(f'K = {k}' for k in KS)} |"
    yield f"|---|{'---|' * len(KS)}"
    here = {(row["method"], row["k"]): row for row in found if row["data"] == name}
    for method in PRINTED:
        cells = []
        for k in KS:
            row = here.get((method, k), {"privacy value": None})
            ours, modified = ("-", "-") if row["privacy value"] is None else (_value(row["privacy value"]), row["I'"])
            told = modified if isinstance(modified, str) else f"{modified:.2f}"
            cells.append(
                f"{_value(published(name, method, k))} / **{ours}**<br>I' {implied(name, method, k):.2f} / **{told}**"
            )
        yield f"| {method} | {' | '.join(cells)} |"


def _value(value: float) -> str:
    return f"{value:.2E}"


def _bound(results: Rows) -> Iterator[str]:
    """Printed I' on D4 beside the most that is possible on ours."""
    yield f"| D4, I' | {' | '.join(f'k = {k}' for k in KS)} |"
    yield f"|---|{'---:|' * len(KS)}"
    for method in ("STN", "GSC", "K-NN"):
        printed = (implied("D4", method, k) for k in KS)
        yield f"| published, {method} | {' | '.join(f'{one:.1f}' for one in printed)} |"
    cells = []
    for k in KS:
        most = [row["most I'"] for row in results if (row["data"], row["method"], row["k"]) == ("D4", "STN", k)]
        cells.append(f"{min(most):.1f} to {max(most):.1f}" if most else "-")
    yield f"| the most that is possible, by run | {' | '.join(cells)} |"


def compared(results: Rows, name: str, first: str, second: str, measure: str) -> str:
    """In how many of the runs and k the first has less than the second; and by how much the means differ."""
    at = {(r["method"], r["run"], r["k"]): r[measure] for r in results if r["data"] == name and r["verified"]}
    pairs = [(at[first, run, k], at[second, run, k]) for m, run, k in at if m == first and (second, run, k) in at]
    if not pairs:
        return "-"
    found = {(row["method"], row["k"]): row[measure] for row in means(results) if row["data"] == name}
    ks = dict.fromkeys(k for _, k in found)
    shares = [100 * (found[first, k] / found[second, k] - 1) for k in ks]
    equal = sum(a == b for a, b in pairs)
    same = f", same in {equal}" if equal else ""
    return f"{sum(a < b for a, b in pairs)} of {len(pairs)}{same} ({min(shares):+.1f} to {max(shares):+.1f} %)"


def _claims(results: Rows) -> Iterator[str]:
    """Pairs of methods, and growth with k."""
    yield f"| claim | first < second in | {' | '.join(SETS)} |"
    yield f"|---|---|{'---|' * len(SETS)}"
    pairs = [
        ("a", "K-NN", "STN", "seconds"),
        ("a", "K-NN", "GSC", "seconds"),
        ("c", "GSC", "STN", "operations"),
        ("c", "K-NN", "STN", "operations"),
        ("c", "K-NN", "GSC", "operations"),
        ("e", "GSC", "STN", "KL"),
        ("e", "K-NN", "STN", "KL"),
        ("e", "K-NN", "GSC", "KL"),
        ("f", "K-NN, GSC order", "K-NN", "operations"),
        ("f", "K-NN, GSC order", "K-NN, STN order", "operations"),
        ("f", "K-NN, GSC order", "K-NN", "KL"),
        ("f", "K-NN, GSC order", "K-NN, STN order", "KL"),
    ]
    lines = []
    for claim, first, second, measure in pairs:
        cells = (compared(results, name, first, second, measure) for name in SETS)
        lines.append(f"| {claim} | {measure}: {first} < {second} | {' | '.join(cells)} |")
    found = means(results)
    for claim, method, measure, sign in (
        ("b", "STN", "seconds", -1),
        *(("d", method, "operations", 1) for method in ("STN", "GSC", "K-NN")),
    ):
        way = "rise" if sign > 0 else "fall"
        cells = (_steps(found, name, method, measure, sign) for name in SETS)
        lines.append(f"| {claim} | {measure} of {method} {way} from k to the next | {' | '.join(cells)} |")
    yield from sorted(lines, key=lambda line: line[:4])


def _steps(found: Rows, name: str, method: str, measure: str, sign: int) -> str:
    """How many steps go the way of the sign, and from what to what."""
    values = [row[measure] for row in found if (row["data"], row["method"]) == (name, method)]
    if not values:
        return "-"
    steps = [sign * (after - before) > 0 for before, after in pairwise(values)]
    first, last = (f"{v * 1_000:.1f} ms" if measure == "seconds" else f"{v:,.0f}" for v in (values[0], values[-1]))
    return f"{sum(steps)} of {len(steps)} ({first} to {last})"


def _privacy_claims(found: Rows) -> Iterator[str]:
    """For how many k each claim about privacy values holds, in P1's own tables and here."""
    yield f"| claim (g), of {len(KS)} k: published / ours | {' | '.join(SETS)} |"
    yield f"|---|{'---|' * len(SETS)}"
    three, rivals = ("STN", "GSC", "K-NN"), ("Sort APX Cover", "GraySort")
    tests: list[tuple[str, Callable[[dict[str, float]], bool]]] = [
        *((f"{method} above {rival}", partial(_above, method, rival)) for rival in rivals for method in three),
        *((f"{method} highest of all", partial(_extreme, max, method)) for method in three),
        *((f"{method} lowest of all", partial(_extreme, min, method)) for method in rivals),
    ]
    ours = {(row["data"], row["method"], row["k"]): row["privacy value"] for row in found}
    for title, holds in tests:
        cells = []
        for name in SETS:
            printed = sum(holds({m: published(name, m, k) for m in PRINTED}) for k in KS)
            seen = [{m: ours[name, m, k] for m in PRINTED if ours.get((name, m, k)) is not None} for k in KS]
            whole = [at for at in seen if len(at) == len(PRINTED)]
            cells.append(f"{printed} / {sum(holds(at) for at in whole) if whole else '-'}")
        yield f"| {title} | {' | '.join(cells)} |"


def _above(first: str, second: str, at: dict[str, float]) -> bool:
    return at[first] > at[second]


def _extreme(which: Callable[[Iterable[float]], float], method: str, at: dict[str, float]) -> bool:
    return at[method] == which(at.values())


def _variants(results: Rows) -> Iterator[str]:
    """The same pairs under other options."""
    pairs = (("GSC", "STN"), ("K-NN", "STN"), ("K-NN", "GSC"), ("K-NN, GSC order", "K-NN"))
    titles = " | ".join(f"{first} < {second}" for first, second in pairs)
    yield f"| operations | sensitive share | short of others at | I' of GSC, k = 3, 20 | {titles} |"
    yield f"|---|---|---|---|{'---|' * len(pairs)}"
    for name in dict.fromkeys(row["data"] for row in results):
        here = [row for row in results if row["data"] == name]
        share = _range([100 * row["share"] for row in here], ".1f")
        short = sorted({row["k"] for row in here if row["sensitive rows"] * row["k"] > row["rows"]})
        cells = (compared(results, name, first, second, "operations") for first, second in pairs)
        told = f"k = {', '.join(map(str, short))}" if short else "none"
        modified = [
            statistics.fmean(row["I'"] for row in here if (row["method"], row["k"]) == ("GSC", k)) for k in (3, 20)
        ]
        yield f"| {name} | {share} % | {told} | {modified[0]:.1f}, {modified[1]:.1f} | {' | '.join(cells)} |"
