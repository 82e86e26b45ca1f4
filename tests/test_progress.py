"""Bars: one for each stage, which begins anew when the stage comes again."""

from __future__ import annotations

from rich.progress import Progress

from shoal.progress import Bars


def test_the_bar_of_a_stage_that_comes_again_begins_anew() -> None:
    shown = Progress(disable=True)
    bars = Bars(shown)
    for stage, share in (("counting", 0.9), ("proving", 0.5), ("counting", 0.2)):
        bars(stage, share)
    assert [(task.description, task.completed) for task in shown.tasks] == [("counting", 0.2), ("proving", 1.0)]
    assert shown.tasks[0].stop_time is None
