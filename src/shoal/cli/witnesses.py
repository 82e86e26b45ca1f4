"""Witnesses on the terminal: examples of what violates a guarantee."""

from __future__ import annotations

from shoal.cli import console
from shoal.models.base import Verdict
from shoal.report.formatting import share


def show_witnesses(verdict: Verdict) -> None:
    """Show the smallest sets of known labels that violate the guarantee."""
    title, columns, rows, right = verdict.table()
    texts = [[cell if isinstance(cell, str) else share(cell) for cell in row] for row in rows]
    console.table(title, columns, texts, right)
