"""What is wrong with a hierarchy file is said with the file, the line and the remedy; `problems` says all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import hierarchies
from shoal.data.hierarchy import Hierarchy
from shoal.errors import HierarchyError, OutputError

AMNESIA = "distinct\nname x\ntype string\nheight 3\n\n"


def all_problems(folder: Path, text: str | bytes, name: str, **options: str) -> list[str]:
    """The problems of a text, with PATH for its path; checks that load raises the first of them."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    problems = hierarchies.problems(path, **options)
    with pytest.raises(HierarchyError) as raised:
        hierarchies.load(path, **options)
    more = f" (The first of {len(problems)} problems; 'shoal hierarchy check --all' lists all.)"
    rest = more if len(problems) > 1 else ""
    assert str(raised.value) == problems[0] + rest
    return [problem.replace(str(path), "PATH") for problem in problems]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "PATH is empty: a hierarchy needs at least one item."),
        (" \n\n\t\n", "PATH is empty: a hierarchy needs at least one item."),
        ("a;A;*\nb;A;*\na;A;*\n", "PATH: item 'a' occurs twice (line 1 and line 3): remove one."),
        ("a;A;*\na;B;*\n", "PATH: item 'a' occurs twice (line 1 and line 2): remove one."),
        ("a;A;X;*\nb;A;Y;*\n", "PATH: 'A' has two parents, 'X' (line 1) and 'Y' (line 2): keep one."),
        (
            "a;A;all\nb;B;All\n",
            "PATH: a hierarchy needs one root, got 2, 'all' (line 1) and 'All' (line 2): put them "
            "under one common parent.",
        ),
        (
            "".join(f"{i};g{i};r{i}\n" for i in range(1, 7)),
            "PATH: a hierarchy needs one root, got 6, 'r1' (line 1), 'r2' (line 2), 'r3' (line 3), "
            "'r4' (line 4) and 2 more: "
            "put them under one common parent.",
        ),
        ("a;A;a;*\nb;*\n", "PATH, line 1: cycle 'a' -> 'A' -> 'a': every node must lead up to one root."),
        (
            "a;A;*\nbeer\n",
            "PATH, line 2: the row has one column ('beer'), but other rows have 3: add its groups up to the "
            "root, or check the delimiter.",
        ),
        (
            "a;A;*\nbeer;;\n",
            "PATH, line 2: the row has one column ('beer'), but other rows have 3: add its groups up to the "
            "root, or check the delimiter.",
        ),
        ("a;A;*\nA;B;*\n", "PATH: 'A' is both an item (line 2) and a group (line 1): rename one of the two."),
        ("a;A;B;*\nA;A;C;*\n", "PATH: 'A' is both an item (line 2) and a group (line 1): rename one of the two."),
        ("a;A;*\nA;*\n", "PATH: 'A' is both an item (line 2) and a group (line 1): rename one of the two."),
        (
            "a;A;*\nb;A\n",
            "PATH, line 2: the row ends in 'A', which lies below '*' (line 1): write every row up to the root.",
        ),
        ("a;;*\nb;A;*\n", "PATH, line 1, column 2: empty label: fill it in, or repeat the label to its left."),
        (";;\nb;A;*\n", "PATH, line 1, column 1: empty label: fill it in, or repeat the label to its left."),
        ("a\nb\n", "PATH has only one column: wanted rows such as item;group;root, separated by ; , | or a tab."),
        (
            'a;A;*\n"b;A;*\n',
            "PATH, line 2: malformed quotes: a cell that starts with a quote must end with one, "
            'and a quote inside it must be written as "".',
        ),
        ("node,parent\n", "PATH has no items: a hierarchy needs at least one."),
        ("node,parent\na,A\na,A\n", "PATH: 'a' occurs twice (line 2 and line 3): remove one."),
        ("node,parent\na,A\na,B\nA,B\n", "PATH: 'a' has two parents, 'A' (line 2) and 'B' (line 3): keep one."),
        ("node,parent\na,\na,B\n", "PATH: 'a' has two parents, none (line 2) and 'B' (line 3): keep one."),
        (
            "node,parent\na,b\nb,c\nc,a\n",
            "PATH, line 2: cycle 'a' -> 'b' -> 'c' -> 'a': every node must lead up to one root.",
        ),
        ("node,parent\nx,*\na,b\nb,b\n", "PATH, line 4: cycle 'b' -> 'b': every node must lead up to one root."),
        (
            "node,parent\na,\nb,\n",
            "PATH: a hierarchy needs one root, got 2, 'a' (line 2) and 'b' (line 3): put them under one common parent.",
        ),
        ("node,parent\n,A\na,A\n", "PATH, line 2: the node has no label: fill it in."),
        (
            "node,parent\na,A,*\nb,A\n",
            "PATH, line 2: wanted two columns, a node and its parent, got 3: check the delimiter, or "
            "pass format='arx' if rows go from the item to the root.",
        ),
        (b"a;A\0;*\n", "PATH, line 1: expected text, got binary data: is this the right file or format?"),
        (
            b"a;*\n\xff\xfe\xfa;*\n",
            "PATH, line 2: not UTF-8 text (byte 0xff): save the file as UTF-8 (in Excel: CSV UTF-8).",
        ),
    ],
)
def test_tables(tmp_path: Path, text: str | bytes, wanted: str) -> None:
    assert all_problems(tmp_path, text, "h.csv") == [wanted]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (AMNESIA, "PATH has no items: a hierarchy needs at least one."),
        (
            AMNESIA + "A has a b\nA has c\n",
            "PATH: group 'A' occurs twice (line 6 and line 7): put its children on one line.",
        ),
        (AMNESIA + "A has a b a\n", "PATH, line 6: 'a' occurs twice: remove one."),
        (
            AMNESIA + "A has a\nB has a\n\n* has A B\n",
            "PATH: 'a' has two parents, 'A' (line 6) and 'B' (line 7): keep one.",
        ),
        (AMNESIA + "A has B\nB has A\n", "PATH, line 6: cycle 'B' -> 'A' -> 'B': every node must lead up to one root."),
        (
            AMNESIA + "A has a\nB has b\n",
            "PATH: a hierarchy needs one root, got 2, 'A' (line 6) and 'B' (line 7): put them under one common parent.",
        ),
        (
            AMNESIA + "A has a\noat milk has b\n",
            "PATH, line 7: wanted 'group has child child ...' with a group label without spaces, got "
            "'oat milk has b': use the "
            "format amnesia-json for labels with spaces.",
        ),
        (
            "range\nname x\ntype int\nheight 2\n\n1,9 has 1,4 5,9\n",
            "PATH, line 1: this is a hierarchy of ranges, wanted type 'distinct': export that from Amnesia.",
        ),
    ],
)
def test_amnesia(tmp_path: Path, text: str, wanted: str) -> None:
    assert all_problems(tmp_path, text, "h.txt") == [wanted]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            '{"level1":\n {"*": ["a",}}',
            "PATH, line 2: not JSON (Expecting value, column 13): fix it, or pass the right format=.",
        ),
        ("[1]", "PATH is not a hierarchy of Amnesia: wanted a JSON object with level1, level2, ..."),
        ('{"levels": 1}', "PATH is not a hierarchy of Amnesia: wanted a JSON object with level1, level2, ..."),
        ("[" * 100_000, "PATH is not a hierarchy: its JSON is nested too deeply."),
        ('{"level1": []}', "PATH, level1: wanted an object of groups and their children."),
        ('{"level1": {"*": "a"}}', "PATH, level1: the children of '*' must be a list of labels."),
        ('{"level1": {"*": [null]}}', "PATH, level1: the children of '*' must be a list of labels."),
        ('{"level1": {}}', "PATH has no items: a hierarchy needs at least one."),
        (
            '{"hierType": "range", "level1": {"*": ["a"]}}',
            "PATH is a hierarchy of type 'range', wanted type 'distinct': export that from Amnesia.",
        ),
        ('{"level1": {"*": ["a", "a"]}}', "PATH, level1: 'a' occurs twice in '*': remove one."),
        ('{"level1": {"*": ["a", ""]}}', "PATH: a label is empty: fill it in."),
        (
            '{"level1": {"*": ["A"]}, "level2": {"A": ["a"], "A": ["b"]}}',
            "PATH: group 'A' occurs twice (level2 and level2): put its children in one list.",
        ),
        (
            '{"level1": {"*": ["A"]}, "level3": {"A": ["a"]}}',
            "PATH: level2 is missing, and Amnesia reads no level after a gap: renumber the levels.",
        ),
        (
            '{"level1": {"*": ["A", "B"]}, "level2": {"A": ["a"], "B": ["a"]}}',
            "PATH: 'a' has two parents, 'A' (level2) and 'B' (level2): keep one.",
        ),
        (
            '{"level1": {"x": ["a"], "y": ["b"]}}',
            "PATH: a hierarchy needs one root, got 2, 'x' (level1) and 'y' (level1): put them under one common parent.",
        ),
    ],
)
def test_amnesia_json(tmp_path: Path, text: str, wanted: str) -> None:
    assert all_problems(tmp_path, text, "h.json") == [wanted]


def test_all_problems_are_listed(tmp_path: Path) -> None:
    text = "a;A;X;all\na;A;X;all\nb;A;Y;all\nlone\nA;all\nc;C;other\n"
    assert all_problems(tmp_path, text, "h.csv") == [
        "PATH, line 4: the row has one column ('lone'), but other rows have 4: add its groups up to the "
        "root, or check the delimiter.",
        "PATH: item 'a' occurs twice (line 1 and line 2): remove one.",
        "PATH: 'A' is both an item (line 5) and a group (line 1): rename one of the two.",
        "PATH: 'A' has two parents, 'X' (line 1) and 'Y' (line 3): keep one.",
        "PATH: a hierarchy needs one root, got 2, 'all' (line 1) and 'other' (line 6): put them "
        "under one common parent.",
    ]
    cycles = all_problems(tmp_path, "node,parent\na,b\nb,a\nc,c\nd,a\n", "h.csv")
    assert cycles == [
        "PATH, line 2: cycle 'a' -> 'b' -> 'a': every node must lead up to one root.",
        "PATH, line 4: cycle 'c' -> 'c': every node must lead up to one root.",
    ]


def test_lines_are_counted_through_quoted_line_ends(tmp_path: Path) -> None:
    (problem,) = all_problems(tmp_path, '"a\nb";*\n\nc;*\nc;*\n', "h.csv")
    assert "(line 4 and line 5)" in problem


def test_options(tmp_path: Path) -> None:
    text = "a;A;*\nb;A;*\n"
    for delimiter, shown in ((",", "','"), ("\t", "a tab")):
        assert all_problems(tmp_path, text, "h.csv", delimiter=delimiter) == [
            f"PATH has only one column with {shown} as the delimiter, but looks separated by ';': pass that, or "
            "leave out delimiter=."
        ]
    for delimiter in ("", ";;", '"', "\n"):
        assert all_problems(tmp_path, text, "h.csv", delimiter=delimiter) == [
            f"The delimiter must be one character, but no quote or line end, got {delimiter!r}."
        ]
    assert all_problems(tmp_path, text, "h.csv", format="arxx") == [
        "There is no hierarchy format 'arxx' (did you mean 'arx'?): choose one of arx, parents, amnesia, amnesia-json."
    ]
    assert all_problems(tmp_path, text, "h.csv", format="amnesia", delimiter=";") == [
        "The format amnesia has no delimiter: leave out delimiter=, or use arx or parents."
    ]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match=r"h\.csv does not exist: check the path\."):
        hierarchies.load(tmp_path / "h.csv")
    assert hierarchies.problems(tmp_path) == [f"{tmp_path} is a folder: pass a file."]


@pytest.mark.parametrize(
    ("label", "file", "wanted"),
    [
        (
            "oat milk",
            "h.txt",
            "shop: the label 'oat milk' cannot be written in the format amnesia, which separates "
            "labels by spaces and the word "
            "'has': use amnesia-json or arx.",
        ),
        (
            "a\rb",
            "h.csv",
            r"shop: the label 'a\rb' contains a carriage return or a NUL character and cannot be written in the format "
            "arx: rename it, or use amnesia-json.",
        ),
        (
            "\ud800",
            "h.csv",
            r"shop: the label '\ud800' is not valid Unicode and cannot be written in the format arx: "
            "rename it, or use amnesia-json.",
        ),
        ("", "h.json", "shop: the label '' is empty and cannot be written in the format amnesia-json: rename it."),
        ("", "h.csv", "shop: the label '' is empty and cannot be written in the format arx: rename it."),
    ],
)
def test_labels_that_a_format_cannot_hold(tmp_path: Path, label: str, file: str, wanted: str) -> None:
    with pytest.raises(HierarchyError) as raised:
        hierarchies.save(Hierarchy.from_tree({"*": [label]}, "shop"), tmp_path / file)
    assert str(raised.value) == wanted
    assert list(tmp_path.iterdir()) == []


def test_saving(tmp_path: Path) -> None:
    lone = Hierarchy.from_tree({"a": []}, "shop")
    with pytest.raises(HierarchyError, match="cannot hold the single item 'a': use amnesia-json or arx"):
        hierarchies.save(lone, tmp_path / "h.txt")
    with pytest.raises(
        HierarchyError, match=r"the suffix '\.xls' does not tell the format: use a name that ends in \.csv"
    ):
        hierarchies.save(lone, tmp_path / "h.xls")
    with pytest.raises(HierarchyError, match="There is no hierarchy format 'xls'"):
        hierarchies.save(lone, tmp_path / "h.csv", format="xls")
    with pytest.raises(OutputError, match="does not exist"):
        hierarchies.save(lone, tmp_path / "no" / "h.csv")
