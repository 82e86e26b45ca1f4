"""Items that were shuffled within groups: groups tell how many records hold them, and nothing tells which.

Covers: report/flips.py.
"""

from __future__ import annotations

from shoal import report
from shoal.report import Story
from tests.report.test_flips import FALSE_HERE, dealt, sets, texts
from tests.report.test_report import Page


def test_dealt_items_belong_to_groups() -> None:
    made = dealt()
    held = [sum("HIV" in row or "flu" in row for row in side) for side in zip(*sets(made), strict=True)]
    for text in texts(made):
        assert "Sensitive items belong to groups of records here, not to single records" in text
        assert "The column 'group' shows the group." in text
        assert f"{held[0]} original records and {held[1]} published records hold sensitive items." in text
        assert "counts how many records of each published group hold each sensitive item." in text
        assert "The published data contain false statements" not in text
        assert "Counts of items are exact, for all records and for each group." in text
        assert not [false for false in FALSE_HERE if false in text]
    assert "deleted" not in Page(report.summary_html(Story.of(made))).text
    total = sum(len(was & {"HIV", "flu"}) for was, _ in sets(made))
    assert f"{total} sensitive items of records were shuffled within groups." in texts(made)[0]


def test_nothing_tells_how_many_were_dealt_back() -> None:
    """Who knows that none was, or all were, knows more than the groups tell: seeds that differ in it look the same."""
    made = [dealt(seed=seed) for seed in range(12)]
    moved = {sum(len(now - was) for was, now in sets(one)) for one in made}
    assert len(moved) > 1
    facts = [report.as_dict(Story.of(one)) for one in made]
    for key in ("changes", "losses", "recoding", "generalized", "warnings"):
        assert all(fact[key] == facts[0][key] for fact in facts), key
    assert len({str(one.notes) for one in made}) == 1
