"""Code books: written beside a release, read back by every command, and as a source of groups (--siblings FILE)."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import shoal
from shoal.data.hierarchy import Hierarchy
from shoal.errors import OutputError
from shoal.hierarchies import codebook
from shoal.hierarchies.codebook import CodeBook, Entry
from shoal.metrics.comparison import Comparison
from shoal.release.pipeline import measure_all
from tests.conftest import Shell
from tests.hierarchies.conftest import RECORDS, TREE

GROUPED = ("--algorithm", "aa", "--siblings", "frequency", "--k", "2", "--m", "2")


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
    assert "out.codebook.csv is the code book of an earlier release" in err
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
    assert "is an input too" in shop.fails(*words, "-o", "groups.codebook.csv")
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
    assert codebook.codebook_path(f"{name}.basket").is_file()


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
    assert {one["group"] for one in json.loads(out)["groups"]} == set(CodeBook.load("out.codebook.csv").labels)
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
    shoal.io.write(shoal.read(pa.table(table), sets=columns), shop.folder / f"in.{suffix}")
    given = [word for text in trees[1:] for part in text.split(",") for word in ("--hierarchy", part)]
    words = ("--sets", "drinks,food", *given)
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
    book, after = CodeBook.load("out.codebook.csv"), shoal.read(f"out.{suffix}", sets=columns)
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
    for one in json.loads(out)["groups"]:
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
    problem = shoal.Problem(shoal.read(rows), tree, shoal.Km(k=2, m=2))
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.AA(siblings="label"))
    assert release.groups_siblings
    written = release.save(tmp_path / "out.basket")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.basket", "out.codebook.csv"]
    told = written.provenance["codebook"]
    assert told == {"name": "out.codebook.csv", "sha256": release.codebook.save(tmp_path / "again.csv")}
    data = shoal.read(tmp_path / "out.basket", codebook=tmp_path / "out.codebook.csv")
    assert data.origin.codebook.entries == release.codebook.entries
    resolved = shoal.published.Published.resolve(data.transactions, tree, codebook=data.origin.codebook)
    assert measure_all(Comparison(problem.prepared.original, resolved))["ncp"] == release.losses["ncp"]
    release.save(tmp_path / "alone.basket", codebook=False)
    assert not (tmp_path / "alone.codebook.csv").exists()
    with pytest.raises(OutputError, match="name two files"):
        release.save(tmp_path / "one.csv", codebook=tmp_path / "one.csv")


def test_reports_have_it(shop: Shell) -> None:
    many = [f"drug {at:02}" for at in range(52)]
    shop.write("shop.csv", "".join(f"{one};<DRUGS>;ALL\n" for one in many) + TREE)
    shop.write("in.basket", "".join(f"{one},beer\n" for one in many))
    made(shop, "--k", "13", *(word for form in ("md", "html", "json") for word in ("--report", f"r.{form}")))
    page, text = ((shop.folder / name).read_text(encoding="utf-8") for name in ("r.html", "r.md"))
    facts = json.loads((shop.folder / "r.json").read_text(encoding="utf-8"))
    assert facts["codebook"] == CodeBook.load("out.codebook.csv").facts()
    assert "Code book: items that each label represents: " in page
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
