"""From Python: a Dask DataFrame in and out, a client as the engine, and what is refused.

Covers: jobs/cluster_release.py io/dask_frames.py.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import shoal
from shoal.errors import ClusterError, DataError, OptionError
from shoal.jobs.cluster_release import ClusterRelease

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]
dd = pytest.importorskip("dask.dataframe")

FRAME = pd.DataFrame(
    {
        "age": [20 + at % 7 for at in range(60)],
        "items": [["milk", "rye"] if at % 3 else ["milk", f"i{at % 5}"] for at in range(60)],
        "who": [f"p{at % 20}" for at in range(60)],
    }
)


def partitions(frame: pd.DataFrame, *ends: int) -> Any:
    """A Dask DataFrame with partitions of any size."""
    import dask

    parts = [frame.iloc[start:stop] for start, stop in zip((0, *ends), (*ends, len(frame)), strict=True)]
    with dask.config.set({"dataframe.convert-string": False}):  # lists would become texts
        return dd.from_delayed([dask.delayed(part) for part in parts], meta=frame.iloc[:0], verify_meta=False)


def fetched(release: Any, client: Any) -> Any:
    return release.data.compute(scheduler=client.get)


@pytest.mark.parametrize("ends", [(), (30,), (7, 7, 50)])
def test_a_dask_dataframe_comes_back(client: Any, ends: tuple[int, ...]) -> None:
    given: dict[str, Any] = {"k": 3, "m": 2, "columns": "none"}
    expected = shoal.anonymize(FRAME, **given)
    release: Any = shoal.anonymize(partitions(FRAME, *ends), engine=client, **given)
    assert isinstance(release, ClusterRelease)
    assert isinstance(release.data, dd.DataFrame)
    assert release.verdict.holds
    assert release.losses == expected.losses
    assert release.notes == expected.notes
    assert release.data.npartitions == len(ends) + 1
    assert release.data.known_divisions
    assert fetched(release, client)["items"].tolist() == expected.data["items"].tolist()
    assert fetched(release, client).index.tolist() == list(range(60))
    assert release.codebook.labels == expected.codebook.labels


def test_columns_and_persons(client: Any) -> None:
    given: dict[str, Any] = {"sets": "items", "person": "who", "quasi_identifiers": ["age"]}
    expected = shoal.anonymize(FRAME, shoal.KKm(k=3, m=1), **given)
    release: Any = shoal.anonymize(partitions(FRAME, 20, 45), shoal.KKm(k=3, m=1), engine=client, **given)
    pd.testing.assert_frame_equal(
        fetched(release, client).reset_index(drop=True), expected.data.reset_index(drop=True), check_dtype=False
    )


def test_the_page(client: Any, tmp_path: Path) -> None:
    """What docs/how-to/cluster.md does: from parquet to parquet, with columns in their order."""
    frame = FRAME[["items", "age"]]
    (tmp_path / "orders").mkdir()
    for at in range(3):
        frame.iloc[at * 20 : at * 20 + 20].to_parquet(tmp_path / "orders" / f"{at}.parquet", index=False)
    given: dict[str, Any] = {"k": 3, "m": 2, "sets": "items"}
    expected = shoal.anonymize(frame, **given)
    with client.as_current():
        orders = dd.read_parquet(tmp_path / "orders")
        release: Any = shoal.anonymize(orders, engine=client, **given)
        release.data.to_parquet(tmp_path / "public", schema=None)
    assert release.data.columns.tolist() == expected.data.columns.tolist() == ["items", "age"]
    found = pd.read_parquet(tmp_path / "public")
    assert [list(row) for row in found["items"]] == expected.data["items"].tolist()
    assert found["age"].tolist() == frame["age"].tolist()


@pytest.mark.parametrize("ends", [(), (31,), (10, 45)])
def test_order_lines(client: Any, ends: tuple[int, ...]) -> None:
    """They come back as lines. Records are numbered through all partitions."""
    lines = pd.DataFrame({"basket": [at // 3 for at in range(60)], "product": [f"i{at % 4}" for at in range(60)]})
    given: dict[str, Any] = {"k": 3, "m": 2, "id_column": "basket", "item_column": "product"}
    expected = shoal.anonymize(lines, **given)
    release: Any = shoal.anonymize(partitions(lines, *ends), engine=client, **given)
    assert release.data.npartitions == len(ends) + 1
    pd.testing.assert_frame_equal(fetched(release, client), expected.data, check_dtype=False, check_index_type=False)


def test_partitions_of_other_types_are_read_in_one_place(client: Any) -> None:
    parts = FRAME.assign(age=FRAME["age"].astype(object))
    parts.loc[:29, "age"] = "young"
    release: Any = shoal.anonymize(partitions(parts, 30), engine=client, k=3, m=2, columns="none")
    assert (
        fetched(release, client)["items"].tolist()
        == shoal.anonymize(FRAME, k=3, m=2, columns="none").data["items"].tolist()
    )


def test_the_client_that_was_connected_last(client: Any) -> None:
    frame = partitions(FRAME, 30)
    with pytest.raises(OptionError, match="needs a cluster"):
        shoal.anonymize(frame, k=3, m=2, columns="none")
    with client.as_current():
        release: Any = shoal.anonymize(frame, k=3, m=2, columns="none")
    assert release.verdict.holds


def test_a_folder_and_a_problem_file(client: Any, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for at in range(3):
        (folder / f"part-{at}.dat").write_text("1 2\n1 2\n1\n" * 3)
    tree = tmp_path / "tree.csv"
    tree.write_text("1;low;*\n2;low;*\n")
    release: Any = shoal.anonymize(folder, k=2, m=2, hierarchy=tree, engine=client)
    local = shoal.anonymize(folder, k=2, m=2, hierarchy=tree)
    assert fetched(release, client).iloc[:, 0].tolist() == local.data
    text = '[data]\nfile = "data"\n[model]\nk = 2\nm = 2\n[output]\nfile = "public.dat"\nreports = ["report.md"]\n'
    (tmp_path / "problem.toml").write_text(text)
    written: Any = shoal.run(tmp_path / "problem.toml", engine=client)
    assert written.data == tmp_path / "public.dat"
    assert written.verdict.holds
    assert (tmp_path / "public.dat").read_text().splitlines() == ["1 2", "1 2", "1"] * 9
    assert (tmp_path / "report.md").exists()


def test_what_is_refused(client: Any) -> None:
    with pytest.raises(OptionError, match="a DataFrame in this process"):
        shoal.anonymize(FRAME, engine=client)
    with pytest.raises(DataError, match="Dask turns lists into texts"):
        shoal.anonymize(dd.from_pandas(FRAME, npartitions=2), engine=client)
    with pytest.raises(DataError, match="holds no records"):
        shoal.anonymize(partitions(FRAME.iloc[:0]), engine=client)
    with pytest.raises(DataError, match="nothing"):
        shoal.anonymize(partitions(FRAME, 30), engine=client, sets="nothing")


def test_published_partitions_survive_a_lost_worker(tmp_path: Path) -> None:
    import os

    from distributed import Client

    from tests.cluster.processes import cluster

    with cluster(tmp_path) as running, Client(running.address, timeout=30, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        release: Any = shoal.anonymize(partitions(FRAME, 10, 20, 30), engine=client, k=3, m=2, columns="none")
        expected = fetched(release, client)["items"].tolist()
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        assert fetched(release, client)["items"].tolist() == expected


def test_a_dask_dataframe_that_cannot_be_computed(client: Any) -> None:
    def fail(frame: pd.DataFrame) -> pd.DataFrame:
        raise KeyError("age")

    broken = partitions(FRAME, 30).map_partitions(fail, meta=FRAME.iloc[:0])
    with pytest.raises(ClusterError, match=r"\(KeyError\).*can be computed"):
        shoal.anonymize(broken, engine=client)
