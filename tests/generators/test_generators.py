"""The data generators: deterministic, of the shape asked for, in little memory.

Covers: generators/quest.py, generators/videos.py, generators/supermarket.py, generators/products.py.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest

from shoal.data import Transactions
from shoal.errors import OptionError
from shoal.generators.products import DEPARTMENTS, ROOT, aisles
from shoal.generators.quest import Quest
from shoal.generators.supermarket import MISSIONS, TILL, product_hierarchy, supermarket
from shoal.generators.videos import CATEGORIES, ERAS, OLDEST, Videos


def pair_supports(rows: Transactions) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """[n, n] the support of every pair of items, of single items on the diagonal."""
    held = np.zeros((len(rows), len(rows.labels)), dtype=np.float32)
    held[np.repeat(np.arange(len(rows)), rows.sizes), rows.items] = 1
    return np.asarray(held.T @ held, dtype=np.float32)


# ---- Quest: determinism


def test_equal_seeds_give_equal_bytes_and_others_do_not() -> None:
    assert Quest(rows=2_000, seed=3).transactions().sha256 == Quest(rows=2_000, seed=3).transactions().sha256
    assert Quest(rows=2_000, seed=3).transactions().sha256 != Quest(rows=2_000, seed=4).transactions().sha256


@pytest.mark.parametrize("batch_rows", [7_001, 16_384, 30_000, 10**9])
def test_batch_size_does_not_change_the_rows(batch_rows: int) -> None:
    quest = Quest(rows=40_001, mean_size=4, mean_pattern=2, items=300, patterns=200, seed=1)
    whole = quest.transactions()
    batches = list(quest.batches(batch_rows))
    sizes = [len(indptr) - 1 for indptr, _ in batches]
    assert sizes == [min(batch_rows, 40_001 - start) for start in range(0, 40_001, batch_rows)]
    assert np.array_equal(np.concatenate([items for _, items in batches]), whole.items)
    assert np.array_equal(np.concatenate([np.diff(indptr) for indptr, _ in batches]), whole.sizes)


def test_batches_of_one_row() -> None:
    quest = Quest(rows=20)
    rows = [items.tolist() for _, items in quest.batches(1)]
    assert rows == [row.tolist() for row in quest.transactions()]


def test_more_rows_only_append() -> None:
    few, many = Quest(rows=100, tail=0.5).transactions(), Quest(rows=20_000, tail=0.5).transactions()
    assert np.array_equal(few.items, many.items[: len(few.items)])
    assert np.array_equal(few.indptr, many.indptr[:101])


# ---- Quest: shape


@pytest.mark.parametrize(
    ("quest", "tolerance"),
    [
        (Quest(rows=16_384), 0.02),
        (Quest(rows=16_384, mean_size=20, mean_pattern=6), 0.03),
        (Quest(rows=16_384, mean_size=5, mean_pattern=2), 0.06),
        (Quest(rows=16_384, mean_size=10, items=10_000, patterns=10_000, seed=9), 0.02),
        (Quest(rows=16_384, mean_size=8, tail=0.8), 0.12),  # many rows are smaller than a pattern
        (Quest(rows=16_384, mean_size=8, tail=0.8, mean_pattern=2), 0.06),
        (Quest(rows=16_384, corruption=0, corruption_sd=0, correlation=0), 0.03),
    ],
)
def test_mean_size_is_near_what_was_asked_for(quest: Quest, tolerance: float) -> None:
    rows = quest.transactions()
    assert len(rows) == quest.rows
    assert rows.sizes.min() >= 1
    assert rows.sizes.mean() == pytest.approx(quest.mean_size, rel=tolerance)
    assert np.count_nonzero(rows.supports) > 0.85 * quest.items


def test_sizes_are_poisson_without_a_tail_and_wide_with_one() -> None:
    plain = Quest(rows=16_384).transactions().sizes
    tailed = Quest(rows=16_384, tail=0.9).transactions().sizes
    assert plain.std() == pytest.approx(3.67, rel=0.06)  # that of the original T10I4D100K; the aims alone have 3.16
    assert plain.max() < 40
    assert tailed.max() > 80


def test_max_size_is_never_exceeded() -> None:
    capped = Quest(rows=16_384, tail=1, max_size=12, mean_pattern=6).transactions()
    assert capped.sizes.max() <= 12
    assert Quest(rows=1_000, max_size=1).transactions().sizes.tolist() == [1] * 1_000


def test_skew_makes_some_items_popular() -> None:
    flat, skewed = Quest(rows=10_000).transactions().supports, Quest(rows=10_000, skew=1).transactions().supports
    assert skewed.max() > 5 * flat.max()
    assert not np.array_equal(np.argsort(-skewed)[:10], np.arange(10))  # popularity does not follow the ids


def test_shape_of_bms_pos() -> None:
    rows = Quest.like("bms-pos", rows=60_000).transactions()
    assert Quest.like("bms-pos").rows == 515_597
    assert rows.sizes.mean() == pytest.approx(6.5, rel=0.03)
    assert 60 < rows.sizes.max() <= 164
    assert 1_400 < np.count_nonzero(rows.supports) <= 1_657


# ---- Quest: patterns


def test_items_of_a_pattern_occur_together_far_more_often_than_by_chance() -> None:
    quest = Quest(rows=16_384)
    table, together = quest.pattern_table, pair_supports(quest.transactions())
    single = np.diag(together)
    lifts = []
    for p in np.argsort(-table.weight)[:20]:
        pattern = table.items[table.indptr[p] : table.indptr[p + 1]]
        lifts += [together[a, b] / (single[a] * single[b] / quest.rows) for a in pattern for b in pattern if a < b]
    assert np.median(lifts) > 3


def test_consecutive_patterns_share_the_items_that_correlation_says() -> None:
    for correlation, low, high in ((0.0, 0.0, 0.02), (0.5, 0.3, 0.5), (2.0, 0.6, 0.95)):
        table = Quest(correlation=correlation).pattern_table
        patterns = [set(p.tolist()) for p in np.split(table.items, table.indptr[1:-1])]
        assert all(len(p) == size for p, size in zip(patterns, np.diff(table.indptr), strict=True))
        pairs = zip(patterns[1:], patterns, strict=False)
        assert low <= np.mean([len(now & before) / len(now) for now, before in pairs]) <= high


def test_corruption_drops_a_geometric_number_of_random_items() -> None:
    quest = Quest(patterns=1, mean_pattern=6, items=50, corruption_sd=0)
    size = len(quest.pattern_table.items)
    rng = np.random.default_rng(0)
    picks = np.zeros(50_000, dtype=np.int64)
    codes, pick_of = quest._kept_items(rng, picks, np.full(50_000, size - 1))
    assert np.bincount(pick_of).tolist() == [size - 1] * 50_000
    share = np.bincount(codes, minlength=50)[quest.pattern_table.items] / 50_000
    assert share == pytest.approx(np.full(size, 1 - 1 / size), abs=0.01)
    _, kept, _ = quest._place(rng, [1] * 16_384, 2**62)  # one pick a row
    chance = np.array([0.5**d * 0.5 for d in range(size)])  # of dropping d; a pick that loses all is void
    seen = np.bincount(size - kept, minlength=size) / len(kept)
    assert seen == pytest.approx(chance / chance.sum(), abs=0.02)


# ---- Quest: limits


def test_the_smallest_cases() -> None:
    assert len(Quest(rows=1).transactions()) == 1
    only = Quest(rows=50, items=1).transactions()
    assert (only.labels, set(only.items.tolist()), len(only.items)) == (("0",), {0}, 50)
    tiny = Quest(rows=500, items=3, patterns=1, mean_size=50, mean_pattern=50, skew=3, corruption=0.95)
    assert tiny.transactions().sizes.max() <= 3


def test_streaming_needs_little_memory() -> None:
    quest = Quest(rows=200_000, mean_size=5, mean_pattern=2, items=500, patterns=500)
    tracemalloc.start()
    try:
        rows = sum(len(indptr) - 1 for indptr, _ in quest.batches(10_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert rows == 200_000
    assert peak < 20 * 2**20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"items": 0}, "--items must be at least 1, got 0."),
        ({"rows": 0}, "--rows must be at least 1, got 0."),
        ({"mean_size": 0.5}, "--mean-size must be at least 1, got 0.5."),
        ({"corruption": 1.0}, "--corruption must be at most 0.95, got 1."),
        ({"max_size": "lots"}, "--max-size must be a whole number or 'none', got 'lots'."),
        ({"size": 3}, "quest has no option --size"),
    ],
)
def test_wrong_options_are_told(options: dict[str, int | float | str], message: str) -> None:
    with pytest.raises(OptionError, match=message.replace("(", r"\(")):
        Quest.parse(options)


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(OptionError, match=r"no shape 'bms-po' \(did you mean 'bms-pos'\?\)"):
        Quest.like("bms-po")
    with pytest.raises(OptionError, match="batch_rows must be at least 1, got 0"):
        next(Quest().batches(0))


def test_options_come_from_text() -> None:
    assert Quest.parse({"rows": "10", "tail": "0.5", "max_size": "none"}) == Quest(rows=10, tail=0.5)
    assert Quest.parse({"max_size": "164"}).max_size == 164


def test_the_hierarchy_covers_every_label() -> None:
    import shoal.hierarchies

    if not hasattr(shoal.hierarchies, "balanced"):
        pytest.skip("shoal.hierarchies.balanced is not there yet")
    quest = Quest(rows=200, items=130)
    hierarchy = quest.hierarchy(fanout=5)
    assert hierarchy.labels[:130] == quest.labels()
    assert len(hierarchy.encode(quest.transactions())) == 200
    assert max(map(len, hierarchy.children)) <= 5


# ---- the supermarket


def test_the_product_tree_is_four_levels_of_unique_plain_labels() -> None:
    hierarchy = product_hierarchy()
    assert hierarchy.labels[-1] == ROOT
    assert set(hierarchy.depth[: hierarchy.n_leaves].tolist()) == {3}
    assert 250 <= hierarchy.n_leaves <= 400
    assert len(DEPARTMENTS) == 12
    assert len(set(hierarchy.labels)) == len(hierarchy)
    for label in hierarchy.labels:
        assert label == label.strip()
        assert label
        assert not set(label) & set(",;|\t\n\"'")
        assert not label.isdigit()
        assert "  " not in label
    assert any(" " in label for label in hierarchy.labels[: hierarchy.n_leaves])


def test_every_aisle_is_visited_and_every_visited_aisle_exists() -> None:
    visited = {aisle for mission in [*MISSIONS.values(), TILL] for aisle in mission.aisles}
    assert visited == set(aisles())


def test_supermarket_is_deterministic_and_fast() -> None:
    start = time.perf_counter()
    baskets = supermarket()
    assert time.perf_counter() - start < 2  # typically 0.1 s
    assert baskets.sha256 == supermarket(rows=20_000, seed=0).sha256
    assert baskets.sha256 != supermarket(seed=1).sha256


def test_supermarket_has_the_shape_of_baskets() -> None:
    baskets = supermarket()
    assert len(baskets) == baskets.non_empty == 20_000
    assert 5 < baskets.sizes.mean() < 6
    assert baskets.sizes.max() > 25
    assert baskets.supports.min() >= 5  # every product is sold
    popular = np.sort(baskets.supports)[::-1]
    assert popular[0] > 15 * popular[len(popular) // 2]  # Zipf-like
    assert len(product_hierarchy().encode(baskets)) == 20_000


def test_supermarket_is_at_risk_in_products_and_hardly_in_aisles() -> None:
    hierarchy, baskets = product_hierarchy(), supermarket()

    def rare_share(rows: Transactions) -> float:
        pairs = pair_supports(rows)[np.triu_indices(len(rows.labels), 1)]
        return float(np.mean(pairs[pairs > 0] < 5))

    in_aisles = baskets.recode(hierarchy.parent[: hierarchy.n_leaves], hierarchy.labels)
    assert 0.05 < rare_share(baskets) < 0.25
    assert rare_share(in_aisles) < 0.01


def test_small_and_wrong_supermarkets() -> None:
    assert len(supermarket(rows=0)) == 0
    assert len(supermarket(rows=1)) == 1
    with pytest.raises(OptionError, match="supermarket: rows must be at least 0, got -1"):
        supermarket(rows=-1)
    with pytest.raises(OptionError, match="supermarket: seed must be at least 0, got -1"):
        supermarket(seed=-1)


# ---- videos: columns and sets


def test_videos_are_deterministic_and_more_rows_only_append() -> None:
    few, same, many = (Videos(rows=rows, seed=3).dataset() for rows in (1_000, 1_000, 20_000))
    assert few.transactions.sha256 == same.transactions.sha256
    assert few.table is not None
    assert many.table is not None
    assert few.table.arrow.equals(many.table.arrow.slice(0, 1_000))
    assert np.array_equal(few.transactions.items, many.transactions.items[: len(few.transactions.items)])
    assert few.transactions.sha256 != Videos(rows=1_000, seed=4).dataset().transactions.sha256


def test_videos_have_the_shape_of_the_papers_data() -> None:
    assert (Videos().rows, Videos().items, Videos().max_size) == (131_780, 936, 37)
    made = Videos(rows=40_000).dataset()
    sizes = made.transactions.sizes
    assert sizes.mean() == pytest.approx(6.51, rel=0.01)
    assert (sizes.min(), sizes.max()) == (1, 37)
    assert np.count_nonzero(made.transactions.supports) == 936
    assert made.table is not None
    columns = {name: made.table.arrow[name].to_numpy(zero_copy_only=False) for name in made.table.names}
    assert set(columns["category"]) == set(CATEGORIES)
    assert 1 <= columns["age"].min() < columns["age"].max() <= OLDEST
    assert ((columns["rate"] == 0) == (columns["ratings"] == 0)).all()
    assert columns["rate"].max() <= 5
    assert np.corrcoef(np.log1p(columns["ratings"]), np.log1p(columns["comments"]))[0, 1] > 0.8


@pytest.mark.parametrize(("dependence", "least", "most"), [(0.0, 0.0, 0.05), (0.9, 0.75, 0.95)])
def test_items_of_videos_depend_on_the_columns_as_much_as_asked_for(
    dependence: float, least: float, most: float
) -> None:
    generator = Videos(rows=5_000, dependence=dependence, mean_size=3)
    topics = len(CATEGORIES) * ERAS
    [(columns, indptr, items)] = generator.blocks()
    topic = columns["category"] * ERAS + columns["age"] * ERAS // (OLDEST + 1)
    of_item = np.searchsorted(np.arange(1, topics + 1) * generator.items // topics, items, side="right")
    assert least <= np.mean(np.repeat(topic, np.diff(indptr)) == of_item) <= most


def test_small_and_wrong_videos() -> None:
    tiny = Videos(rows=1, items=2, mean_size=2, max_size=2).dataset().transactions
    assert (len(tiny), int(tiny.sizes[0])) == (1, 2) or int(tiny.sizes[0]) == 1
    assert Videos(rows=50, items=5, mean_size=5, max_size=5, skew=3).dataset().transactions.sizes.max() == 5
    with pytest.raises(OptionError, match="videos: wanted mean_size <= max_size <= items, got 9, 5 and 936"):
        Videos(mean_size=9, max_size=5)
