"""Methods that draw by chance: the seed decides, and nothing else does."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import shoal
from shoal.algorithms.base import Algorithm
from shoal.problem import Problem

DRAW = random.Random(1)
ITEMS = [f"i{at}" for at in range(12)]
SETS = [[*DRAW.sample(ITEMS, 4), *(["HIV"] if at % 5 == 0 else [])] for at in range(60)]
AGES = [DRAW.randrange(90) for _ in SETS]
SECRET = ("HIV",)


def problem(model: shoal.models.PrivacyModel, seed: int) -> Problem:
    data = shoal.read(pa.table({"age": AGES, "items": SETS}), sets="items")
    columns = {"age": "quasi-identifier"} if model.relational else {}
    tree = shoal.Hierarchy.flat([*ITEMS, "HIV"])
    return Problem(data, tree, model, seed=seed, columns=columns)


@pytest.mark.parametrize(
    ("model", "algorithm"),
    [
        (shoal.models.SensitiveK(k=3, sensitive=SECRET), shoal.algorithms.KNN()),
        (shoal.models.K(k=4), shoal.algorithms.Cluster()),
        (shoal.models.PrivacyDegree(p=3, sensitive=SECRET), shoal.algorithms.GraySort()),
    ],
    ids=lambda given: given.name,
)
def test_equal_seeds_give_equal_releases_and_others_differ(
    model: shoal.models.PrivacyModel, algorithm: Algorithm
) -> None:
    def published(seed: int) -> tuple[object, ...]:
        made = shoal.anonymize(problem(model, seed), algorithm=algorithm).dataset
        return made.transactions.sets(), made.table and made.table.arrow.to_pylist()

    releases = [published(seed) for seed in range(6)]
    assert [published(seed) for seed in range(6)] == releases
    assert any(one != releases[0] for one in releases)
