"""The exact search: against exhaustive enumeration, when stopped early, and what comes with it.

Covers: search/exact.py, search/expansion.py, search/polish.py, search/bounded.py, search/threats.py,
report/explanations.py,
recoding/solution.py, recoding/cuts.py, recoding/base.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import hierarchies
from shoal.errors import OptionError
from shoal.generators.quest import Quest
from shoal.models.people import with_items
from shoal.recoding.solution import Solution
from shoal.report.explanations import cut_of, explain_cut
from shoal.search import exact, solver
from shoal.search.clock import Clock
from shoal.search.expansion import Expansion
from shoal.testing import all_cuts, problems
from tests import oracles
from tests.budget import examples

km = st.builds(shoal.Km, k=st.integers(2, 6), m=st.one_of(st.integers(1, 4), st.just("all")))
finite = st.builds(shoal.Km, k=st.integers(2, 6), m=st.integers(1, 4))
weights = st.dictionaries(
    st.sampled_from([f"i{n}" for n in range(8)]), st.sampled_from([0, 0.25, 1, 3, 12.5]), min_size=1
)
QUIET = shoal.Engine()


def feasible(problem: shoal.Problem) -> bool:
    return not 0 < with_items(problem.prepared.items) < int(problem.model.values()["k"])


def cost(problem: shoal.Problem, solution: Solution) -> int:
    assert isinstance(solution.recoding, shoal.recoding.GlobalCut)
    return int(problem.prepared.costs[solution.recoding.nodes].sum())


def safe(problem: shoal.Problem, cut: shoal.recoding.GlobalCut) -> bool:
    """By the oracle, which shares nothing with the search."""
    values = problem.model.values()
    longest = int(problem.prepared.items.sizes.max(initial=1))
    m = longest if values["m"] == "all" else min(int(values["m"]), longest)
    rows, people = cut.apply(problem.prepared.items).rows.sets(), oracles.people_of(problem.prepared.persons)
    return oracles.is_km_anonymous(rows, int(values["k"]), m, people)


def weighted(problem: shoal.Problem, given: dict[str, float]) -> shoal.Problem:
    known = {label: value for label, value in given.items() if label in problem.prepared.hierarchy.code_of}
    return shoal.Problem(
        problem.data,
        problem.prepared.hierarchy,
        problem.model,
        problem.loss,
        weights=shoal.Weights(known) if known else None,
    )


def medium(m: int | Literal["all"] = 3, k: int = 5, fanout: int = 3, rows: int = 3000, seed: int = 0) -> shoal.Problem:
    """Large enough for several rounds and thousands of clauses."""
    data = Quest(rows=rows, items=120, mean_size=5, mean_pattern=2, seed=seed).transactions()
    tree = hierarchies.balanced(data.labels, fanout=fanout)
    return shoal.Problem(shoal.Dataset(data), tree, shoal.Km(k=k, m=m))


def check_optimal(problem: shoal.Problem) -> None:
    found = shoal.algorithms.Optimal().solve(problem.prepared, QUIET)
    assert isinstance(found.recoding, shoal.recoding.GlobalCut)
    best = min(
        int(problem.prepared.costs[cut.nodes].sum())
        for cut in all_cuts(problem.prepared.hierarchy)
        if safe(problem, cut)
    )
    assert cost(problem, found) == best
    assert safe(problem, found.recoding)
    optimality = found.optimality
    assert optimality is not None
    assert optimality.proven
    assert optimality.gap == 0
    assert optimality.loss == optimality.lower_bound == pytest.approx(best / problem.prepared.scale, abs=1e-15)
    tree = Expansion(problem.prepared.hierarchy, problem.prepared.costs)
    for node in found.recoding.raised:  # every group has a witness: splitting it alone breaks the guarantee
        split = tree.cut(tree.expanded(found.recoding) | {node})
        assert not safe(problem, split)
    for other in (
        shoal.algorithms.AA(),
        shoal.algorithms.DA(),
        shoal.algorithms.AA(polish=True),
        shoal.algorithms.Auto(siblings="none"),
    ):
        assert cost(problem, other.solve(problem.prepared, QUIET)) >= best
    if problem.model.values()["m"] != "all":
        assert cost(problem, shoal.algorithms.OA().solve(problem.prepared, QUIET)) == best


@examples(100)
@given(problem=problems(km), given=st.one_of(st.just({}), weights))
def test_it_is_the_best_of_all_cuts(problem: shoal.Problem, given: dict[str, float]) -> None:
    if feasible(problem):
        check_optimal(weighted(problem, given))


@examples(800)
@given(problem=problems(finite, max_leaves=10, max_rows=25))
def test_it_equals_oa(problem: shoal.Problem) -> None:
    """OA, which tries all cuts, is checked against brute force elsewhere."""
    if feasible(problem):
        best = shoal.algorithms.OA(polish=True).solve(problem.prepared, QUIET)
        assert cost(problem, shoal.algorithms.Optimal().solve(problem.prepared, QUIET)) == cost(problem, best)


@examples(150)
@given(problem=problems(km, max_rows=30), stop=st.integers(0, 30))
def test_the_bound_is_never_above_the_optimum(problem: shoal.Problem, stop: int) -> None:
    """Whenever the clock stops it."""
    if not feasible(problem):
        return
    best = shoal.algorithms.Optimal().solve(problem.prepared, QUIET).optimality
    assert best is not None
    ticks = 0

    def clock() -> float:
        nonlocal ticks
        ticks += 1
        return float(ticks > stop)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.search.exact.time.monotonic", clock)
        search = exact.ExactSearch(problem.prepared, QUIET, Clock(0.5))
        found = search.run(needs_proof=True)
    stopped = found.optimality
    assert stopped is not None
    assert stopped.lower_bound <= best.loss <= stopped.loss
    assert stopped.proven == (stopped.lower_bound == stopped.loss)
    assert 0 <= stopped.gap <= 1
    if not stopped.proven:
        assert cost(problem, found) <= cost(problem, shoal.algorithms.AA().solve(problem.prepared, QUIET))
    assert isinstance(found.recoding, shoal.recoding.GlobalCut)
    assert safe(problem, found.recoding)


@pytest.mark.parametrize("fanout", [2, 3])
def test_bounds_are_honest_whatever_the_limit(fanout: int) -> None:
    """Real clocks: the limit may hit the solver at any moment, also while it loads."""
    problem = medium(fanout=fanout, m=2)
    start = time.monotonic()
    best = shoal.algorithms.Optimal().solve(problem.prepared, QUIET).optimality
    taken = time.monotonic() - start
    assert best is not None
    for share in range(40):
        found = shoal.algorithms.Optimal(time_limit=taken * share / 30).solve(problem.prepared, QUIET).optimality
        assert found is not None
        assert found.lower_bound <= best.loss <= found.loss
        assert found.proven == (found.loss == best.loss == found.lower_bound)


@pytest.mark.parametrize("m", [2, 3, 5, "all"])
def test_several_rounds_and_workers(m: int | Literal["all"]) -> None:
    problem = medium(m)
    one, other = (
        shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal(), engine=shoal.Engine(workers=n)) for n in (1, 3)
    )
    assert one.optimality is not None
    assert one.optimality.proven
    assert one.published.rows.sha256 == other.published.rows.sha256
    assert one.optimality == other.optimality
    aa = shoal.anonymize(problem, algorithm=shoal.algorithms.AA())
    polished = shoal.anonymize(problem, algorithm=shoal.algorithms.AA(polish=True))
    assert one.losses["ncp"] <= polished.losses["ncp"] <= aa.losses["ncp"]


def test_small_efforts_end_in_the_same_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = medium(fanout=2)
    best = shoal.algorithms.Optimal().solve(problem.prepared, QUIET).optimality
    monkeypatch.setattr(exact, "FIRST_EFFORT", 1e-6)
    asked = []

    def solve(*args: Any) -> solver.Relaxed:
        asked.append(relaxed := ask(*args))
        return relaxed

    ask = solver.solve
    monkeypatch.setattr(solver, "solve", solve)
    slow = shoal.algorithms.Optimal().solve(problem.prepared, QUIET).optimality
    assert best is not None
    assert slow is not None
    assert slow.proven
    assert slow.loss == best.loss
    assert not all(relaxed.proven for relaxed in asked)  # some were stopped: their bounds are bounds all the same
    assert all(relaxed.bound / problem.prepared.scale <= best.loss for relaxed in asked)


def test_without_time_it_is_aa_with_a_bound() -> None:
    problem = medium(fanout=2)
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.Auto(time_limit=0))
    best = shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal())
    assert release.optimality is not None
    assert best.optimality is not None
    assert release.optimality.ended == "time limit"
    assert 0 < release.optimality.lower_bound <= best.optimality.loss <= release.optimality.loss
    assert release.losses["ncp"] <= shoal.anonymize(problem, algorithm=shoal.algorithms.AA(polish=True)).losses["ncp"]


def interrupting(stage: str, times: int = 1) -> Callable[[str, float], None]:
    """Ctrl-C when that stage is reached, and again at the next steps."""
    left = times

    def progress(at: str, share: float) -> None:
        nonlocal left
        if at == stage and left:
            left -= 1
            raise KeyboardInterrupt

    return progress


def test_interrupted_it_keeps_the_best_so_far() -> None:
    problem = medium(fanout=2)
    release = shoal.anonymize(
        problem, algorithm=shoal.algorithms.Optimal(), engine=shoal.Engine(progress=interrupting("proving"))
    )
    assert release.optimality is not None
    assert release.optimality.ended == "interrupted"
    assert release.verdict.holds
    assert 0 < release.optimality.lower_bound < release.optimality.loss


def test_interrupted_twice_it_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> solver.Relaxed:
        raise KeyboardInterrupt

    monkeypatch.setattr(solver, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        shoal.anonymize(medium(fanout=2), algorithm=shoal.algorithms.Optimal())


def test_interrupted_before_there_is_anything_it_stops() -> None:
    with pytest.raises(KeyboardInterrupt):
        shoal.anonymize(
            medium(), algorithm=shoal.algorithms.Optimal(), engine=shoal.Engine(progress=interrupting("descending"))
        )


@examples(150)
@given(problem=problems(km))
def test_polish_leaves_nothing_that_could_be_split(problem: shoal.Problem) -> None:
    if not feasible(problem):
        return
    for method in (shoal.algorithms.AA(polish=True), shoal.algorithms.DA(polish=True)):
        cut = method.solve(problem.prepared, QUIET).recoding
        assert isinstance(cut, shoal.recoding.GlobalCut)
        assert safe(problem, cut)
        tree = Expansion(problem.prepared.hierarchy, problem.prepared.costs)
        assert not any(safe(problem, tree.cut(tree.expanded(cut) | {node})) for node in cut.raised)


@examples(150)
@given(problem=problems(km))
def test_explanations_are_true(problem: shoal.Problem) -> None:
    if not feasible(problem):
        return
    cut = shoal.algorithms.AA().solve(problem.prepared, QUIET).recoding
    assert isinstance(cut, shoal.recoding.GlobalCut)
    tree, labels = Expansion(problem.prepared.hierarchy, problem.prepared.costs), problem.prepared.hierarchy.labels
    supports = cut.apply(problem.prepared.items).rows.supports
    used = {labels[node] for node, count in zip(cut.nodes, supports, strict=True) if count and node in cut.raised}
    explanations = explain_cut(problem.prepared, cut)
    assert {one.group for one in explanations} == used
    k, m = problem.model.values()["k"], problem.model.values()["m"]
    for one in explanations:
        node = problem.prepared.hierarchy.code_of[one.group]
        split = tree.cut(tree.expanded(cut) | {node})
        if one.witness is None:
            assert safe(problem, split)
            continue
        rows = split.apply(problem.prepared.items).rows.sets()
        assert oracles.support(rows, one.witness.labels, problem.prepared.persons) == one.witness.support
        assert 0 < one.witness.support < int(k)
        assert m == "all" or len(one.witness.labels) <= int(m)
        assert any(
            label in one.witness.labels for label in (labels[c] for c in problem.prepared.hierarchy.children[node])
        )


@examples(100)
@given(problem=problems(km))
def test_a_cut_is_read_off_its_published_rows(problem: shoal.Problem) -> None:
    for cut in all_cuts(problem.prepared.hierarchy)[:20]:
        published = cut.apply(problem.prepared.items)
        again = cut_of(problem.prepared, shoal.published.Published.resolve(published.rows, problem.prepared.hierarchy))
        assert again.apply(problem.prepared.items).rows.sets() == published.rows.sets()


def test_rows_that_no_cut_makes_are_refused() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    data = shoal.read([["a1", "b1"], ["a1", "b2"]])
    problem = shoal.Problem(data, tree, shoal.Km(k=2, m=1))
    rows = shoal.data.Transactions.from_sets([["A", "b1"], ["a1", "b2"]])
    with pytest.raises(shoal.errors.DataError, match="in the same way in every record"):
        cut_of(problem.prepared, shoal.published.Published.resolve(rows, tree))


def test_weights_change_what_is_kept() -> None:
    """Two groups that cannot both be split: the one that counts more is."""
    tree = shoal.Hierarchy.from_tree({"ALL": {"medicine": ["m1", "m2"], "toys": ["t1", "t2"]}})
    rows = [["m1", "t1"], ["m1", "t2"], ["m2", "t1"], ["m2", "t2"]]
    kept = {}
    for group in ("medicine", "toys"):
        given = shoal.Weights({group: 10})
        problem = shoal.Problem(shoal.read(rows), tree, shoal.Km(k=2, m=2), weights=given)
        release = shoal.anonymize(problem)
        kept[group] = set(release.published.rows.labels)
        assert release.optimality is not None
        assert release.losses["weighted_ncp"] == release.optimality.loss
        assert release.losses["weighted_ncp"] < release.losses["ncp"]
    assert kept == {"medicine": {"m1", "m2", "toys"}, "toys": {"medicine", "t1", "t2"}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("milk,2\nmilk,3\n", r"line 2: 'milk' has a weight already \(.*line 1\)"),
        ("milk,-1\n", "line 1: a weight must be a number from 0 to 1000000 with at most 6 decimals, got '-1'"),
        ("milk,heavy\n", "got 'heavy'"),
        ("milk,nan\n", "got 'nan'"),
        ("milk,1.23456789\n", "at most 6 decimals"),
        ("milk,1,2\n", "line 1: wanted an item or group and its weight, got 3 cell"),
        ("milk\nbeer\n", "wanted two columns"),
        ("item,weight\n", "holds no weights"),
        ("", "holds no weights"),
        ("mlik,2\n", r"line 1: 'mlik' is neither an item nor a group of the hierarchy .* \(did you mean 'milk'\?\)"),
    ],
)
def test_bad_weights(tmp_path: Any, text: str, message: str) -> None:
    (tmp_path / "w.csv").write_text(text)
    tree = shoal.Hierarchy.from_tree({"ALL": ["milk", "beer"]})
    with pytest.raises(OptionError, match=message):
        shoal.Problem(shoal.read([["milk"]]), tree, shoal.Km(), weights=shoal.Weights.load(tmp_path / "w.csv"))


def test_weights_that_cannot_be_compared_exactly_are_refused() -> None:
    tree = hierarchies.balanced([f"i{n}" for n in range(2000)])
    given = shoal.Weights({"i0": 1_000_000, "i1": 0.000001})
    rows = [[f"i{n}" for n in range(2000)] for _ in range(100)]
    problem = shoal.Problem(shoal.read(rows), tree, shoal.Km(), weights=given)
    with pytest.raises(OptionError, match="fewer digits"):
        shoal.anonymize(problem)


def test_equal_weights_are_no_weights() -> None:
    problem = medium()
    same = shoal.Weights({problem.prepared.hierarchy.labels[-1]: 7})
    again = shoal.Problem(problem.data, problem.prepared.hierarchy, problem.model, weights=same)
    assert np.array_equal(problem.prepared.costs, again.prepared.costs)
