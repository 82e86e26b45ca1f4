"""Files for papers: each chart as SVG and PDF, and the table of methods as LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.evaluation.figures import Figure
from shoal.evaluation.results import text
from shoal.files import atomic_output

if TYPE_CHECKING:
    from shoal.evaluation.page import Standing

FOLDER = "figures"
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}


def named(figures: Sequence[Figure]) -> list[Figure]:
    """Give the figures file names: numbered, in plain letters.

    >>> [one.file for one in named([Figure("toy: NCP against |D|, records", "", "")])]
    ['01-toy-ncp-against-d-records']
    """
    return [
        replace(one, file=f"{at:02}-{re.sub(r'[^a-z0-9]+', '-', one.title.casefold()).strip('-')[:60]}")
        for at, one in enumerate(figures, 1)
    ]


def write(figures: Sequence[Figure], standings: Sequence[Standing], folder: Path) -> None:
    """Write all charts to a folder of their own, and the table next to it."""
    if figures:
        (folder / FOLDER).mkdir(exist_ok=True)
    for one in figures:
        _write(folder / FOLDER / f"{one.file}.svg", f'<?xml version="1.0" encoding="utf-8"?>\n{one.svg}'.encode())
        _write(folder / FOLDER / f"{one.file}.pdf", one.pdf)
    _write(folder / "table.tex", as_latex(standings).encode())
    _write(folder / "table.csv", as_csv(standings).encode())


def _write(target: Path, content: bytes) -> None:
    with atomic_output(target) as file:
        file.write(content)


def as_csv(standings: Sequence[Standing]) -> str:
    """Return the table as CSV, with all digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if standings:
        writer.writerow([one.name for one in fields(standings[0])])
    writer.writerows([[text(value) for value in astuple(one)] for one in standings])
    return out.getvalue()


def as_latex(standings: Sequence[Standing]) -> str:
    r"""Return the table as LaTeX, for the package booktabs.

    >>> escaped("50 % of a_b")
    '50 \\% of a\\_b'
    """
    heads = ("data", "model", "method", "runs", "failed", "least loss in", "mean loss", "mean gap", "mean s", "most MB")
    lines = [" & ".join(map(escaped, (one.data, one.model, one.method, *_figures(one)))) for one in standings]
    rows = [f"{line} \\\\" for line in lines]
    return "\n".join(
        [
            "% Needs \\usepackage{booktabs}. 'least loss in': settings in which no other method lost less.",
            "\\begin{tabular}{lllrrrrrrr}",
            "\\toprule",
            f"{' & '.join(heads)} \\\\",
            "\\midrule",
            *rows,
            "\\bottomrule",
            "\\end{tabular}",
            "",
        ]
    )


def _figures(one: Standing) -> list[str]:
    """Return the figures of a line; empty where nothing was measured."""
    gap = "" if one.gap is None else f"{one.gap:.1%}".replace("%", " %")
    measured = ["" if value is None else f"{value:.4g}" for value in (one.loss, one.seconds, one.peak_mb)]
    counts = [str(one.runs), str(one.failed), f"{one.least} of {one.settings}"]
    return [*counts, measured[0], gap, *measured[1:]]


def escaped(label: str) -> str:
    r"""Escape text for LaTeX, on one line.

    >>> escaped("a\\b & {c}^2")
    'a\\textbackslash{}b \\& \\{c\\}\\textasciicircum{}2'
    """
    return "".join(_LATEX.get(mark, mark if mark.isprintable() else " ") for mark in label)
