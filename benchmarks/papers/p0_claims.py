"""What P0 says about its Figures 8 to 11, judged by our rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from benchmarks.papers.common import Claim
from benchmarks.papers.reading import Judged, Missing, claim, count, percent, pick, series, statistic, trend_text, value
from shoal.evaluation.results import Row

SETS = ("POS", "WV1", "WV2")
METHODS = ("oa", "da", "aa")
NODES = "counted_itemsets"
BY = {"label": "by id", "frequency": "by frequency"}
ROOT = "h=4 generalizes all to the root; elsewhere AA loses about 1 %"
Rows = Sequence[Row]


def claims(runs: Mapping[str, Rows]) -> list[Claim]:
    """All of them, in the order of the paper."""
    size, domain, known = runs["p0-fig8"], runs["p0-fig9"], runs["p0-fig10"]
    whole, order = runs["p0-fig11a"], runs["p0-order"]
    ks, heights, ms = runs["p0-fig11b"], runs["p0-fig11c"], runs["p0-fig11d"]
    return [
        claim("Fig. 8a-b", "OA and DA cost the same, as both build the whole count-tree", lambda: same_tree(size)),
        claim("Fig. 8b", "the count-tree is not very sensitive to |D|", lambda: insensitive(size)),
        claim("Fig. 8b", "AA counts much less at first and comes near the others as |D| grows", lambda: nears(size)),
        claim("Fig. 8c", "OA, DA and AA lose the same", lambda: same_loss(size, "data.rows", "|D|")),
        claim("Fig. 9a", "OA's cost is exponential in |I|", lambda: exponential(domain)),
        claim("Fig. 9b", "the whole tree grows faster than |I|, AA's less than it", lambda: trees(domain)),
        claim("Fig. 9c", "OA, DA and AA lose the same", lambda: same_loss(domain, "data.modulo", "|I|")),
        claim("Fig. 10b", "the whole tree grows exponentially with m, AA's far less", lambda: by_m(known)),
        claim("Fig. 10c", "DA and AA lose almost as little as the optimum", lambda: near_optimal(known)),
        claim("Fig. 11a", "AA loses at most 3 %; items by ascending id", lambda: three_percent(whole, "label")),
        claim("Fig. 11a", "AA loses at most 3 %; items by frequency", lambda: three_percent(whole, "frequency")),
        claim("Fig. 11a", "AA's time and tree are acceptable on the whole sets", lambda: acceptable(whole)),
        claim("Fig. 11b", "AA's cost is insensitive to k", lambda: flat_in_k(ks)),
        claim("Fig. 11c", "with fewer levels AA is faster and loses more", lambda: fewer_levels(heights)),
        claim("Fig. 11c", f"{ROOT}; items by ascending id", lambda: root_at_4(heights, "label")),
        claim("Fig. 11c", f"{ROOT}; items by frequency", lambda: root_at_4(heights, "frequency")),
        claim("Fig. 11d", "AA's cost grows with m, its loss slightly", lambda: slightly(ms)),
        claim("Fig. 11, s.5.2", "for data of this size the optimum is out of reach", lambda: out_of_reach(whole)),
        claim("Order", "the order of the items does not matter: it is not told", lambda: no_matter(order)),
    ]


def same_tree(rows: Rows) -> Judged:
    """Ours walks the tree and does not build it, so it may well count less."""
    whole, walked = (series(rows, "data.rows", NODES, algorithm=name) for name in ("oa", "da"))
    shares = {at: walked[at] / whole[at] for at in whole}
    seen = f"our DA walks the tree without building it: it counts {trend_text(shares, '|D|')} of OA's tree"
    return all(share == 1 for share in shares.values()), seen


def insensitive(rows: Rows) -> Judged:
    """The tree grows by less than half as much as the data."""
    nodes = series(rows, "data.rows", NODES, algorithm="oa")
    first, last = min(nodes), max(nodes)
    seen = f"{last / first:.1f} times the records make {nodes[last] / nodes[first]:.2f} times the nodes"
    return nodes[last] / nodes[first] < last / first / 2, f"{seen} ({count(nodes[first])} to {count(nodes[last])})"


def nears(rows: Rows) -> Judged:
    """AA's share of the whole tree: below a half at first, and rising."""
    whole, ours = (series(rows, "data.rows", NODES, algorithm=name) for name in ("oa", "aa"))
    shares = {at: ours[at] / whole[at] for at in whole}
    values = list(shares.values())
    seen = f"AA counts {trend_text(shares, '|D|')} of the whole tree"
    return values[0] < 0.5 and values == sorted(values) and values[-1] > values[0], seen


def same_loss(rows: Rows, across: str, axis: str) -> Judged:
    """All three methods, everywhere."""
    losses = {name: series(rows, across, "ncp", algorithm=name) for name in METHODS}
    best = losses["oa"]
    worse = {
        f"{name.upper()} at {axis}={at:g}": loss[at] - best[at]
        for name, loss in losses.items()
        for at in best
        if abs(loss[at] - best[at]) > 1e-12
    }
    seen = f"OA loses {trend_text(best, axis)}"
    apart = ", ".join(f"{name} {100 * more:.2g} points more" for name, more in worse.items())
    return not worse, f"{seen}; {apart or 'DA and AA the same'}"


def exponential(rows: Rows) -> Judged:
    """Cuts that OA looks at: equal steps of |I| multiply them by more than 2."""
    cuts = {row["data.modulo"]: statistic(row, "cuts") for row in pick(rows, algorithm="oa", status="ok")}
    if len(cuts) < 3 or None in cuts.values():
        raise Missing("OA's cuts")
    values = [float(cuts[at] or 0) for at in sorted(cuts)]
    steps = [after / before for before, after in pairwise(values)]
    seen = ", ".join(f"{count(one)} cuts at |I|={at}" for at, one in zip(sorted(cuts), values, strict=True))
    return all(step > 2 for step in steps), f"OA looks at {seen}"


def trees(rows: Rows) -> Judged:
    """Growth from the smallest to the largest domain."""
    grown = {}
    for name in ("oa", "aa"):
        nodes = series(rows, "data.modulo", NODES, algorithm=name)
        first, last = min(nodes), max(nodes)
        grown[name] = nodes[last] / nodes[first]
    ratio = last / first
    seen = f"{ratio:.2f} times the items: the whole tree {grown['oa']:.2f} times as large, AA's {grown['aa']:.2f} times"
    return grown["oa"] > ratio and grown["aa"] < grown["oa"], seen


def by_m(rows: Rows) -> Judged:
    """Each further item multiplies the whole tree by more than 2; AA's grows less from m=1 to the end."""
    whole, ours = (series(pick(rows, status="ok"), "m", NODES, algorithm=name) for name in ("oa", "aa"))
    shared = [m for m in whole if m in ours]
    steps = [whole[b] / whole[a] for a, b in pairwise(shared)]
    if not steps:
        raise Missing("OA at more than one m")
    growth = [nodes[shared[-1]] / nodes[shared[0]] for nodes in (whole, ours)]
    span = f"m={shared[0]:g} to {shared[-1]:g}"
    seen = f"{span}: the whole tree {growth[0]:,.0f} times as large, AA's {growth[1]:,.0f} times"
    return all(step > 2 for step in steps) and growth[1] < growth[0] / 2, seen


def near_optimal(rows: Rows) -> Judged:
    """Within one point of percent of the proved optimum."""
    best = series(rows, "m", "ncp", algorithm="optimal")
    above = {name: series(rows, "m", "ncp", algorithm=name) for name in ("da", "aa")}
    most = {name: max(loss[m] - best[m] for m in best) for name, loss in above.items()}
    more = f"at most {100 * most['da']:.2g} points more by DA, {100 * most['aa']:.2g} by AA"
    seen = f"optimum {trend_text(best, 'm')}; {more}"
    return max(most.values()) < 0.01, seen


def three_percent(rows: Rows, order: str) -> Judged:
    """AA on all three sets; the optimum tells whether any method could."""
    here = pick(rows, data_order=order)
    loss = {name: value(here, "ncp", data=name, algorithm="aa") for name in SETS}
    best = {name: optimum(pick(here, data=name)) for name in SETS}
    seen = ", ".join(f"{name} {percent(loss[name])} ({best[name]})" for name in SETS)
    return max(loss.values()) <= 0.03, seen


def optimum(rows: Rows) -> str:
    """The least loss of any cut, for people; without a proof what is proved about it."""
    bound = value(rows, "lower_bound", algorithm="optimal")
    loss = value(rows, "ncp", algorithm="optimal")
    return f"optimum {percent(loss)}" if _proved(rows) else f"optimum at least {percent(bound)}, not proved in time"


def _proved(rows: Rows) -> bool:
    return all(row["ended"] == "proven" for row in pick(rows, algorithm="optimal"))


def acceptable(rows: Rows) -> Judged:
    """Less than a minute, and less than ten million label sets."""
    ours = pick(rows, algorithm="aa")
    if len(ours) != 6 or any(row["status"] != "ok" for row in ours):
        raise Missing("AA on the whole sets")
    seconds, nodes = max(row["cpu_seconds"] for row in ours), max(row[NODES] for row in ours)
    return (
        seconds < 60 and nodes < 10_000_000,
        f"at most {seconds:.1f} CPU seconds and {count(nodes)} label sets counted",
    )


def flat_in_k(rows: Rows) -> Judged:
    """Less than twofold over all k, in both orders."""
    seen, flat = [], True
    for order in ("label", "frequency"):
        nodes = series(rows, "k", NODES, algorithm="aa", data_order=order)
        flat = flat and max(nodes.values()) < 2 * min(nodes.values())
        seen.append(f"{BY[order]}: " + trend_text(nodes, "k", count))
    return flat, "label sets counted " + "; ".join(seen)


def fewer_levels(rows: Rows) -> Judged:
    """From the lowest hierarchy to the highest: more is counted, less is lost."""
    seen, so = [], True
    for order in ("label", "frequency"):
        nodes, loss = (_by_height(rows, what, order) for what in (NODES, "ncp"))
        low, high = min(nodes), max(nodes)
        so = so and nodes[low] < nodes[high] and loss[low] > loss[high]
        seen.append(
            f"{BY[order]}: h={low:g} to {high:g}: {count(nodes[low])} to {count(nodes[high])} label sets, "
            f"{percent(loss[low])} to {percent(loss[high])} lost"
        )
    return so, "; ".join(seen)


def root_at_4(rows: Rows, order: str) -> Judged:
    """All at the root is a loss of 1; about 1 % is up to 2 %. The optimum tells whether AA is to blame."""
    loss = _by_height(rows, "ncp", order)
    best = optimum(pick(rows, height=3, data_order=order))
    return loss.get(4, 0.0) > 0.99 and max(one for h, one in loss.items() if h != 4) <= 0.02, (
        f"{trend_text(loss, 'h')}; at h=4 {best}"
    )


def _by_height(rows: Rows, what: str, order: str) -> dict[float, float]:
    """AA's figures by the number of levels."""
    figures = series(pick(rows, status="ok"), "height", what, algorithm="aa", data_order=order)
    return {height + 1: figure for height, figure in figures.items()}


def slightly(rows: Rows) -> Judged:
    """Counting and loss rise with m; the loss stays below 3 %."""
    seen, so = [], True
    for order in ("label", "frequency"):
        nodes, loss = (
            list(series(rows, "m", what, algorithm="aa", data_order=order).items()) for what in (NODES, "ncp")
        )
        rising = all([one for _, one in points] == sorted(one for _, one in points) for points in (nodes, loss))
        so = so and rising and loss[-1][1] <= 0.03
        seen.append(f"{BY[order]}: {trend_text(dict(loss), 'm')}; {trend_text(dict(nodes), 'm', count)} label sets")
    return so, "; ".join(seen)


def out_of_reach(rows: Rows) -> Judged:
    """Said of all data of this size, so one proof refutes it; how many proofs did not end in time is told."""
    best = pick(rows, algorithm="optimal", status="ok")
    proved = [row for row in best if row["ended"] == "proven"]
    if not best:
        raise Missing("the optimum on the whole sets")
    unneeded = [
        row["gap"]
        for row in pick(rows, algorithm="aa", status="ok")
        if _proved(pick(rows, data=row["data"], data_order=row["data.order"])) and row.get("gap") is not None
    ]
    seconds = max((row["cpu_seconds"] for row in proved), default=0.0)
    seen = f"`optimal` proves {len(proved)} of {len(best)}, in at most {seconds:.1f} CPU seconds"
    return not proved, f"{seen}; of AA's loss up to {percent(max(unneeded, default=0.0))} is unneeded"


def no_matter(rows: Rows) -> Judged:
    """The optimum's loss by id over that by frequency, at k=5, m=3."""
    ratios = {}
    for name in SETS:
        here = pick(rows, data=name, k=5, m=3, algorithm="optimal")
        if not _proved(here):
            raise Missing(f"a proof for {name}")
        by_id, by_frequency = (value(here, "ncp", data_order=order) for order in ("label", "frequency"))
        ratios[name] = (by_id, by_frequency)
    seen = ", ".join(
        f"{name} {percent(a)} by id, {percent(b)} by frequency ({a / b:.1f} times)" for name, (a, b) in ratios.items()
    )
    return all(0.8 < a / b < 1.25 for a, b in ratios.values()), f"proved optima at k=5, m=3: {seen}"
