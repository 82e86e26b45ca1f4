"""Commands that are printed can be copied into a shell, whatever files, columns and labels are called."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from shoal.algorithms.mm import MM
from shoal.io.read_options import ReadOptions
from shoal.jobs.command import Command
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.job import Job
from shoal.models.hkp import Hkp
from shoal.options import names_of
from tests.conftest import Shell

SECRET = 'beer, "light"'


def test_a_file_name_is_one_word_and_labels_with_commas_stay_whole(shell: Shell) -> None:
    data = shell.write("s.dat;touch pwned", "\n".join(['"beer, ""light""",a,b', "a,b", "a,b", "b,a", "-9,a,b"] * 4))
    words = ("--format", "basket", "--delimiter", ",", "--drop-items=-9", "--model", "hkp", "--k", "2", "--p", "1")
    secret = ("--sensitive", '"beer, ""light"""')
    code, out, err = shell("recommend", data, *words, *secret, "--json", "--budget", "20", "--suppress")
    assert code == 0, err
    for command in json.loads(out)["commands"]:
        split = shlex.split(command, posix=True)
        assert ";" not in "".join(word for word in split if "pwned" not in word)
        assert any(word == data for word in split)
        code, _, err = shell(*split[1:])
        assert code == 0, err
    assert (shell.folder / "published.dat;touch pwned").exists()


def test_lists_are_quoted_as_they_are_read() -> None:
    reading = ReadOptions(sets="my items", drop_items=("a,b", 'say "x"', "-9"))
    [*column, flag, dropped] = reading.words()
    assert (column, flag) == (["--sets", "my items"], "--drop-items")
    assert names_of(dropped) == reading.drop_items
    job = Job(
        data=DatasetSpec(file="d;x.csv", reading=reading, keep=("zip, old", "age")),
        output=Path("o ut.csv"),
        model=Hkp(sensitive=(SECRET, "flu")),
        algorithm=MM(),
    )
    words = shlex.split(Command.of(job).spelled(job.algorithm, {}))
    assert words[2:5] == ["d;x.csv", "-o", "o ut.csv"]
    assert names_of(words[words.index("--columns") + 1]) == ("zip, old", "age")
    assert names_of(words[words.index("--sensitive") + 1]) == (SECRET, "flu")


def test_lists_with_commas_are_understood(shell: Shell) -> None:
    shell.write("d.csv", '"zip, old",age,items\n' + "1,2,a|x\n" * 4)
    shell.write("t.csv", "a;*\nx;*\n")
    how = ("--item-delimiter", "|", "--hierarchy", "t.csv", "--k", "2")
    assert shell("anonymize", "d.csv", "-o", "o.csv", *how, "--columns", '"zip, old"')[0] == 0
    assert (shell.folder / "o.csv").read_text().startswith('"zip, old",items\n')
    code, out, _ = shell("verify", "d.csv", "--model", "k", "--k", "2", "--quasi-identifiers", '"zip, old",age')
    assert (code, "Holds" in out) == (0, True)
