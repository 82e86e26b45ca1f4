"""``shoal demo``: a complete anonymization of generated data."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

import shoal
from shoal import hierarchies, io, report
from shoal.cli import console
from shoal.cli.anonymize import show
from shoal.cli.help import DATA, GUARANTEE, OUTPUT, GroupedCommand, option
from shoal.cli.options import FILE
from shoal.cli.profile import show_risk
from shoal.errors import OutputError
from shoal.generators.supermarket import product_hierarchy, supermarket
from shoal.release.pipeline import make_release
from shoal.report import Story

SHORT = 5  # items of a basket that is shown


@click.command(cls=GroupedCommand)
@option("--folder", metavar="FOLDER", default="demo", type=FILE, group=OUTPUT, help="The folder to write to.")
@option("--rows", default=20_000, type=click.IntRange(min=100), group=DATA, help="How many baskets to generate.")
@option(
    "--k",
    default=5,
    type=click.IntRange(min=2),
    group=GUARANTEE,
    help="The smallest number of records that share what an attacker knows.",
)
@option("--m", default=3, type=click.IntRange(min=1), group=GUARANTEE, help="How many items an attacker may know.")
def demo(folder: Path, rows: int, k: int, m: int) -> None:
    """Show a whole anonymization of generated baskets."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"The folder {folder} cannot be made: {error.strerror}.") from None
    raw, tree_file = folder / "baskets.basket", folder / "products.csv"
    released, page = folder / "published.basket", folder / "report.html"

    console.say(("1. The data", "bold"), ": generated supermarket baskets and a named product hierarchy")
    baskets = shoal.Dataset(supermarket(rows=rows, seed=0))
    io.write(baskets, raw)
    hierarchies.save(product_hierarchy(), tree_file)
    data, tree = shoal.read(raw), hierarchies.load(tree_file)
    console.say(f"   {raw}: {len(data):,} baskets, {len(data.transactions.labels)} products; {tree_file}")
    console.say("")

    model = shoal.Km(k=k, m=m)
    with console.engine(0) as engine:
        risk = "what an attacker could do who saw a few things on top of a shopping bag"
        console.say(("2. The risk", "bold"), f": {risk}")
        show_risk(shoal.metrics.Risk.of(data.transactions, k, m, engine))
        console.say("")
        console.say(("3. The anonymization", "bold"), ": search, apply, verify, and only then write")
        release = make_release(shoal.Problem(data, tree, model), engine=engine)
        release = release.save(released)
        story = Story.of(release)
        report.write(story, page)
    show(story, str(released), [("report", str(page))])

    console.say("")
    console.say(("4. The proof", "bold"), ": independent code reads the published file and checks it")
    published = shoal.published.Published.plain(shoal.read(released).transactions)
    verdict = model.verify(published)
    word = ("holds", "bold green") if verdict.holds else ("violated", "bold red")
    console.say("   ", word, f", {verdict.checked:,} label sets checked: shoal verify {released} --k {k} --m {m}")
    show_risk(shoal.metrics.Risk.of(published.rows, k, m))

    console.say("")
    console.say(("5. What is left", "bold"), ": three baskets, before and after")
    pairs = list(zip(data.transactions.sets(), published.rows.sets(), strict=True))
    shown = [(_basket(before), _basket(after)) for before, after in _telling(pairs)]
    console.table(None, ["before", "after"], shown, right=9)
    console.say("")
    console.say("To show around: open ", (str(page), "bold"), " in a browser. It is one file and needs no network.")
    command = "shoal" if shutil.which("shoal") else sys.argv[0]  # in .venv/bin after make demo
    console.say(f"To anonymize a file of your own: {command} init FILE, then {command} run problem.toml")


def _telling(pairs: list[tuple[frozenset[str], frozenset[str]]]) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Return three short baskets: if possible, two that change and one that does not."""
    short = [pair for pair in pairs if 2 <= len(pair[0]) <= SHORT]
    changed = [pair for pair in short if pair[0] != pair[1]]
    same = [pair for pair in short if pair[0] == pair[1]]
    few = [*changed[:2], *same[:1]]
    return (few + [pair for pair in short if pair not in few])[:3] or pairs[:3]


def _basket(labels: frozenset[str]) -> str:
    return ", ".join(sorted(labels))
