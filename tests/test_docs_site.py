"""What the site adds to mkdocs (tools/docs.py), and the links that leave it.

The strict build (``make docs``) checks links and anchors inside the site. Tests open no network connection: links to
elsewhere must be https and be in external_links.txt, which ``python -m tests.test_docs_site`` writes anew for review.
"""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from shoal.report.facts import Facts
from tools.docs import ABOUT, COPIED, expand, from_notebook, with_links

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("external_links.txt")
TEXTS = [*ROOT.glob("*.md"), *(path for path in (ROOT / "docs").rglob("*") if path.suffix in {".md", ".ipynb"})]


def external_links() -> list[str]:
    """The addresses that a text of the repository links to."""
    texts = [path.read_text(encoding="utf-8") for path in TEXTS]
    return sorted({link for text in texts for link in re.findall(r"\]\(([a-z]+://[^)\s]+)\)|<(?=http)", text) if link})


def test_external_links_are_known_and_https() -> None:
    links = external_links()
    assert links == LIST.read_text(encoding="utf-8").split(), (
        "Look at the new links, then python -m tests.test_docs_site"
    )
    assert [link for link in links if not link.startswith("https://")] == []


def test_the_page_about_the_report_has_every_key() -> None:
    page = (ROOT / "docs" / "reference" / "report.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == [field.name for field in fields(Facts)]


def test_a_pattern_lists_the_pages_that_the_nav_does_not_name() -> None:
    nav = [{"Home": "index.md"}, {"How-to": ["how-to/first.md", {"More": ["how-to/*.md"]}]}, "x/{d,gone,b,*}.md"]
    pages = {"index.md", "how-to/b.md", "how-to/a.md", "how-to/first.md", "how-to/deep/c.md", "how-to/README.md"}
    assert expand(nav, pages | {f"x/{name}.md" for name in "abcd"}) == [
        {"Home": "index.md"},
        {"How-to": ["how-to/first.md", {"More": ["how-to/README.md", "how-to/a.md", "how-to/b.md"]}]},
        *("x/d.md", "x/b.md", "x/a.md", "x/c.md"),
    ]


@pytest.mark.parametrize(
    ("source", "page", "link", "expected"),
    [
        ("docs/a/b.md", "a/b.md", "[x](../c.md#d)", "[x](../c.md#d)"),
        ("docs/a/b.md", "a/b.md", "[x](../../SECURITY.md)", "[x](../about/security.md)"),
        ("docs/how-to/b.md", "how-to/b.md", "[x](../../verifier/shoal_check.py)", "[x](shoal_check.py)"),
        ("docs/a/b.md", "a/b.md", "[`x.py`](../../src/x.py)", "`x.py`"),
        ("docs/a/b.md", "a/b.md", "[the file](../../src/x.py)", "the file (`src/x.py`)"),
        ("docs/a/b.md", "a/b.md", "[x](https://a.b/c)", "[x](https://a.b/c)"),
        ("docs/a/b.md", "a/b.md", "[x](../tutorials/t.ipynb)", "[x](../tutorials/t.md)"),
        ("SECURITY.md", "about/security.md", "![x](docs/images/y.svg)", "![x](../images/y.svg)"),
        ("SECURITY.md", "about/security.md", "[x](#here)", "[x](#here)"),
        ("SECURITY.md", "about/security.md", "[x](README.md)", "[x](../index.md)"),
        ("docs/b.md", "b.md", "```\n[x](../src/x.py)\n```", "```\n[x](../src/x.py)\n```"),
    ],
)
def test_links_lead_to_pages_of_the_site(source: str, page: str, link: str, expected: str) -> None:
    assert with_links(link, source, page) == expected


def test_pages_and_copies_have_their_files() -> None:
    assert all((ROOT / name).exists() for name in (*ABOUT, *COPIED))


def test_a_notebook_becomes_a_page_with_its_outputs() -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["\x1b[1ma < b\x1b[0m\n"]},
        {"output_type": "execute_result", "data": {"text/html": ["<p>x</p>\n", "\n", "<p>y</p>"], "text/plain": "z"}},
        {"output_type": "display_data", "data": {"image/png": "QUJD\n"}},
        {"output_type": "execute_result", "data": {"text/plain": ["5"]}},
        {"output_type": "stream", "name": "stdout", "text": []},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "Text"]},
        {"cell_type": "code", "source": "1 + 4", "outputs": outputs},
        {"cell_type": "code", "source": "", "outputs": []},
        {"cell_type": "raw", "source": "left out"},
    ]
    assert from_notebook({"cells": cells}).split("\n\n") == [
        "# Title\nText",
        "```python\n1 + 4\n```",
        '<div class="notebook-output"><pre>a &lt; b</pre></div>',
        '<div class="notebook-output"><p>x</p>  <p>y</p></div>',
        '<div class="notebook-output"><img alt="" src="data:image/png;base64,QUJD"></div>',
        '<div class="notebook-output"><pre>5</pre></div>\n',
    ]


if __name__ == "__main__":
    LIST.write_text("".join(f"{link}\n" for link in external_links()), encoding="utf-8")
