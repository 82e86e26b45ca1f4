"""The checks of scikit-learn for estimators, and the few that an Anonymizer cannot pass. Covers: sklearn/scikit.py.

Most checks feed random numbers, which an Anonymizer refuses unless ``binarize`` says what they mean.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

sklearn = pytest.importorskip("sklearn")
from sklearn.exceptions import SkipTestWarning  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402

from shoal.errors import Infeasible, OptionError  # noqa: E402
from shoal.sklearn import Anonymizer  # noqa: E402

ONE = {"check_fit2d_1sample": "One record cannot be hidden among others: Infeasible, which is no ValueError."}
BATCH = {
    "check_methods_subset_invariance": "The guarantee is checked for all records of a call together, so what is safe "
    "in a large batch may not be safe in a small one."
}
EXCLUDED: dict[str, dict[str, str]] = {"raise": ONE | BATCH, "suppress": ONE | BATCH, "warn": ONE}


@pytest.mark.filterwarnings("ignore::shoal.sklearn.GuaranteeWarning")
@pytest.mark.parametrize("violations", EXCLUDED)
def test_the_checks_of_scikit_learn_pass_but_for_those_with_a_reason(violations: Any) -> None:
    """A check that is excluded must fail: otherwise it is to be taken off the list."""
    estimator = Anonymizer(binarize=0.0, violations=violations)
    results = estimator_checks.check_estimator(
        estimator, expected_failed_checks=EXCLUDED[violations], on_skip=None, on_fail="raise"
    )
    status = {result["check_name"]: result["status"] for result in results}
    assert {name for name, one in status.items() if one == "xfail"} == EXCLUDED[violations].keys()
    assert sum(one == "passed" for one in status.values()) > 35
    assert {name for name, one in status.items() if one == "skipped"} <= {"check_array_api_input"}
    alone = next(result for result in results if result["check_name"] == "check_fit2d_1sample")
    assert isinstance(alone["exception"], Infeasible)


def test_without_binarize_the_tags_say_that_random_numbers_are_refused() -> None:
    with pytest.warns(SkipTestWarning, match="Can't test estimator Anonymizer"):
        assert estimator_checks.check_estimator(Anonymizer(), on_skip=None)


def test_a_missing_package_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "shoal.sklearn.scikit")
    with pytest.raises(OptionError, match=r"needs scikit-learn 1\.6 or newer .* pip install 'shoal\[sklearn\]'"):
        importlib.import_module("shoal.sklearn.scikit")
