"""The report as strict JSON."""

from __future__ import annotations

import json
from typing import Any

from shoal.report.figures import as_dict
from shoal.report.formats import ReportFormat
from shoal.report.officer import public
from shoal.report.officer.public import PublicFacts
from shoal.report.story import Story
from shoal.visible import visible_json


class Json(ReportFormat):
    """All figures of a report, for programs."""

    name = "json"
    suffixes = (".json",)

    def render(self, story: Story) -> str:
        """Return the figures as strict JSON."""
        return _text(as_dict(story))

    def render_public(self, facts: PublicFacts) -> str:
        """Return the facts as strict JSON."""
        return _text(public.as_dict(facts))


def _text(values: dict[str, Any]) -> str:
    """Return values as strict JSON."""
    return visible_json(json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"
