"""The command line for what is sensitive, what is missing, chunks and parts."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.conftest import Shell

TREE = "a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\nHIV;ill;ALL\nflu;ill;ALL\n"
ROWS = "a1,b1,HIV\n" * 4 + "a2,b1\n" * 8 + "a2,b2,flu\n" * 2 + "a2,b2\n" * 4
TABLE = "set,age,diagnosis\n" + "a1 b1,30,HIV\n" * 4 + "a2 b1,40,\n" * 8 + "a2 b2,50,flu\n" * 2


@pytest.fixture
def ward(shell: Shell) -> Shell:
    shell.write("tree.csv", TREE)
    shell.write("rows.basket", ROWS)
    shell.write("table.csv", TABLE)
    return shell


LM = ("--model", "lm", "--l", "2", "--m", "1")
MAKE = ("anonymize", "rows.basket", "-o", "out.basket", "--hierarchy", "tree.csv", *LM)
CHECK = ("verify", "out.basket", *LM)


def test_repeated_options_add_up(ward: Shell) -> None:
    code, out, err = ward(*MAKE, "--sensitive", "HIV", "--sensitive", "flu", "--report", "r.json", "--report", "r.md")
    assert code == 0, err
    assert "Verified" in out
    assert ward(*CHECK, "--sensitive", "HIV,flu")[0] == 0
    facts = json.loads((ward.folder / "r.json").read_text(encoding="utf-8"))
    assert facts["sensitive"] == {"records": 6, "values": {"HIV": 4, "flu": 2}, "not_found": []}
    assert facts["provenance"]["search"]["count_tree_nodes"] > 0
    assert facts["model"]["options"]["sensitive"] == ["HIV", "flu"]
    text = (ward.folder / "r.md").read_text(encoding="utf-8")
    assert "sensitive = HIV, flu" in text
    assert "--sensitive HIV,flu" in text
    rows = (ward.folder / "out.basket").read_text(encoding="utf-8").splitlines()
    assert [row.endswith("HIV") for row in rows] == [True] * 4 + [False] * 14


def test_the_raw_file_fails_with_the_worst_first(ward: Shell) -> None:
    code, out, _ = ward("verify", "rows.basket", *LM, "--sensitive", "HIV,flu")
    assert code == 1
    assert "1 single known item reveals too much" in out
    assert "a1                     HIV             4   4  100 %" in out
    code, out, _ = ward("verify", "rows.basket", *LM, "--sensitive", "HIV,flu", "--json")
    [witness] = json.loads(out)["witnesses"]
    assert witness == {"labels": ["a1"], "support": 4, "sensitive": "HIV", "holders": 4}


def test_what_is_not_in_the_file_is_not_passed_over(ward: Shell) -> None:
    assert "'HVI' is not in rows.basket (did you mean 'HIV'?)" in ward.fails(
        "verify", "rows.basket", *LM, "--sensitive", "HVI,flu"
    )
    assert "but 'HIV' is: spell it as in the data" in ward.fails("verify", "rows.basket", *LM, "--sensitive", "hiv")
    code, out, err = ward("verify", "rows.basket", *LM, "--sensitive", "HVI,flu", "--allow-missing", "--json")
    assert code == 0
    assert json.loads(out)["not_found"] == ["HVI"]
    assert "Not in rows.basket, so not checked: HVI" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "needs sensitive items"),
        (("--sensitive", "nowhere.txt"), "nowhere.txt does not exist"),
        (("--sensitive-column", "diagnosis"), "No column 'diagnosis'"),
        (("--sensitive", "HIV", "--l", "1"), "--l must be at least 2, got 1"),
        (("--sensitive", "HIV", "--l", "5"), "'HIV' is in 4 of 18 (22.2%)"),
        (("--sensitive", "HIV", "--k", "5"), "--k is an option of hkp, k, k-km, k-lm, km, km-negative"),
        (("--sensitive", "HIV", "--algorithm", "hghs"), "Algorithm hghs does not solve the model lm"),
        (("--sensitive", "HIV", "--algorithm", "aa", "--polish"), "--polish is for the model km"),
        (("--sensitive", "HIV", "--algorithm", "lra", "--chunks", "0"), "--chunks must be at least 1"),
    ],
)
def test_bad_input(ward: Shell, words: tuple[str, ...], said: str) -> None:
    assert said in ward.fails(*MAKE, *words)


def test_a_sensitive_column_of_a_table(ward: Shell) -> None:
    make = ("anonymize", "table.csv", "-o", "out.csv", "--sets", "set", "--hierarchy", "tree.csv", *LM)
    code, _, err = ward(*make, "--sensitive-column", "diagnosis")
    assert code == 0
    assert "The column 'age' is published unchanged" in err
    rows = (ward.folder / "out.csv").read_text(encoding="utf-8").splitlines()
    assert rows[1] == "A B,30,HIV"
    check = ("verify", "out.csv", "--sets", "set", *LM, "--sensitive-column", "diagnosis")
    assert ward(*check)[0] == 0
    assert "No column 'ward'" in ward.fails(*check[:-1], "ward")
    assert "'diagnosis=HVI' is not in out.csv" in ward.fails(*check, "--sensitive", "diagnosis=HVI")
    code, _, err = ward(*make, "--sensitive-column", "diagnosis", "--sensitive", "diagnosis=flu")
    assert "Only these values of the column 'diagnosis' are protected: diagnosis=flu." in err


def test_measure_leaves_out_what_was_sensitive(ward: Shell) -> None:
    assert ward(*MAKE, "--sensitive", "HIV,flu")[0] == 0
    measure = ("measure", "rows.basket", "out.basket", "--hierarchy", "tree.csv", "--json")
    losses = json.loads(ward(*measure, "--sensitive", "HIV", "--sensitive", "flu")[1])
    assert losses["ncp"] == pytest.approx(18 * 2 / 4 / 36)  # 18 of 36 occurrences as A, 2 of 4 items


def test_negative_knowledge(ward: Shell) -> None:
    ward.write("some.basket", "a1,b1\n" * 3 + "a2,b1\n" * 3 + "b1\n")
    words = ("--model", "km-negative", "--k", "2", "--m", "2")
    code, out, _ = ward("verify", "some.basket", *words)
    assert code == 1
    assert "1 combination of 2 known facts leaves too few records" in out
    assert "not a1, not a2" in out
    assert ward("anonymize", "some.basket", "-o", "out.basket", "--hierarchy", "tree.csv", *words)[0] == 0
    code, out, _ = ward("verify", "out.basket", *words)
    assert code == 0
    assert "combinations of facts checked" in out


@pytest.mark.parametrize("method", ["lra", "vpa"])
def test_workers_change_nothing(ward: Shell, method: str) -> None:
    make = ("anonymize", "rows.basket", "--hierarchy", "tree.csv", "--k", "2", "--algorithm", method)
    for workers in ("1", "3"):
        code, out, err = ward(*make, "-o", f"out{workers}.basket", "--workers", workers, "--report", f"{workers}.md")
        assert code == 0, err
    one, three = ((ward.folder / f"out{workers}.basket").read_bytes() for workers in (1, 3))
    assert one == three
    text = (ward.folder / "1.md").read_text(encoding="utf-8")
    if method == "lra":
        assert "chunks of records" in out
        assert "chunks of similar records" in text


def test_labels_keep_their_spaces(ward: Shell) -> None:
    """Real data have labels that end in a space; the printed command must check them too."""
    ward.write("spaces.basket", "flu ,a1\n" * 2 + "a2,b1\n" * 6)
    make = ("anonymize", "spaces.basket", "-o", "out.basket", "--hierarchy", "tree.csv", *LM, "--report", "r.md")
    ward.write("list.txt", "flu \n")
    for said in ('"flu "', "flu ", "list.txt"):
        assert ward(*make, "--sensitive", said)[0] == 0
    assert "but 'flu ' is: spell it as in the data" in ward.fails(*make[:-2], "--sensitive", "flu")
    text = (ward.folder / "r.md").read_text(encoding="utf-8")
    [command] = [line.strip() for line in text.splitlines() if line.startswith("    shoal verify")]
    assert ward(*shlex.split(command)[1:])[0] == 0
    assert "| flu | 2 | 25 % |" in text


def test_what_is_read_is_not_overwritten(ward: Shell) -> None:
    ward.write("list.txt", "HIV\nflu\n")
    said = ward.fails("anonymize", "rows.basket", "-o", "list.txt", *MAKE[4:], "--sensitive", "list.txt")
    assert "list.txt is an input too" in said


def test_more_hints(ward: Shell) -> None:
    make = ("anonymize", "table.csv", "-o", "out.csv", "--sets", "set", "--hierarchy", "tree.csv", *LM)
    column = ("--sensitive-column", "diagnosis")
    said = ward.fails(*make, *column, "--columns", "age")
    assert "--columns leaves out the sensitive column 'diagnosis'" in said
    assert "'flue' (did you mean" in ward.fails(*make, *column, "--sensitive", "flue")
    assert "(did you mean 'diagnosis=flu'?)" in ward.fails(*make, *column, "--sensitive", "diagnosis=flo")
    assert "nowhere.csv does not exist" in ward.fails(*make, "--sensitive", "nowhere.csv")
    assert "has no sensitive values" in ward.fails(
        "verify", "rows.basket", *LM, "--sensitive", "x,y", "--allow-missing"
    )
    measure = ("measure", "rows.basket", "rows.basket", "--hierarchy", "tree.csv")
    assert "'flo' (did you mean 'flu'?) is not in rows.basket" in ward.fails(*measure, "--sensitive", "flo")
    explain = ("explain", "rows.basket", "rows.basket", "--hierarchy", "tree.csv", *LM, "--sensitive", "HIV")
    assert "Only cuts for the model km can be explained, not for lm" in ward.fails(*explain)


def test_lra_without_the_columns(ward: Shell) -> None:
    make = ("anonymize", "table.csv", "-o", "out.csv", "--sets", "set", "--hierarchy", "tree.csv", "--k", "2")
    code, _, err = ward(*make, "--columns", "none", "--algorithm", "lra", "--flexibility", "0")
    assert code == 0, err
