"""``shoal measure --known``: nobody can know more items of a record than it has."""

from __future__ import annotations

import json

from tests.conftest import Shell


def test_known_items_end_with_the_longest_record(shell: Shell) -> None:
    shell.write("out.basket", "A,b1,b2\nA,b1\nA,b1,b2\nA,b2\n")
    code, out, error = shell("measure", "in.basket", "out.basket", "--hierarchy", "h.csv", "--known", "20000", "--json")
    assert code == 0, error
    few = shell("measure", "in.basket", "out.basket", "--hierarchy", "h.csv", "--known", "3", "--json")[1]
    assert json.loads(out) == json.loads(few)
