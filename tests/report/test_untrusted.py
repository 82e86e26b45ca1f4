"""Reports quote labels, names of columns and of files: none of them can do anything in a page, a wiki or a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

import shoal
from shoal import report
from shoal.hierarchies import balanced
from shoal.report import Story

EVIL = '<img src=x onerror="alert(1)">|`*_[a](javascript:1)'
CONTROL = "\x1b[2J\x1b[HHolds.\x7f\x9b2J\u202e\u2028"
SPELLED = "\\x1b[2J\\x1b[HHolds.\\x7f\\x9b2J\\u202e\\u2028"
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]")


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    rows = [[f"{CONTROL}{at}", f"{EVIL}{at}", f"a\nlabel{at}"] for at in range(6) for _ in range(2)]
    data = shoal.Dataset(
        shoal.data.Transactions.from_sets(
            [*rows, [f"{EVIL}0", f"{EVIL}5", f"{CONTROL}1", f"{CONTROL}3", "a\nlabel2", "a\nlabel4"]]
        )
    )
    tree = balanced(data.transactions.labels, fanout=3, order="label")
    return shoal.anonymize(shoal.Problem(data, tree, shoal.Km(k=2, m=2)))


@pytest.mark.parametrize("form", [report.as_html, report.as_markdown, report.as_json, report.summary_html])
def test_no_report_holds_a_control_character(release: shoal.Release, form: Callable[[Story], str]) -> None:
    assert not RAW.search(form(Story.of(release)))


@pytest.mark.parametrize("form", [report.as_html, report.as_markdown, report.summary_html])
def test_no_report_holds_markup_of_a_label(release: shoal.Release, form: Callable[[Story], str]) -> None:
    assert "<img" not in form(Story.of(release))


def test_the_page_shows_control_characters(release: shoal.Release) -> None:
    page = report.as_html(Story.of(release))
    assert SPELLED in page
    assert "a\\nlabel" in page


def test_a_label_stays_in_its_cell_of_a_markdown_table(release: shoal.Release) -> None:
    lines = report.as_markdown(Story.of(release)).splitlines()
    rows, cells = [], 0
    for line in lines:
        if re.fullmatch(r"\|(-+:?\|)+", line):
            cells = line.count("|")
        if "onerror" in line and line.startswith("|"):
            rows.append((line, cells))
    assert {cells for _, cells in rows} == {4, 6, 7}  # groups; frequent sets; rules
    for line, cells in rows:
        assert len(re.findall(r"(?<!\\)\|", line)) == cells
        assert not re.search(r"(?<!\\)[`*_\[\]]", line)


def test_the_json_means_what_the_labels_are(release: shoal.Release) -> None:
    labels = {
        label
        for one in json.loads(report.as_json(Story.of(release)))["explanations"]
        for label in one["witness"]["labels"]
    }
    assert labels & set(release.problem.items.labels)
