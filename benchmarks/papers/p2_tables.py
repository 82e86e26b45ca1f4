"""The tables of docs/research/papers/poulis-2013.md, and its sentences with figures."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from benchmarks.papers import fits
from benchmarks.papers.p2_claims import growing, pairs, seconds_of, times_as_fast
from benchmarks.papers.p2_figures import ERRORS, TRACED
from benchmarks.papers.p2_merges import ORDERS, TINY
from benchmarks.papers.p2_rows import (
    READINGS,
    RMERGE,
    Rows,
    by,
    means,
    named,
    over_k,
    reached,
    read,
    short,
)
from benchmarks.papers.verdict import Claim
from shoal.evaluation.results import Row

Found = Mapping[str, Rows]
NONE = "not measured"


def utility(rows: Rows) -> str:
    """All figures of runs over delta, means over the seeds, and how far these are apart."""
    errors = [f"ARE ({name[4:].replace('_', ',')})" for name in ERRORS]
    titles = ("clusters", "largest", "NCP of columns", "UL", "NCP of items", *errors, "ARE (0,2), bounded")
    spread = ("spread of UL", "spread of ARE (0,2)")
    lines = [
        f"| delta | method | seeds | {' | '.join((*titles, *spread))} |",
        f"|---:|---|{'---:|' * (len(titles) + 3)}",
    ]
    for (_, delta, method), some in _grouped(rows, lambda row: (row["bound"], row["delta"], row["method"])):
        done = [row for row in some if row["status"] == "ok"]
        start = f"| {delta:g} | {method} | {len(done)} |"
        if not done:
            lines.append(f"{start} cannot be reached |{' |' * (len(titles) + 1)}")
            continue
        names = ("clusters", "largest_class", "relational_ncp", "ul", "ncp", *ERRORS, "bounded_are_0_2")
        cells = [short(statistics.fmean(row[name] for row in done)) for name in names]
        apart = [_apart([row[name] for row in done]) for name in ("ul", "are_0_2")]
        lines.append(f"{start} {' | '.join((*cells, *apart))} |")
    return "\n".join(lines)


def _grouped(rows: Rows, key: Any) -> Iterator[tuple[Any, list[Row]]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    yield from sorted(groups.items())


def _apart(values: Sequence[float]) -> str:
    """From the least to the greatest, as a share of the mean."""
    return f"{100 * (max(values) - min(values)) / statistics.fmean(values):.1f} %" if len(values) > 1 else "-"


def runtime(fig7: Rows) -> str:
    """CPU seconds at each place, means over the seeds."""
    methods = ("Cl", *RMERGE)
    lines = [f"| records | k | {' | '.join(methods)} | RmR / RmT | first clusters |", f"|{'---:|' * 8}"]
    places = [row for row in fig7 if row["data"] == "informs"] + over_k(fig7)
    for (_, size, k), some in _grouped(places, lambda row: (row["data"], row["records"], row["k"])):
        if len({row["method"] for row in some}) < len(methods):
            continue  # not all of it is measured
        mean = {name: _mean(by(some, [name]), "search_cpu_seconds") for name in methods}
        cells = " | ".join(f"{mean[name]:.2f} s" for name in methods)
        first = _mean(by(some, ["Cl"]), "clusters")
        lines.append(f"| {size:,} | {k} | {cells} | {mean['RmR'] / mean['RmT']:.2f} | {first:,.0f} |")
    return "\n".join(lines)


def _mean(rows: Rows, what: str) -> float:
    return statistics.fmean(row[what] for row in rows)


def distances(fig7: Rows, exact: Rows) -> str:
    """BTD beside the loss of the union, and the bounds that none of them reaches."""
    titles = (
        "BTD",
        "baseline",
        "times as fast",
        "UL, BTD",
        "UL, baseline",
        "difference",
        "NCP of columns, BTD / baseline",
    )
    lines = [f"| method | delta | seeds | {' | '.join(titles)} |", f"|---|{'---:|' * 9}"]
    both = pairs(fig7, exact)
    few = [row for row in fig7 if row["data"] == "informs, few"]
    for (method, delta), some in _grouped(few, lambda row: (row["method"], row["delta"])):
        here = [pair for pair in both if (pair[0]["method"], pair[0]["delta"]) == (method, delta)]
        done = [row for row in some if row["status"] == "ok"]
        if not done:
            lines.append(f"| {method} | {delta:g} | 0 | cannot be reached |{' |' * 6}")
        elif not here:
            quick = f"{_mean(done, 'search_cpu_seconds'):.2f} s | not measured"
            lines.append(f"| {method} | {delta:g} | {len(done)} | {quick} | | {_mean(done, 'ul'):.4f} | | | |")
        else:
            fast, slow = ([pair[at] for pair in here] for at in (0, 1))
            ratio = statistics.fmean(times_as_fast(*pair) for pair in here)
            more = statistics.fmean(100 * (one["ul"] / other["ul"] - 1) for one, other in here)
            lines.append(
                f"| {method} | {delta:g} | {len(here)} | {_mean(fast, 'search_cpu_seconds'):.2f} s "
                f"| {statistics.fmean(map(seconds_of, slow)):.2f} s | {ratio:.0f} "
                f"| {_mean(fast, 'ul'):.4f} | {_mean(slow, 'ul'):.4f} "
                f"| {more:+.1f} % | {_mean(fast, 'relational_ncp'):.4f} / {_mean(slow, 'relational_ncp'):.4f} |"
            )
    return "\n".join(lines)


def merges(traces: Rows) -> str:
    """How UL went, by reading, data set and order; all seeds together."""
    titles = ("UL at first", "UL at last", "lowest UL", "merges that raised UL", "by at most")
    lines = [f"| reading | data | partner by | seeds | merges | {' | '.join(titles)} |", f"|---|---|---|{'---:|' * 7}"]
    for reading, title in READINGS.items():
        for name, shown in TRACED.items():
            for order in ORDERS:
                place = (reading, name, order)
                points = [row for row in traces if (row["reading"], row["data"], row["by"]) == place]
                if not points:
                    continue
                runs = [some for _, some in _grouped(points, lambda row: row["seed"])]
                rises = [row["rise"] for row in points if row.get("rise", 0) > TINY]
                first, last, lowest = (
                    statistics.fmean(value(run) for run in runs)
                    for value in (lambda run: run[0]["ul"], lambda run: run[-1]["ul"], lambda run: min(_uls(run)))
                )
                done = sum(len(run) - 1 for run in runs)
                lines.append(
                    f"| {title} | {shown} | {order.upper()} | {len(runs)} | {done} | {first:.4f} | {last:.4f} "
                    f"| {lowest:.4f} | {len(rises)} | {max(rises, default=0):.5f} |"
                )
    return "\n".join(lines)


def _uls(rows: Iterable[Row]) -> list[float]:
    return [row["ul"] for row in rows]


def headlines(found: Found) -> str:
    """P2's numbers beside ours."""
    lines = [f"| | Poulis et al. 2013 | {' | '.join(READINGS.values())} |", "|---|---|---|---|"]

    def line(what: str, theirs: str, ours: Any) -> None:
        cells = [ours({name: read(rows, reading) for name, rows in found.items()}) for reading in READINGS]
        lines.append(f"| {what} | {theirs} | {' | '.join(cells)} |")

    for data, title, theirs, uls in (
        ("informs", "Informs", "about 23,000 of 36,553", "0.01 to 0.53"),
        ("videos", "YouTube, here generated", "about 92,000 of 131,780", "0.01 to 0.13"),
    ):
        line(f"largest cluster, {title} (Fig. 6a, b)", theirs, lambda rows, data=data: _largest(rows["fig4"], data))
        line(f"UL over delta, {title} (Fig. 6c, d)", uls, lambda rows, data=data: _range(rows["fig4"], data, "ul"))
    line("time for 10,000 records, k = 25 (Fig. 7a)", "up to about 168 s", lambda rows: _slowest(rows["fig7"]))
    line("RmT faster than RmR (Fig. 7b)", "up to 2.2 times", lambda rows: _faster(rows["fig7"]))
    line("BTD faster than the baselines (Fig. 7c, d)", "at least 10 times", _as_fast)
    line("UL of 4,000 records by merging (Fig. 7g)", "about 0.74 to 0.02", lambda rows: _trace(rows["merges"]))
    return "\n".join(lines)


def _largest(fig4: Rows, data: str) -> str:
    some = [row for row in reached(by(fig4, RMERGE)) if row["data"] == data]
    if not some:
        return NONE
    best = max(some, key=lambda row: row["largest_class"])
    return f"{best['largest_class']:,} of {best['records']:,}"


def _range(fig4: Rows, data: str, what: str) -> str:
    values = [row[what] for row in reached(by(fig4, RMERGE)) if row["data"] == data]
    return f"{min(values):.2f} to {max(values):.2f}" if values else NONE


def _slowest(fig7: Rows) -> str:
    times = [
        row["search_cpu_seconds"] for row in by(fig7, RMERGE) if (row["records"], row["data"]) == (10_000, "informs")
    ]
    return f"up to {max(times):.2f} s" if times else NONE


def _faster(fig7: Rows) -> str:
    slow, fast = (means(by(over_k(fig7), [name]), "k", "search_cpu_seconds") for name in ("RmR", "RmT"))
    ratios = [slow[k] / fast[k] for k in slow if k in fast]
    return f"{min(ratios):.2g} to {max(ratios):.2g} times" if ratios else NONE


def _as_fast(rows: Found) -> str:
    ratios = [times_as_fast(*pair) for pair in pairs(rows["fig7"], rows["exact"])]
    return f"{short(min(ratios))} to {short(max(ratios))} times" if ratios else NONE


def _trace(traces: Rows) -> str:
    points = [row for row in traces if row["data"] == "informs"]
    first = [row["ul"] for row in points if row["merges"] == 0]
    return f"{max(first):.2f} to {min(_uls(points)):.2f}" if points else NONE


def in_short(judged: Mapping[str, Sequence[Claim]]) -> str:
    """How many claims hold in each reading, and which ones the reading decides about."""
    lines = []
    for title, some in judged.items():
        open_ = [one for one in some if one.verdict == "cannot be judged here"]
        holds = [one for one in some if one.verdict == "holds"]
        depends = [one for one in some if one.verdict.startswith("depends")]
        lines.append(
            f"- **{title}**: of {len(some) - len(open_)} claims that can be judged, {len(holds)} hold, {len(depends)} "
            f"depend on the setting, {len(some) - len(open_) - len(holds) - len(depends)} do not hold."
        )
    for here, there in permutations(judged):
        only = [
            f"{one.place}: {_topic(judged[here], at)}"
            for at, (one, other) in enumerate(zip(judged[here], judged[there], strict=True))
            if one.verdict == "holds"
            and other.cells
            and other.verdict != "holds"
            and not one.says.startswith("the same")
        ]
        if only:
            lines.append(f"- Claims that hold with {here}, and not with {there}:")
            lines += [f"  - {text}" for text in only]
    return "\n".join(lines)


def _topic(claims: Sequence[Claim], at: int) -> str:
    """What a claim says; one that goes on from the one before, with that before it."""
    says = claims[at].says
    if at and says.startswith("the same"):
        return _topic(claims, at - 1)
    goes_on = says.startswith(("and ", "but ", "which ", "only ", "these "))
    return f"{_topic(claims, at - 1)}, {says}" if at and goes_on else says


def runs(found: Found, asked: int = 0) -> str:
    """How many runs and seeds there are, of those that the grids ask for, and what they took."""
    lines = []
    for reading, title in READINGS.items():
        rows = [row for row in read(found["fig4"], reading) if row["status"] == "ok"]
        seeds = {
            f"{named(data)}, {'Rum' if bound == 'r' else 'Tum'}-bound": len({row["seed"] for row in some})
            for (data, bound), some in _grouped(rows, lambda row: (row["data"], row["bound"]))
        }
        told = ", ".join(f"{name}: {count}" for name, count in seeds.items())
        diverse = len({row["seed"] for row in read(found["fig5"], reading)})
        lines.append(f"- Seeds, {title}: {told}; with sensitive items: {diverse}.")
    grids = [row for name in ("fig4", "fig5", "fig7", "exact") for row in found[name]]
    spent = sum(row.get("cpu_seconds") or 0 for row in grids)
    lines.append(
        f"- {len(grids)} runs, and {len(found['merges']):,} states of traces. Searching and verifying took "
        f"{spent / 60:.0f} CPU minutes. Reading, queries and bounds that cannot be reached come on top."
    )
    if asked > len(grids):
        lines.append(
            f"- **Not complete**: the grids ask for {asked} runs, and {asked - len(grids)} of them are not measured. "
            f"Claims without any run say so, and curves may lack places or seeds."
        )
    return "\n".join(lines)


def growth(fig7: Rows) -> str:
    """The powers of |D| that times grow with, and their 95 % intervals."""
    lines = [f"| reading | {' | '.join(RMERGE)} |", "|---|---:|---:|---:|"]
    for reading, title in READINGS.items():
        sizes = [row for row in read(fig7, reading) if row["data"] == "informs"]
        points = {name: growing(sizes, name) for name in RMERGE}
        cells = [fits.told(fits.exponent(some)) if len(some) > 2 else NONE for some in points.values()]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)
