"""Nearly worthless releases say so first, name what forced it, and name commands whose loss is right.

Covers: report/remedies.py, jobs/command.py.
"""

from __future__ import annotations

import json
import random
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from shoal import report
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.errors import LossTooHigh, OptionError
from shoal.jobs.arguments import describe_data
from shoal.jobs.job import Job
from shoal.report import Story, headline, remedies
from shoal.search import siblings
from tests.conftest import Shell

DEPARTMENTS = {f"D{d}": [f"d{d}i{i}" for i in range(8)] for d in range(6)}
NONE = ("--siblings", "none")


def baskets() -> list[list[str]]:
    """Two products of one department each, and one record that holds the only meeting of two departments."""
    draw = random.Random(1)
    rows = [draw.sample(items[:5], 2) for items in DEPARTMENTS.values() for _ in range(30)]
    return [*rows, ["d0i0", "d1i0"]]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little work for grouping siblings: its quality is not at stake here."""
    monkeypatch.setattr(siblings, "WORK", 300_000)


def write_shop(shell: Shell) -> None:
    (shell.folder / "my shop").mkdir()
    shell.write("my shop/in.basket", "".join(",".join(row) + "\n" for row in baskets()))
    shell.write("products.csv", "".join(f"{i};{d};ALL\n" for d, items in DEPARTMENTS.items() for i in items))


@pytest.fixture
def shop(shell: Shell) -> Shell:
    write_shop(shell)
    return shell


SHOP = ("anonymize", "my shop/in.basket", "-o", "out.basket", "--hierarchy", "products.csv", "--k", "5", "--m", "2")
REPORTS = ("--report", "r.json", "--report", "r.md", "--report", "r.html")


def problem(rows: list[list[str]], tree: dict[str, Any] | None = None, **options: Any) -> shoal.Problem:
    hierarchy = Hierarchy.from_tree({"ALL": DEPARTMENTS} if tree is None else tree, name="products.csv")
    return shoal.Problem(shoal.read(rows), hierarchy, shoal.Km(**{"k": 5, "m": 2, **options}))


# -- console and reports -----------------------------------------------------------------------------------------------


def test_the_console_says_it_first_and_its_commands_do_what_they_say(shop: Shell) -> None:
    code, out, err = shop(*SHOP, *NONE)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "Nearly worthless: 100 % of all items are published as 'ALL', which represents all 48 items."
    assert lines[1] == "What forced it: {D0, D1} is in 1 record, fewer than k = 5."
    verified = next(at for at, line in enumerate(lines) if line.startswith("Verified:"))
    assert "Everything was generalized" not in out + err
    commands = [shlex.split(line) for line in lines[2:verified] if line.startswith("  shoal ")]
    assert [command[command.index("--algorithm") + 1] for command in commands] == ["auto", "mhghs", "auto"]
    losses = [float(line.split("NCP ")[1].split()[0]) for line in lines[2:verified] if "instead of 1.000000" in line]
    assert len(commands) == len(losses) == 3
    for command, loss in zip(commands, losses, strict=True):
        assert command[0] == "shoal"
        code, out, _ = shop(*command[1:], "--report", "r.json")
        assert code == 0
        assert not out.startswith("Nearly worthless")
        assert json.loads((shop.folder / "r.json").read_text())["losses"]["ncp"] == pytest.approx(loss, abs=1e-6)
        assert loss < 0.5


def test_reports_say_it_first(shop: Shell) -> None:
    shop(*SHOP, *NONE, *REPORTS)
    facts = json.loads((shop.folder / "r.json").read_text())
    assert list(facts)[:2] == ["report", "worthless"]
    poor = facts["worthless"]
    assert (poor["reason"], poor["loss"], poor["share_hidden"]) == ("one label", 1.0, 1.0)
    assert poor["forced_by"]["labels"] == ["D0", "D1"]
    assert poor["forced_by"]["support"] == 1
    assert poor["better"][0]["loss"] < 0.5
    assert poor["better"][0]["command"].startswith("shoal anonymize 'my shop/in.basket' -o out.basket --hierarchy prod")
    assert facts["usefulness"] == {
        "total_items": 362,
        "unchanged": 0,
        "share_unchanged": 0.0,
        "different_items": 30,
        "always_unchanged": 0,
        "median_items_behind_a_label": 48,
    }
    markdown = (shop.folder / "r.md").read_text()
    assert markdown.index("Nearly worthless") < markdown.index("Verified")
    assert "> What forced it: {D0, D1} is in 1 record, fewer than k = 5." in markdown
    page = (shop.folder / "r.html").read_text()
    assert page.index("Nearly worthless: 100") < page.index("Verified:")
    assert 'class="badge fails poor"' in page
    assert 'class="badge"' not in page  # no tick in colour
    assert "{D0, D1} is in 1 record" in page
    shop(*SHOP, *REPORTS)
    assert json.loads((shop.folder / "r.json").read_text())["worthless"] is None
    assert 'class="badge"' in (shop.folder / "r.html").read_text()
    assert "Nearly worthless" not in (shop.folder / "r.md").read_text()


def test_without_explanations_no_set_of_the_raw_data_is_named(shop: Shell) -> None:
    _, out, _ = shop(*SHOP, *NONE, *REPORTS, "--no-explanations")
    assert out.startswith("Nearly worthless")
    texts = [out, *((shop.folder / f"r.{form}").read_text() for form in ("json", "md"))]
    assert all("D0" not in text and "What forced it" not in text for text in texts)
    assert "What forced it" not in (shop.folder / "r.html").read_text()
    assert json.loads((shop.folder / "r.json").read_text())["worthless"]["forced_by"] is None


def test_a_problem_file_names_a_whole_command(shop: Shell) -> None:
    shop.write(
        "p.toml",
        '[data]\nfile = "my shop/in.basket"\n[items]\nhierarchy = "products.csv"\n[model]\nk = 5\nm = 2\n'
        '[algorithm]\nname = "aa"\n[output]\nfile = "o.basket"\n[run]\nseed = 3\n',
    )
    code, out, _ = shop("run", "p.toml")
    assert code == 0
    assert out.startswith("Nearly worthless")
    command = shlex.split(next(line for line in out.splitlines() if "--algorithm mhghs" in line))
    assert command[command.index("--seed") + 1] == "3"
    code, out, _ = shop(*command[1:])
    assert code == 0
    assert "items suppressed" in out


def test_from_python_the_remedy_is_python() -> None:
    made = shoal.anonymize(problem(baskets()), algorithm=shoal.algorithms.AA())
    poor = headline.worthless(Story.of(made))
    assert poor is not None
    for one in poor.better:
        scope = {"shoal": shoal, "data": made.problem.data, "tree": made.problem.given.hierarchy}
        call = one.command.replace(", ...)", ", hierarchy=tree)")  # the dots are for the arguments of the release
        assert eval(call, scope).loss == pytest.approx(one.loss, abs=1e-9)
    assert [one.command.count("m=1") for one in poor.better] == [0, 0, 1]
    card = report.summary_html(Story.of(made))
    assert card.index("Nearly worthless") < card.index("Verified")
    assert "✓" not in card
    assert "algorithm=shoal.algorithms.Auto(), ...)" in card
    assert "✓ Verified" in report.summary_html(
        Story.of(shoal.anonymize(problem([["d0i0"]] * 6), algorithm=shoal.algorithms.AA()))
    )


def test_a_weaker_guarantee_is_named_only_if_it_loses_least() -> None:
    made = shoal.anonymize(problem(baskets()), algorithm=shoal.algorithms.AA())
    groups = remedies.Remedy("sibling groups", shoal.algorithms.Auto(), loss=0.1)
    for loss, named in ((0.05, 2), (0.2, 1)):
        weaker = remedies.Remedy("smaller m", shoal.algorithms.AA(), {"m": 1}, loss=loss)
        assert len(remedies.better(made, (groups, weaker))) == named


def test_if_nothing_does_better_that_is_said() -> None:
    made = shoal.anonymize(
        problem([[f"d{d}i{i}"] for d in range(6) for i in range(8)], k=48), algorithm=shoal.algorithms.AA()
    )
    poor = headline.worthless(Story.of(made))
    assert poor is not None
    assert poor.better == ()
    assert poor.otherwise.startswith("No alternative that was tried loses less (")
    assert "groups of siblings" in poor.otherwise
    assert "more data" in poor.otherwise


def test_emptied_records_are_told() -> None:
    made = shoal.anonymize(
        problem([[item] for items in DEPARTMENTS.values() for item in items], k=2, m=1), algorithm=shoal.algorithms.MM()
    )
    assert made.worthless == "emptied"
    assert "NEARLY WORTHLESS" in repr(made)
    assert headline.why(made) == "48 of 48 records lost all their items."
    poor = headline.worthless(Story.of(made))
    assert poor is not None
    assert poor.forced_by is not None
    assert poor.forced_by.support == 1
    assert poor.better[0].command.endswith("model=shoal.models.Km(k=2, m=1), algorithm=shoal.algorithms.Auto(), ...)")
    assert "NEARLY WORTHLESS" not in repr(shoal.anonymize(made.problem.given, algorithm=shoal.algorithms.AA()))


def test_a_search_that_is_interrupted_tells_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    made = shoal.anonymize(problem(baskets()), algorithm=shoal.algorithms.AA())
    monkeypatch.setattr(remedies, "_tried", stopped)
    assert remedies.find(made) == ()


def test_what_takes_too_long_is_no_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedies, "STOPPED", 0.0)
    made = shoal.anonymize(problem(baskets()), algorithm=shoal.algorithms.Optimal())
    [groups] = [one for one in Story.of(made).findings.tried if one.way == "sibling groups"]
    assert groups.loss is None
    assert groups not in remedies.better(made, (groups,))


def test_models_with_sensitive_values_say_what_they_do_not_speak_of() -> None:
    rows = [*baskets()[:-1], ["d0i0", "d1i0", "x"]]
    tree = Hierarchy.from_tree({"ALL": DEPARTMENTS})
    made = shoal.anonymize(
        shoal.Problem(shoal.read(rows), tree, shoal.Lm(l=5, m=2, sensitive=("x",))), algorithm=shoal.algorithms.AA()
    )
    assert made.worthless == "one label"
    assert headline.title(made) == "Nearly worthless, not counting sensitive values"


# -- a limit on the loss -----------------------------------------------------------------------------------------------


def test_a_loss_above_the_limit_is_exit_code_3_and_nothing_is_written(shop: Shell) -> None:
    before = sorted(shop.folder.rglob("*"))
    code, out, err = shop(*SHOP, *NONE, *REPORTS, "--max-loss", "0.5")
    assert (code, out) == (3, "")
    assert sorted(shop.folder.rglob("*")) == before
    assert err.startswith("Error: The release would lose 1.000000 (NCP), more than --max-loss 0.5 allows: nothing was")
    assert "bug" not in err
    assert "--algorithm auto" in err
    assert shop(*SHOP, *NONE, "--max-loss", "1")[0] == 0
    assert shop(*SHOP, "--max-loss", "0.5")[0] == 0


@pytest.mark.parametrize("limit", ["-0.1", "1.5", "nan"])
def test_limits_that_are_no_share_are_refused(shop: Shell, limit: str) -> None:
    assert "--max-loss must be a number from 0 to 1" in shop.fails(*SHOP, "--max-loss", limit)


def test_the_limit_in_a_problem_file_and_in_python(shop: Shell) -> None:
    text = '[data]\nfile = "in.basket"\n[items]\nhierarchy = "h.csv"\n[model]\nk = 2\n[output]\nfile = "o.basket"\n'
    shop.write("p.toml", text + "[algorithm]\nname = 'aa'\n[run]\nmax_loss = 0.1\n")
    code, _, err = shop("run", "p.toml")
    assert code == 3
    assert "0.227273 (NCP), more than max_loss=0.1" in err
    assert not (shop.folder / "o.basket").exists()
    with pytest.raises(
        LossTooHigh,
        match=r"more than max_loss=0\.5 allows.*shoal\.anonymize\(data, .*algorithm=shoal\.algorithms\.Auto",
    ):
        shoal.anonymize(problem(baskets()), algorithm=shoal.algorithms.AA(), max_loss=0.5)
    assert shoal.anonymize(problem(baskets()), algorithm=shoal.algorithms.AA(), max_loss=1).loss == 1
    with pytest.raises(OptionError, match="max_loss must be a number from 0 to 1, got 2"):
        shoal.anonymize(problem(baskets()), algorithm=shoal.algorithms.AA(), max_loss=2)


def test_methods_that_add_items_have_no_such_limit() -> None:
    data = shoal.read([["a"], ["a"], ["b"]])
    made = shoal.Problem(data, Hierarchy.flat(data.transactions.labels), shoal.models.TransactionalK(k=2))
    method = next(
        one
        for one in (shoal.algorithms.GSC, shoal.algorithms.KNN, shoal.algorithms.STN, shoal.algorithms.ApxCover)
        if isinstance(made.model, one.solves)
    )
    with pytest.raises(OptionError, match="publish no false statements"):
        shoal.anonymize(made, algorithm=method(), max_loss=0.5)


# -- items that do not occur -------------------------------------------------------------------------------------------


def test_items_that_do_not_occur_are_not_counted(shell: Shell) -> None:
    extra = "".join(f"x{n};X;ALL\n" for n in range(500))
    shell.write("h.csv", "a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\n" + extra)
    words = ("anonymize", "in.basket", "-o", "out.basket", "--hierarchy", "h.csv", "--k", "2", "--m", "2")
    code, out, _ = shell(*words, "--algorithm", "aa", "--report", "r.json")
    assert code == 0
    assert "54.5 % (2 of 4 items always)" in out
    assert "50" not in out
    facts = json.loads((shell.folder / "r.json").read_text())
    assert facts["recoding"] == {
        "kind": "global cut",
        "labels": 3,
        "different_unchanged_items": 2,
        "generalized_items": 2,
        "groups": 1,
        "suppressed_labels": 0,
    }
    assert (facts["usefulness"]["always_unchanged"], facts["usefulness"]["different_items"]) == (2, 4)
    assert facts["usefulness"]["median_items_behind_a_label"] == 1
    code, out, _ = shell(*words, "--algorithm", "lra", "--report", "r.json")
    assert code == 0
    assert json.loads((shell.folder / "r.json").read_text())["recoding"]["different_unchanged_items"] <= 4


def test_local_cuts_count_what_occurs() -> None:
    tree = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    rows = tree.encode(Transactions.from_sets([["a1"], ["a1"]]))
    cuts = shoal.recoding.LocalCuts(
        (shoal.recoding.GlobalCut.raising(tree, []), shoal.recoding.GlobalCut.raising(tree, [])), np.array([0, 1])
    )
    assert (cuts.summary().different_unchanged_items, cuts.summary(rows).different_unchanged_items) == (4, 1)
    assert (cuts.summary().labels, cuts.summary(rows).labels) == (4, 1)


def test_the_times_have_plain_names(shop: Shell) -> None:
    _, out, _ = shop(*SHOP, "--algorithm", "mhghs")
    row = next(line for line in out.splitlines() if line.startswith("time "))
    assert " s (search " in row
    assert "intact" not in out
    assert "occurrence" not in out
    assert Path("out.basket").exists()


# -- no suggestions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suggests", [True, False])
def test_a_job_can_forbid_suggestions(tmp_path: Path, suggests: bool) -> None:
    """A series does: another release of the same records would stand beside it."""
    spec = describe_data(baskets(), hierarchy=Hierarchy.from_tree({"ALL": DEPARTMENTS}, name="products.csv"))
    method = shoal.algorithms.Auto(siblings="none")
    report = tmp_path / "r.md"
    job = Job(
        data=spec,
        output=tmp_path / "out.basket",
        model=shoal.Km(k=5, m=2),
        algorithm=method,
        reports=(report,),
        suggests=suggests,
    )
    assert bool(job.run().findings.better) == suggests
    text = report.read_text("utf-8")
    assert ("shoal anonymize" in text) == suggests
    assert ("A weaker guarantee, more data, or another hierarchy would keep more." in text) != suggests
    with pytest.raises(LossTooHigh) as caught:
        replace(job, max_loss=0.5).run()
    assert ("shoal anonymize" in str(caught.value)) == suggests
