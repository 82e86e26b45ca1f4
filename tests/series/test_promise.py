"""What a series accepts keeps the promise for somebody who has all releases, by counting originals.

Covers: series/series.py, series/relations.py.
"""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import ShoalError
from shoal.series import Series
from shoal.series.ids import Secret
from tests.budget import PROFILE

ITEMS = ("a1", "a2", "b1", "b2", "c1", "c2")
ORIGINALS = [frozenset(some) for size in range(len(ITEMS) + 1) for some in combinations(ITEMS, size)]
TREES = [
    shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"], "C": ["c1", "c2"]}}),
    shoal.Hierarchy.from_tree({"ALL": {"X": ["a1", "b1"], "Y": ["a2", "c1"], "Z": ["b2", "c2"]}}),
]
IDS = range(40)


def crowds(series: Series, m: int, persons: dict[int, int] | None) -> list[int]:
    """The crowds of all sets of items that somebody may know, who knows which records are in which releases."""
    secret = Secret.of(series.folder, series.document.secret)
    number = dict(zip(secret.hashed("record", [str(who) for who in IDS]), IDS, strict=True))
    published: list[dict[int, frozenset[str]]] = []
    images: list[dict[frozenset[str], frozenset[str]]] = []
    for one in series.releases:
        label_of = {item: label for label, some in one.recoding.represents.items() for item in some}
        ids = [number[text] for text in one.ids.records or ()]
        published.append(dict(zip(ids, one.source.published.rows.sets(), strict=True)))
        images.append({some: frozenset(label_of[item] for item in some if item in label_of) for some in ORIGINALS})
    found = []
    for presence in {tuple(who in rows for rows in published) for who in IDS} - {(False,) * len(published)}:
        group = [who for who in IDS if tuple(who in rows for rows in published) == presence]
        there = [at for at, inside in enumerate(presence) if inside]
        shown = {item for at in there for some in ORIGINALS for item in some if images[at][frozenset([item])]}
        reach = {
            who: frozenset[str]().union(
                *(some for some in ORIGINALS if all(images[at][some] == published[at][who] for at in there))
            )
            for who in group
        }
        for size in range(m + 1):
            for known in combinations(sorted(shown), size):
                fit = {who if persons is None else persons[who] for who in group if reach[who].issuperset(known)}
                found += [len(fit)] if fit else []
    return found


def data(path: Path, ids: list[int], sets: dict[int, list[str]], persons: dict[int, int] | None) -> Path:
    """Records with ids, and maybe with persons."""
    lines = [f"{who},{'' if persons is None else persons[who]},{'|'.join(sets[who])}" for who in ids]
    path.write_text("\n".join(["id,who,items", *lines, ""]), "utf-8")
    return path


@pytest.mark.filterwarnings("ignore:Items in column 'items' are separated")
@pytest.mark.parametrize("seed", range(12 if PROFILE == "default" else 400))
def test_what_is_accepted_keeps_the_promise(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    k, m, rule = rng.choice([2, 3]), rng.choice([1, 2]), rng.choice(["same-recoding", "new-records"])
    sets = {who: [item for item in ITEMS if rng.random() < 0.4] for who in IDS}
    persons = {who: rng.randint(0, 14) for who in IDS} if rng.random() < 0.4 else None
    algorithm = rng.choice(["optimal", "auto", "mhghs", "optimal-suppress"])
    options: dict[str, Any] = {
        "sets": "items",
        "record_id": "id",
        "item_delimiter": "|",
        "columns": "none",
        "rule": rule,
    }
    options |= {"k": k, "m": m, "algorithm": algorithm, "hierarchy": TREES[0]}
    options |= {} if persons is None else {"person": "who"}
    ids = list(range(rng.randint(6, 14)))
    published = set(ids)
    try:
        series = Series.start(tmp_path / "s", "r0", data(tmp_path / "0.csv", ids, sets, persons), **options)
    except ShoalError:
        return
    for turn in range(1, 4):
        kept = rng.random() < 0.5 and rule == "same-recoding"
        new = rng.sample([who for who in IDS if who not in published], rng.randint(0, 9))
        ids = rng.sample([*(ids if kept else []), *new], len(new) + (len(ids) if kept else 0))
        more: dict[str, Any] = {"hierarchy": rng.choice(TREES)} if rule == "new-records" else {}
        more |= {"hide_new": rng.random() < 0.4} if rule == "same-recoding" else {}
        try:
            series = series.add(f"r{turn}", data(tmp_path / f"{turn}.csv", ids, sets, persons), **more)
        except ShoalError:
            continue
        published |= set(ids)
        assert min(crowds(series, m, persons)) >= k
