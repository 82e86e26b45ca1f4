"""The tables that ``shoal measure`` prints."""

from __future__ import annotations

import math

from shoal.cli import console, patterns_output
from shoal.jobs.measure import Measurement
from shoal.metrics.risk import Risk
from shoal.report import sentences
from shoal.report.formatting import count_noun, share
from shoal.report.risks import known_items


def show(result: Measurement) -> None:
    """Show all figures."""
    figures = [(name, _figure(name, value)) for name, value in result.losses.items()]
    figures += [(name.replace("_", " "), f"{value:,}") for name, value in result.counts.items()]
    console.table(None, ["measure", "value"], figures)
    if result.answers is not None and len(result.answers.by_size) > 1:
        console.say("")
        console.table(
            "average relative error by size of query",
            ["asking for", "are"],
            [(size, f"{error:.6f}") for size, error in result.answers.by_size.items()],
        )
    if result.mining:
        console.say("")
        console.table(
            "frequent itemsets of all levels, and those found in the published data",
            ["in at least", "itemsets", "found", "ml2", "dml2", "dml2_missed"],
            [
                (
                    f"{count_noun(one.least, 'record')} ({share(one.threshold)})",
                    *(f"{number:,}" for number in (one.itemsets, one.found)),
                    *(f"{loss:.6f}" for loss in (one.ml2, one.dml2, one.dml2_missed)),
                )
                for one in result.mining
            ],
        )
    if result.patterns is not None:
        patterns_output.show(result.patterns)
    if result.risk_before is not None and result.risk_after is not None:
        console.say("")
        _show_risks(result.risk_before, result.risk_after)


def _show_risks(before: Risk, after: Risk) -> None:
    """Show the risk before and after, one below the other."""
    lines: list[tuple[str, ...]] = []
    for at in range(len(before.below_k)):
        for when, risk in (("before", before), ("after", after)):
            counts = (
                f"{counted[at]:,} ({share(counted[at] / max(1, risk.records))})" for _, counted in risk.degrees.values()
            )
            chances = (f"{chance[at]:.6f}" for chance in (risk.prosecutor, risk.average))
            lines.append((known_items(at + 1) if when == "before" else "", when, *counts, *chances))
    console.table(
        "risk: what an attacker can pin records down to",
        ["knowing", "", f"fewer than {before.k} records", "exactly one", "prosecutor", "average"],
        lines,
        right=2,
    )
    console.say("(before: knowing items; after: knowing as many labels of the published record)")


def _figure(name: str, value: float) -> str:
    """Format a measured value with enough digits for comparisons."""
    if name == "privacy_value" or isinstance(value, int) or not math.isfinite(value):
        return sentences.loss(name, value)
    return f"{value:.6f}"
