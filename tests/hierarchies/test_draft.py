"""An item below a group of the same name: accepted, and the group gets another name."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import hierarchies
from tests.conftest import Shell

WAYS = {
    "arx.csv": "A;A;*\nb;A;*\nc;c;*\n",
    "long.csv": "A;A;A;*\nb;b;A;*\nc;c;c;*\n",
    "parents.csv": "node,parent\nA,A\nb,A\nc,*\nA,*\n",
    "amnesia.txt": "distinct\nname x\ntype string\nheight 3\n\nA has A b\n\n* has A c\n\n",
    "amnesia.json": '{"hierType": "distinct", "level1": {"*": ["A", "c"]}, "level2": {"A": ["A", "b"]}}',
}


@pytest.mark.parametrize("name", WAYS)
def test_the_group_has_another_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(WAYS[name])
    tree = hierarchies.load(tmp_path / name)
    assert tree.parents_by_label() == {"A": "A:group", "b": "A:group", "c": "*", "A:group": "*", "*": None}
    for other in ("x.csv", "x.txt", "x.json"):
        hierarchies.save(tree, tmp_path / other)
        assert hierarchies.load(tmp_path / other).labels == tree.labels


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("A;A;*\nb;b;*\n", ("A", "b", "*")),  # a row that is padded
        ("A;A\nb;A\n", ("A", "b", "A:group")),
        ("A;A;*\nb;A;*\nc;A:group;*\n", ("c", "A", "b", "A:group", "A:group-2", "*")),
        (
            "A;A;*\nb;A;*\nA:group;A:group;*\nc;A:group;*\n",
            ("A:group", "c", "A", "b", "A:group:group", "A:group-2", "*"),
        ),
    ],
)
def test_names_stay_unique(tmp_path: Path, text: str, labels: tuple[str, ...]) -> None:
    (tmp_path / "h.csv").write_text(text)
    tree = hierarchies.load(tmp_path / "h.csv")
    assert set(tree.labels) == set(labels)


def test_on_the_command_line(shell: Shell) -> None:
    shell.write("t.csv", "250;250;*\n250.01;250;*\nV10;V10;*\n")
    shell.write("d.dat", "250\n250.01\n250 V10\nV10\n")
    how = ("--hierarchy", "t.csv", "--k", "2", "--m", "1", "--algorithm", "aa")
    assert shell("anonymize", "d.dat", "-o", "o.dat", *how)[0] == 0
    assert (shell.folder / "o.dat").read_text() == "250:group\n250:group\n250:group V10\nV10\n"
    code, out, _ = shell("measure", "d.dat", "o.dat", "--hierarchy", "t.csv")
    assert code == 0
    assert "ncp" in out


@pytest.mark.parametrize("unknown", ["error", "root"])
def test_the_advice_for_an_item_that_is_a_group(shell: Shell, unknown: str) -> None:
    shell.write("t.csv", "250.01;250;*\nV10;V10;*\n")
    shell.write("d.dat", "250\n250.01\n250 V10\nV10\n")
    error = shell.fails("anonymize", "d.dat", "-o", "o.dat", "--hierarchy", "t.csv", "--unknown-items", unknown)
    assert "Item '250' (line 1) is a group in the hierarchy t.csv, not an item: add the item below its group" in error
    assert "in a row that starts '250;250;'" in error
    assert "--unknown-items" not in error
