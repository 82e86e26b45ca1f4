"""Reports on data to which items were added, or whose sensitive items were shuffled: no sentence is false.

Figures are checked against the sets before and after, which know nothing of how the release counts.

Covers: report/flips.py, report/risks.py, report/wording.py.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pytest

import shoal
from shoal import report
from shoal.algorithms.base import Algorithm, FlippingAlgorithm
from shoal.data.dataset import Dataset, Origin
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.models.base import PrivacyModel
from shoal.published import Grouping
from shoal.recoding import Flips
from shoal.report import Story, gather, risks, sentences, wording
from shoal.report.flips import Bar
from tests.report.test_report import EVIL, Page

TREE = {"ALL": {"F": ["a", "b", "c", "d"], "ill": ["HIV", "flu"]}}
WARD = [
    ["a", "b", "HIV"],
    ["a", "c", "d"],
    ["a", "b", "c"],
    ["b", "c", "flu"],
    ["c", "d"],
    ["c"],
    ["d"],
    ["a", "d"],
]
FALSE_HERE = (
    "Sensitive values were left as they are",
    "No item can appear under two different labels",
    "The groups come from the hierarchy",
    "to suppression",
    "Every item is published unchanged",
)


def release(
    rows: Sequence[Sequence[str]] = WARD,
    algorithm: Algorithm | None = None,
    model: PrivacyModel | None = None,
    tree: Mapping[str, object] | None = None,
    unknown_items: Literal["error", "root"] = "error",
    **options: Any,
) -> shoal.Release:
    data = Dataset(Transactions.from_sets(rows), None, Origin("ward.csv"))
    declared = tuple(label for label in ("HIV", "flu") if label in data.transactions.labels) or ("HIV", "flu")
    model = model or shoal.models.SensitiveK(k=2, sensitive=declared)
    hierarchy = Hierarchy.from_tree(tree, name="tree.csv") if tree else Hierarchy.flat(data.transactions.labels)
    problem = shoal.Problem(data, hierarchy, model, unknown_items=unknown_items, **options)
    return shoal.anonymize(problem, algorithm=algorithm or shoal.algorithms.GSC())


def dealt(rows: Sequence[Sequence[str]] = WARD, **options: Any) -> shoal.Release:
    return release(
        rows, shoal.algorithms.GraySort(), shoal.models.PrivacyDegree(p=2, sensitive=("HIV", "flu")), **options
    )


@dataclass(frozen=True)
class Together(FlippingAlgorithm):
    """All records become the same: a stand-in for methods that add and delete items of any kind."""

    name = "together"
    title = "All together"
    paper = "Wang et al. 2014"
    solves = (shoal.models.TransactionalK,)

    def solve(self, problem: shoal.problem.Prepared, engine: Engine) -> shoal.recoding.solution.Solution:
        """One group."""
        return shoal.recoding.solution.Solution(
            Flips(Grouping(np.zeros(len(problem.items), dtype=np.int64), 2), np.array([-1]))
        )


def texts(made: shoal.Release) -> list[str]:
    """What people read."""
    return [report.as_markdown(Story.of(made)), Page(report.as_html(Story.of(made))).text]


def sets(made: shoal.Release) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Each record before and after."""
    return list(zip(made.problem.data.transactions.sets(), made.dataset.transactions.sets(), strict=True))


@pytest.mark.parametrize(
    "method", [shoal.algorithms.GSC, shoal.algorithms.STN, shoal.algorithms.KNN, shoal.algorithms.ApxCover]
)
@pytest.mark.parametrize("tree", [None, TREE])
def test_figures_agree_with_the_sets(method: type[Algorithm], tree: Mapping[str, object] | None) -> None:
    model: PrivacyModel | None = shoal.models.TransactionalK(k=2) if method is shoal.algorithms.ApxCover else None
    made = release(WARD, method(), model, tree)
    facts, hidden = (
        report.as_dict(Story.of(made))["changes"],
        set() if method is shoal.algorithms.ApxCover else {"HIV", "flu"},
    )
    added = Counter(item for was, now in sets(made) for item in now - was)
    deleted = Counter(item for was, now in sets(made) for item in was - now)
    before = Counter(item for was, _ in sets(made) for item in was)
    after = Counter(item for _, now in sets(made) for item in now)
    assert added or deleted
    assert facts["kind"] == "added and deleted"
    assert bool(wording.falsehoods(made))
    assert all(note in text for text in texts(made) for note in wording.falsehoods(made))
    assert not [false for false in FALSE_HERE for text in texts(made) if false in text]
    assert facts["records_changed"] == sum(was != now for was, now in sets(made))
    assert facts["records_given_sensitive"] == sum(bool((now - was) & hidden) for was, now in sets(made))
    assert facts["sensitive_additions"] == sum(added[item] for item in hidden)
    assert facts["sensitive_deletions"] == sum(deleted[item] for item in hidden)
    assert facts["qid_additions"] == added.total() - facts["sensitive_additions"]
    assert facts["qid_deletions"] == deleted.total() - facts["sensitive_deletions"]
    assert facts["emptied_records"] == sum(bool(was - hidden) and not now - hidden for was, now in sets(made))
    listed = {one["label"]: one for one in facts["listed"]}
    assert set(listed) == {*added, *deleted}
    assert len(listed) == len(facts["listed"]) == facts["different_items"]
    for label, one in listed.items():
        counts = (before[label], added[label], deleted[label], after[label])
        assert (one["before"], one["added"], one["deleted"], one["after"]) == counts
        assert one["sensitive"] == (label in hidden)
    changes = [one["added"] + one["deleted"] for one in facts["listed"]]
    assert changes == sorted(changes, reverse=True)
    assert sum(size["groups"] for size in facts["group_sizes"]) == facts["groups"]
    assert facts["smallest_group"] * facts["groups"] <= facts["records_in_groups"] <= len(WARD)


def test_what_the_other_figures_say() -> None:
    facts = report.as_dict(Story.of(made := release()))
    assert facts["report"] == 1
    assert facts["suppressed"] is None
    assert facts["explanations"] == []
    assert facts["algorithm"]["truthful"] is False
    untouched = {item for was, _ in sets(made) for item in was} - {one["label"] for one in facts["changes"]["listed"]}
    assert facts["generalized"]["different_unchanged_items"] == len(untouched - {"HIV", "flu"})
    assert facts["generalized"]["groups"] == []
    assert facts["generalized"]["suppressed"] == facts["changes"]["qid_deletions"]
    held = facts["sensitive"]
    assert held["values"] == {"HIV": 1, "flu": 1}
    assert held["records"] == 2
    assert held["after"]["records"] == sum(bool(now & {"HIV", "flu"}) for _, now in sets(made))
    assert held["after"]["values"] == dict(Counter(i for _, now in sets(made) for i in now if i in ("HIV", "flu")))


def test_other_methods_have_no_flips() -> None:
    made = release([["a"], ["a"], ["b"], ["b"]], shoal.algorithms.AA(), shoal.Km(k=2, m=1), TREE)
    facts = report.as_dict(Story.of(made))
    assert facts["changes"] is None
    assert wording.falsehoods(made) == []
    assert facts["algorithm"]["truthful"] is True
    assert all("What was added and deleted" not in text and "(sensitive)" not in text for text in texts(made))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([["a", "HIV"], ["a"]], "A sensitive item was added once to a record that did not have it."),
        ([["a", "HIV"], ["a", "HIV"], ["a", "HIV", "b"]], "An item was deleted once from a record that had it."),
        ([["a", "HIV"], ["a", "b"]], "once a sensitive one, and deleted once from a record that had it."),
    ],
)
def test_the_warning_counts(rows: list[list[str]], said: str) -> None:
    made = release(rows, model=shoal.models.SensitiveK(k=len(rows), sensitive=("HIV",)))
    assert said in wording.falsehoods(made)[0]
    assert made.notes[: len(wording.falsehoods(made))] == wording.falsehoods(made)
    given = any(now & {"HIV"} - was for was, now in sets(made))
    assert ("The published data contain false statements." in wording.falsehoods(made)[0]) == given
    assert ("1 record is published with a sensitive item that it did not hold." in made.notes) == given
    assert "Do not use these data for decisions about a single person." in wording.falsehoods(made)[-1]
    for text in texts(made):
        heading = f"The published data {'contain false statements' if given else 'lack some items'}"
        assert text.index(heading) < text.index("What an attacker")
        assert all(note in text for note in wording.falsehoods(made))
        assert not [false for false in FALSE_HERE if false in text]
    assert wording.falsehoods(made)[0] in Page(report.summary_html(Story.of(made))).text


@pytest.mark.parametrize(
    ("rows", "change", "heading"),
    [
        (
            [["a"], ["a", "b"], ["a", "b"]],
            "An item was added once to a record that did not have it. 100 % of all items are published unchanged.",
            "The published data contain false statements",
        ),
        (
            [["a"], ["b"]],
            "Items were deleted 2 times from records that had them. 0 % of all items are published unchanged. 2 "
            "records lost all their items.",
            "The published data lack some items",
        ),
        ([["a"], ["a"]], "Nothing had to be changed. The original data satisfy the guarantee.", None),
        ([[], []], "All records are empty. There was nothing to change.", None),
    ],
    ids=["added", "deleted", "same", "empty"],
)
def test_without_anything_sensitive(rows: list[list[str]], change: str, heading: str | None) -> None:
    made = release(rows, Together(), shoal.models.TransactionalK(k=2))
    assert bool(wording.falsehoods(made)) == bool(heading)
    assert not any("sensitive" in note for note in made.notes)
    for text in texts(made):
        assert change in text
        assert (
            "An item is published in all records of a group if more than half of them had it, and in none otherwise."
            in text
        )
        assert "1 group of records was formed, with" in text
        assert heading is None or heading in text
        assert ("do not rely on counts of items" in text) == bool(heading)
        assert not [word for word in ("A sensitive item", "Sensitive item", "them sensitive") if word in text]
    if heading and "lack" in heading:
        assert "2 records have lost all their items to deletion. They are still published." in made.notes
    else:
        assert not any("deletion" in note for note in made.notes)


def test_weights_of_nothing_are_no_matter_for_methods_without_cuts() -> None:
    made = release([["a", "HIV"], ["b"]], weights=shoal.Weights({"a": 0, "b": 0}))
    assert not any("weight" in note for note in made.notes)


def test_nothing_to_change_is_no_reason_to_warn() -> None:
    made = release([["a", "HIV"], ["a", "HIV"], ["b"]])
    assert wording.falsehoods(made) == []
    assert made.notes == []
    for text in texts(made):
        assert "Nothing had to be changed. The original data satisfy the guarantee." in text
        assert "No groups of records had to be formed, and no record was changed." in text
        assert "No item can appear under two different labels, so the counts of labels" in text
        assert "false statements" not in text
        assert "Sensitive values were left" not in text


def test_nobody_sensitive_is_said() -> None:
    for make in (release, dealt):
        made = make([["a"], ["b"], ["c"]], allow_missing=True)
        [missed, nothing] = made.notes
        assert "These sensitive labels are not in the data: HIV, flu" in missed
        assert nothing.startswith("No record holds a sensitive item. Nothing had to be protected")
        assert [was == now for was, now in sets(made)] == [True] * 3
        for text in texts(made):
            assert nothing in text
            assert "No published record holds a sensitive item, so there is nothing to check." in text
            assert "attacker could know. Sensitive values are published unchanged" not in text


def test_records_that_lost_all() -> None:
    """The third record keeps company with two that hold nothing but a sensitive item."""
    made = release([["HIV"], ["HIV"], ["b", "HIV"]], model=shoal.models.SensitiveK(k=3, sensitive=("HIV",)))
    assert [sorted(now) for _, now in sets(made)] == [["HIV"]] * 3
    lost = "1 record has lost all its items to deletion, not counting sensitive values. It is still published."
    assert lost in made.notes
    assert "2 other records with nothing but sensitive values are published." in made.notes
    assert any(
        note.startswith("Every item was deleted. All records are published without any item but sensitive values. A ")
        for note in made.notes
    )
    assert not any("hierarchy" in note or "suppress" in note for note in made.notes)
    for text in texts(made):
        assert "1 record lost all its items, not counting sensitive values." in text
        assert "The published data lack some items" in text


def test_an_empty_record_that_is_filled_is_not_called_empty() -> None:
    made = release([["HIV"], [], ["a"]], model=shoal.models.SensitiveK(k=2, sensitive=("HIV",)))
    assert [sorted(now) for _, now in sets(made)] == [["HIV"], ["HIV"], ["a"]]
    assert not any("empty" in note for note in made.notes)
    assert "2 records with nothing but sensitive values are published." in made.notes
    for text in texts(made):
        assert "There was nothing to change" not in text


def test_larger_records_than_before_are_drawn() -> None:
    rows = [["a", "b", "HIV"], ["b", "c", "HIV"], ["a", "c", "HIV"]]
    facts = report.as_dict(Story.of(release(rows, model=shoal.models.SensitiveK(k=3, sensitive=("HIV",)))))
    assert facts["data"]["max_size_after"] == 3
    assert sum(size["after"] for size in facts["data"]["sizes"]) == 3


def test_groups_declared_sensitive_are_spelled_out() -> None:
    made = release(tree=TREE, model=shoal.models.SensitiveK(k=2, sensitive=("ill",)))
    assert "'ill' represents 2 sensitive items." in made.notes
    made = release([["a", "HIV"], ["a"]], tree=TREE, model=shoal.models.SensitiveK(k=2, sensitive=("ill",)))
    assert "'ill' represents 1 sensitive item." in made.notes


def test_unexplained_reports_name_no_item() -> None:
    made = release([*WARD, ["rarity", "HIV"]])
    assert "rarity" in report.as_json(Story.of(made))
    assert "rarity" not in report.as_json(Story.of(made, explained=False))
    assert report.as_dict(Story.of(made, explained=False))["changes"]["listed"] is None
    assert report.as_dict(Story.of(made, explained=False))["changes"]["different_items"] > 0
    for text in (report.as_markdown(Story.of(made, explained=False)), report.as_html(Story.of(made, explained=False))):
        assert "rarity" not in text
        assert "What was added and deleted" in text


def test_items_that_only_the_raw_data_know_are_not_named() -> None:
    rows = [["a", "HIV", "rarity"], ["a", "b"], ["a", "b"]]
    made = release(rows, tree=TREE, unknown_items="root", model=shoal.models.SensitiveK(k=3, sensitive=("HIV",)))
    assert "rarity" not in {item for _, now in sets(made) for item in now}
    assert report.as_dict(Story.of(made))["changes"]["unnamed"] == 1
    assert all("rarity" not in text for text in (*texts(made), report.as_json(Story.of(made))))


def test_risk_is_that_of_records_with_a_sensitive_item() -> None:
    made = release()
    facts = report.as_dict(Story.of(made))
    before, after = facts["risk"]["before"], facts["risk"]["after"]
    assert before["sensitive"]
    assert after["sensitive"]
    assert (before["records"], after["records"]) == (2, 4)
    assert risks.risk(made.risk_before, 1).startswith(
        "For 100 % of the records with a sensitive item, 1 well-chosen item is"
    )
    assert risks.risk(made.risk_after, 3).startswith(
        "No record with a sensitive item can be narrowed down to fewer than 2"
    )
    assert (
        "share of the records with a sensitive item (2 before, 4 now), by what"
        in Page(report.as_html(Story.of(made))).text
    )


def test_the_page_is_well_formed_and_labels_are_text() -> None:
    rows = [[f"{EVIL} a", f"{EVIL} sick"], [f"{EVIL} b"], [f"{EVIL} a", f"{EVIL} c"], [f"{EVIL} b"]]
    for algorithm, model in (
        (shoal.algorithms.GSC(), shoal.models.SensitiveK(k=3, sensitive=(f"{EVIL} sick",))),
        (shoal.algorithms.GraySort(), shoal.models.PrivacyDegree(p=2, sensitive=(f"{EVIL} sick",))),
    ):
        made = release(rows, algorithm, model)
        for text in (report.as_html(Story.of(made)), report.summary_html(Story.of(made))):
            assert "<script" not in text
            assert "script" not in Page(text).tags
        assert f"{EVIL} sick" in Page(report.as_html(Story.of(made))).text
        lines = report.as_markdown(Story.of(made)).splitlines()
        assert not [line for line in lines if "<script" in line and not line.startswith("    shoal verify")]  # code
        facts = json.loads(report.as_json(Story.of(made)), parse_constant=pytest.fail)
        assert facts["changes"]["groups"] > 0


def bars(made: shoal.Release) -> list[Bar]:
    facts = gather(Story.of(made))
    assert facts.changes is not None
    return facts.changes.bars(facts)


def test_bars_are_shares_of_what_was_there_and_fit() -> None:
    rows = [["a", "HIV"], ["a"], ["a"], ["a"]]
    made = release(rows, model=shoal.models.SensitiveK(k=4, sensitive=("HIV",)))
    assert [(bar.label, bar.count, bar.share, bar.length) for bar in bars(made)] == [
        ("sensitive items, unchanged", 1, 1.0, 1 / 3),
        ("sensitive items, added", 3, 3.0, 1.0),
        ("other items, unchanged", 4, 1.0, 1 / 3),
    ]
    assert bars(dealt()) == []
    assert "300 % · 3" in Page(report.as_html(Story.of(made))).text


def test_many_items_are_folded() -> None:
    rows = [[f"i{n:02}", "HIV"] for n in range(14)]
    made = release(rows, model=shoal.models.SensitiveK(k=14, sensitive=("HIV",)))
    page, markdown = report.as_html(Story.of(made)), report.as_markdown(Story.of(made))
    assert "The items that changed most" in page
    more = report.as_dict(Story.of(made))["changes"]["different_items"] - 10
    assert f"<summary>The other {more} items</summary>" in page
    assert f"... and {more} more items." in markdown


def test_losses_say_that_additions_are_not_in_them() -> None:
    meanings = {title: meaning for title, _, meaning in sentences.losses(gather(Story.of(release())))}
    assert all(
        "counts deleted items only" in meanings[next(t for t in meanings if f"({n})" in t)] for n in ("NCP", "LM")
    )
    plain = sentences.losses(gather(Story.of(release([["a"], ["a"]], shoal.algorithms.AA(), shoal.Km(k=2, m=1), TREE))))
    assert not any("deleted" in meaning for _, _, meaning in plain)


def test_the_papers_are_named() -> None:
    assert any(
        "Anonymous publication of sensitive" in paper
        for paper in report.as_dict(Story.of(dealt()))["model"]["references"]
    )
    assert any("Wang" in paper for paper in report.as_dict(Story.of(release()))["algorithm"]["references"])
