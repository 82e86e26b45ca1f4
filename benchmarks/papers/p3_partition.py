"""What P3 says about VPA beside Partition (Fig. 23), tried in our rows."""

from __future__ import annotations

from benchmarks.papers.reading import Rows, pick, series, times, tried, value
from benchmarks.papers.verdict import MUCH, Claim

SEARCH = "search_cpu_seconds"


def beside_partition(rows: Rows) -> list[Claim]:
    """Fig. 23."""

    def full(r: Rows, what: str, k: int = 5) -> float:
        return value(r, what, model="transactional-k", k=k)

    def vpa(r: Rows, what: str) -> dict[float, float]:
        return series(pick(r, model="km", k=5), "m", what, algorithm="vpa")

    return [
        tried(
            "Fig. 23a",
            "VPA incurs less information loss than Partition for a small m",
            rows,
            lambda r: {m: one / full(r, "ncp") for m, one in vpa(r, "ncp").items() if m <= 3},
            lambda one: one < 1,
            show=times,
            about="VPA's loss over Partition's",
            axis="m",
        ),
        tried(
            "Fig. 23a",
            "The picture is reversed for a large m: Partition outperforms VPA from m = 5 on",
            rows,
            lambda r: {m: one / full(r, "ncp") for m, one in vpa(r, "ncp").items() if m >= 5},
            lambda one: one > 1,
            show=times,
            about="VPA's loss over Partition's",
            axis="m",
        ),
        tried(
            "Fig. 23b",
            "With m = 3 VPA retains its advantage for every k",
            rows,
            lambda r: {
                k: one / full(r, "ncp", int(k))
                for k, one in series(pick(r, model="km", m=3), "k", "ncp", algorithm="vpa").items()
            },
            lambda one: one < 1,
            show=times,
            about="VPA's loss over Partition's",
            axis="k",
        ),
        tried(
            "Fig. 23c",
            "Partition is a lot faster than VPA (20 s, beside 40 s for m = 1 to almost 5 hours for m = 6)",
            rows,
            lambda r: {m: one / full(r, SEARCH) for m, one in vpa(r, SEARCH).items()},
            lambda one: one >= MUCH,
            show=times,
            about="VPA's CPU time over Partition's",
            axis="m",
        ),
    ]
