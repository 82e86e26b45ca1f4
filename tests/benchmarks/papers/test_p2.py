"""P2's experiments: their grids load, claims follow the rows, the page is filled."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

import shoal
from benchmarks.papers import common, p2, p2_figures, p2_merges
from shoal.evaluation import grid_file
from shoal.evaluation.results import Row
from shoal.jobs.dataset_spec import DatasetSpec

GRIDS = ("p2-fig4", "p2-fig5", "p2-fig6", "p2-fig7")
FIGURES = ("ul", "are_0_2", "bounded_are_0_2", "are_2_0", "largest_class", "relational_ncp", "ncp")


@pytest.mark.parametrize("name", GRIDS)
def test_the_grids_load(name: str, real_data: Path) -> None:
    grid = grid_file.load(grid_file.named()[name], real_data)
    assert grid.title.startswith(f"P2, Fig. {name[-1]}")
    assert grid.about
    assert {case.algorithm.name for case in grid.cases} <= set(p2_figures.SHORT)


def test_the_runs_of_fig_6_are_those_of_fig_4(real_data: Path) -> None:
    fig4, fig6 = (
        {case.key for case in grid_file.load(grid_file.named()[name], real_data).cases}
        for name in ("p2-fig4", "p2-fig6")
    )
    assert fig6 < fig4


def made(values: dict[str, list[float]], data: str = "informs", **more: object) -> list[Row]:
    """Rows of made-up methods over delta, with one value for all measures."""
    return [
        {"data": data, "method": method, "delta": 0.1 * at, "status": "ok", **dict.fromkeys(FIGURES, value), **more}
        for method, some in values.items()
        for at, value in enumerate(some, 1)
    ]


def test_steps_and_orders_are_counted() -> None:
    rows = made({"RmR": [3, 1, 1], "RmT": [4, 5, 3], "RmRT": [3.5, 0.5, 2]})
    assert sum(p2.steps(rows, "delta", "ul", -1)) == 3
    assert p2.ordered(rows, "delta", "ul", lambda at: at["R"] == min(at.values())) == [True, False, True]
    assert p2.ordered(rows[:-1], "delta", "ul", lambda at: True) == [True, True]  # the last lacks a method
    again = [*rows, *({**row, "ul": row["ul"] + 2} for row in rows if row["delta"] == 0.1 and row["method"] == "RmR")]
    assert p2.ordered(again, "delta", "ul", lambda at: at["R"] == 4)[0]  # the mean of two seeds


def test_a_verdict_is_that_of_the_cases() -> None:
    def verdicts(one: list[bool], other: list[bool], share: float = p2.SHARE) -> list[tuple[bool | None, str]]:
        found = p2.judged("Fig. 0", "so it is", "UL", {"A": one, "B": other}, share)
        return [(claim.holds, claim.seen) for claim in found]

    assert verdicts([True] * 9 + [False], [True]) == [(True, "UL: A 9 of 10, B 1 of 1")]
    assert verdicts([True, False], [False]) == [(False, "UL: A 1 of 2, B 0 of 1")]
    assert verdicts([True], [False]) == [(True, "UL: A 1 of 1"), (False, "UL: B 0 of 1")]
    assert verdicts([True] * 9 + [False], [True], 1) == [(False, "UL: A 9 of 10"), (True, "UL: B 1 of 1")]
    assert verdicts([], []) == [(None, "UL: A 0 of 0, B 0 of 0")]


def holding(rows: list[Row], fig5: list[Row], says: str) -> list[bool | None]:
    return [claim.holds for claim in p2.claims(rows, fig5, rows) if claim.says.startswith(says)]


def test_claims_about_losses_follow_the_rows() -> None:
    like = {"RmR": [0.05, 0.01, 0.01], "RmT": [0.05, 0.03, 0.025], "RmRT": [0.05, 0.02, 0.02]}
    tum = {"TmR": [3, 2.0], "TmT": [3, 2.0], "TmRT": [3, 2.0]}
    good = [*made(like), *made(like, "videos"), *made(tum)]
    assert holding(good, made(like), "the columns lose at most delta") == [True]
    assert holding(good, made(like), "RmR loses least in the sets") == [True, True, True, True]  # and Fig. 5
    assert holding(good, made(like), "RmRT's are larger than RmT's") == [False]
    assert holding(good, made(like), "Tum-bound") == [True, True]
    turned = {"RmR": like["RmT"], "RmT": like["RmR"], "RmRT": like["RmRT"]}
    bad = [*made(turned), *made(turned, "videos", relational_ncp=2.0), *made({name: [2, 3] for name in tum})]
    assert holding(bad, made(turned), "the columns lose at most delta") == [True, False]  # the sets do not agree
    assert holding(bad, made(turned), "RmR loses least in the sets") == [False, False, False, False]
    assert holding(bad, made(turned), "RmRT's are larger than RmT's") == [True]
    assert holding(bad, made(turned), "Tum-bound") == [False, False]


def test_an_unreachable_bound_is_a_row_of_the_table_and_no_case_of_a_claim() -> None:
    none: Row = {"data": "informs", "method": "RmR", "delta": 0.05, "status": "infeasible"}
    rows = [none, *made({"RmR": [0.1, 0.1]}, are_2_1=1.0, are_2_2=1.0, clusters=3.0)]
    rows = [row | {f"bounded_{name}": 0.5 for name in p2_figures.ERRORS} for row in rows]
    assert p2.utility(rows).splitlines()[2].startswith("| 0.05 | RmR | cannot be reached |")
    assert len({line.count("|") for line in p2.utility(rows).splitlines()}) == 1
    assert len(p2.steps(rows, "delta", "ul", -1)) == 1
    assert p2.inner(rows) == rows[2:]


def fast(seconds: dict[str, float], power: int = -1) -> list[Row]:
    """Rows of Fig. 7b, with times that fall or rise with k, and one pair of distances."""
    place = {"data": "informs, 10,000", "records": 10_000, "delta": 0.65, "distance": "btd", "clusters": 5.0}
    rows = [
        {**place, "method": name, "k": k, "search_cpu_seconds": value * float(k) ** power}
        for name, value in seconds.items()
        for k in (10, 20)
    ]
    few = {"data": "informs, few", "method": "RmT", "records": 2_000, "k": 25, "delta": 0.65, "relational_ncp": 0.5}
    pair: list[Row] = [
        {**few, "distance": "btd", "search_cpu_seconds": seconds["RmT"], "ul": 0.30},
        {**few, "distance": "ul", "search_cpu_seconds": 30.0, "ul": 0.29 + seconds["RmT"] / 100},
    ]
    return [*rows, *pair]


def test_claims_about_cost_follow_the_rows() -> None:
    traces: list[Row] = [
        {"data": name, "by": "r", "merges": at, "ul": 0.5, "rise": rise}
        for name, rises in (("informs", (-0.1, 0.0)), ("videos", (-0.1, 0.01)))
        for at, rise in enumerate(rises, 1)
    ]
    found = [claim.holds for claim in p2.cost_claims(fast({"Cl": 1, "RmR": 3, "RmT": 2, "RmRT": 4}), traces)]
    assert found == [True, True, True, True, True, True, False]  # the last: Informs, generated
    slow = fast({"Cl": 1, "RmR": 3, "RmT": 5, "RmRT": 4}, power=1)
    slow[-1]["ul"] = 0.2
    assert [claim.holds for claim in p2.cost_claims(slow, traces[:3])] == [False, False, False, False, False, True]
    assert "| 10,000 | 10 | 0.10 s | 0.30 s | 0.20 s | 0.40 s | 2.00 | 5 |" in p2.runtime(
        fast({"Cl": 1, "RmR": 3, "RmT": 2, "RmRT": 4})
    )


def test_a_run_that_failed_ends_it() -> None:
    row: Row = {"data": "informs", "algorithm": "rmerge-r", "method": "rmerge-r", "algorithm.delta": 0.65}
    ok = row | {"status": "ok", "statistics": json.dumps({"clusters": 7})}
    assert [(one["method"], one["delta"], one["clusters"]) for one in p2.paper_rows([ok])] == [("RmR", 0.65, 7)]
    assert p2.paper_rows([row | {"status": "infeasible"}])[0]["clusters"] is None
    with pytest.raises(ValueError, match="out of memory"):
        p2.paper_rows([row | {"status": "error", "error": "out of memory"}])


def test_merges_end_with_one_cluster_and_the_rises_add_up() -> None:
    data_set = DatasetSpec(label="few", generate="videos", generator={"rows": 400, "seed": 0})
    problem = data_set.problem(shoal.KKmAnonymity(k=20, m=1), shoal.NCP(), seed=0)
    rows = list(p2_merges.merging(problem, "rt"))
    assert rows[-1]["clusters"] == 1
    assert [row["merges"] for row in rows] == list(range(len(rows)))
    assert math.isclose(rows[0]["ul"] + sum(row["rise"] for row in rows[1:]), rows[-1]["ul"], abs_tol=1e-12)
    ends = shoal.anonymize(problem, shoal.RmergeRT(delta=1.0, within="sets-ul")).losses["ul"], rows[-1]["ul"]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
    begins = shoal.anonymize(problem, shoal.Rfirst(formation="cluster", within="sets-ul")).losses["ul"], rows[0]["ul"]
    assert begins[0] == pytest.approx(begins[1], abs=1e-9)


def test_pictures_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rows = made({"RmR": [3, 1, 1], "RmT": [4, 5, 3]})
    p2_figures.over_delta({"some": rows}, {"ul": "UL"}, tmp_path / "a.png", "UL", "r")
    assert (tmp_path / "a.png").stat().st_size > 5_000


def test_the_page_is_filled() -> None:
    text = p2.PAGE.read_text(encoding="utf-8")
    marks = re.findall(r"<!-- (?!end of )(.+?) -->", text)
    assert marks == [
        "claims",
        "fig4 informs",
        "fig4 videos",
        "fig4h",
        "fig5",
        "fig7 time",
        "fig7 distance",
        "fig7 merges",
    ]
    for mark in marks:
        inside = text.partition(f"<!-- {mark} -->")[2].partition(f"<!-- end of {mark} -->")[0]
        assert inside.count("\n|") > 3, mark
    assert all((common.DOCS / "papers" / name).exists() for name in re.findall(r"!\[.+?\]\((.+?)\)", text))
