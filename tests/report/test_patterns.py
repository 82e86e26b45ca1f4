"""Reports say what analysts still find, with a picture; public ones say nothing of it. Covers: report/story.py."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal import report
from shoal.metrics.patterns import patterns
from shoal.report import Story
from shoal.report import patterns as section
from tests.metrics.test_patterns import BEFORE, SHOP
from tests.report.test_report import Page

ROWS = BEFORE * 2
HEADING = "What analysts still find"


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    return shoal.anonymize(ROWS, k=5, m=2, hierarchy=SHOP)


def told(made: shoal.Release, **options: Any) -> Any:
    return json.loads(report.as_json(Story.of(made, **options)))["patterns"]


def marks(page: str) -> list[tuple[str, float, float]]:
    """The kind and the place of all marks."""
    circles = r'<g class="(\w+)"><title>[^<]*</title><circle cx="([\d.]+)" cy="([\d.]+)"'
    crosses = r'<g class="(\w+)"><title>[^<]*</title><path d="M([\d.]+) ([\d.]+)l6'
    return [(kind, float(x), float(y)) for kind, x, y in re.findall(f"{circles}", page) + re.findall(crosses, page)]


def test_the_figures_are_those_of_the_measure(release: shoal.Release) -> None:
    compared = release.comparison
    facts = told(release)
    expected = json.loads(json.dumps(patterns(compared.original, compared.published).as_dict()))
    assert facts["sets"].pop("unnamed") == facts["rules"].pop("unnamed") == 0
    assert facts == expected
    assert {one["shown"] for one in facts["sets"]["listed"]} >= {"as groups"}


def test_the_picture_has_a_mark_for_each_set_and_rule(release: shoal.Release) -> None:
    page, facts = report.as_html(Story.of(release)), told(release)
    drawn = marks(page)
    assert len(drawn) == len(facts["sets"]["listed"]) + len(facts["rules"]["listed"])
    kinds = {"as items": "items", "as groups": "groups", "not visible": "none"}
    for shown, kind in kinds.items():
        both = facts["sets"]["listed"] + facts["rules"]["listed"]
        assert sum(one == kind for one, _, _ in drawn) == sum(one["shown"] == shown for one in both)
    for kind, x, y in drawn:
        if kind == "items":  # right figures lie on the diagonal
            assert x - section.LEFT == pytest.approx(section.TOP + section.SIDE - y, abs=0.2)
        elif kind == "groups":
            assert section.TOP <= y <= section.TOP + section.SIDE
        else:
            assert y > section.TOP + section.SIDE - 3
        assert section.LEFT - 3 <= x <= section.LEFT + section.SIDE
    assert Page(page).text.count(HEADING) == 1
    assert page.count('role="img" aria-labelledby="scatter-') == 2


def test_the_sentences_have_the_counts(release: shoal.Release) -> None:
    facts = told(release)["sets"]
    for text in (Page(report.as_html(Story.of(release))).text, report.as_markdown(Story.of(release))):
        assert f"{facts['as_items']} can be read as items and {facts['as_groups']} as groups." in text
        assert f"{facts['not_visible']} cannot be seen" in text
        assert "beer, diapers" in text


def test_scales_hold_one_value_and_none() -> None:
    one = {"items": ["a", "b"], "labels": ["a", "b"], "shown": "as items"}
    found, ticks, _ = section._logarithmic([(0.01, 0.01, one)])
    assert ticks[0].label == "1 %"
    assert section.LEFT < found[0].x < section.LEFT + section.SIDE
    assert section._logarithmic([]) == ((), (), ())
    lost, _, _ = section._logarithmic([(0.3, None, {**one, "shown": "not visible"})])
    assert (lost[0].kind, lost[0].title) == ("none", "a, b: 30 %; not visible")


def test_public_reports_and_reports_without_explanations_name_no_set(release: shoal.Release, tmp_path: Path) -> None:
    for suffix in ("html", "md", "json"):
        release.report(tmp_path / f"public.{suffix}", public=True)
        text = (tmp_path / f"public.{suffix}").read_text(encoding="utf-8")
        assert HEADING not in text
        assert "beer, diapers" not in text
        assert '"patterns"' not in text
    facts = told(release, explained=False)
    assert facts["sets"]["listed"] is facts["rules"]["listed"] is None
    assert facts["sets"]["as_groups"] == told(release)["sets"]["as_groups"]
    page = report.as_html(Story.of(release, explained=False))
    assert HEADING in page
    assert not marks(page)
    assert "the support of frequent sets" not in page
    assert "beer, diapers" not in report.as_markdown(Story.of(release, explained=False))


def test_items_that_only_the_original_has_are_not_named() -> None:
    made = shoal.anonymize([[*row, "secret"] for row in ROWS], k=2, m=1, hierarchy=SHOP, unknown_items="root")
    facts = told(made)
    assert facts["sets"]["unnamed"] > 0
    assert "secret" not in json.dumps(facts["sets"]["listed"]) + json.dumps(facts["rules"]["listed"])
    assert (
        sum(facts["sets"][kind] for kind in ("as_items", "as_groups", "not_visible"))
        == len(facts["sets"]["listed"]) + (facts["sets"]["unnamed"])
    )


def test_large_data_say_why_nothing_is_looked_for(monkeypatch: pytest.MonkeyPatch, release: shoal.Release) -> None:
    monkeypatch.setattr(section, "MOST_ITEMS", 5)
    story = Story.of(release)
    assert json.loads(report.as_json(story))["patterns"] is None
    for text in (Page(report.as_html(story)).text, report.as_markdown(story)):
        assert HEADING in text
        assert "because the data have more than 5 items" in text


def test_sets_that_no_method_changed_have_no_section(tmp_path: Path) -> None:
    lines = "".join(f"{at % 2};{'|'.join(row)}\n" for at, row in enumerate(ROWS))
    (tmp_path / "in.csv").write_text(f"age;items\n{lines}", encoding="utf-8")
    read = shoal.read(tmp_path / "in.csv", sets="items", delimiter=";", item_delimiter="|")
    made = shoal.anonymize(read, model="k", k=2, quasi_identifiers=["age"])
    assert told(made) is None
    assert HEADING not in report.as_html(Story.of(made))
