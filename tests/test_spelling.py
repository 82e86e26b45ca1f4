"""Python arguments in messages become options: those that a command has, and no others."""

from __future__ import annotations

import pytest

from shoal.spelling import spell

OPTIONS = {"unknown_items": "--unknown-items", "max_loss": "--max-loss", "keep_ids": "--keep-ids", "within": "--within"}


@pytest.mark.parametrize(
    ("message", "spelled"),
    [
        ("Pass unknown_items='root'.", "Pass --unknown-items root."),
        ("Leave out max_loss=0.5.", "Leave out --max-loss 0.5."),
        ("Pass keep_ids=True, or leave within= out.", "Pass --keep-ids, or leave --within out."),
        ("1 record has age=30-39.", "1 record has age=30-39."),
        ("The item 'within=3' is not in the data.", "The item 'within=3' is not in the data."),
    ],
)
def test_arguments_become_options(message: str, spelled: str) -> None:
    assert spell(message, OPTIONS) == spelled
