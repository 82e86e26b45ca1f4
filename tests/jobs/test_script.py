"""A job as a command line, as a script and as a problem file: all three mean the same.

Covers: jobs/script.py, jobs/expressible.py
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.cli.anonymize import anonymize
from shoal.data.columns import Column
from shoal.data.table import Role
from shoal.errors import OptionError
from shoal.jobs import problem_file
from shoal.jobs.arguments import as_algorithm, as_model, describe_data
from shoal.jobs.command import Command
from shoal.jobs.expressible import command_lacks, script_lacks
from shoal.jobs.job import Job
from shoal.jobs.script import run_script, script
from shoal.models.base import PrivacyModel
from shoal.options import Option
from tests.budget import examples

DATA = "my data $HOME; `x` 'q' \"é日\".csv"
LABELS = st.text("ab ,'\"$;=-*?!é日|\\#%&()", min_size=1, max_size=5).filter(str.strip)
NAMES = LABELS.filter(lambda name: name == name.strip() and "=" not in name)
PATHS = st.text("ab '\"$;é日&", min_size=1, max_size=4).filter(str.strip).map(lambda name: f"runs/{name}.x")
VALUES = {  # of reading options, other than the columns
    "item_delimiter": "|",
    "delimiter": ";",
    "header": False,
    "keep_ids": True,
    "multiset": True,
    "where": "week <= 12 and 'a' != \"b\"",
    "max_expanded": "4GB",
    "drop_items": ["-9", "x, y"],
}


def value_of(draw: Any, option: Option) -> Any:
    """Draw a value of an option."""
    if option.type is bool:
        return not option.default
    if option.type is tuple:
        return draw(st.lists(LABELS, min_size=1, max_size=3, unique=True))
    if option.words and draw(st.booleans()):
        return draw(st.sampled_from(option.words))
    if option.type is str:
        return draw(st.sampled_from(option.words)) if option.words else draw(LABELS)
    low, high = int(option.low or 2), int(option.high if option.high is not None else 90)
    number = draw(st.integers(low, max(low, high)))
    return number if option.type is int else draw(st.sampled_from([0.1234567, 0.5, 1.0]))


@st.composite
def tables(draw: Any) -> dict[str, Any]:
    """Draw the tables of a problem file that the workbench could write."""
    names = draw(st.lists(NAMES, max_size=5, unique=True))
    columns: dict[str, Any] = {}
    for name in names:
        role = draw(st.sampled_from(["quasi-identifier", "quasi-identifier", "identifier", "plain"]))
        more = st.sampled_from(
            [{}, {"type": "category"}, {"weight": 0.1234567}, {"hierarchy": "width:5,10"}, {"order": ["s m", "l,x"]}]
        )
        columns[name] = {"role": role, **draw(more)}
    models = discovery.find("shoal.models", PrivacyModel)
    guarantee = models[draw(st.sampled_from(["km", "k-km", "lm", "k-lm", "hkp", "transactional-k", "sensitive-k"]))]
    if any(one.name == "sensitive_column" for one in guarantee.options()) and draw(st.booleans()):
        columns["a, secret"] = "sensitive"
    kinds = discovery.find("shoal.algorithms", Algorithm).values()
    method = draw(st.sampled_from([one for one in kinds if issubclass(guarantee, one.solves)]))
    return {
        "data": {"file": DATA, **{name: VALUES[name] for name in draw(st.lists(st.sampled_from(list(VALUES))))}},
        "columns": columns,
        "items": draw(st.sampled_from([{}, {"hierarchy": "inputs/my tree.csv", "unknown": "root"}, {"weights": "w"}])),
        "model": {"name": guarantee.name, **chosen(draw, guarantee), **needed(guarantee)},
        "algorithm": {"name": method.name, **chosen(draw, method)},
        "output": {
            "file": draw(PATHS).replace(".x", ".csv"),
            "reports": draw(st.lists(PATHS, max_size=2)),
            "public_reports": draw(st.lists(PATHS, max_size=2)),
            "explanations": draw(st.booleans()),
            "escape_formulas": draw(st.booleans()),
            **draw(st.sampled_from([{}, {"codebook": False}, {"codebook": "a book.csv"}])),
            **draw(st.sampled_from([{}, {"columns": names[:2]}, {"parts": 3}, {"persons": "p.txt", "proof": "q"}])),
            **draw(st.sampled_from([{}, {"certificate": "c.json", "key": "inputs/my key.key"}])),
            **draw(st.sampled_from([{}, {"threshold": ["ema", "0.2"], "context": "context.toml"}])),
        },
        "run": draw(st.sampled_from([{}, {"seed": 7, "max_loss": 0.1, "loss": "lm"}])),
    }


def chosen(draw: Any, spec: type[Any]) -> dict[str, Any]:
    """Draw some of the options of a model or a method."""
    options = [one for one in spec.options() if one.name != "sensitive_column" and draw(st.booleans())]
    return {one.name: value_of(draw, one) for one in options}


def needed(model: type[Any]) -> dict[str, Any]:
    """Return the options that a model cannot do without."""
    return {"sensitive": ["flu"]} if any(one.name == "sensitive" for one in model.options()) else {}


def normal(job: Job) -> Job:
    """Return an equal job in the form that arguments have: hierarchies of columns stand with that of the items."""
    data, columns, trees = job.data, {}, dict(job.data.hierarchy)
    for name, one in data.columns.items():
        if one.role is Role.SENSITIVE:  # it is in the model
            continue
        known = one.role in (None, Role.QUASI_IDENTIFIER)
        columns[name] = replace(one, hierarchy=None, missing=()) if known else Column(one.role)
        if known and one.hierarchy is not None:
            trees.setdefault(name, str(one.hierarchy))
    missing = tuple(text for one in data.columns.values() for text in one.missing)
    data = replace(data, label="", columns=columns, hierarchy=trees, missing=tuple(dict.fromkeys(missing)))
    return replace(job, data=data, lists=())


def parsed(line: str) -> Job:
    """Return the job that the command line describes."""
    with mock.patch("shoal.cli.anonymize.carry_out") as carried_out:
        anonymize.main(shlex.split(line)[2:], standalone_mode=False)
    job: Job = carried_out.call_args[0][0]
    return job


def called(text: str) -> Job:
    """Return the job that the script describes."""
    found: dict[str, Any] = {"reports": [], "public_reports": [], "explanations": True}

    def call(data: str, model: Any = None, k: Any = None, m: Any = None, algorithm: Any = None, **given: Any) -> Any:
        guarantee = as_model(model, k, m, given)
        found.update(model=guarantee, algorithm=as_algorithm(algorithm, guarantee, given))
        found.update({name: given.pop(name) for name in ("loss", "seed", "max_loss") if name in given})
        found["data"] = describe_data(data, **given)
        return SimpleNamespace(save=save, report=report)

    def save(path: str, persons: Any = None, parts: Any = None, **given: Any) -> Any:
        found.update({name: Path(one) if isinstance(one, str) else one for name, one in given.items()})
        found.update(output=Path(path), output_parts=parts, persons_out=None if persons is None else Path(persons))
        return SimpleNamespace(save=save, report=report)

    def report(
        path: str, public: bool = False, explained: bool = True, threshold: Any = (), context: Any = None
    ) -> None:
        found["public_reports" if public else "reports"].append(Path(path))
        found.update(explanations=explained, threshold=tuple(threshold), context=context and Path(context))

    def prove(release: Any) -> Any:
        return SimpleNamespace(save=lambda path: found.update(proof=Path(path)))

    evidence = SimpleNamespace(proof_of=prove)
    with mock.patch.dict("sys.modules", shoal=SimpleNamespace(anonymize=call, evidence=evidence)):
        exec(text, {})
    fields: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in found.items()}
    return Job(**fields)


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("jobs"))
        Path(DATA).write_text("", encoding="utf-8")
        yield


@examples(420)
@given(tables())
def test_command_and_script_mean_the_problem_file(drawn: dict[str, Any]) -> None:
    try:
        job = problem_file.of_tables(drawn, "problem.toml", Path())
    except OptionError:  # the options of this model exclude each other
        reject()
    if not command_lacks(job):
        assert normal(parsed(Command.of(job).spelled(job.algorithm, {}))) == normal(job)
    if not script_lacks(job):
        there = normal(job)
        if not job.reports and not job.public_reports:
            there = replace(there, explanations=True, threshold=(), context=None)  # these are about reports alone
        assert normal(called(script(job))) == there
    assert not command_lacks(job) or "type" in command_lacks(job) or "quasi-identifier" in command_lacks(job)


def job_of(**more: Any) -> Job:
    """Return a job with these tables."""
    base: dict[str, Any] = {"data": {"file": DATA}, "output": {"file": "b.csv"}}
    return problem_file.of_tables({**base, **more}, "problem.toml", Path())


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"columns": {"age": {"type": "number"}}}, "that the values of column 'age' are of the type number"),
        ({"columns": {"age": {"missing": ["?"]}}}, "that columns have different values for 'not known'"),
        (
            {"columns": {"a": "quasi-identifier", "b": {"type": "category"}}},
            "more about a column that is no quasi-iden",
        ),
        ({"columns": {"a=b": {"hierarchy": "width:5"}}}, "something about column 'a=b', because its name has an equal"),
        ({"columns": {" a": "plain"}}, "a name or a value that begins or ends with a space"),
        ({"items": {"hierarchy": "a=b.csv"}}, "which hierarchy is meant by 'a=b.csv'"),
        (
            {"algorithm": {"name": "mm", "never_suppress": [" "]}, "model": {"name": "hkp", "sensitive": ["a"]}},
            "a blank",
        ),
        ({"model": {"name": "lm", "sensitive": [f"item {n}" for n in range(20_000)]}}, "so many labels"),
    ],
)
def test_what_a_command_line_cannot_say_is_told(more: dict[str, Any], why: str) -> None:
    assert why in command_lacks(job_of(**more))


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"columns": {"age": {"type": "date"}}}, "that the values of column 'age' are of the type date"),
        ({"columns": {"items": {"hierarchy": "width:5"}}}, "that the column 'items' has a hierarchy"),
        ({"output": {"file": "b.parquet"}}, "before the search that the release has another format"),
        ({"output": {"file": "b.csv", "layout": "long"}}, "before the search that the release has another format"),
    ],
)
def test_what_a_script_cannot_say_is_told(more: dict[str, Any], why: str) -> None:
    assert why in script_lacks(job_of(**more))


def test_labels_that_look_like_files_stay_labels() -> None:
    Path("milk").write_text("ale\n", encoding="utf-8")
    for labels in (["cheese.csv"], ["milk"], ["a", "b.txt"]):
        job = job_of(model={"name": "lm", "sensitive": labels})
        assert parsed(Command.of(job).spelled(job.algorithm, {})).model == job.model
    Path("milk").unlink()


def test_a_script_that_only_runs_a_file() -> None:
    assert run_script('a "b".toml') == "import shoal\n\nshoal.run('a \"b\".toml')\n"
