"""Progress without a terminal: one line for each stage, whole lines for all else."""

from __future__ import annotations

import io
import re

import pytest

from shoal.cli import console, stages


def test_each_stage_is_told_with_its_seconds() -> None:
    out = io.StringIO()
    with stages.lines(out) as progress:
        for stage, share in (("counting", 0.0), ("counting", 0.5), ("verifying\n", 0.0), ("counting", 1.0)):
            progress(stage, share)
    assert re.fullmatch(r"counting \.\.\. \d+\.\d s\nverifying\\n \.\.\. \d+\.\d s\n", out.getvalue())


def test_a_stage_that_comes_again_is_told_once_it_has_taken_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """No stage is told the time of another."""
    out, now = io.StringIO(), [0.0]
    monkeypatch.setattr("shoal.cli.stages.time.perf_counter", lambda: now[0])
    with stages.lines(out) as progress:
        for stage, seconds in (("a", 2.0), ("b", 3.0), ("a", 0.7), ("b", 0.1), ("a", 0.6), ("c", 1.0), ("b", 0.2)):
            progress(stage, 0.0)
            now[0] += seconds
    assert out.getvalue() == "a ... 2.0 s\nb ... 3.0 s\na again: 1.3 s\nc ... 1.0 s\n"


def test_a_message_does_not_end_up_in_the_line_of_a_stage() -> None:
    out = io.StringIO()
    with stages.lines(out) as progress:
        progress("counting", 0.0)
        stages.end_line()
        out.write("Note: x\n")
        progress("verifying", 0.0)
    assert re.fullmatch(r"counting \.\.\. \d+\.\d s\nNote: x\nverifying \.\.\. \d+\.\d s\n", out.getvalue())


def test_a_failure_ends_the_line() -> None:
    out = io.StringIO()

    def interrupted() -> None:
        with stages.lines(out) as progress:
            progress("counting", 0.0)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert out.getvalue() == "counting ...\n"


def test_a_stage_after_the_end_is_not_told() -> None:
    """What a report needs may be computed when it is asked for."""
    out = io.StringIO()
    with stages.lines(out) as progress:
        pass
    progress("explaining", 0.0)
    assert out.getvalue() == ""


def test_nothing_is_told_of_no_stages() -> None:
    out = io.StringIO()
    with stages.lines(out):
        pass
    assert out.getvalue() == ""


def test_quiet_engines_tell_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    console.be_quiet()
    with console.engine(1) as engine:
        engine.progress("counting", 0.0)
    console.start()
    assert capsys.readouterr().err == ""
