"""How the workbench builds a hierarchy.

Covers: web/tasks/hierarchy_change.py
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("starlette")

from shoal import hierarchies
from shoal.errors import InputError
from shoal.web.tasks import hierarchy_change
from shoal.web.worker import Session


def test_codes_without_separators_are_grouped_by_what_they_begin_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trees").mkdir()
    (tmp_path / "codes.basket").write_text("10307,10311,12487\n18715,10307\n10311,18715\n")
    how = {"kind": "build", "by": "prefix", "fanout": 5, "seed": 0, "lengths": []}
    data = {"file": "codes.basket", "format": "basket"}
    made = hierarchy_change.make(Session(), data, "items", {"file": "", "levels": ""}, "trees", how)
    parents = hierarchies.load(made["file"]).parents_by_label()
    assert parents == {"10307": "103*", "10311": "103*", "12487": "*", "18715": "*", "103*": "*", "*": None}
    (tmp_path / "codes.basket").write_text("a,b\nc,d\ne,f\n")
    with pytest.raises(InputError, match="nothing to group by"):
        hierarchy_change.make(Session(), data, "items", {"file": "", "levels": ""}, "trees", how)
