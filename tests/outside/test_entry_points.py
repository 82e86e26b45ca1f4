"""Covers: discovery.py, io/detect.py. A new model, method, recoding, measure or format is one file, from outside too.

A distribution that only announces the toys of this folder is put on the path of a new process, which anonymizes,
verifies, measures and reports with them by the command line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoal import discovery
from shoal.errors import OptionError
from tests.processes import SHELL

ANNOUNCED = """
[shoal.models]
toy-model = tests.outside.toy_model:NoRareLabel
[shoal.algorithms]
toy-method = tests.outside.toy_method:DropRare
[shoal.metrics]
toy-measure = tests.outside.toy_measure:Untouched
[shoal.io]
toy-format = tests.outside.toy_format:Tilde
"""
COMMANDS = """\
anonymize data.toy -o out.toy --model toy-model --k 2 --report report.json --report report.md --report report.html
verify out.toy --model toy-model --k 2
verify data.toy --model toy-model --k 2
measure data.toy out.toy
algorithms
"""


def install(folder: Path, entry_points: str) -> None:
    """A distribution without code of its own."""
    (folder / "toys-1.dist-info").mkdir()
    (folder / "toys-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1\n")
    (folder / "toys-1.dist-info" / "entry_points.txt").write_text(entry_points)


def test_parts_from_outside(tmp_path: Path) -> None:
    install(tmp_path, ANNOUNCED)
    (tmp_path / "data.toy").write_text("a~b\na~b\nb~c\n")
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    done = subprocess.run(
        [sys.executable, "-c", SHELL],
        input=COMMANDS,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "200"},
        check=True,
    )
    out = done.stdout.split("exit ")
    assert [part[0] for part in out[1:]] == ["0", "0", "1", "0", "0"], done.stderr
    assert (tmp_path / "out.toy").read_text() == "a~b\na~b\nb\n"
    assert "Every published label is in at least 2 records." in out[0]
    assert "Holds." in out[1]
    assert "1 single known item leaves too few records" in out[2]
    assert "0.666667" in out[3]
    assert "toy-method" in out[4]
    facts = json.loads((tmp_path / "report.json").read_text())
    assert facts["recoding"] == {"kind": "toy recoding", "suppressed_labels": 1}
    assert facts["losses"]["toy_untouched"] == pytest.approx(2 / 3)
    for name in ("report.md", "report.html"):
        text = (tmp_path / name).read_text()
        assert "The items were recoded (toy recoding)." in text
        assert "Toy measure" in text
        assert "Toy suppression" in text


def test_nothing_of_ours_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "[shoal.io]\ncsv = tests.outside.toy_format:Tilde\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(OptionError, match="has the name of a part of Shoal"):
        discovery.announced("shoal.io", ["csv"])


def test_an_entry_point_has_the_name_of_its_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "[shoal.metrics]\nshare = tests.outside.toy_measure:Untouched\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(OptionError, match="share leads to Untouched, whose name is 'toy-measure': both"):
        discovery.announced("shoal.metrics", [])


def test_an_entry_point_of_a_format_has_its_format_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "[shoal.io]\ntilde = tests.outside.toy_format:Tilde\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(OptionError, match="Tilde, whose format is 'toy-format'"):
        discovery.announced("shoal.io", [])
