"""A cluster for all tests that do not harm it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.processes import Processes, cluster

pytest.importorskip("distributed", reason="needs pip install 'shoal[dask]'")


def keep_small_data_spread() -> None:
    """Let small data take the way of large data."""
    from shoal.io import spread

    spread.SMALL = 0


@pytest.fixture(scope="session")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    with cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="session")
def client(processes: Processes) -> Iterator[Any]:
    from distributed import Client

    with Client(processes.address, timeout=30, set_as_default=False) as connected:
        connected.wait_for_workers(2, timeout=60)
        connected.run(keep_small_data_spread)
        yield connected


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder
