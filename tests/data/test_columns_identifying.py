"""A column that may name people is published only if the publisher says so."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.data import Hierarchy
from shoal.data.columns import identifying_columns, refuse_identifying
from shoal.errors import OptionError
from tests.conftest import Shell

TREE = "a;a;*\nb;b;*\n"
HOW = ("--hierarchy", "t.csv", "--k", "2", "--item-delimiter", "|")


def households(shell: Shell, name: str = "household_id", rows: int = 30) -> None:
    shell.write("t.csv", TREE)
    shell.write("d.csv", f"{name},age,items\n" + "".join(f"H{at},{at % 5},a|b\n" for at in range(rows)))


def test_it_must_have_a_role(shell: Shell) -> None:
    households(shell)
    error = shell.fails("anonymize", "d.csv", "-o", "o.csv", *HOW)
    assert (
        "Column 'household_id' of d.csv has a different value in nearly every record, so it may identify people"
        in error
    )
    assert "drop it with --identifiers household_id, or publish it unchanged with --plain household_id." in error
    assert "household_id" in shell.fails("anonymize", "d.csv", "-o", "o.csv", *HOW, "--columns", "household_id")
    assert "household_id" in shell.fails("recommend", "d.csv", *HOW)


@pytest.mark.parametrize(
    ("role", "head"),
    [
        (["--identifiers", "household_id"], "age,items"),
        (["--plain", "household_id"], "household_id,age,items"),
        (["--columns", "age"], "age,items"),
        (["--columns", "none"], "items"),
    ],
)
def test_with_a_role_it_goes_on(shell: Shell, role: list[str], head: str) -> None:
    households(shell)
    assert shell("anonymize", "d.csv", "-o", "o.csv", *HOW, *role)[0] == 0
    assert (shell.folder / "o.csv").read_text().startswith(f"{head}\n")


def test_the_remedy_can_be_copied(shell: Shell) -> None:
    households(shell, '"id, old"')
    assert "--plain '\"id, old\"'." in shell.fails("anonymize", "d.csv", "-o", "o.csv", *HOW)
    assert shell("anonymize", "d.csv", "-o", "o.csv", *HOW, "--plain", '"id, old"')[0] == 0


def test_record_ids_of_long_files(shell: Shell) -> None:
    shell.write("t.csv", TREE)
    shell.write("d.csv", "customer,item\n" + "".join(f"C{at},a\nC{at},b\n" for at in range(25)))
    how = ("--hierarchy", "t.csv", "--k", "2", "--id-column", "customer")
    assert "'customer'" in shell.fails("anonymize", "d.csv", "-o", "o.csv", *how, "--keep-ids")
    assert shell("anonymize", "d.csv", "-o", "o.csv", *how)[0] == 0
    assert "C1" not in (shell.folder / "o.csv").read_text()
    assert shell("anonymize", "d.csv", "-o", "o.csv", *how, "--keep-ids", "--plain", "customer")[0] == 0
    assert "C1" in (shell.folder / "o.csv").read_text()


@pytest.mark.parametrize(
    ("values", "refused"),
    [
        (list(range(19)), False),
        (list(range(20)), True),
        ([*range(19), 18], True),  # 19 of 20
        ([*range(18), 17, 17], False),
        ([*range(25), *[None] * 40], True),
        ([*map(str, range(25)), *["", " "] * 20], True),
        ([0.5 + at for at in range(20)], True),
        ([[at] for at in range(20)], True),
        ([[1]] * 20, False),
        ([None] * 30, False),
        (pa.array(list("abcdefghijklmnopqrstuvw")).dictionary_encode(), True),
    ],
)
def test_what_nearly_every_record_means(values: Any, refused: bool) -> None:
    data = shoal.read(pa.table({"x": values, "items": [["a"]] * len(values)}), sets="items")
    if refused:
        with pytest.raises(OptionError, match=r"has a different value in (nearly )?every record"):
            refuse_identifying(data, ())
    else:
        refuse_identifying(data, ())
    refuse_identifying(data, {"x"})


def test_in_python() -> None:
    data = shoal.read(pa.table({"id": list(range(30)), "items": [["a"]] * 30}))
    problem = shoal.Problem(data, Hierarchy.flat(["a"]), shoal.Km(k=2))
    with pytest.raises(OptionError, match="may identify people"):
        shoal.anonymize(problem, algorithm=shoal.algorithms.AA())
    named = shoal.Problem(data, Hierarchy.flat(["a"]), shoal.Km(k=2), columns={"id": "identifier"})
    assert shoal.anonymize(named, algorithm=shoal.algorithms.AA()).data.column_names == ["items"]


def test_quasi_identifiers_are_generalized_and_sensitive_columns_are_named() -> None:
    data = shoal.read(pa.table({"id": list(range(30)), "items": [["a"]] * 30}))
    shoal.anonymize(shoal.Problem(data, Hierarchy.flat(["a"]), shoal.KKm(k=2, m=1)))
    lm = shoal.Lm(l=2, m=1, sensitive_column=("id",))
    assert shoal.anonymize(
        shoal.Problem(data, Hierarchy.flat(["a"]), lm), algorithm=shoal.algorithms.AA()
    ).verdict.holds


def test_values_of_a_sensitive_column_that_look_alike_are_noted(shell: Shell) -> None:
    shell.write("t.csv", TREE)
    shell.write("d.csv", "disease,items\n" + "".join(f"{value},a\n" for value in ("HIV", "hiv", "flu", "x")))
    how = ("--item-delimiter", "|", "--model", "lm", "--l", "2", "--m", "1", "--sensitive-column", "disease")
    both = "'disease=HIV' and 'disease=hiv' look alike, but count as two different sensitive values"
    one = "'disease=hiv' looks like 'disease=HIV', but was not declared sensitive"
    for more, note in (((), both), (("--sensitive", "disease=HIV"), one)):
        code, _, error = shell("anonymize", "d.csv", "-o", "o.csv", "--hierarchy", "t.csv", *how, *more)
        assert (code, error.count(note)) == (0, 1)
        code, _, error = shell("verify", "o.csv", *how, *more)
        assert (code, error.count(note)) == (0, 1)


def test_a_column_of_an_extension_type_may_be_one() -> None:
    table = pa.table(
        {
            "key": pa.ExtensionArray.from_storage(
                pa.uuid(), pa.array([b"%016d" % at for at in range(30)], pa.binary(16))
            ),
            "items": [["a"]] * 30,
        }
    )
    assert identifying_columns(shoal.read(table)) == ["key"]


def test_all_such_columns_are_named_at_once() -> None:
    data = shoal.read(pa.table({"id": list(range(30)), "at": list(range(30)), "items": [["a"]] * 30}))
    with pytest.raises(OptionError, match=r"Each of the columns 'id', 'at' .* with identifiers='id,at'"):
        refuse_identifying(data, ())
