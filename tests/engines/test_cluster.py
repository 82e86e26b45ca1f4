"""What is refused before a cluster is asked for anything. (tests/cluster has the rest.)"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import pytest

import shoal
from shoal.engines import Engine
from shoal.engines import cluster as module
from shoal.engines.cluster import Cluster, check_address, cluster_of, task_error
from shoal.errors import ClusterError, OptionError
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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--dry-run"], "--dry-run reads the data and tries samples on this machine"),
        (["--cluster", "tcp://127.0.0.1:9", "--workers", "2"], "--workers is for a cluster on this machine"),
        (["--insecure-cluster"], "named by --cluster: leave it out"),
    ],
)
def test_options_that_contradict_each_other(shell: Shell, words: list[str], message: str) -> None:
    pytest.importorskip("distributed", reason="needs pip install 'shoal[dask]'")
    shell.write("in.dat", "1 2\n1 2\n")
    code, _, err = shell("anonymize", "in.dat", "-o", "out.dat", "--engine", "dask", *words)
    assert code == 2
    assert message in err


def test_tls_needs_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without them, nothing is asked."""
    library = pytest.importorskip("distributed", reason="needs pip install 'shoal[dask]'")
    monkeypatch.setattr(library, "Client", None)
    with pytest.raises(ClusterError, match="names no certificates"), Cluster("tls://127.0.0.1:9").connect():
        pass


@pytest.mark.parametrize("engine", ["dask", 5])
def test_what_is_no_engine(engine: Any) -> None:
    with pytest.raises(OptionError, match=r"engine= must be .* client = distributed.Client\(\)"):
        shoal.anonymize([{"a"}, {"a"}], k=2, m=1, engine=engine)


def test_a_client_that_was_closed() -> None:
    class Closed:
        status = "closed"

    with pytest.raises(ClusterError, match="The client is closed"):
        module._check(Closed())


def test_the_options_that_name_a_cluster() -> None:
    assert Cluster().words == ("--engine", "dask")
    assert Cluster("tcp://a:1", insecure=True).words[2:] == ("--cluster", "tcp://a:1", "--insecure-cluster")


def test_engines_that_are_no_cluster() -> None:
    assert cluster_of(Engine()) is None
    assert cluster_of(None) is None
    assert cluster_of(Cluster("tls://a:1")) == Cluster("tls://a:1")


def test_tasks_that_the_scheduler_gives_up() -> None:
    class KilledWorker(Exception):
        pass

    assert isinstance(task_error(KilledWorker()), ClusterError)
    assert "memory" in str(task_error(KilledWorker()))
    assert "ValueError" in str(task_error(ValueError("SECRET")))
    assert "SECRET" not in str(task_error(ValueError("SECRET")))


@pytest.mark.parametrize("address", ["tcp://10.1.2.3:8786", "tcp://example.org:8786", "tcp://[fe80::1]:8786"])
def test_other_machines_need_tls(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is sent there before."""
    library = pytest.importorskip("distributed", reason="needs pip install 'shoal[dask]'")
    monkeypatch.setattr(library, "Client", None)
    with pytest.raises(OptionError, match="plain text"), Cluster(address).connect():
        pass
    check_address(address, insecure=True)
    check_address(address.replace("tcp", "tls"), insecure=False)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tcp://localhost:8786", "tcp://[::1]:8786"])
def test_this_machine_needs_no_tls(address: str) -> None:
    check_address(address, insecure=False)


@pytest.mark.parametrize("address", ["127.0.0.1:8786", "http://127.0.0.1:8786", "tcp://127.0.0.1", "tls://:1", "x"])
@pytest.mark.parametrize("insecure", [False, True])
def test_addresses_that_are_none(address: str, insecure: bool) -> None:
    with pytest.raises(OptionError, match="must be an address"):
        check_address(address, insecure=insecure)


def test_workers_without_shoal_or_with_another_version() -> None:
    class Told:
        def __init__(self, found: dict[str, Any]) -> None:
            self.found = found

        status = "running"

        def nthreads(self) -> dict[str, int]:
            return {"tcp://w:1": 1}

        def get_versions(self, packages: Sequence[str]) -> dict[str, Any]:
            return self.found

    own = {"packages": {"shoal": "1.0", "distributed": "2026.8.0", "python": "3.11.7.final.0"}}
    for package, version, message in (
        ("shoal", None, "has no Shoal: install"),
        ("shoal", "0.1", "has shoal 0.1"),
        ("distributed", "2020.1", "has distributed 2020.1"),
        ("python", "3.13.0.final.0", "has python 3.13"),
    ):
        other = {"packages": {**own["packages"], package: version}}
        for found in (
            {"client": own, "scheduler": own, "workers": {"tcp://w:1": other}},
            {"client": own, "scheduler": other, "workers": {"tcp://w:1": own}},
        ):
            with pytest.raises(ClusterError, match=message):
                module._check(Told(found))
    fine = {"packages": {**own["packages"], "python": "3.11.2.final.0"}}
    module._check(Told({"client": own, "scheduler": fine, "workers": {"tcp://w:1": fine}}))
