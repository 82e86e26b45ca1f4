"""Methods that give something away to an attacker who knows them say so wherever a release is described."""

from __future__ import annotations

import pytest

from tests.conftest import Shell

SAID = "An attacker who knows the method and its options can rule out some original records"
PAGE = "docs/concepts/minimality.md"


@pytest.mark.parametrize(
    ("words", "surest"),
    [
        (("--algorithm", "hghs"), "certainty"),
        (("--algorithm", "mhghs"), "certainty"),
        (("--algorithm", "optimal-suppress"), "certainty"),
        (("--algorithm", "mm"), "13/19"),
        (("--algorithm", "lra"), "a probability of 2/3, and with some options for sure"),
        (("--algorithm", "aa"), ""),
        (("--algorithm", "optimal"), ""),
    ],
    ids=lambda value: value[-1] if isinstance(value, tuple) else "",
)
def test_every_report_carries_the_note(shell: Shell, words: tuple[str, ...], surest: str) -> None:
    told = ["--report", "r.html", "--report", "r.md", "--report", "r.json"]
    code, out, err = shell(
        "anonymize", "in.basket", "-o", "o.basket", "--hierarchy", "h.csv", "--k", "2", "--m", "2", *words, *told
    )
    assert code == 0
    texts = [out + err, *((shell.folder / name).read_text(encoding="utf-8") for name in ("r.html", "r.md", "r.json"))]
    for text in texts:
        plain = " ".join(text.split())
        assert (SAID in plain) == bool(surest)
        assert (f"found a record with {surest}" in plain or "13/19" in plain) == bool(surest)
        assert (PAGE in plain) == bool(surest)
