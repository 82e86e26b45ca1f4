"""Writes reports on a release as HTML, Markdown or JSON: what was done, what it protects against, and what it cost.

:mod:`.story` holds the release and everything its reports need. :mod:`.figures` collects the figures (:mod:`.facts`,
which are also the JSON report). :mod:`.sentences` and :mod:`.wording` turn them into sentences, and each
:class:`~.formats.ReportFormat` lays them out. A report holds figures and labels, never records. It quotes the raw data
(the largest record, the risk before, the rare sets that forced a group), so it is for the publisher and must not be
published.
"""

from shoal.report.facts import Facts
from shoal.report.figures import as_dict, gather
from shoal.report.formats import ReportFormat, format_of, write, write_public
from shoal.report.html import Html, summary_html
from shoal.report.json_format import Json
from shoal.report.markdown import Markdown
from shoal.report.story import Story

__all__ = [
    "Facts",
    "ReportFormat",
    "Story",
    "as_dict",
    "as_html",
    "as_json",
    "as_markdown",
    "format_of",
    "gather",
    "summary_html",
    "write",
    "write_public",
]

as_html, as_json, as_markdown = Html().render, Json().render, Markdown().render
