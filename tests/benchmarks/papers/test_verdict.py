"""The one rule by which the claims of papers are judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import pytest

from benchmarks.papers.verdict import Cell, Claim, bullets, side_by_side, summary, table

Tried = Sequence[tuple[bool, Mapping[str, object]]]


def claim(cells: Tried, **more: object) -> Claim:
    given = tuple(Cell(true, where) for true, where in cells)
    return Claim("Fig. 1a", "it is small", given, "3 % at |D|=5", **more)  # type: ignore[arg-type]


def tried(*true: bool, **where: object) -> list[tuple[bool, Mapping[str, object]]]:
    return [(one, {**where, "k": k}) for k, one in enumerate(true)]


GOOD, BAD = (True, True, True, False), (False, False, False, True)


@pytest.mark.parametrize(
    ("cells", "verdict"),
    [
        (tried(*GOOD), "holds"),
        (tried(*BAD), "does not hold"),
        (tried(True, True, False, False), "depends on k: holds for 0, 1"),
        ([(False, {}), (False, {})], "does not hold"),
        ([(False, {})] * 3 + [(True, {})], "does not hold"),
        ([(True, {}), (False, {})], "depends on the case"),
        ([], "cannot be judged here"),
        (tried(*GOOD, data="WV1") + tried(*GOOD, data="WV2"), "holds"),
        (tried(*GOOD, data="WV1") + tried(*BAD, data="WV2"), "depends on the data: holds for WV1"),
        (tried(*[True] * 9, data="WV1") + tried(False, data="WV2"), "depends on the data: holds for WV1"),
    ],
)
def test_the_verdict_follows_from_the_cells(cells: Tried, verdict: str) -> None:
    assert claim(cells).verdict == verdict


def test_one_cell_refutes_a_theorem_and_not_a_tendency() -> None:
    cells = [(True, {"data": "WV1"})] * 99 + [(False, {"data": "WV1"})]
    assert claim(cells).verdict == "holds"
    assert claim(cells, always=True).verdict == "does not hold"


def test_the_setting_that_parts_the_cells_best_is_named() -> None:
    """By frequency all is true and by id nothing is; by data it is half and half and a bit."""
    cells: Tried = [
        (order == "by frequency", {"data": data, "order": order})
        for data, order in product(("POS", "WV1"), ("by id", "by frequency"))
    ]
    assert claim(cells).verdict == "depends on the order of the items: holds for by frequency"


def test_many_seeds_of_one_data_set_do_not_outvote_the_others() -> None:
    cells: Tried = [
        *((True, {"data": "POS", "order": order, "seed": seed}) for order in ("id", "frequency") for seed in range(9)),
        *((order == "frequency", {"data": data, "order": order}) for data in "AB" for order in ("id", "frequency")),
    ]
    assert claim(cells).count == "20 of 22, 9 seeds"
    assert claim(cells).verdict == "depends on the order of the items: holds for frequency"


def test_a_setting_that_hardly_matters_explains_nothing() -> None:
    """Three of four true on one data set, five of eight on the other."""
    cells = tried(True, True, True, False, data="WV1") + tried(*[True] * 5, *[False] * 3, data="WV2")
    assert claim([(true, {"data": where["data"]}) for true, where in cells]).verdict == "depends on the case"


def test_a_claim_must_hold_for_each_data_set_by_itself() -> None:
    """Nine of ten on one data set, seven of ten on the other: sixteen of twenty are not enough."""
    cells: Tried = [(at < most, {"data": data}) for data, most in (("WV1", 9), ("WV2", 7)) for at in range(10)]
    assert claim(cells).verdict == "depends on the case"


def test_the_papers_own_setting_is_told_apart() -> None:
    cells: Tried = [
        (True, {"data": "WV1", "k": 5}),
        (False, {"data": "WV1", "k": 9}),
        (False, {"data": "WV2", "k": 5}),
    ]
    own = {"data": "WV1", "k": 5}
    assert claim(cells, own=own).verdict == "holds in the paper's own setting only (WV1, 5)"
    assert claim([(False, own)], own=own).verdict == "does not hold"
    assert claim([(True, own)], own=own).verdict == "holds"


def test_seeds_are_counted_within_a_setting() -> None:
    """Three of four seeds are enough; of two of four those are named."""
    cells = [(seed != 2, {"seed": seed}) for seed in range(4)]
    assert claim(cells).verdict == "holds"
    assert claim(cells).count == "3 of 4, 4 seeds"
    assert claim([(seed > 1, {"seed": seed}) for seed in range(4)]).verdict == "depends on the seed: holds for 2, 3"
    assert claim([(seed > 1, {"seed": seed}) for seed in range(5)]).verdict == "depends on the seed: holds for 3 of 5"


def test_seeds_explain_nothing_where_some_cells_have_none() -> None:
    cells: Tried = [(seed == 1, {"seed": seed}) for seed in (1, 2)] + [(True, {}), (False, {})]
    assert claim(cells).verdict == "depends on the case"


def test_tables_and_lists_show_verdict_count_and_figures() -> None:
    one, other = claim(tried(*GOOD)), claim([(False, {})])
    assert table([one]).splitlines()[-1] == r"| Fig. 1a | it is small | holds | 3 of 4 | 3 % at \|D\|=5 |"
    assert bullets([one, other], "Fig. 1") == (
        "- Holds (3 of 4): it is small. 3 % at |D|=5.\n- **Does not hold** (0 of 1): it is small. 3 % at |D|=5."
    )
    assert bullets([one], "Fig. 2") == ""
    beside = side_by_side({"sets": [one], "hierarchy": [one], "both": [other]}).splitlines()[-1]
    assert beside.count("the same") == 1
    assert beside.endswith(r"| **does not hold** (0 of 1)<br>3 % at \|D\|=5 |")


def test_the_summary_counts_every_claim_once() -> None:
    own = claim([(True, {"k": 5}), (False, {"k": 6}), (False, {"k": 7})], own={"k": 5})
    every = [claim(tried(*GOOD)), claim([(False, {})]), claim([]), claim([(True, {}), (False, {})]), own]
    assert summary(every) == (
        "Of 5 claims, 1 hold, 1 hold in the paper's own setting only, 1 depend on the setting, 1 do not hold, "
        "1 cannot be judged here."
    )
