"""What is asked of data about how they were laid out."""

from __future__ import annotations

import pandas as pd
import pytest

import shoal
from shoal.data.dataset import Origin


def test_rows_in_memory_answer_without_a_layout() -> None:
    origin = Origin("data")
    assert (origin.place(0), origin.set_columns, origin.has_index) == ("row 1", (), False)
    assert (origin.as_read("milk"), origin.as_read(" ")) == ("milk", "")
    assert "|" in origin.marks


@pytest.mark.parametrize(("index", "has_index"), [(None, False), (["a", "b"], True)])
def test_a_frame_tells_of_its_index_and_its_column_of_sets(index: list[str] | None, has_index: bool) -> None:
    frame = pd.DataFrame({"age": [1, 2], "items": [["x"], ["y"]]}, index=index)
    origin = shoal.read(frame).origin
    assert (origin.has_index, origin.set_columns) == (has_index, ("items",))
    assert shoal.read(frame[["age"]], no_sets=True).origin.set_columns == ()
