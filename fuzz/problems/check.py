"""Everything that must be true of what Shoal does with a case."""

from __future__ import annotations

import itertools
import re
import traceback
from dataclasses import dataclass, field
from pathlib import Path

import shoal
from fuzz.problems import bounds, library, shell, truth, verdicts
from fuzz.problems.case import Case, Failure
from fuzz.problems.definitions import DEFINITIONS
from fuzz.problems.library import Outcome
from fuzz.problems.world import World
from shoal.errors import Infeasible, PrivacyViolation, ShoalError, Untruthful

BUGS = (PrivacyViolation, Untruthful)  # errors that say themselves that they are bugs of the product
AGAIN = 3  # of so many cases, one is run a second time


@dataclass
class Result:
    """What became of a case."""

    released: bool = False
    refusal: str = ""  # the message of an error that is in order, without its particulars
    failures: list[Failure] = field(default_factory=list)


def check(case: Case) -> Result:
    """Take a case through the doors and check all that comes out."""
    result = Result()
    try:
        _check(case, result)
    except Exception as error:  # the fuzzer itself is wrong, or the product gave it something unheard of
        result.failures.append(Failure(f"fuzzer: {where(error)}", repr(error)[:300]))
    return result


def _check(case: Case, result: Result) -> None:
    world = World(case)
    outcome = library.run(case)
    if outcome.error is not None:
        result.failures += of_error(world, outcome.error)
        result.refusal = "" if result.failures else template(str(outcome.error))
    else:
        result.released = True
        result.failures += _release(world, outcome)
        if case.perturb % AGAIN == 0:
            result.failures += _again(world, outcome)
    result.failures += verdicts.of_original(world)
    if case.format is not None:
        result.failures += shell.check(world, outcome)


def _release(world: World, outcome: Outcome) -> list[Failure]:
    """A release: true, safe, measured rightly, and as good as is said."""
    assert outcome.seen is not None
    failures = truth.check(world, outcome.seen, outcome.release) + _order(world, outcome)
    if not failures:
        failures += bounds.check(world, outcome.seen, outcome.release)
    if world.case.model in DEFINITIONS and len(outcome.seen.rows) == world.case.n_rows:
        failures += verdicts.of_release(world, outcome.seen, outcome.release)
    return failures


def _order(world: World, outcome: Outcome) -> list[Failure]:
    """Records stand as they stood; where a person has several, by what they show, so that equal ones are neighbours."""
    assert outcome.published is not None
    if world.has_repeaters != (outcome.release.order is not None):
        return [Failure("order", "in the order of the input" if world.has_repeaters else "in another order")]
    published = outcome.published
    shown = list(zip(published.rows, *published.columns.values(), strict=True))
    runs = 1 + sum(one != other for one, other in itertools.pairwise(shown))
    return [Failure("order", "equal records are apart")] if world.has_repeaters and runs != len(set(shown)) else []


def _again(world: World, first: Outcome) -> list[Failure]:
    """The same result from another order of options, from other numbers of persons, and by other threads."""
    assert first.seen is not None
    proof = first.release.optimality
    if proof is not None and proof.ended != "proven":
        return []
    second = library.run(world.case, again=True)
    if second.error is not None:
        return [Failure(f"not deterministic: {world.case.algorithm}", f"second run: {second.error!r}"[:300])]
    assert second.seen is not None
    if not first.seen.same(second.seen):
        same_loss = first.release.loss == second.release.loss
        if world.has_repeaters and same_loss and library.is_random(first.release.algorithm):
            return []
        return [Failure(f"not deterministic: {world.case.algorithm}", "rows differ")]
    assert first.published is not None
    assert second.published is not None
    return [] if first.published.same(second.published) else [Failure("order", "other numbers of persons change it")]


def of_error(world: World, error: Exception) -> list[Failure]:
    """Whether an error is one that may be, and says what is the matter."""
    case = world.case
    if not isinstance(error, ShoalError) or isinstance(error, BUGS):
        return [Failure(f"crash: {where(error)}", f"{type(error).__name__}: {error}"[:500])]
    message = str(error)
    if len(message) < 20 or len(message) > 1500 or message.rstrip()[-1] not in ".)" or "Traceback" in message:
        return [Failure(f"unclear message: {template(message)}", message[:500])]
    if isinstance(error, Infeasible) and not _is_limit(message) and (way := bounds.feasible(world)):
        return [Failure(f"refused though feasible: {case.model} by {case.algorithm}", f"{way}; {message}"[:500])]
    return []


def _is_limit(message: str) -> bool:
    """Whether a refusal is about a limit that the user set, and not about the data."""
    return any(option in message for option in ("delta=", "max_cuts=", "max_suppressed=", "never_suppress="))


def template(message: str) -> str:
    """A message without names and numbers."""
    plain = re.sub(r"'[^']*'|\{[^}]*\}|\"[^\"]*\"|\([^)]*\)", "..", message)
    return re.sub(r"[\d.,]*\d+", "#", plain)[:90]


def where(error: BaseException) -> str:
    """The kind of an error and the place in the product that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    home = str(Path(shoal.__file__).parent)
    own = [frame for frame in frames if frame.filename.startswith(home)] or frames
    if not own:
        return type(error).__name__
    return f"{type(error).__name__} in {Path(own[-1].filename).name}:{own[-1].name}"
