"""What is verified is what a reader of the written file gets, whatever labels are called.

Covers: release/clashes.py.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.data import Hierarchy
from shoal.errors import Infeasible, InputError, OutputError
from shoal.models.base import PrivacyModel
from tests import oracles
from tests.conftest import Shell

TEXTS = ["x", "y", "z", "foo", "HIV", "A.x", "A.foo", "A.HIV", "B.x", "A+B", "(x,y)", "(A.x,B.x)", "x*2", " x", "*"]
GROUPS = [*TEXTS, "A.x | y", "A.(x,y)", "(A.x,A.y)", "(B.x,B.y)", "A.A+B", "A.", "A. ", " ", "B.foo", "B.HIV", "x, y"]
SECRET = ["HIV", "A.HIV", "(x,y)", "(A.x,B.x)", "A.A.HIV", "A.x"]
WAYS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("km", {"k": 2, "m": 2}, ["aa", "lra", "mhghs"]),
    ("km-negative", {"k": 2, "m": 1}, ["aa"]),
    ("lm", {"l": 2, "m": 1}, ["aa", "lra"]),
    ("hkp", {"h": 0.5, "k": 2, "p": 1}, ["mm"]),
    ("transactional-k", {"k": 2}, ["partition", "apx-cover"]),
    ("sensitive-k", {"k": 2}, ["stn", "gsc"]),
    ("privacy-degree", {"p": 2}, ["graysort"]),
    ("k-km", {"k": 2, "m": 1}, ["rfirst", "tmerge-r"]),
    ("k-lm", {"k": 2, "l": 2, "m": 1}, ["rmerge-r"]),
]


def trees(items: list[str], groups: list[str]) -> Hierarchy:
    """The items in pairs below groups, and those below the last name."""
    *names, root = dict.fromkeys(group for group in groups if group not in items)
    above = {item: names[at // 2] if at // 2 < len(names) else root for at, item in enumerate(items)}
    return Hierarchy.from_parents({**above, **dict.fromkeys(set(above.values()) - {root}, root), root: None})


@st.composite
def releases(draw: st.DrawFn) -> tuple[shoal.Release, str] | None:
    """Random data, with labels that look like others, and what became of them; none: refused."""
    columns = draw(st.sampled_from([["A"], ["A", "B"], ["A", "B", "C"]]))
    name, options, methods = draw(st.sampled_from(WAYS))
    model = discovery.get("shoal.models", PrivacyModel, name)
    texts = draw(st.lists(st.sampled_from(TEXTS), min_size=2, max_size=4, unique=True))
    rows = draw(st.integers(2, 10))
    cells = st.lists(st.lists(st.sampled_from(texts), max_size=3, unique=True), min_size=rows, max_size=rows)
    sets = {column: draw(cells) for column in columns}
    table = pa.table(
        {"age": [str(at // 3) for at in range(rows)]}
        | {column: pa.array(some, pa.list_(pa.string())) for column, some in sets.items()}
    )
    try:
        data = shoal.read(table, sets=columns if len(columns) > 1 else "A", multiset=draw(st.booleans()))
        if "sensitive" in {option.name for option in model.options()}:
            options = {**options, "sensitive": (draw(st.sampled_from([*SECRET, *data.transactions.labels])),)}
        items = sorted({*data.transactions.labels, *draw(st.sets(st.sampled_from(TEXTS), max_size=1))})
        names = st.sampled_from(GROUPS) | st.sampled_from(texts)  # a group is often called like an item of a column
        tree = trees(items, [*draw(st.lists(names, min_size=1, max_size=4)), "root"])
        method = discovery.get("shoal.algorithms", Algorithm, draw(st.sampled_from(methods)))
        siblings = {"siblings": "label"} if "siblings" in {one.name for one in method.options()} else {}
        problem = shoal.Problem(data, tree, model(**options), allow_missing=draw(st.booleans()))
        release = shoal.anonymize(problem, algorithm=method(**(siblings if draw(st.booleans()) else {})))
    except (InputError, Infeasible):
        return None
    return release, draw(st.sampled_from(["csv", "jsonl", "parquet", "basket", "dat"]))


def oracle(model: Any, known: oracles.Rows, hidden: oracles.Rows) -> bool:
    """Whether the guarantee holds, by brute force; for models without such an oracle: yes."""
    if model.name == "km":
        return oracles.is_km_anonymous(known, model.k, model.m)
    if model.name == "km-negative":
        return not oracles.rare_facts(known, model.k, model.m)
    return model.name != "lm" or not oracles.disclosures(known, hidden, model.l, model.m)


@given(made=releases())
@settings(max_examples=250, deadline=None)
def test_what_was_verified_is_what_is_read(made: tuple[shoal.Release, str] | None) -> None:
    if made is None:
        return
    release, format = made
    model = release.problem.model
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, f"x.{format}")
        try:
            release = release.save(path, codebook=False)
        except (InputError, OutputError):  # this format cannot hold the columns, or a label
            path = path.with_suffix(".jsonl")
            release = release.save(path, codebook=False)
        data = shoal.read(path, **release.provenance["output"]["read_options"])
        assert model.verify(model.as_published(shoal.read(**_kind(release)))).holds
    seen = model.as_published(data)
    assert model.verify(seen).holds
    hidden = [] if seen.sensitive is None else seen.sensitive.values.sets()
    assert oracle(model, seen.rows.sets(), hidden)
    was, now = release.published.as_written, data.transactions
    for row, read in zip(was.sets(), now.sets(), strict=True):
        assert len(row) == len(read), "labels were merged or lost"
    assert len(was.in_use().labels) == len(now.labels)


def _kind(release: shoal.Release) -> dict[str, Any]:
    """The published object in memory, and how it is read."""
    columns = release.problem.data.origin.set_columns
    return {"source": release.data, "sets": columns if len(columns) > 1 else columns[0]}


CLASH = "A,B\nx,p\ny,p\ny,p\nfoo,p\nfoo,p\nfoo,p\n,p\n"
TREE = "A.x;foo;*\nA.y;foo;*\nA.foo;A.foo;*\nB.p;B.p;*\n"
TWO = ("--sets", "A,B", "--item-delimiter", "|", "--hierarchy", "h.csv")


@pytest.mark.parametrize(
    "model",
    [
        ("km-negative", "--k", "2", "--m", "1"),
        ("lm", "--l", "2", "--m", "1", "--sensitive", "A.x"),
        ("km", "--k", "2"),
        ("transactional-k", "--k", "2"),
    ],
)
def test_labels_that_would_be_merged_are_refused(shell: Shell, model: tuple[str, ...]) -> None:
    shell.write("d.csv", CLASH)
    shell.write("h.csv", TREE)
    error = shell.fails("anonymize", "d.csv", "-o", "o.csv", *TWO, "--model", *model)
    assert "'foo' of the hierarchy h.csv has no tag of a column such as 'A.'" in error
    assert "would mistake it for 'A.foo', which is another label: rename one of them, or give it a tag." in error


def test_a_group_that_would_be_read_as_a_sensitive_item_is_refused(shell: Shell) -> None:
    shell.write("d.csv", "A,B\nx|HIV,p\ny,p\nx,p\ny,p\n")
    shell.write("h.csv", "A.x;HIV;*\nA.y;HIV;*\nB.p;B.p;*\n")
    model = ("--model", "lm", "--l", "2", "--m", "1", "--sensitive", "A.HIV")
    assert "take it for 'A.HIV'" in shell.fails("anonymize", "d.csv", "-o", "o.csv", *TWO, *model)


def test_a_blank_group_is_refused(shell: Shell) -> None:
    shell.write("h.csv", "a1; ;ALL\na2; ;ALL\nb1;B;ALL\nb2;B;ALL\n")
    error = shell.fails("anonymize", "in.basket", "-o", "o.basket", "--hierarchy", "h.csv", "--k", "2")
    assert "' ' of the hierarchy h.csv would be published as blank" in error


def test_a_method_that_publishes_no_groups_is_not_stopped_by_their_names(shell: Shell) -> None:
    shell.write("d.csv", "A,B\n*|HIV,p\n*|HIV,p\n")
    model = ("--model", "sensitive-k", "--k", "2", "--sensitive", "A.HIV")
    assert shell("anonymize", "d.csv", "-o", "o.csv", *TWO[:-2], *model)[0] == 0


def test_an_item_called_like_the_label_for_all_columns_is_refused() -> None:
    data = shoal.read(pa.table({"A": [["A+B"], ["x"]], "B": [["y"], ["y"]]}), sets=("A", "B"))
    problem = shoal.Problem(data, Hierarchy.flat(data.transactions.labels), shoal.Km(k=2, m=1))
    with pytest.raises(InputError, match=r"The item 'A\+B' in column 'A' .* the label for all items of these columns"):
        shoal.anonymize(problem, algorithm=shoal.algorithms.AA())
