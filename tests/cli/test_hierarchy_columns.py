"""``shoal hierarchy build`` for several columns of sets: its labels are those that a reader of the release gets."""

from __future__ import annotations

import pytest

from shoal import hierarchies
from shoal.data.tags import Tags
from tests.conftest import Shell

READ = ("--sets", "A,B", "--item-delimiter", "|")
ROWS = "A,B\n" + "".join(f"25{at % 4}.0{at % 3}|9{at},p{at % 5}|100\n" for at in range(1, 13))


@pytest.mark.parametrize(
    "how",
    [["frequency"], ["random"], ["label"], ["prefix"], ["prefix", "--lengths", "1"], ["label", "--root", "A.any"]],
)
def test_measure_knows_every_label(shell: Shell, how: list[str]) -> None:
    shell.write("d.csv", ROWS)
    fanout = ("--fanout", "3")
    assert shell("hierarchy", "build", "d.csv", "-o", "t.csv", *READ, *fanout, "--by", *how)[0] == 0
    tree, tags = hierarchies.load("t.csv"), Tags(("A", "B"))
    assert all(tags.as_read(label) == label for label in tree.labels)
    assert tree.labels[-1] == (how[-1] if "--root" in how else "A+B")
    for k in ("3", "12"):
        options = (*READ, "--hierarchy", "t.csv")
        code, _, error = shell("anonymize", "d.csv", "-o", "o.csv", *options, "--k", k, "--algorithm", "aa")
        assert (code, error) == (0, "")
        code, out, error = shell("measure", "d.csv", "o.csv", *options)
        assert (code, "ncp" in out) == (0, True), error


def test_numbered_ranges_have_a_tag(shell: Shell) -> None:
    shell.write("d.csv", "A,B\n" + "".join(f"{at},x\n" for at in range(85, 110)))
    assert shell("hierarchy", "build", "d.csv", "-o", "t.csv", *READ, "--by", "label")[0] == 0
    assert all(Tags(("A", "B")).as_read(label) == label for label in hierarchies.load("t.csv").labels)


def test_a_root_without_a_tag_is_refused(shell: Shell) -> None:
    shell.write("d.csv", ROWS)
    error = shell.fails("hierarchy", "build", "d.csv", "-o", "t.csv", *READ, "--root", "any")
    assert "--root any would be published as 'A.any'" in error


def test_one_column_has_the_root_that_it_had(shell: Shell) -> None:
    assert shell("hierarchy", "build", "in.basket", "-o", "t.csv")[0] == 0
    assert hierarchies.load("t.csv").labels[-1] == "*"
