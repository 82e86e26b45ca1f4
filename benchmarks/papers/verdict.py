"""The one rule that judges what the papers claim. docs/research/papers/README.md states it in words.

A claim is tried in cells: runs, pairs of runs or curves that either agree with it or do not. Each cell knows its
setting, such as the data set, the order of the items, the seed, k and m. The verdict follows from the cells alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

ENOUGH = 3 / 4  # of its cells: a claim holds there
MANY = 4  # seeds: more of them are counted, not named
CLEAR = 1 / 3  # a setting explains where a claim holds if the shares of true cells differ by at least this much

# Settings that a claim must survive, each value by itself. The rest is counted within them.
SETTINGS = {
    "reading": "the reading",
    "hierarchy": "the hierarchy",
    "order": "the order of the items",
    "size": "the number of records",
    "data": "the data",
}
WITHIN = {"method": "the method", "k": "k", "m": "m", "h": "h", "delta": "delta", "seed": "the seed"}

# What the papers' words mean here; docs/internals/decisions/0027-one-rule-for-verdicts.md says what was fixed when.
SIMILAR = 1.25  # "similar", "about the same", "slightly more": at most 1.25 times
MUCH = 2.0  # "much", "significantly": at least twice
FLAT = 2.0  # "insensitive", "stable": the largest value is less than twice the least
CLOSE = 0.01  # "very close to the optimum": at most one percentage point above it
LITTLE = 0.1  # "not very significant": at most 10 %


@dataclass(frozen=True)
class Cell:
    """One case that agrees with a claim or does not, and its setting."""

    true: bool
    where: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """What a paper says, the cells that it was tried in, and what was seen there."""

    place: str  # figure or section
    says: str  # close to the paper's own words
    cells: tuple[Cell, ...]
    seen: str  # our figures, or why there are none
    always: bool = False  # a theorem, or "never": one cell refutes it
    own: Mapping[str, object] = field(default_factory=dict)  # the paper's own setting, where others were tried, too
    about: str = ""  # what the figures are
    lines: tuple[tuple[str, str], ...] = ()  # the figures again, by setting

    @property
    def verdict(self) -> str:
        """The words of the page.

        >>> def tried(**true: bool) -> Claim:
        ...     cells = [Cell(one, {"data": name}) for name, one in true.items()]
        ...     return Claim("Fig. 1", "it is small", tuple(cells), "")
        >>> tried(WV1=True, WV2=True).verdict, tried(WV1=False, WV2=False).verdict, tried().verdict
        ('holds', 'does not hold', 'cannot be judged here')
        >>> tried(WV1=True, WV2=False).verdict
        'depends on the data: holds for WV1'
        """
        if not self.cells:
            return "cannot be judged here"
        if all(self._holds(cells) for name in SETTINGS for cells in self._by(name).values()):
            return "holds"
        if self.own and self._holds(self._there(self.own)):
            return f"holds in the paper's own setting only ({', '.join(map(str, self.own.values()))})"
        if self.always:
            return "does not hold"
        for names in (SETTINGS, WITHIN):
            best = max(names, key=self._gap)  # the first of equal ones
            if self._gap(best) >= CLEAR:
                groups = self._by(best)
                good = [str(value) for value, cells in groups.items() if self._holds(cells)]
                many = best == "seed" and len(groups) > MANY
                told = f"{len(good)} of {len(groups)}" if many else ", ".join(good)
                return f"depends on {names[best]}: holds for {told}"
            if self._share(self.cells) <= 1 - ENOUGH:
                return "does not hold"
        return "depends on the case"

    @property
    def count(self) -> str:
        """In how many cells the claim is true.

        >>> Claim("", "", (Cell(True, {"seed": 1}), Cell(False, {"seed": 2})), "").count
        '1 of 2, 2 seeds'
        """
        if not self.cells:
            return "-"
        seeds = {cell.where["seed"] for cell in self.cells if "seed" in cell.where}
        text = f"{sum(cell.true for cell in self.cells)} of {len(self.cells)}"
        return f"{text}, {len(seeds)} seeds" if len(seeds) > 1 else text

    def _holds(self, cells: Sequence[Cell]) -> bool:
        return bool(cells) and self._share(cells) >= (1 if self.always else ENOUGH)

    def _share(self, cells: Sequence[Cell]) -> float:
        """The share of true cells. Each combination of settings weighs the same, however many seeds or k it has."""
        parts: dict[str, list[bool]] = {}
        for cell in cells:
            parts.setdefault(str([cell.where.get(name) for name in SETTINGS]), []).append(cell.true)
        return sum(sum(part) / len(part) for part in parts.values()) / len(parts)

    def _by(self, name: str) -> dict[object, list[Cell]]:
        """The cells by their value of a setting; if no cell has the setting, all of them are one group."""
        groups: dict[object, list[Cell]] = {}
        for cell in self.cells:
            groups.setdefault(cell.where.get(name), []).append(cell)
        return groups

    def _there(self, where: Mapping[str, object]) -> list[Cell]:
        return [cell for cell in self.cells if all(cell.where.get(name) == value for name, value in where.items())]

    def _gap(self, name: str) -> float:
        """How far a setting parts true cells from others: 0 if the claim holds for none or all of its values."""
        if name in WITHIN and None in self._by(name):
            return 0.0  # what some cells do not have explains nothing
        groups = self._by(name).values()
        good, bad = (
            list(chain.from_iterable(cells for cells in groups if self._holds(cells) is side)) for side in (True, False)
        )
        return self._share(good) - self._share(bad) if good and bad else 0.0


def strong(verdict: str) -> str:
    """A verdict in Markdown: bold unless the claim holds."""
    return verdict if verdict == "holds" else f"**{verdict}**"


def table(claims: Iterable[Claim], who: str = "the paper says", *, figures: bool = True) -> str:
    """A table of claims in Markdown; ``who`` makes them. Without ``figures`` these stand elsewhere on the page."""
    titles = ("where", who, "here", "true in", "what we saw")
    lines = [_line(*titles[: 4 + figures]), "|---" * (4 + figures) + "|"]
    for one in claims:
        texts = (one.place, one.says, strong(one.verdict), one.count, one.seen)
        lines.append(_line(*texts[: 4 + figures]))
    return "\n".join(lines)


def side_by_side(readings: Mapping[str, Sequence[Claim]]) -> str:
    """The same claims under several readings of a paper, a column each."""
    lines = [_line("where", "the paper says", *readings), "|---" * (2 + len(readings)) + "|"]
    for judged in zip(*readings.values(), strict=True):
        cells = [f"{strong(one.verdict)} ({one.count})<br>{one.seen}" for one in judged]
        shown = [cell if at == 0 or cell != cells[at - 1] else "the same" for at, cell in enumerate(cells)]
        lines.append(_line(judged[0].place, judged[0].says, *shown))
    return "\n".join(lines)


def bullets(claims: Iterable[Claim], place: str) -> str:
    """What was found about one figure, as a list; figures by setting follow it as a table that can be unfolded."""
    here = [one for one in claims if one.place.startswith(place)]
    lines = []
    for one in here:
        verdict = one.verdict[0].upper() + one.verdict[1:]
        told = "" if one.lines else f" {one.seen}."
        lines.append(f"- {strong(verdict) if verdict != 'Holds' else verdict} ({one.count}): {one.says}.{told}")
    by_setting = []
    for one in here:
        titled = f"{one.says} ({one.about})" if one.about else one.says
        by_setting += [_line("" if at else titled, *line) for at, line in enumerate(one.lines)]
    if by_setting:
        lines += [
            "",
            "<details><summary>Our figures</summary>",
            "",
            _line("claim", "setting", "figures"),
            "|---|---|---|",
        ]
        lines += [*by_setting, "", "</details>"]
    return "\n".join(lines)


def summary(claims: Sequence[Claim]) -> str:
    """How many claims have which verdict, in one sentence."""
    kinds = ("holds", "holds in the paper's own setting only", "depends", "does not hold", "cannot be judged here")
    counts: dict[str, int] = dict.fromkeys(kinds, 0)
    for one in claims:
        counts[next(kind for kind in reversed(kinds) if one.verdict.startswith(kind))] += 1
    names = {
        "holds": "hold",
        "holds in the paper's own setting only": "hold in the paper's own setting only",
        "depends": "depend on the setting",
        "does not hold": "do not hold",
        "cannot be judged here": "cannot be judged here",
    }
    told = ", ".join(f"{number} {names[kind]}" for kind, number in counts.items() if number)
    return f"Of {len(claims)} claims, {told}."


def _line(*texts: str) -> str:
    return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in texts)} |"  # |D| is no border
