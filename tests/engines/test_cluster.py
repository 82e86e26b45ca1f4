"""What is refused before a cluster is asked for anything. (tests/cluster has the rest.)"""

from __future__ import annotations

import sys

import pytest

import shoal
from shoal.engines import Engine
from shoal.engines.cluster import Cluster, cluster_of, task_error
from tests.conftest import Shell


def test_without_dask_the_error_names_the_extra(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.write("in.dat", "1 2\n1 2\n")
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _, err = shell("anonymize", "in.dat", "-o", "out.dat", "--engine", "dask")
    assert code == 2
    assert "pip install 'shoal[dask]'" in err
    assert not (shell.folder / "out.dat").exists()


@pytest.mark.parametrize("words", [["--cluster", "tls://a:1"], ["--insecure-cluster"]])
def test_options_of_a_cluster_need_its_engine(shell: Shell, words: list[str]) -> None:
    shell.write("in.dat", "1 2\n1 2\n")
    code, _, err = shell("anonymize", "in.dat", "-o", "out.dat", *words)
    assert code == 2
    assert f"{words[0]} is for a cluster: pass --engine dask too" in err


def test_engines_that_are_no_cluster() -> None:
    assert cluster_of(Engine()) is None
    assert cluster_of(None) is None
    assert cluster_of(Cluster("tls://a:1")) == Cluster("tls://a:1")


def test_tasks_that_the_scheduler_gives_up() -> None:
    class KilledWorker(Exception):
        pass

    assert isinstance(task_error(KilledWorker()), shoal.errors.ClusterError)
    assert "memory" in str(task_error(KilledWorker()))
    assert "ValueError" in str(task_error(ValueError("SECRET")))
    assert "SECRET" not in str(task_error(ValueError("SECRET")))
