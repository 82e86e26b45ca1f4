"""The second verifier says what `shoal verify` says: on releases, damaged releases and random tables, in every format.

Covers: verifier/shoal_check.py.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import discovery, io
from shoal.data.dataset import Dataset
from shoal.data.transactions import Transactions
from shoal.errors import DataError, Infeasible, OptionError
from shoal.models.base import PrivacyModel
from shoal.testing import models, problems
from tests.budget import PROFILE, examples
from tests.verifier.checker import compact, run, statement

MODELS = {one.name: one for one in discovery.find("shoal.models", PrivacyModel).values()}
CHECKED = ("km", "lm", "k", "k-km", "k-lm", "transactional-k")
OF_COLUMNS = ("k", "k-km", "k-lm")
HARMLESS = ["a", "b", "c", "d*1", "d*2", "e e", "HIV", "HIV*2"]
ODD = [
    "a",
    "b,c",
    'd"e',
    "=f",
    "-1",
    "'=g",
    "h|i",
    "Käse",
    "\u00a0j",
    "k\u2028l",
    " m",
    "HIV",
    "HIV*2",
    "n;o",
    "line\nend",
]
SHAPES = [
    *(("wide", name) for name in ("fimi", "basket", "csv", "tsv", "jsonl")),
    *(("long", name) for name in ("csv", "tsv", "jsonl")),
    *(("several", name) for name in ("csv", "jsonl")),
    *(("none", name) for name in ("csv", "tsv", "jsonl")),
]
AGREED: Counter[tuple[str, ...]] = Counter()


@pytest.fixture(scope="module", autouse=True)
def tell() -> Any:
    """Write how many cases agreed, if many were tried (``-s`` shows it)."""
    yield
    if PROFILE == "fuzz":
        sys.stdout.write("\n".join(map(str, [f"{AGREED.total():,} cases agreed", *sorted(AGREED.items()), ""])))


def shoal_says(path: Path, model: PrivacyModel, **options: Any) -> int:
    """The exit code of `shoal verify`."""
    try:
        return 0 if shoal.verify(path, model, **options).holds else 1
    except (DataError, OptionError):
        return 2


def compare(
    path: Path,
    model: PrivacyModel,
    reading: dict[str, Any],
    quasi_identifiers: list[str],
    persons: Path | None,
    records: int,
    kind: str,
) -> int:
    """Both verifiers must say the same about a file. Return what they say."""
    known = {"quasi_identifiers": quasi_identifiers} if quasi_identifiers else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = shoal_says(path, model, persons=persons, **known, **reading)
    certificate = path.with_name("certificate.json")
    document = statement([path], model.name, model.values(), reading, records, quasi_identifiers=quasi_identifiers)
    certificate.write_bytes(compact(document))
    code, text = run(path, "--certificate", certificate, *(() if persons is None else ("--persons", persons)))
    assert code == wanted, (text, model, reading, path.read_bytes() if path.suffix != ".gz" else path)
    AGREED[kind, model.name, "persons" if persons else "records", str(code)] += 1
    return code


def table(draw: random.Random, shape: str, labels: list[str]) -> tuple[pa.Table, list[str] | None]:
    """A random table with equal and with different records, and the ids of its persons."""
    few = draw.randint(1, 6)
    sets = [[draw.sample(labels, draw.randint(0, min(4, len(labels)))) for _ in range(few)] for _ in range(2)]
    ages = [draw.choice(["1", "[1:2]", "", "007"]) for _ in range(few)]
    ills = [draw.choice(["flu", " HIV", "cold", ""]) for _ in range(few)]
    rows = [row for row in range(few) for _ in range(draw.choice([1, 2, 2, 3, 4]))]
    draw.shuffle(rows)
    columns: dict[str, Any] = {}
    if shape != "none":
        columns["items"] = pa.array([sets[0][row] for row in rows], pa.list_(pa.string()))
    if shape == "several":
        columns["drugs"] = pa.array([sets[1][row] for row in rows], pa.list_(pa.string()))
    columns["age"] = [ages[row] for row in rows]
    columns["ill"] = [draw.choice(ills) for _ in rows]
    people = draw.randint(1, len(rows) + 2)
    persons = [f"p{draw.randrange(people)}" for _ in rows] if draw.random() < 0.5 else None
    return pa.table(columns), persons


def model_for(draw: random.Random, name: str, present: list[str], ills: list[str]) -> PrivacyModel:
    """A random model, which mostly fits the data."""
    options: dict[str, Any] = {"k": draw.choice([2, 2, 3, 4]), "l": draw.choice([2, 2, 3]), "m": draw.randint(1, 4)}
    if name in ("km", "k-km") and draw.random() < 0.2:
        options["m"] = "all"
    sensitive = draw.sample(present, min(len(present), draw.randint(0, 2)))
    columns = ("ill",) if ills and draw.random() < 0.4 else ()
    if columns and draw.random() < 0.5:
        sensitive += [f"ill={draw.choice(ills).strip()}"]
    if draw.random() < 0.05:
        sensitive += ["misspelt"]
    if not sensitive and not columns:
        sensitive = ["HIV"]
    options |= {"sensitive": tuple(dict.fromkeys(sensitive)), "sensitive_column": columns}
    cls = MODELS[name]
    return cls(**{option.name: options[option.name] for option in cls.options()})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("published")


@examples(900)
@given(seed=st.integers(0, 2**32 - 1))
def test_it_says_what_shoal_says_about_random_tables(seed: int, folder: Path) -> None:
    draw = random.Random(seed)
    shape, form = draw.choice(SHAPES)
    labels = draw.sample(HARMLESS if draw.random() < 0.5 or form == "fimi" else ODD, 5)
    data, persons = table(draw, shape, labels)
    only_sets = form in ("fimi", "basket")
    data = data.select(["items"]) if only_sets else data
    sets = ("items", "drugs") if shape == "several" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = shoal.read(data, no_sets=True) if shape == "none" else shoal.read(data, sets=sets)
        path = folder / f"public.{form}{draw.choice(['', '', '.gz'])}"
        layout: dict[str, Any] = {"format": form}
        if shape == "long":
            layout["layout"] = "long"
        if form in ("csv", "tsv") and draw.random() < 0.5:
            layout["escape_formulas"] = True
        try:
            io.write(dataset, path, **layout)
        except DataError:  # a label that the format cannot hold
            return
        reading = io.options_to_read(dataset, path, **layout)
    used = list(dataset.transactions.used_labels)
    ills = [] if only_sets else [text for text in data["ill"].to_pylist() if text.strip()] or ["flu"]
    names = ("k",) if shape == "none" else ("km", "transactional-k", "lm") if only_sets else CHECKED
    model = model_for(draw, draw.choice(names), used, ills)
    known = draw.sample(["age", "ill"], draw.randint(1, 2)) if model.name in OF_COLUMNS else []
    file = None
    if persons is not None:
        file = folder / "persons.txt"
        file.write_text("".join(f"{one}\n" for one in persons), encoding="utf-8")
    compare(path, model, reading, known, file, len(data), f"random {shape} {form}")


QUICK = {
    "km": "aa",
    "lm": "aa",
    "k": "cluster",
    "k-km": "rmerge-rt",
    "k-lm": "rmerge-rt",
    "transactional-k": "partition",
}


def damaged(dataset: Dataset, draw: random.Random) -> Dataset:
    """The data with one label of one record removed or added."""
    rows = [set(row) for row in dataset.transactions.sets()]
    row = draw.choice(rows)
    labels = dataset.transactions.used_labels
    if row and draw.random() < 0.7:
        row.remove(draw.choice(sorted(row)))
    else:
        row.add(draw.choice([*labels, "new"]))
    return dataset.with_transactions(Transactions.from_sets(rows))


@pytest.mark.parametrize("name", CHECKED)
@examples(90)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_it_says_what_shoal_says_about_releases(name: str, data: st.DataObject, seed: int, folder: Path) -> None:
    draw = random.Random(seed)
    problem = data.draw(problems(models(MODELS[name])))
    try:
        release = shoal.anonymize(problem, algorithm=QUICK[name])
    except Infeasible:
        return
    table = release.dataset.table
    known = [] if table is None else list(table.names)
    forms = ["csv", "tsv", "jsonl"] if known else ["fimi", "basket", "csv", "tsv", "jsonl"]
    layout: dict[str, Any] = {"format": draw.choice(forms)}
    if layout["format"] not in ("fimi", "basket") and draw.random() < 0.4:
        layout["layout"] = "long"
    path, people = folder / f"release.{layout['format']}", folder / "release.persons.txt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        persons = None if release.problem.persons is None else people
        saved = release.save(path, codebook=False, persons=persons, **layout)
        reading = saved.provenance["output"]["read_options"]
        model = release.problem.model
        assert compare(path, model, reading, known, persons, len(release.dataset), "release") in (0, 2)
        read = shoal.read(path, **reading)
        for _ in range(3):
            changed = damaged(read, draw)
            io.write(changed, path, **layout)
            reading = io.options_to_read(changed, path, **layout)
            compare(path, model, reading, known, persons, len(changed), "damaged release")


def test_it_checks_a_release_of_groceries_in_seconds(real_data: Path, folder: Path) -> None:
    raw, tree = real_data / "groceries" / "transactions.basket", real_data / "groceries" / "hierarchy.csv"
    path, model = folder / "groceries.basket", shoal.Km(k=5, m=3)
    release = shoal.anonymize(raw, model, hierarchy=tree, algorithm="aa")
    reading = release.save(path, codebook=False).provenance["output"]["read_options"]
    assert compare(path, model, reading, [], None, 9835, "groceries") == 0
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[77] = "rare"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert compare(path, model, reading, [], None, 9835, "groceries") == 1
