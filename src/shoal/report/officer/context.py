"""What only people know about a release: recipients, contracts, harm. It comes from a file, ``context.toml``.

::

    [release]
    purpose = "Research on diets"
    recipients = "Members of the consortium"
    [governance]
    responsible = "Data protection officer"

Every key is optional. What is missing is shown as an open question, and never made up.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shoal import files
from shoal.errors import OptionError, did_you_mean, shorten

QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "release": {
        "purpose": "Why are the data made available?",
        "recipients": "Who may receive them: everybody, or named parties?",
        "terms": "Which contracts or terms of use bind the recipients?",
        "controls": "How do the recipients protect the data?",
    },
    "people": {
        "who": "Whose data are these?",
        "population": "How many people are in the population that they come from?",
        "told": "What were these people told, and were they asked?",
        "harm": "What harm could it do to somebody to be found?",
    },
    "attackers": {
        "motives": "Who could want to find somebody, and with what means?",
        "other_data": "Which other data could an attacker join?",
        "tests": "Did people try to find somebody (a motivated intruder test): who, when, how, with what outcome?",
    },
    "threshold": {"reason": "Why is this threshold right for these recipients?"},
    "governance": {
        "responsible": "Who is responsible for this release?",
        "approved": "Who approved it, and when?",
        "review": "When will it be reviewed?",
        "incidents": "What happens if somebody is found?",
    },
}
LONGEST = 2_000  # characters of an answer


@dataclass(frozen=True)
class Context:
    """The answers of people to the questions that no program can answer.

    >>> context = Context({("release", "purpose"): "Research"})
    >>> context.answer("release", "purpose"), context.answer("release", "terms")
    ('Research', None)
    """

    answers: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str | Path) -> Context:
        """Read the answers from a TOML file. Unknown keys and empty answers are errors."""
        text = files.load(path).text()
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise OptionError(f"{path} is no TOML: {error}.") from None
        answers: dict[tuple[str, str], str] = {}
        for table, given in tables.items():
            if table not in QUESTIONS:
                known = ", ".join(f"[{name}]" for name in QUESTIONS)
                raise OptionError(
                    f"{path}: unknown table [{shorten(table)}]{did_you_mean(table, QUESTIONS)}: it has {known}."
                )
            if not isinstance(given, dict):
                raise OptionError(f"{path}: '{table}' must be a table: write [{table}].")
            for key, answer in given.items():
                if key not in QUESTIONS[table]:
                    raise OptionError(
                        f"{path}: unknown key '{shorten(key)}' in [{table}]{did_you_mean(key, QUESTIONS[table])}: it "
                        f"has {', '.join(QUESTIONS[table])}."
                    )
                if not isinstance(answer, str) or not answer.strip() or len(answer) > LONGEST:
                    raise OptionError(
                        f"{path}: {table}.{key} must be a text of 1 to {LONGEST:,} characters: {QUESTIONS[table][key]}"
                    )
                answers[table, key] = " ".join(answer.split())
        return cls(answers)

    def answer(self, table: str, key: str) -> str | None:
        """Return an answer, or None if nobody gave it."""
        return self.answers.get((table, key))
