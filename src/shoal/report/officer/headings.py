"""Maps a release to the headings of regulators. What only people know comes from them, or stays an open question."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.data.table import Role
from shoal.release.release import Release
from shoal.report.formatting import count, count_noun, share
from shoal.report.officer.context import QUESTIONS, Context
from shoal.report.officer.questions import Officer
from shoal.report.officer.sections import Entry, Question, Regulator
from shoal.report.officer.wording import counted, knows, other_releases, shared, threshold


def regulators(officer: Officer, context: Context, questions: tuple[Question, ...]) -> tuple[Regulator, ...]:
    """Return what the report says under the headings of each regulator."""
    told = _Told(officer, context)
    return (
        Regulator(
            "ISO/IEC 27559",
            "ISO/IEC 27559:2022, Privacy enhancing data de-identification framework",
            tuple(_iso(told)),
        ),
        Regulator(
            "EMA and Health Canada",
            "Anonymisation report for EMA policy 0070 and for the Public Release of Clinical Information",
            tuple(_clinical(told)),
        ),
        Regulator(
            "Information Commissioner's Office (UK)",
            "Guidance on anonymisation: how do we ensure anonymisation is effective?",
            tuple(_ico(told, questions)),
        ),
    )


def _iso(told: _Told) -> Iterator[Entry]:
    """Follow the clauses of the standard."""
    yield told.people("6.2.2 Security and privacy practices", "release", "controls")
    yield told.people("6.2.3 Motives and capacity to re-identify", "attackers", "motives")
    yield told.people("6.3.2 Transparency and stakeholder engagement", "people", "told")
    yield told.people("6.3.3 Privacy-related harms", "people", "harm")
    yield told.people("7.2.2 Data principals", "people", "who", told.size)
    yield told.figures("7.2.4 Attribute types", told.attributes)
    yield told.figures("7.2.5 Dataset properties", told.properties)
    yield told.figures("7.3.2 Maximum or average risk", told.maximum_and_average)
    yield told.people("7.3.3 Population or sample-based attack", "people", "population", told.sample)
    yield told.figures("7.3.4 Data privacy models", told.model)
    yield told.figures("8.2.2 Quantifying identifiability", told.residual)
    yield told.people("8.2.3 Adversarial testing", "attackers", "tests", told.tested)
    yield told.people("8.3.2 Reconfiguring the environment", "release", "terms")
    yield told.figures("8.3.3 Transforming the data", told.method)
    yield told.figures("8.3.4 Re-evaluation", told.check)
    yield told.people("9.2.2 Roles and responsibilities", "governance", "responsible")
    yield told.people("9.2.3 Principles, policies and procedures", "governance", "approved")
    yield told.people("9.3 After data are made available: monitoring", "governance", "review")
    yield told.people("9.3 After data are made available: incidents", "governance", "incidents")


def _clinical(told: _Told) -> Iterator[Entry]:
    """Follow the template of the anonymisation report."""
    yield told.figures("Anonymisation methodology", f"{told.model} {told.method}")
    yield told.figures("Direct identifiers", told.identifiers)
    yield told.figures("Indirect identifiers and techniques", told.attributes)
    yield told.people("Possible adversaries and attacks", "attackers", "motives", told.assumed)
    yield told.figures("Initial risk of re-identification", told.initial)
    yield told.people("Risk threshold", "threshold", "reason", told.chosen)
    yield told.figures("Residual risk of re-identification", told.residual)
    yield told.people("Data utility", "release", "purpose", told.utility)


def _ico(told: _Told, questions: tuple[Question, ...]) -> Iterator[Entry]:
    """Follow the indicators of identifiability and the motivated intruder test."""
    for one in questions:
        yield told.figures(one.name.capitalize(), f"{one.asks} See the answer above.")
    yield told.people("Who may have access", "release", "recipients")
    yield told.people("Other information that an intruder could use", "attackers", "other_data")
    yield told.people("Motivated intruder test", "attackers", "tests", told.tested)
    yield told.people("Review", "governance", "review")


class _Told:
    """What can be said under headings."""

    def __init__(self, officer: Officer, context: Context) -> None:
        self._officer, self._context = officer, context
        self._release: Release = officer.release

    def figures(self, heading: str, text: str) -> Entry:
        """Return an entry that figures answer."""
        return Entry(heading, text, "figures")

    def people(self, heading: str, table: str, key: str, known: str = "") -> Entry:
        """Return an entry that people answer, after what is known without them."""
        answer = self._context.answer(table, key)
        if answer is not None:
            return Entry(heading, f"{known} {answer}".strip(), "people")
        return Entry(heading, f"{known} Open: {QUESTIONS[table][key]}" if known else QUESTIONS[table][key], "open")

    @property
    def size(self) -> str:
        persons = self._release.problem.persons
        of = "" if persons is None else f" of {persons.name(persons.count())}"
        return f"{count_noun(len(self._release.dataset), 'record')}{of}."

    @property
    def attributes(self) -> str:
        """The kinds of published columns, and what was done to them."""
        release, model = self._release, self._release.problem.model
        parts = []
        if release.published.rows.total_items or release.problem.items.total_items:
            parts.append(f"sets of items ({self._done_to_items})")
        table = release.dataset.table
        named = [] if table is None else [name for name in table.names if name not in model.adds_columns]
        roles = {name: table.roles.get(name, Role.PLAIN) for name in named} if table is not None else {}
        for role, done in (
            (Role.QUASI_IDENTIFIER, "quasi-identifiers, generalized"),
            (Role.SENSITIVE, "sensitive, unchanged"),
            (Role.PLAIN, "unchanged"),
        ):
            names = [name for name, own in roles.items() if own is role]
            if names:
                parts.append(f"{', '.join(names)} ({done})")
        text = "; ".join(parts)
        return f"{text[:1].upper()}{text[1:]}."

    @property
    def _done_to_items(self) -> str:
        """What was done to the items."""
        release = self._release
        if not release.algorithm.truthful:
            return "items were added, removed or moved"
        if not release.problem.model.covers_sets or not release.usefulness.items:
            return "unchanged"
        unchanged, removed = release.usefulness.unchanged_share, release.usefulness.removed
        done = [*(["generalized"] if unchanged + removed / release.usefulness.items < 1 else [])]
        done += ["rare items removed"] if removed else []
        return " and ".join(done) or "unchanged"

    @property
    def identifiers(self) -> str:
        before, after = (one.table for one in (self._release.problem.all_data, self._release.dataset))
        kept = () if after is None else after.names
        gone = 0 if before is None else sum(name not in kept for name in before.names)
        gone += self._release.problem.persons is not None
        return f"Columns of identifiers are not published. Left out: {count_noun(gone, 'column')}."

    @property
    def properties(self) -> str:
        rows = self._release.published.rows
        sets = f" with {rows.total_items / len(rows):.2f} labels on average" if rows.total_items else ""
        return f"{count_noun(len(rows), 'record')}{sets}. {self.other_releases}"

    @property
    def other_releases(self) -> str:
        """Which releases the release was compared with."""
        return other_releases(self._officer.compared_with, named=not self._officer.discretion.public)

    @property
    def maximum_and_average(self) -> str:
        _, after = self._officer.strongest
        return (
            f"Both: the largest risk is {shared(after.prosecutor_max)}, the mean {shared(after.prosecutor_mean)}. The "
            f"attacker knows {knows(after.known_items, columns=after.columns)}."
        )

    @property
    def sample(self) -> str:
        return (
            "Crowds were counted in the data themselves, so the attacker is assumed to know that the person is in them."
        )

    @property
    def assumed(self) -> str:
        return f"Assumed: {self._release.problem.model.describe(self._release.problem.persons)}"

    @property
    def model(self) -> str:
        model = self._release.problem.model
        return f"{model.title} ({model.short}). {model.describe(self._release.problem.persons)}"

    @property
    def method(self) -> str:
        algorithm = self._release.algorithm
        true = "All published statements are true." if algorithm.truthful else "Some published statements are false."
        return f"Method: {algorithm.title} ({algorithm.name}). {true}"

    @property
    def check(self) -> str:
        verdict = self._release.verdict
        return (
            f"A verifier that shares no code with the method counted the guarantee on the published data: "
            f"{count(verdict.checked)} checks, all passed."
        )

    @property
    def tested(self) -> str:
        together = "." if not self._officer.compared_with else ", also together with earlier releases of the series."
        return (
            f"Everything that the guarantee assumes to be known was counted{together} No other attack was tried here."
        )

    @property
    def chosen(self) -> str:
        given = sorted(self._officer.thresholds)
        if not given:
            return f"No threshold was chosen. Figures are shown for {threshold(self._officer.limit)}."
        return f"Threshold: {', '.join(map(threshold, given))}."

    @property
    def initial(self) -> str:
        return self._risk(before=True)

    @property
    def residual(self) -> str:
        return self._risk(before=False)

    def _risk(self, *, before: bool) -> str:
        """Return the largest and the mean risk, and the share of records above the threshold."""
        officer = self._officer
        one = officer.strongest[0 if before else 1]
        if before:
            was = officer.was_above(one)
            if was is None:
                return "Not told, because the data are small."
            mean = officer.discretion.share(one.prosecutor_mean)
            return f"On average {mean}. {was} of the records have a risk above {threshold(officer.limit)}."
        high = officer.threshold is not None and one.prosecutor_max.high > officer.threshold
        compared = "" if officer.threshold is None else f" The largest risk is {'above' if high else 'within'} it."
        return (
            f"At most {shared(one.prosecutor_max)} (fewest that fit: {counted(one.smallest)}), on average "
            f"{shared(one.prosecutor_mean)}. {officer.above(one)} of the records have a risk above "
            f"{threshold(officer.limit)}.{compared}"
        )

    @property
    def utility(self) -> str:
        release = self._release
        lost = f"{release.loss_name} {release.loss:.6f}."
        if not release.algorithm.truthful or not release.problem.model.covers_sets:
            return lost
        return f"{share(release.usefulness.unchanged_share)} of all items are published unchanged; {lost}"
