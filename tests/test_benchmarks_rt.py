"""What the benchmark of P2 measures, counts and writes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks import rt, rt_page, rt_paper, rt_plots
from benchmarks.sensitive_page import put

import shoal
from shoal import discovery
from shoal.algorithms import Algorithm


@pytest.fixture(scope="module")
def bench() -> rt_paper.Bench:
    """A few generated records."""
    return rt_paper.Bench("videos", shoal.KKmAnonymity(k=20, m=1), 600)


def test_all_methods_are_there() -> None:
    named = {name for name, _ in rt.METHODS.values()}
    solving = {
        name for name, cls in discovery.find("shoal.algorithms", Algorithm).items() if shoal.KKmAnonymity in cls.solves
    }
    assert named == solving
    assert {*rt_paper.RMERGE.values(), *rt_paper.TMERGE.values()} < named


def test_a_release_is_measured_with_every_kind_of_query(bench: rt_paper.Bench) -> None:
    delta = bench.least()
    row = bench.row("RmRT", "rmerge-rt", delta)
    assert row["verified"]
    assert row["relational_ncp"] <= delta
    assert all(
        row[f"{kind} {values},{items}"] >= 0 for kind in ("are", "bounded") for values, items in rt_paper.QUERIES
    )
    assert all(row[f"bounded {v},{i}"] <= row[f"are {v},{i}"] for v, i in rt_paper.QUERIES)
    below = bench.row("RmRT", "rmerge-rt", math.floor(delta * 1e3) / 1e3 - 0.01)
    assert not below["verified"]
    assert "--delta" in below["note"]


def test_merges_end_with_one_cluster_and_the_rises_add_up(bench: rt_paper.Bench) -> None:
    rows = list(bench.merging("rt"))
    assert rows[-1]["clusters"] == 1
    assert [row["merges"] for row in rows] == list(range(len(rows)))
    assert math.isclose(rows[0]["ul"] + sum(row["rise"] for row in rows[1:]), rows[-1]["ul"], abs_tol=1e-12)


def test_the_search_is_timed_and_its_result_verified(bench: rt_paper.Bench) -> None:
    row = bench.timed("TmT", "tmerge-t", 1.0, distance="ul")
    assert row["verified"]
    assert row["cpu"] > 0


def test_the_plain_version_finds_the_same(real_data: Path) -> None:
    row = rt.naive(rows=80, k=10)
    assert row["verified"]
    assert row["total"] == pytest.approx(sum(row[f"seconds {name}"] for name in ("forming", "merging", "sets")))


def test_smaller_samples_are_contained_in_larger_ones(real_data: Path) -> None:
    small, large = (rt.load("informs", rows, seed=1) for rows in (50, 400))
    assert small.table is not None
    assert large.table is not None
    rows = [tuple(row.values()) for row in large.table.arrow.to_pylist()]
    assert all(tuple(row.values()) in rows for row in small.table.arrow.to_pylist())
    assert tuple(small.table.names) == tuple(rt.COLUMNS["informs"])
    assert not {"-1", "-9"} & set(rt.load("informs").transactions.labels)


def test_rows_are_measured_once(tmp_path: Path) -> None:
    asked: list[int] = []

    def rows() -> Iterator[dict[str, Any]]:
        asked.append(1)
        yield {"a": 1, "b": None, "c": 0.1}

    for _ in range(2):
        assert rt.stored("some rows", rows, tmp_path) == [{"a": 1, "b": None, "c": 0.1}]
    assert len(asked) == 1
    rt.stored("some rows", rows, tmp_path, again=True)
    assert len(asked) == 2


def lines(values: dict[str, list[float]]) -> list[dict[str, Any]]:
    return [
        {"method": method, "delta": delta, "ul": value}
        for method, some in values.items()
        for delta, value in enumerate(some)
    ]


def test_claims_are_counted() -> None:
    rows = lines({"RmR": [3, 1, 1], "RmT": [4, 5, 3], "RmRT": [3.5, 0.5, 2]})
    assert rt_page.held(rt_page.steps(rows, "delta", "ul", -1)) == "3 of 6"
    least = rt_page.ordered(rows, "delta", "ul", lambda at: at["R"] == min(at.values()))
    assert least == [True, False, True]
    assert rt_page.ordered(rows[:-1], "delta", "ul", lambda at: True) == [True, True]  # the last lacks a method
    assert rt_page.held([]) == "-"


def test_pictures_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rows = lines({"RmR": [3, 1, 1], "RmT": [4, 5, 3]})
    rt_plots.over_delta({"some": rows}, {"ul": "UL"}, tmp_path / "a.png", "UL", "delta")
    assert (tmp_path / "a.png").stat().st_size > 5_000


@pytest.mark.parametrize("name", ["relational.md", "benchmarks.md"])
def test_the_pages_have_all_their_marks(name: str) -> None:
    text = (rt_page.DOCS / name).read_text(encoding="utf-8")
    wanted = {
        "relational.md": ["claims", "utility informs", "utility videos", "tum", "diverse", "runtime", "btd", "merges"],
        "benchmarks.md": ["rt side by side", "rt informs", "rt videos", "rt within"],
    }
    for mark in wanted[name]:
        assert text.index(f"<!-- {mark} -->") < text.index(f"<!-- end of {mark} -->")


def test_what_is_between_marks_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x -->\nold\n<!-- end of x -->\nb\n", encoding="utf-8")
    put(page, "x", ["new"])
    assert page.read_text(encoding="utf-8") == "a\n<!-- x -->\n\nnew\n\n<!-- end of x -->\nb\n"
