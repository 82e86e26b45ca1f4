"""A small shop: its hierarchy, its baskets, and a shell beside their files."""

from __future__ import annotations

import pytest

from tests.conftest import Shell

TREE = (
    "ale;DRINKS;ALL\nbeer;DRINKS;ALL\ncider;DRINKS;ALL\ngin;DRINKS;ALL\nport;DRINKS;ALL\nrum;DRINKS;ALL\n"
    "butter;DAIRY;ALL\ncheese;DAIRY;ALL\nmilk;DAIRY;ALL\nyeast;BAKERY;ALL\n"
)
ROWS = (
    "beer milk,ale beer,ale cider,cider gin,gin port,port rum milk,rum beer,beer milk,ale milk,butter milk,"
    "butter cheese milk,cheese milk,beer butter,ale cheese,rum yeast,yeast beer"
)
RECORDS = [row.split() for row in ROWS.split(",")]


@pytest.fixture
def shop(shell: Shell) -> Shell:
    shell.write("shop.csv", TREE)
    shell.write("in.basket", "".join(",".join(row) + "\n" for row in RECORDS))
    return shell
