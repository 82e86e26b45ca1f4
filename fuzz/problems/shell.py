"""The second door: the command line, run in this process, from file to file."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from fuzz.problems import files, library, truth
from fuzz.problems.case import Case, Failure
from fuzz.problems.definitions import DEFINITIONS
from fuzz.problems.library import Outcome
from fuzz.problems.world import Seen, World
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.models.base import PrivacyModel
from shoal.options import Spec

BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\0"  # ends of lines: no part of what is typed

PERSONS = "persons.txt"  # whose each published record is


def check(world: World, outcome: Outcome) -> list[Failure]:
    """Run the case from file to file; what is written must be what the library gave, and verify as that."""
    case = world.case
    if not files.can_hold(case) or not _can_type(case):
        return []
    folder = Path(tempfile.mkdtemp(prefix="shoal-fuzz-"))
    before = Path.cwd()
    os.chdir(folder)
    try:
        return _check(world, outcome, folder)
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)


def _can_type(case: Case) -> bool:
    """Whether the options of a case can be written on a command line."""
    texts = [text for some in (case.model_options, case.algorithm_options) for text in _texts(some.values())]
    texts += [*case.columns, *case.sets]
    return not any(mark in text for text in texts for mark in BREAKS)


def _texts(values: Any) -> list[str]:
    return [
        text
        for value in values
        if isinstance(value, list | str)
        for text in ([value] if isinstance(value, str) else value)
    ]


def _check(world: World, outcome: Outcome, folder: Path) -> list[Failure]:
    case = world.case
    suffix = files.SUFFIX[str(case.format)]
    source, target = Path(f"in{suffix}"), Path(f"out{suffix}")
    read_as = files.write(case, source)
    words = ["anonymize", str(source), "-o", str(target), *read_as, *words_of(case), "--report", "r.json"]
    words += [] if case.persons is None else ["--persons-out", PERSONS]
    before = {path.name for path in folder.iterdir()}
    code, _, err = run(*words)
    left = {path.name for path in folder.iterdir()} - before
    if code == 2:
        errors = [line for line in err.splitlines() if line.startswith("Error: ")]
        if len(errors) != 1 or left:
            return [Failure("command line: unclear refusal", f"{err[:300]}; files {sorted(left)}")]
        about_persons = "person" in errors[0] and outcome.error is None  # files may hold less than objects in memory
        return [Failure("command line: refused what the library released", errors[0])] if about_persons else []
    if code != 0:
        return [Failure(f"command line: exit {code}: {_place(err)}", f"{err[:400]}")]
    if target.name not in left:
        return [Failure("command line: nothing written", err[:300])]
    report = json.loads(Path("r.json").read_text("utf-8"))
    options = _read_options(report)
    table = files.read(case, target, options)
    sets = {name: table.pop(name) for name in case.sets}
    columns = {name: [None if v is None or v == "" else str(v) for v in values] for name, values in table.items()}
    seen = Seen(library.together(sets), columns, _book(folder))
    people = world.people
    if case.persons is not None:
        people = [int(line) for line in Path(PERSONS).read_text("utf-8").split()]
        failures = _persons(world, seen, people, outcome)
    else:
        failures = _same(world, seen, outcome)
    if outcome.seen is not None and not failures and case.model in DEFINITIONS:
        failures += truth.guarantee(World(replace(case, persons=people)), seen)
    return [Failure(f"command line: {failure.kind}", failure.detail) for failure in failures] or _verify(
        case, target, options
    )


def _persons(world: World, seen: Seen, people: list[int], outcome: Outcome) -> list[Failure]:
    """Nobody is named in the file, the other file tells whose each record is, and both agree with the library."""
    if files.PERSON in seen.columns:
        return [Failure("the person column is published", str(sorted(seen.columns)))]
    if Path(PERSONS).stat().st_mode & 0o077:
        return [Failure("others may read whose the records are", "")]
    if Counter(people) != Counter(world.people):
        return [Failure("other persons than in the data", f"{people} for {world.people}"[:300])]
    if not world.has_repeaters:
        return _same(world, seen, outcome) or ([Failure("persons in another order")] if people != world.people else [])
    if outcome.seen is None:
        return _same(world, seen, outcome)
    if library.is_random(outcome.release.algorithm):
        return []  # numbers of persons may decide between groups of the same loss
    given: dict[tuple[Any, ...], list[int]] = {}  # the rows of the file with the same content, of the same person
    names = [name for name in outcome.seen.columns if name in seen.columns]
    for at, person in enumerate(people):
        given.setdefault((person, *_content(world, seen, names, at)), []).append(at)
    for at, person in enumerate(world.people):
        if not given.get((person, *_content(world, outcome.seen, names, at)), []):
            if world.tagged and world.case.parents is None:
                return []  # the command line has a group for each column
            return [Failure("other records than the library", f"record {at + 1} of person {person}")]
        given[person, *_content(world, outcome.seen, names, at)].pop()
    return []


def _content(world: World, seen: Seen, names: list[str], at: int) -> tuple[Any, ...]:
    """What a record says: the items that its labels stand for, and its values."""
    covers = frozenset(world.cover(label, seen) or frozenset({label}) for label in seen.rows[at])
    return covers, *(seen.columns[name][at] or None for name in names)


def _same(world: World, seen: Seen, outcome: Outcome) -> list[Failure]:
    """What is in the file stands for the same items as what the library gave."""
    if world.tagged and world.case.parents is None:
        return []  # the command line has a group for each column
    if outcome.seen is None:
        return [Failure("released what the library refused", f"{outcome.error!r}"[:300])]
    if len(seen.rows) != len(outcome.seen.rows):
        return [Failure("row count", f"{len(seen.rows)}, not {len(outcome.seen.rows)}")]
    for at, (row, other) in enumerate(zip(seen.rows, outcome.seen.rows, strict=True)):
        mine, theirs = (
            {world.cover(label, one) or frozenset({label}) for label in labels}
            for labels, one in ((row, seen), (other, outcome.seen))
        )
        if mine != theirs:
            return [
                Failure("other labels than the library", f"record {at + 1}: {sorted(row)} and {sorted(other)}"[:300])
            ]
    for name, values in outcome.seen.columns.items():
        if name in seen.columns and [v or None for v in values] != seen.columns[name]:
            return [Failure("other values than the library", name)]
    return []


def _verify(case: Case, target: Path, options: dict[str, Any]) -> list[Failure]:
    """``shoal verify`` on the file must not find a violation."""
    words = [
        "verify",
        str(target),
        *_reading(options),
        "--model",
        case.model,
        *_spec_words(PrivacyModel, case.model, case.model_options),
    ]
    words += ["--allow-missing"] if case.allow_missing else []
    words += ["--persons", PERSONS] if case.persons is not None else []
    if case.parents is not None and case.model_options.get("sensitive"):
        words += ["--hierarchy", "tree.json" if case.tree_format == "amnesia-json" else "tree.csv"]
        words += ["--hierarchy-format", case.tree_format]
    known = [name for name in case.columns if "role" not in case.roles.get(name, {})]
    known = [name for name in known if name not in case.model_options.get("sensitive_column", ())]
    if discovery.get("shoal.models", PrivacyModel, case.model).relational:
        words += ["--quasi-identifiers", ",".join(known)]
    code, out, err = run(*words)
    if code in (0, 2):
        return []
    return [Failure(f"command line: verify exits {code}: {case.model}", f"{out[:200]} {err[:200]}")]


def _reading(options: dict[str, Any]) -> list[str]:
    """How to read a file, as words."""
    words: list[str] = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words += ([] if name == "sets" else [flag]) if value else [f"--no-{flag[2:]}"]
        else:
            words += [word for one in (value if isinstance(value, list) else [value]) for word in (flag, str(one))]
    return words


def _read_options(report: dict[str, Any]) -> dict[str, Any]:
    options: dict[str, Any] = report["provenance"]["output"]["read_options"]
    return options


def _book(folder: Path) -> dict[str, frozenset[str]]:
    """The code book beside the output."""
    path = folder / "out.codebook.csv"
    if not path.exists():
        return {}
    items_of: dict[str, set[str]] = {}
    for label, _, item in files.cells(path, ",")[1:]:
        items_of.setdefault(label, set()).add(item)
    return {label: frozenset(items) for label, items in items_of.items()}


def words_of(case: Case) -> list[str]:
    """The options of a case as words; writes the files that they name."""
    words = ["--model", case.model, "--algorithm", case.algorithm, "--loss", case.loss, "--seed", str(case.seed)]
    words += _spec_words(PrivacyModel, case.model, case.model_options)
    words += _spec_words(Algorithm, case.algorithm, case.algorithm_options)
    words += ["--workers", "1", *(["--allow-missing"] if case.allow_missing else [])]
    if case.format == "long":
        words += ["--columns", "none"]
    if case.parents is not None:
        name = "tree.json" if case.tree_format == "amnesia-json" else "tree.csv"
        files.write_tree(case.parents, Path(name), case.tree_format)
        words += ["--hierarchy", name, "--hierarchy-format", case.tree_format]
    if case.weights is not None:
        files.put(
            Path("weights.csv"), "".join(f"{files.quoted(label)},{value:f}\n" for label, value in case.weights.items())
        )
        words += ["--weights", "weights.csv"]
    return words + _column_words(case)


def _column_words(case: Case) -> list[str]:
    roles = case.roles
    words: list[str] = []
    chosen = {
        "--quasi-identifiers": [name for name in roles if "role" not in roles[name]],
        "--plain": [name for name in roles if roles[name].get("role") == "plain"],
        "--identifiers": [name for name in roles if roles[name].get("role") == "identifier"],
        "--categorical": [name for name in roles if roles[name].get("type") == "category"],
        "--missing": sorted({text for spec in roles.values() for text in spec.get("missing", ())}),
        "--column-weights": [f"{name}={roles[name]['weight']}" for name in roles if "weight" in roles[name]],
    }
    for flag, names in chosen.items():
        words += [flag, ",".join(names)] if names else []
    for name, spec in roles.items():
        tree = spec.get("hierarchy")
        if isinstance(tree, dict):
            files.write_tree(tree, Path(f"tree-{name}.csv"), case.tree_format)
            words += ["--hierarchy", f"{name}=tree-{name}.csv"]
        elif tree is not None:
            words += ["--hierarchy", f"{name}={tree}"]
    return words


def _spec_words(base: type[Spec], name: str, options: dict[str, Any]) -> list[str]:
    package = "shoal.models" if base is PrivacyModel else "shoal.algorithms"
    known = {option.name: option for option in discovery.get(package, base, name).options()}
    words: list[str] = []
    for key, value in options.items():
        flag = known[key].flag
        if isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
        elif isinstance(value, list):
            words += [flag, ",".join(map(files.quoted, value)) + ","] if value else []
        else:
            words += [flag, str(value)]
    return words


def run(*words: str) -> tuple[int, str, str]:
    """A command in this process: its exit code and what it says."""
    from shoal.cli import main

    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["shoal", *words]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as done:
            code = int(done.code or 0)
    return code, out.getvalue(), err.getvalue()


def _place(err: str) -> str:
    """Where a bug is, as its message says."""
    for line in err.splitlines():
        if "A bug in Shoal" in line:
            return line.partition(":")[2].partition(";")[0].strip()[:120]
    return err.strip()[:60]
