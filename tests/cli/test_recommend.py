"""``shoal recommend``, where there is nothing to compare."""

from __future__ import annotations

import pytest

from tests.conftest import Shell


@pytest.mark.parametrize("model", ["km", "transactional-k"])
def test_blank_rows(shell: Shell, model: str) -> None:
    shell.write("blank.dat", "\n\n\n")
    assert "All records of blank.dat are empty" in shell.fails("recommend", "blank.dat", "--model", model, "--k", "2")
