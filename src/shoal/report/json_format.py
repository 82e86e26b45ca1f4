"""The report as strict JSON."""

from __future__ import annotations

import json

from shoal.report.figures import as_dict
from shoal.report.formats import ReportFormat
from shoal.report.story import Story
from shoal.visible import visible_json


class Json(ReportFormat):
    """All figures of a report, for programs."""

    name = "json"
    suffixes = (".json",)

    def render(self, story: Story) -> str:
        """Return the figures as strict JSON."""
        return visible_json(json.dumps(as_dict(story), indent=2, ensure_ascii=False, allow_nan=False)) + "\n"
