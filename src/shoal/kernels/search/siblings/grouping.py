"""Sibling groupings with their supports: the readable twin of blocks.hpp and grouping.hpp in native/search/siblings.

Supports are kept in dictionaries. Lists are changed in the same order as in the kernel, because random choices depend
on it. The effect of a move on a support is counted by the definition: whether a person has a row with all labels of the
set, before and after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations, groupby

Rows = dict[int, set[int]]  # the labels of some rows

KEPT, MOST_CUBED, MOST_BEYOND = 8, 420, 20_000_000


class Blocks:
    """The blocks of siblings, and their costs."""

    def __init__(
        self, parent: list[int], occ: list[int], sizes: list[int], penalty: list[int], block_of: list[int], slots: int
    ) -> None:
        n, self.units, self.parent, self.penalty = len(parent), len(sizes), parent, penalty
        if not 1 < self.units == len(occ) == len(block_of) < n or not set(block_of) <= set(range(self.units)):
            raise ValueError("a block for each of at least two units is wanted")
        self.occ, self.size = occ + [0] * (n - len(occ)), sizes + [0] * (n - len(sizes))
        self.children: list[list[int]] = [[] for _ in parent]
        for x in range(n - 1):
            self.children[parent[x]].append(x)
            self.occ[parent[x]] += self.occ[x]
            self.size[parent[x]] += self.size[x]
        self.owner, self.block = [-1] * slots, [-1] * n
        self.members: list[list[int]] = [[] for _ in range(slots)]
        self.blocks: list[list[int]] = [[] for _ in parent]
        self.block_occ, self.block_size = [0] * slots, [0] * slots
        only = block_of + [-2] * (n - self.units)
        for x in range(n - 1):
            above = only[parent[x]]
            only[parent[x]] = only[x] if above in (-2, only[x]) else -1
        for x in range(n - 1):
            if only[x] >= 0 and (only[parent[x]] < 0 or parent[x] == n - 1):
                self.put(x, only[x])
                self.block_occ[only[x]] += self.occ[x]
                self.block_size[only[x]] += self.size[x]
                if self.owner[only[x]] < 0:
                    self.adopt(only[x], parent[x])
                if self.owner[only[x]] != parent[x]:
                    raise ValueError("the units of a block are no siblings")
        used = max(block_of) + 1
        self.free = list(range(slots - 1, used - 1, -1))
        self.total = sum(self.cost_of(block) for block in range(used))

    def cost(self, occurrences: int, items: int) -> int:
        """Return the cost of a block of this many items."""
        return occurrences * self.penalty[items]

    def cost_of(self, block: int) -> int:
        """Return the cost of a block."""
        return self.cost(self.block_occ[block], self.block_size[block])

    def element_of(self, unit: int) -> int:
        """Return the highest closed node above a unit."""
        while self.block[unit] < 0:
            unit = self.parent[unit]
        return unit

    def block_of(self) -> list[int]:
        """Return the block of each unit."""
        return [self.block[self.element_of(unit)] for unit in range(self.units)]

    def put(self, element: int, block: int) -> None:
        """Add an element to a block."""
        self.block[element] = block
        self.members[block].append(element)

    def adopt(self, block: int, owner: int) -> None:
        """Give a block an owner."""
        self.owner[block] = owner
        self.blocks[owner].append(block)

    def abandon(self, block: int) -> None:
        """Take its owner from a block."""
        _swap_out(self.blocks[self.owner[block]], block)
        self.owner[block] = -1

    def settle(self, element: int, source: int, target: int) -> None:
        """Record that an element has moved."""
        if self.block[element] != source:
            self.open(source)
        self.total -= self.cost_of(source) + self.cost_of(target)
        _swap_out(self.members[source], element)
        if self.owner[target] < 0:
            self.free.pop()
            self.adopt(target, self.owner[source])
        self.put(element, target)
        for block, sign in ((source, -1), (target, 1)):
            self.block_occ[block] += sign * self.occ[element]
            self.block_size[block] += sign * self.size[element]
        self.total += self.cost_of(source) + self.cost_of(target)
        if not self.members[source]:
            self.abandon(source)
            self.free.append(source)

    def open(self, block: int) -> None:
        """Replace the only member of a block by its children."""
        [node] = self.members[block]
        self.abandon(block)
        self.block[node] = -1
        self.members[block] = []
        for child in self.children[node]:
            self.put(child, block)
        self.adopt(block, node)

    def close(self, block: int) -> None:
        """If a block holds all children of a node, make it that node."""
        while 0 <= (node := self.owner[block]) < len(self.parent) - 1:
            if len(self.members[block]) != len(self.children[node]):
                return
            for child in self.members[block]:
                self.block[child] = -1
            self.abandon(block)
            self.members[block] = []
            self.put(node, block)
            self.adopt(block, self.parent[node])


def _swap_out(values: list[int], value: int) -> None:
    """Remove a value. The last one takes its place."""
    values[values.index(value)] = values[-1]
    values.pop()


class Grouping(Blocks):
    """Blocks with the supports of all sets of up to three labels."""

    def __init__(
        self,
        rows: list[tuple[int, ...]],
        people: list[int],
        parent: list[int],
        occ: list[int],
        sizes: list[int],
        penalty: list[int],
        block_of: list[int],
        k: int,
        m: int,
        spare: int,
    ) -> None:
        used = max(block_of, default=0) + 1
        slots = min(used + spare, len(sizes) + 2)
        if m > 2 and used < MOST_CUBED:
            slots = min(slots, MOST_CUBED)
        super().__init__(parent, occ, sizes, penalty, block_of, slots)
        self.k, self.m, self.slots, self.work = k, m, slots, 0
        self.counted = min(m, 3 if slots <= MOST_CUBED else 2)
        alone = Counter(row for row, person in zip(rows, people, strict=True) if row and person < 0)
        several: dict[int, set[tuple[int, ...]]] = {}
        for labelled, person in zip(rows, people, strict=True):
            if labelled and person >= 0:
                several.setdefault(person, set()).add(labelled)
        merged = [(row, weight, -1 - at) for at, (row, weight) in enumerate(sorted(alone.items()))]
        by_content = sorted(sorted(own) for own in several.values())  # independent of the numbers of the persons
        merged += [(row, 1, person) for person, own in enumerate(by_content) for row in own]
        self.weight = [weight for _, weight, _ in merged]
        self.person = [
            person for _, _, person in merged
        ]  # the person of each row; a row may count for several persons with no other row
        self.repeaters = bool(several)
        self.rows_of: dict[int, list[int]] = {}
        for at, person in enumerate(self.person):
            self.rows_of.setdefault(person, []).append(at)
        self.held: list[dict[int, int]] = [{} for _ in parent]  # node -> row -> number of units below it
        self.rows: list[dict[int, int]] = []  # label -> number of units, in the order of the compiled kernel
        for row, (units, _, _) in enumerate(merged):
            labels: dict[int, int] = {}
            for unit in units:
                labels[block_of[unit]] = labels.get(block_of[unit], 0) + 1
                x = unit
                while x >= 0:
                    self.held[x][row] = self.held[x].get(row, 0) + 1
                    x = parent[x]
            self.rows.append(labels)
        self.support: Counter[tuple[int, ...]] = Counter()
        for own in self.rows_of.values():
            sizes_counted = range(1, max(2, self.counted) + 1)
            sets = {_key(*one) for row in own for size in sizes_counted for one in combinations(self.rows[row], size)}
            for itemset in sets:
                self.support[itemset] += self.weight[own[0]]
        if any(self.is_rare(support) for itemset, support in self.support.items() if len(itemset) <= m):
            raise ValueError("the grouping to start from is not safe")
        self.rare: list[tuple[int, ...]] = []
        self.stamp, self.clock = [0] * slots, 0
        self.needed_by: dict[int, tuple[int, int, int]] = {}
        self.rare_with: dict[int, list[tuple[int, int]]] = {}
        self.turn: Counter[int] = Counter()

    def is_rare(self, support: int) -> bool:
        """Whether a set with this support is rare."""
        return 0 < support < self.k

    def needed(self, element: int, source: int, target: int) -> bool:
        """Whether an earlier attempt has shown that a block needs an element."""
        if self.members[source] == [element] or element not in self.needed_by:
            return False
        other, stamp, own = self.needed_by[element]
        return other != target and own == self.stamp[source] and stamp == self.stamp[other]

    def unwelcome(self, element: int, source: int, target: int) -> bool:
        """Whether a label is known that few rows hold with the element, and no row with the block."""
        for other, stamp in self.rare_with.get(element, ()):
            if other in (source, target) or stamp != self.stamp[other]:
                continue
            if target < 0 or not self.support[_key(target, other)]:
                return True
        return False

    def changes(self, node: int, source: int, target: int, size: int) -> dict[tuple[int, ...], int]:
        """Return how a move changes the supports of sets of one and two labels, or of three, in kernel order."""
        less: dict[tuple[int, ...], int] = {}
        more: dict[tuple[int, ...], int] = {}
        joint: dict[tuple[int, ...], int] = {}
        alone = [0, 0, 0]
        for person, holders in groupby(self.held[node], self.person.__getitem__):
            rows, every = list(holders), self.rows_of[person]
            weight, was = self.weight[every[0]], {row: set(self.rows[row]) for row in every}
            gone = [row for row in rows if self.rows[row][source] == self.held[node][row]]
            came = [row for row in rows if target not in was[row]]
            now = was | {row: {target} | was[row] - ({source} if row in gone else set()) for row in rows}

            def change(itemset: Iterable[int], was: Rows = was, now: Rows = now, weight: int = weight) -> int:
                return weight * (int(_hold(now, itemset)) - int(_hold(was, itemset)))

            if size == 2:
                self.work += sum(len(was[row]) + 2 for row in rows)
                sets = ([source], [target], [source, target])
                alone = [total + change(itemset) for total, itemset in zip(alone, sets, strict=True)]
            both = {source, target}
            begin = [row for row in rows if both <= now[row] and not both <= was[row]]
            end = [row for row in rows if both <= was[row] and not both <= now[row]]
            for into, labels, changed in (
                (less, [source], gone),
                (more, [target], came),
                (joint, [*both], begin + end),
            ):
                if size == 3 and into is not joint:
                    self.work += sum(len(was[row]) ** 2 // 2 for row in changed)
                if self.m > 1 and size > len(labels):
                    for itemset in self._with(changed, labels, both, size):
                        if changes := change(itemset):
                            into[itemset] = into.get(itemset, 0) + changes
        if size == 3:
            return {**less, **more, **joint}
        if self.repeaters:  # in the order of the other labels
            less = dict(sorted(less.items(), key=lambda one: sum(one[0]) - source))
            more = dict(sorted(more.items(), key=lambda one: sum(one[0]) - target))
        own: dict[tuple[int, ...], int] = {(source,): alone[0], (target,): alone[1]}
        return {**own, **({_key(source, target): alone[2]} if self.m > 1 else {}), **less, **more}

    def _with(self, rows: list[int], labels: list[int], both: set[int], size: int) -> list[tuple[int, ...]]:
        """Return the sets of these labels and others, of the given size, that rows hold, in their order."""
        found = dict[tuple[int, ...], None]()
        for row in rows:
            others = [label for label in self.rows[row] if label not in both]
            found |= dict.fromkeys(_key(*labels, *some) for some in combinations(others, size - len(labels)))
        return list(found)

    def more_rare(self, changes: dict[tuple[int, ...], int]) -> int:
        """Return the change in the number of rare sets."""
        return sum(
            int(self.is_rare(self.support[itemset] + change)) - int(self.is_rare(self.support[itemset]))
            for itemset, change in changes.items()
        )

    def try_move(self, node: int, source: int, target: int) -> bool:
        """Move a node if the grouping stays safe."""
        was_safe = not self.rare
        changes = self.changes(node, source, target, 2)
        rare = self.more_rare(changes)
        if was_safe:
            self.remember(node, source, target, changes)
            if rare > 0:
                return False
        if self.counted == 3:
            larger = self.changes(node, source, target, 3)
            rare += self.more_rare(larger)
            changes |= larger
        if len(self.rare) + rare > 0:
            return False
        self.apply(node, source, target, changes)
        if self.m > self.counted and not (self.safe_beyond(source) and self.safe_beyond(target, node)):
            self.move(node, target, source)
            return False
        return True

    def remember(self, node: int, source: int, target: int, changes: dict[tuple[int, ...], int]) -> None:
        """Remember why a move is refused."""
        needed = rare_with = -1
        for itemset, change in changes.items():
            after = self.support[itemset] + change
            others = [label for label in itemset if label != source]
            if source in itemset and target not in itemset and self.is_rare(after):
                needed = others[0] if others else source
            fresh = 0 == self.support[itemset] < after < self.k
            if target in itemset and source not in itemset and len(itemset) == 2 and fresh:
                [rare_with] = [label for label in itemset if label != target]
        if needed >= 0:
            self.needed_by[node] = (needed, self.stamp[needed], self.stamp[source])
        if rare_with >= 0:
            kept = self.rare_with.setdefault(node, [])
            entry = (rare_with, self.stamp[rare_with])
            at = self.turn[node] % KEPT
            kept[at : at + 1] = [entry]
            self.turn[node] += 1

    def move(self, node: int, source: int, target: int) -> None:
        """Move a node, whether that is safe or not."""
        changes = self.changes(node, source, target, 2)
        if self.counted == 3:
            changes |= self.changes(node, source, target, 3)
        self.apply(node, source, target, changes)

    def apply(self, node: int, source: int, target: int, changes: dict[tuple[int, ...], int]) -> None:
        """Update rows and supports."""
        self.stamp[source], self.stamp[target] = self.clock + 1, self.clock + 2
        self.clock += 2
        for itemset, change in changes.items():
            was, now = self.is_rare(self.support[itemset]), self.is_rare(self.support[itemset] + change)
            self.support[itemset] += change
            if now and not was:
                self.rare.append(itemset)
            elif was and not now:
                self.rare[self.rare.index(itemset)] = self.rare[-1]
                self.rare.pop()
        for row, times in self.held[node].items():
            labels = self.rows[row]
            labels[source] -= times
            if not labels[source]:  # the last label takes its place
                order = list(labels)
                order[order.index(source)] = order[-1]
                self.rows[row] = labels = {label: labels[label] for label in order[:-1]}
            labels[target] = labels.get(target, 0) + times
        self.work += len(self.held[node])

    def safe_beyond(self, block: int, joined: int = -1) -> bool:
        """Whether all larger sets with this block are safe. ``joined``: a node that moved to it, not yet recorded."""
        if self.m <= self.counted:
            return True
        nodes = [*self.members[block], *([joined] if joined >= 0 else [])]
        rows = list(dict.fromkeys(row for node in nodes for row in self.held[node] if block in self.rows[row]))
        return self._safe_with(rows, block, -1, 1, [MOST_BEYOND])

    def _safe_with(self, rows: list[int], first: int, last: int, labels: int, left: list[int]) -> bool:
        persons: dict[int, dict[int, int]] = {}  # label -> person -> weight
        for row in rows:
            left[0] -= len(self.rows[row])
            self.work += len(self.rows[row])
            for label in self.rows[row]:
                persons.setdefault(label, {})[self.person[row]] = self.weight[row]
        support = {label: sum(weights.values()) for label, weights in persons.items()}
        if left[0] < 0:
            return False
        for other in sorted(support):
            if other <= last or other == first:
                continue
            if support[other] < self.k:
                return False
            if labels + 1 < self.m:
                both = [row for row in rows if other in self.rows[row]]
                if not self._safe_with(both, first, other, labels + 1, left):
                    return False
        return True


def _hold(rows: Rows, itemset: Iterable[int]) -> bool:
    return any(labels.issuperset(itemset) for labels in rows.values())


def _key(*labels: int) -> tuple[int, ...]:
    return tuple(sorted(labels))
