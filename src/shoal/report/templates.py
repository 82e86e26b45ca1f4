"""Sets up Jinja2 for all templates: output is escaped, and an undefined variable is an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.report import formatting, sentences

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent


def templates(
    folders: Sequence[Path], shown: Callable[[str], str], filters: Mapping[str, Callable[..., Any]]
) -> Environment:
    """Return Jinja2 with the templates of some folders. Jinja2 is imported when the first page is made.

    ``shown`` formats text that is not marked as safe. ``filters`` are added to the filters for figures.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=True,
        finalize=lambda value: shown(value) if type(value) is str else value,  # markup has been through it already
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "count": formatting.count,
        "share": formatting.share,
        "label": formatting.label,
        "seconds": formatting.seconds,
        "memory": formatting.memory,
        "options": sentences.options,
        **filters,
    }
    environment.globals |= {"count_noun": formatting.count_noun, "band": formatting.band, "some": formatting.some}
    return environment
