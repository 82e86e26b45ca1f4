"""What is written as TOML reads back as the same values, whatever characters it holds."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from shoal.jobs.toml_text import problem_text
from tests.budget import examples

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = TEXTS | st.integers(-(2**40), 2**40) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = PLAIN | st.lists(TEXTS) | st.dictionaries(TEXTS, PLAIN, max_size=3)


@examples(300)
@given(
    tables=st.dictionaries(st.sampled_from(["data", "columns", "model"]), st.dictionaries(TEXTS, VALUES, min_size=1))
)
def test_what_is_written_reads_back(tables: dict[str, dict[str, object]]) -> None:
    assert tomllib.loads(problem_text(tables)) == tables


def test_letters_stay_readable_and_line_breaks_are_escaped() -> None:
    text = problem_text({"columns": {"Größe": "plain", "a\nb": "🐟"}})
    assert text == '[columns]\n"Größe" = "plain"\n"a\\U0000000ab" = "🐟"\n'
