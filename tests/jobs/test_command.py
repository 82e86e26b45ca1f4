"""The command line of a job is read as that job."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import shoal
from shoal.data.columns import Column
from shoal.data.table import Role
from shoal.errors import OptionError
from shoal.io.read_options import ReadOptions
from shoal.jobs.command import Command
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.job import Job
from tests.conftest import Shell

JOB = Job(
    data=DatasetSpec(
        file="my data.csv",
        reading=ReadOptions(sets=("a", "b c"), item_delimiter="|", header=True, drop_items=("-9", "x, y")),
        hierarchy={"": "h.csv", "age": "width:5,10"},
        hierarchy_format="arx",
        columns={
            "age": Column(Role.QUASI_IDENTIFIER, weight=0.5),
            "zip": Column(Role.QUASI_IDENTIFIER, type="category"),
            "name": Column(Role.IDENTIFIER),
            "note": Column(Role.PLAIN),
        },
        missing=("?",),
        keep=("age", "zip", "note"),
        unknown_items="root",
        weights="w.csv",
        allow_missing=True,
    ),
    output=Path("o.csv"),
    model=shoal.KLm(k=3, sensitive=("s, t", "u")),
    algorithm=shoal.algorithms.RmergeRT(delta=0.9),
    loss="lm",
    seed=3,
    reports=(Path("r.html"), Path("r.json")),
    explanations=False,
    output_format="csv",
    escape_formulas=True,
    max_loss=0.25,
)


def test_the_words_of_a_job_are_read_as_that_job(shell: Shell) -> None:
    jobs: list[Job] = []

    def run(self: Job, *_: Any) -> None:
        jobs.append(self)
        raise OptionError("enough")

    shell.monkeypatch.setattr(Job, "run", run)
    shell.write(JOB.data.file, "")
    others = {"output_parts": 0}, {"output_parts": 3}, {"data": replace(JOB.data, keep=())}
    for job in (JOB, *(replace(JOB, **other) for other in others)):
        shell.fails(*shlex.split(Command.of(job).spelled(job.algorithm, {}))[1:])
        assert replace(jobs.pop(), lists=()) == job


def test_files_of_columns_are_named() -> None:
    columns = {"zip": Column(hierarchy=Path("zip codes.csv"))}
    job = replace(JOB, data=replace(JOB.data, columns=columns))
    assert "--hierarchy 'zip=zip codes.csv'" in Command.of(job).spelled(job.algorithm, {})
