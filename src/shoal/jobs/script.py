"""Spell a job as a Python script, for people to copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.table import Role
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.options import changed

if TYPE_CHECKING:
    from shoal.jobs.job import Job

WIDE = 100  # characters of a call that is written in one line
ROLES = {
    Role.QUASI_IDENTIFIER: "quasi_identifiers",
    Role.IDENTIFIER: "identifiers",
    Role.PLAIN: "plain",
}


def script(job: Job) -> str:
    """Return a Python script that does a job. :func:`shoal.jobs.expressible.script_lacks` tells whether it can.

    It names the guarantee and the method with their options, and of all else only what is not the default.

    >>> from shoal.jobs import problem_file
    >>> tables = {"data": {"file": "a.dat"}, "model": {"k": 3}, "output": {"file": "b.dat", "reports": ["b.html"]}}
    >>> print(script(problem_file.of_tables(tables, "This", Path())), end="")
    import shoal
    <BLANKLINE>
    release = shoal.anonymize("a.dat", k=3, m=2, algorithm="auto")
    release = release.save("b.dat")
    release.report("b.html")
    """
    lines = ["import shoal", ""]
    lines.append(_call("release = shoal.anonymize", job.data.file, dict(_arguments(job))))
    lines.append(_call("release = release.save", job.output_name, dict(_saving(job))))
    about = dict(_reporting(job))
    lines += [_call("release.report", path, about) for path in job.reports]
    lines += [_call("release.report", path, {"public": True, **about}) for path in job.public_reports]
    if job.proof is not None:
        lines.append(_call("shoal.evidence.proof_of(release).save", job.proof, {}))
    return "\n".join(lines) + "\n"


def run_script(problem: str) -> str:
    """Return a Python script that carries out a problem file.

    >>> print(run_script("problem.toml"), end="")
    import shoal
    <BLANKLINE>
    shoal.run("problem.toml")
    """
    return f"import shoal\n\nshoal.run({literal(problem)})\n"


def _arguments(job: Job) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of :func:`shoal.anonymize`."""
    data = job.data
    if job.model.name != "km":
        yield "model", job.model.name
    yield from ((name, value) for name, value in job.model.values().items() if value not in (None, ()))
    yield "algorithm", job.algorithm.name
    yield from changed(job.algorithm).items()
    yield from changed(data.reading).items()
    trees: dict[str, Any] = {name or "items": tree for name, tree in data.hierarchy.items()}
    columns = {name: one for name, one in data.columns.items() if one.role in (None, Role.QUASI_IDENTIFIER)}
    trees = {**{name: one.hierarchy for name, one in columns.items() if one.hierarchy is not None}, **trees}
    if trees:
        yield "hierarchy", trees["items"] if list(trees) == ["items"] else trees
    yield from _columns(data)
    for name in ("hierarchy_format", "weights", "unknown_items", "allow_missing"):
        if name in changed(data):
            yield name, getattr(data, name)
    for name in ("loss", "seed", "max_loss"):
        if (value := getattr(job, name)) != type(job).__dataclass_fields__[name].default:
            yield name, value


def _columns(data: DatasetSpec) -> Iterator[tuple[str, Any]]:
    """Yield the arguments about columns."""
    for role, argument in ROLES.items():
        if names := [name for name, column in data.columns.items() if column.role is role]:
            yield argument, names
    known = {name: one for name, one in data.columns.items() if one.role in (None, Role.QUASI_IDENTIFIER)}
    told: Mapping[str, Any] = {
        "categorical": [name for name, one in known.items() if one.type == "category"],
        "ordered": {name: one.order for name, one in known.items() if one.order},
        "column_weights": {name: one.weight for name, one in known.items() if one.weight is not None},
        "missing": list(dict.fromkeys((*data.missing, *(text for one in known.values() for text in one.missing)))),
    }
    yield from ((name, value) for name, value in told.items() if value)
    if data.keep is not None:
        yield "columns", data.keep


def _saving(job: Job) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of ``release.save``."""
    told = {
        "codebook": job.codebook,
        "persons": job.persons_out,
        "parts": job.output_parts or None,
        "certificate": job.certificate,
        "key": job.key,
        "recoding": job.recoding,
        "format": job.output_format,
        "layout": job.output_layout,
        "escape_formulas": job.escape_formulas or None,
    }
    yield from ((name, value) for name, value in told.items() if value is not None)


def _reporting(job: Job) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of ``release.report``."""
    if not job.explanations:
        yield "explained", False
    if job.threshold:
        yield "threshold", job.threshold
    if job.context is not None:
        yield "context", job.context


def _call(function: str, first: Any, named: Mapping[str, Any]) -> str:
    """Return a call: in one line, or with an argument on each line."""
    arguments = [literal(first), *(f"{name}={literal(value)}" for name, value in named.items())]
    line = f"{function}({', '.join(arguments)})"
    return line if len(line) <= WIDE else f"{function}(\n" + "".join(f"    {one},\n" for one in arguments) + ")"


def literal(value: Any) -> str:
    r"""Return a value as Python, with the quotes that formatters use.

    >>> print(literal({"zip code": Path("a.csv")}), literal(("a", 'b"c')), literal("it's\n"), literal(0.5))
    {"zip code": "a.csv"} ["a", 'b"c'] "it's\n" 0.5
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(name)}: {literal(one)}" for name, one in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if not isinstance(value, str | Path):
        return repr(value)
    text = repr(str(value))
    return text if text[0] == '"' or '"' in text else f'"{text[1:-1]}"'
