"""What the release of a known method gives away beyond its labels: every original of a tiny domain is tried.

Four non-empty records over a1, a2, b below R{A{a1, a2}, b} have 7^4 = 2,401 possible originals, all equally likely. The
method makes a release from each. An intruder sees one release, knows the method with its options, and at most m items
of a record. The originals from which the method makes exactly this release tell how likely each record is the one.
The definition of k^m-anonymity allows any of at least k records; here it is looked at whether one is likelier than 1/k.

Methods for tables with sets get a column besides, with the values 1, 1, 2, 2 in any order. Its value is known, too.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pandas

import shoal
from shoal.algorithms.base import Algorithm
from shoal.engines import Engine
from shoal.models.base import PrivacyModel
from shoal.options import changed

RECORDS, K, M = 4, 2, 2
COLUMN = ("1", "1", "2", "2")
TREE = shoal.Hierarchy.from_tree({"R": {"A": ["a1", "a2"], "b": []}})
QUIET = Engine(1)

Row = frozenset[str]
Rows = tuple[Row, ...]

SETS: list[Row] = [frozenset(some) for size in (1, 2, 3) for some in itertools.combinations(TREE.items, size)]
KM, BOTH, SAME = shoal.Km(k=K, m=M), shoal.KKm(k=K, m=M), shoal.models.TransactionalK(k=K)
CUTS = (
    shoal.algorithms.AA(),
    shoal.algorithms.DA(),
    shoal.algorithms.OA(),
    shoal.algorithms.Optimal(),
    shoal.algorithms.Auto(),
    shoal.algorithms.VPA(),
)
LOCAL = (
    shoal.algorithms.LRA(),
    shoal.algorithms.LRA(chunks=2, flexibility=1),
    shoal.algorithms.LRA(chunks=2, flexibility=0),
)
SUPPRESSING = (
    shoal.algorithms.HgHs(),
    shoal.algorithms.MHgHs(),
    shoal.algorithms.OptimalSuppress(time_limit="none"),
    shoal.algorithms.MM(),
)
CLUSTERS = (
    shoal.algorithms.Rfirst,
    shoal.algorithms.Tfirst,
    shoal.algorithms.RmergeR,
    shoal.algorithms.RmergeT,
    shoal.algorithms.RmergeRT,
)
MERGES = (shoal.algorithms.TmergeR, shoal.algorithms.TmergeT, shoal.algorithms.TmergeRT)
METHODS: tuple[tuple[Algorithm, PrivacyModel], ...] = (
    *((method, KM) for method in (*CUTS, *LOCAL, *SUPPRESSING)),
    (shoal.algorithms.Partition(), SAME),
    *((method(), BOTH) for method in (*CLUSTERS, *MERGES)),
)


@dataclass(frozen=True)
class Intruder:
    """Somebody who sees a release and knows some items of a record, and how surely that record is found."""

    release: Rows
    known: Row
    record: int  # the likeliest
    surely: Fraction


def originals(model: PrivacyModel) -> Iterator[Rows]:
    """All that are possible; with a column, its value is one more item of each record."""
    columns = sorted(set(itertools.permutations(COLUMN))) if model is BOTH else [()]
    for column, rows in itertools.product(columns, itertools.product(SETS, repeat=RECORDS)):
        yield tuple(row | {value} for row, value in zip(rows, column, strict=True)) if column else rows


def released(rows: Rows, method: Algorithm, model: PrivacyModel) -> Rows:
    """A release, record by record."""
    sets = [sorted(row - {*COLUMN}) for row in rows]
    if model is not BOTH:
        release = shoal.anonymize(shoal.Problem(shoal.read(sets), TREE, model), algorithm=method, engine=QUIET)
        return tuple(frozenset(row) for row in release.published.rows.sets())
    table = pandas.DataFrame({"x": [int(min(row & {*COLUMN})) for row in rows], "items": sets})
    release = shoal.anonymize(
        shoal.Problem(shoal.read(table, sets="items"), TREE, model), algorithm=method, engine=QUIET
    )
    assert release.dataset.table is not None
    column = release.dataset.table.arrow.column("x").to_pylist()
    return tuple(frozenset({*row, str(x)}) for row, x in zip(release.published.rows.sets(), column, strict=True))


def worlds(method: Algorithm, model: PrivacyModel) -> dict[Rows, list[Rows]]:
    """Every possible release, with the originals that it is made from."""
    originals_of: dict[Rows, list[Rows]] = defaultdict(list)
    for rows in originals(model):
        originals_of[released(rows, method, model)].append(rows)
    return originals_of


def knowledge(model: PrivacyModel) -> list[Row]:
    """What an intruder may know: up to m items, whole records for transactional k-anonymity; and the column."""
    sets = [known for known in SETS if len(known) <= M or model is SAME]
    return [known | {value} for known in sets for value in sorted({*COLUMN})] if model is BOTH else sets


def intruders(releases: dict[Rows, list[Rows]], model: PrivacyModel) -> Iterator[Intruder]:
    """Everybody whose knowledge fits some record."""
    for release, made_from in releases.items():
        for known in knowledge(model):
            fits = [sum(known <= rows[record] for rows in made_from) for record in range(RECORDS)]
            if total := sum(fits):
                yield Intruder(release, known, fits.index(max(fits)), Fraction(max(fits), total))


def rows() -> Iterator[dict[str, Any]]:
    """A line for each method."""
    for method, model in METHODS:
        releases = worlds(method, model)
        everybody = list(intruders(releases, model))
        yield {
            "method": " ".join([method.name, *(f"{name}={value}" for name, value in changed(method).items())]),
            "model": model.name,
            "releases": len(releases),
            "intruders": len(everybody),
            "above 1/k": sum(one.surely > Fraction(1, K) for one in everybody),
            "surest": str(max(one.surely for one in everybody)),
        }
