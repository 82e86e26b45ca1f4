"""What would lose less than a release that is nearly worthless, or that loses more than allowed: tried, not guessed.

Up to three other ways are run on the same data, each within a few seconds: groups of siblings (``auto``), removing
items (``mhghs``), and the same method with a smaller m. Models with quasi-identifying columns have none of these.
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

SECONDS = 10.0  # for the search of each way
STOPPED = 30.0  # seconds after which a way without a time limit is stopped
WAYS = 3  # at most
Way = Literal["sibling groups", "suppression", "smaller m"]


@dataclass(frozen=True)
class Remedy:
    """Another way to publish the same data, and what it lost when it was run."""

    way: Way
    algorithm: Algorithm
    model_options: Mapping[str, Any] = field(default_factory=dict)  # of the model that differ
    loss: float | None = None  # in the loss that is minimised; None: it gave no release in time
    removed: float = 0.0  # the share of the items of records that it removes
    worthless: bool = False  # is nearly worthless, too


class _TimeUp(Exception):
    """The time for one way is over."""


def find(release: Release, engine: Engine = LOCAL) -> tuple[Remedy, ...]:
    """Run the other ways; those that keep the guarantee come first, then those that lose least."""
    ways = []
    try:
        for way in _candidates(release):
            ways.append(_tried(release, way, engine))
    except KeyboardInterrupt:  # the release is there: what is known so far must do
        pass
    return tuple(sorted(ways, key=lambda one: (bool(one.model_options), one.loss is None, one.loss or 0.0)))


def better(release: Release, tried: tuple[Remedy, ...]) -> tuple[Remedy, ...]:
    """Those of the ways that lose less and are useful; with a weaker guarantee only if that loses least."""
    useful = [one for one in tried if one.loss is not None and one.loss < release.loss and not one.worthless]
    least = min((one.loss for one in useful if one.loss is not None and not one.model_options), default=release.loss)
    return tuple(one for one in useful if not one.model_options or (one.loss is not None and one.loss < least))


class Spelling(Protocol):
    """How to call another way, for people to copy."""

    def spelled(self, algorithm: Algorithm, model_options: Mapping[str, Any]) -> str:
        """The call with this method, and with some options of the model changed."""


@dataclass(frozen=True)
class PythonCall:
    """A call from Python."""

    model: PrivacyModel

    def spelled(self, algorithm: Algorithm, model_options: Mapping[str, Any]) -> str:
        """The call with this method, and with some options of the model changed."""
        problem = "problem"
        if model_options:
            model = self.model.changed(**model_options)
            problem = f"dataclasses.replace(problem, model=shoal.models.{_call(model, model.values())})"
        return f"shoal.anonymize({problem}, shoal.algorithms.{_call(algorithm, changed(algorithm))})"


def _call(spec: object, values: Mapping[str, Any]) -> str:
    """A constructor call.

    >>> from shoal.models.km import Km
    >>> _call(Km(), {"k": 5, "m": "all"})
    "Km(k=5, m='all')"
    """
    given = (f"{name}={value!r}" for name, value in values.items() if value != ())
    return f"{type(spec).__name__}({', '.join(given)})"


def witness(release: Release, explanations: Sequence[Explanation]) -> Witness | None:
    """The rarest set of labels that forced a broad label, or the removal of items; None: it is not known."""
    broad = {label for label, _ in release.usefulness.broad}
    reasons = [one for one in explanations if one.witness is not None]
    forced = [one for one in reasons if one.group in broad] or [one for one in reasons if one.suppressed]
    if forced:
        return min((one.witness for one in forced if one.witness is not None), key=lambda one: one.support)
    return None if explanations else _split(release, broad)


def _split(release: Release, broad: set[str]) -> Witness | None:
    """What would violate the model if a broad group were split into its parts."""
    problem, cut = release.problem, release.recoding.global_cut
    if cut is None or problem.unknown_items == "root":  # then labels may be known to the data only
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
    """The other ways that apply."""
    method, model = release.algorithm, release.problem.model
    if not isinstance(model, Auto.solves):
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
    """Run one way within its time; a search that the clock ended is told with its time limit."""
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
        engine.progress("trying other ways", 0.0)

    try:
        other = make_release(problem, limited, Engine(engine.workers, progress))
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
    """The seconds for one way: all of them together may take as long as the release had."""
    limit = release.algorithm.values().get("time_limit", "none")
    return STOPPED if limit == "none" else float(limit) / WAYS
