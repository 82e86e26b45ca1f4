"""``shoal check-proof``: check what the lower bound of a release rests on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import shoal
from shoal import hierarchies
from shoal.cli import console
from shoal.cli.help import DATA, OUTPUT, SEARCH, GroupedCommand, engine_options, json_option, option
from shoal.cli.options import FILE, INPUT, data_options, dataset_options, reading, seconds, tell
from shoal.errors import OptionError
from shoal.evidence.proof.check import SOLVER_TIME, ProofCheck

EXIT_CODES = {True: 0, False: 1, None: 2}
MARKS = {True: ("holds", "green"), False: ("WRONG", "bold red"), None: ("not checked", "yellow")}


@click.command(cls=GroupedCommand)
@click.argument("proof", type=INPUT)
@click.argument("data", type=INPUT)
@data_options
@option("--hierarchy", type=FILE, group=DATA, help="Check that the proof is about this hierarchy, or a refined one.")
@dataset_options("hierarchy_format")
@option(
    "--solver-time",
    metavar="SECONDS|none",
    default=f"{SOLVER_TIME:g}",
    group=SEARCH,
    help="Time for RC2, the second solver. When it is over, the bound counts as not checked.",
)
@option("--no-solver", is_flag=True, group=SEARCH, help="Do not run RC2. The bound counts as not checked.")
@option("--opb", type=FILE, group=OUTPUT, help="Write the problem for a pseudo-Boolean solver. Do not publish it.")
@option("--wcnf", type=FILE, group=OUTPUT, help="Write the problem for a MaxSAT solver. Do not publish it.")
@engine_options
@json_option
@click.pass_context
def command(
    context: click.Context,
    /,
    proof: Path,
    data: Path,
    hierarchy: Path | None,
    hierarchy_format: str | None,
    solver_time: str,
    no_solver: bool,
    opb: Path | None,
    wcnf: Path | None,
    as_json: bool,
    workers: int,
    **given: Any,
) -> None:
    """Check the PROOF that no other release of DATA loses less.

    'shoal anonymize --proof' writes it. The check recounts the rare sets and the costs in DATA, the original, and
    asks another exact solver for the bound. It shares no code with the search. Read DATA with the same options. The
    exit code is 0 if all of it holds, 1 if something is wrong, and 2 if it cannot be checked.

    \b
    shoal check-proof proof.json baskets.dat --hierarchy products.csv
    """
    tree = None if hierarchy is None else hierarchies.load(hierarchy, format=hierarchy_format)
    limit = seconds(solver_time, "--solver-time")
    named = shoal.evidence.Proof.load(proof)
    for path in (opb, wcnf):
        if path is not None and path.exists() and any(one.exists() and path.samefile(one) for one in (proof, data)):
            raise OptionError(f"{path} is an input too: name another file to write.")
    original = tell(shoal.read(data, **reading(given)))
    with console.engine(workers) as engine:
        result = shoal.evidence.check_proof(
            named,
            original,
            hierarchy=tree,
            solver=not no_solver,
            solver_time=limit,
            opb=opb,
            wcnf=wcnf,
            engine=engine,
        )
    if as_json:
        console.show_json("check-proof", result.as_dict())
    else:
        _show(result)
    context.exit(EXIT_CODES[result.holds])


def _show(result: ProofCheck) -> None:
    """Show each step, and what follows."""
    for step in result.steps:
        console.say(f"{step.name}: ", MARKS[step.holds], f" ({step.finding})")
    if result.holds:
        console.say(("Holds.", "bold green"), f" {result.conclusion}")
    else:
        console.say((result.conclusion, "bold"))
