"""Release → JSON, Markdown, HTML: what was done, what it protects against, how that was proved and what it cost.

:mod:`.facts` gathers the figures (this is the JSON), :mod:`.words` says them in plain English, :mod:`.markdown` and
:mod:`.html` lay them out. A report holds figures and labels, never records. It does quote the raw data (the largest
record, the risk before, the rare sets that forced a group), so it is for the publisher and not a part of what is
published.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from shoal.errors import OptionError
from shoal.release.release import Release
from shoal.report.facts import as_dict
from shoal.report.html import as_html, summary_html
from shoal.report.markdown import as_markdown
from shoal.visible import visible_json

__all__ = ["as_dict", "as_html", "as_json", "as_markdown", "form_of", "summary_html", "write"]


def as_json(release: Release, *, explained: bool = True) -> str:
    """The figures as strict JSON."""
    facts = as_dict(release, explained=explained)
    return visible_json(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def write(release: Release, path: Path, *, explained: bool = True) -> None:
    """Write a report in the format that the suffix names: ``.html``, ``.json`` or ``.md``. Whole or not at all.

    It quotes the raw data: a new file can be read by its owner alone.
    """
    from shoal.files import atomic_output

    text = form_of(path)(release, explained=explained)
    with atomic_output(path, private=True) as file:
        file.write(text.encode())


def form_of(path: Path) -> Callable[..., str]:
    """What makes the report that the suffix names."""
    forms = {".html": as_html, ".htm": as_html, ".json": as_json, ".md": as_markdown}
    form = forms.get(path.suffix.lower())
    if form is None:
        raise OptionError(f"A report is .html, .json or .md, got '{path.name}': choose one of these suffixes.")
    return form
