"""The risk on the terminal: a table for each question, below one sentence that answers it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shoal.cli import console
from shoal.jobs.risk import RiskResult
from shoal.report.formatting import band, count, label, share
from shoal.risk import Assessment, Figure, Inference, Scenario
from shoal.risk.assessment import Choice, Known

Columns = Sequence[tuple[str, Choice, Callable[[Scenario], str]]]  # a title, which scenario, and what it shows
ABOUT = (
    "A crowd is everything that fits what an attacker knows of a record. Worst: the known items are those that leave "
    "the smallest crowd. Random: they are drawn at random."
)
CROWDS: Columns = (
    ("smallest", "worst", lambda one: _number(one.smallest)),
    ("median, worst", "worst", lambda one: _number(one.quantiles[-1][1])),
    ("median, random", "random", lambda one: _number(one.quantiles[-1][1])),
)
FOUND: Columns = (
    ("highest", "worst", lambda one: _percent(one.prosecutor_max)),
    ("mean, worst", "worst", lambda one: _percent(one.prosecutor_mean)),
    ("mean, random", "random", lambda one: _percent(one.prosecutor_mean)),
)
IN_POPULATION: Columns = (
    ("highest", "worst", lambda one: _percent(one.journalist_max)),
    ("mean, worst", "worst", lambda one: _percent(one.journalist_mean)),
    ("mean, random", "random", lambda one: _percent(one.journalist_mean)),
)


def show(result: RiskResult) -> None:
    """Show all tables."""
    found = result.assessment
    main = _main(result)
    knows = f"an attacker who knows {_known(main.known_items, main.columns)}"
    people = "" if found.persons is None else f" of {count(found.persons)} {found.counted}"
    everybody = count(found.records if found.persons is None else found.persons)
    console.say(f"{count(found.records)} records{people}. {ABOUT}")
    _section(
        f"Crowds: {knows} can narrow a record down to {_number(main.smallest)} of {everybody} {found.counted}.",
        result,
        CROWDS,
    )
    _section(
        f"Finding a record that is in the data (prosecutor): {knows} picks the right one with a chance of up to "
        f"{_percent(main.prosecutor_max)}. If every record is attacked, {_percent(main.prosecutor_mean)} are found.",
        result,
        FOUND,
    )
    if found.population is not None:
        _section(
            f"Finding a record that may be in the data (journalist): among all {count(found.population)} "
            f"{found.counted} of the population, the chance is up to {_percent(main.journalist_max)}. If every record "
            f"is attacked, {_percent(main.marketer)} are found.",
            result,
            IN_POPULATION,
        )
    for at, limit in enumerate(found.thresholds):
        _section(
            f"Above the threshold {limit:.3g}: {knows} has a better chance for {_percent(main.above[at][1])} of the "
            f"records.",
            result,
            [("worst", "worst", _above(at)), ("random", "random", _above(at))],
        )
    for inference in found.inferences:
        _inference(inference, result)
    _about_estimates(result)


def _main(result: RiskResult) -> Scenario:
    """Return the scenario that the sentences are about: the worst choice of m items, with the columns if known."""
    worst = [one for one in result.assessment.scenarios if one.choice == "worst"]
    known = [one for one in worst if one.known_items == (3 if result.m == "all" else result.m)]
    return [*worst[:1], *known][-1]


def _section(sentence: str, result: RiskResult, columns: Columns) -> None:
    """Show a sentence and a table with a line for each intruder. The original data have columns of their own."""
    sides = [("", result.assessment)]
    if result.original is not None:
        sides.insert(0, ("original: ", result.original))
    names = [f"{side}{title}" for side, _ in sides for title, _, _ in columns]
    asked = [(one.known_items, one.columns) for one in result.assessment.scenarios if one.choice == "worst"]
    rows = [
        [_known(*known), *(_cell(side, *known, choice, shown) for _, side in sides for _, choice, shown in columns)]
        for known in asked
    ]
    console.say("")
    console.say((sentence, "bold"))
    console.table(None, ["knowing", *names], rows)


def _cell(found: Assessment, number: Known, columns: bool, choice: Choice, shown: Callable[[Scenario], str]) -> str:
    """Return the text of a cell. It is empty if the data have no items."""
    known = [(one.known_items, one.columns) for one in found.scenarios]
    return shown(found.scenario(number, choice, columns=columns)) if (number, columns) in known else ""


def _inference(inference: Inference, result: RiskResult) -> None:
    """Show what is learned of a sensitive value."""
    before = () if result.original is None else result.original.inferences
    raw = [("original: ", one) for one in before if one.value == inference.value]
    sides = [
        (f"{side}{name}", {(one.known_items, one.columns): getattr(one, name) for one in own.posteriors})
        for side, own in [*raw, ("", inference)]
        for name in ("largest", "mean")
    ]
    main = _main(result)  # the intruder that the other sentences are about, or the weaker ones
    less = [one for one in inference.posteriors if _no_more(one.known_items, main.known_items)]
    most = max(less or inference.posteriors, key=lambda one: one.largest.value)
    value = label(inference.value)
    console.say("")
    console.say(
        (
            f"Learning '{value}': {_percent(inference.prior)} of all have it. Of those who fit what an attacker knows "
            f"of one who has it ({_known(most.known_items, most.columns)}), up to {_percent(most.largest)} have it.",
            "bold",
        )
    )
    rows = [
        [_known(one.known_items, one.columns), *(_percent(own.get((one.known_items, one.columns))) for _, own in sides)]
        for one in inference.posteriors
    ]
    console.table(None, ["knowing", *(name for name, _ in sides)], rows)


def _no_more(number: Known, most: Known) -> bool:
    """Return whether a number of known items is not above another."""
    return most == "all" or (number != "all" and number <= most)


def _about_estimates(result: RiskResult) -> None:
    """Say which figures are estimates, and from how many draws."""
    both = [one for one in (result.assessment, result.original) if one is not None]
    draws = {one.draws for found in both for one in found.scenarios}
    draws |= {one.draws for found in both for inference in found.inferences for one in inference.posteriors}
    numbers = " or ".join(count(number) for number in sorted(draws - {0}))
    console.say("")
    console.say(
        f"Figures with a range are estimated from {numbers} draws. The range is a 95 % interval. The others are exact."
        if numbers
        else "A figure with a range is between these bounds. The others are exact."
        if any(not figure.exact for found in both for figure in _means(found))
        else "All figures are exact."
    )


def _means(found: Assessment) -> list[Figure]:
    """Return the figures that have a range if any has."""
    return [figure for one in found.scenarios for figure in (one.prosecutor_mean, one.smallest)]


def _above(at: int) -> Callable[[Scenario], str]:
    """Return what shows the share above a threshold."""
    return lambda one: _percent(one.above[at][1])


def _known(number: Known, columns: bool) -> str:
    """Return what is known, in words."""
    items = {0: "", 1: "1 item", "all": "all items"}.get(number, f"{number} items")
    return " and ".join(part for part in ("the columns" if columns else "", items) if part) or "nothing"


def _number(figure: Figure) -> str:
    """Return a number, with its range if it is not exact."""
    value = count(int(figure.value))
    return value if figure.exact else f"{value} ({band(int(figure.low), int(figure.high))})"


def _percent(figure: Figure | None) -> str:
    """Return a share, with its range if it is not exact."""
    if figure is None:
        return ""
    if figure.exact:
        return share(figure.value)
    return f"{share(figure.value)} ({share(figure.low).removesuffix(' %')}–{share(figure.high).removesuffix(' %')})"
