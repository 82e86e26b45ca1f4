"""Checks a proof against the original data, without any code of the search, and with another solver.

1. The hierarchy of the proof is a tree.
2. The data have only items of that hierarchy.
3. Each rare set is counted again. No safe cut splits all parents of its nodes
   (docs/internals/theory.md, lifted threats).
4. The cost of each node is computed again.
5. The cut of the release keeps the guarantee, and costs what the proof says.
6. RC2 confirms that no cut within the constraints of the rare sets costs less than the lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from shoal import hierarchies, io
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.engines import Engine
from shoal.errors import OptionError
from shoal.evidence.proof import rc2, steps
from shoal.evidence.proof.document import Proof
from shoal.evidence.proof.problem import CutProblem, write_text
from shoal.evidence.proof.steps import Wrong
from shoal.files import all_or_none, check_writable
from shoal.progress import engine_with

SOLVER_TIME = 600.0  # seconds
STEPS = ("hierarchy", "data", "rare sets", "costs", "cut", "bound")


@dataclass(frozen=True)
class Step:
    """One step of the check."""

    name: str
    holds: bool | None  # None: not checked
    finding: str


@dataclass(frozen=True)
class ProofCheck:
    """The result of a check. It is true if every step holds.

    Parameters
    ----------
    proof : Proof
        The proof that was checked.
    steps : tuple of Step
        What was found in each step. If one does not hold, those after it are not checked.

    Examples
    --------
    >>> import shoal
    >>> release = shoal.anonymize([["a", "b"], ["a"], ["b"]], k=2, m=1, algorithm="optimal", siblings="label")
    >>> check = shoal.evidence.check_proof(shoal.evidence.proof_of(release), [["a", "b"], ["a"]])
    >>> bool(check), check.conclusion
    (False, "Wrong: costs: ...")
    """

    proof: Proof
    steps: tuple[Step, ...]

    def __bool__(self) -> bool:
        """Whether every step holds."""
        return bool(self.holds)

    @property
    def holds(self) -> bool | None:
        """Whether every step holds. None: some step could not be carried out."""
        found = [step.holds for step in self.steps]
        return False if False in found else None if None in found else True

    @property
    def conclusion(self) -> str:
        """What is known now, as a sentence."""
        if self.holds is False:
            return next(f"Wrong: {step.name}: {step.finding}." for step in self.steps if step.holds is False)
        if self.holds is None:
            return next(f"Not checked: {step.name}: {step.finding}." for step in self.steps if step.holds is None)
        proof = self.proof
        loss, bound = proof.cut_cost / proof.scale, proof.lower_bound / proof.scale
        kind = f"k^m-anonymous cut of this hierarchy (k = {proof.k}, m = {proof.m})"
        measure = proof.loss.upper() + ("" if proof.weights is None else " with the weights in the proof")
        if proof.proven:
            return f"No {kind} loses less than the release ({measure} {loss:.6f})."
        return f"Every {kind} loses at least {bound:.6f} ({measure}); the release loses {loss:.6f}."

    def as_dict(self) -> dict[str, Any]:
        """Return what ``shoal check-proof --json`` prints."""
        proof = self.proof
        return {
            "holds": self.holds,
            "claims_optimum": proof.proven,
            "model": {"name": "km", "k": proof.k, "m": proof.m},
            "counted": "persons" if proof.persons else "records",
            "loss": {"name": proof.loss, "release": proof.cut_cost / proof.scale},
            "lower_bound": proof.lower_bound / proof.scale,
            "rare_sets": len(proof.rare_sets),
            "steps": [{"name": step.name, "holds": step.holds, "finding": step.finding} for step in self.steps],
            "conclusion": self.conclusion,
        }


def check_proof(
    proof: Proof | str | Path,
    data: Any,
    *,
    hierarchy: Hierarchy | str | Path | None = None,
    solver: bool = True,
    solver_time: float | Literal["none"] = SOLVER_TIME,
    opb: str | Path | None = None,
    wcnf: str | Path | None = None,
    workers: int = 0,
    progress: bool | Callable[[str, float], None] = False,
    engine: Engine | None = None,
    **reading: Any,
) -> ProofCheck:
    """Check a proof that no other cut loses less than a release, against the original data.

    The check recounts the rare sets and costs, and asks another exact solver (RC2) for the bound. It shares no code
    with the search, and believes nothing in the proof but the hierarchy, the weights and the guarantee.

    Parameters
    ----------
    proof
        The proof, or its file.
    data
        The original data: anything that :func:`shoal.read` takes, or what it returned.
    hierarchy
        Your hierarchy, or its file: check that the proof's has all groups of it.
    solver
        Whether to run RC2. If not, the bound is not checked.
    solver_time
        Seconds for RC2, or ``"none"``. If they are over, the bound is not checked.
    opb, wcnf
        Write the problem to these files for a solver of your own: in the format of the pseudo-Boolean competitions, or
        of the MaxSAT evaluations. Do not publish them.
    workers, progress, engine
        As in :func:`shoal.anonymize`.
    **reading
        Options of :func:`shoal.read`, the same that the release was made with.

    Returns
    -------
    ProofCheck
        ``check.holds`` is True, False, or None if a step could not be carried out. ``check.steps`` tells more.

    Raises
    ------
    DataError
        If the file is not a proof of a known version.
    OptionError
        If RC2 is not installed, or arguments do not fit.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> data = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
    >>> release = shoal.anonymize(data, k=2, m=2, hierarchy=tree, algorithm="optimal")
    >>> check = check_proof(shoal.evidence.proof_of(release), data)
    >>> check.holds, check.conclusion
    (True, 'No k^m-anonymous cut of this hierarchy (k = 2, m = 2) loses less than the release (NCP 0.227273).')
    """
    if solver:
        rc2.require_solver()
    seconds = float("inf") if solver_time == "none" else _seconds(solver_time)
    named = ((opb, CutProblem.opb), (wcnf, CutProblem.wcnf))
    outputs = [(Path(path), write) for path, write in named if path is not None]
    _refuse_outputs([path for path, _ in outputs], proof, data)
    given = proof if isinstance(proof, Proof) else Proof.load(proof)
    owner = hierarchy if hierarchy is None or isinstance(hierarchy, Hierarchy) else hierarchies.load(hierarchy)
    if isinstance(data, Dataset) and reading:
        raise OptionError(f"{next(iter(reading))}= is for reading, but the data were read already: leave it out.")
    dataset = data if isinstance(data, Dataset) else io.read(data, **reading)
    with engine_with(progress=progress, workers=workers, engine=engine) as running:

        def bound(problem: CutProblem) -> Step:
            with all_or_none():
                for path, write in outputs:
                    write_text(path, write(problem))
            return _bound(given, problem, seconds if solver else None, running)

        return ProofCheck(given, tuple(_steps(given, dataset, owner, running, bound)))


def _steps(
    proof: Proof, data: Dataset, owner: Hierarchy | None, engine: Engine, bound: Callable[[CutProblem], Step]
) -> Iterator[Step]:
    """Carry out one step after the other, until one does not hold."""
    name = iter(STEPS)
    now = next(name)
    try:
        yield Step(now, True, steps.tree(proof, owner))
        now = next(name)
        rows = steps.encoded(proof, data.transactions)
        yield Step(now, True, f"{len(rows):,} records, with items of the hierarchy only")
        now = next(name)
        yield Step(now, True, steps.rare(proof, rows, engine))
        now = next(name)
        yield Step(now, True, steps.costs(proof, rows))
        now = next(name)
        problem = CutProblem(proof.hierarchy, proof.costs, [one.nodes for one in proof.rare_sets])
        yield Step(now, True, steps.cut(proof, rows, problem, engine))
        now = next(name)
        yield bound(problem)
    except Wrong as wrong:
        yield Step(now, False, str(wrong))
    except KeyboardInterrupt:
        yield Step(now, None, "interrupted")
    for left in name:
        yield Step(left, None, "an earlier step was not completed")


def _bound(proof: Proof, problem: CutProblem, seconds: float | None, engine: Engine) -> Step:
    """Have the bound confirmed by the second solver. ``seconds``: None leaves it out."""
    claimed, clauses = f"{proof.lower_bound:,}", f"{len(problem.clauses):,} different constraints"
    enough = proof.lower_bound - problem.least
    if enough <= 0:
        return Step("bound", True, f"every cut costs at least {claimed}, whatever is rare")
    if seconds is None:
        return Step("bound", None, "no solver was asked")
    try:
        found = rc2.minimum(problem.wcnf(), enough, seconds, engine.tick("solving with RC2"))
    except rc2.SolverFailed as error:
        return Step("bound", None, str(error))
    lower = f"{found.lower + problem.least:,}"
    if found.lower >= enough:
        return Step("bound", True, f"by RC2, no cut within {clauses} costs less than {claimed}")
    if found.optimal:
        return Step("bound", False, f"a cut within {clauses} costs {lower}, less than the claimed {claimed}")
    return Step("bound", None, f"RC2 has shown {lower} of the claimed {claimed} in {seconds:g} s: allow more time")


def _seconds(given: Any) -> float:
    """Return a time limit in seconds."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0:
        raise OptionError(f"solver_time= must be a number of seconds, 0 or more, or 'none', got {given!r}.")
    return float(given)


def _refuse_outputs(outputs: list[Path], *inputs: Any) -> None:
    """Refuse, before any work, to write where nothing can be written, and to overwrite what is read."""
    for path in outputs:
        check_writable(path)
    read = [Path(one).resolve() for one in inputs if isinstance(one, str | Path)]
    names = [path.resolve() for path in outputs]
    if len({*names}) < len(names) or {*names} & {*read}:
        raise OptionError("opb=, wcnf=, the proof and the data must be different files.")
