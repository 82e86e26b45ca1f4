"""``shoal measure`` on files that other tools changed item by item.

Covers: cli/measure_output.py.
"""

from __future__ import annotations

import json
import math

import pytest

from tests.conftest import Shell
from tests.metrics.test_operations import AFTER, BEFORE, GROUPS

KL = 7 * math.log(1.5) + 4 * math.log(3)


@pytest.fixture
def lab(shell: Shell) -> Shell:
    """P1's example as baskets, and as tables with a column for the group."""
    for name, rows in (("in", BEFORE), ("out", AFTER)):
        shell.write(f"{name}.basket", "".join(f"{row.replace(' ', ',')}\n" for row in rows))
        lines = (f"{row},{'' if at < 0 else f'g{at}'}\n" for row, at in zip(rows, GROUPS, strict=True))
        shell.write(f"{name}.csv", "items,cluster\n" + "".join(lines))
    shell.write("private.txt", "e6\ne7\n")
    shell.write("tree.csv", "".join(f"e{at};{'ill' if at > 5 else 'well'};ALL\n" for at in range(1, 8)))
    return shell


FILES = ("measure", "in.basket", "out.basket")
TABLES = ("measure", "in.csv", "out.csv", "--sets", "items")


@pytest.mark.parametrize(
    "words",
    [
        (*FILES, "--sensitive", "private.txt"),
        (*FILES, "--sensitive", "e6,e7", "--k", "3"),
        (*FILES, "--sensitive", "e6", "--sensitive", "e7", "--hierarchy", "tree.csv"),
        (*FILES, "--sensitive", "ill", "--hierarchy", "tree.csv"),
        (*TABLES, "--sensitive", "private.txt", "--group-column", "cluster"),
    ],
    ids=["list", "k", "hierarchy", "group of the hierarchy", "column"],
)
def test_the_papers_example(lab: Shell, words: tuple[str, ...]) -> None:
    code, out, err = lab(*words, "--json")
    assert code == 0, err
    assert not err
    values = json.loads(out)
    operations = [values[f"{kind}_{what}"] for kind in ("qid", "sensitive") for what in ("additions", "deletions")]
    assert operations == [4, 3, 8, 0]
    assert values["operations"] == 15
    assert values["kl"] == pytest.approx(KL, abs=1e-12)
    assert values["kl_mean"] == pytest.approx(KL / 3, abs=1e-12)
    assert values["privacy_value"] == pytest.approx(3 * 2 ** (-10 / 3), abs=1e-12)
    assert values["modified_items"] == pytest.approx(11 / 3, abs=1e-12)
    assert values["total_items"] == 28  # without the four sensitive ones
    assert values["ncp"] == pytest.approx(3 / 28, abs=1e-12)  # only what was deleted; additions do not show


def test_the_table_for_people(lab: Shell) -> None:
    code, out, _ = lab(*FILES, "--sensitive", "private.txt")
    assert code == 0
    shown = {line.rpartition("  ")[0].strip(): line.rpartition("  ")[2].strip() for line in out.splitlines()}
    assert (shown["operations"], shown["kl"], shown["privacy_value"]) == ("15", f"{KL:.6f}", "2.98e-01")
    assert (shown["modified_items"], shown["ncp"], shown["total items"]) == ("3.666667", "0.107143", "28")


def test_another_k(lab: Shell) -> None:
    values = json.loads(lab(*FILES, "--sensitive", "private.txt", "--k", "2", "--json")[1])
    assert values["privacy_value"] == pytest.approx(2 * 2 ** (-10 / 3), abs=1e-12)
    code, _, err = lab(*FILES, "--sensitive", "private.txt", "--k", "4")
    assert code == 0
    assert "The smallest group has 3 records, below k=4" in err


def test_without_a_list_all_rows_count(lab: Shell) -> None:
    """T6 and T9 are groups of their own then, in which nothing changed; the smallest group has one record."""
    values = json.loads(lab(*FILES, "--json")[1])
    assert (values["qid_additions"], values["sensitive_additions"], values["operations"]) == (12, 0, 15)
    assert values["kl"] == pytest.approx(KL, abs=1e-12)
    assert values["kl_mean"] == pytest.approx(KL / 5, abs=1e-12)
    assert values["privacy_value"] == pytest.approx(2 ** (11 / 5 - 7), abs=1e-12)
    assert values["ncp"] == pytest.approx(3 / 32, abs=1e-12)


def test_records_are_equal_with_their_sensitive_items_or_not_at_all(lab: Shell) -> None:
    """Two groups that differ in what is sensitive only; in each one share goes from 1/2 to 1."""
    lab.write("a.basket", "e1,e6\ne1\ne1,e7\ne1\n")
    lab.write("b.basket", "e1,e6\ne1,e6\ne1,e7\ne1,e7\n")
    values = json.loads(lab("measure", "a.basket", "b.basket", "--sensitive", "private.txt", "--json")[1])
    assert values["kl_mean"] == pytest.approx(math.log(2), abs=1e-12)
    assert (values["modified_items"], values["privacy_value"]) == (1, 2 * 2.0 ** (1 - 3))


def test_the_groups_of_a_column_are_believed(lab: Shell) -> None:
    """One group of all records: e6 goes from 2/11 to 6/11, say; nothing becomes infinite."""
    lab.write("out.csv", "items,cluster\n" + "".join(f"{row},7\n" for row in AFTER))
    values = json.loads(lab(*TABLES, "--group-column", "cluster", "--json")[1])
    moves = [(5, 4), (6, 7), (4, 6), (8, 7), (5, 5), (2, 6), (2, 6)]  # records of e1 .. e7 before and after
    want = math.fsum(s / 11 * math.log(s / r) + (11 - s) / 11 * math.log((11 - s) / (11 - r)) for r, s in moves)
    assert values["kl"] == values["kl_mean"] == pytest.approx(want, abs=1e-12)
    assert values["modified_items"] == 6
    assert values["privacy_value"] == 11 * 2.0 ** (6 - 7)


def test_groups_as_numbers_with_gaps(lab: Shell) -> None:
    """Of JSON lines, say; null is no group."""
    for name, rows in (("in", BEFORE), ("out", AFTER)):
        made = [
            json.dumps({"items": row.split(), "cluster": None if at < 0 else 10 - at})
            for row, at in zip(rows, GROUPS, strict=True)
        ]
        lab.write(f"{name}.jsonl", "\n".join(made) + "\n")
    code, out, err = lab("measure", "in.jsonl", "out.jsonl", "--group-column", "cluster", "--sets", "items", "--json")
    assert code == 0, err
    assert json.loads(out)["kl_mean"] == pytest.approx(KL / 3, abs=1e-12)


def test_nothing_changed(lab: Shell) -> None:
    values = json.loads(lab("measure", "in.basket", "in.basket", "--sensitive", "private.txt", "--json")[1])
    assert {values[name] for name in ("operations", "kl", "kl_mean", "modified_items", "ncp")} == {0}
    assert values["privacy_value_log2"] == -7  # each of T1, T2 and T3 is alone


def test_infinite_is_null_for_machines_and_a_word_for_people(lab: Shell) -> None:
    lab.write("a.basket", "a\na\nb\n")
    lab.write("b.basket", "b\nb\nb\n")
    code, out, _ = lab("measure", "a.basket", "b.basket", "--json")
    assert code == 0
    assert json.loads(out)["kl"] == pytest.approx(math.log(3) * 2)  # a: 2/3 -> 0, b: 1/3 -> 1
    lab.write("b.basket", "b\nb\na\n")  # two groups: a from 1 to 0 and b from 0 to 1, twice
    assert json.loads(lab("measure", "a.basket", "b.basket", "--json")[1])["kl"] is None
    assert "infinite" in lab("measure", "a.basket", "b.basket")[1]


def test_generalized_labels_are_measured_as_before(lab: Shell) -> None:
    lab.write("out.basket", "".join(f"{row.replace(' ', ',').replace('e1', 'well')}\n" for row in BEFORE))
    words = (*FILES, "--hierarchy", "tree.csv")
    code, out, err = lab(*words, "--json")
    assert (code, err) == (0, "")
    assert set(json.loads(out)) == {
        *("schema", "ncp", "lm", "lm_sum", "ul", "total_items", "unchanged_items"),
        *("suppressed_items", "different_suppressed_items", "emptied_records"),
    }
    assert "--group-column and k= change nothing" in lab(*words, "--k", "3")[2]


def test_multisets_without_a_hierarchy(lab: Shell) -> None:
    lab.write("many.basket", "a,a,b\na,b\n")
    lab.write("some.basket", "a*2,b*1\na*2,b*1\n")
    code, out, err = lab("measure", "many.basket", "some.basket", "--multiset", "--json")
    assert code == 0, err
    values = json.loads(out)
    assert (values["qid_additions"], values["qid_deletions"]) == (1, 1)
    assert values["kl"] == pytest.approx(2 * math.log(2))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("measure", "in.basket", "general.basket"), "'well' (line 2) is not an item of in.basket"),
        (("measure", "in.basket", "general.basket"), "give the hierarchy that it comes from (--hierarchy)"),
        (("measure", "in.basket", "root.basket"), "Published label '(all)' (line 1) is not an item of in.basket"),
        (("measure", "in.basket", "general.basket", "--hierarchy", "h.csv"), "not in the hierarchy h.csv"),
        (("measure", "in.basket", "short.basket"), "The original data have 11 rows and the published data 2"),
        ((*TABLES, "--group-column", "clutser"), "No column 'clutser' (did you mean 'cluster'?)"),
        ((*FILES, "--group-column", "cluster"), "No column 'cluster' in out.basket; other columns: none"),
        ((*FILES, "--k", "0"), "'--k': 0 is not in the range x>=1"),
        ((*FILES, "--k", "many"), "'many' is not a valid integer"),
        ((*FILES, "--sensitive", "e8"), "Sensitive 'e8'"),
        ((*FILES, "--sensitive", "il", "--hierarchy", "tree.csv"), "'il' (did you mean 'ill'?) is not in in.basket"),
        ((*FILES, "--sensitive", "ill"), "Sensitive 'ill' is not in in.basket"),
        ((*FILES, "--sensitive", "ALL", "--hierarchy", "tree.csv"), "all 7 items are sensitive"),
        (
            ("measure", "odd.basket", "odd.basket", "--sensitive", "ill", "--hierarchy", "tree.csv"),
            "'ill' is an item of the data and a group in tree.csv: rename one",
        ),
        ((*FILES, "--hierarchy-format", "arx"), "--hierarchy-format needs --hierarchy"),
        ((*FILES, "--hierarchy", "none.csv"), "none.csv"),
    ],
)
def test_bad_input(lab: Shell, words: tuple[str, ...], said: str) -> None:
    lab.write("general.basket", "e1\nwell\n" + "e1\n" * 9)
    lab.write("root.basket", "(all)\n" * 11)
    lab.write("short.basket", "e1\ne2\n")
    lab.write("odd.basket", "e1,ill\n")
    assert said in lab.fails(*words)
