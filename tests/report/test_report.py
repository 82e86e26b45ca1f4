"""Reports: the figures are those of the release, the sentences are true, labels stay text, and no record is told.

Covers: report/html.py, report/markdown.py, report/templates.py, report/context.py, report/facts.py, report/figures.py,
report/sections.py, report/sentences.py, report/formatting.py, report/bands.py, release/release.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest

import shoal
from shoal import report
from shoal.data.dataset import Dataset, Origin
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import OptionError, OutputError
from shoal.models.base import Verdict
from shoal.models.witness import RareSet
from shoal.report import Story

TREE = {"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}}
PAPER = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]  # that of anonymize(): a1, a2 -> A
EVIL = "<script>alert(1)</script>"


def release(
    rows: list[list[str]] = PAPER,
    tree: Mapping[str, object] = TREE,
    table: Table | None = None,
    unknown_items: Literal["error", "root"] = "error",
    **options: Any,
) -> shoal.Release:
    data = Dataset(Transactions.from_sets(rows), table, Origin("baskets.csv"))
    model = shoal.Km(**{"k": 2, "m": 2, **options})
    hierarchy = Hierarchy.from_tree(tree, name="products.csv")
    problem = shoal.Problem(data, hierarchy, model, unknown_items=unknown_items)
    return shoal.anonymize(problem, algorithm=shoal.algorithms.AA())


def all_forms(made: shoal.Release) -> list[str]:
    return [
        report.as_json(Story.of(made)),
        report.as_markdown(Story.of(made)),
        report.as_html(Story.of(made)),
        report.summary_html(Story.of(made)),
    ]


class Page(HTMLParser):
    """Tags, attributes and text of a page; fails on tags that are not closed in order."""

    VOID = ("meta", "br", "path", "use", "circle")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open
        self.text = re.sub(r"\s+", " ", " ".join(self.words))  # also no-break spaces

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action", "srcset")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)


def test_figures_are_those_of_the_release() -> None:
    made = release()
    facts = report.as_dict(Story.of(made))
    assert list(facts)[:5] == ["report", "worthless", "model", "algorithm", "verdict"]
    assert facts["report"] == 1
    assert facts["model"]["name"] == "km"
    assert facts["model"]["options"] == {"k": 2, "m": 2}
    assert facts["model"]["description"] == made.problem.model.describe()
    assert facts["algorithm"]["name"] == "aa"
    assert facts["algorithm"]["paper"] == shoal.algorithms.AA.paper
    assert facts["verdict"] == {"holds": True, "checked": made.verdict.checked, "violations": 0}
    assert facts["losses"] == made.losses
    assert facts["losses"]["ncp"] * 11 == pytest.approx(2.5)
    assert facts["timings"] == made.timings
    assert facts["provenance"] == made.provenance
    assert facts["recoding"] == made.recoding.summary().as_dict()
    assert facts["properties"] == {"domain_exclusive": True}
    assert facts["warnings"] == []


def test_data_and_groups() -> None:
    facts = report.as_dict(Story.of(release([*PAPER, []])))
    data, made = facts["data"], facts["generalized"]
    assert (
        data["rows"],
        data["non_empty"],
        data["domain"],
        data["different_items"],
        data["different_labels_after"],
    ) == (5, 4, 4, 4, 3)
    assert (data["total_items"], data["total_labels_after"]) == (11, 10)
    assert (data["max_size"], data["mean_size"], data["mean_size_after"]) == (3, 2.2, 2.0)
    sizes = [(band["low"], band["before"], band["after"]) for band in data["sizes"]]
    assert sizes == [(0, 1, 1), (1, 0, 0), (2, 1, 2), (3, 3, 2)]
    assert made["groups"] == [{"label": "A", "items": 2, "records": 4}]
    assert made["different_unchanged_items"] == 2
    assert [(band["low"], band["high"], band["items"]) for band in made["hidden_among"]] == [(1, 1, 6), (2, 4, 5)]
    assert sum(band["share"] for band in made["hidden_among"]) == pytest.approx(1)
    assert made["suppressed"] == 0
    assert facts["warnings"] == ["1 empty record is published."]


def test_risk_of_a_hand_made_example() -> None:
    """8 records; 'c' is in 1, {a, b} in 2, each of a and b alone in 5 or more."""
    rows = [["a"], ["a"], ["a"], ["b"], ["b"], ["a", "b"], ["a", "b"], ["b", "c"]]
    made = release(rows, {"ALL": ["a", "b", "c"]}, k=3)
    before, after = report.as_dict(Story.of(made))["risk"].values()
    assert (before["k"], before["m"]) == (3, 2)
    assert (before["below_k"], before["share_below_k"]) == ([1, 3], [0.125, 0.375])
    assert (before["unique"], before["share_unique"]) == ([1, 1], [0.125, 0.125])
    assert (after["below_k"], after["unique"]) == ([0, 0], [0, 0])
    was = (
        "For 37.5 % of the records, 2 well-chosen items (or fewer) are enough to narrow the search down to fewer than "
        "3 records, and for 12.5 % to one."
    )
    now = "No record can be narrowed down to fewer than 3 records by knowing up to 2 items of it."
    markdown = report.as_markdown(Story.of(made))
    assert f"**Before.** {was}" in markdown
    assert f"**Now.** {now}" in markdown
    assert "| up to 2 items | 37.5 % | 0 % | 12.5 % | 0 % |" in markdown
    page = Page(report.as_html(Story.of(made))).text
    assert was in page
    assert now in page
    assert "What an attacker could do, before and now" in page


@pytest.mark.parametrize(
    ("m", "reach"),
    [(2, None), (5, "cover up to 5 known items"), ("all", "cover any number of known items")],
)
def test_the_reach_of_the_figures_and_of_the_guarantee(m: object, reach: str | None) -> None:
    made = release(m=m)
    for text in (report.as_markdown(Story.of(made)), Page(report.as_html(Story.of(made))).text):
        assert ("The charts stop at 3 known items" in text) == (reach is not None)
        assert reach is None or reach in text
        assert ("an attacker who knows more than" in text) == (m != "all")
        assert f"shoal verify FILE --model km --k 2 --m {m}" in text


def test_json_is_strict_and_null_stands_for_what_is_not_finite(tmp_path: Path) -> None:
    made = release()
    made = replace(made, losses={**made.losses, "kl": float("inf"), "odd": float("nan")})
    made.report(tmp_path / "r.json")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    facts = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"), parse_constant=refuse)
    assert facts["losses"]["kl"] is None
    assert facts["losses"]["odd"] is None
    assert facts == report.as_dict(Story.of(made))
    assert "not a finite number" in report.as_html(Story.of(made))


def test_written_by_suffix(tmp_path: Path) -> None:
    made = release()
    starts = {"r.html": "<!DOCTYPE html>", "r.HTM": "<!DOCTYPE html>", "r.json": "{", "r.md": "# Anonymization report"}
    for name, start in starts.items():
        made.report(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").lstrip().startswith(start)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(starts)
    with pytest.raises(OptionError, match=r"\.html, \.json or \.md, got 'r\.pdf'"):
        made.report(tmp_path / "r.pdf")
    with pytest.raises(OutputError):
        made.report(tmp_path / "nowhere" / "r.md")


def test_labels_are_text() -> None:
    """Items, groups, file, column: whatever they are called."""
    tree = {f"root {EVIL}": {f"group {EVIL} | `x`": [f"one {EVIL}", "two"], "B": ["b1", "b2"]}}
    table = Table(pa.table({f"column {EVIL}": [1, 2, 3]}))
    made = release([[f"one {EVIL}", "b1"], ["two", "b1"], ["b1"]], tree, table)
    data = replace(made.problem.data, origin=Origin(f"file {EVIL}"))
    made = replace(made, problem=replace(made.problem, all_data=data))
    for text in all_forms(made)[1:]:
        assert "<script" not in text
    page = Page(report.as_html(Story.of(made)))
    assert "script" not in page.tags
    for name in ("file", "group", "one", "column"):
        assert f"{name} {EVIL}" in page.text
    assert "group &lt;script&gt;alert(1)&lt;/script&gt; \\| \\`x\\` | 2 | 2 |" in report.as_markdown(Story.of(made))


def test_html_needs_nothing_from_outside() -> None:
    for text in all_forms(release())[2:]:
        page = Page(text)
        assert not {"script", "link", "img", "iframe", "object", "form", "base"} & set(page.tags)
        assert set(page.links) <= {"#fish"}
        assert not re.search(r"https?:|//\w|@import|@font-face|url\(", text)


def test_no_record_is_told() -> None:
    """Neither raw rows nor raw counts of what was generalized away, nor witnesses, nor other columns' values."""
    rows = [[f"x{i}", "y"] for i in range(9)]
    table = Table(pa.table({"patient": [f"patient-{i}" for i in range(9)]}))
    made = release(rows, {"ALL": {"X": [f"x{i}" for i in range(9)], "Y": ["y", "z"]}}, table, k=4)
    for text in all_forms(made):
        assert "patient-" not in text
        assert "x3" not in text or "x3, x4" in text  # only in the list of what the hierarchy puts below X
    assert "x3" not in report.as_json(Story.of(made))
    assert "x3" not in report.as_markdown(Story.of(made))


def test_items_that_only_the_raw_data_know_are_not_named() -> None:
    rows = [["a1", "b1"], ["a1", "b1"], ["a1", "a rare disease"], ["b1"]]
    made = release(rows, unknown_items="root")
    assert [group["label"] for group in report.as_dict(Story.of(made))["generalized"]["groups"]] == ["ALL"]
    assert all("a rare disease" not in text for text in all_forms(made))
    assert "a1, a2, b1, b2 and 1 more" in Page(report.as_html(Story.of(made))).text


def test_many_items_are_cut_short() -> None:
    items = [f"i{n:02}" for n in range(30)]
    page = Page(report.as_html(Story.of(release([[item] for item in items], {"ALL": items}, m=1)))).text
    assert "i11 and 18 more" in page
    assert "i12" not in page


@pytest.mark.parametrize(
    ("rows", "options", "sentence"),
    [
        ([["a1"], ["a1"]], {}, "Nothing had to be changed"),
        ([["a1"], ["b1"], ["a2", "b2"]], {"k": 3}, "Every item is published as 'ALL', which represents all items"),
        ([[], [], []], {}, "All records are empty. There was nothing to change."),
        ([], {}, "All records are empty. There was nothing to change."),
        (PAPER, {}, "54.5 % of all items are published unchanged. The others are published as a group"),
    ],
    ids=["unchanged", "root", "empty", "no rows", "paper"],
)
def test_what_was_lost(rows: list[list[str]], options: dict[str, Any], sentence: str) -> None:
    made = release(rows, **options)
    assert sentence in Page(report.as_html(Story.of(made))).text
    assert sentence in report.as_markdown(Story.of(made))
    assert "Verified" in Page(report.summary_html(Story.of(made))).text


def test_warnings_and_output_are_shown() -> None:
    made = release(table=Table(pa.table({"postcode": [1, 2, 3, 4]})))
    made = replace(made, provenance={**made.provenance, "output": {"name": "my data.csv", "sha256": "5ea" * 21 + "f"}})
    for text in (report.as_markdown(Story.of(made)), Page(report.as_html(Story.of(made))).text):
        assert "The column 'postcode' is published unchanged" in text
        assert "shoal verify 'my data.csv' --model km --k 2 --m 2" in text
        assert "5ea5ea" in text
        assert made.provenance["input"]["sha256"] in text
        assert made.provenance["hierarchy"]["sha256"] in text


def test_a_failed_verdict_is_not_dressed_up() -> None:
    """anonymize() never makes such a release; a report of one must say so all the same."""
    made = replace(release(), verdict=Verdict(False, 9, 3, (RareSet(("secret",), 1),)))
    for text in (
        report.as_markdown(Story.of(made)),
        Page(report.as_html(Story.of(made))).text,
        Page(report.summary_html(Story.of(made))).text,
    ):
        assert "NOT verified" in text
        assert "The goal was not reached: An attacker who knows" in text
        assert "secret" not in text
    assert "Do not publish these data." in report.as_html(Story.of(made))


def test_equal_releases_give_equal_reports() -> None:
    def still(made: shoal.Release) -> shoal.Release:
        timings = {"solve": 1.0}
        provenance = {**made.provenance, "timings": timings, "peak_memory_bytes": 2**20}
        return replace(made, timings=timings, provenance=provenance)

    assert all_forms(still(release())) == all_forms(still(release()))


def test_the_date_is_told_if_known() -> None:
    made = release()
    dated = replace(made, provenance={**made.provenance, "created": "2031-05-17 09:30 UTC"})
    assert "2031-05-17 09:30 UTC" in report.as_html(Story.of(dated))
