"""Rows are counted on the workers that hold them. The lead fetches only those with sensitive values.

Covers: search/listing.py models/set_counting.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import shoal
from shoal.data import Transactions
from shoal.data.spread import HeldPart, Piece, SpreadTransactions
from shoal.engines import Engine
from shoal.engines.dask import DaskEngine
from shoal.engines.shipping import Held
from shoal.jobs.generate import generate
from shoal.models.base import PrivacyModel
from shoal.models.set_counting import count_shares
from shoal.problem import Prepared
from shoal.search import listing, thinning
from tests.cluster.processes import Processes
from tests.kernels.rows import plain

CUTS = (0, 900, 1_000, 2_500, 4_000)
pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]
MODELS: dict[str, PrivacyModel] = {
    "lm": shoal.Lm(l=4, m=2, sensitive=("1", "2")),
    "km-negative": shoal.models.KmNegative(k=60, m=2),
    "hkp": shoal.models.Hkp(h=0.5, k=5, p=3, sensitive=("1", "2")),
}


@pytest.fixture(scope="module")
def lead(processes: Processes) -> Iterator[DaskEngine]:
    """The engine of a lead with two threads. All of them find its client, as on a worker."""
    from distributed import Client

    with Client(processes.address, timeout=30) as client:
        client.wait_for_workers(2, timeout=60)
        yield DaskEngine(workers=2, client=client)


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the ways of large data for small ones, and refuse to gather rows."""

    def refuse(rows: SpreadTransactions) -> Transactions:
        raise AssertionError("rows are gathered")

    monkeypatch.setattr(SpreadTransactions, "gathered", property(refuse))
    for module in (thinning, listing):
        monkeypatch.setattr(module, "LARGE", 0)
        monkeypatch.setattr(module, "PAYS", 0)


def prepared(model: PrivacyModel, *, persons: bool) -> Prepared[PrivacyModel]:
    data = generate("quest", rows=CUTS[-1], items=30, mean_size=5, seed=3)
    if persons:
        data = data.with_transactions(data.transactions.of_persons(np.random.default_rng(1).integers(0, 900, CUTS[-1])))
    return shoal.Problem(data, shoal.hierarchies.balanced(data.transactions.labels, fanout=3), model).prepared


def spread(rows: Transactions, home: DaskEngine) -> Transactions:
    """The same rows on the workers."""
    names = home.client.scheduler_info()["workers"]
    workers = [list(names)[at % len(names)] for at in range(len(CUTS) - 1)]
    pieces = []
    for (start, stop), worker in zip(pairwise(CUTS), workers, strict=True):
        part = Held(HeldPart(rows.part(start, stop), ""))
        pieces.append(Piece(home.submit("reading", lambda own: own, part, worker=worker), "part", "", 0, stop - start))
    return SpreadTransactions._made(home, pieces, rows.labels).of_persons(rows.persons)


@pytest.mark.parametrize(("name", "persons"), [("lm", False), ("lm", True), ("km-negative", False), ("hkp", False)])
def test_violations_are_listed_where_rows_are(lead: DaskEngine, name: str, persons: bool) -> None:
    here = prepared(MODELS[name], persons=persons)
    hidden = here.sensitive_part
    there = replace(
        here,
        items=spread(here.items, lead),
        sensitive_part=hidden and replace(hidden, values=spread(hidden.values, lead)),
    )
    expected, found = listing.list_violations(here, Engine()), listing.list_violations(there, lead)
    assert expected is not None
    assert found is not None
    assert len(expected.units[0][1]) > 10
    assert list(map(plain, found.units)) == list(map(plain, expected.units))


@pytest.mark.parametrize("persons", [False, True], ids=["records", "persons"])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_shares_are_counted_where_rows_are(lead: DaskEngine, m: int, persons: bool) -> None:
    here = prepared(MODELS["lm"], persons=persons)
    rows, values = spread(here.items, lead), spread(here.sensitive, lead)
    for share, least in (((2, 9), 1), ((3, 13), 9)):
        expected = count_shares(here.items, here.sensitive, share, m, Engine(), least=least)
        assert expected[1]
        assert count_shares(rows, values, share, m, lead, least=least) == expected
