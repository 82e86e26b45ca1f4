"""The command line as a user meets it: results, exit codes, messages, and what is left on disk.

Covers: cli/demo.py, cli/generate.py, cli/catalogue.py, cli/verify.py, cli/profile.py.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

import shoal
from shoal import discovery, hierarchies
from shoal.algorithms.base import Algorithm
from tests import processes
from tests.conftest import BASKETS, HIERARCHY, Shell

ANONYMIZE = ("anonymize", "in.basket", "-o", "out.basket", "--hierarchy", "h.csv", "--k", "2", "--m", "2")


def test_anonymize_verify_measure(shell: Shell) -> None:
    code, out, _ = shell(*ANONYMIZE, "--report", "r.json", "--report", "r.html", "--report", "r.md")
    assert code == 0
    assert "Verified" in out
    assert (shell.folder / "out.basket").read_text() == "A,b1,b2\nA,b1\nA,b1,b2\nA,b2\n"
    report = json.loads((shell.folder / "r.json").read_text())
    assert report["verdict"]["holds"] is True
    assert report["losses"]["ncp"] == pytest.approx(2.5 / 11, abs=1e-12)
    assert report["model"]["name"] == "km"
    assert report["algorithm"]["name"] == "auto"
    assert report["optimality"]["proven"] is True
    hashes = {"input": "in.basket", "hierarchy": "h.csv", "output": "out.basket"}
    for what, name in hashes.items():
        digest = subprocess.run(["sha256sum", name], capture_output=True, text=True, check=True).stdout.split()[0]
        assert report["provenance"][what]["sha256"] == digest
    assert shell("verify", "out.basket", "--k", "2", "--m", "2")[0] == 0
    code, out, _ = shell("verify", "in.basket", "--k", "2", "--m", "2")
    assert code == 1
    assert "a1, a2" in out
    code, out, _ = shell("measure", "in.basket", "out.basket", "--hierarchy", "h.csv", "--json")
    assert json.loads(out)["ncp"] == pytest.approx(2.5 / 11, abs=1e-12)


def test_profile(shell: Shell) -> None:
    code, out, _ = shell("profile", "in.basket", "--k", "2", "--m", "2", "--json")
    assert code == 0
    facts = json.loads(out)
    assert (facts["records"], facts["different_items"], facts["total_items"]) == (4, 4, 11)
    first = facts["risk"][0]
    assert first.pop("average") == pytest.approx(5 / 12, abs=1e-12)
    assert first == {"known_items": 1, "below_k": 0, "unique": 0, "k": 2, "prosecutor": 1 / 2}
    assert facts["risk"][1]["unique"] == 2  # {a1, b1} and {a1, a2}
    assert "up to 2 items" in shell("profile", "in.basket", "--m", "2")[1]


def test_bad_options(shell: Shell) -> None:
    assert "k must be at least 2, got 1" in shell.fails(*ANONYMIZE[:-3], "1")
    assert "m must be at least 1, got 0" in shell.fails(*ANONYMIZE[:-1], "0")
    assert "m must be a whole number or 'all', got 'two'" in shell.fails(*ANONYMIZE[:-1], "two")
    assert "k=5 needs at least 5 non-empty records, got 4" in shell.fails(*ANONYMIZE[:6], "--k", "5")
    assert "did you mean 'km'" in shell.fails(*ANONYMIZE, "--model", "kmm")
    known = ", ".join(discovery.find("shoal.algorithms", Algorithm))
    assert "rmerge-rt" in known
    assert f"known are {known}" in shell.fails(*ANONYMIZE, "--algorithm", "magic")
    assert "--max-cuts is an option of oa, not of the model km or the algorithm auto" in shell.fails(
        *ANONYMIZE, "--max-cuts", "7"
    )
    assert "search 5 cuts of h.csv" in shell.fails(*ANONYMIZE, "--algorithm", "oa", "--max-cuts", "4")
    assert "'drop' is not one of 'error', 'root'" in shell.fails(*ANONYMIZE, "--unknown-items", "drop")


def test_bad_data(shell: Shell) -> None:
    def with_data(name: str, text: str | bytes, *words: str) -> str:
        shell.write(name, text)
        return shell.fails("anonymize", name, "-o", "out", "--hierarchy", "h.csv", "--k", "2", *words)

    unknown = with_data("u.basket", BASKETS + "a1,b3\n")
    assert "Item 'b3' (line 5) is not in the hierarchy h.csv: add it" in unknown
    assert "--unknown-items root" in unknown
    assert "is a group" in with_data("g.basket", "A,b1\nA,b1\n")
    assert "empty.dat is empty" in with_data("empty.dat", "")
    assert "binary" in with_data("junk.dat", b"\x00\x01\x02junk\n" * 9)
    assert "column" in with_data("t.csv", "id,things\n1,a1 b1\n", "--sets", "items")
    assert "does not exist" in shell.fails("anonymize", "nowhere.dat", "-o", "o", "--hierarchy", "h.csv")


def test_unknown_items_under_the_root(shell: Shell) -> None:
    shell.write("in.basket", BASKETS * 2 + "b3\n")
    code, _, err = shell(*ANONYMIZE, "--unknown-items", "root")
    assert code == 0, err
    assert "1 item was not in the hierarchy" in err
    assert shell("verify", "out.basket", "--k", "2")[0] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a1;A;ALL\na1;B;ALL\na2;A;ALL\n", "a1"),
        ("a1;A;X\nb1;B;Y\n", "root"),
        ("node,parent\nA,B\nB,C\nC,A\na1,A\n", "cycle"),
        ("", "empty"),
    ],
)
def test_bad_hierarchies(shell: Shell, text: str, message: str) -> None:
    shell.write("h.csv", text)
    assert message in shell.fails(*ANONYMIZE)


def test_bad_outputs(shell: Shell) -> None:
    assert "is an input too" in shell.fails("anonymize", "in.basket", "-o", "in.basket", "--hierarchy", "h.csv")
    assert "does not exist" in shell.fails("anonymize", "in.basket", "-o", "no/where.dat", "--hierarchy", "h.csv")
    (shell.folder / "dir").mkdir()
    assert "is a folder" in shell.fails("anonymize", "in.basket", "-o", "dir", "--hierarchy", "h.csv")
    assert "must be different files" in shell.fails(*ANONYMIZE, "--report", "out.basket")
    assert ".html" in shell.fails(*ANONYMIZE, "--report", "r.pdf")


def test_only_ordinary_files_are_written(shell: Shell) -> None:
    os.mkfifo(shell.folder / "pipe")
    assert "is a device or a pipe" in shell.fails("anonymize", "in.basket", "-o", "pipe", "--hierarchy", "h.csv")
    shell.write("target.basket", "old\n")
    (shell.folder / "out.basket").symlink_to("target.basket")
    assert shell(*ANONYMIZE)[0] == 0
    assert (shell.folder / "out.basket").is_symlink()
    assert (shell.folder / "target.basket").read_text().startswith("A,b1,b2\n")
    assert "h.csv is an input too" in shell.fails(*ANONYMIZE, "--report", "h.csv")
    assert "File name too long" in shell.fails("anonymize", "in.basket", "-o", "x" * 300, "--hierarchy", "h.csv")
    name = "y" * 250
    assert shell("anonymize", "in.basket", "-o", name, "--hierarchy", "h.csv", "--k", "2")[0] == 0


def test_a_report_that_fails_takes_the_release_with_it(shell: Shell) -> None:
    calls = []

    def full_at_the_second(*_: object) -> None:
        calls.append(1)
        if len(calls) > 1:
            raise OSError(28, "No space left on device")

    shell.monkeypatch.setattr(os, "fsync", full_at_the_second)
    assert "No space left on device" in shell.fails(*ANONYMIZE, "--report", "r.html")


def test_a_bug_of_ours_is_one_sentence_and_exit_code_3(shell: Shell) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("raw data")

    shell.monkeypatch.setattr("shoal.jobs.job.make_release", broken)
    code, _, err = shell(*ANONYMIZE)
    assert code == 3
    assert "A bug in Shoal: ZeroDivisionError" in err
    assert "raw data" not in err


def test_a_full_disk_leaves_nothing(shell: Shell) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    shell.monkeypatch.setattr(os, "fsync", full)
    assert "No space left on device" in shell.fails(*ANONYMIZE)


TICKING = """
from pathlib import Path
from shoal.cli import main
from shoal.engines import Engine
tick = Engine.tick
def told(self, stage):
    ticked = tick(self, stage)
    return lambda share: (Path("ticking").touch(), ticked(share))
Engine.tick = told
main()
"""


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    """A DA that would run for hours, interrupted inside the kernel: rows differ, but all sets of 8 are frequent."""
    pairs = itertools.islice(itertools.combinations(range(60), 2), 600)
    rows = [[str(item) for item in range(60) if item not in pair] for pair in pairs]
    shoal.write(shoal.read(rows), tmp_path / "in.dat")
    hierarchies.save(hierarchies.balanced(map(str, range(60))), tmp_path / "h.csv")
    words = (
        "anonymize",
        "in.dat",
        "-o",
        "out.dat",
        "--hierarchy",
        "h.csv",
        "--k",
        "2",
        "--algorithm",
        "da",
        "--m",
        "8",
    )
    with processes.python(TICKING, *words, cwd=tmp_path) as job:
        processes.wait_for((tmp_path / "ticking").exists, job)
        job.send_signal(signal.SIGINT)
        _, err = job.communicate(timeout=processes.LIMIT)
    assert job.returncode == 130
    assert "Interrupted: nothing was written." in err
    assert {path.name for path in tmp_path.iterdir()} == {"in.dat", "h.csv", "ticking"}


def test_the_same_bytes_whatever_the_workers_and_the_order_of_hierarchy_lines(shell: Shell) -> None:
    outputs = set()
    for workers, lines in (("1", HIERARCHY), ("4", "\n".join(reversed(HIERARCHY.split())) + "\n")):
        shell.write("h.csv", lines)
        assert shell(*ANONYMIZE, "--workers", workers)[0] == 0
        outputs.add((shell.folder / "out.basket").read_bytes())
    assert len(outputs) == 1


def test_a_multiset_release_can_be_measured(shell: Shell) -> None:
    shell.write("in.basket", "a1,a1,b1\na1,b1\na1,a1,b1\na1,b2\na1,b2\n")
    assert shell(*ANONYMIZE, "--multiset", "--report", "r.json")[0] == 0
    assert (shell.folder / "out.basket").read_text().startswith("a1,b1*1\n")  # {a1*1, b1*1} occurs once
    words = ("measure", "in.basket", "out.basket", "--hierarchy", "h.csv", "--multiset", "--json")
    measured, reported = json.loads(shell(*words)[1]), json.loads((shell.folder / "r.json").read_text())
    assert measured["ncp"] == reported["losses"]["ncp"] > 0


def test_columns_pass_through_or_not(shell: Shell) -> None:
    shell.write("t.csv", "id,items,zip\n007,a1 b1 b2,01234\n8,a2 b1,\n9,a2 b1 b2,5\n10,a1 a2 b2,6\n")
    words = ("anonymize", "t.csv", "-o", "o.csv", "--hierarchy", "h.csv", "--k", "2")
    code, _, err = shell(*words)
    assert code == 0
    assert "published unchanged" in err
    assert (shell.folder / "o.csv").read_text() == "id,items,zip\n007,A b1 b2,01234\n8,A b1,\n9,A b1 b2,5\n10,A b2,6\n"
    assert shell(*words, "--columns", "zip")[0] == 0
    assert (shell.folder / "o.csv").read_text().startswith("items,zip\nA b1 b2,01234\n")


def test_hierarchy_commands(shell: Shell) -> None:
    assert shell("hierarchy", "build", "in.basket", "-o", "b.csv", "--fanout", "2")[0] == 0
    code, out, _ = shell("hierarchy", "check", "b.csv", "in.basket")
    assert code == 0
    assert "4" in out
    shell.write("u.basket", "a1,zz\n")
    code, out, _ = shell("hierarchy", "check", "h.csv", "u.basket")
    assert code == 1
    assert "zz" in out
    for name in ("c.json", "c.txt", "c.csv"):
        assert shell("hierarchy", "convert", "h.csv", name)[0] == 0
        assert "a1" in shell("hierarchy", "show", name)[1]
    shell.write("bad.csv", "a1;A;ALL\na1;B;ALL\n")
    code, _, err = shell("hierarchy", "check", "bad.csv")
    assert code == 2
    assert "a1" in err


def test_hierarchy_check_lists_ten_problems_of_a_kind(shell: Shell) -> None:
    twice = "".join(f"x{at};A;ALL\nx{at};B;ALL\n" for at in range(1500))
    shell.write("dirty.csv", f"{twice}y;;ALL\n")
    code, _, err = shell("hierarchy", "check", "dirty.csv")
    assert code == 2
    assert err.count("occurs twice") == 10
    assert err.count("empty label") == 1
    assert "1,500 labels that occur twice, 10 of them shown: --all lists every one." in err
    code, _, err = shell("hierarchy", "check", "dirty.csv", "--all")
    assert code == 2
    assert err.count("occurs twice") == 1500
    shell.write("many.basket", ",".join(f"z{at:02}" for at in range(15)) + "\n")
    assert "and 5 more" in shell("hierarchy", "check", "h.csv", "many.basket")[1]
    assert "z14" in shell("hierarchy", "check", "h.csv", "many.basket", "--all")[1]


def test_generate_quest(shell: Shell) -> None:
    words = ("generate", "quest", "--rows", "200", "--items", "50", "--patterns", "20")
    assert shell(*words, "-o", "q.dat", "--hierarchy", "q.csv")[0] == 0
    assert shell(*words, "-o", "again.dat")[0] == 0
    assert (shell.folder / "q.dat").read_bytes() == (shell.folder / "again.dat").read_bytes()
    assert len((shell.folder / "q.dat").read_text().splitlines()) == 200
    assert shell("anonymize", "q.dat", "-o", "o.dat", "--hierarchy", "q.csv", "--algorithm", "aa")[0] == 0
    for name in ("q.parquet", "q.jsonl", "q.csv.gz", "q.feather", "q.basket"):
        assert shell(*words, "-o", name)[0] == 0, name
        assert '"records": 200' in shell("profile", name, "--m", "1", "--json")[1]
    assert "rows must be at least" in shell.fails("generate", "quest", "-o", "x.dat", "--rows", "0")


def test_generate_videos(shell: Shell) -> None:
    words = ("generate", "videos", "--rows", "300", "--items", "40", "--max-size", "9", "--mean-size", "3")
    for name in ("v.csv", "v.parquet", "v.jsonl"):
        assert shell(*words, "-o", name, "--hierarchy", "tree.csv")[0] == 0, name
        told = shell("profile", name, "--sets", "items", "--m", "1", "--json")[1]
        assert '"records": 300' in told
    head = (shell.folder / "v.csv").read_text().splitlines()[0]
    assert head == "age,category,length,rate,ratings,comments,items"
    asked = ("--model", "k-km", "--k", "5", "--m", "1", "--algorithm", "rmerge-r")
    assert shell("anonymize", "v.csv", "-o", "o.csv", "--sets", "items", *asked)[0] == 0
    assert "mean_size <= max_size <= items" in shell.fails("generate", "videos", "-o", "x.csv", "--max-size", "2")


def test_catalogues_and_help(shell: Shell) -> None:
    assert "Apriori-based" in shell("algorithms")[1]
    assert "k^m-anonymity" in shell("models")[1]
    for words in (
        [],
        ["anonymize"],
        ["verify"],
        ["profile"],
        ["measure"],
        ["hierarchy", "build"],
        ["generate", "quest"],
        ["generate", "videos"],
        ["generate", "shop"],
    ):
        code, out, _ = shell(*words, "--help")
        assert code == 0
        assert "Usage:" in out


def test_demo(shell: Shell) -> None:
    code, out, err = shell("demo", "--rows", "300", "--m", "2")
    assert code == 0, err
    assert "holds" in out
    assert "three baskets, before and after" in out
    assert "demo/report.html in a browser" in out
    assert (shell.folder / "demo" / "report.html").exists()
