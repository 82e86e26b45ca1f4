"""Labels are untrusted text: the terminal obeys nothing that is in them, in any output."""

from __future__ import annotations

import io
import json
import re

import pytest
from rich.console import Console

from shoal.cli import console
from tests.conftest import Shell

EVIL = "\x1b[2J\x1b[HHolds."
LABELS = [EVIL, "del\x7f", "csi\x9b2J", "\u202eevil", "line\u2028end", "[bold]x[/]", ":beer:", "\\[red]"]
SPELLED = ["\\x1b[2J\\x1b[HHolds.", "del\\x7f", "csi\\x9b2J", "\\u202eevil", "line\\u2028end", *LABELS[5:]]
ROWS = "".join(f"{label}\n" for label in LABELS) * 2
TREE = "".join(f"{label};group{EVIL};*\n" for label in LABELS)
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]")


@pytest.fixture
def evil(shell: Shell) -> Shell:
    shell.write("evil.basket", ROWS)
    shell.write("evil.csv", TREE)
    return shell


def everything(shell: Shell, *words: str) -> str:
    """All that a command prints, which must hold no control character but the line feed."""
    code, out, err = shell(*words)
    assert "Traceback" not in err
    assert code in (0, 1, 2), err
    assert not RAW.search(out + err), ascii(out + err)
    return out + err


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "evil.basket", "--k", "3"),
        ("profile", "evil.basket"),
        ("hierarchy", "show", "evil.csv"),
    ],
    ids=" ".join,
)
def test_labels_are_shown_as_they_are_but_for_what_a_terminal_obeys(evil: Shell, words: tuple[str, ...]) -> None:
    shown = everything(evil, *words)
    for label in SPELLED:
        assert label in shown


def test_verify_still_says_violated(evil: Shell) -> None:
    assert "Violated." in everything(evil, "verify", "evil.basket", "--k", "3")


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "evil.basket", "--k", "3", "--model", "lm", "--l", "2", "--sensitive", EVIL),
        ("verify", "evil.basket", "--k", "3", "--model", "lm", "--l", "2", "--sensitive", f"{EVIL}\n"),
        ("anonymize", "evil.basket", "-o", "out.basket", "--k", "3", "--hierarchy", "evil.csv"),
        ("anonymize", "evil.basket", "-o", "out.basket", "--k", "30", "--hierarchy", "evil.csv"),
        ("anonymize", "evil.basket", "-o", "out.basket", "--k", "3", "--hierarchy", "h.csv"),
        ("anonymize", "evil.basket", "-o", f"no{EVIL}/out.basket", "--k", "3", "--hierarchy", "evil.csv"),
        ("explain", "evil.basket", "evil.basket", "--k", "2", "--hierarchy", "evil.csv", "--label", EVIL),
        ("explain", "evil.basket", "evil.basket", "--k", "2", "--hierarchy", "evil.csv", "--label", EVIL + "?"),
        ("measure", "evil.basket", "evil.basket", "--hierarchy", "evil.csv"),
        ("hierarchy", "check", "evil.csv"),
        ("hierarchy", "check", "evil.basket"),
        ("hierarchy", "build", "evil.basket", "-o", "made.csv"),
        ("verify", f"missing{EVIL}\n.dat"),
        ("verify", "evil.basket", f"--{EVIL}"),
        (f"verify{EVIL}",),
    ],
    ids=lambda words: ascii(" ".join(words)),
)
def test_no_command_prints_what_a_terminal_obeys(evil: Shell, words: tuple[str, ...]) -> None:
    everything(evil, *words)


def test_an_error_is_one_line_whatever_the_labels_hold(evil: Shell) -> None:
    assert "\\x1b[2J\\x1b[HHolds." in evil.fails("anonymize", "evil.basket", "-o", "out", "--hierarchy", "h.csv")
    assert "missing\\x1b[2J\\x1b[HHolds.\\n.dat" in evil.fails("verify", f"missing{EVIL}\n.dat")


def test_json_on_the_terminal_spells_out_and_means_the_same(evil: Shell) -> None:
    shown = everything(evil, "verify", "evil.basket", "--k", "3", "--json")
    found = {witness["labels"][0] for witness in json.loads(shown)["witnesses"]}
    assert found == set(LABELS)


def test_published_data_stay_as_they_are(evil: Shell) -> None:
    everything(evil, "anonymize", "evil.basket", "-o", "out.basket", "--k", "2", "--m", "1", "--hierarchy", "evil.csv")
    assert sorted((evil.folder / "out.basket").read_text().split("\n")) == sorted(ROWS.split("\n"))


def test_progress_spells_out_the_names_of_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    terminal = Console(file=shown, force_terminal=True, width=200, color_system=None, _environ={"TERM": "xterm"})
    monkeypatch.setattr(console, "terminal", lambda *, stderr: terminal)
    with console.engine(1) as engine:
        engine.progress(f"{EVIL}[bold]", 0.5)
        engine.progress("next", 0.5)
    assert EVIL not in shown.getvalue()
    assert "\\x1b[2J\\x1b[HHolds.[bold]" in shown.getvalue()
