"""How to read the data, as every command takes it, and what every command says of what it read."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.algorithms.auto import Auto
from shoal.cli.options import tell
from shoal.evaluation import grid_file
from shoal.evaluation.compare import check_readable
from shoal.io.read_options import ReadOptions
from shoal.jobs.command import Command
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.job import Job
from shoal.models.km import Km
from tests.conftest import Shell

PAIRS = "".join(f"s{at};a\ns{at};b\n" for at in range(1, 5))
READ = "Read d.dat: 4 records, 2 different items (csv without a header; ids in '(column 1)'; items in '(column 2)').\n"
COMMANDS = {
    "anonymize": ("d.dat", "-o", "out.dat", "--k", "2", "--columns", "none"),
    "verify": ("d.dat", "--k", "2"),
    "profile": ("d.dat",),
    "measure": ("d.dat", "d.dat"),
    "workload": ("d.dat", "-o", "w.jsonl"),
    "hierarchy build": ("d.dat", "-o", "tree.csv"),
    "hierarchy check": ("flat.csv", "d.dat"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_record_is_no_header_and_every_command_says_what_it_read(shell: Shell, command: str) -> None:
    shell.write("d.dat", PAIRS)
    shell.write("flat.csv", "a;*\nb;*\n")
    words = (*command.split(), *COMMANDS[command], "--format", "csv")
    assert "does it name the columns, or is it a record? 's1' also occurs" in shell.fails(*words)
    code, _, err = shell(*words, "--no-header", "--id-column", "(column 1)")
    assert code == 0, err
    assert set(shell.was_read) == {READ}
    if command == "anonymize":
        assert (shell.folder / "out.dat").read_text() == "".join(f"{at};a\n{at};b\n" for at in range(1, 5))


def test_verify_does_not_lose_the_first_record(shell: Shell) -> None:
    shell.write("n.csv", "a\nb\nb\n")
    assert "'a' may be a name or an item" in shell.fails("verify", "n.csv", "--k", "2")
    assert shell("verify", "n.csv", "--k", "2", "--no-header")[0] == 1
    assert shell("verify", "n.csv", "--k", "2", "--header")[0] == 0


def test_the_index_of_pandas(shell: Shell) -> None:
    shell.write("i.csv", ",items\n0,a|b\n1,a|b\n")
    shell.write("tree.csv", "a;*\nb;*\n")
    words = ("--model", "k-km", "--k", "2", "--delta", "1", "--hierarchy", "tree.csv")
    code, out, err = shell("anonymize", "i.csv", "-o", "out.csv", *words)
    assert code == 0, err
    assert "(column 1), numbers" in out
    assert (shell.folder / "out.csv").read_text() == "(column 1),items\n[0:1],a|b\n[0:1],a|b\n"


def test_in_a_problem_file(shell: Shell) -> None:
    shell.write("d.dat", PAIRS)
    text = '[data]\nfile = "d.dat"\nformat = "csv"\n{}\n[output]\nfile = "out.dat"\ncolumns = []\n[model]\nk = 2\n'
    shell.write("p.toml", text.format(""))
    assert "is it a record" in shell.fails("run", "p.toml")
    shell.write("p.toml", text.format('header = "no"'))
    assert "[data] header must be true or false" in shell.fails("run", "p.toml")
    shell.write("p.toml", text.format('header = false\nid_column = "(column 1)"\nmax_expanded = "1 GB"'))
    code, _, err = shell("run", "p.toml")
    assert code == 0, err
    assert shell.was_read == [READ]


def test_in_a_grid_file(shell: Shell) -> None:
    shell.write("d.dat", PAIRS)
    text = (
        '[[data]]\nname = "d"\nfile = "d.dat"\nformat = "csv"\n{}\n[[runs]]\nmodel = {{ name = "km", k = 2 }}\n'
        'algorithm = {{ name = "aa" }}\n'
    )
    shell.write("g.toml", text.format(""))
    assert "is it a record" in shell.fails("compare", "g.toml", "-o", "lab")
    shell.write("g.toml", text.format('header = false\nid_column = "(column 1)"\nmax_expanded = 1000000000'))
    grid = grid_file.load("g.toml")
    check_readable(grid, tell)
    assert shell.capsys.readouterr().err == READ
    assert grid.cases[0].data.fingerprint["reading"] == {"format": "csv", "header": False, "id_column": "(column 1)"}


def test_recommended_commands_say_how_the_data_were_read() -> None:
    read_as = ReadOptions(format="csv", header=False, max_expanded="5GB")
    data = DatasetSpec(file="d.dat", reading=read_as)
    job = Job(data=data, output=Path("o.dat"), model=Km(), algorithm=Auto())
    assert "d.dat -o o.dat --format csv --no-header --max-expanded 5GB --model" in Command.of(job).spelled(
        job.algorithm, {}
    )


def test_help_is_that_of_the_model_and_the_algorithm(shell: Shell) -> None:
    default, some, one = (
        shell("anonymize", "--help", *words)[1]
        for words in ((), ("--model", "lm"), ("--model", "lm", "--algorithm", "aa"))
    )
    assert "--delta" not in default + some
    assert "Options of the algorithm auto (" in default
    assert "--sensitive" in one
    assert "the algorithm auto" not in one
    assert len(some) > len(one)
    assert "--group-column" not in shell("verify", "--model", "km", "--help")[1]
    assert "--group-column" in shell("verify", "--model=km", "--model", "privacy-degree", "--help")[1]
    assert "Unknown model 'ml'" in shell.fails("recommend", "--model", "ml", "--help")


@pytest.mark.parametrize("command", ["anonymize", "verify", "explain", "recommend"])
def test_help_tells_how_to_see_the_options_of_other_models(shell: Shell, command: str) -> None:
    default = shell(command, "--help")[1]
    assert "Options of the model km (k^m-anonymity):\n  -k, --k N " in default
    _, title, models = default.partition("\nModels (--model NAME):\n")
    assert title
    assert f"'shoal {command} --model NAME --help' shows the options of a model." in models
    assert "  privacy-degree   Sets: " in models
    assert title not in shell(command, "--model", "lm", "--help")[1]


def test_options_of_what_was_not_chosen(shell: Shell) -> None:
    shell.write("d.dat", PAIRS)
    words = ("anonymize", "d.dat", "-o", "o.dat")
    wrong = "--delta is an option of rmerge-r, rmerge-rt, "
    assert wrong in shell.fails(*words, "--delta", "1")
    instead = "not of the model km or the algorithm auto: leave it out, or choose another algorithm."
    assert instead in shell.fails(*words, "--delta", "1")
    assert "--sensitive is an option of" in shell.fails("verify", "d.dat", "--sensitive", "a")
    assert wrong in shell.fails(*words, "--algorithm=aa", "--delta", "1")
    assert "No such option '--dleta' (did you mean '--delta'?)" in shell.fails(*words, "--dleta", "1")
    assert shell(*words, "-h")[1].startswith("Usage: shoal anonymize")
    assert "Unknown algorithm 'a'" in shell.fails(*words, "--algorithm", "a")


@pytest.mark.parametrize(
    "words",
    [
        ("anonymize", "gone.csv", "-o", "o.csv", "--hierarchy", "nothing.csv", "--weights", "no.csv"),
        ("anonymize", "gone.csv", "-o", "nowhere/o.csv"),
        ("anonymize", "gone.csv"),
        ("anonymize", "gone.csv", "-o", "o.csv", "--model", "k-km", "--algorithm", "aa"),
        ("verify", "gone.csv", "--codebook", "nothing.csv"),
        ("measure", "gone.csv", "in.basket", "--hierarchy", "nothing.csv"),
        ("explain", "in.basket", "gone.csv", "--hierarchy", "nothing.csv"),
        ("frontier", "gone.csv", "--hierarchy", "nothing.csv"),
        ("hierarchy", "check", "h.csv", "gone.csv"),
        ("run", "gone.csv"),
    ],
    ids=" ".join,
)
def test_a_missing_input_file_is_told_first(shell: Shell, words: tuple[str, ...]) -> None:
    assert shell.fails(*words) == "Error: gone.csv does not exist: check the path.\n"


def test_help_is_shown_whatever_files_are_missing(shell: Shell) -> None:
    assert shell("anonymize", "gone.csv", "--help")[0] == 0
