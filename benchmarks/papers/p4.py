"""P4: generalization with suppression (mHgHs) beside cuts (AA), local recoding (LG) and suppression (MM).

``python -m benchmarks papers p4`` runs the grids, draws the figures and fills research/papers/liu-2010.md. All four are
compiled. Times are CPU times of the search, which is what the paper compares: the machine is shared, and seconds on the
clock tell how busy it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from benchmarks.papers import common, p4_example, verdict
from benchmarks.papers.p4_cells import (
    AOL,
    FOUR,
    NAMES,
    POS,
    Cells,
    Place,
    cells,
    loss,
    named,
    percent,
    span,
    times,
    values_of,
)
from benchmarks.papers.p4_claims import LARGE, beyond, claims, counted, tried
from benchmarks.papers.p4_plots import draw, draw_growth
from benchmarks.papers.verdict import Claim
from shoal.evaluation.results import Row

PAGE = common.PAGES / f"{common.PAPERS['p4']}.md"
GRIDS = ("p4-pos", "p4-sparse", "p4-fig3")
STANDS_FOR = {
    POS: ("BMS-POS", "generated, with the sizes and the skew of BMS-POS, at full size"),
    AOL: (
        "the first of ten subsets of the AOL log",
        "a tenth of the baskets of a grocer; the items are single products",
    ),
    "groceries": ("-", "a month of a grocer; the items are kinds of products"),
    "bms-webview-1": ("-", "click streams"),
    "bms-webview-2": ("-", "click streams"),
}
HIERARCHIES = {"ids": "fanout 5, items by id", "frequency": "fanout 5, items by frequency", "real": "real"}


def write(again: bool) -> None:
    """Measure what is not known yet, draw the figures and fill the page."""
    measured = {name: common.rows(name, again=again) for name in (*GRIDS, "p4-growth")}
    grown = measured.pop("p4-growth")
    results = cells([row for rows in measured.values() for row in rows])
    common.IMAGES.mkdir(parents=True, exist_ok=True)
    draw(results)
    draw_growth(grown)
    made = claims(results, grown)
    texts = {
        "summary": verdict.summary(made),
        "data": "\n".join(_data(results)),
        "headline": headline(results),
        "claims": verdict.table(made),
        "findings": findings(results),
        "example": p4_example.page(),
        "rivals": "\n".join(_rivals(results)),
        "ours": verdict.table(ours(results), "what one may hope"),
        "seconds": "\n".join(_seconds(results)),
        "growth": "\n".join(_growth(grown)),
        "spread": "\n".join(_spread(results)),
        "table": "\n".join(_table(results)),
        "time": told_time([*(row for rows in measured.values() for row in rows), *grown]),
    }
    for mark, text in texts.items():
        common.put(PAGE, mark, text)


def ours(results: Cells) -> list[Claim]:
    """What the optima tell, where they were searched for."""

    def where(place: Place) -> bool:
        return "optimal-suppress" in results[place]

    joint = {place: at for place, at in results.items() if where(place)}
    proved = {place: at for place, at in joint.items() if at["optimal-suppress"]["ended"] == "proven"}
    excess = [
        mine / best - 1
        for at in results.values()
        if (mine := loss(at, "mHgHs")) is not None and (best := loss(at, "optimal"))
    ]
    rivals = ("AA", "optimal", "MM", "mHgHs")

    def least(at: Mapping[str, Row]) -> bool | None:
        mine = loss(at, "optimal-suppress")
        known = [value for name in rivals if (value := loss(at, name)) is not None]
        return None if mine is None else mine <= min(known)

    def equal(at: Mapping[str, Row]) -> bool | None:
        return None if loss(at, "mHgHs") is None else loss(at, "mHgHs") == loss(at, "optimal-suppress")

    return [
        Claim(
            "joint optimum",
            "Where `optimal-suppress` is proved, it loses no more than AA, `optimal`, MM or mHgHs",
            tried(proved, least),
            f"proved in {len(proved)} of {len(joint)} cells; "
            + counted(joint, "optimal-suppress", ["optimal", "mHgHs"], "less", lambda _: True),
            always=True,
        ),
        Claim(
            "mHgHs",
            "It finds the joint optimum",
            tried(proved, equal),
            "where that is proved",
        ),
        Claim(
            "mHgHs",
            "It never loses more than the best cut alone",
            tried(results, beyond("mHgHs", ["optimal"], -1)),
            f"up to {percent(max(excess, default=0))} more",
            always=True,
        ),
        Claim(
            "LG",
            "No local recoding loses less than the joint optimum",
            tried(joint, beyond("LG", ["optimal-suppress"], 1)),
            counted(joint, "LG", ["optimal-suppress"], "less", lambda _: True),
            always=True,
        ),
    ]


def headline(results: Cells) -> str:
    """The paper's own numbers beside ours."""

    def some(name: str, data: str, where: Callable[[Place], bool]) -> str:
        here = (at for place, at in results.items() if place.data == data and where(place))
        return span([value for at in here if (value := loss(at, name)) is not None], percent)

    def large(k: int) -> Callable[[Place], bool]:
        return lambda place: place.k == k and place.m >= LARGE

    few, many = large(5), large(50)
    lines = [
        ("MM, m >= 2, POS", "7.5 % to 70 %", some("MM", POS, lambda place: place.m >= 2)),
        ("MM, m >= 2, AOL", "46 % to 96 %", some("MM", AOL, lambda place: place.m >= 2)),
        ("AA, m = 1, k = 5, AOL", "around 39 %", some("AA", AOL, lambda place: (place.m, place.k) == (1, 5))),
        ("AA, m = 1, k = 50, AOL", "around 39 %", some("AA", AOL, lambda place: (place.m, place.k) == (1, 50))),
        ("AA, all m, AOL", "around 39 %", some("AA", AOL, lambda _: True)),
        ("mHgHs, all cases, AOL", "under 10 %", some("mHgHs", AOL, lambda _: True)),
        ("LG, worst case, AOL", "27 %", some("LG", AOL, lambda _: True)),
        ("mHgHs, k = 5, m >= 5, AOL", "7.9 %", some("mHgHs", AOL, few)),
        ("LG, k = 5, AOL", "12 %", some("LG", AOL, few)),
        ("mHgHs, k = 50, m >= 5, AOL", "9 %", some("mHgHs", AOL, many)),
        ("LG, k = 50, AOL", "17 %", some("LG", AOL, many)),
    ]
    head = "| NCP of | the paper | here, on the stand-in |\n|---|---:|---:|\n"
    return head + "\n".join(f"| {what} | {theirs} | {mine} |" for what, theirs, mine in lines)


def findings(results: Cells) -> str:
    """What stands behind the verdicts, in sentences with figures."""
    lines = []
    for data, name in ((POS, "On POS's shape"), (AOL, "On the sparse stand-in for AOL")):
        here = {place: at for place, at in results.items() if place.data == data}
        parts = [f"{one} {span(values_of(here, one), percent)}" for one in FOUR]
        lines.append(f"- **{name}** ({len(here)} cells) the losses are: {', '.join(parts)}.")
        tops = sum(loss(at, "AA") == 1 for at in here.values())
        gone = [at["mHgHs"]["suppressed"] for at in here.values() if loss(at, "mHgHs") is not None]
        if tops:
            lines.append(
                f"  In {tops} of its {len(here)} cells AA ends at the root, which tells nothing: a few rare items "
                "drag all others up, as the paper says. mHgHs removes "
                f"{span(gone, percent)} of the items there instead."
            )
    for other in ("LG", "AA"):
        worse = [place for place, at in results.items() if beyond("mHgHs", [other], -1)(at) is False]
        by = {name: sum(place.data == name for place in worse) for name in dict.fromkeys(one.data for one in worse)}
        told = ", ".join(f"{name} {count}" for name, count in by.items())
        lines.append(
            f"- **mHgHs loses more than {other}** in {len(worse)} of {len(results)} cells"
            + (f" ({told}); the least m among them is {min(place.m for place in worse)}." if worse else ".")
        )
    orders = [
        (loss(at, "mHgHs"), loss(results[frequent], "mHgHs"))
        for place, at in results.items()
        if place.order == "ids" and (frequent := replace(place, order="frequency")) in results
    ]
    known = [(ids, frequency) for ids, frequency in orders if ids is not None and frequency]
    if known:
        ratios = [ids / frequency for ids, frequency in known]
        lines.append(
            "- **The order of the items** below an artificial hierarchy matters: by frequency mHgHs loses less "
            f"in {sum(one > 1 for one in ratios)} of {len(ratios)} pairs of cells; the loss with ids is "
            f"{span(ratios, times)} times that with items by frequency."
        )
    return "\n".join(lines)


def _data(results: Cells) -> Iterator[str]:
    """What the cells are about."""
    yield "| here | what it is | stands for | records | items in use | mean size | hierarchy | seeds |"
    yield "|---|---|---|---:|---:|---:|---|---:|"
    for data in dict.fromkeys(place.data for place in results):
        here = {place: at for place, at in results.items() if place.data == data}
        rows = [row for at in here.values() for row in at.values() if row["records"] is not None]
        orders = ", ".join(HIERARCHIES[order] for order in dict.fromkeys(place.order for place in here))
        paper, what = STANDS_FOR.get(data, ("-", "-"))
        yield (
            f"| `{data}` | {what} | {paper} | {span([row['records'] for row in rows], '{:,}')} | "
            f"{span([row['items'] for row in rows], '{:,}')} | {span([row['mean_size'] for row in rows], '{:.2f}')} | "
            f"{orders} | {len({place.seed for place in here})} |"
        )


def _rivals(results: Cells) -> Iterator[str]:
    """mHgHs against each of the others, in cells."""
    yield "| against | mHgHs loses less | the same | more | not ended, or not run |"
    yield "|---|---:|---:|---|---:|"
    for other in ("MM", "AA", "LG", "optimal"):
        pairs = {place: (loss(at, "mHgHs"), loss(at, other)) for place, at in results.items()}
        known = {place: (a, b) for place, (a, b) in pairs.items() if a is not None and b is not None}
        more = [place for place, (a, b) in known.items() if a > b]
        by = {
            one: [place for place in more if (place.data, place.order) == one]
            for one in dict.fromkeys((p.data, p.order) for p in more)
        }
        named = "; ".join(f"{data} ({order}) {len(some)}" for (data, order), some in by.items())
        less, same = (sum(test(a, b) for a, b in known.values()) for test in (float.__lt__, float.__eq__))
        yield f"| {other} | {less} | {same} | {len(more)}{': ' + named if named else ''} | {len(pairs) - len(known)} |"


def _spread(results: Cells) -> Iterator[str]:
    """NCP from the least to the largest of the seeds, on generated data."""
    yield "| data | k | m | seeds | " + " | ".join(FOUR) + " |"
    yield "|---|---:|---:|---:|" + "---|" * len(FOUR)
    groups: dict[tuple[str, str, int, int], list[Mapping[str, Row]]] = {}
    for place, at in results.items():
        groups.setdefault((place.data, place.order, place.k, place.m), []).append(at)
    for (data, order, k, m), some in groups.items():
        if len(some) > 1:
            texts = (span([v for at in some if (v := loss(at, name)) is not None], "{:.4f}") for name in FOUR)
            yield f"| {data} ({order}) | {k} | {m} | {len(some)} | {' | '.join(texts)} |"


def _table(results: Cells) -> Iterator[str]:
    """All cells."""
    yield f"| data | order | seed | k | m | {' | '.join(NAMES.values())} |"
    yield f"|---|---|---:|---:|---:|{'---|' * len(NAMES)}"
    for place, at in results.items():
        least = min(row["ncp"] for row in at.values() if row["ncp"] is not None)
        texts = (_cell(at[method], least) if method in at else "-" for method in NAMES.values())
        yield f"| {place.data} | {place.order} | {place.seed} | {place.k} | {place.m} | {' | '.join(texts)} |"


def _cell(row: Row, least: float) -> str:
    """Loss (the least of its line in bold), CPU time of the search, and what is proved or suppressed."""
    if row["ncp"] is None:
        return str(row["error"]).partition(":")[0].removeprefix("mm would have to weigh ")
    told = f"**{row['ncp']:.5f}**" if row["ncp"] == least else f"{row['ncp']:.5f}"
    proof = ""
    if row["ended"]:
        proof = " proven" if row["ended"] == "proven" else f" gap {1 - row['lower_bound'] / row['value']:.1%}"
    gone = f"; {row['suppressed']:.2%} removed".replace("%", " %") if row["suppressed"] else ""
    return f"{told}{proof}<br>{row['search_cpu_seconds']:.2f} s{gone}"


def _seconds(results: Cells) -> Iterator[str]:
    """CPU time of the search over m on the stand-ins for the paper's data."""
    shown = [place for place in results if place.data in (POS, AOL) and place.order != "frequency" and place.seed <= 1]
    yield f"| data | k | m | {' | '.join(FOUR)} |"
    yield f"|---|---:|---:|{'---:|' * len(FOUR)}"
    for place in shown:
        texts = []
        for name in FOUR:
            row = results[place].get(name)
            value = row["search_cpu_seconds"] if row else None
            texts.append("-" if row is None else row["error"].partition(":")[0] if value is None else f"{value:.2f} s")
        short = (text.replace("mm would have to weigh more than", "over").replace("of items", "") for text in texts)
        yield f"| {place.data} | {place.k} | {place.m} | {' | '.join(short)} |"


def _growth(grown: Sequence[Row]) -> Iterator[str]:
    """CPU time and loss by records."""
    names = list(dict.fromkeys((NAMES[row["algorithm"]], row["m"]) for row in grown))
    yield f"| records | {' | '.join(named(*name) for name in names)} |"
    yield f"|---:|{'---|' * len(names)}"
    sizes = sorted({row["data.rows"] for row in grown})
    at = {(row["data.rows"], NAMES[row["algorithm"]], row["m"]): row for row in grown}
    for size in sizes:
        texts = []
        for name in names:
            row = at[size, *name]
            ended = row["ncp"] is not None
            texts.append(f"{row['search_cpu_seconds']:.2f} s, {row['ncp']:.4f}" if ended else _cell(row, 0))
        yield f"| {size:,} | {' | '.join(texts)} |"


def told_time(rows: Sequence[Row]) -> str:
    """How long all grids take."""
    ended = [row["cpu_seconds"] for row in rows if row["cpu_seconds"] is not None]
    late = [row for row in rows if row["status"] == "time limit"]
    limits = sum(float(row["error"].split()[1]) for row in late)
    open_ = (
        f" Another {len(late)} runs did not end within their limits, {limits / 60:.0f} minutes in all." if late else ""
    )
    return (
        f"All {len(rows)} runs take {sum(ended) / 60:.0f} minutes of CPU time on one core, reading and generating data "
        f"not counted.{open_}"
    )
