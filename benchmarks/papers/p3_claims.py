"""What P3 says about its Figures 14 to 23, judged by our rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.papers.common import Claim
from benchmarks.papers.reading import Judged, Missing, claim, count, percent, pick, series, statistic, trend_text, value
from shoal.evaluation.results import Row

SETS = ("POS", "WV1", "WV2")
NODES = "counted_itemsets"
BY = {"label": "by id", "frequency": "by frequency"}
SIMILAR = 1.25  # times as much, up to which two losses are called similar
Rows = Sequence[Row]


def claims(runs: Mapping[str, Rows]) -> list[Claim]:
    """All of them, in the order of the paper."""
    sets, ks, ms, heights = (runs[f"p3-fig{n}"] for n in (14, 15, 16, 17))
    parts, mined, swept, full = (runs[f"p3-fig{n}"] for n in (18, 20, 21, 23))
    return [
        *by_order(sets, "label", "items by id"),
        *by_order(sets, "frequency", "items by frequency"),
        claim("Fig. 15b", "VPA counts less than AA and LRA at every k", lambda: least_along(ks, "k")),
        claim("Fig. 15b", "at a very large k all count little", lambda: little(ks)),
        claim("Fig. 15c", "at k=1000 LRA and VPA lose much more than AA", lambda: far_at_last(ks)),
        claim("Fig. 16b", "as m grows, LRA and VPA scale better than AA", lambda: scale(ms)),
        claim("Fig. 16c", "LRA and VPA lose about as much as AA at every m", lambda: similar_along(ms, "m")),
        claim("Fig. 17c", "more levels, less loss", lambda: finer(heights)),
        claim("Fig. 17b", "more levels, more to count; VPA counts least", lambda: more_levels(heights)),
        claim("Fig. 18a-b", "more parts: less to count at once, and more loss", lambda: more_parts(parts)),
        claim("Fig. 18c", "flexibility hardly matters for LRA", lambda: hardly(parts, "lra", "flexibility", 10)),
        claim("Fig. 18d", "the level hardly matters for VPA", lambda: hardly(parts, "vpa", "level", 1)),
        claim("Fig. 19", "LRA gains little by working at once, VPA more", lambda: at_once(parts)),
        claim("Fig. 20", "few frequent itemsets are missed", lambda: few(mined)),
        claim("Fig. 20", "those missed are found 1 or 2 levels higher", lambda: one_or_two(mined)),
        claim("Fig. 20", "ML² follows the NCP of Fig. 14", lambda: follows(mined)),
        claim("Fig. 21", "ML² grows with k and m (the paper: linearly; that is not judged)", lambda: grows(swept)),
        claim("Fig. 21", "ML² falls as the threshold of support grows", lambda: falls(swept)),
        claim("Fig. 22", "dML² hardly changes, apart from m=1", lambda: steady(swept)),
        claim("Fig. 23", "VPA loses less than Partition for small m, more for large m", lambda: crossing(full)),
        claim("Fig. 23", "at m=3 VPA loses less than Partition at every k", lambda: keeps(full)),
        claim("Fig. 23", "Partition is much faster than VPA", lambda: faster(full)),
    ]


def by_order(sets: Rows, order: str, by: str) -> list[Claim]:
    """Fig. 14 under one order of the items."""
    return [
        claim("Fig. 14c", f"LRA loses only slightly more than AA; {by}", lambda: close(sets, "lra", order)),
        claim("Fig. 14b", f"LRA counts more than AA, most of all on WV1; {by}", lambda: heavy(sets, order)),
        claim("Fig. 14b", f"VPA counts less than AA and LRA; {by}", lambda: least(sets, order)),
        claim("Fig. 14c", f"VPA loses about as much as AA; {by}", lambda: close(sets, "vpa", order)),
    ]


def close(rows: Rows, name: str, order: str) -> Judged:
    """At most a quarter more than AA on every set."""
    here = pick(rows, data_order=order)
    loss = {
        data: (value(here, "ncp", data=data, algorithm=name), value(here, "ncp", data=data, algorithm="aa"))
        for data in SETS
    }
    seen = ", ".join(f"{data} {percent(one)} beside {percent(aa)}" for data, (one, aa) in loss.items())
    return all(one <= SIMILAR * aa for one, aa in loss.values()), seen


def heavy(rows: Rows, order: str) -> Judged:
    """The ratio is above 1 on every set and largest on WV1."""
    here = pick(rows, data_order=order)
    ratio = {
        data: value(here, NODES, data=data, algorithm="lra") / value(here, NODES, data=data, algorithm="aa")
        for data in SETS
    }
    seen = ", ".join(f"{data} {one:.2f}" for data, one in ratio.items())
    return min(ratio.values()) > 1 and max(ratio, key=lambda data: ratio[data]) == "WV1", f"times as many as AA: {seen}"


def least(rows: Rows, order: str) -> Judged:
    """On every set."""
    here = pick(rows, data_order=order)
    nodes = {
        data: {name: value(here, NODES, data=data, algorithm=name) for name in ("vpa", "aa", "lra")} for data in SETS
    }
    seen = "; ".join(
        f"{data} VPA {count(n['vpa'])}, AA {count(n['aa'])}, LRA {count(n['lra'])}" for data, n in nodes.items()
    )
    return all(n["vpa"] < min(n["aa"], n["lra"]) for n in nodes.values()), seen


def three(rows: Rows, across: str, what: str) -> dict[str, dict[float, float]]:
    """AA, LRA and VPA along an axis."""
    return {name: series(rows, across, what, algorithm=name) for name in ("aa", "lra", "vpa")}


def least_along(rows: Rows, across: str) -> Judged:
    """VPA below both others everywhere."""
    nodes = three(rows, across, NODES)
    shares = {at: nodes["vpa"][at] / min(nodes["aa"][at], nodes["lra"][at]) for at in nodes["aa"]}
    return all(
        one < 1 for one in shares.values()
    ), f"VPA counts {trend_text(shares, across)} of the better of the others"


def little(rows: Rows) -> Judged:
    """Less than a quarter of what is counted at the smallest k."""
    nodes = three(rows, "k", NODES)
    shares = {name: one[max(one)] / one[min(one)] for name, one in nodes.items()}
    seen = ", ".join(f"{name.upper()} {percent(share)}" for name, share in shares.items())
    return max(shares.values()) < 0.25, f"of what is counted at the smallest k: {seen}"


def far_at_last(rows: Rows) -> Judged:
    """More than a quarter above AA at the largest k."""
    loss = three(rows, "k", "ncp")
    last = max(loss["aa"])
    seen = ", ".join(f"{name.upper()} {percent(one[last])}" for name, one in loss.items())
    return min(loss["lra"][last], loss["vpa"][last]) > SIMILAR * loss["aa"][last], f"at k={last:g}: {seen}"


def scale(rows: Rows) -> Judged:
    """Counted from the least m to the largest."""
    nodes = three(rows, "m", NODES)
    grown = {name: one[max(one)] / one[min(one)] for name, one in nodes.items()}
    seen = ", ".join(f"{name.upper()} {one:,.0f} times" for name, one in grown.items())
    return max(grown["lra"], grown["vpa"]) < grown["aa"], f"from m={min(nodes['aa']):g} to {max(nodes['aa']):g}: {seen}"


def similar_along(rows: Rows, across: str) -> Judged:
    """At most a quarter more than AA, everywhere."""
    loss = three(rows, across, "ncp")
    ratio = {name: {at: _times(loss[name][at], loss["aa"][at]) for at in loss["aa"]} for name in ("lra", "vpa")}
    seen = "; ".join(f"{name.upper()} {trend_text(one, across, lambda x: f'{x:.2f}')}" for name, one in ratio.items())
    return all(x <= SIMILAR for one in ratio.values() for x in one.values()), f"times AA's loss: {seen}"


def _times(one: float, other: float) -> float:
    """How many times as much; nothing beside nothing is as much."""
    return one / other if other else 1.0 if not one else float("inf")


def finer(rows: Rows) -> Judged:
    """Every further level, for all three."""
    loss = three(rows, "height", "ncp")
    levels = {name: {height + 1: one for height, one in points.items()} for name, points in loss.items()}
    seen = "; ".join(f"{name.upper()} {trend_text(points, 'h')}" for name, points in levels.items())
    return all(list(one.values()) == sorted(one.values(), reverse=True) for one in loss.values()), seen


def more_levels(rows: Rows) -> Judged:
    """Ends of the axis for growth; everywhere for VPA."""
    nodes = three(rows, "height", NODES)
    seen = ", ".join(f"{name.upper()} {count(one[min(one)])} to {count(one[max(one)])}" for name, one in nodes.items())
    rising = all(one[max(one)] > one[min(one)] for one in nodes.values())
    lowest = all(nodes["vpa"][at] < min(nodes["aa"][at], nodes["lra"][at]) for at in nodes["aa"])
    return rising and lowest, f"h={min(nodes['aa']) + 1:g} to {max(nodes['aa']) + 1:g}: {seen}"


USUAL = {"chunks": 3, "parts": 3, "flexibility": 10, "level": 1}  # what the paper's other figures have


def as_usual(row: Row, *, but: str) -> bool:
    """Whether all options but one are told as usual, or not at all."""
    options = {name: row.get(f"algorithm.{name}") for name in USUAL if name != but}
    return all(value in (None, USUAL[name]) for name, value in options.items())


def along(rows: Rows, name: str, option: str, usual: float) -> list[Row]:
    """Runs of a method that differ in one option alone; what is not told has its usual value."""
    runs = [row for row in pick(rows, algorithm=name) if as_usual(row, but=option)]
    return [
        {**row, option: usual if row.get(f"algorithm.{option}") is None else row[f"algorithm.{option}"]} for row in runs
    ]


def more_parts(rows: Rows) -> Judged:
    """From the fewest parts to the most: counted falls, loss rises; ups and downs between are the paper's, too."""
    seen, so = [], True
    for name, option in (("lra", "chunks"), ("vpa", "parts")):
        here = along(rows, name, option, 3)
        nodes, loss = (series(here, option, what) for what in (NODES, "ncp"))
        first, last = min(nodes), max(nodes)
        so = so and nodes[last] < nodes[first] and loss[last] >= loss[first]
        seen.append(
            f"{name.upper()}, {first:g} to {last:g}: {count(nodes[first])} to {count(nodes[last])} label sets, "
            f"{percent(loss[first])} to {percent(loss[last])} lost"
        )
    return so, "; ".join(seen)


def hardly(rows: Rows, name: str, option: str, usual: float) -> Judged:
    """At most a quarter between the least and the largest loss."""
    loss = series(along(rows, name, option, usual), option, "ncp")
    return max(loss.values()) <= SIMILAR * min(loss.values()), trend_text(loss, option)


def gain(row: Row) -> float | None:
    """All that is counted, over what must be counted one after the other when all parts are counted at once."""
    whole, last = statistic(row, "count_tree_nodes_in_all"), statistic(row, "count_tree_nodes_at_last") or 0
    name = "count_tree_nodes" if row["algorithm"] == "lra" else "count_tree_nodes_of_parts"
    largest = statistic(row, name)
    return None if whole is None or largest is None or not largest + last else whole / (largest + last)


def at_once(rows: Rows) -> Judged:
    """LRA below 1.5 with 3 chunks, VPA above LRA."""
    gains = {}
    for name, option in (("lra", "chunks"), ("vpa", "parts")):
        here = {row[option]: gain(row) for row in along(rows, name, option, 3)}
        usual = here.get(3)
        if usual is None:
            raise Missing(f"{name} with 3 parts")
        gains[name] = usual
    seen = f"3 parts at once could be {gains['lra']:.2f} times as fast by LRA, {gains['vpa']:.2f} times by VPA (counts)"
    return gains["lra"] < 1.5 and gains["vpa"] > gains["lra"], seen


def _mined(rows: Rows, what: str) -> dict[str, float]:
    return {
        f"{data}, {name.upper()}, {BY[order]}": value(rows, what, data=data, algorithm=name, data_order=order)
        for data in SETS
        for name in ("aa", "vpa")
        for order in ("label", "frequency")
    }


def few(rows: Rows) -> Judged:
    """At most a tenth."""
    missed = _mined(rows, "ml2")
    return max(missed.values()) <= 0.1, ", ".join(f"{name} {percent(one)}" for name, one in missed.items())


def one_or_two(rows: Rows) -> Judged:
    """Of those that are missed at all."""
    levels = {name: one for name, one in _mined(rows, "dml2_missed").items() if one}
    if not levels:
        return True, "none is missed"
    return max(levels.values()) <= 2, ", ".join(f"{name} {one:.2f}" for name, one in levels.items())


def follows(rows: Rows) -> Judged:
    """The sets rank alike by ML2 and by NCP, for each method and order."""
    seen, so = [], True
    for name in ("aa", "vpa"):
        for order in ("label", "frequency"):
            here = pick(rows, algorithm=name, data_order=order)
            losses = [{data: value(here, what, data=data) for data in SETS} for what in ("ml2", "ncp")]
            ranks = [sorted(SETS, key=loss.__getitem__) for loss in losses]
            so = so and ranks[0] == ranks[1]
            seen.append(f"{name.upper()}, {BY[order]}: {' < '.join(ranks[0])} by ML², {' < '.join(ranks[1])} by NCP")
    return so, "; ".join(seen)


def grows(rows: Rows) -> Judged:
    """Never falls along either axis, and rises from end to end."""
    seen, so = [], True
    for name in ("aa", "vpa"):
        for across, fixed in (("k", {"m": 3}), ("m", {"k": 5})):
            loss = series(pick(rows, algorithm=name, **fixed), across, "ml2_2")
            values = list(loss.values())
            so = so and values == sorted(values) and values[-1] > values[0]
            seen.append(f"{name.upper()} {trend_text(loss, across)}")
    return so, "; ".join(seen)


def _by_threshold(rows: Rows, name: str, what: str) -> dict[float, float]:
    here = pick(rows, algorithm=name, k=5, m=3)
    return {threshold: value(here, f"{what}_{threshold}", algorithm=name) for threshold in (1, 2, 3)}


def falls(rows: Rows) -> Judged:
    """At k=5, m=3."""
    seen, so = [], True
    for name in ("aa", "vpa"):
        loss = _by_threshold(rows, name, "ml2")
        so = so and list(loss.values()) == sorted(loss.values(), reverse=True)
        seen.append(f"{name.upper()} {', '.join(f'{percent(one)} at {at} %' for at, one in loss.items())}")
    return so, "; ".join(seen)


def steady(rows: Rows) -> Judged:
    """At most a half more from the least to the largest, where anything is missed; without m=1."""
    levels = [
        *(row.get("dml2_missed_2") for row in rows if row["m"] != 1),
        *(row.get(f"dml2_missed_{threshold}") for row in pick(rows, k=5, m=3) for threshold in (1, 3)),
    ]
    if not levels or None in levels:
        raise Missing("dML²")
    known = [float(one) for one in levels if one]
    if not known:
        return True, "none is missed"
    return max(known) <= 1.5 * min(known), f"{min(known):.2f} to {max(known):.2f} levels"


def crossing(rows: Rows) -> Judged:
    """VPA's curve crosses Partition's line."""
    loss = series(pick(rows, model="km", k=5, status="ok"), "m", "ncp", algorithm="vpa")
    line = value(rows, "ncp", model="transactional-k", k=5)
    seen = f"Partition {percent(line)}; VPA {trend_text(loss, 'm')}"
    return loss[min(loss)] < line < loss[max(loss)], seen


def keeps(rows: Rows) -> Judged:
    """At every k that was tried."""
    ours = series(pick(rows, model="km", m=3), "k", "ncp", algorithm="vpa")
    full = series(pick(rows, model="transactional-k"), "k", "ncp", algorithm="partition")
    seen = f"VPA {trend_text(ours, 'k')}; Partition {trend_text(full, 'k')}"
    return all(ours[k] < full[k] for k in full), seen


def faster(rows: Rows) -> Judged:
    """By half or more, at the largest m that VPA ended at."""
    times = series(pick(rows, model="km", k=5, status="ok"), "m", "cpu_seconds", algorithm="vpa")
    line = value(rows, "cpu_seconds", model="transactional-k", k=5)
    seen = f"Partition {line:.2f} CPU seconds, VPA {trend_text(times, 'm', lambda one: f'{one:.2f}')}"
    return all(line < one / 2 for one in times.values()), seen
