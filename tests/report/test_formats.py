"""A report format is one class, ours or an outsider's; what reports look up, they look up once.

Covers: report/formats.py, report/json_format.py, report/reporter.py, report/story.py, release/reporter.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

import shoal
from shoal import discovery
from shoal.report import ReportFormat, Story, headline, remedies
from tests.report.test_report import release


class Short(ReportFormat):
    """A format that somebody else wrote."""

    name = "short"
    suffixes = (".short",)

    def render(self, story: Story) -> str:
        """One line."""
        return f"{len(story.release.published.rows)} records, {len(story.findings.explanations)} explanations\n"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed distribution announces the format."""
    point = EntryPoint("short", f"{__name__}:Short", "shoal.report")
    monkeypatch.setattr(discovery, "_announcements", lambda path: EntryPoints([point]))
    discovery._classes.cache_clear()
    yield
    discovery._classes.cache_clear()


@pytest.mark.usefixtures("installed")
def test_a_format_from_outside(tmp_path: Path) -> None:
    release().report(tmp_path / "r.SHORT")
    assert (tmp_path / "r.SHORT").read_text() == "4 records, 1 explanations\n"


def test_other_ways_are_tried_once_for_all_reports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[shoal.Release] = []

    def find(made: shoal.Release, engine: shoal.Engine) -> tuple[remedies.Remedy, ...]:
        calls.append(made)
        return ()

    monkeypatch.setattr(remedies, "find", find)
    made = release([["a1"], ["a2"], ["b1"], ["b2"]], k=4)
    assert made.worthless
    for name in ("r.html", "r.md", "r.json"):
        made.report(tmp_path / name)
    assert "A weaker guarantee, more data, or another hierarchy would keep more." in made._repr_html_()
    assert calls == [made]
    story = Story.of(made)
    assert story.of_written(made.save(tmp_path / "out.basket")).findings is story.findings
    assert headline.remedy_line(story) == "A weaker guarantee, more data, or another hierarchy would keep more."
