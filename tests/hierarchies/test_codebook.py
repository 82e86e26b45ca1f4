"""Code books: written beside a release, read back by every command, and as a source of groups (--siblings FILE)."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.hierarchy import Hierarchy
from shoal.errors import DataError, HierarchyError, OptionError, OutputError
from shoal.hierarchies import codebook, refine
from shoal.hierarchies.codebook import CodeBook, Entry
from shoal.metrics import Comparison
from shoal.release.pipeline import measure_all
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
GROUPED = ("--algorithm", "aa", "--siblings", "frequency", "--k", "2", "--m", "2")


@pytest.fixture
def shop(shell: Shell) -> Shell:
    shell.write("shop.csv", TREE)
    shell.write("in.basket", "".join(",".join(row) + "\n" for row in RECORDS))
    return shell


def made(shell: Shell, *words: str, source: str = "in.basket", output: str = "out.basket") -> str:
    code, out, err = shell("anonymize", source, "-o", output, *GROUPED, "--hierarchy", "shop.csv", *words)
    assert code == 0, err
    return out


def ncp(shell: Shell, *words: str) -> tuple[float, str]:
    code, out, err = shell("measure", *words, "--json")
    assert code == 0, err
    return json.loads(out)["ncp"], err


def lines(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


# ---- what it holds


def test_it_is_written_beside_a_release_that_groups_siblings_and_said(shop: Shell) -> None:
    out = made(shop)
    assert "out.codebook.csv" in out
    head, *rows = lines(shop.folder / "out.codebook.csv")
    assert head == ["label", "parent", "item"]
    published = {label for row in shoal.read("out.basket").transactions.sets() for label in row}
    tree = shoal.hierarchies.load("shop.csv")
    assert {label for label, _, _ in rows} == published - set(tree.items)
    for label, parent, item in rows:
        assert parent in tree.code_of
        assert tree.covers(tree.code_of[parent], tree.code_of[item])
        assert label not in tree.items
    assert rows == sorted(rows, key=lambda row: row[0])
    assert any(label not in tree.code_of for label, _, _ in rows)


def test_it_lists_what_does_not_occur_and_nothing_that_was_suppressed(shop: Shell) -> None:
    shop.write("in.basket", "ale,milk\nale,milk\nbeer\nbeer\nbutter\n")
    code, _, err = shop(
        *("anonymize", "in.basket", "-o", "out.basket", "--hierarchy", "shop.csv", "--k", "2", "--m", "1"),
        *("--algorithm", "mhghs", "--codebook", "book.csv", "--max-suppressed", "50", "--siblings", "label"),
    )
    assert code == 0, err
    release = [label for row in shoal.read("out.basket").transactions.sets() for label in row]
    book = CodeBook.load("book.csv")
    assert set(book.labels) <= set(release)
    tree = shoal.hierarchies.load("shop.csv")
    for entry in book.entries:
        if entry.label in tree.code_of:
            assert set(entry.items) == set(tree.items_of(entry.label))


def test_no_groups_no_code_book_unless_it_is_asked_for(shop: Shell) -> None:
    made(shop, "--siblings", "none")
    assert not (shop.folder / "out.codebook.csv").exists()
    made(shop, "--siblings", "none", "--codebook", "nodes.json")
    entries = json.loads((shop.folder / "nodes.json").read_text(encoding="utf-8"))
    assert {"label": "DAIRY", "parent": "ALL", "items": ["butter", "cheese", "milk"]} in entries
    made(shop, "--no-codebook")
    assert not (shop.folder / "out.codebook.csv").exists()
    made(shop)
    code, _, err = shop("anonymize", "in.basket", "-o", "out.basket", "--hierarchy", "shop.csv", *GROUPED[:2])
    assert code == 0
    assert "out.codebook.csv is not the code book of this release" in err
    assert "contradict" in shop.fails(
        "anonymize", "in.basket", "-o", "x.basket", "--no-codebook", "--codebook", "b.csv"
    )


def test_data_and_code_book_appear_together_or_not_at_all(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: CodeBook) -> str:
        raise OutputError("full")

    monkeypatch.setattr(CodeBook, "as_csv", broken)
    words = ("anonymize", "in.basket", "-o", "out.basket", "--hierarchy", "shop.csv", *GROUPED)
    assert "full" in shop.fails(*words, "--report", "r.json")


def test_nothing_that_is_read_is_overwritten(shop: Shell) -> None:
    made(shop, "--codebook", "groups.codebook.csv")
    words = (
        "anonymize",
        "in.basket",
        "--hierarchy",
        "shop.csv",
        "--algorithm",
        "aa",
        "--siblings",
        "groups.codebook.csv",
    )
    assert "is also read" in shop.fails(*words, "-o", "groups.codebook.csv")
    assert "--no-codebook" in shop.fails(*words, "-o", "groups.basket")
    assert "must be different" in shop.fails(*words, "-o", "a.basket", "--codebook", "a.basket")
    code, _, err = shop(*words, "-o", "groups.basket", "--codebook", "other.csv")
    assert code == 0, err


def test_labels_survive_whatever_they_contain(tmp_path: Path) -> None:
    odd = ("a, b", 'say "hi"', "two\nlines", "back\rhere", " space ", "#", "\N{SNOWMAN}", "a\tb;c|d")
    book = CodeBook.of([Entry(" | ".join(odd), 'the, "parent"\n', odd), Entry("x", "", ("y",))])
    for name in ("book.csv", "book.json", "book.csv.gz"):
        book.save(tmp_path / name)
        again = CodeBook.load(tmp_path / name)
        assert again.entries == book.entries
    assert [row[2] for row in lines(tmp_path / "book.csv")[1:]] == [item for one in book.entries for item in one.items]


def test_long_names(shop: Shell) -> None:
    name = "\N{GREEK SMALL LETTER ALPHA}" * 120
    made(shop, output=f"{name}.basket")
    assert codebook.beside(f"{name}.basket").is_file()


LM = ("--model", "lm", "--l", "2", "--m", "2", "--sensitive", "milk")


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (("--k", "2"), ("--algorithm", "lra", "--chunks", "2")),
        (("--k", "2"), ("--algorithm", "optimal")),
        (("--k", "2"), ("--algorithm", "hghs")),
        (("--k", "2", "--m", "all"), ("--algorithm", "da", "--polish")),
        (LM, ("--algorithm", "aa")),
    ],
)
def test_other_methods_and_models(shop: Shell, model: tuple[str, ...], method: tuple[str, ...]) -> None:
    code, _, err = shop(
        *("anonymize", "in.basket", "-o", "out.basket", "--hierarchy", "shop.csv", *model, *method),
        *("--siblings", "label", "--report", "r.json", "--codebook", "book.csv"),
    )
    assert code == 0, err
    wanted = json.loads((shop.folder / "r.json").read_text(encoding="utf-8"))["losses"]["ncp"]
    book = ("--hierarchy", "shop.csv", "--codebook", "book.csv")
    assert CodeBook.load("book.csv").labels
    assert ncp(shop, "in.basket", "out.basket", *book, *(model[-2:] if model == LM else ()))[0] == wanted
    code, _, err = shop("verify", "out.basket", *model, *book)
    assert code == 0, err


# ---- round trips


@pytest.mark.parametrize("suffix", ["basket", "csv", "tsv", "dat", "parquet", "jsonl", "feather"])
def test_measure_gives_the_loss_that_the_release_reports(shop: Shell, suffix: str) -> None:
    shoal.io.write(shoal.read(RECORDS), shop.folder / f"in.{suffix}")
    made(shop, "--report", "r.json", source=f"in.{suffix}", output=f"out.{suffix}")
    report = json.loads((shop.folder / "r.json").read_text(encoding="utf-8"))
    assert report["provenance"]["codebook"]["name"] == "out.codebook.csv"
    assert [one["label"] for one in report["codebook"]] == list(CodeBook.load("out.codebook.csv").labels)
    wanted = report["losses"]["ncp"]
    files = (f"in.{suffix}", f"out.{suffix}")
    found, err = ncp(shop, *files, "--hierarchy", "shop.csv", "--codebook", "out.codebook.csv")
    assert (found, err) == (wanted, "")
    found, err = ncp(shop, *files, "--hierarchy", "shop.csv")
    assert found == wanted
    assert "out.codebook.csv" in err
    assert ncp(shop, *files)[0] == wanted  # every item occurs here, so the domain is the same
    code, out, err = shop("explain", *files, "--hierarchy", "shop.csv", "--k", "2", "--m", "2", "--json")
    assert code == 0, err
    assert {one["group"] for one in json.loads(out)} == set(CodeBook.load("out.codebook.csv").labels)
    code, _, err = shop("verify", f"out.{suffix}", "--k", "2", "--m", "2", "--codebook", "out.codebook.csv")
    assert code == 0, err


def test_another_format_may_be_written(shop: Shell) -> None:
    """Labels fit the file that is written: no white space in .dat."""
    made(shop, "--report", "r.json", output="out.dat")
    wanted = json.loads((shop.folder / "r.json").read_text(encoding="utf-8"))["losses"]["ncp"]
    assert ncp(shop, "in.basket", "out.dat", "--hierarchy", "shop.csv", "--published-format", "fimi")[0] == wanted
    assert not any(" " in label for label in CodeBook.load("out.codebook.csv").labels)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("trees", [(), ("--hierarchy", "drinks=d.csv"), ("--hierarchy", "drinks=d.csv,food=f.csv")])
def test_several_columns_of_sets(shop: Shell, suffix: str, trees: tuple[str, ...]) -> None:
    shop.write("d.csv", "".join(line + "\n" for line in TREE.split() if "DRINKS" in line).replace("ALL", "DRINK IT"))
    shop.write("f.csv", "".join(line + "\n" for line in TREE.split() if "DRINKS" not in line))
    drinks = {line.split(";")[0] for line in TREE.split() if "DRINKS" in line}
    table: dict[str, list[list[str]]] = {
        "drinks": [[item for item in row if item in drinks] for row in RECORDS],
        "food": [[item for item in row if item not in drinks] for row in RECORDS],
    }
    import pyarrow as pa

    columns = ("drinks", "food")
    shoal.io.write(shoal.read(pa.table(table), column=columns), shop.folder / f"in.{suffix}")
    given = [word for text in trees[1:] for part in text.split(",") for word in ("--hierarchy", part)]
    words = ("--column", "drinks,food", *given)
    code, _, err = shop(
        *(
            "anonymize",
            f"in.{suffix}",
            "-o",
            f"out.{suffix}",
            *GROUPED,
            "--report",
            "r.json",
            "--columns",
            "none",
            *words,
        )
    )
    assert code == 0, err
    assert "will be read as" not in err
    wanted = json.loads((shop.folder / "r.json").read_text(encoding="utf-8"))["losses"]["ncp"]
    files = (f"in.{suffix}", f"out.{suffix}")
    assert ncp(shop, *files, *words)[0] == wanted
    assert ncp(shop, *files, *words, "--codebook", "out.codebook.csv")[0] == wanted
    book, after = CodeBook.load("out.codebook.csv"), shoal.read(f"out.{suffix}", column=columns)
    known = {
        *book.labels,
        *(f"drinks.{one}" for one in drinks),
        *(f"food.{one}" for one in set().union(*table["food"])),
    }
    assert set(after.transactions.in_use().labels) <= known
    code, _, err = shop("explain", *files, *words, "--k", "2", "--m", "2")
    assert code == 0, err


def test_witnesses_hold(shop: Shell) -> None:
    """Splitting the group into its members does create the set that is named."""
    made(shop)
    book = CodeBook.load("out.codebook.csv")
    code, out, _ = shop(
        "explain", "in.basket", "out.basket", "--hierarchy", "shop.csv", "--k", "2", "--m", "2", "--json"
    )
    assert code == 0
    checked = 0
    tree = shoal.hierarchies.load("shop.csv")
    for one in json.loads(out):
        if one["witness"] is None:
            continue
        split = set(book.items_of(one["group"]))
        meant = [set(book.items_of(label)) | set(tree.items_of(label)) for label in one["witness"]["labels"]]
        meant = [items - {label} or items for items, label in zip(meant, one["witness"]["labels"], strict=True)]
        assert any(items < split for items in meant)
        support = sum(all(items & set(row) for items in meant) for row in RECORDS)
        assert 0 < support == one["witness"]["support"] < 2
        checked += 1
    assert checked


def test_python(tmp_path: Path) -> None:
    tree = Hierarchy.from_parents(dict.fromkeys("abcdef", "ALL") | {"ALL": None})
    rows = [["a", "b"], ["a"], ["b"], ["c", "d"], ["e", "f"], ["c", "f"], ["a", "e"]]
    problem = shoal.Problem(shoal.read(rows), tree, shoal.KmAnonymity(k=2, m=2))
    release = shoal.anonymize(problem, shoal.AA(siblings="label"))
    assert release.groups_siblings
    written = release.write(tmp_path / "out.basket")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.basket", "out.codebook.csv"]
    told = written.provenance["codebook"]
    assert told == {"name": "out.codebook.csv", "sha256": release.codebook.save(tmp_path / "again.csv")}
    data = shoal.read(tmp_path / "out.basket", codebook=tmp_path / "out.codebook.csv")
    assert data.origin.codebook.entries == release.codebook.entries
    resolved = shoal.Published.resolve(data.transactions, tree, codebook=data.origin.codebook)
    assert measure_all(Comparison(problem.raw, resolved))["ncp"] == release.losses["ncp"]
    release.write(tmp_path / "alone.basket", codebook=False)
    assert not (tmp_path / "alone.codebook.csv").exists()
    with pytest.raises(OutputError, match="name two files"):
        release.write(tmp_path / "one.csv", codebook=tmp_path / "one.csv")


def test_reports_have_it(shop: Shell) -> None:
    many = [f"drug {at:02}" for at in range(52)]
    shop.write("shop.csv", "".join(f"{one};<DRUGS>;ALL\n" for one in many) + TREE)
    shop.write("in.basket", "".join(f"{one},beer\n" for one in many))
    made(shop, "--k", "13", *(word for form in ("md", "html", "json") for word in ("--report", f"r.{form}")))
    page, text = ((shop.folder / name).read_text(encoding="utf-8") for name in ("r.html", "r.md"))
    facts = json.loads((shop.folder / "r.json").read_text(encoding="utf-8"))
    assert facts["codebook"] == CodeBook.load("out.codebook.csv").facts()
    assert "Code book: what each label stands for: " in page
    assert "out.codebook.csv" in page
    assert "(part of &lt;DRUGS&gt;)" in page
    assert "| Label | Part of | Items |" in text
    assert "&lt;DRUGS&gt;" in text
    long = [one for one in facts["codebook"] if len(one["items"]) > 12]
    assert long
    assert f"and {len(long[0]['items']) - 12} more" in text
    made(shop, "--siblings", "none", "--report", "r.json", "--report", "r.md", "--report", "r.html")
    assert json.loads((shop.folder / "r.json").read_text(encoding="utf-8"))["codebook"] is None
    for name in ("r.md", "r.html"):
        assert "Code book" not in (shop.folder / name).read_text(encoding="utf-8")


def test_items_that_only_the_data_know_are_in_no_report(shop: Shell) -> None:
    """They are in the code book, without which labels mean nothing, and a note says so."""
    for name in ("secret", "hidden", "private", "other"):
        shop.write("in.basket", (shop.folder / "in.basket").read_text(encoding="utf-8") + f"{name},milk\n")
    code, _, err = shop(
        *("anonymize", "in.basket", "-o", "out.basket", "--hierarchy", "shop.csv", "--unknown-items", "root"),
        *(*GROUPED, "--report", "r.json", "--report", "r.html"),
    )
    assert code == 0
    assert "however rare they are" in err
    assert "secret" in CodeBook.load("out.codebook.csv").items
    facts = json.loads((shop.folder / "r.json").read_text(encoding="utf-8"))
    assert not any("secret" in one["items"] for one in facts["codebook"])
    assert sum(one["unnamed"] for one in facts["codebook"]) == 4
    published = {one["label"] for one in facts["codebook"]}
    told = [label for one in facts["explanations"] for label in one["witness"]["labels"] if label not in published]
    assert told
    assert not any(name in label for name in ("secret", "hidden", "private", "other") for label in told)
    assert not any("secret" in label for label in published)  # the group is too large for a list of names
    assert "secret" not in (shop.folder / "r.html").read_text(encoding="utf-8")


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
    assert "needs --hierarchy FILE" in shop.fails("explain", *files)
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
    assert "or for others" in shop.fails("measure", *files, *tree, "--codebook", "clash.csv")
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
        ('label,parent,item\nx,P,a\n"x,P,a\n', "line 3: not CSV"),
        ("a,b\n", "is no code book"),
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
        ('[{"label": "x", "items": ["a"]}, {"label": "x", "items": ["b"]}]', "entry 2: 'x' is given twice"),
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
        ("ale,gin\nrum,gin\n", "line 2: the group shares 'gin' with that of .*line 1, but neither lies inside"),
        ("ale,gin\nale,gin,rum\ngin,rum\n", "neither lies inside the other"),
        (" \n\n", "is empty: wanted a code book"),
        ("label,parent,item\n", "lists no label"),
        ("label,parent,item\nx,DRINKS,ale\nx,DRINKS,milk\n", "line 2: .* are not siblings"),
        ("label,parent,item\nDRINKS,ALL,ale\nDRINKS,ALL,gin\n", "'DRINKS' stands for other items in the hierarchy"),
        ("label,parent,item\nx,P,alle\nx,P,gin\n", "'alle' is neither an item nor a node"),
    ],
)
def test_what_is_wrong_with_groups(tmp_path: Path, text: str, wanted: str) -> None:
    with pytest.raises(HierarchyError, match=wanted):
        grouped(text, tmp_path)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(OptionError, match=r"--siblings must be none, .* got 'freqency' \(did you mean 'frequency'\?\)"):
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
    assert "is also read" in shop.fails("run", "sub/problem.toml")
    shop.write(
        "sub/problem.toml", (shop.folder / "sub/problem.toml").read_text().replace('"groups.txt"\nrep', "false\nrep")
    )
    (shop.folder / "sub/labels.json").unlink()
    assert shop("run", "sub/problem.toml")[0] == 0
    assert not list(shop.folder.rglob("*codebook*"))
    shop.write("sub/groups.txt", "ale,milk\n")
    assert "are not siblings" in shop.fails("run", "sub/problem.toml")
