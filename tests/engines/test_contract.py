"""Every algorithm on every model gives the same bytes, whatever the engine: its parts, its memory, its workers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.data import Transactions
from shoal.engines import Engine
from shoal.errors import DataError
from shoal.models import set_counting
from shoal.models.base import PrivacyModel
from shoal.search import listing, thinning
from shoal.testing import check_engine, models, problems
from tests.budget import examples

PAIRS = [(one, model) for one in discovery.find("shoal.algorithms", Algorithm).values() for model in one.solves]


@pytest.mark.parametrize(("algorithm", "model"), PAIRS, ids=[f"{a.name}-{m.name}" for a, m in PAIRS])
@examples(15)
@given(data=st.data(), part_rows=st.sampled_from([1, 2, 7]), workers=st.integers(1, 3))
def test_any_engine_gives_the_same_bytes(
    algorithm: type[Algorithm], model: type[PrivacyModel], data: st.DataObject, part_rows: int, workers: int
) -> None:
    """All arrays are in files, and the ways of large data are taken for small ones."""
    problem = data.draw(problems(models(model)))
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in (
            (thinning, "LARGE", 0),
            (thinning, "PAYS", 0),
            (listing, "LARGE", 0),
            (listing, "PAYS", 0),
            (set_counting, "LARGE", 0),
        ):
            patch.setattr(module, name, value)
        check_engine(Engine(workers=workers, memory=1_000, part_rows=part_rows), algorithm(), problem)


@pytest.mark.parametrize("rows", [3, 100])
@pytest.mark.parametrize(("codes", "labels"), [([0, 2], ["a", "b"]), ([0], ["a", "b"]), ([0, 1], ["a", "a"])])
def test_codes_without_a_label_are_refused(rows: int, codes: list[int], labels: list[str]) -> None:
    """Recoded rows are not checked again, so the codes are checked before."""
    data = Transactions.from_sets([["x", "y"]] * rows)
    with Engine(part_rows=10).in_use(), pytest.raises(DataError, match="Transactions"):
        data.recode(np.array(codes, dtype=np.int32), labels)
