"""The report as Markdown: compact, for a merge request or a wiki.

Jinja2 renders ``report.md.jinja``. Labels are untrusted text, so everything that the template prints is escaped unless
it is marked as verbatim.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from shoal.report import formatting
from shoal.report.context import context
from shoal.report.figures import gather
from shoal.report.formats import ReportFormat
from shoal.report.officer.public import PublicFacts
from shoal.report.story import Story
from shoal.report.templates import HERE, templates
from shoal.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


class Markdown(ReportFormat):
    """A compact page."""

    name = "markdown"
    suffixes = (".md",)

    def render(self, story: Story) -> str:
        """Return the report as Markdown."""
        return environment().get_template("report.md.jinja").render(context(story, gather(story))) + "\n"

    def render_public(self, facts: PublicFacts) -> str:
        """Return the public report as Markdown."""
        return environment().get_template("public.md.jinja").render(facts.for_templates()) + "\n"


@functools.cache
def environment() -> Environment:
    """Return Jinja2 for Markdown."""
    filters: dict[str, Callable[..., Any]] = {
        "verbatim": _verbatim,
        "share": lambda part: _verbatim(formatting.share(part)),
        "seconds": lambda time: _verbatim(formatting.seconds(time)),
    }
    return templates([HERE], lambda text: _verbatim(_safe(text)), filters)


def _verbatim(text: str) -> Markup:
    """Mark a text so that the template prints it without escaping, in one line."""
    from markupsafe import Markup

    return Markup(visible(text))


def _safe(text: str) -> str:
    r"""Escape a text for Markdown, in one line.

    >>> print(_safe("<b>|a_b*"), _safe("a\nb"))
    &lt;b&gt;\|a\_b\* a\\nb
    """
    flat = " ".join(visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").split())
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", flat)
