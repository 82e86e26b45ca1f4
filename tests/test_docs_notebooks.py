"""The notebooks of docs/tutorials run, and print what they show.

Code cells run one after the other in one namespace, as in Jupyter, which is not needed. Text outputs must be equal;
HTML and pictures are not compared. A notebook on real data is skipped where there are none.
``SHOAL_UPDATE_DOCS=1 pytest tests/test_docs_notebooks.py`` writes the new outputs into the notebooks.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DATA

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
CLASSIFIERS = "machine-learning"


def run_cell(source: str, space: dict[str, Any]) -> list[dict[str, Any]]:
    """The outputs of a cell: what it prints, and the value of its last line if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value, printed = None, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), space)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        shown = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "savefig"):
            shown["image/png"] = [picture(value)]
        elif hasattr(value, "_repr_html_"):
            shown["text/html"] = value._repr_html_().splitlines(keepends=True)
        outputs.append({"data": shown, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return outputs


def picture(figure: Any) -> str:
    """A figure of matplotlib as PNG, in base64."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=110, metadata={"Software": None})
    return base64.b64encode(file.getvalue()).decode()


def texts(outputs: list[dict[str, Any]]) -> list[str]:
    return ["".join(output.get("text") or output["data"]["text/plain"]) for output in outputs]


@pytest.fixture(autouse=True)
def level_of_the_logger() -> Iterator[None]:
    """A notebook may silence Shoal, but not the tests after it."""
    logger = logging.getLogger("shoal")
    before = logger.level
    yield
    logger.setLevel(before)


def opened(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The notebook, to be run in an empty folder."""
    pytest.importorskip("pandas")
    text = path.read_text(encoding="utf-8")
    if "SHOAL_DATA" in text:
        if not DATA.is_dir():
            pytest.skip(f"no real data at {DATA}: set SHOAL_DATA")
        monkeypatch.setenv("SHOAL_DATA", str(DATA.resolve()))
    monkeypatch.chdir(folder)
    return json.loads(text)


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_about_classifiers_runs_with_few_folds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its figures need many fits. A slow test compares them."""
    selection = pytest.importorskip("sklearn.model_selection")
    notebook = opened(FOLDER / f"{CLASSIFIERS}.ipynb", tmp_path, monkeypatch)
    few = selection.RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=0)
    monkeypatch.setattr(selection, "RepeatedStratifiedKFold", lambda **_: few)
    space: dict[str, Any] = {"__name__": "__main__"}
    compared = []
    for cell in code_cells(notebook):
        outputs = run_cell("".join(cell["source"]), space)
        if "NCP" not in "".join(texts(cell["outputs"])):
            compared.append(texts(outputs) == texts(cell["outputs"]))
    assert all(compared)
    for name in ("groceries", "alone", "joint"):
        raw, released = (space[name][key]["test_auc"].mean() for key in ("raw", "k=5, m=2"))
        assert raw > 0.6
        assert abs(released - raw) < 0.05


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.slow] if path.stem == CLASSIFIERS else []) for path in NOTEBOOKS],
    ids=lambda path: path.stem,
)
def test_the_notebook_prints_what_it_shows(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = opened(path, tmp_path, monkeypatch)
    space: dict[str, Any] = {"__name__": "__main__"}
    stale, count = [], 0
    for cell in code_cells(notebook):
        count += 1
        source = "".join(cell["source"])
        outputs = run_cell(source, space)
        for output in outputs:
            if "execution_count" in output:
                output["execution_count"] = count
        if texts(outputs) != texts(cell["outputs"]):
            stale.append((source, texts(cell["outputs"]), texts(outputs)))
        cell["outputs"], cell["execution_count"] = outputs, count
    if os.environ.get("SHOAL_UPDATE_DOCS"):
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    else:
        assert not stale
    assert count >= 5


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_of_the_notebook_lead_somewhere(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    pages = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    targets = [target for page in pages for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page)]
    assert targets
    for target in targets:
        assert target.startswith("http") or (path.parent / target).exists(), target


def test_every_notebook_is_in_the_index() -> None:
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 6
    assert all(f"({path.name})" in index for path in NOTEBOOKS)
