"""What only people know comes from a file, and is never made up. Covers: report/officer/context.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import OptionError
from shoal.report.officer.context import QUESTIONS, Context


def loaded(folder: Path, text: str) -> Context:
    path = folder / "context.toml"
    path.write_text(text, encoding="utf-8")
    return Context.load(path)


def test_answers_are_read(tmp_path: Path) -> None:
    context = loaded(tmp_path, '[release]\npurpose = """\nResearch\n  on diets"""\n[governance]\nreview = "2027"\n')
    assert context.answer("release", "purpose") == "Research on diets"
    assert context.answer("governance", "review") == "2027"
    assert context.answer("people", "harm") is None


def test_every_question_can_be_answered(tmp_path: Path) -> None:
    text = "".join(f"[{table}]\n" + "".join(f'{key} = "yes"\n' for key in keys) for table, keys in QUESTIONS.items())
    context = loaded(tmp_path, text)
    assert set(context.answers) == {(table, key) for table, keys in QUESTIONS.items() for key in keys}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[relase]\n", r"unknown table \[relase\] \(did you mean 'release'\?\)"),
        ('[release]\nrecipient = "x"\n', r"unknown key 'recipient' in \[release\] \(did you mean 'recipients'\?\)"),
        ("[release]\npurpose = 3\n", "release.purpose must be a text"),
        ('[release]\npurpose = " "\n', "release.purpose must be a text"),
        (f'[release]\npurpose = "{"x" * 3000}"\n', "1 to 2,000 characters"),
        ('release = "x"\n', r"'release' must be a table: write \[release\]"),
        ("[release\n", "is no TOML"),
    ],
)
def test_a_wrong_file_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        loaded(tmp_path, text)
