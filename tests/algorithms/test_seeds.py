"""Methods that draw by chance: the seed decides, and nothing else does."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import shoal
from shoal.algorithms import Algorithm
from shoal.problem import Problem

DRAW = random.Random(1)
ITEMS = [f"i{at}" for at in range(12)]
SETS = [[*DRAW.sample(ITEMS, 4), *(["HIV"] if at % 5 == 0 else [])] for at in range(60)]
AGES = [DRAW.randrange(90) for _ in SETS]
SECRET = ("HIV",)


def problem(privacy: shoal.PrivacyModel, seed: int) -> Problem:
    data = shoal.read(pa.table({"age": AGES, "items": SETS}), column="items")
    columns = {"age": "quasi-identifier"} if privacy.relational else {}
    tree = shoal.Hierarchy.flat([*ITEMS, "HIV"])
    return Problem(data, tree, privacy, seed=seed, columns=columns)


@pytest.mark.parametrize(
    ("privacy", "algorithm"),
    [
        (shoal.SensitiveK(k=3, sensitive=SECRET), shoal.KNN()),
        (shoal.KAnonymity(k=4), shoal.Cluster()),
        (shoal.PrivacyDegree(p=3, sensitive=SECRET), shoal.GraySort()),
    ],
    ids=lambda given: given.name,
)
def test_equal_seeds_give_equal_releases_and_others_differ(privacy: shoal.PrivacyModel, algorithm: Algorithm) -> None:
    def published(seed: int) -> tuple[object, ...]:
        made = shoal.anonymize(problem(privacy, seed), algorithm).dataset
        return made.transactions.sets(), made.table and made.table.arrow.to_pylist()

    releases = [published(seed) for seed in range(6)]
    assert [published(seed) for seed in range(6)] == releases
    assert any(one != releases[0] for one in releases)
