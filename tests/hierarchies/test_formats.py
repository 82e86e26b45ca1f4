"""Hierarchy files: every format there and back, detection, and real files.

Covers: hierarchies/amnesia.py, hierarchies/amnesia_json.py, hierarchies/arx.py, hierarchies/parents.py,
data/hierarchy.py, data/numbering.py.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal import hierarchies
from shoal.data.hierarchy import Hierarchy
from shoal.errors import HierarchyError
from tests.conftest import DATA

SUFFIX = {"arx": ".csv", "parents": ".csv", "amnesia": ".txt", "amnesia-json": ".json"}

LABELS = st.one_of(
    st.text(st.sampled_from("ab1*;,|\t\"'{} é猫.\n#\ufeff\x85\u2028"), min_size=1, max_size=5),
    st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), min_size=1, max_size=4),
    st.sampled_from(["node", "parent", "item", "child", "has", "NaN", "distinct", "*", "1", "01", "10", "-1", " "]),
)


@st.composite
def trees(draw: st.DrawFn, labels: st.SearchStrategy[str] = LABELS) -> Hierarchy:
    """Trees of any shape: unbalanced, with single-child chains, down to one leaf."""
    nodes = draw(st.lists(labels, unique=True, min_size=1, max_size=12))
    parents: dict[str, str | None] = {nodes[0]: None}
    for i, node in enumerate(nodes[1:]):
        parents[node] = nodes[draw(st.integers(0, i))]
    return Hierarchy.from_parents(parents, "drawn.csv")


def assert_same(one: Hierarchy, other: Hierarchy) -> None:
    assert one.labels == other.labels
    assert one.parent.tolist() == other.parent.tolist()
    assert one.span.tolist() == other.span.tolist()


def write(folder: Path, text: str, name: str = "h.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


ANY_EXAMPLE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


# ---- there and back


@pytest.mark.parametrize("format", ["arx", "parents", "amnesia-json"])
@given(tree=trees())
@ANY_EXAMPLE
def test_nothing_is_lost_and_the_format_is_found(tmp_path: Path, format: str, tree: Hierarchy) -> None:
    path = tmp_path / f"tree{SUFFIX[format]}"
    sha = hierarchies.save(tree, path, format=format)
    loaded = hierarchies.load(path)
    assert loaded.parents_by_label() == tree.parents_by_label()
    assert_same(loaded, tree)
    assert (loaded.file_sha256, loaded.name) == (sha, path.name)
    assert_same(hierarchies.load(path, format=format), tree)


@given(tree=trees())
@ANY_EXAMPLE
def test_amnesia_text_holds_a_tree_or_refuses_it(tmp_path: Path, tree: Hierarchy) -> None:
    path = tmp_path / "tree.txt"
    holds = len(tree) > 1 and not any(" " in label or "\n" in label or label == "has" for label in tree.labels)
    if holds:
        hierarchies.save(tree, path)
        assert_same(hierarchies.load(path), tree)
    else:
        with pytest.raises(HierarchyError, match="amnesia-json or arx"):
            hierarchies.save(tree, path)


@pytest.mark.parametrize("format", ["arx", "parents"])
@given(tree=trees(), delimiter=st.sampled_from(";,\t|: #x"))
@ANY_EXAMPLE
def test_any_delimiter(tmp_path: Path, format: str, tree: Hierarchy, delimiter: str) -> None:
    path = tmp_path / "tree.csv"
    hierarchies.save(tree, path, format=format, delimiter=delimiter)
    assert_same(hierarchies.load(path, format=format, delimiter=delimiter), tree)
    if delimiter in ";,\t|":
        assert_same(hierarchies.load(path), tree)


@given(tree=trees(st.text("abcdef", min_size=1, max_size=3)), seed=st.integers(0, 99))
@ANY_EXAMPLE
def test_the_order_of_lines_does_not_matter(tmp_path: Path, tree: Hierarchy, seed: int) -> None:
    assume(len(tree) > 1)
    shuffle = random.Random(seed).shuffle
    for format, suffix in SUFFIX.items():
        path = tmp_path / f"tree{suffix}"
        hierarchies.save(tree, path, format=format)
        if format == "amnesia-json":
            content = json.loads(path.read_text())
            for value in (content, *(v for v in content.values() if isinstance(v, dict))):
                pairs = list(value.items())
                shuffle(pairs)
                value.clear()
                value.update(pairs)
            path.write_text(json.dumps(content))
        else:
            head = {"arx": 0, "parents": 1, "amnesia": 5}[format]
            lines = path.read_text().splitlines()
            body = lines[head:]
            shuffle(body)
            path.write_text("\n".join(lines[:head] + body) + "\n")
        assert_same(hierarchies.load(path, format=format), tree)


def test_every_format_has_a_description() -> None:
    assert set(hierarchies.FORMATS) == set(SUFFIX)
    assert all(hierarchies.FORMATS.values())


# ---- how each format looks

TREE = Hierarchy.from_tree(
    {"*": {"drinks": {"beers": ["ale"], "juices": ["apple", "orange"]}, "bread": []}}, "my shop.csv"
)


def test_arx_repeats_the_item_to_fill_up_rows(tmp_path: Path) -> None:
    hierarchies.save(TREE, tmp_path / "h.csv")
    assert (tmp_path / "h.csv").read_text() == (
        "bread;bread;bread;*\nale;beers;drinks;*\napple;juices;drinks;*\norange;juices;drinks;*\n"
    )
    hierarchies.save(TREE, tmp_path / "h.tsv")
    assert (tmp_path / "h.tsv").read_text().startswith("bread\tbread\tbread\t*\n")


@pytest.mark.parametrize(
    "text",
    [
        "bread;*\nale;beers;drinks;*\napple;juices;drinks;*\norange;juices;drinks;*",  # ragged, no end of line
        "bread;*;;\r\nale;beers;drinks;*\r\n\r\napple;juices;drinks;*\r\norange;juices;drinks;*\r\n",  # a spreadsheet
        '"bread",*,*,*\nale,beers,drinks,*\n"apple",juices,"drinks",*\norange,juices,drinks,*\n',
    ],
)
def test_arx_as_others_write_it(tmp_path: Path, text: str) -> None:
    assert_same(hierarchies.load(write(tmp_path, text)), TREE)


@pytest.mark.parametrize(
    "text",
    [
        "node,parent\nbread,*\ndrinks,*\nbeers,drinks\nale,beers\njuices,drinks\napple,juices\norange,juices\n",
        "Parent;Child\n*;bread\n*;drinks\ndrinks;beers\nbeers;ale\ndrinks;juices\njuices;apple\njuices;orange\n;*\n",
    ],
)
def test_parents_with_a_header(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    assert_same(hierarchies.load(path), TREE)
    assert_same(hierarchies.load(path, format="parents"), TREE)


def test_parents_without_a_header(tmp_path: Path) -> None:
    path = write(tmp_path, "a,A\nb,A\nA,all\n")
    h = hierarchies.load(path, format="parents")
    assert h.parents_by_label() == {"a": "A", "b": "A", "A": "all", "all": None}


def test_a_node_called_node_below_a_root_called_parent(tmp_path: Path) -> None:
    for tree in ({"parent": ["node"]}, {"parent": ["node", "zebra"]}):
        h = Hierarchy.from_tree(tree)
        hierarchies.save(h, tmp_path / "h.csv")
        assert_same(hierarchies.load(tmp_path / "h.csv"), h)


AMNESIA = """distinct
name my_shop
type string
height 4

beers has ale
juices has apple orange

drinks has beers juices

* has bread drinks

"""


def test_amnesia_as_amnesia_reads_it(tmp_path: Path) -> None:
    hierarchies.save(TREE, tmp_path / "h.txt")
    assert (tmp_path / "h.txt").read_text() == AMNESIA


@pytest.mark.parametrize(
    "text",
    [
        AMNESIA.replace("\n", " \r\n"),  # Amnesia leaves a space after the last child
        AMNESIA.replace("distinct", "DISTINCT").replace("height 4", "Height 9"),
        AMNESIA.split("\n\n", 1)[1],  # no header
        "\n\n" + AMNESIA,
    ],
)
def test_amnesia_as_others_write_it(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text, "h.txt")
    assert_same(hierarchies.load(path, format="amnesia"), TREE)
    if "istinct" in text.lower():
        assert_same(hierarchies.load(path), TREE)


def test_amnesia_json_as_amnesia_reads_it(tmp_path: Path) -> None:
    hierarchies.save(TREE, tmp_path / "h.json")
    assert json.loads((tmp_path / "h.json").read_text()) == {
        "hierType": "distinct",
        "name": "my_shop",
        "type": "string",
        "height": 4,
        "level1": {"*": ["bread", "drinks"]},
        "level2": {"drinks": ["beers", "juices"]},
        "level3": {"beers": ["ale"], "juices": ["apple", "orange"]},
    }
    hierarchies.save(Hierarchy.from_tree({"é": ["ü"]}), tmp_path / "h.json")
    assert (tmp_path / "h.json").read_bytes().isascii()


def test_amnesia_json_keeps_numbers_as_written(tmp_path: Path) -> None:
    path = write(tmp_path, '{"hierType":"distinct","type":"int","height":2,"level1":{"0":[1.0, 2, 1e5]}}', "h.json")
    assert hierarchies.load(path).labels == ("1.0", "2", "1e5", "0")
    assert hierarchies.load(write(tmp_path, path.read_text(), "h.txt")).labels == ("1.0", "2", "1e5", "0")


def test_labels_are_verbatim(tmp_path: Path) -> None:
    h = hierarchies.load(write(tmp_path, " 007 ;a  b; *\n7;a  b; *\n"))
    assert set(h.labels) == {" 007 ", "7", "a  b", " *"}


def test_compressed(tmp_path: Path) -> None:
    hierarchies.save(TREE, tmp_path / "h.csv")
    (tmp_path / "h.csv.gz").write_bytes(gzip.compress((tmp_path / "h.csv").read_bytes()))
    assert_same(hierarchies.load(tmp_path / "h.csv.gz"), TREE)


def test_importing_loads_no_arrow_and_no_pandas() -> None:
    code = "import sys, shoal.hierarchies; sys.exit(bool({'pyarrow', 'pandas'} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": "src"})


# ---- real files

REAL = {
    "groceries/hierarchy.csv": (169, 3),
    "informs-2005/hierarchy_items.csv": (601, 3),
    "adult/adult_hierarchy_age.csv": (100, 4),
    "adult/adult_hierarchy_education.csv": (16, 3),
    "adult/adult_hierarchy_marital-status.csv": (7, 2),
    "adult/adult_hierarchy_native-country.csv": (41, 2),
    "adult/adult_hierarchy_occupation.csv": (14, 2),
    "adult/adult_hierarchy_race.csv": (5, 1),
    "adult/adult_hierarchy_salary-class.csv": (2, 1),
    "adult/adult_hierarchy_sex.csv": (2, 1),
    "adult/adult_hierarchy_workclass.csv": (8, 2),
}


@pytest.mark.parametrize("file", REAL)
def test_real_files_convert_without_loss(tmp_path: Path, file: str) -> None:
    if not (DATA / file).exists():
        pytest.skip(f"{DATA / file} is not there: set SHOAL_DATA")
    h = hierarchies.load(DATA / file)
    assert (h.n_leaves, h.height) == REAL[file]
    assert hierarchies.problems(DATA / file) == []
    if file.startswith("informs"):
        assert "005" in h.code_of  # leading zeros are kept
    for format, suffix in SUFFIX.items():
        path = tmp_path / f"copy{suffix}"
        if format == "amnesia" and any(" " in label for label in h.labels):
            with pytest.raises(HierarchyError, match="amnesia-json"):
                hierarchies.save(h, path, format=format)
        else:
            hierarchies.save(h, path, format=format)
            assert_same(hierarchies.load(path), h)
