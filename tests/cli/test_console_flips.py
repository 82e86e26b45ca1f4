"""What the screen shows of items that were added, deleted or shuffled; and reports on data without a hierarchy."""

from __future__ import annotations

import json

import pytest

import shoal
from shoal import report
from shoal.algorithms.base import Algorithm
from shoal.models.base import PrivacyModel
from shoal.report import Story
from tests.conftest import Shell
from tests.report.test_flips import TREE, WARD, dealt, release, texts


@pytest.mark.parametrize(
    ("algorithm", "model"),
    [(shoal.algorithms.MM(), shoal.Km(k=2, m=2)), (shoal.algorithms.GSC(), None), (shoal.algorithms.GraySort(), None)],
)
def test_with_and_without_a_hierarchy(algorithm: Algorithm, model: PrivacyModel | None) -> None:
    if isinstance(algorithm, shoal.algorithms.GraySort):
        model = shoal.models.PrivacyDegree(p=2, sensitive=("HIV", "flu"))
    for text in texts(release(WARD, algorithm, model)):
        assert "No hierarchy was given." in text
        assert "none was given" in text
        assert "no hierarchy" not in text
        assert "The groups come from" not in text
    for text in texts(release(WARD, algorithm, model, TREE)):
        assert "The hierarchy tree.csv was used for the names and the order of items only." in text
        assert "none was given" not in text


def test_suppression_without_a_hierarchy_does_not_blame_it() -> None:
    made = release([["a"], ["b"]], shoal.algorithms.MM(), shoal.Km(k=2, m=1))
    [_, all_gone, _] = made.notes  # after what a known method gives away
    assert all_gone.endswith("All records are published empty. A weaker guarantee or more data would keep more.")


SENSITIVE = ("--sensitive", "HIV,flu")


def test_the_screen_shows_what_was_added(shell: Shell) -> None:
    shell.write("rows.basket", "\n".join(map(",".join, WARD)) + "\n")
    make = ("anonymize", "rows.basket", "-o", "out.basket", "--model", "sensitive-k", "--k", "2", "--algorithm", "gsc")
    code, out, err = shell(*make, *SENSITIVE)
    assert code == 0, err
    made = report.as_dict(Story.of(release()))["changes"]
    lines = {" ".join(line.split()) for line in out.splitlines()}
    assert f"groups of records {made['groups']} ({made['records_in_groups']} records, the largest has 2)" in lines
    assert f"records changed {made['records_changed']}" in lines
    total = made["qid_additions"] + made["sensitive_additions"]
    assert f"items added {total} ({made['sensitive_additions']} sensitive)" in lines
    assert f"items deleted {made['qid_deletions']}" in lines
    assert "loss, NCP (of deletions only)" in out
    assert "items published unchanged" not in out
    assert "items suppressed" not in out
    assert "Warning: The published data contain false statements." in " ".join(err.split())


def test_the_screen_shows_what_was_dealt_and_witnesses_name_their_group(shell: Shell) -> None:
    shell.write("rows.basket", "\n".join(map(",".join, WARD)) + "\n")
    make = ("anonymize", "rows.basket", "-o", "out.csv", "--model", "privacy-degree", "--p", "2", *SENSITIVE)
    code, out, err = shell(*make)
    assert code == 0, err
    assert "sensitive items shuffled within groups 2 loss" in " ".join(out.split())
    assert "Warning: Sensitive items belong to groups" in " ".join(err.split())
    shell.write("bad.csv", "set,ward\na HIV,x\nb,x\nc HIV,x\nd flu,y\n")
    check = ("verify", "bad.csv", "--sets", "set", "--model", "privacy-degree", "--p", "2", "--group-column", "ward")
    code, out, _ = shell(*check, *SENSITIVE)
    assert code == 1
    assert "In 2 cases a sensitive item is too frequent in its group:" in out
    assert [" ".join(line.split()) for line in out.splitlines()[2:]] == [
        "group sensitive item records of share",
        "y flu 1 1 100 %",
        "x HIV 2 3 66.7 %",
    ]
    code, out, _ = shell(*check, *SENSITIVE, "--json")
    assert json.loads(out)["witnesses"][0] == {
        "labels": [],
        "support": 1,
        "sensitive": "flu",
        "holders": 1,
        "group": "y",
    }


def test_a_release_calls_itself_untruthful_where_it_is() -> None:
    assert "NOT TRUTHFUL: " in repr(release())
    assert "NCP (deletions only)" in report.summary_html(Story.of(release()))
    assert "NOT TRUTHFUL: sensitive items shuffled within groups" in repr(dealt())
    untouched = release([["a", "HIV"], ["a", "HIV"], ["b"]])
    assert "NOT TRUTHFUL" not in repr(untouched)
    assert "ncp=0.0" in repr(untouched)
