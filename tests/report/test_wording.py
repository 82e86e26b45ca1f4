"""Every note has its words, and no note is worded twice.

Covers: data/note.py, data/notes.py, data/reading_notes.py, release/notes.py, report/fixed_sentences.py,
report/wording.py.
"""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any, get_args, get_origin, get_type_hints

import pytest

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.cli import cli
from shoal.data import notes, reading_notes
from shoal.data.note import Note
from shoal.data.notes import AddedItems, DeltaCost, EmptyRecords, UntouchedColumns, Untrue
from shoal.jobs.command import Command
from shoal.models.base import PrivacyModel
from shoal.report.fixed_sentences import SENTENCES
from shoal.report.wording import worded
from tests.report.test_report import release

KINDS = [
    kind
    for kind in {**vars(notes), **vars(reading_notes)}.values()
    if isinstance(kind, type) and issubclass(kind, Note)
]
KINDS = [kind for kind in KINDS if kind not in (Note, Untrue)]


def example(kind: type[Note]) -> Note:
    """A note with some values."""
    hints = get_type_hints(kind)
    return kind(**{field.name: _some(hints[field.name]) for field in fields(kind)})


def _some(hint: Any) -> Any:
    if hint in (DeltaCost, tuple[DeltaCost, ...]):
        cost = DeltaCost(0.2, 0.2, 0.1)
        return cost if hint is DeltaCost else (cost, cost)
    if get_args(hint) and get_origin(hint) is not tuple:
        return get_args(hint)[0]
    return {int: 2, float: 0.5, str: "x", bool: True}.get(hint, ("x", "y"))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_note_has_words(kind: type[Note]) -> None:
    text = worded(example(kind))
    assert text[-1] == "."
    assert "{" not in text
    assert (kind in SENTENCES) == (worded.dispatch(kind) is worded.dispatch(Note))


def test_a_release_holds_values_and_its_reporter_finds_the_words() -> None:
    made = release([["a1", "b1"], ["a1", "b1"], []], k=2, m=1)
    assert made.note_values == (EmptyRecords(1, besides=False, columns=False),)
    assert made.notes == ["1 empty record is published."]


def test_labels_with_braces_are_text() -> None:
    assert worded(notes.LooksSensitive("{x}", "{0}")).startswith("'{x}' is sensitive. '{0}' looks like it")


def test_a_note_from_outside_speaks_for_itself() -> None:
    class Theirs(Note):
        def __str__(self) -> str:
            return "Mind this."

    assert worded(Theirs()) == "Mind this."


def test_singular_and_plural() -> None:
    assert worded(AddedItems(1)).startswith("1 item was not in the hierarchy and treated as a child of")
    assert worded(AddedItems(1200)).startswith("1,200 items were not in the hierarchy and treated as children of")
    assert worded(UntouchedColumns(("a",), "sets", false_items=False)).startswith("The column 'a' is published")
    assert worded(UntouchedColumns(("a", "b"), "both", false_items=True)).endswith("statements about that person.")


def test_what_is_not_true_comes_first_and_shows_in_the_repr() -> None:
    data = shoal.read([["a"], ["a", "b"], ["a", "b"]])
    tree = shoal.Hierarchy.flat(data.transactions.labels)
    made = shoal.anonymize(
        shoal.Problem(data, tree, shoal.models.TransactionalK(k=3)), algorithm=shoal.algorithms.ApxCover()
    )
    kinds = [note.untrue for note in made.note_values]
    assert kinds == sorted(kinds, reverse=True)
    assert "NOT TRUTHFUL: 1 items added, 0 deleted" in repr(made)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_reports_of_the_command_line_name_its_options(kind: type[Note]) -> None:
    text = worded(example(kind))
    assert "--" not in text  # the library names arguments
    spelled = Command((), shoal.Km()).message(text)
    options = {name for param in cli.commands["anonymize"].params for name in param.opts}
    for family, kind_of in (("shoal.models", PrivacyModel), ("shoal.algorithms", Algorithm)):
        options |= {one.flag for spec in discovery.find(family, kind_of).values() for one in spec.options()}
    assert not re.search(r"(?<![\w'])[a-z_]{2,}=", spelled)
    assert set(re.findall(r"--[a-z-]*[a-z]", spelled)) <= options
