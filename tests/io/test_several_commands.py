"""Several columns of sets on the command line."""

from __future__ import annotations

from tests.conftest import Shell


def test_on_the_command_line(shell: Shell) -> None:
    shell.write("in.csv", "id,dx,rx\n1,flu|cold,a b\n2,flu|cold,a b\n3,cold|flu,b a\n")
    shell.write("tree.csv", "dx.flu;dx.*;dx+rx\ndx.cold;dx.*;dx+rx\nrx.a;rx.*;dx+rx\nrx.b;rx.*;dx+rx\n")
    how = ("--model", "km", "--k", "3", "--m", "2")
    code, _, _ = shell("anonymize", "in.csv", "-o", "out.csv", "--hierarchy", "tree.csv", "--sets", "dx,rx", *how)
    assert code == 0
    assert (shell.folder / "out.csv").read_text() == "id,dx,rx\n1,cold|flu,a b\n2,cold|flu,a b\n3,cold|flu,a b\n"
    for options in (
        ["--sets", "dx,rx"],
        ["--sets", "dx", "--sets", "rx", "--item-delimiter", "|", "--item-delimiter", " "],
    ):
        code, out, _ = shell("verify", "out.csv", *options, *how)
        assert (code, "Holds" in out) == (0, True)
    code, _, error = shell("profile", "in.csv", "--sets", "dx,ry")
    assert (code, "has no column 'ry'" in error) == (2, True)
