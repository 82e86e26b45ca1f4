"""The pages of P0 and P3: verdicts come from rows, grids load, pages are filled."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import shoal
from benchmarks.papers import p0, p0_claims, p3, p3_claims, pictures
from benchmarks.papers.common import PAGES, Claim, verdicts
from benchmarks.papers.reading import Missing, bullets, series, value
from shoal.data import Hierarchy
from shoal.evaluation import charts, grid_file
from shoal.evaluation.grid import Case, Extras
from shoal.evaluation.results import Row
from shoal.evaluation.run_case import run_case
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.metrics.ml2 import mining_loss

Found = dict[str, list[Row]]
Judge = Callable[[Found], list[Claim]]


def row(algorithm: str, ncp: float, nodes: float = 100, /, **more: Any) -> Row:
    """A run that ended well."""
    usual = {"status": "ok", "data.order": "label", "k": 5, "m": 3, "cpu_seconds": 1.0, "ended": "proven", "gap": 0.1}
    return {
        **usual,
        "algorithm": algorithm,
        "ncp": ncp,
        "counted_itemsets": nodes,
        "height": 5,
        "lower_bound": 0.01,
        **more,
    }


def p0_world() -> Found:
    """Rows in which all that P0 says is true."""
    both, small = ("label", "frequency"), ("oa", "da", "aa", "optimal")
    sizes = {2000: (1000, 200), 5000: (1100, 400), 15000: (1200, 1100)}  # the whole tree, and AA's
    items = {40: (1000, 300), 50: (1500, 330), 60: (2200, 360)}
    cuts = {40: 10, 50: 100, 60: 1000}
    known = {1: (10, 10), 2: (100, 20), 3: (1000, 30)}

    def nodes(pair: tuple[int, int], name: str) -> int:
        return pair[1] if name == "aa" else pair[0]

    return {
        "p0-fig8": [row(a, 0.1, nodes(n, a), **{"data.rows": d}) for d, n in sizes.items() for a in small],
        "p0-fig9": [
            row(a, 0.1, nodes(n, a), **{"data.modulo": d, "statistics": json.dumps({"cuts": cuts[d]})})
            for d, n in items.items()
            for a in small
        ],
        "p0-fig10": [row(a, 0.1, nodes(n, a), m=m) for m, n in known.items() for a in small],
        "p0-fig11a": [
            row(a, 0.02, data=d, ended="time limit", **{"data.order": o})
            for d in p0_claims.SETS
            for o in both
            for a in ("aa", "optimal")
        ],
        "p0-fig11b": [row("aa", 0.02, 100, k=k, **{"data.order": o}) for k in (5, 100) for o in both],
        "p0-fig11c": [
            row(a, loss, 100 * h, height=h, **{"data.order": o})
            for h, loss in ((3, 1.0), (4, 0.011), (5, 0.01))
            for o in both
            for a in ("aa", "optimal")
        ],
        "p0-fig11d": [row("aa", m / 100, 10**m, m=m, **{"data.order": o}) for m in (1, 2, 3) for o in both],
        "p0-order": [
            row(a, 0.02, data=d, **{"data.order": o}) for d in p0_claims.SETS for o in both for a in ("aa", "optimal")
        ],
    }


def p3_world() -> Found:
    """Rows in which all that P3 says is true."""
    both, names = ("label", "frequency"), ("aa", "lra", "vpa")
    load = {"aa": 100.0, "lra": 150.0, "vpa": 20.0}
    base = {"POS": 1, "WV1": 3, "WV2": 2}

    def sets(name: str, data: str, order: str) -> Row:
        heavier = 3 if name == "lra" and data == "WV1" else 1
        mined = {"ml2": base[data] / 100, "dml2_missed": 1.5}
        return row(name, base[data] / 100, heavier * load[name], data=data, **mined, **{"data.order": order})

    def parts(name: str, nodes: float, loss: float, **option: Any) -> Row:
        in_all = 1.2 * nodes if name == "lra" else 3 * nodes
        statistics = {"count_tree_nodes": nodes, "count_tree_nodes_of_parts": nodes, "count_tree_nodes_in_all": in_all}
        given = {f"algorithm.{option_name}": one for option_name, one in option.items()}
        return row(name, loss, nodes, statistics=json.dumps(statistics), **given)

    def mined(name: str, k: int, m: int) -> Row:
        ml2 = {f"ml2_{t}": (k + 10 * m) / 1e4 / t for t in (1, 2, 3)}
        return row(name, 0.1, k=k, m=m, **ml2, **{f"dml2_missed_{t}": 1.0 if m == 1 else 1.5 for t in (1, 2, 3)})

    ends = {5: 0.02, 1000: 0.2}
    return {
        "p3-fig14": [sets(a, d, o) for a in names for d in base for o in both],
        "p3-fig15": [
            row(a, loss * (2 if k == 1000 and a != "aa" else 1), load[a] / k, k=k)
            for a in names
            for k, loss in ends.items()
        ],
        "p3-fig16": [row(a, m / 100, m ** (4 if a == "aa" else 2), m=m) for a in names for m in (1, 2, 4)],
        "p3-fig17": [row(a, 1 / h, load[a] * h, height=h) for a in names for h in (3, 5)],
        "p3-fig18": [
            *(parts("lra", 1000 / n, n / 100, chunks=n) for n in (2, 10)),
            *(parts("vpa", 1000 / n, n / 100, parts=n) for n in (2, 10)),
            parts("lra", 300, 0.03),  # 3 chunks
            parts("vpa", 300, 0.03),
            parts("lra", 300, 0.03, flexibility=100),
            parts("vpa", 300, 0.03, level=2),
        ],
        "p3-fig20": [sets(a, d, o) for a in ("aa", "vpa") for d in base for o in both],
        "p3-fig21": [mined(a, k, m) for a in ("aa", "vpa") for k, m in ((5, 3), (100, 3), (5, 1), (5, 2))],
        "p3-fig23": [
            *(row("vpa", m / 100, model="km", m=m, cpu_seconds=10.0) for m in (1, 3, 6)),
            row("vpa", 0.03, model="km", k=20),
            *(row("partition", 0.05, model="transactional-k", k=k, m=None) for k in (5, 20)),
        ],
    }


FILLED = ("p0", "p3")
WORLDS = {"p0": (p0_world, p0_claims.claims), "p3": (p3_world, p3_claims.claims)}


@pytest.mark.parametrize("paper", WORLDS)
def test_where_the_paper_is_right_all_claims_hold(paper: str) -> None:
    world, judge = WORLDS[paper]
    assert [(one.place, one.says, one.seen) for one in judge(world()) if one.holds is not True] == []


@pytest.mark.parametrize("paper", WORLDS)
def test_without_rows_nothing_can_be_told(paper: str) -> None:
    world, judge = WORLDS[paper]
    assert {one.holds for one in judge({name: [] for name in world()})} == {None}


@pytest.mark.parametrize("paper", WORLDS)
def test_runs_that_failed_make_no_claim_hold(paper: str) -> None:
    world, judge = WORLDS[paper]
    failed = {
        name: [{**one, "status": "time limit", "ncp": None, "counted_itemsets": None, "statistics": ""} for one in rows]
        for name, rows in world().items()
    }
    kept = [one.says for one in judge(failed) if one.holds]
    mined = ("ML²", "itemsets", "those missed", "faster")  # are judged by other columns, which are still there
    assert [says for says in kept if not any(word in says for word in mined)] == []


def twisted(found: Found, name: str, change: dict[str, Any], **where: Any) -> Found:
    """The rows with some of them changed."""
    places = {key.replace("data_", "data."): one for key, one in where.items()}
    hit = [one for one in found[name] if all(one.get(key) == said for key, said in places.items())]
    assert hit
    return {**found, name: [{**one, **change} if one in hit else one for one in found[name]]}


BROKEN: list[tuple[str, str, str, dict[str, Any], dict[str, Any]]] = [
    # paper, words of the claim, grid, what changes, where
    ("p0", "OA and DA cost the same", "p0-fig8", {"counted_itemsets": 7}, {"algorithm": "da"}),
    ("p0", "not very sensitive", "p0-fig8", {"counted_itemsets": 9000}, {"algorithm": "oa", "data.rows": 15000}),
    ("p0", "counts much less at first", "p0-fig8", {"counted_itemsets": 900}, {"algorithm": "aa", "data.rows": 2000}),
    ("p0", "OA, DA and AA lose the same", "p0-fig8", {"ncp": 0.11}, {"algorithm": "aa", "data.rows": 5000}),
    ("p0", "exponential in", "p0-fig9", {"statistics": '{"cuts": 101}'}, {"algorithm": "oa", "data.modulo": 60}),
    ("p0", "grows faster than", "p0-fig9", {"counted_itemsets": 1100}, {"algorithm": "oa", "data.modulo": 60}),
    ("p0", "exponentially with m", "p0-fig10", {"counted_itemsets": 120}, {"algorithm": "oa", "m": 3}),
    ("p0", "as little as the optimum", "p0-fig10", {"ncp": 0.12}, {"algorithm": "da", "m": 2}),
    ("p0", "at most 3 %; items by ascending", "p0-fig11a", {"ncp": 0.1}, {"data": "WV1", "data.order": "label"}),
    ("p0", "at most 3 %; items by frequency", "p0-fig11a", {"ncp": 0.1}, {"data": "WV1", "data.order": "frequency"}),
    ("p0", "acceptable", "p0-fig11a", {"cpu_seconds": 99.0}, {"data": "POS", "algorithm": "aa"}),
    ("p0", "insensitive to k", "p0-fig11b", {"counted_itemsets": 300}, {"k": 100}),
    ("p0", "fewer levels", "p0-fig11c", {"counted_itemsets": 999}, {"height": 3}),
    ("p0", "h=4 generalizes all", "p0-fig11c", {"ncp": 0.5}, {"height": 3}),
    ("p0", "grows with m, its loss slightly", "p0-fig11d", {"ncp": 0.04}, {"m": 3}),
    ("p0", "out of reach", "p0-fig11a", {"ended": "proven"}, {}),
    ("p0", "does not matter", "p0-order", {"ncp": 0.1}, {"data": "WV1", "data.order": "label"}),
    ("p3", "LRA loses only slightly more than AA", "p3-fig14", {"ncp": 0.05}, {"algorithm": "lra"}),
    ("p3", "LRA counts more than AA", "p3-fig14", {"counted_itemsets": 50}, {"algorithm": "lra", "data": "WV2"}),
    ("p3", "VPA counts less than AA and LRA; items", "p3-fig14", {"counted_itemsets": 500}, {"algorithm": "vpa"}),
    ("p3", "VPA loses about as much", "p3-fig14", {"ncp": 0.3}, {"algorithm": "vpa", "data": "WV2"}),
    ("p3", "VPA counts less than AA and LRA at every k", "p3-fig15", {"counted_itemsets": 99}, {"algorithm": "vpa"}),
    ("p3", "all count little", "p3-fig15", {"counted_itemsets": 10}, {"k": 1000}),
    ("p3", "lose much more", "p3-fig15", {"ncp": 0.2}, {"algorithm": "vpa"}),
    ("p3", "scale better", "p3-fig16", {"counted_itemsets": 999}, {"algorithm": "lra", "m": 4}),
    ("p3", "at every m", "p3-fig16", {"ncp": 0.3}, {"algorithm": "vpa", "m": 2}),
    ("p3", "more levels, less loss", "p3-fig17", {"ncp": 0.9}, {"height": 5}),
    ("p3", "more levels, more to count", "p3-fig17", {"counted_itemsets": 9999}, {"algorithm": "vpa"}),
    ("p3", "more parts", "p3-fig18", {"ncp": 0.0}, {"algorithm.chunks": 10}),
    ("p3", "flexibility hardly", "p3-fig18", {"ncp": 0.3}, {"algorithm.flexibility": 100}),
    ("p3", "level hardly", "p3-fig18", {"ncp": 0.3}, {"algorithm.level": 2}),
    (
        "p3",
        "gains little",
        "p3-fig18",
        {"statistics": '{"count_tree_nodes": 1, "count_tree_nodes_in_all": 3}'},
        {"algorithm": "lra"},
    ),
    ("p3", "few frequent itemsets", "p3-fig20", {"ml2": 0.3}, {"data": "WV1"}),
    ("p3", "1 or 2 levels", "p3-fig20", {"dml2_missed": 2.5}, {"data": "WV1"}),
    ("p3", "follows the NCP", "p3-fig20", {"ml2": 0.0}, {"data": "WV1"}),
    ("p3", "grows with k and m", "p3-fig21", {"ml2_2": 0.0}, {"k": 100}),
    ("p3", "falls as the threshold", "p3-fig21", {"ml2_3": 1.0}, {"k": 5, "m": 3}),
    ("p3", "hardly changes", "p3-fig21", {"dml2_missed_2": 4.0}, {"k": 100}),
    ("p3", "small m, more for large m", "p3-fig23", {"ncp": 0.04}, {"m": 6}),
    ("p3", "at m=3 VPA loses less", "p3-fig23", {"ncp": 0.01}, {"algorithm": "partition", "k": 20}),
    ("p3", "much faster", "p3-fig23", {"cpu_seconds": 9.0}, {"algorithm": "partition"}),
]


@pytest.mark.parametrize(("paper", "words", "name", "change", "where"), BROKEN, ids=[one[1] for one in BROKEN])
def test_a_claim_falls_with_its_rows(
    paper: str, words: str, name: str, change: dict[str, Any], where: dict[str, Any]
) -> None:
    world, judge = WORLDS[paper]
    judged = judge(twisted(world(), name, change, **where))
    assert False in [one.holds for one in judged if words in one.says]


def test_every_claim_is_broken_once() -> None:
    for paper, (world, judge) in WORLDS.items():
        words = [one[1] for one in BROKEN if one[0] == paper]
        assert [one.says for one in judge(world()) if not any(word in one.says for word in words)] == []


def test_a_value_is_of_one_row() -> None:
    with pytest.raises(Missing, match="2 runs with k 5"):
        value([row("aa", 0.1), row("da", 0.1)], "ncp", k=5)
    with pytest.raises(Missing, match="no ncp"):
        series([{"k": 5, "ncp": None, "status": "time limit"}], "k", "ncp")


def test_bars_of_a_name_are_no_borders_of_a_table() -> None:
    assert verdicts([Claim("Fig. 1", "|D| is small", True, "seen")]).splitlines()[-1] == (
        r"| Fig. 1 | \|D\| is small | holds | seen |"
    )


def test_bullets_tell_one_figure() -> None:
    claims = [Claim("Fig. 1a", "it holds", True, "seen"), Claim("Fig. 2", "it does not", False, "seen")]
    assert bullets(claims, "Fig. 1") == "- Holds: it holds. seen."


@pytest.mark.parametrize("name", [*p0.GRIDS, *p3.GRIDS])
def test_grids_load(name: str, real_data: Path) -> None:
    grid = grid_file.load(grid_file.named()[name], real_data)
    assert len(grid) > 3
    assert grid.about
    assert grid.title.startswith(name[:2].upper())


@pytest.mark.parametrize("paper", FILLED)
def test_pages_are_filled(paper: str) -> None:
    text = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    marked = re.findall(r"<!-- (?!end of )(.+?) -->(.*?)<!-- end of \1 -->", text, flags=re.S)
    assert len(marked) > 5
    assert [mark for mark, content in marked if not content.strip()] == []
    assert "a run is missing" not in text


def test_the_small_sets_have_as_many_items_as_named(real_data: Path) -> None:
    """All ids of BMS-WebView-2 are odd: ids modulo 40 would leave 20. The items' numbers are taken instead."""
    file = real_data / "bms-webview-2" / "transactions.dat"
    lines = [[int(item) for item in line.split()] for line in file.read_text().splitlines()]
    number = {item: at for at, item in enumerate(sorted({item for line in lines for item in line}))}
    data, tree = DatasetSpec(label="small", file=str(file), modulo=40, rows=500, fanout=4).load()
    rows = data.transactions
    assert tree.n_leaves == 40
    assert [{int(rows.labels[code]) for code in one.tolist()} for one in rows] == [
        {number[item] % 40 for item in line} for line in lines[:500]
    ]


def test_modulo_numbers_items_in_the_order_of_their_labels(tmp_path: Path) -> None:
    file = tmp_path / "few.dat"
    file.write_text("10 9\n7 30 10\n", encoding="utf-8")
    rows = DatasetSpec(label="few", file=str(file), modulo=3).load()[0].transactions  # 7, 9, 10, 30 are 0, 1, 2, 0
    assert [[rows.labels[code] for code in one.tolist()] for one in rows] == [["1", "2"], ["0", "2"]]


def test_oa_tells_the_whole_count_tree_and_the_cuts_it_saw() -> None:
    tree = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    data = shoal.read([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])
    problem = shoal.Problem(data, tree, shoal.KmAnonymity(k=2, m=2))
    found = shoal.anonymize(problem, shoal.OA()).solution.statistics
    expanded = [
        {"a1", "b1", "b2", "A", "B"},
        {"a2", "b1", "A", "B"},
        {"a2", "b1", "b2", "A", "B"},
        {"a1", "a2", "b2", "A", "B"},
    ]
    below = {"A": {"a1", "a2"}, "B": {"b1", "b2"}}
    sets = {
        frozenset(one)
        for row in expanded
        for size in (1, 2)
        for one in itertools.combinations(sorted(row), size)
        if not any(child in below.get(label, ()) for label in one for child in one)
    }
    assert found["count_tree_nodes"] == len(sets)
    assert 1 <= found["cuts"] <= 5


@pytest.mark.parametrize(("algorithm", "parts"), [(shoal.LRA(chunks=3), "chunks"), (shoal.VPA(parts=3), "parts")])
def test_what_is_counted_in_all_is_at_least_the_largest_part(algorithm: shoal.Algorithm, parts: str) -> None:
    data, tree = DatasetSpec(label="toy", generate="quest", generator={"rows": 300, "items": 40}, fanout=3).load(seed=1)
    found = shoal.anonymize(shoal.Problem(data, tree, shoal.KmAnonymity(k=5, m=2)), algorithm).solution.statistics
    assert found[parts] == 3
    assert found["count_tree_nodes"] < found["count_tree_nodes_in_all"]
    if parts == "parts":
        last, largest = found["count_tree_nodes_at_last"], found["count_tree_nodes_of_parts"]
        assert found["count_tree_nodes"] == max(last, largest)
        assert last + largest < found["count_tree_nodes_in_all"] <= last + 3 * largest


def test_bars_leave_gaps_where_values_are_missing() -> None:
    figure, grid = charts.panels(1, 1)
    charts.bars(
        grid[0][0], {"x": {"a": 1.0, "b": None}, "y": {"a": 2.0, "b": 3.0}}, ["a", "b"], {"x": "red", "y": "blue"}
    )
    assert sorted(round(bar.get_height()) for bar in grid[0][0].patches) == [1, 2, 3]
    left, right = (bar.get_x() for bar in grid[0][0].patches[:2])
    assert left < 0 < right + 0.8 / 2
    charts.pyplot().close(figure)


@pytest.mark.parametrize("paper", FILLED)
def test_pictures_of_any_rows(paper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of runs that failed."""
    monkeypatch.setattr(pictures, "IMAGES", tmp_path)
    monkeypatch.setattr(charts, "DPI", 20)
    world = WORLDS[paper][0]()
    failed = {name: [{**rows[0], "status": "time limit", "ncp": None}, *rows[1:]] for name, rows in world.items()}
    {"p0": p0.draw, "p3": p3.draw}[paper](failed)
    page = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    assert {path.name for path in tmp_path.iterdir()} == set(re.findall(r"images/papers/([\w-]+\.png)", page))


def test_mining_is_measured_where_a_grid_asks_for_it() -> None:
    """Thresholds are in percent; what is told for each of them, and their means, are those of the measure."""
    toy = DatasetSpec(label="toy", generate="quest", generator={"rows": 200, "items": 12, "mean_size": 4}, fanout=3)
    case = Case(toy, shoal.KmAnonymity(k=60, m=2), shoal.AA(), extras=Extras(mining=("5", "20")))
    found = run_case(case)
    problem = case.problem()
    release = shoal.anonymize(problem, shoal.AA())
    wanted = mining_loss(problem.prepared.original, release.published, problem.hierarchy, [0.05, 0.2])
    assert found["status"] == "ok"
    assert [found["ml2_5"], found["ml2_20"]] == [one.ml2 for one in wanted]
    assert [found["dml2_missed_5"], found["dml2_missed_20"]] == [one.dml2_missed for one in wanted]
    assert found["ml2"] == pytest.approx(sum(one.ml2 for one in wanted) / 2)
    assert 0 < found["ml2"] < 1
    assert "ml2" not in run_case(Case(toy, shoal.KmAnonymity(k=60, m=2), shoal.AA()))
