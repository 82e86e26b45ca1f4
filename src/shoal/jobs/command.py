"""Spell the command line of a job, for people to copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.algorithms.base import Algorithm
from shoal.data.table import Role
from shoal.hierarchies.codebook import codebook_path
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.models.base import PrivacyModel
from shoal.options import Spec, changed, format_value, listed
from shoal.report.sentences import shell_word
from shoal.spelling import spell

if TYPE_CHECKING:
    from shoal.jobs.job import Job

OPTIONS = {  # that notes name, and their spelling on the command line
    name: f"--{name.replace('_', '-')}"
    for name in (
        *(
            "algorithm",
            "candidates",
            "categorical",
            "delta",
            "hierarchy",
            "id_column",
            "identifiers",
            "keep_ids",
            "missing",
        ),
        *("ordered", "person", "plain", "sensitive", "unknown_items", "within"),
    )
}
FLAGS = {  # of the roles that columns have
    Role.IDENTIFIER: "--identifiers",
    Role.PLAIN: "--plain",
    Role.QUASI_IDENTIFIER: "--quasi-identifiers",
}
NOTHING = "none"  # what --columns says if no column is published


@dataclass(frozen=True)
class Command:
    """``shoal anonymize`` with the options of a job. The model and the algorithm can be exchanged."""

    words: tuple[str, ...]  # all but the model and the method
    model: PrivacyModel

    @classmethod
    def of(cls, job: Job) -> Command:
        """Return the command line of a job."""
        return cls(("shoal", "anonymize", job.data.file, "-o", job.output_name, *_words(job)), job.model)

    def on(self, words: Sequence[str]) -> Command:
        """Return the command line with further words, which say where it runs."""
        return replace(self, words=(*self.words, *words))

    def spelled(self, algorithm: Algorithm, model_options: Mapping[str, Any]) -> str:
        """Return the command line with this algorithm, and with some options of the model changed."""
        return " ".join(map(shell_word, self._with(algorithm, model_options)))

    def lines(self, algorithm: Algorithm) -> str:
        """Return the command line with an option on each line, for people to read and to copy."""
        words = iter(self._with(algorithm, {}))
        text = " ".join(shell_word(next(words)) for _ in range(3))
        for word in words:
            text += (" \\\n    " if word.startswith("-") else " ") + shell_word(word)
        return text

    def _with(self, algorithm: Algorithm, model_options: Mapping[str, Any]) -> list[str]:
        """Return all words of the command line."""
        model = self.model.changed(**model_options)
        guarantee = ["--model", model.name, *_options(model, model.values())]
        method = ["--algorithm", algorithm.name, *_options(algorithm, changed(algorithm))]
        return [*self.words, *guarantee, *method]

    def message(self, text: str) -> str:
        """Return a message that names options instead of Python arguments.

        >>> from shoal.models.km import Km
        >>> Command((), Km()).message("Leave such a column out with identifiers=.")
        'Leave such a column out with --identifiers.'
        """
        return spell(text, OPTIONS)


def _options(spec: Spec, values: Mapping[str, Any]) -> list[str]:
    """Return the options of a model or an algorithm as words of a command line."""
    return [word for one in spec.options() for word in one.words_for(values.get(one.name))]


def _words(job: Job) -> Iterator[str]:
    """Return all other options of a job."""
    data = job.data
    yield from data.reading.words()
    for name, tree in data.hierarchy.items():
        yield from ("--hierarchy", f"{name}={tree}" if name else str(tree))
    yield from _column_words(data)
    for name in (
        "hierarchy_format",
        "loss",
        "weights",
        "unknown_items",
        "seed",
        "max_loss",
        "output_format",
        "output_layout",
        "persons_out",
        "certificate",
        "recoding",
        "proof",
    ):
        owner = job if hasattr(job, name) else data
        value = getattr(owner, name)
        if value != type(owner).__dataclass_fields__[name].default:
            yield from (f"--{name.replace('_', '-')}", format_value(value) if isinstance(value, float) else str(value))
    if job.output_parts:
        yield from ("--output-parts", str(job.output_parts))
    if data.allow_missing:
        yield "--allow-missing"
    if job.escape_formulas:
        yield "--escape-formulas"
    for path in job.reports:
        yield from ("--report", str(path))
    for path in job.public_reports:
        yield from ("--public-report", str(path))
    for text in job.threshold:
        yield from ("--threshold", text)
    if job.context is not None:
        yield from ("--context", str(job.context))
    if job.key is not None:
        yield from ("--key", str(job.key))
    if job.codebook is False:
        yield "--no-codebook"
    elif job.codebook is not None:
        yield from ("--codebook", str(codebook_path(job.output) if job.codebook is True else job.codebook))
    if not job.explanations:
        yield "--no-explanations"


def _column_words(data: DatasetSpec) -> Iterator[str]:
    """Return the options about columns. Only quasi-identifiers have more than a role."""
    told: dict[str, list[str]] = {}
    missing = dict.fromkeys(data.missing)
    for name, column in data.columns.items():
        if column.role in FLAGS:
            told.setdefault(FLAGS[column.role], []).append(name)
        if column.role not in (None, Role.QUASI_IDENTIFIER):
            continue
        if column.type == "category":
            told.setdefault("--categorical", []).append(name)
        if column.order:
            yield from ("--ordered", f"{name}={listed(column.order)}")
        if column.weight is not None:
            told.setdefault("--column-weights", []).append(f"{name}={format_value(float(column.weight))}")
        if isinstance(column.hierarchy, str | Path) and name not in data.hierarchy:
            yield from ("--hierarchy", f"{name}={column.hierarchy}")
        missing |= dict.fromkeys(column.missing)
    for flag, names in told.items():
        yield from (flag, listed(tuple(names)))
    if missing:
        yield from ("--missing", listed(tuple(missing)))
    if data.keep is not None:
        yield from ("--columns", NOTHING + "," if data.keep == (NOTHING,) else listed(data.keep) or NOTHING)
