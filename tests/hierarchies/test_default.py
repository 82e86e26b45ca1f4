"""Where a method needs a hierarchy and none is given, the recommended one is built, and a note says so."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal import hierarchies
from shoal.algorithms.aa import AA
from shoal.algorithms.auto import Auto
from shoal.algorithms.base import Algorithm
from shoal.data.hierarchy import NO_HIERARCHY
from shoal.data.reading_notes import HierarchyBuilt
from shoal.hierarchies.default import NAME, build_default, was_built
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.job import Job
from shoal.models.base import PrivacyModel
from shoal.models.km import Km
from shoal.models.lm import Lm
from shoal.report.wording import worded
from tests.conftest import Shell

ROWS = [["a", "b", "c"], ["a", "b", "d"], ["a", "c", "e", "f"], ["a", "b", "g"], ["b", "c", "g"], ["a", "e", "f"]]


def job(folder: Path, algorithm: Algorithm, model: PrivacyModel) -> Job:
    (folder / "in.basket").write_text("".join(",".join(row) + "\n" for row in ROWS), encoding="utf-8")
    spec = DatasetSpec(file=str(folder / "in.basket"))
    return Job(data=spec, output=folder / "out.basket", model=model, algorithm=algorithm)


def test_it_is_the_one_that_hierarchy_build_writes(tmp_path: Path) -> None:
    release = job(tmp_path, AA(), Km(k=2, m=2)).run().release
    built = hierarchies.build(shoal.read(tmp_path / "in.basket"))
    assert release.problem.hierarchy.parents_by_label() == built.parents_by_label()
    assert release.provenance["hierarchy"]["name"] == NAME
    assert HierarchyBuilt(7, len(built) - 7, 5) in release.note_values
    said = next(worded(note) for note in release.note_values if isinstance(note, HierarchyBuilt))
    assert "shoal hierarchy build DATA -o hierarchy.csv" in said
    assert (tmp_path / "out.codebook.csv").exists()  # no other file tells what the labels mean


def test_auto_goes_on_without_one(tmp_path: Path) -> None:
    release = job(tmp_path, Auto(), Km(k=2, m=2)).run().release
    assert not was_built(release.problem.data)
    assert release.provenance["hierarchy"]["name"] == NO_HIERARCHY


def test_sensitive_items_stand_in_no_group(tmp_path: Path) -> None:
    model = Lm(l=2, m=1, sensitive=("g",))
    release = job(tmp_path, AA(), model).run().release
    assert was_built(release.problem.data)
    assert "g" not in release.problem.hierarchy.code_of
    assert not any("g" in label for label in release.problem.hierarchy.labels if " or " in label)


def test_counted_items_stand_below_their_items() -> None:
    data = shoal.read([["a", "a", "b"], ["a", "c"], ["b", "b"]], multiset=True)
    tree = build_default(data, multiset=True)[1]
    assert tree.parents_by_label()["a*2"] == "a"
    assert set(tree.items) == {"a*1", "a*2", "b*1", "b*2", "c*1"}


def test_several_columns_of_sets_get_one(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("x,y\na b,p\na c,p q\nb c,q\na b,p q\n", encoding="utf-8")
    spec = DatasetSpec(file=str(tmp_path / "in.csv"), reading=ReadOptions(sets=("x", "y"), item_delimiter=" "))
    problem = spec.problem(Km(k=2, m=2), shoal.metrics.NCP(), build_hierarchy=True)
    assert was_built(problem.data)
    assert problem.hierarchy.labels[-1] == "x+y"


def test_nothing_is_built_if_nothing_can_be() -> None:
    data = shoal.read([["a"], ["a"]])
    assert build_default(data, ["a"])[0] is data


@pytest.mark.parametrize("method", ["aa", "optimal"])
def test_clusters_that_use_a_hierarchy_get_one(shell: Shell, method: str) -> None:
    shell.write("t.csv", "age,items\n30,a b\n31,a c\n40,a b\n41,b c\n")
    words = ("anonymize", "t.csv", "-o", "o.csv", "--model", "k-km", "--k", "2", "--sets", "items", "--within", method)
    code, _, err = shell(*words)
    assert code == 0, err
    assert "so one was built" in err
