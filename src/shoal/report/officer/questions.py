"""Answers to the three questions of the Article 29 Working Party (opinion 05/2014), in words and figures."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data import notes
from shoal.release.release import Release
from shoal.release.risks import Risks
from shoal.report.formatting import count, count_noun, share
from shoal.report.officer.discretion import FEWEST_FOR_RISK, Discretion
from shoal.report.officer.sections import Question, Table
from shoal.report.officer.wording import counted, estimated, knows, other_releases, shared, threshold
from shoal.risk import Inference, Posterior, Scenario
from shoal.risk.assessment import Choice

VALUES = 20  # sensitive values that a table lists


@dataclass(frozen=True)
class Officer:
    """A release, its risk, and the threshold that was chosen."""

    release: Release
    risks: Risks
    thresholds: tuple[float, ...]
    discretion: Discretion
    compared_with: tuple[str, ...] | None = None  # earlier releases of its series; None: it is in no series

    def was_above(self, scenario: Scenario) -> str | None:
        """Return the share of original records whose risk is above the threshold, or None if it is not told."""
        return self.discretion.share(dict(scenario.above)[self.limit])

    @property
    def threshold(self) -> float | None:
        """The strictest threshold that was chosen."""
        return min(self.thresholds, default=None)

    @property
    def limit(self) -> float:
        """The threshold that tables show: the strictest that was chosen, or that of the European Medicines Agency."""
        return self.threshold or 1 / 11

    @property
    def noun(self) -> str:
        """What crowds consist of."""
        return self.risks.after.counted

    @property
    def fitting(self) -> str:
        """The same with what they must do, for sentences."""
        return "records that fit" if self.noun == "records" else f"{self.noun} with a record that fits"

    @property
    def model_covers_columns(self) -> bool:
        """Whether the guarantee assumes that all quasi-identifying columns are known."""
        return self.release.problem.model.relational

    def pairs(self, choice: Choice, *, columns: bool) -> list[tuple[Scenario, Scenario]]:
        """Return each scenario before and after."""
        before = {(one.known_items, one.columns, one.choice): one for one in self.risks.before.scenarios}
        mine = [one for one in self.risks.after.scenarios if one.columns is columns and one.choice == choice]
        return [(before.get((one.known_items, columns, choice), one), one) for one in mine]

    @property
    def limits_finding(self) -> bool:
        """Whether the guarantee is about finding records, of everybody."""
        model = self.release.problem.model
        return "k" in model.values() and not model.about_holders

    def assumed(self, scenario: Scenario) -> bool:
        """Whether an attacker knows no more than the guarantee assumes."""
        model, known = self.release.problem.model, self.release.risks.known
        if scenario.columns and not model.relational:
            return False
        if not model.covers_sets:
            return scenario.known_items == 0
        return known == "all" or (scenario.known_items != "all" and scenario.known_items <= known)

    def promised(self, scenario: Scenario) -> bool:
        """Whether the guarantee says something about this attacker."""
        return self.limits_finding and self.assumed(scenario)

    def above(self, scenario: Scenario) -> str:
        """Return the share of records whose risk is above the threshold."""
        return shared(dict(scenario.above)[self.limit])

    @property
    def strongest(self) -> tuple[Scenario, Scenario]:
        """The strongest attacker that the guarantee covers, or the weakest that there is, before and after."""
        pairs = self.pairs("worst", columns=self.model_covers_columns) or self.pairs("worst", columns=False)
        covered = [one for one in pairs if self.assumed(one[1])]
        return (covered or pairs[:1])[-1]

    @property
    def beyond(self) -> list[tuple[Scenario, Scenario]]:
        """Attackers who know more than the guarantee assumes, before and after."""
        columns = self.model_covers_columns
        return [one for one in self.pairs("worst", columns=columns) if not self.assumed(one[1])]


def all_questions(officer: Officer) -> tuple[Question, ...]:
    """Return the three questions with their answers."""
    return singling_out(officer), linkability(officer), inference(officer)


# -- singling out ------------------------------------------------------------------------------------------------------


def singling_out(officer: Officer) -> Question:
    """Answer whether records of a person can be picked out."""
    before, after = officer.strongest
    answers = [_crowd(officer, before, after), *_about_learning(officer), *_beyond(officer)]
    tables = [_risk_table(officer, columns=columns) for columns in dict.fromkeys((officer.model_covers_columns, False))]
    return Question(
        "singling out",
        "Can somebody find the record of one person?",
        tuple(answers),
        tuple(table for table in tables if table.rows),
    )


def _crowd(officer: Officer, before: Scenario, after: Scenario) -> str:
    """Return a sentence on the smallest crowd that the strongest attacker of the guarantee finds."""
    if after.known_items == 0 and not after.columns:
        return "The records hold nothing that an attacker could know."
    who = knows(after.known_items, columns=after.columns)
    which = "" if after.known_items == 0 else ", whichever items these are"
    if after.smallest.value == 1:
        return (
            f"An attacker who knows {who} of a record may find it alone. The chance to pick the right one is "
            f"{shared(after.prosecutor_mean)} on average. {officer.above(after)} of the records have a risk above "
            f"{threshold(officer.limit)}{_instead(officer, before)}."
        )
    none = "" if after.known_items == 0 else ", or none"
    return (
        f"An attacker who knows {who} of a record finds at least {counted(after.smallest)} {officer.fitting}{none}"
        f"{which}. So the chance to pick the right one is at most {shared(after.prosecutor_max)}, and "
        f"{shared(after.prosecutor_mean)} on average. {officer.above(after)} of the records have a risk above "
        f"{threshold(officer.limit)}{_instead(officer, before)}."
    )


def _instead(officer: Officer, before: Scenario) -> str:
    """Return the share of original records at risk as the end of a sentence, if it is told."""
    was = officer.was_above(before)
    return "" if was is None else f", instead of {was} in the original data"


def _about_learning(officer: Officer) -> list[str]:
    """Return what must be added for models that do not limit finding, and for methods that publish false items."""
    model, told = officer.release.problem.model, list[str]()
    if model.about_holders:
        told.append(f"The model ({model.title}) is about records with a sensitive item only. It promises no more.")
    elif not officer.limits_finding:
        told.append(f"The model ({model.title}) limits what can be learned. It does not promise how many records fit.")
    if not officer.release.algorithm.truthful:
        told.append("Some published items are false, so the records that fit need not hold the right one.")
    return told


def _beyond(officer: Officer) -> list[str]:
    """Return a sentence on attackers who know more than the guarantee assumes."""
    if not officer.beyond:
        return []
    before, after = officer.beyond[0]
    who = knows(after.known_items, columns=after.columns)
    return [
        f"The guarantee says nothing about attackers who know more. To one who knows {who}, in the worst case "
        f"{counted(after.smallest)} of the {officer.noun} fit. {officer.above(after)} of the records then have a risk "
        f"above {threshold(officer.limit)}{_instead(officer, before)}."
    ]


def _risk_table(officer: Officer, *, columns: bool) -> Table:
    """Return the figures for each attacker. The worst choice of known items comes first."""
    worst, chance = officer.pairs("worst", columns=columns), officer.pairs("random", columns=columns)
    rows = []
    for (before, after), (chance_before, chance_after) in zip(worst, chance, strict=True):
        mark = "" if officer.promised(after) else " *"
        rows.append(
            (
                f"{knows(after.known_items, columns=columns)}{mark}",
                "–" if officer.discretion.public else counted(before.smallest),
                counted(after.smallest),
                officer.was_above(before) or "–",
                officer.above(after),
                officer.was_above(chance_before) or "–",
                officer.above(chance_after),
                shared(after.prosecutor_mean),
            )
        )
    starred = "* The guarantee says nothing about this attacker. " if any("*" in row[0] for row in rows) else ""
    pairs = (*worst, *chance)
    shown = [after for _, after in pairs] + ([] if officer.discretion.public else [before for before, _ in pairs])
    return Table(
        f"Risk of being found{', if all columns are known' if columns else ''}",
        (
            "An attacker who knows",
            *(("before", "now") * 3),
            "now",
        ),
        tuple(rows),
        f"{starred}At risk: the risk of the record is above {threshold(officer.limit)}. The risk is 1 divided by the "
        f"number of {officer.noun} that fit. Worst items: those that leave the fewest. {_by_labels(worst)}"
        f"{_told_before(officer)}{estimated(shown)}".strip(),
        (
            ("", 1),
            (f"fewest {officer.noun} that fit", 2),
            ("records at risk, worst items", 2),
            ("records at risk, random items", 2),
            ("mean risk, worst items", 1),
        ),
    )


def _by_labels(pairs: list[tuple[Scenario, Scenario]]) -> str:
    """Return a sentence on what an attacker is assumed to know of the published data, if that is items."""
    if all(after.known_items == 0 for _, after in pairs):
        return ""
    return "Now, the attacker is assumed to know published labels, so the figures are never too small. "


def _told_before(officer: Officer) -> str:
    """Return a sentence on what is not told about the original data, or an empty string."""
    if not officer.discretion.public:
        return ""
    if officer.discretion.tells_risk:
        return "Figures of the original data are rounded, and its crowds are left out. "
    return f"Figures of fewer than {FEWEST_FOR_RISK:,} original records are not told. "


# -- linkability -------------------------------------------------------------------------------------------------------


def linkability(officer: Officer) -> Question:
    """Answer whether records of the same person in two data sets can be joined."""
    columns = officer.model_covers_columns and bool(officer.pairs("worst", columns=True))
    before, after = officer.pairs("worst", columns=columns)[-1]
    who = knows(after.known_items, columns=after.columns)
    alone, was = shared(after.histogram[0].share), officer.discretion.share(before.histogram[0].share)
    instead = "" if was is None else f", instead of {was} in the original data"
    joined = (
        f"Two data sets about the same people can be joined by what both hold. An attacker who has {who} of a record "
        f"from another source finds it alone in {alone} of the cases{instead}."
    )
    answers = [
        *([] if who == "nothing" else [joined]),
        _order(officer.release),
        *_columns_that_link(officer.release),
        _other_releases(officer),
    ]
    return Question("linkability", "Can records of one person be joined?", tuple(answers), ())


def _other_releases(officer: Officer) -> str:
    """Return sentences on other releases of the same records."""
    undo = "Two releases of the same records can undo each other's protection: publish the records"
    if officer.compared_with is None:
        return f"No other release was looked at. {undo} once."
    told = other_releases(officer.compared_with, named=not officer.discretion.public)
    return f"{told} No release outside the series was looked at. {undo} in this series alone."


def _order(release: Release) -> str:
    """Return a sentence on the order of the records."""
    if release.order is not None:
        return "The records are sorted by their content, so their order links them to nothing."
    return (
        "The records are in the order of the original data. Whoever has another file of the same records in this order "
        "can join them line by line."
    )


def _columns_that_link(release: Release) -> list[str]:
    """Return a sentence on published columns that look like ids."""
    named = [name for note in release.note_values if isinstance(note, notes.LinkingColumns) for name in note.columns]
    if not named:
        return []
    return [f"These published columns look like ids, which link records: {', '.join(named)}."]


# -- inference ---------------------------------------------------------------------------------------------------------


def inference(officer: Officer) -> Question:
    """Answer what can be concluded about a person without finding the record."""
    published = published_inferences(officer)
    asks = "Can something be learned about a person without finding the record?"
    if not published:
        model = officer.release.problem.model
        promise = f"{model.describe(officer.release.problem.persons)} No more can be said about single records."
        return Question("inference", asks, (promise if model.sensitive_labels else NOTHING_SENSITIVE,), ())
    worst = max(published, key=lambda one: _strongest(officer, one[1]).largest.value)
    value, after = worst[1].value, _strongest(officer, worst[1])
    who = knows(after.known_items, columns=after.columns)
    answer = (
        f"'{value}' is published in {share(worst[1].prior.value)} of all records. For an attacker who knows {who} of a "
        f"record, its probability is at most {shared(after.largest)}. It is {shared(after.mean)} on average, over the "
        f"records that have it. What is learned is the difference."
    )
    return Question("inference", asks, (answer,), (_posteriors(officer, published),))


def published_inferences(officer: Officer) -> list[tuple[Inference | None, Inference]]:
    """Return what is revealed of each published sensitive value, before and after."""
    if any(isinstance(note, notes.SensitiveItemsShuffled) for note in officer.release.note_values):
        return []  # which record holds which value is not published
    told = officer.discretion.tells_risk and officer.release.algorithm.truthful  # else false items hide it
    known = officer.risks.before.inferences if told else ()
    before = {one.value: one for one in known}
    return [(before.get(one.value), one) for one in officer.risks.after.inferences if one.records]


def _strongest(officer: Officer, one: Inference) -> Posterior:
    """Return the figures for the strongest attacker that the guarantee covers."""
    known, columns = officer.release.risks.known, officer.model_covers_columns
    mine = [two for two in one.posteriors if two.columns is columns] or list(one.posteriors)
    covered = [two for two in mine if two.known_items != "all" and (known == "all" or two.known_items <= known)]
    return (covered or mine)[-1]


def _posteriors(officer: Officer, pairs: list[tuple[Inference | None, Inference]]) -> Table:
    """Return what is learned about each value. The values that are learned most surely come first."""
    ranked = sorted(pairs, key=lambda one: (-_strongest(officer, one[1]).largest.value, one[1].value))
    rows = []
    for before, after in ranked[:VALUES]:
        now, was = _strongest(officer, after), None if before is None else _strongest(officer, before)
        rows.append(
            (
                after.value,
                count(after.records),
                share(after.prior.value),
                ("–" if was is None else officer.discretion.share(was.largest) or "–"),
                shared(now.largest),
                ("–" if was is None else officer.discretion.share(was.mean) or "–"),
                shared(now.mean),
            )
        )
    known = _strongest(officer, ranked[0][1])
    more = f"{count_noun(len(ranked) - VALUES, 'more value')} are in the JSON report. " if len(ranked) > VALUES else ""
    return Table(
        f"What an attacker learns who knows {knows(known.known_items, columns=known.columns)}",
        ("Sensitive value", "records", "share", "before", "now", "before", "now"),
        tuple(rows),
        f"{more}Mean: over the records that have the value, with known items drawn at random.",
        (("", 1), ("in the published data", 2), ("largest probability", 2), ("mean probability", 2)),
    )


NOTHING_SENSITIVE = (
    "No items or values were declared sensitive, so nothing limits what can be concluded. If all records that fit what "
    "an attacker knows have a certain item, the attacker learns this item without finding the record. The model lm "
    "limits that for items that you name."
)
