"""Code books that are read: what is wrong with them, and as a source of groups (--siblings FILE)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.hierarchy import Hierarchy
from shoal.errors import DataError, HierarchyError, OptionError
from shoal.hierarchies import codebook, refine
from shoal.hierarchies.codebook import CodeBook
from tests.conftest import Shell
from tests.hierarchies.test_codebook import lines, made

# ---- what is wrong when it is read


def test_a_label_that_means_nothing(shop: Shell) -> None:
    made(shop, "--codebook", "book.csv")
    text = (shop.folder / "book.csv").read_text(encoding="utf-8")
    label = lines(shop.folder / "book.csv")[1][0]
    fewer = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(label))
    shop.write("fewer.csv", fewer)
    files, tree = ("in.basket", "out.basket"), ("--hierarchy", "shop.csv")
    assert f"'{label}'" in shop.fails("measure", *files, *tree, "--codebook", "fewer.csv")
    assert "--codebook" in shop.fails("measure", *files, *tree)
    assert f"'{label}'" in shop.fails("measure", *files, "--codebook", "fewer.csv")
    assert f"'{label}'" in shop.fails("verify", "out.basket", *tree, "--codebook", "fewer.csv")
    assert "needs --hierarchy" in shop.fails("explain", *files)
    shop.write("other.csv", "label,parent,item\nfoo,,bar\n")
    for command in (("measure", *files), ("explain", *files), ("verify", "out.basket")):
        assert "is not the code book of out.basket" in shop.fails(*command, "--codebook", "other.csv")
    with pytest.raises(DataError, match="is not the code book"):
        shoal.read("out.basket", codebook="other.csv")
    shop.write("odd.csv", text.replace("DRINKS,beer", "DRINKS,baer"))
    assert "did you mean 'beer'" in shop.fails("measure", *files, *tree, "--codebook", "odd.csv")
    shop.write("clash.csv", f"{text}DAIRY,ALL,milk\n")
    shop.write("out.basket", (shop.folder / "out.basket").read_text(encoding="utf-8") + "DAIRY\n")
    shop.write("in.basket", (shop.folder / "in.basket").read_text(encoding="utf-8") + "milk\n")
    assert "represents other items in the code book (1) than in the hierarchy shop.csv (3)" in shop.fails(
        "measure", *files, *tree, "--codebook", "clash.csv"
    )
    shop.write("named.basket", f"{label}\nDAIRY, group 7 of 9 (12 items)\n".replace("DAIRY, g", "DAIRY: g"))
    assert "named like a group" in shop.fails("verify", "named.basket", "--codebook", "book.csv")


def test_witnesses_of_verify_name_the_items(shop: Shell) -> None:
    made(shop)
    code, out, _ = shop("verify", "out.basket", "--k", "20", "--m", "1", "--codebook", "out.codebook.csv")
    assert code == 1
    assert "In the code book:" in out
    label = lines(shop.folder / "out.codebook.csv")[1][0]
    code, out, _ = shop("verify", "out.basket", "--k", "20", "--m", "1", "--codebook", "out.codebook.csv", "--json")
    spelled = {name: items for one in json.loads(out)["witnesses"] for name, items in one["items"].items()}
    assert spelled[label] == list(CodeBook.load("out.codebook.csv").items_of(label))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("label,parent,item\nx,y\n", "line 2: wanted label, parent, item"),
        ("label,parent,item\nx,y,\n", "some are empty"),
        ("label,parent,item\nx,P,a\nx,Q,b\n", r"line 3: 'x' is below 'Q' here, but below 'P' in .*line 2"),
        ('label,parent,item\nx,P,a\n"x,P,a\n', "line 3: malformed CSV"),
        ("a,b\n", "is not a code book"),
        ("", "is empty"),
    ],
)
def test_malformed_code_books(tmp_path: Path, text: str, wanted: str) -> None:
    (tmp_path / "b.csv").write_text(text, encoding="utf-8")
    with pytest.raises(HierarchyError, match=wanted):
        CodeBook.load(tmp_path / "b.csv")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[{", "line 1: not JSON"),
        ('[{"label": "x"}]', "entry 1: wanted objects such as"),
        ('[{"label": "x", "items": ["a"]}, {"label": "x", "items": ["b"]}]', "entry 2: 'x' occurs twice"),
        ("3", "entry 1: wanted objects"),
    ],
)
def test_malformed_json(tmp_path: Path, text: str, wanted: str) -> None:
    (tmp_path / "b.json").write_text(text, encoding="utf-8")
    with pytest.raises(HierarchyError, match=wanted):
        CodeBook.load(tmp_path / "b.json")


# ---- groups from a file


def grouped(text: str, folder: Path, name: str = "g.txt") -> Hierarchy:
    (folder / name).write_text(text, encoding="utf-8")
    return codebook.load(folder / name).tree(owner())


def owner() -> Hierarchy:
    nodes = {"DRINKS": ["ale", "beer, light", "gin", "rum"], "DAIRY": ["milk", "tea | cream"], "BAKERY": ["yeast"]}
    return Hierarchy.from_tree({"ALL": nodes})


def sets(tree: Hierarchy) -> set[frozenset[str]]:
    """The groups that the owner's hierarchy does not have."""
    assert tree.refines is not None
    return {frozenset(tree.items_of(label)) for label in tree.labels if label not in tree.refines.code_of}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ale,gin\n", ["ale gin"]),
        ("\nale;gin\n\nrum;beer, light\n", ["ale gin", "rum beer,_light"]),
        ("ale\tgin\trum\nale\tgin\n", ["ale gin rum", "ale gin"]),
        ("ale|beer, light\n", ["ale beer,_light"]),
        ('ale , "beer, light"\n', ["ale beer,_light"]),
        ("milk;tea | cream\n", []),  # all of DAIRY
        ("yeast\nale\n", []),  # groups of one
        ("DAIRY,yeast\n", ["milk tea_|_cream yeast"]),
        ("DAIRY,BAKERY\nale,gin\nale,gin\n", ["milk tea_|_cream yeast", "ale gin"]),
        ("DRINKS,DAIRY,BAKERY\n", []),
    ],
)
def test_plain_files(tmp_path: Path, text: str, wanted: list[str]) -> None:
    assert sets(grouped(text, tmp_path)) == {
        frozenset(one.replace("_", " ") for one in some.split()) for some in wanted
    }


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ale,gim\n", r"g.txt, line 1: 'gim' is neither an item nor a node .* \(did you mean 'gin'\?\): correct it"),
        ("ale,gin\nale,milk\n", r"line 2: 'ale' \(below 'DRINKS'\) and 'milk' \(below 'DAIRY'\) are not siblings"),
        ("ale,DAIRY\n", "are not siblings: a group may only hold children of one node"),
        ("ale,gin\nrum,gin\n", "line 2: the group and that of .*line 1 share 'gin', but neither contains"),
        ("ale,gin\nale,gin,rum\ngin,rum\n", "neither contains the other"),
        (" \n\n", "is empty: wanted a code book"),
        ("label,parent,item\n", "has no labels"),
        ("label,parent,item\nx,DRINKS,ale\nx,DRINKS,milk\n", "line 2: .* are not siblings"),
        ("label,parent,item\nDRINKS,ALL,ale\nDRINKS,ALL,gin\n", "'DRINKS' represents other items in the hierarchy"),
        ("label,parent,item\nx,P,alle\nx,P,gin\n", "'alle' is neither an item nor a node"),
    ],
)
def test_what_is_wrong_with_groups(tmp_path: Path, text: str, wanted: str) -> None:
    with pytest.raises(HierarchyError, match=wanted):
        grouped(text, tmp_path)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(OptionError, match=r"siblings= must be none, .* got 'freqency' \(did you mean 'frequency'\?\)"):
        codebook.load("freqency")
    with pytest.raises(HierarchyError, match="does not exist"):
        codebook.load("groups.txt")
    with pytest.raises(HierarchyError, match="book does not exist"):
        CodeBook.load("book")


def test_a_code_book_gives_its_groups_back(tmp_path: Path) -> None:
    text = "label,parent,item\nlight,DRINKS,ale\nlight,DRINKS,gin\nDAIRY,ALL,milk\nDAIRY,ALL,tea | cream\n"
    tree = grouped(text, tmp_path, "book.csv")
    assert tree.items_of("light") == ("ale", "gin")
    assert tree.groups_from is not None
    assert sets(tree) == {frozenset({"ale", "gin"})}


@given(st.data())
def test_any_grouping_survives_its_code_book(data: st.DataObject) -> None:
    """Every cut of a refined hierarchy, written as a code book, gives a hierarchy with the same groups."""
    letters = list("abcdefgh")
    tree = Hierarchy.from_tree({"ALL": {"A": letters[:4], "B": letters[4:7], "C": letters[7:]}})
    ranks = data.draw(st.permutations(range(len(tree))))
    weights = data.draw(st.lists(st.integers(0, 5), min_size=len(tree), max_size=len(tree)))
    import numpy as np

    fine = refine.refined(tree, refine.halved(tree, np.array(weights), np.array(ranks)))
    book = CodeBook.of_labels(fine, fine.labels)
    again = book.tree(tree)
    assert {fine.items_of(label) and frozenset(fine.items_of(label)) for label in fine.labels} == {
        frozenset(again.items_of(label)) for label in again.labels
    }
    assert set(again.labels) == set(fine.labels)


def test_groups_of_a_file_are_used_recorded_and_relative_to_the_problem_file(shop: Shell) -> None:
    (shop.folder / "sub").mkdir()
    shop.write("sub/groups.txt", "ale,beer,cider\ngin,port,rum\nbutter,cheese\n")
    shop.write(
        "sub/problem.toml",
        '[data]\nfile = "../in.basket"\n[items]\nhierarchy = "../shop.csv"\n[model]\nk = 2\n[algorithm]\nname = "aa"\n'
        'siblings = "groups.txt"\n[output]\nfile = "out.basket"\ncodebook = "labels.json"\nreports = ["r.json"]\n',
    )
    code, out, err = shop("run", "sub/problem.toml")
    assert code == 0, err
    assert "labels.json" in out
    report = json.loads((shop.folder / "sub/r.json").read_text(encoding="utf-8"))
    assert report["provenance"]["siblings"]["name"] == "groups.txt"
    assert len(report["provenance"]["siblings"]["sha256"]) == 64
    allowed = [{"ale", "beer", "cider"}, {"gin", "port", "rum"}, {"butter", "cheese"}]
    tree = shoal.hierarchies.load("shop.csv")
    for entry in CodeBook.load("sub/labels.json").entries:
        assert set(entry.items) in allowed or entry.label in tree.code_of
    shop.write("sub/problem.toml", (shop.folder / "sub/problem.toml").read_text().replace("labels.json", "groups.txt"))
    assert "is an input too" in shop.fails("run", "sub/problem.toml")
    shop.write(
        "sub/problem.toml", (shop.folder / "sub/problem.toml").read_text().replace('"groups.txt"\nrep', "false\nrep")
    )
    (shop.folder / "sub/labels.json").unlink()
    assert shop("run", "sub/problem.toml")[0] == 0
    assert not list(shop.folder.rglob("*codebook*"))
    shop.write("sub/groups.txt", "ale,milk\n")
    assert "are not siblings" in shop.fails("run", "sub/problem.toml")
