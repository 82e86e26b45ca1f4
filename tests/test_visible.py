"""What is spelled out for people, and what stays as it is."""

from __future__ import annotations

import json
import subprocess
import unicodedata

import pytest

from shoal.errors import DataError
from shoal.visible import visible, visible_bash, visible_json, visible_lines

ALL = [chr(code) for code in (*range(0x3000), *range(0xD800, 0x10000), *range(0xE0000, 0xE0100))]
OBEYED = [one for one in ALL if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")]


@pytest.mark.parametrize(
    "text", ["\x00", "\x07", "\x1b", "\x7f", "\x85", "\x9b", "\u200b", "\u202e", "\u2028", "\u2066", "\ufeff", "\r\n"]
)
def test_what_a_terminal_or_a_page_obeys_is_spelled_out(text: str) -> None:
    assert visible(text).isascii()
    assert visible(f"a{text}b") == f"a{visible(text)}b"


def test_nothing_that_is_obeyed_is_left_and_everything_else_stays() -> None:
    assert not set(visible("".join(OBEYED))) & set(OBEYED)
    others = "".join(sorted(set(ALL) - set(OBEYED)))
    assert visible(others) == others


def test_spelling_out_twice_changes_nothing() -> None:
    once = visible("".join(OBEYED))
    assert visible(once) == once


def test_lines_stay_lines() -> None:
    assert visible_lines("a\x1b\n\nb\u2028c") == "a\\x1b\n\nb\\u2028c"


def test_json_keeps_its_meaning() -> None:
    value = {"labels": [*OBEYED, "\x9b\n", "é"]}
    for indent in (None, 2):
        text = visible_json(json.dumps(value, ensure_ascii=False, indent=indent))
        assert json.loads(text) == value
        assert not set(text) & set(OBEYED) - {"\n"}


def test_bash_reads_back_what_is_spelled_out() -> None:
    text = 'a\'b\\c "d" \x1b[2J\n\x7f\x9b\u202e\U000e0001é'
    command = f"printf %s $'{visible_bash(text)}'"
    found = subprocess.run(["bash", "-c", command], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    assert found.stdout.decode() == text


def test_bash_reads_back_the_bytes_of_a_name_that_is_not_utf_8() -> None:
    found = subprocess.run(["bash", "-c", f"printf %s $'{visible_bash(chr(0xDCFF))}'"], capture_output=True, check=True)
    assert found.stdout == b"\xff"


def test_errors_spell_out_what_they_quote() -> None:
    assert str(DataError("item '\x1b[2J\n' is odd")) == "item '\\x1b[2J\\n' is odd"
