"""What mkdocs does not do by itself, as hooks of mkdocs.yml.

- ``methods/*.md`` in ``nav`` means all pages of a folder that ``nav`` does not name itself, README.md first.
  ``methods/{auto,optimal,*}.md`` puts some of them before the others.
- A notebook becomes a page: its text, its code and its stored outputs. Nothing is executed.
- CHANGELOG.md and its neighbours become pages below ``about/``. Links between them and docs/ go to these pages.
- The script of the second verifier is copied, so that readers of the site can look at it and download it.
- Other links that leave docs/ become plain text, because the site does not hold their targets.
"""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
ABOUT = {
    name: f"about/{name.lower().replace('_', '-')}"
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
}
COPIED = {"verifier/shoal_check.py": "how-to/shoal_check.py"}  # files of the repository that readers can download
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
TERMINAL_COLOR = re.compile(r"\x1b\[[0-9;]*m")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill in the pages of the folders that ``nav`` names."""
    pages = {path.relative_to(config.docs_dir).as_posix() for path in Path(config.docs_dir).rglob("*.md")}
    notebooks = {path.relative_to(config.docs_dir).as_posix() for path in Path(config.docs_dir).rglob("*.ipynb")}
    config.nav = expand(config.nav or [], pages | {as_page(name) for name in notebooks})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not Markdown files below docs/."""
    from mkdocs.structure.files import File

    for name, page in ABOUT.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=with_links(text, name, page)))
    for name, place in COPIED.items():
        files.append(File.generated(config, place, content=(ROOT / name).read_text(encoding="utf-8")))
    for file in list(files):
        if file.src_uri.endswith(".ipynb"):
            notebook = json.loads(Path(str(file.abs_src_path)).read_text(encoding="utf-8"))
            files.append(File.generated(config, as_page(file.src_uri), content=from_notebook(notebook)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links that leave docs/ to pages of the site, or to plain text."""
    uri = page.file.src_uri
    return markdown if uri in ABOUT.values() else with_links(markdown, f"docs/{uri}", uri)


def expand(nav: list[Any], pages: set[str]) -> list[Any]:
    """Replace each pattern of ``nav`` by the pages that match it and that ``nav`` does not name itself."""
    return _expanded(nav, sorted(pages - set(_named(nav))))


def _named(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    else:
        for entry in nav.values() if isinstance(nav, dict) else nav:
            yield from _named(entry)


def _expanded(nav: list[Any], pages: list[str]) -> list[Any]:
    result: list[Any] = []
    for entry in nav:
        if isinstance(entry, str) and "*" in entry:
            folder, _, names = entry.rpartition("/")
            first = [f"{folder}/{name}.md" for name in ["README", *names.partition("}")[0].strip("{").split(",")]]
            below = [page for page in pages if posixpath.dirname(page) == folder]
            result += [page for page in first if page in below] + [page for page in below if page not in first]
        elif isinstance(entry, dict):
            result.append({key: _expanded(x, pages) if isinstance(x, list) else x for key, x in entry.items()})
        else:
            result.append(entry)
    return result


def with_links(text: str, source: str, page: str) -> str:
    """Adapt the links of a file of the repository to the page of the site that shows it."""

    def adapted(match: re.Match[str]) -> str:
        mark, label, target = match.groups()
        path, hash_sign, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return match[0]
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        inside = {**ABOUT, **COPIED}.get(wanted) or (
            wanted.removeprefix("docs/") if wanted.startswith("docs/") else None
        )
        if wanted == "README.md":
            inside = "index.md"
        if inside is None:
            return label if "`" in label else f"{label} (`{wanted}`)"
        link = posixpath.relpath(as_page(inside), posixpath.dirname(page) or ".")
        return f"{mark}[{label}]({link}{hash_sign}{anchor})"

    parts = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)  # examples stay as they are
    return "".join(part if part.startswith("```") else LINK.sub(adapted, part) for part in parts)


def as_page(uri: str) -> str:
    """Return the page of a notebook; other names stay as they are."""
    return uri.removesuffix(".ipynb") + ".md" if uri.endswith(".ipynb") else uri


def from_notebook(notebook: dict[str, Any]) -> str:
    """Write the cells of a notebook and their stored outputs as Markdown."""
    parts: list[str] = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif cell["cell_type"] == "code" and source.strip():
            language = "console" if source.startswith("!") else "python"
            parts += [_fence(source, language), *(_output(output) for output in cell["outputs"])]
    return "\n\n".join(part for part in parts if part) + "\n"


def _output(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return _text("".join(output["text"]))
    if output["output_type"] == "error":
        return _text(f"{output['ename']}: {output['evalue']}")
    data = {kind: "".join(value) if isinstance(value, list) else value for kind, value in output["data"].items()}
    if "text/html" in data:
        lines = " ".join(line.strip() for line in data["text/html"].splitlines())  # blank lines would end the block
        return f'<div class="notebook-output">{lines}</div>'
    if "image/svg+xml" in data:
        return f'<div class="notebook-output">{data["image/svg+xml"]}</div>'
    if "image/png" in data:
        picture = f'<img alt="" src="data:image/png;base64,{data["image/png"].strip()}">'
        return f'<div class="notebook-output">{picture}</div>'
    return _text(data.get("text/plain", ""))


def _text(text: str) -> str:
    shown = html.escape(TERMINAL_COLOR.sub("", text).rstrip("\n"), quote=False)
    return f'<div class="notebook-output"><pre>{shown}</pre></div>' if shown else ""


def _fence(source: str, language: str) -> str:
    return f"```{language}\n{source}\n```"
