"""The risk on the terminal: a table for each question, below one sentence that answers it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shoal.cli import console
from shoal.jobs.risk import RiskResult
from shoal.report.formatting import count, share
from shoal.risk import Assessment, Figure, Inference, Scenario

Cell = Callable[[Scenario], str]
Columns = Sequence[tuple[str, Cell]]


def show(result: RiskResult) -> None:
    """Show all tables."""
    found, before = result.assessment, result.original
    main = _main(result)
    console.say(
        f"{_whose(found)}. Attackers know items of a record{_and_columns(found)}: those that leave the smallest"
    )
    console.say("crowd (worst), or some at random. A record's crowd is everything that fits what is known of it.")
    if main is not None:
        console.say("")
        console.say(
            f"Crowds: {_intruder(main)} is left with {_least(main.smallest)} {found.counted}, in the worst case."
        )
        _table(
            result,
            "crowds",
            [("smallest", _smallest), ("1 % are up to", _quantile(0)), ("half are up to", _quantile(3))],
        )
        console.say("")
        console.say(
            f"Finding a record: {_intruder(main)} picks the right one with a chance of {_up_to(main.prosecutor_max)}. "
            f"If all records are attacked that way, {_percent(main.marketer)} are found."
        )
        _table(result, "risk", _risks(found))
        for at, limit in enumerate(found.thresholds):
            console.say("")
            console.say(
                f"Records above {limit:.3g}: {_percent(main.above[at][1])} of the records have a risk above {limit:.3g}, "
                f"if {_intruder(main)} attacks."
            )
            _table(result, f"records with a risk above {limit:.3g}", [("share", _above(at))])
    for inference in found.inferences:
        console.say("")
        _inference(inference, before)
    _about_estimates(result)


def _main(result: RiskResult) -> Scenario | None:
    """Return the scenario that the sentences are about: the worst choice of m items, with the columns if known."""
    worst = [one for one in result.assessment.scenarios if one.choice == "worst" and one.known_items == result.m]
    return (worst or [one for one in result.assessment.scenarios if one.choice == "worst"] or [None])[-1]


def _table(result: RiskResult, title: str, columns: Columns) -> None:
    """Show some figures of every scenario, worst and random, and beside them those of the original."""
    found, before = result.assessment, result.original
    names, rows = ["knowing"], []
    sides = [(found, "")] if before is None else [(before, "original, "), (found, "")]
    for _, side in sides:
        names += [f"{side}{choice}: {name}" for choice in ("worst", "random") for name, _ in columns]
    for one in found.scenarios:
        if one.choice == "worst":
            cells = [_known(one)]
            for side, _ in sides:
                for choice in ("worst", "random"):
                    own = _same(side, one, choice)
                    cells += ["" if own is None else show(own) for _, show in columns]
            rows.append(cells)
    console.table(title, names, rows)


def _same(found: Assessment, like: Scenario, choice: str) -> Scenario | None:
    """Return the scenario of the same intruder, if there is one."""
    wanted = (like.known_items, like.columns, choice)
    return next((one for one in found.scenarios if (one.known_items, one.columns, one.choice) == wanted), None)


def _inference(inference: Inference, before: Assessment | None) -> None:
    """Show what is learned of a sensitive value."""
    most = max(inference.posteriors, key=lambda one: one.largest.value)
    console.say(
        f"Learning '{inference.value}': {_percent(inference.prior)} have it. An attacker who knows {_known(most)} of "
        f"one who has it can be sure to {_percent(most.largest)}."
    )
    raw = {} if before is None else {one.value: one for one in before.inferences}
    rows = []
    for at, one in enumerate(inference.posteriors):
        own = raw.get(inference.value)
        known = [] if own is None else [own.posteriors[at].largest, own.posteriors[at].mean]
        rows.append([_known(one), *map(_percent, [*known, one.largest, one.mean])])
    names = ["largest", "mean"]
    side = [f"original, {name}" for name in names] if inference.value in raw else []
    console.table(f"chance of '{inference.value}'", ["knowing", *side, *names], rows)


def _about_estimates(result: RiskResult) -> None:
    """Say what was estimated, and from how many draws."""
    both = [one for one in (result.assessment, result.original) if one is not None]
    draws = {one.draws for found in both for one in found.scenarios}
    draws |= {one.draws for found in both for inference in found.inferences for one in inference.posteriors}
    console.say("")
    if not draws - {0}:
        console.say("All figures are exact: every record was counted.")
        return
    numbers = " or ".join(count(number) for number in sorted(draws - {0}))
    console.say(f"Figures in brackets are 95 % intervals: estimated from {numbers} draws. The others are exact.")


def _risks(found: Assessment) -> Columns:
    """Return the columns about finding records."""
    columns: list[tuple[str, Cell]] = [
        ("highest", lambda one: _percent(one.prosecutor_max)),
        ("mean", lambda one: _percent(one.prosecutor_mean)),
    ]
    if found.population is not None:
        columns += [
            ("highest in population", lambda one: _percent(one.journalist_max)),
            ("mean in population", lambda one: _percent(one.journalist_mean)),
        ]
    return columns


def _smallest(one: Scenario) -> str:
    """Return the smallest crowd as text."""
    return _number(one.smallest)


def _quantile(at: int) -> Cell:
    """Return the text of a quantile."""
    return lambda one: _number(one.quantiles[at][1])


def _above(at: int) -> Cell:
    """Return the text of the share above a threshold."""
    return lambda one: _percent(one.above[at][1])


def _whose(found: Assessment) -> str:
    """Return what was assessed."""
    if found.persons is None:
        return f"{count(found.records)} records"
    return f"{count(found.records)} records of {count(found.persons)} {found.counted}"


def _and_columns(found: Assessment) -> str:
    return " and maybe the columns" if any(one.columns for one in found.scenarios) else ""


def _intruder(one: Scenario) -> str:
    """Return the intruder of a scenario as a subject."""
    return f"an attacker who knows {_known(one)}"


def _known(one: Scenario | object) -> str:
    """Return what is known, in words."""
    number, columns = getattr(one, "known_items"), getattr(one, "columns")  # noqa: B009
    items = {0: "", "all": "all items", 1: "1 item"}.get(number, f"{number} items")
    return " and ".join(part for part in ("the columns" * columns, items) if part) or "nothing"


def _least(figure: Figure) -> str:
    """Return a number as a lower bound."""
    return f"at least {count(int(figure.low))}"


def _up_to(figure: Figure) -> str:
    """Return a share as an upper bound."""
    return f"at most {share(figure.high)}"


def _number(figure: Figure) -> str:
    """Return a number, with its interval if it is an estimate."""
    low, value, high = (count(int(number)) for number in (figure.low, figure.value, figure.high))
    return value if figure.exact else f"{value} [{low}–{high}]"


def _percent(figure: Figure | None) -> str:
    """Return a share, with its interval if it is an estimate."""
    if figure is None:
        return ""
    if figure.exact:
        return share(figure.value)
    low, high = (share(number).removesuffix(" %") for number in (figure.low, figure.high))
    return f"{share(figure.value)} [{low}–{high}]"
