"""The exact search, weights, polish and explanations on the command line.

Covers: cli/explain.py.
"""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal import hierarchies
from shoal.generators.quest import Quest
from shoal.search import solver
from tests.conftest import Shell
from tests.processes import signals_of_a_shell

ANONYMIZE = ("anonymize", "in.basket", "-o", "out.basket", "--hierarchy", "h.csv", "--k", "2", "--m", "2")
EXPLAIN = ("explain", "in.basket", "out.basket", "--hierarchy", "h.csv", "--k", "2", "--m", "2")


def test_the_best_cut_is_proved_and_says_so(shell: Shell) -> None:
    reports = ("--report", "r.json", "--report", "r.html", "--report", "r.md")
    code, out, _ = shell(*ANONYMIZE, "--siblings", "none", *reports)
    assert code == 0
    sentence = "Best of all cuts of h.csv (proved)."
    assert sentence in " ".join(out.split())
    report = json.loads((shell.folder / "r.json").read_text())
    best = report["optimality"]
    assert best["proven"] is True
    assert best["loss"] == best["lower_bound"] == pytest.approx(2.5 / 11, abs=1e-12)
    assert (best["gap"], best["ended"]) == (0, "proven")
    assert best["rounds"] >= 0
    assert best["clauses"] == 1
    assert report["explanations"] == [
        {"group": "A", "items": 2, "records": 4, "suppressed": False, "witness": {"labels": ["a1", "a2"], "support": 1}}
    ]
    assert set(report["search"]) >= {"seconds_counting", "seconds_lifting", "seconds_polishing"}
    assert sentence in (shell.folder / "r.html").read_text()
    assert sentence in (shell.folder / "r.md").read_text()
    assert "| A | a1, a2 | 1 |" in (shell.folder / "r.md").read_text()


def test_reports_without_the_rare_sets(shell: Shell) -> None:
    shell(*ANONYMIZE, "--report", "r.json", "--report", "r.html", "--report", "r.md", "--no-explanations")
    assert json.loads((shell.folder / "r.json").read_text())["explanations"] is None
    for name in ("r.html", "r.md"):
        assert "Why the groups are needed" not in (shell.folder / name).read_text()


def test_a_time_limit_of_nothing_is_honest(shell: Shell) -> None:
    data = Quest(rows=3000, items=120, mean_size=5, mean_pattern=2, seed=0).transactions()
    shoal.write(shoal.Dataset(data), "q.dat")
    hierarchies.save(hierarchies.balanced(data.labels, fanout=2), "q.csv")
    command = ("anonymize", "q.dat", "-o", "out.dat", "--hierarchy", "q.csv", "--m", "3", "--report", "r.json")
    code, out, _ = shell(*command, "--siblings", "none", "--time-limit", "0")
    assert code == 0
    text = " ".join(out.split())
    assert "above the best cut of q.csv (lower bound " in text
    assert "; the time limit ended the search." in text
    best = json.loads((shell.folder / "r.json").read_text())["optimality"]
    assert (best["proven"], best["ended"]) == (False, "time limit")
    assert 0 < best["gap"] < 1
    shell(*command, "--algorithm", "optimal")
    assert json.loads((shell.folder / "r.json").read_text())["optimality"]["proven"] is True


def test_explain(shell: Shell) -> None:
    shell(*ANONYMIZE)
    code, out, err = shell(*EXPLAIN)
    assert code == 0
    assert "a1, a2" in out
    assert "do not publish them" in err
    code, out, _ = shell(*EXPLAIN, "--json")
    assert json.loads(out)["groups"] == [
        {"group": "A", "items": 2, "records": 4, "suppressed": False, "witness": {"labels": ["a1", "a2"], "support": 1}}
    ]
    assert "a1, a2" in shell(*EXPLAIN, "--label", "a1")[1]
    assert "'b1' is published unchanged" in shell(*EXPLAIN, "--label", "b1")[1]
    assert json.loads(shell(*EXPLAIN, "--label", "b1", "--json")[1])["groups"] == []
    assert "'B' was split" in shell.fails(*EXPLAIN, "--label", "B")
    assert "did you mean" in shell.fails(*EXPLAIN, "--label", "b1x")


def test_explain_tells_what_could_be_split(shell: Shell) -> None:
    shell.write("out.basket", "A,B\nA,B\nA,B\nA,B\n")
    _, out, _ = shell(*EXPLAIN)
    assert "(could be split)" in out
    shell.write("raw.basket", "a1\na1\n")
    shell.write("same.basket", "a1\na1\n")
    _, out, _ = shell("explain", "raw.basket", "same.basket", "--hierarchy", "h.csv", "--k", "2", "--m", "2")
    assert "nothing to explain" in out


def test_explain_refuses_what_it_cannot_explain(shell: Shell) -> None:
    shell.write("out.basket", "A,b1,b2\nA,b1\nA,b1,b2\nA,b1\n")
    assert "in the same way in every record" in shell.fails(*EXPLAIN)
    shell.write("out.basket", "a1,b1,b2\na2,b1\na2,b1,b2\na1,a2,b2\n")
    assert "does not have k^m-anonymity with these options ({a1, a2} is in 1 record)" in shell.fails(*EXPLAIN)
    shell.write("out.basket", '"(a1,a2)",b1,b2\n"(a1,a2)",b1\n"(a1,a2)",b1,b2\n"(a1,a2)",b2\n')
    assert "Only groups can be explained, not sets of items" in shell.fails(*EXPLAIN)


def test_polish(shell: Shell) -> None:
    code, _, _ = shell(*ANONYMIZE, "--algorithm", "aa", "--polish", "--report", "r.json")
    assert code == 0
    assert json.loads((shell.folder / "r.json").read_text())["algorithm"]["options"] == {
        "label_order": "support",
        "polish": True,
        "siblings": "none",
    }
    assert "--polish is an option of aa, da, oa, vpa, not of the model km or the algorithm auto" in shell.fails(
        *ANONYMIZE, "--polish"
    )


def test_weights(shell: Shell) -> None:
    shell.write("w.csv", "item,weight\nA,10\n")
    code, out, _ = shell(*ANONYMIZE, "--weights", "w.csv", "--report", "r.json", "--report", "r.html")
    assert code == 0
    assert "loss, NCP weighted" in out
    report = json.loads((shell.folder / "r.json").read_text())
    assert report["losses"]["weighted_ncp"] == pytest.approx(report["optimality"]["loss"], abs=1e-12)
    assert report["provenance"]["weights"]["name"] == "w.csv"
    assert len(report["provenance"]["weights"]["sha256"]) == 64
    assert "weighted by w.csv" in (shell.folder / "r.html").read_text()
    assert "bad.csv, line 1: 'a9' is neither an item nor a group" in shell.fails(
        *ANONYMIZE, "--weights", shell.write("bad.csv", "a9,10\n")
    )
    assert "no.csv" in shell.fails(*ANONYMIZE, "--weights", "no.csv")
    assert "is an input too" in shell.fails(*ANONYMIZE[:3], "w.csv", *ANONYMIZE[4:], "--weights", "w.csv")


@pytest.mark.parametrize("value", ["-1", "soon", "nan"])
def test_bad_time_limits(shell: Shell, value: str) -> None:
    assert "--time-limit must be" in shell.fails(*ANONYMIZE, "--time-limit", value)


def test_ctrl_c_in_the_proof_publishes_the_best_so_far(shell: Shell) -> None:
    """Verified, with an honest gap; and only then."""
    data = Quest(rows=4000, items=200, mean_size=8, mean_pattern=2, patterns=3000, seed=3).transactions()
    shoal.write(shoal.Dataset(data), "q.dat")
    hierarchies.save(hierarchies.balanced(data.labels, fanout=2), Path("q.csv"))
    asked: list[int] = []

    def interrupted(*given: Any) -> Any:
        asked.append(1)
        if len(asked) == 1:
            signal.raise_signal(signal.SIGINT)
        return ask(*given)

    ask = solver.solve
    shell.monkeypatch.setattr(solver, "solve", interrupted)
    words = ("anonymize", "q.dat", "-o", "out.dat", "--hierarchy", "q.csv", "--m", "3", "--algorithm", "optimal")
    with signals_of_a_shell():
        code, out, err = shell(*words)
    assert code == 0, err
    assert asked
    assert "above the best cut of q.csv (lower bound " in " ".join(out.split())
    assert "the search was interrupted." in " ".join(out.split())
    published = shoal.published.Published.plain(shoal.read("out.dat").transactions)
    assert shoal.Km(k=5, m=3).verify(published).holds
