"""Jinja2 as all templates use it: what they print is escaped, and a value that is not there is an error."""

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
    """Jinja2 with the templates of some folders, loaded when the first page is made.

    ``shown``: how a text is printed that is not marked as safe. ``filters`` come on top of those for figures.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=True,
        finalize=lambda value: shown(value) if type(value) is str else value,  # markup was made of such values
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
