"""What ``shoal measure --mining --rules`` prints about the most frequent sets and the best rules."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.cli import console
from shoal.errors import shorten
from shoal.metrics.patterns import CONFIDENCE, SHOWN, FoundRule, FoundSet, Patterns
from shoal.report.formatting import count, count_noun, share

LISTED = 8  # sets and rules in a table; --json has all of them


def show(found: Patterns) -> None:
    """Show the sets and the rules that were looked for."""
    if found.sets or not found.rules_least_support:
        _show_sets(found)
    if found.rules_least_support:
        _show_rules(found)


def _show_sets(found: Patterns) -> None:
    """Show how many sets are still there, and those whose support is most wrong."""
    console.say("")
    console.say((f"the {count_noun(len(found.sets), 'most frequent set', 'most frequent sets')} of items", "bold"))
    if not found.sets:
        console.paragraph("(no two items are together in two records)", 0)
        return
    console.paragraph(f"still there: {_counts([found.count(shown) for shown in SHOWN])}", 0)
    if found.count("as items") + found.count("as groups"):
        groups = f", {share(found.support_error('as groups'))} of those as groups" if found.count("as groups") else ""
        console.paragraph(f"mean error of support: {share(found.support_error())} of those that are visible{groups}", 0)
    own = count_noun(found.published_sets, "most frequent set", "most frequent sets")
    include = "includes" if found.published_sets == 1 else "include"
    console.paragraph(f"the {own} of the published file {include} {count(found.matching_sets)} of these sets", 0)
    wrong = sorted(filter(_is_wrong, found.sets), key=lambda one: -_missed(one))  # equal ones stay in order
    if wrong:
        console.say("")
        console.table(
            _title("sets", len(wrong), "support"),
            ["items", "published as", "records", "estimate", "at most"],
            [_of_set(one) for one in wrong[:LISTED]],
            right=2,
        )


def _of_set(one: FoundSet) -> tuple[str, ...]:
    """Return the line of a set."""
    if one.shown == "not visible":
        return (_joined(one.items), "not visible", count(one.support), "", "")
    return (_joined(one.items), _joined(one.labels), *map(count, (one.support, round(one.estimate), one.most)))


def _is_wrong(one: FoundSet) -> bool:
    return one.shown == "not visible" or one.error > 0


def _missed(one: FoundSet) -> float:
    """Return by how many records the support is wrong."""
    return float(one.support) if one.shown == "not visible" else abs(one.estimate - one.support)


def _show_rules(found: Patterns) -> None:
    """Show how many rules are still there, and those whose confidence is most wrong."""
    console.say("")
    console.say((f"the {count_noun(len(found.rules), 'rule')} with the highest lift", "bold"))
    least = f"sets in at least {count_noun(found.rules_least_support, 'record')}, confidence of at least "
    console.paragraph(f"({least}{share(float(CONFIDENCE))})", 0)
    if not found.rules:
        return
    console.paragraph(f"still there: {_counts([found.count_rules(shown) for shown in SHOWN])}", 0)
    if found.count_rules("as items") + found.count_rules("as groups"):
        points = f"{found.confidence_error() * 100:.1f} percentage points"
        console.paragraph(
            f"mean error of those that are visible: confidence {points}, lift {share(found.lift_error)}", 0
        )
    wrong = [one for one in found.rules if one.shown == "not visible" or one.error > 0]
    if wrong:
        console.say("")
        console.table(
            _title("rules", len(wrong), "confidence"),
            ["rule", "published as", "confidence", "now", "lift", "now"],
            [_of_rule(one) for one in sorted(wrong, key=lambda one: -_missed_confidence(one))[:LISTED]],
            right=2,
        )


def _of_rule(one: FoundRule) -> tuple[str, ...]:
    """Return the line of a rule."""
    rule, was, lift = _arrow((*one.given, one.item)), share(one.confidence), f"{one.lift:.2f}"
    if one.published_confidence is None or one.published_lift is None:
        return (rule, "not visible", was, "", lift, "")
    return (rule, _arrow(one.labels), was, share(one.published_confidence), lift, f"{one.published_lift:.2f}")


def _missed_confidence(one: FoundRule) -> float:
    return one.confidence if one.published_confidence is None else one.error


def _title(what: str, number: int, of: str) -> str:
    """Return the title of a table."""
    return f"the {what} whose {of} is most wrong ({count(min(LISTED, number))} of {count(number)})"


def _counts(numbers: Sequence[int]) -> str:
    """Return how many are shown in which way."""
    return ", ".join(f"{count(number)} {shown}" for number, shown in zip(numbers, SHOWN, strict=True))


def _joined(labels: Sequence[str]) -> str:
    return ", ".join(shorten(label) for label in labels)


def _arrow(labels: Sequence[str]) -> str:
    return f"{_joined(labels[:-1])} -> {_joined(labels[-1:])}"
