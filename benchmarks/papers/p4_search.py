"""The search for rows of P4's running example by CP-SAT, under the facts of ``p4_example``.

``python -m benchmarks.papers.p4_search`` prints what it finds for each number of rows.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.papers.p4_example import (
    CUT2,
    CUT3,
    CUT6,
    FACTS,
    ITEMS,
    LONGEST,
    MINIMAL,
    NOT_STATED,
    OCCURRENCES,
    TREE,
    K,
    label_sets,
    leaves,
)


@dataclass
class Search:
    """A model of so many rows under some of the facts."""

    rows: int
    facts: Collection[str]
    seed: int = 0
    model: Any = field(init=False)

    def __post_init__(self) -> None:
        """Build it."""
        from ortools.sat.python import cp_model

        self.model = model = cp_model.CpModel()
        self.has = [{item: model.new_bool_var(f"{item}{r}") for item in ITEMS} for r in range(self.rows)]
        self.sets = sorted(label_sets(), key=len)
        self.held = [self._nodes(row) for row in self.has]
        self.rare: dict[tuple[str, ...], Any] = {}
        self.frequent: dict[tuple[str, ...], Any] = {}
        for labels in self.sets:
            self._support(labels)
        for name in self.facts:
            getattr(self, f"_{name}")()
        for row in self.has:
            model.add(sum(row.values()) >= 1)
        self._symmetry()

    def _nodes(self, row: dict[str, Any]) -> dict[tuple[str, ...], Any]:
        """For each node, whether the row has an item below it."""
        held: dict[tuple[str, ...], Any] = {}
        for node in {*TREE, *ITEMS} - {"T"}:
            if node in TREE:
                held[(node,)] = self.model.new_bool_var("")
                self.model.add_max_equality(held[(node,)], [row[item] for item in leaves(node)])
            else:
                held[(node,)] = row[node]
        return held

    def _support(self, labels: tuple[str, ...]) -> None:
        """Whether fewer than k rows hold all of a set, but some do; and whether k do."""
        model = self.model
        for held in self.held:
            if len(labels) > 1:
                both = held[labels] = model.new_bool_var("")
                first, last = held[labels[:-1]], held[labels[-1:]]
                model.add_bool_and(first, last).only_enforce_if(both)
                model.add_bool_or(first.negated(), last.negated(), both)
        support = sum(held[labels] for held in self.held)
        rare, frequent = model.new_bool_var(""), model.new_bool_var("")
        model.add(support >= K).only_enforce_if(frequent)
        model.add(support <= K - 1).only_enforce_if(frequent.negated())
        model.add(support >= 1).only_enforce_if(rare)
        model.add_bool_or(rare.negated(), frequent.negated())
        for held in self.held:
            model.add_bool_or(held[labels].negated(), rare, frequent)
        self.rare[labels], self.frequent[labels] = rare, frequent

    def _count(self, node: str) -> Any:
        return sum(row[item] for row in self.has for item in leaves(node))

    def _within(self, cut: str) -> list[tuple[str, ...]]:
        return [labels for labels in self.sets if set(labels) <= set(cut)]

    def _key(self, labels: str) -> tuple[str, ...]:
        """As the sets have it."""
        return next(found for found in self.sets if set(found) == set(labels))

    def _threats(self, cut: str, threats: Sequence[str]) -> None:
        """At a cut, these and no others are the minimal ones."""
        for threat in threats:
            self.model.add(self.rare[self._key(threat)] == 1)
            for part in itertools.combinations(self._key(threat), len(threat) - 1):
                if part:
                    self.model.add(self.frequent[part] == 1)
        for labels in self._within(cut):
            if not any(set(threat) <= set(labels) for threat in threats):
                self.model.add(self.rare[labels] == 0)

    def _costs(self) -> None:
        for node, count in OCCURRENCES.items():
            self.model.add(self._count(node) == count)

    def _first(self) -> None:
        for item, is_there in (("c", 1), ("d", 1), ("f", 0)):
            self.model.add(self.has[0][item] == is_there)

    def _longest(self) -> None:
        full = []
        for row in self.has:
            self.model.add(sum(row.values()) <= LONGEST)
            full.append(self.model.new_bool_var(""))
            self.model.add(sum(row.values()) >= LONGEST).only_enforce_if(full[-1])
        self.model.add_bool_or(full)

    def _cut2(self) -> None:
        self._threats(CUT2, ["ei"])

    def _cut3(self) -> None:
        self._threats(CUT3, ["HKQ", "ei"])

    def _cut6(self) -> None:
        self._threats(CUT6, ["ei"])

    def _only(self) -> None:
        for labels in self._within(CUT6):
            if {"e", "i"} < set(labels):
                self.model.add(self.rare[labels] == 0)

    def _round1(self) -> None:
        for item in "abcdfg":
            self.model.add(self._count(item) >= K)
        for item in "xyz":
            self.model.add(self._count(item) == 1)  # M has three, and each occurs, as total suppression removes it

    def _removed(self) -> None:
        for labels in self._within("adefg"):
            self.model.add(self.rare[labels] == 0)
        for item in "bci":
            self.model.add(self._count(item) >= 1)

    def _minimal(self) -> None:
        model, minimal = self.model, []
        for labels in self.sets:
            one = model.new_bool_var("")
            parts = [part for part in itertools.combinations(labels, len(labels) - 1) if part]
            needed = [self.rare[labels], *(self.frequent[part] for part in parts)]
            model.add_bool_and(needed).only_enforce_if(one)
            model.add_bool_or([*(literal.negated() for literal in needed), one])
            minimal.append(one)
        model.add(sum(minimal) == MINIMAL)

    def _local(self) -> None:
        one, other = self.has[1:3]
        self.model.add(one["f"] == 1)
        for item in ITEMS:
            if item not in "cd":
                self.model.add(one[item] == other[item])
        for row in (one, other):
            self.model.add_bool_or(row["c"], row["d"])
        self.model.add(one["c"] + one["d"] >= other["c"] + other["d"])
        self.model.add_bool_or(one["c"].negated(), other["c"].negated(), one["d"].negated(), other["d"].negated())
        self.model.add_bool_or(one["c"], other["c"])
        self.model.add_bool_or(one["d"], other["d"])

    def _beside(self) -> None:
        self.model.add_bool_or(held[self._key(f"{item}i")] for held in self.held for item in "abcdfg")

    def _symmetry(self) -> None:
        """Rows that no fact names, by falling value."""
        value = [sum(row[item] * 2**at for at, item in enumerate(ITEMS)) for row in self.has]
        for one, other in itertools.pairwise(value[3 if "local" in self.facts else 1 :]):
            self.model.add(one >= other)

    def fix(self, rows: Sequence[str]) -> None:
        """Ask for these."""
        for row, has in zip(rows, self.has, strict=True):
            for item, variable in has.items():
                self.model.add(variable == (item in row))

    def forbid(self, rows: Sequence[str]) -> None:
        """Ask for others than these."""
        self.model.add_bool_or(
            variable.negated() if item in row else variable
            for row, has in zip(rows, self.has, strict=True)
            for item, variable in has.items()
        )

    def solve(self, seconds: float) -> tuple[str, list[str]]:
        """Return how it ended, and rows if there are any."""
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = self.seed
        solver.parameters.max_time_in_seconds = seconds
        status = solver.solve(self.model)
        rows = []
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            rows = ["".join(item for item in sorted(ITEMS) if solver.value(row[item])) for row in self.has]
        return solver.status_name(status), rows


def main() -> None:
    """For each number of rows, whether there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=list(range(5, 13)))
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--without", nargs="*", default=[], choices=list(FACTS))
    parser.add_argument("--also", nargs="*", default=[], choices=list(NOT_STATED))
    asked = parser.parse_args()
    for rows in asked.rows:
        start = time.process_time()
        search = Search(rows, [*(name for name in FACTS if name not in asked.without), *asked.also])
        status, found = search.solve(asked.seconds)
        print(rows, status, found, f"{time.process_time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
