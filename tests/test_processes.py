"""The helper itself: what it promises must hold where SIGINT is ignored, as under nohup."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests import processes


def test_a_child_hears_signals_that_its_parent_ignores(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with processes.python("print('ready', flush=True)\nsignal.pause()\n", cwd=tmp_path) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=processes.LIMIT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert "KeyboardInterrupt" in err


def test_a_process_is_killed_when_a_test_fails(tmp_path: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        processes.python("signal.pause()", cwd=tmp_path) as process,
    ):
        raise ZeroDivisionError
    assert process.returncode == -signal.SIGKILL


def test_waiting_ends_when_the_process_does(tmp_path: Path) -> None:
    with (
        processes.python("raise SystemExit('gone')", cwd=tmp_path) as process,
        pytest.raises(AssertionError, match="gone"),
    ):
        processes.wait_for(lambda: False, process)
