"""What P3 says about the number of parts, flexibility and level (Fig. 18), and parts at once (Fig. 19)."""

from __future__ import annotations

from benchmarks.papers.curves import curve
from benchmarks.papers.p3_rows import along, as_usual, by_reading, gain_of
from benchmarks.papers.reading import Rows, count, pick, times, tried, value
from benchmarks.papers.verdict import FLAT, MUCH, Claim

BUILT = "built_nodes"


def by_parts(rows: Rows, memory: Rows) -> list[Claim]:
    """Fig. 18 and 19."""
    built = pick(memory, k=5, m=3, data="POS", data_fanout=5)
    return [
        *(
            claim
            for name, option in (("lra", "chunks"), ("vpa", "parts"))
            for claim in (
                tried(
                    "Fig. 18a-b",
                    f"When the number of partitions grows, the memory requirements of {name.upper()} decrease",
                    built,
                    lambda r, name=name, option=option: curve(along(r, name, option), option, BUILT),  # type: ignore[misc]
                    lambda found: found[max(found)] < found[min(found)],
                    show=count,
                    about="nodes of the largest tree",
                    name=option,
                ),
                tried(
                    "Fig. 18a-b",
                    f"When the number of partitions grows, the quality of {name.upper()}'s data decreases",
                    rows,
                    lambda r, name=name, option=option: curve(along(r, name, option), option, "ncp"),  # type: ignore[misc]
                    lambda found: found[max(found)] > found[min(found)],
                    name=option,
                ),
            )
        ),
        *(
            tried(
                f"Fig. 18{letter}",
                f"The {option} does not have a significant effect on {name.upper()}",
                rows,
                lambda r, name=name, option=option: curve(along(r, name, option), option, "ncp"),  # type: ignore[misc]
                lambda found: max(found.values()) < FLAT * min(found.values()),
                about="loss",
                name=option,
            )
            for letter, name, option in (("c", "lra", "flexibility"), ("d", "vpa", "level"))
        ),
        tried(
            "Fig. 18d",
            "The level does not have a significant effect on VPA (without level 0, the leaves)",
            rows,
            lambda r: curve([one for one in along(r, "vpa", "level") if one["level"] > 0], "level", "ncp"),
            lambda found: max(found.values()) < FLAT * min(found.values()),
            about="loss",
            name="level",
        ),
        tried(
            "Fig. 18",
            "With more chunks LRA still cannot beat VPA (memory)",
            built,
            lambda r: {"": _best_chunks(r) / value([x for x in r if as_usual(x)], BUILT, algorithm="vpa")},
            lambda found: found[""] > 1,
            show=times,
            about="the fewest nodes of LRA with any number of chunks, times those of VPA with 3 parts",
        ),
        tried(
            "Fig. 19",
            "LRA does not benefit much from parallelization",
            by_reading(built),
            lambda r: {"": gain_of(r, "lra", "chunks")},
            lambda found: found[""] < MUCH,
            show=times,
            about="nodes of all 3 chunks over those of the largest one",
        ),
        tried(
            "Fig. 19",
            "VPA benefits the most from parallelization",
            by_reading(built),
            lambda r: {"LRA": gain_of(r, "lra", "chunks"), "VPA": gain_of(r, "vpa", "parts")},
            lambda found: found["VPA"] > found["LRA"],
            show=times,
            about="nodes of all 3 parts and of the last pass, over those of the largest part and of the last pass",
        ),
    ]


def _best_chunks(rows: Rows) -> float:
    return min(curve(along(rows, "lra", "chunks"), "chunks", BUILT).values())
