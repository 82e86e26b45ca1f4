"""docs/images/rooms.svg shows the imports that there are."""

from __future__ import annotations

import pytest


def test_the_picture_of_rooms_and_arrows_is_drawn_from_the_imports() -> None:
    pytest.importorskip("grimp", reason="comes with import-linter: pip install -e '.[check]'")
    from tests import rooms

    drawn = rooms.PICTURE.read_text(encoding="utf-8")
    assert drawn == rooms.drawing(), "imports changed: look whether you want that, then run python -m tests.rooms"
