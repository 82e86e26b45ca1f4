"""Which records GSC and K-NN may take, as P1 can be read: the same rows under the paper's names, and tables of them.

QT are P1's non-sensitive transactions. STN takes from QT in every reading.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shoal.evaluation.results import Row

READINGS: Mapping[str, tuple[str, str]] = {  # what GSC and K-NN are
    "both from QT": ("GSC (QT)", "K-NN (QT)"),
    "GSC from its pool": ("GSC (pool)", "K-NN (QT)"),
    "GSC from all": ("GSC (all)", "K-NN (QT)"),
    "both from all": ("GSC (all)", "K-NN (all)"),
}
KINDS = {
    "groups": "groups",
    "joined_rows": "joined rows",
    "qid_additions": "QID added",
    "qid_deletions": "QID deleted",
    "sensitive_additions": "sensitive added",
    "sensitive_deletions": "sensitive deleted",
}
MEANS = ("operations", "kl", "kl_mean", "privacy_value", "modified_items", *KINDS)


@dataclass(frozen=True)
class Pairs:
    """In how many of the runs and k the first has less than the second, and by how many percent the means differ."""

    less: int
    same: int
    total: int
    low: float
    high: float

    def __str__(self) -> str:
        same = f", same in {self.same}" if self.same else ""
        return f"{self.less} of {self.total}{same} ({self.low:+.1f} to {self.high:+.1f} %)"


def compared(results: Sequence[Row], name: str, first: str, second: str, measure: str = "operations") -> Pairs:
    """Two methods on the same rows."""
    at = {(row["method"], row["k"], row["seed"]): row[measure] for row in results if row["data"] == name}
    both = {(k, seed): (value, at[second, k, seed]) for (method, k, seed), value in at.items() if method == first}
    sums = {k: [sum(side) for side in zip(*(v for (j, _), v in both.items() if j == k), strict=True)] for k, _ in both}
    shares = [100 * (a / b - 1) for a, b in sums.values()]
    less, same = sum(a < b for a, b in both.values()), sum(a == b for a, b in both.values())
    return Pairs(less, same, len(both), min(shares), max(shares))


def read(results: Sequence[Row], reading: str) -> list[Row]:
    """The rows of a reading, by the names that the paper has for its methods."""
    gsc, knn = READINGS[reading]
    names = {gsc: "GSC", knn: "K-NN", f"{knn}, GSC order": "K-NN, GSC order", f"{knn}, STN order": "K-NN, STN order"}
    others = ("STN", "GraySort", "Sort APX Cover")
    names |= {name: name for name in others}
    return [{**row, "method": names[row["method"]]} for row in results if row["method"] in names]


def means(results: Sequence[Row]) -> list[Row]:
    """Over the seeds of each data set, method and k: means."""
    cells: dict[tuple[str, str, int], list[Row]] = {}
    for row in results:
        cells.setdefault((row["data"], row["method"], row["k"]), []).append(row)
    return [
        {"data": name, "method": method, "k": k, "ms": statistics.fmean(row["ms"] for row in some)}
        | {measure: statistics.fmean(row.get(measure) or 0 for row in some) for measure in MEANS}
        for (name, method, k), some in cells.items()
    ]


def spread(values: Sequence[float], form: str) -> str:
    """Mean (least to most)."""
    if min(values) == max(values):
        return format(values[0], form)
    return f"{statistics.fmean(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def variants(results: Sequence[Row], drawn: Sequence[Row]) -> Iterator[str]:
    """Pairs of methods on other data."""
    pairs = [(first, "STN") for first in ("GSC (QT)", "GSC (all)", "K-NN (QT)", "K-NN (all)")]
    pairs += [(f"K-NN ({some})", f"GSC ({some})") for some in ("QT", "all")]
    pairs += [(f"K-NN ({some}), GSC order", f"K-NN ({some})") for some in ("QT", "all")]
    titles = " | ".join(f"{first} < {second}" for first, second in pairs)
    yield f"| operations | sensitive share | short of others at | I' of GSC (QT), k = 3, 20 | {titles} |"
    yield f"|---|---|---|---|{'---|' * len(pairs)}"
    averages = {(row["data"], row["method"], row["k"]): row for row in means(results)}
    for name in dict.fromkeys(row["data"] for row in results):
        here = [row for row in drawn if row["data"] == name]
        cells = (compared(results, name, first, second) for first, second in pairs)
        modified = ", ".join(f"{averages[name, 'GSC (QT)', k]['modified_items']:.1f}" for k in (3, 20))
        share, short = spread([row["share"] for row in here], ".1f"), short_at(results, here)
        few = f"k = {', '.join(map(str, short))}" if short else "none"
        yield f"| {name} | {share} % | {few} | {modified} | {' | '.join(map(str, cells))} |"


def short_at(results: Sequence[Row], drawn: Sequence[Row]) -> list[int]:
    """The k at which some run has too few rows without sensitive items."""
    return [
        k
        for k in sorted({row["k"] for row in results})
        if any(row["sensitive rows"] * k > row["rows"] for row in drawn)
    ]


def shortages(results: Sequence[Row], drawn: Sequence[Row]) -> Iterator[str]:
    """STN where rows without sensitive items run out: both ways out."""
    yield "| data | k | groups, fill | groups, merge | operations, fill | operations, merge | merge < fill |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for name in dict.fromkeys(row["data"] for row in results if row["method"] == "STN, merge"):
        for k in short_at(results, [row for row in drawn if row["data"] == name]):
            here = [row for row in results if (row["data"], row["k"]) == (name, k)]
            at = {row["method"]: row for row in means(here)}
            cells = [f"{at[way][what]:,.0f}" for what in ("groups", "operations") for way in ("STN", "STN, merge")]
            pairs = compared(here, name, "STN, merge", "STN")
            cells.append(f"{pairs.less} of {pairs.total} ({pairs.low:+.1f} %)")
            yield f"| {name} | {k} | {' | '.join(cells)} |"


def whole(results: Sequence[Row], drawn: Sequence[Row]) -> Iterator[str]:
    """Whole data sets: what was changed, and how much of what is published as sensitive is true."""
    yield "| data | k | method | groups | operations | by run | sensitive items added | true of those published |"
    yield "|---|---:|---|---:|---:|---|---:|---:|"
    for row in means(results):
        place = (row["data"], row["k"], row["method"])
        runs = [one["operations"] for one in results if (one["data"], one["k"], one["method"]) == place]
        yield (
            f"| {row['data']} | {row['k']} | {row['method']} | {row['groups']:,.0f} | {row['operations']:,.0f} | "
            f"{', '.join(f'{run:,.0f}' for run in runs)} | {row['sensitive_additions']:,.0f} | "
            f"{true_share(row, drawn)} |"
        )


def true_share(row: Row, drawn: Sequence[Row]) -> str:
    """How many of the sensitive items that are published are true, if none is deleted."""
    held = statistics.fmean(one["sensitive items"] for one in drawn if one["data"] == row["data"])
    return f"{100 * held / (held + row['sensitive_additions']):.0f} %"
