"""``shoal frontier``: what it shows, what it writes, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

import shoal
from shoal.evaluation import frontier as module
from tests.conftest import Shell

WORDS = ("frontier", "in.basket", "--hierarchy", "h.csv", "--k", "2,3", "--m", "1,2")


def test_a_table_a_chart_and_sentences(shell: Shell) -> None:
    code, out, _ = shell(*WORDS, "-o", "f.csv")
    assert code == 0
    assert "loss of items" in out
    assert "items published unchanged" in out
    assert "an attacker who knows" in out
    assert (shell.folder / "f.csv").read_text(encoding="utf-8").startswith("k,m,delta,loss")


def test_json(shell: Shell) -> None:
    code, out, _ = shell(*WORDS, "--json")
    assert code == 0
    assert [(one["k"], one["m"]) for one in json.loads(out)["choices"]] == [(2, 1), (3, 1), (2, 2), (3, 2)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--k", "2,x"), "--k must be whole numbers such as 2,3,5, got '2,x'"),
        (("--k", ""), "--k must be whole numbers"),
        (("--k", "1"), "k must be whole numbers from 2 on"),
        (("--m", "0"), "m must be whole numbers from 1 on"),
        (("--k", "1000"), "needs at least 1000 non-empty records"),
        (("-o", "f.pdf"), "f.pdf must end in one of .html, .png, .csv"),
        (("-o", "f"), "got none"),
        (("-o", "h.csv"), "h.csv is an input too"),
        (("-o", "no/f.csv"), "does not exist"),
        (("--model", "lm"), "'lm' is not one of 'km', 'k-km'"),
        (("--delta", "0.5"), "choose --model k-km"),
        (("--time-limit", "soon"), "--time-limit must be"),
        (("--siblings", "nowhere.csv"), "nowhere.csv does not exist"),
    ],
)
def test_bad_input(shell: Shell, words: tuple[str, ...], said: str) -> None:
    assert said in shell.fails(*WORDS, *words)


def test_an_interruption_shows_what_is_finished_and_writes_nothing(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_release, done = module.make_release, list[Any]()

    def interrupted(*given: Any) -> shoal.Release:
        if done:
            raise KeyboardInterrupt
        done.append(given)
        return make_release(*given)

    monkeypatch.setattr(module, "make_release", interrupted)
    code, out, err = shell(*WORDS, "-o", "f.html")
    assert code == 130
    assert "loss of items" in out
    assert "Interrupted: 1 of 4 choices are shown; nothing was written." in err
    assert not (shell.folder / "f.html").exists()
