"""What is possible at all, by trying everything: whether a refusal is right, a proof true, a bound valid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

from fuzz.problems.case import Failure
from fuzz.problems.definitions import DEFINITIONS, Losses, View, holds
from fuzz.problems.truth import CLOSE, full_options, item_weights, view_of
from fuzz.problems.world import Seen, World
from shoal import discovery
from shoal.algorithms.base import Algorithm, ExactAlgorithm, SuppressingAlgorithm, TreeAlgorithm

MOST_CUTS = 150  # trees with more are not tried
MOST_GROUPINGS = 400
MOST_SUPPRESSIONS = 1500
Cut = list[frozenset[str]]


def feasible(world: World) -> str:
    """A way to satisfy the model that the algorithm must know; empty: none was found."""
    case = world.case
    if case.model not in DEFINITIONS:
        return ""
    options, cls = full_options(world), discovery.get("shoal.algorithms", Algorithm, case.algorithm)
    if "group_column" in options:  # one group of all
        sizes: dict[str, list[str | None]] = {**case.columns, options["group_column"]: ["1"] * case.n_rows}
        return "all records in one group" if _is_safe(world, world.rows, sizes) else ""
    if _is_safe(world, world.rows, case.columns):
        return "the data satisfy the model as they are"
    if not cls.truthful or not cls.generalizes or issubclass(cls, SuppressingAlgorithm):
        return ""
    same: dict[str, list[str | None]] = {
        **case.columns,
        **{name: [None] * case.n_rows for name in world.quasi_identifiers},
    }
    hidden = world.apart(world.rows, case.columns)[1]
    top = [world.tree.root] if world.tree.parents else []
    rows = [
        frozenset(top if known else ()) | secret & world.sensitive_items
        for known, secret in zip(world.known, hidden, strict=True)
    ]
    if _is_safe(world, rows, same):
        return "everything at the root satisfies the model"
    if (
        issubclass(cls, ExactAlgorithm)
        and world.tree.n_cuts() <= MOST_CUTS
        and _best(world, world.tree.cuts()) is not None
    ):
        return "some cut satisfies the model"
    return ""


def _is_safe(world: World, rows: list[frozenset[str]], columns: dict[str, list[str | None]]) -> bool:
    return holds(world.case.model, full_options(world), view_of(world, Seen(rows, columns, {})))


def check(world: World, seen: Seen, release: Any) -> list[Failure]:
    """Whether what is said about the best that can be is true."""
    case, proof, method = world.case, release.optimality, release.algorithm
    if (
        case.model not in DEFINITIONS
        or not isinstance(method, TreeAlgorithm)
        or not method.truthful
        or not world.tree.parents
    ):
        return []
    if proof is None and case.algorithm != "oa":
        return []
    siblings = getattr(method, "siblings", "none")
    if isinstance(method, SuppressingAlgorithm):
        ways: Iterable[tuple[Cut, Cut]] = _suppressions(world, method)
    else:
        ways = ((cut, []) for cut in world.tree.cuts()) if world.tree.n_cuts() <= MOST_CUTS else ()
    best = _best(world, ways) if not isinstance(ways, tuple) else None
    if best is None:
        return []
    loss = Fraction(release.loss).limit_denominator(10**12)
    if siblings == "none":
        return _compare(case.algorithm, loss, best, proof)
    if (
        siblings == "best"
        and proof is not None
        and proof.ended == "proven"
        and loss > best + Fraction(CLOSE)
        and case.model == "km"
    ):
        return [Failure(f"worse than the owner's best cut: {case.algorithm}", f"{float(loss)} > {float(best)}")]
    if proof is None or proof.groupings_bound is None or isinstance(method, SuppressingAlgorithm):
        return []
    everything: list[tuple[Cut, Cut]] = []
    for cut in world.tree.groupings():
        everything.append((cut, []))
        if len(everything) > MOST_GROUPINGS:
            return []
    ideal = _best(world, everything)
    if ideal is not None and proof.groupings_bound > ideal + Fraction(CLOSE):
        return [Failure("bound over groupings too high", f"{proof.groupings_bound} > {float(ideal)}")]
    return []


def _compare(name: str, loss: Fraction, best: Fraction, proof: Any) -> list[Failure]:
    """A loss and what is claimed of it against the best there is."""
    detail = f"best {float(best)}, loss {float(loss)}, {proof}"
    if loss < best - Fraction(CLOSE):
        return [Failure(f"better than the best: {name}", detail)]
    if proof is not None and proof.lower_bound > best + Fraction(CLOSE):
        return [Failure(f"lower bound too high: {name}", detail)]
    if (proof is None or proof.ended == "proven") and loss > best + Fraction(CLOSE):
        return [Failure(f"proven but not best: {name}", detail)]
    return []


def _best(world: World, ways: Iterable[tuple[Cut, Cut] | Cut]) -> Fraction | None:
    """The least loss of all ways that satisfy the model; none: no way does."""
    weights, case = item_weights(world), world.case
    sensitive = world.values(world.apart(world.rows, case.columns)[1])
    options = full_options(world)
    ranked: list[tuple[Fraction, int, list[frozenset[str]]]] = []
    for at, way in enumerate(ways):
        cut, gone = way if isinstance(way, tuple) else (way, [])
        label = {item: min(block) for block in cut for item in block}
        size = {item: len(block) for block in cut for item in block}
        dropped = frozenset[str]().union(*gone)
        occurrences = [(item, 0 if item in dropped else size[item]) for row in world.known for item in row]
        loss = Losses(occurrences, len(world.tree.items)).mean(case.loss, weights)
        ranked.append((loss, at, [frozenset(label[item] for item in row - dropped) for row in world.known]))
    ranked.sort(key=lambda one: one[:2])
    for loss, _, rows in ranked:
        if holds(case.model, options, View(rows, sensitive, (), (), world.people)):
            return loss
    return None


def _suppressions(world: World, method: SuppressingAlgorithm) -> Iterator[tuple[Cut, Cut]] | tuple[()]:
    """Every cut with every choice of its labels to suppress, within the limits; nothing, if there are too many."""
    occurring = frozenset[str]().union(*world.known)
    total = sum(map(len, world.known))
    budget = int(total * Fraction(str(method.max_suppressed)) / 100)
    kept = (
        frozenset[str]().union(*(world.tree.leaves.get(label, frozenset()) for label in method.never_suppress))
        & occurring
    )
    counts = {item: sum(item in row for row in world.known) for item in occurring}
    if world.tree.n_cuts() > MOST_CUTS:
        return ()
    choices: list[tuple[Cut, Cut]] = []
    for cut in world.tree.cuts():
        free = [block for block in cut if block & occurring and not block & kept]
        for number in range(len(free) + 1):
            for gone in combinations(free, number):
                if sum(counts[item] for block in gone for item in block & occurring) <= budget:
                    choices.append((cut, list(gone)))
        if len(choices) > MOST_SUPPRESSIONS:
            return ()
    return iter(choices)
