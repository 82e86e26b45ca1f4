"""P4's running example: rows that meet every fact that the paper states about them, found by CP-SAT.

The paper's Fig. 1 (its transactions and taxonomy) and Fig. 2 are lost: the text alone is left. ``FACTS`` lists what
the text says of them. The costs settle the taxonomy and how often its nodes occur (``occurrences``). What is left open
are the rows: a Boolean for each row and item. Every set of labels that some cut has gets its support, so "25 minimal
threats" is one linear equation. LG's output is not modelled as a whole: "local" asks for two rows that can end as K and
f, and ``checks`` runs our LG, and all other methods, on what was found.

``python -m benchmarks.papers.p4_search`` searches anew, for each number of rows. ``ROWS`` are what it found.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

TREE = {"T": "PQei", "P": "HK", "H": "ab", "K": "cd", "Q": "JM", "J": "fg", "M": "xyz"}
ITEMS = "abcdfgxyzei"
K = 2
COSTS = "23, 6.6, 8.6, 10.2, 6.2, 3.6, 5.6"  # of {T}, of cut 2 without and with suppression, of cuts 3 and 4, of cut 6
LONGEST = 5  # "After five rounds": m is the length of the longest transaction
OCCURRENCES = {"H": 4, "K": 6, "J": 6, "M": 3, "e": 2, "i": 2}
CUT2, CUT3, CUT6 = "PQei", "HKQei", "PfgMei"
MINIMAL = 25

FACTS = {
    "costs": "s.2, s.3.1: cost 23 at {T}, 6.6 + 2 at cut 2, 10.2 at cut 3, 6.2 at cut 4, 3.6 + 2 at cut 6",
    "first": "s.1: the first transaction contains c and d, but not f",
    "longest": "s.1, s.4.2: five rounds give 2^infinity-anonymity: the longest transaction has 5 items",
    "cut2": "s.3.1: {e,i} is the threat at cut 2 = {P,Q,e,i}",
    "cut3": "s.3.2, s.4.1: the (minimal) threats at cut 3 = {H,K,Q,e,i} are {H,K,Q} and {e,i}",
    "cut6": "s.2: at cut 6 = {P,f,g,M,e,i} {e,i} is the only minimal threat",
    "only": "s.2, to the letter: {e,i} is the only threat there, so no larger set with e and i occurs",
    "round1": "s.4.2: the first round ends in {a,b,c,d,f,g,M,e,i} and suppresses nothing",
    "removed": "s.1: total suppression removes b, c, i, x, y and z, and the rest is 2^infinity-anonymous",
    "minimal": "s.4.1: 25 minimal threats over all cuts",
    "local": "s.1: LG's output has T, P and K, and f wherever it has K: two rows with f differ in c and d alone",
}
NOT_STATED = {"beside": "i stands in a row with one of a, b, c, d, f, g: would settle MM's choice between e and i"}
ROWS = ("bcd", "cdfg", "dfg", "ei", "i", "e", "agxz", "abcgy")


def leaves(node: str) -> str:
    """Return the items below a node.

    >>> leaves("Q")
    'fgxyz'
    """
    return "".join(map(leaves, TREE[node])) if node in TREE else node


def label_sets() -> Iterator[tuple[str, ...]]:
    """Yield every non-empty set of labels below the root that some cut has, of at most five.

    >>> sum(1 for _ in label_sets())
    2563
    """

    def of(node: str) -> list[str]:
        parts = ["".join(part) for part in itertools.product(*map(of, TREE.get(node, "")))]
        return list(dict.fromkeys([*parts, node])) if node in TREE else ["", node]

    for parts in itertools.product(*map(of, TREE["T"])):
        if 0 < len("".join(parts)) <= LONGEST:
            yield tuple("".join(parts))


def occurrences() -> list[tuple[int, dict[str, int]]]:
    """Return all numbers of leaves of M, and occurrences of the nodes, that give the costs of the text.

    P covers a, b, c and d, J covers f and g, and e and i are items: the cuts of the text say so. With L leaves in all,
    costs times L - 1 are whole numbers.

    >>> occurrences()
    [(3, {'H': 4, 'K': 6, 'J': 6, 'M': 3, 'e': 2, 'i': 2})]
    """
    found = []
    for m in range(3, 60):  # x, y, z are below M
        unit = 7 + m
        for p in range(22):
            for low in range(22 - p):
                for j in range(22 - p - low):
                    q, e = j + low, 23 - 2 - p - j - low
                    two = 10 * (3 * p + (m + 1) * q) == 66 * unit
                    four = 10 * (3 * p + j + (m - 1) * low) == 42 * unit
                    six = 10 * (3 * p + (m - 1) * low) == 36 * unit
                    if not (two and four and six):
                        continue
                    for h in range(p + 1):  # H = {a, b} is suppressed at cut 3
                        if 10 * (unit * (h + 2) + (p - h) + (m + 1) * q) == 102 * unit:
                            found.append((m, {"H": h, "K": p - h, "J": j, "M": low, "e": e, "i": 2}))
    return found


@dataclass(frozen=True)
class Check:
    """A statement of the text, and what the rows give."""

    place: str
    says: str
    seen: str
    holds: bool


def minimal_threats(rows: Sequence[str], cut: str = "") -> list[str]:
    """Return the minimal threats over all cuts, or at one, by brute force.

    >>> minimal_threats(ROWS, CUT3), len(minimal_threats(ROWS))
    (['ei', 'HKQ'], 25)
    """
    below = {node: set(leaves(node)) for node in {*TREE, *ITEMS}}
    support = {
        labels: sum(all(below[label] & set(row) for label in labels) for row in rows)
        for labels in map(frozenset, label_sets())
        if not cut or labels <= set(cut)
    }
    found = [
        labels
        for labels, count in support.items()
        if 0 < count < K and all(support[labels - {one}] >= K for one in labels if len(labels) > 1)
    ]
    return sorted(("".join(sorted(labels)) for labels in found), key=lambda text: (len(text), text))


def hierarchy() -> Any:
    """Return the taxonomy."""
    import shoal

    def below(node: str) -> Any:
        return {child: below(child) if child in TREE else [] for child in TREE[node]}

    return shoal.Hierarchy.from_tree({"T": below("T")})


def checks(rows: Sequence[str] = ROWS) -> list[Check]:
    """Try every statement of the text on the rows, with the methods themselves."""
    import shoal

    data, tree = shoal.read([list(row) for row in rows]), hierarchy()

    def release(algorithm: Any, m: Any = "all") -> Any:
        local = isinstance(algorithm, shoal.algorithms.Partition)
        model = shoal.models.TransactionalK(k=K) if local else shoal.Km(k=K, m=m)
        return shoal.anonymize(shoal.Problem(data, tree, model, shoal.metrics.LM()), algorithm=algorithm)

    def ended(algorithm: Any, m: Any = "all") -> str:
        cut, gone = solution(algorithm, m)
        return f"{_sets([cut])} without {gone}" if gone else f"{_sets([cut])} with nothing suppressed"

    def solution(algorithm: Any, m: Any = "all") -> tuple[str, str]:
        made = release(algorithm, m).recoding
        gone = "".join(sorted(made.suppressed_labels))
        return "".join(sorted({*made.labels, *gone})), gone

    def cost(cut: str, gone: str = "") -> str:
        total = sum(
            (len(ITEMS) - 1 if node in gone else len(leaves(node)) - 1) * (item in row)
            for node in cut
            for item in leaves(node)
            for row in rows
        )
        return f"{total / (len(ITEMS) - 1):g}"

    def same(place: str, says: str, seen: str, wanted: str) -> Check:
        return Check(place, says, seen, seen == wanted)

    costs = [cost("T"), cost(CUT2), cost(CUT2, "i"), cost(CUT3, "Hi"), cost("PJMei", "i"), cost(CUT6), cost(CUT6, "i")]
    threats, head = minimal_threats(rows, CUT6), set(rows[0])
    wider = [row for row in rows if {"e", "i"} < set(row)]
    local = ["".join(sorted(row)) for row in release(shoal.algorithms.Partition()).published.rows.sets()]
    apart = {"T", "P", "K"} <= set("".join(local)) and all("f" in row for row in local if "K" in row)
    removed = solution(shoal.algorithms.MM())[1]
    ends = {
        ended(method)
        for method in (shoal.algorithms.HgHs(), shoal.algorithms.MHgHs(), shoal.algorithms.MHgHs(rounds="all"))
    }
    last, first = "".join(sorted(CUT6)), "Mabcdefgi"
    return [
        same("s.2, s.3.1", f"costs {COSTS}", ", ".join(costs), COSTS),
        Check(
            "s.1",
            "the first transaction has c and d, but not f",
            _sets(rows[:1]),
            {"c", "d"} <= head and "f" not in head,
        ),
        same("s.1", "2^infinity-anonymity by cuts alone: all at the top", solution(shoal.algorithms.AA())[0], "T"),
        Check("s.1", "LG's output has T, P and K, and f wherever it has K", _sets(local), apart),
        Check(
            "s.1",
            "total suppression removes b, c, i, x, y, z",
            f"{', '.join(removed)}: e and i can be exchanged in the rows, so MM's choice between them is a tie",
            removed in ("bcixyz", "bcexyz") and _exchanged(rows),
        ),
        Check(
            "s.2",
            "{e,i} is the only threat at cut 6",
            f"{_sets(threats)} and {len(wider)} larger ones",
            threats == ["ei"] and not wider,
        ),
        same("s.3.1", "{e,i} is the threat at cut 2", _sets(minimal_threats(rows, CUT2)), "{e,i}"),
        same(
            "s.3.2", "{H,K,Q} and {e,i} are the threats at cut 3", _sets(minimal_threats(rows, CUT3)), "{e,i}, {H,K,Q}"
        ),
        same("s.4.1", "25 minimal threats over all cuts", str(len(minimal_threats(rows))), str(MINIMAL)),
        same(
            "s.4.2",
            "the first round ends in {a,b,c,d,f,g,M,e,i}, nothing suppressed",
            ended(shoal.algorithms.MHgHs(), 1),
            f"{_sets([first])} with nothing suppressed",
        ),
        same(
            "s.3.1, s.4.2",
            "HgHs, and mHgHs after five rounds, end at cut 6 without i",
            "; ".join(ends),
            f"{_sets([last])} without i",
        ),
        same("s.4.2", "five rounds: the longest transaction has 5 items", str(max(map(len, rows))), str(LONGEST)),
    ]


def _exchanged(rows: Sequence[str]) -> bool:
    """Whether the rows stay the same if e and i change names."""
    swapped = ("".join(sorted(row.translate(str.maketrans("ei", "ie")))) for row in rows)
    return sorted(swapped) == sorted("".join(sorted(row)) for row in rows)


def _sets(rows: Sequence[str]) -> str:
    """Rows as sets."""
    return ", ".join("{" + ",".join(row) + "}" for row in rows)


def page() -> str:
    """Return the rows and the checks in Markdown."""
    made = checks()
    lines = [
        f"Rows: {_sets(ROWS)}. "
        f"{sum(one.holds for one in made)} of {len(made)} statements of the text are true of them.",
        "",
        "| where | the text says | these rows | |",
        "|---|---|---|---|",
    ]
    lines += [f"| {one.place} | {one.says} | {one.seen} | {'true' if one.holds else '**false**'} |" for one in made]
    return "\n".join(lines)
