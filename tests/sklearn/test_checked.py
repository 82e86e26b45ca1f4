"""Batches without the guarantee: refused, repaired by leaving out few labels, or returned with a warning."""

from __future__ import annotations

import logging
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("sklearn")
from sklearn.model_selection import train_test_split

import shoal
from shoal.errors import RecodingFails
from shoal.sklearn import Anonymizer, GuaranteeWarning
from tests.budget import examples
from tests.oracles import is_km_anonymous

ITEMS = "abcde"
EVERYTHING = [set(ITEMS)] * 3  # nothing needs to be changed here, so each item is a label
BATCHES = st.lists(st.frozensets(st.sampled_from(ITEMS)), min_size=1, max_size=9)


def left(rows: Any, gone: Any) -> list[frozenset[str]]:
    return [frozenset(row).difference(gone) for row in rows]


def choices() -> list[set[str]]:
    return [set(some) for size in range(len(ITEMS) + 1) for some in combinations(ITEMS, size)]


@examples(500)
@given(BATCHES, st.integers(2, 3), st.sampled_from([1, 2, 3, "all"]))
def test_for_km_as_few_items_as_possible_are_left_out(rows: Any, k: int, m: Any) -> None:
    """Compared with all sets of labels that could be left out."""
    estimator = Anonymizer(k=k, m=m, violations="suppress", output="lists").fit(EVERYTHING)
    found = [frozenset(row) for row in estimator.transform(rows)]
    gone = {item for before, after in zip(rows, found, strict=True) for item in before - after}
    assert found == left(rows, gone)
    counts = Counter(item for row in rows for item in row)
    known = len(ITEMS) if m == "all" else m
    safe = [some for some in choices() if is_km_anonymous(left(rows, some), k, known)]
    assert sum(counts[item] for item in gone) == min(sum(counts[item] for item in some) for some in safe)


MODELS = [
    shoal.models.KmNegative(k=2, m=1),
    shoal.Lm(l=2, m=2, sensitive=("e",)),
    shoal.models.Hkp(h=0.5, k=2, p=2, sensitive=("e",)),
]


@examples(300)
@given(BATCHES, st.sampled_from(MODELS))
def test_for_other_models_no_label_could_be_put_back(rows: Any, model: Any) -> None:
    fitted = [*EVERYTHING, *[set("abcd")] * 6]
    estimator = Anonymizer(model=model, violations="suppress", output="lists").fit(fitted)
    assert set(estimator.labels_) == set(ITEMS)
    sensitive = {*model.sensitive_labels}

    def holds(gone: set[str]) -> bool:
        return bool(model.verify(model.as_published(shoal.read(left(rows, gone)))))

    try:
        found = [frozenset(row) for row in estimator.transform(rows)]
    except RecodingFails:
        assert not holds(set(ITEMS) - sensitive)
        return
    gone = {item for before, after in zip(rows, found, strict=True) for item in before - after}
    assert found == left(rows, gone)
    assert not gone & sensitive
    assert holds(gone)
    assert not any(holds(gone - {item}) for item in gone)


@pytest.mark.filterwarnings("ignore::shoal.sklearn.GuaranteeWarning")
def test_the_page_says_what_small_batches_lose(real_data: Path) -> None:
    baskets = shoal.read(real_data / "groceries" / "transactions.basket").transactions.sets()
    train, test = train_test_split(baskets, random_state=0)
    algorithm = shoal.algorithms.Optimal(siblings="frequency")
    estimator = Anonymizer(k=5, m=2, hierarchy=real_data / "groceries" / "hierarchy.csv", algorithm=algorithm).fit(
        train
    )
    page = Path(__file__).parents[2] / "docs" / "how-to" / "scikit-learn.md"
    table = re.findall(r"^\| ([\d,]+) \| (\d+) % \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(table) == 4
    for rows, percent in table:
        batch = test[: int(rows.replace(",", ""))]
        safe, all_labels = (estimator.set_params(violations=word).transform(batch) for word in ("suppress", "warn"))
        assert percent == f"{100 * safe.nnz / all_labels.nnz:.0f}"
        assert shoal.verify(as_lists(estimator, safe), k=5, m=2)


def as_lists(estimator: Anonymizer, matrix: Any) -> list[list[str]]:
    return [[str(estimator.labels_[column]) for column in row.indices] for row in matrix]


def test_errors_and_warnings_count_violations_and_name_no_items(caplog: pytest.LogCaptureFixture) -> None:
    rows = [{"a", "b"}, {"a"}, {"c"}]
    estimator = Anonymizer(k=2, m=2, output="lists").fit(EVERYTHING)
    with caplog.at_level(logging.DEBUG, logger="shoal"), pytest.raises(RecodingFails) as caught:
        estimator.transform(rows)
    assert str(caught.value).startswith(
        "The fitted recoding does not give 2^2-anonymity on these 3 records (violations: 2): nothing was returned."
    )
    assert {witness.labels for witness in caught.value.verdict.witnesses} == {("b",), ("c",)}
    with pytest.warns(GuaranteeWarning) as warned:
        assert estimator.set_params(violations="warn").transform(rows) == [["a", "b"], ["a"], ["c"]]
    assert str(warned[0].message).startswith("The transformed records are not 2^2-anonymous (violations: 2).")
    assert warned[0].filename == __file__  # not that of a function of Shoal
    lm = Anonymizer(model=shoal.Lm(l=2, m=1, sensitive=("e",)), violations="warn").fit([{"a", "e"}, {"a"}, {"a"}])
    with pytest.warns(GuaranteeWarning, match=r"records do not have 2\^1-diversity \(violations: 1\)"):
        lm.transform([{"a", "e"}])
    assert not any(f"{{{item}" in caplog.text for item in ITEMS)
