"""Large data in blocks: safe, truthful, within every bound, and the same for any number of workers.

Covers: search/blocks.py, search/block_clusters.py, search/tum_bound.py.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.algorithms.rmerge import Rmerge
from shoal.algorithms.tmerge import Tmerge
from shoal.engines import Engine
from shoal.errors import Infeasible, OptionError
from shoal.generators.videos import Videos
from shoal.models.base import PrivacyModel
from shoal.release import pipeline
from shoal.release.release import Release
from shoal.search import memory, tum_bound
from shoal.search.block_clusters import FirstClusters, block_bounds, mean_loss
from shoal.search.blocks import BLOCK_ROWS, Block, in_blocks, split_into_blocks
from shoal.search.needs import Needs
from shoal.search.set_generalizer import STEPS
from shoal.search.tum_bound import State, merge_blocks_until_bound
from shoal.testing import check_algorithm, check_engine, models, problems
from tests.algorithms.test_rmerge import deltas, km, lm
from tests.budget import examples

IN_BLOCKS = [
    (algorithm, model)
    for algorithm in discovery.find("shoal.algorithms", Algorithm).values()
    for model in algorithm.solves
    if "block_rows" in {option.name for option in algorithm.options()}
]
tiny = st.integers(2, 20)


def made(algorithm: Algorithm, problem: shoal.Problem, workers: int = 1) -> Release | None:
    """A release, or None if there is none."""
    try:
        return pipeline.make_release(problem, algorithm, Engine(workers=workers))
    except Infeasible:
        return None


def videos(rows: int, k: int = 5) -> shoal.Problem:
    """Records with six columns and a set."""
    data = Videos(rows=rows, items=40, mean_size=3).dataset()
    return shoal.Problem(data, shoal.Hierarchy.flat(data.transactions.labels), shoal.KKm(k=k, m=2))


@pytest.mark.parametrize(("algorithm", "model"), IN_BLOCKS, ids=[f"{a.name}-{m.name}" for a, m in IN_BLOCKS])
@examples(30)
@given(data=st.data(), block_rows=tiny)
def test_blocks_are_safe_and_truthful(
    algorithm: type[Any], model: type[PrivacyModel], data: st.DataObject, block_rows: int
) -> None:
    """With sets, persons and missing values, and the same for one worker and four."""
    check_algorithm(algorithm(block_rows=block_rows), data.draw(problems(models(model), max_rows=20)))


@examples(40)
@given(data=st.data(), block_rows=tiny, workers=st.integers(1, 3))
def test_blocks_do_not_depend_on_the_engine(data: st.DataObject, block_rows: int, workers: int) -> None:
    algorithm, model = data.draw(st.sampled_from(IN_BLOCKS))
    method: Any = algorithm
    problem = data.draw(problems(models(model), max_rows=20))
    check_engine(Engine(workers=workers, memory=1_000, part_rows=2), method(block_rows=block_rows), problem)


@pytest.mark.parametrize("model", [shoal.models.K, shoal.KKm, shoal.KLm])
@examples(150)
@given(data=st.data(), block_rows=tiny)
def test_blocks_divide_the_rows(model: type[PrivacyModel], data: st.DataObject, block_rows: int) -> None:
    given_problem = data.draw(problems(models(model), max_rows=20))
    problem = given_problem.prepared
    methods: dict[Any, Any] = {shoal.models.K: shoal.algorithms.Cluster}
    method = methods.get(model, shoal.algorithms.Rfirst)(block_rows=block_rows)
    try:
        problem.model.feasible(problem.original)
    except Infeasible:
        return
    blocks = method.blocks(problem)
    rows = np.concatenate([block.rows for block in blocks])
    assert np.sort(rows).tolist() == list(range(len(problem.items)))
    assert all(np.all(np.diff(block.rows) > 0) for block in blocks)
    assert [block.number for block in blocks] == list(range(len(blocks)))
    if len(problem.items) <= block_rows:
        assert len(blocks) == 1
    if len(blocks) == 1:
        assert blocks[0].problem is problem
        return
    people = problem.items.persons.of if problem.items.persons is not None else np.arange(len(rows))
    for block in blocks:
        assert len(set(people[block.rows].tolist())) >= problem.model.values()["k"]
        if model is not shoal.models.K:
            assert Needs(problem).is_feasible(block.rows)  # type: ignore[arg-type]
    if model is shoal.KLm:
        assert sum(len(set(people[block.rows].tolist())) for block in blocks) == len(set(people.tolist()))


def test_blocks_have_about_the_wanted_size() -> None:
    problem = videos(3_000).prepared
    sizes = [len(block.rows) for block in split_into_blocks(problem, 400, 5)]
    assert len(sizes) > 7
    assert max(sizes) <= 400
    assert min(sizes) >= 100
    (whole,) = split_into_blocks(problem, 3_000, 5)
    assert whole.problem is problem
    assert len(split_into_blocks(problem, 2_999, 5)) == 2


def test_rows_with_equal_values_are_not_divided() -> None:
    data = shoal.read(pa.table({"age": ["30"] * 50 + ["40"] * 3, "items": [["a"]] * 53}), sets="items")
    problem = shoal.Problem(data, shoal.Hierarchy.flat("a"), shoal.KKm(k=2, m=1)).prepared
    assert sorted(len(block.rows) for block in split_into_blocks(problem, 20, 2)) == [3, 50]  # a small block if need be
    assert [len(block.rows) for block in split_into_blocks(problem, 20, 4)] == [53]


def test_a_half_that_cannot_be_safe_is_no_block() -> None:
    """The old half would have a sensitive value in each record."""
    ages = [str(20 + i % 20) for i in range(30)] + [str(70 + i % 5) for i in range(10)]
    sets = [["a"]] * 30 + [["a", "HIV"]] * 10
    data = shoal.read(pa.table({"age": ages, "items": sets}), sets="items")
    problem = shoal.Problem(data, shoal.Hierarchy.flat("a"), shoal.KLm(k=2, l=2, m=1, sensitive=("HIV",)))
    method = shoal.algorithms.RmergeRT(block_rows=15)
    blocks = method.blocks(problem.prepared)
    assert len(blocks) > 1
    assert all(Needs(problem.prepared).is_feasible(block.rows) for block in blocks)
    assert made(method, problem) is not None


def test_shares_of_persons_are_kept_in_one_block() -> None:
    """Every person has two young records and an old one, so each cut by age divides persons."""
    ages = [str(20 + i % 15 + 40 * (visit == 2)) for i in range(40) for visit in range(3)]
    sets = [["a", "HIV"] if i % 8 == visit else ["a"] for i in range(40) for visit in range(3)]
    people = [i for i in range(40) for _ in range(3)]
    data = shoal.read(pa.table({"age": ages, "items": sets}), sets="items")
    data = replace(data, transactions=data.transactions.of_persons(people))
    for model, whole in ((shoal.KLm(k=4, l=2, m=1, sensitive=("HIV",)), True), (shoal.KKm(k=4, m=1), False)):
        problem = shoal.Problem(data, shoal.Hierarchy.flat("a" if whole else ["a", "HIV"]), model)
        method = shoal.algorithms.RmergeRT(block_rows=60, within="sets")
        blocks = method.blocks(problem.prepared)
        assert len(blocks) > 1
        parts = sum(len({people[row] for row in block.rows}) for block in blocks)
        assert (parts == 40) is whole
        assert made(method, problem) is not None


@examples(100)
@given(problem=problems(km | lm, max_rows=20), delta=deltas, block_rows=tiny, data=st.data())
def test_the_columns_of_blocks_never_lose_more_than_delta(
    problem: shoal.Problem, delta: float, block_rows: int, data: st.DataObject
) -> None:
    method: type[Any] = data.draw(st.sampled_from(list(discovery.find("shoal.algorithms", Rmerge).values())))
    rum = data.draw(st.sampled_from(["ncp", "l2", "max"]))
    release = made(method(delta=delta, block_rows=block_rows, rum=rum), problem)
    if release is None:
        return
    relational = release.published.relational
    assert relational is not None
    parts, weights = np.array(relational.penalties()), np.array([float(weight) for weight in relational.weights])
    losses = {
        "ncp": weights @ parts,
        "l2": np.sqrt(weights @ parts**2),
        "max": parts[weights > 0].max(axis=0, initial=0),
    }
    assert losses[rum].mean() <= delta + 1e-9
    assert release.solution.statistics["rum"] == pytest.approx(losses[rum].mean(), abs=1e-5)


@examples(60)
@given(problem=problems(km, max_rows=20), delta=deltas, block_rows=tiny, data=st.data())
def test_the_sets_of_blocks_never_lose_more_than_delta(
    problem: shoal.Problem, delta: float, block_rows: int, data: st.DataObject
) -> None:
    method: type[Any] = data.draw(st.sampled_from(list(discovery.find("shoal.algorithms", Tmerge).values())))
    release = made(method(delta=delta, block_rows=block_rows), problem)
    assert release is None or release.losses["ul"] <= delta + 1e-12


def test_a_bound_that_one_block_exceeds_can_be_met_by_all() -> None:
    """The first half of the records has far more different ages than the other."""
    ages = [str(i) for i in range(100)] + ["200"] * 100
    data = shoal.read(pa.table({"age": ages, "items": [["a"], ["b"]] * 100}), sets="items")
    problem = shoal.Problem(data, shoal.Hierarchy.flat("ab"), shoal.KKm(k=20, m=1))
    least = made(shoal.algorithms.Rfirst(block_rows=110), problem)
    assert least is not None
    delta = math.ceil(least.losses["relational_ncp"] * 1e4) / 1e4
    release = made(shoal.algorithms.RmergeR(delta=delta, block_rows=110), problem)
    assert release is not None
    assert release.solution.statistics["blocks"] == 2
    penalties = release.published.relational.penalties()[0]  # type: ignore[union-attr]
    assert penalties[:100].mean() > delta
    assert penalties.mean() <= delta + 1e-9
    with pytest.raises(Infeasible, match="Allow delta="):
        pipeline.make_release(problem, shoal.algorithms.RmergeR(delta=delta / 2, block_rows=110))


@examples(200)
@given(
    losses=st.lists(st.fractions(0, 1), min_size=1, max_size=5),
    sizes=st.lists(st.integers(1, 9), min_size=5, max_size=5),
    delta=st.floats(0, 1),
)
@example(losses=[Fraction(1, 3), Fraction(1, 7)], sizes=[1, 3, 1, 1, 1], delta=0.2)
def test_bounds_of_blocks_keep_the_bound_of_all(losses: list[Fraction], sizes: list[int], delta: float) -> None:
    def block(at: int, loss: Fraction) -> FirstClusters:
        return FirstClusters(Block(None, np.arange(sizes[at]), at, 2), [], False, loss, 1.0, {})  # type: ignore[arg-type]

    first = [block(at, loss) for at, loss in enumerate(losses)]
    assume(mean_loss(first) <= Fraction(str(delta)))
    bounds = [Fraction(str(bound)) for bound in block_bounds(delta, first)]
    reached = [block(at, max(*pair)) for at, pair in enumerate(zip(bounds, losses, strict=True))]
    assert mean_loss(reached) <= Fraction(str(delta))
    assert float(mean_loss(reached)) == pytest.approx(delta, abs=1e-8)  # nothing is wasted


def test_shares_of_all_records_are_not_bounded_in_blocks() -> None:
    problem = videos(120)
    for rum in ("discernibility", "class-size"):
        options: dict[str, Any] = {"rum": rum, "within": "sets"}
        with pytest.raises(OptionError, match=r"share of all 120 records.*rum='ncp'.*block_rows=120"):
            shoal.anonymize(problem, algorithm=shoal.algorithms.RmergeRT(block_rows=60, **options))
        assert shoal.anonymize(problem, algorithm=shoal.algorithms.RmergeRT(block_rows=120, **options)).verdict.holds
        assert shoal.anonymize(problem, algorithm=shoal.algorithms.TmergeRT(block_rows=60, **options)).verdict.holds


def test_one_block_is_as_before_and_blocks_are_not() -> None:
    problem = videos(200)
    options: dict[str, Any] = {"within": "sets", "formation": "cluster"}
    whole, same, other = (
        made(shoal.algorithms.RmergeRT(block_rows=rows, **options), problem) for rows in (BLOCK_ROWS, 200, 199)
    )
    assert whole is not None
    assert same is not None
    assert other is not None
    texts = [release.dataset.table.arrow for release in (whole, same, other) if release.dataset.table is not None]
    assert texts[0].equals(texts[1])
    assert not texts[0].equals(texts[2])
    assert [release.solution.statistics["blocks"] for release in (whole, same, other)] == [1, 1, 2]


def test_each_block_has_random_numbers_of_its_own() -> None:
    problem = videos(600)
    seeds = [block.seed for block in split_into_blocks(problem.prepared, 100, 5)]
    assert len(set(seeds)) == len(seeds) > 6
    assert seeds[0] == problem.seed
    again = [block.seed for block in split_into_blocks(replace(problem, seed=7).prepared, 100, 5)]
    assert not set(seeds) & set(again)


def test_other_blocks_make_up_for_one_that_misses_the_bound() -> None:
    """UL of 100 rows in three blocks: as far as the bound, and as far as possible."""
    lost = {0: (0.9, 0.9), 1: (0.4, 0.1), 2: (0.4, 0.3)}

    def merged(at: int, delta: float, engine: Engine) -> State:
        return State([np.array([at])], int(100 * lost[at][delta == 0] * STEPS))

    for delta, wanted in ((1.8, (0, 0, 0)), (1.5, (0, 1, 0)), (1.3, (0, 1, 1))):
        states, reached = merge_blocks_until_bound(3, merged, delta, 100, Engine(workers=1))
        assert reached
        assert [state.total for state in states] == [
            int(100 * lost[at][which] * STEPS) for at, which in enumerate(wanted)
        ]
    states, reached = merge_blocks_until_bound(3, merged, 1.2, 100, Engine(workers=1))
    assert not reached
    assert "the best is 1.3000, with 3 clusters" in str(tum_bound.unreached(shoal.KKm(), 1.2, states, 100))


def test_memory_is_estimated_for_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, engine = videos(600), Engine(workers=1, memory=40_000)
    monkeypatch.setattr(memory, "LARGE", 0)
    with pytest.raises(OptionError, match="memory"):
        pipeline.make_release(problem, shoal.algorithms.Rfirst(within="sets"), engine)
    assert pipeline.make_release(problem, shoal.algorithms.Rfirst(within="sets", block_rows=60), engine).verdict.holds


def test_blocks_that_cannot_be_split_are_estimated_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """All columns are equal, so there is one block, whatever its size should be."""
    given, engine = videos(600), Engine(workers=1, memory=40_000)
    assert given.data.table is not None
    columns = given.data.table.arrow
    same = columns.take([0] * len(columns))
    problem = replace(given, data=replace(given.data, table=replace(given.data.table, arrow=same)))
    method = shoal.algorithms.Rfirst(within="sets", block_rows=60)
    monkeypatch.setattr(memory, "LARGE", 0)
    assert method.items_at_once(problem.prepared, engine) == len(problem.prepared.items.items)
    largest = max(len(block.problem.items.items) for block in method.blocks(given.prepared))
    assert method.items_at_once(given.prepared, engine) == largest < len(given.prepared.items.items) / 5
    with pytest.raises(OptionError, match="memory"):
        pipeline.make_release(problem, method, engine)


def test_progress_tells_a_share_of_all_blocks() -> None:
    told: list[tuple[str, float]] = []
    engine = Engine(workers=1, progress=lambda stage, share: told.append((stage, share)))
    pipeline.make_release(videos(600), shoal.algorithms.RmergeRT(within="sets", block_rows=100), engine)
    for stage in ("forming clusters", "merging clusters", "generalizing sets"):
        shares = [share for name, share in told if name == stage]
        assert shares == sorted(shares)
        assert shares[0] < 0.5 < shares[-1] <= 1
        assert len(set(shares)) > 4  # block by block


@pytest.mark.parametrize("workers", [1, 2])
def test_blocks_can_be_interrupted(workers: int) -> None:
    def interrupt(stage: str, share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pipeline.make_release(
            videos(3_000),
            shoal.algorithms.RmergeRT(within="sets", block_rows=100),
            Engine(workers=workers, progress=interrupt),
        )


def test_a_single_block_gets_all_threads() -> None:
    def threads(_: int, engine: Engine) -> int:
        return engine.threads

    assert in_blocks(Engine(workers=3), "counting", threads, [0]) == [3]
    assert in_blocks(Engine(workers=3), "counting", threads, [0, 1]) == [1, 1]


def test_classes_of_two_blocks_may_be_one_class() -> None:
    """Both halves publish the common ancestor: a reader sees one class, which the verifier checks."""
    tree = shoal.Hierarchy.from_tree({"any": {"a": ["a1", "a2"], "b": ["b1"], "c": ["c1"], "d": ["d1", "d2"]}})
    lands = ["a1", "b1", "c1", "d1"] * 5
    data = shoal.read(pa.table({"land": lands, "items": [["x"]] * 20}), sets="items")
    problem = shoal.Problem(
        data, shoal.Hierarchy.flat("x"), shoal.KKm(k=8, m=1), columns={"land": shoal.Column(hierarchy=tree)}
    )
    release = made(shoal.algorithms.Rfirst(block_rows=10, formation="cluster"), problem)
    assert release is not None
    statistics = release.solution.statistics
    assert statistics["blocks"] == 2
    assert statistics["clusters"] == 2
    assert release.data["land"].to_pylist() == ["any"] * 20
