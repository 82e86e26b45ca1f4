"""What P3 says about frequent itemsets in what is published (Fig. 20 to 22), tried in our rows."""

from __future__ import annotations

from benchmarks.papers import fits
from benchmarks.papers.curves import changes, linear, powers
from benchmarks.papers.p3_rows import SETS, across_sets, with_levels
from benchmarks.papers.reading import Missing, Rows, pick, series, times, tried, value
from benchmarks.papers.verdict import FLAT, Claim

FEW = 0.1  # "low in general": at most a tenth of the itemsets


def mined_sets(rows: Rows) -> list[Claim]:
    """Fig. 20."""
    two = with_levels([row for row in rows if row["algorithm"] in ("aa", "vpa")])
    return [
        *(
            tried(
                "Fig. 20",
                f"{title} follows the NCP of Fig. 14",
                across_sets(two),
                lambda r, what=what: _agreement(r, what),  # type: ignore[misc]
                lambda found: found["agree"] >= 0.75,
                about="pairs of data sets and methods that both measures rank alike",
            )
            for title, what in (("ML²", "ml2"), ("dML²", "dml2_missed"))
        ),
        tried(
            "Fig. 20",
            "The percentage of frequent itemsets that are detected only at a more generalized level is low in general",
            two,
            lambda r: {name.upper(): value(r, "ml2", algorithm=name) for name in ("aa", "vpa")},
            lambda one: one <= FEW,
            about="we call up to 10 % low",
            axis="method",
        ),
        tried(
            "Fig. 20",
            "They are found only 1 or 2 levels above",
            two,
            lambda r: {name.upper(): value(r, "dml2_missed", algorithm=name) for name in ("aa", "vpa")},
            lambda one: one <= 2,
            show=times,
            about="mean number of levels",
            axis="method",
        ),
    ]


def mined(ks: Rows, ms: Rows) -> list[Claim]:
    """Fig. 21 and 22."""
    curves: tuple[tuple[str, Rows], ...] = (("k", ks), ("m", ms))
    return [
        *(
            tried(
                "Fig. 21",
                f"{title} grows linearly with {across}",
                rows,
                lambda r, across=across, what=what: powers(r, ("aa", "vpa"), across, what),  # type: ignore[misc]
                linear,
                show=fits.told,
                about=f"exponents over {across}, with 95 % intervals",
                axis="method",
            )
            for title, what in (("ML²", "ml2_2"), ("NCP", "ncp"))
            for across, rows in curves
        ),
        *(
            tried(
                "Fig. 21",
                f"ML² grows with {across}",
                rows,
                lambda r, across=across: {  # type: ignore[misc]
                    f"{name.upper()} {across}={at:g}": one
                    for name in ("aa", "vpa")
                    for at, one in changes(series(r, across, "ml2_2", algorithm=name)).items()
                },
                lambda one: one >= 0,
                about="percentage points more than at the value before",
                axis="step",
            )
            for across, rows in curves
        ),
        tried(
            "Fig. 21",
            "ML² decreases as the support threshold grows",
            pick(ks, k=5),
            lambda r: {
                f"{name.upper()} {threshold} %": one
                for name in ("aa", "vpa")
                for threshold, one in changes(_by_threshold(r, name, "ml2")).items()
            },
            lambda one: one <= 0,
            about="percentage points more than at the threshold before",
            axis="step",
        ),
        tried(
            "Fig. 22",
            "Apart from m = 1, dML² does not demonstrate great volatility",
            [*(row for row in ms if row["m"] != 1), *(row for row in ks if row["k"] != 5)],
            _levels,
            lambda found: max(found.values()) < FLAT * min(found.values()),
            show=times,
            about="mean number of levels",
        ),
    ]


def _by_threshold(rows: Rows, name: str, what: str) -> dict[float, float]:
    return {threshold: value(rows, f"{what}_{threshold}", algorithm=name) for threshold in (1, 2, 3)}


def _agreement(rows: Rows, what: str) -> dict[str, float]:
    """The share of pairs that two measures rank alike; ties of either are left out."""
    places = [(data, name) for data in SETS for name in ("aa", "vpa")]
    found = [tuple(value(pick(rows, set=data), one, algorithm=name) for one in (what, "ncp")) for data, name in places]
    signs = [
        (a[0] - b[0]) * (a[1] - b[1]) for at, a in enumerate(found) for b in found[:at] if a[0] != b[0] and a[1] != b[1]
    ]
    if not signs:
        raise Missing("pairs")
    return {"agree": sum(sign > 0 for sign in signs) / len(signs)}


def _levels(rows: Rows) -> dict[str, float]:
    """How much higher missed itemsets are found, by k and m, at a support of 2 %."""
    found = {
        f"{row['algorithm'].upper()} k={row['k']:g} m={row['m']:g}": row["dml2_missed_2"]
        for row in rows
        if row["algorithm"] in ("aa", "vpa") and row.get("dml2_missed_2")
    }
    if not found:
        raise Missing("itemsets that are missed")
    return found
