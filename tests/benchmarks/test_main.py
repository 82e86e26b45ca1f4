"""The commands of the benchmarks: without a name they do all."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as main
from benchmarks.papers import common


@pytest.mark.parametrize(
    ("words", "wanted"),
    [([], ["p0", "p1", "p2", "p3", "p4", "overview"]), (["p4", "p1"], ["p4", "p1"])],
)
def test_papers_without_a_name_are_all(words: list[str], wanted: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    def module(name: str) -> SimpleNamespace:
        return SimpleNamespace(write=lambda again: written.append(name.rpartition(".")[2]))

    monkeypatch.setattr(importlib, "import_module", module)
    monkeypatch.setattr(common, "known_only", False)
    main.papers([*words, "--known"])
    assert written == wanted
    assert common.known_only


def test_an_unknown_paper_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main.papers(["p9"])
    assert "p9" in capsys.readouterr().err
