"""Sentences on what is proved about the loss of a release. They name the class of recodings it was compared with."""

from __future__ import annotations

import math

from shoal.data.hierarchy import NO_HIERARCHY
from shoal.recoding.solution import Optimality
from shoal.release.release import Release
from shoal.report.formatting import share

UNNAMED = "hierarchy"  # the name of a hierarchy that was made in Python
CLASS = "The comparison is with recodings that change an item in the same way in every record."
LIMITS: dict[str, object] = {"max_suppressed": 100.0, "never_suppress": ()}  # options, and their values without a limit


def cuts_of(release: Release) -> str:
    """Return the name of the hierarchy whose cuts were searched, such as "products.csv"."""
    tree = release.problem.hierarchy
    name = (tree.refines or tree).name
    return {NO_HIERARCHY: "all items", UNNAMED: "the hierarchy"}.get(name, name)


def optimality(release: Release) -> str:
    """Return what is proved about the loss, and among which recodings, or an empty string."""
    proof = release.optimality
    if proof is None:
        return ""
    if not proof.loss:
        return "Nothing was lost, so no other recoding loses less."
    measured = "" if release.loss_name == "NCP" else f" Loss: {release.loss_name} {proof.loss:.6f}."
    measured = f" {CLASS}{measured}"
    if release.problem.hierarchy.refines is None:
        return f"{_best_cut(release, proof, f'cut of {cuts_of(release)}')}{measured}"
    groups = f"grouping of siblings of {cuts_of(release)}"
    if cuts_of(release) == "all items":
        groups = "grouping of all items"
    if proof.best_grouping:
        return f"No {groups} loses less (proved).{measured}"
    tree = _best_cut(release, proof, "cut of the refined hierarchy")
    if not proof.groupings_bound or not float(bounded(proof.groupings_bound)):
        return f"{tree} How much less the best {groups} loses is not known.{measured}"
    if proof.loss > 2 * proof.groupings_bound:  # too weak for a percentage to mean much
        return f"{tree} Every {groups} loses at least {bounded(proof.groupings_bound)} (lower bound).{measured}"
    above = share(proof.loss / proof.groupings_bound - 1)
    bound = f"(lower bound {bounded(proof.groupings_bound)})"
    return f"At most {above} above the best possible {groups} {bound}. {tree}{measured}"


def bounded(bound: float) -> str:
    """Return a lower bound as text, never rounded up.

    >>> bounded(0.00060899), bounded(0.5)
    ('0.000608', '0.500000')
    """
    return f"{math.floor(bound * 1_000_000) / 1_000_000:.6f}"


def _best_cut(release: Release, proof: Optimality, kind: str) -> str:
    """Return what is proved about the cuts of one hierarchy."""
    if release.algorithm.suppresses:
        kind += ", with or without items removed"
    if any(release.algorithm.values().get(name, free) != free for name, free in LIMITS.items()):
        kind += " within the given limits"
    best = f"Best of all {kind.replace('cut', 'cuts', 1)} (proved)"
    if proof.ended == "proven":
        return f"{best}."
    stopped = {
        "time limit": "the time limit ended the search",
        "interrupted": "the search was interrupted",
        "no solver": "a proof needs OR-Tools, which is not installed",
    }[proof.ended]
    if proof.proven:
        goal = "search" if release.problem.hierarchy.refines is None else "search for better groups"
        return f"{best}; {stopped.replace('search', goal)}."
    if not proof.lower_bound:
        return f"How much less the best {kind} loses is not known; {stopped}."
    above = share(proof.loss / proof.lower_bound - 1)
    return f"At most {above} above the best {kind} (lower bound {bounded(proof.lower_bound)}); {stopped}."


def bound_of(release: Release) -> str:
    """Return which recodings the lower bound covers, such as "every cut of products.csv"."""
    if release.problem.hierarchy.refines is not None:
        return "every cut of the refined hierarchy"
    return f"every cut of {cuts_of(release)}"
