"""What the models share that set something apart: an item is sensitive or known, and nobody mixes up the two."""

from __future__ import annotations

import pytest

import shoal
from shoal.errors import OptionError

DATA = shoal.read([["a", "HIV"], ["a", "flu"], ["a", "flu"], ["a"]])


def test_rows_that_other_values_were_set_apart_from_are_refused() -> None:
    """They look safe to a model that finds nothing of its own in them."""
    hiv, flu = (shoal.Lm(l=2, m=1, sensitive=(label,)) for label in ("HIV", "flu"))
    seen = hiv.validated_view(DATA)
    assert hiv.verify(seen).holds
    with pytest.raises(OptionError, match="sensitive values of these rows are not those of the model"):
        flu.verify(seen)


def test_an_item_is_sensitive_or_known() -> None:
    with pytest.raises(OptionError, match=r"both sensitive \(sensitive=\) and as a quasi-identifier \(qid=\): HIV"):
        shoal.models.SensitiveK(k=2, sensitive=("HIV",), qid=("a", "HIV"))
