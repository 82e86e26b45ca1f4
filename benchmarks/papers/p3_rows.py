"""The rows of P3's grids: readings of LRA, default options, gains by working at once."""

from __future__ import annotations

from benchmarks.papers.reading import Missing, Rows, pick, statistic
from shoal.evaluation.results import Row

SETS = ("POS", "WV1", "WV2")
THREE = ("aa", "lra", "vpa")
READINGS = {"hierarchy": "bits as in the hierarchy", "frequent-first": "bits by frequency"}  # of LRA's Gray code
# What the paper's other figures have, and our reading of the bits.
USUAL = {"chunks": 3, "parts": 3, "flexibility": 10, "level": 1, "bit_order": "hierarchy"}


def by_reading(rows: Rows) -> list[Row]:
    """The runs with default options, once for each reading of LRA's Gray code."""
    return [
        {**row, "reading": title}
        for bits, title in READINGS.items()
        for row in rows
        if as_usual(row, but="bit_order")
        and (row["algorithm"] != "lra" or (row.get("algorithm.bit_order") or "hierarchy") == bits)
    ]


def usual(rows: Rows) -> list[Row]:
    """The runs at k=5, m=3, fanout 5 with the paper's default options."""
    return [row for row in pick(rows, k=5, m=3, data_fanout=5) if as_usual(row)]


def across_sets(rows: Rows) -> list[Row]:
    """The rows with all data sets in one setting: each set of full size beside each seed of the generated one."""
    fixed = [row for row in rows if row.get("data.seed") is None]
    drawn = [row for row in rows if row.get("data.seed") is not None]
    places = {(row["data.rows"], row["data.seed"]) for row in drawn}
    copies = [{**row, "data.rows": size, "data.seed": seed} for size, seed in sorted(places) for row in fixed]
    return [{**row, "set": row["data"], "data": "three sets"} for row in (*drawn, *copies)]


def with_h(rows: Rows) -> list[Row]:
    """The rows with the number of levels, as the paper counts them."""
    return [{**row, "h": None if row.get("height") is None else row["height"] + 1} for row in rows if row.get("height")]


def as_usual(row: Row, *, but: str = "") -> bool:
    """Whether all options but one have the paper's default, or are not given."""
    options = {name: row.get(f"algorithm.{name}") for name in USUAL if name != but}
    return all(value in (None, USUAL[name]) for name, value in options.items())


def along(rows: Rows, name: str, option: str) -> list[Row]:
    """Runs of a method that differ in one option alone; what is not given has its default."""
    runs = [row for row in pick(rows, algorithm=name) if as_usual(row, but=option)]
    default = USUAL[option]
    return [
        {**row, option: default if row.get(f"algorithm.{option}") is None else row[f"algorithm.{option}"]}
        for row in runs
    ]


def gain(row: Row) -> float | None:
    """All nodes that are built, over those that are built one after the other when all parts are built at once."""
    whole, last = (statistic(row, f"count_tree_nodes_built_{name}") for name in ("in_all", "at_last"))
    name = "count_tree_nodes_built" if row["algorithm"] == "lra" else "count_tree_nodes_built_of_parts"
    largest = statistic(row, name)
    return None if whole is None or not largest else whole / (largest + (last or 0))


def gain_of(rows: Rows, name: str, option: str) -> float:
    """The gain of the paper's default number of parts."""
    here = [row for row in pick(rows, algorithm=name) if as_usual(row, but="bit_order")]
    found = gain(here[0]) if len(here) == 1 else None
    if found is None:
        raise Missing(f"{name} with 3 {option}")
    return found


def with_levels(rows: Rows) -> list[Row]:
    """The rows with dML² as the mean over the thresholds at which an itemset is missed; None if none is."""
    levels = [[one for at in (1, 2, 3) if (one := row.get(f"dml2_missed_{at}"))] for row in rows]
    return [{**row, "dml2_missed": sum(one) / len(one) if one else None} for row, one in zip(rows, levels, strict=True)]
