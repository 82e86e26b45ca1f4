"""Finds remedies for a release that is nearly worthless or loses more than allowed, by running them.

Up to three remedies are run on the same data, each within a few seconds: groups of siblings (``auto``), removing items
(``mhghs``), and the same algorithm with a smaller m. Models with quasi-identifying columns have no remedies.
Nor has a release by the recoding of an earlier one: the same records with other labels could undo what both protect.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from shoal.algorithms.auto import Auto
from shoal.algorithms.base import Algorithm
from shoal.algorithms.mhghs import MHgHs
from shoal.engines import LOCAL, Engine
from shoal.errors import ShoalError
from shoal.models.base import PrivacyModel, Witness
from shoal.options import changed
from shoal.recoding import GlobalCut
from shoal.release.pipeline import make_release
from shoal.release.release import Release
from shoal.report.explanations import Explanation
from shoal.search.clock import AFTER

SECONDS = 10.0  # for the search of each remedy
STOPPED = 30.0  # seconds after which a remedy without a time limit is stopped
WAYS = 3  # remedies at most
Way = Literal["sibling groups", "suppression", "smaller m"]


@dataclass(frozen=True)
class Remedy:
    """Another way to publish the same data, and its loss when it was run."""

    way: Way
    algorithm: Algorithm
    model_options: Mapping[str, Any] = field(default_factory=dict)  # that differ from the release
    loss: float | None = None  # None: there was no result in time
    removed: float = 0.0  # the share of the items of records that it removes
    worthless: bool = False  # whether the result is nearly worthless, too


class _TimeUp(Exception):
    """The time for one remedy is over."""


def find(release: Release, engine: Engine = LOCAL) -> tuple[Remedy, ...]:
    """Run all remedies. Those that keep the guarantee come first, and those that lose least."""
    ways = []
    try:
        for way in _candidates(release):
            ways.append(_tried(release, way, engine))
    except KeyboardInterrupt:  # keep the remedies that were found so far
        pass
    return tuple(sorted(ways, key=lambda one: (bool(one.model_options), one.loss is None, one.loss or 0.0)))


def better(release: Release, tried: tuple[Remedy, ...]) -> tuple[Remedy, ...]:
    """Select the remedies that lose less and are useful. A weaker guarantee counts only if it loses least."""
    useful = [one for one in tried if one.loss is not None and one.loss < release.loss and not one.worthless]
    least = min((one.loss for one in useful if one.loss is not None and not one.model_options), default=release.loss)
    return tuple(one for one in useful if not one.model_options or (one.loss is not None and one.loss < least))


class Spelling(Protocol):
    """Writes calls that people can copy, in Python or as a command line."""

    def spelled(self, algorithm: Algorithm, model_options: Mapping[str, Any]) -> str:
        """Return the call with this algorithm and these options of the model."""

    def message(self, text: str) -> str:
        """Return a message whose Python arguments, such as ``person=``, are spelled in the same way."""


@dataclass(frozen=True)
class PythonCall:
    """Writes calls in Python."""

    model: PrivacyModel

    def spelled(self, algorithm: Algorithm, model_options: Mapping[str, Any]) -> str:
        """Return the call with this algorithm and these options of the model.

        The dots at its end are the other arguments of the release.

        >>> from shoal.models.km import Km
        >>> PythonCall(Km(k=5, m=2)).spelled(Auto(), {"m": 1})
        'shoal.anonymize(data, model=shoal.models.Km(k=5, m=1), algorithm=shoal.algorithms.Auto(), ...)'
        """
        model = self.model.changed(**model_options)
        guarantee, method = _call(model, model.values()), _call(algorithm, changed(algorithm))
        return f"shoal.anonymize(data, model=shoal.models.{guarantee}, algorithm=shoal.algorithms.{method}, ...)"

    def message(self, text: str) -> str:
        """Return the message: it names Python arguments already."""
        return text


def _call(spec: object, values: Mapping[str, Any]) -> str:
    """Return a constructor call.

    >>> from shoal.models.km import Km
    >>> _call(Km(), {"k": 5, "m": "all"})
    "Km(k=5, m='all')"
    """
    given = (f"{name}={value!r}" for name, value in values.items() if value != ())
    return f"{type(spec).__name__}({', '.join(given)})"


def witness(release: Release, explanations: Sequence[Explanation]) -> Witness | None:
    """Return the rarest set of labels that forced a broad label or the removal of items, or None."""
    broad = {label for label, _ in release.usefulness.broad}
    reasons = [one for one in explanations if one.witness is not None]
    forced = [one for one in reasons if one.group in broad] or [one for one in reasons if one.suppressed]
    if forced:
        return min((one.witness for one in forced if one.witness is not None), key=lambda one: one.support)
    return None if explanations else _split(release, broad)


def _split(release: Release, broad: set[str]) -> Witness | None:
    """Return a set that would violate the model if a broad group were split, or None."""
    problem, cut = release.problem, release.recoding.global_cut
    if cut is None or problem.unknown_items == "root":  # labels may be in the raw data only
        return None
    hierarchy = problem.hierarchy
    for node in [node for node in cut.raised if hierarchy.labels[node] in broad]:
        parts = [one for one in cut.raised if one != node] + [
            child for child in hierarchy.children[node] if child >= hierarchy.n_leaves
        ]
        split = GlobalCut.raising(hierarchy, parts, [one for one in cut.suppressed.tolist() if one != node])
        verdict = problem.model.verify(split.apply(problem.items, problem.sensitive_part))
        if verdict.witnesses:
            return verdict.witnesses[0]
    return None


def _candidates(release: Release) -> Iterator[Remedy]:
    """Yield the remedies that apply to the release."""
    method, model = release.algorithm, release.problem.model
    if method.repeats is not None or not isinstance(model, Auto.solves):
        return
    grouped = method.regroups_siblings
    if not grouped:
        yield Remedy("sibling groups", Auto())
    if isinstance(model, MHgHs.solves) and not method.suppresses:
        yield Remedy("suppression", MHgHs(siblings="best") if grouped else MHgHs())
    m = model.values().get("m")
    if m == "all" or (isinstance(m, int) and m > 1):
        yield Remedy("smaller m", method, {"m": 2 if m == "all" else m - 1})


def _tried(release: Release, remedy: Remedy, engine: Engine) -> Remedy:
    """Run one remedy within its time. If the clock ended the search, its call names the time limit."""
    problem, method = release.problem.given, remedy.algorithm
    if remedy.model_options:
        problem = dataclasses.replace(problem, model=problem.model.changed(**remedy.model_options))
    limit, most = method.values().get("time_limit"), _share(release)
    seconds = min(SECONDS, most)
    limited = method.changed(time_limit=seconds) if limit == "none" or (limit or 0) > seconds else method
    deadline = time.monotonic() + min(STOPPED, most + AFTER)

    def progress(stage: str, share: float) -> None:
        if time.monotonic() > deadline:
            raise _TimeUp
        engine.progress("trying alternatives", 0.0)

    try:
        other = make_release(problem, limited, dataclasses.replace(engine, progress=progress))
    except (ShoalError, MemoryError, _TimeUp):
        return remedy
    if other.optimality is not None and other.optimality.ended == "interrupted":
        raise KeyboardInterrupt
    ended = (
        other.optimality is not None and other.optimality.ended == "time limit" and other.timings["solve"] > seconds / 2
    )
    return Remedy(
        remedy.way,
        limited if ended else method,
        remedy.model_options,
        other.loss,
        other.usefulness.removed / max(1, other.usefulness.items),
        other.worthless is not None,
    )


def _share(release: Release) -> float:
    """Return the seconds for one remedy. All remedies together may take as long as the release."""
    limit = release.algorithm.values().get("time_limit", "none")
    return STOPPED if limit == "none" else float(limit) / WAYS
