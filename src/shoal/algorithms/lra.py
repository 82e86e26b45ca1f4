"""LRA, local recoding anonymization (Terrovitis et al. 2011, Alg. 5 and 6).

The rows are put in Gray order, which brings similar ones together. They are split into chunks with about equal numbers
of m-combinations, at places where neighbours differ much. Each chunk is anonymized by itself, in parallel, with a cut
of its own: an item can be unchanged in one chunk and part of a group in another. A chunk that cannot be made safe, such
as one with fewer than k non-empty rows, joins the next one. The last chunk joins the previous one.

If each chunk is k^m-anonymous (or l^m-diverse), so is their union. If persons are counted, this holds for l^m-diversity
only if nobody has rows in two chunks, so all rows of a person are put in one chunk. It also holds with negative
knowledge: a fact about a label that a chunk does not have is true or false for all its rows, and other facts match no
row or at least k.

Cost: sorting, and the method within the chunks. Memory: that of the chunks that run at the same time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms.base import TreeAlgorithm
from shoal.data.arrays import part_of
from shoal.engines import Engine
from shoal.models.km import Km
from shoal.models.km_negative import KmNegative
from shoal.models.lm import Lm
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding import LocalCuts
from shoal.recoding.solution import CutSolution, Solution
from shoal.search.clock import Clock
from shoal.search.direct import BUILT, COUNTED, CutInput, level_by_level
from shoal.search.gray import BALANCES, BIT_ORDERS, BORDERS, Splitting, gray_chunks, joined
from shoal.search.needs import Needs
from shoal.search.optimum import best_cut


@dataclass(frozen=True)
class LRA(TreeAlgorithm):
    """Generalize similar records together, chunk by chunk and in parallel.

    The records are sorted so that similar ones are neighbours, and split into chunks. Each chunk is generalized by
    itself, so an item can stay unchanged in one chunk and become part of a group in another. Use it when one cut
    for all records loses too much. Analysts have to handle labels of different levels.

    Parameters
    ----------
    siblings : str, default "none"
        Groups of siblings of the hierarchy that may be published as one label: ``"none"``, halves of the siblings
        by ``"label"`` or by ``"frequency"``, the ``"best"`` of these, or the path of a file with the groups.
    chunks : int, default 3
        Number of chunks that the records are split into.
    flexibility : int, default 10
        Number of records by which a border between chunks may move.
    bit_order : {"hierarchy", "frequent-first", "rare-first"}, default "hierarchy"
        Order of the items in the Gray code, from the lowest bit on.
    borders : {"closed", "half-open"}, default "closed"
        Whether a border may move by the full flexibility both ways, or by one record less forwards.
    balance : {"combinations", "records"}, default "combinations"
        What all chunks get about equal numbers of.
    estimate_from : int, default 0
        Number of random records used to estimate the number of combinations. 0 means all records.
    within : {"aa", "optimal"}, default "aa"
        How each chunk is anonymized: greedily, or with the least loss possible.

    References
    ----------
    M. Terrovitis, N. Mamoulis, P. Kalnis: Local and global recoding methods for anonymizing set-valued data. VLDB
    Journal 20(1), 2011.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"food": {"fruit": ["apple", "pear"], "bread": ["rye", "wheat"]}})
    >>> baskets = [["apple", "rye", "wheat"], ["pear", "rye"], ["pear", "rye", "wheat"], ["apple", "pear", "wheat"]]
    >>> problem = shoal.Problem(shoal.read(baskets), tree, shoal.Km(k=2, m=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.LRA(chunks=2))
    >>> release.data
    [['rye', 'wheat', 'fruit'], ['rye', 'fruit'], ['rye', 'wheat', 'fruit'], ['wheat', 'fruit']]
    """

    name = "lra"
    title = "Local recoding anonymization"
    paper = "Terrovitis et al. 2011, Alg. 5, 6"
    solves = (Km, Lm, KmNegative)
    reveals = "a probability of 2/3, and with some options for sure"

    chunks: int = option(3, low=1, help="Number of chunks that the records are split into.")
    flexibility: int = option(10, low=0, help="Number of records by which a border between chunks may move.")
    bit_order: Literal["hierarchy", "frequent-first", "rare-first"] = option(
        "hierarchy",
        words=BIT_ORDERS,
        help="Order of the items in the Gray code, from the lowest bit: as in the hierarchy, or by frequency.",
    )
    borders: Literal["closed", "half-open"] = option(
        "closed",
        words=BORDERS,
        help="Whether a border may move by the full flexibility both ways, or by one record less forwards (half-open).",
    )
    balance: Literal["combinations", "records"] = option(
        "combinations",
        words=BALANCES,
        help="What all chunks get about equal numbers of: combinations of m items, or records.",
    )
    estimate_from: int = option(
        0, low=0, help="Number of random records used to estimate the number of combinations. 0: all records."
    )
    within: Literal["aa", "optimal"] = option(
        "aa", words=("aa", "optimal"), help="How each chunk is anonymized: greedily, or with the least loss possible."
    )

    def search(self, problem: Prepared[Km | Lm | KmNegative], engine: Engine) -> Solution:
        """Split the rows, join chunks that cannot be made safe, and anonymize each chunk."""
        model, items = problem.model, problem.items
        keep = bool(model.demand(items).one_in)
        splitting = Splitting(self.bit_order, self.borders, self.balance, self.estimate_from, problem.seed)
        split = gray_chunks(items, model.m, self.chunks, self.flexibility, keep_persons=keep, splitting=splitting)
        chunks = joined(split, Needs(problem).is_feasible)
        parts = [problem if len(chunks) == 1 else problem.take(rows) for rows in chunks]
        solved = engine.map("anonymizing chunks", self._within, parts)
        cuts = tuple(part.recoding for part in solved)
        chunk_of = part_of(chunks, len(problem.items))
        statistics: dict[str, float] = {"chunks": len(chunks), "chunks_joined": len(split) - len(chunks)}
        for name in sorted({name for part in solved for name in part.statistics}):
            values = [part.statistics.get(name, 0.0) for part in solved]
            if not name.startswith(COUNTED):
                statistics[name] = sum(values)
            elif name == COUNTED or all(name in part.statistics for part in solved):  # counted in every chunk
                statistics[name] = max(values)
                statistics[f"{name}_in_all"] = sum(values)  # to compare with the largest
        if BUILT in statistics:
            largest = max(range(len(parts)), key=lambda at: solved[at].statistics[BUILT])
            statistics[f"{BUILT}_records"] = len(parts[largest].items)  # records of the chunk with the largest tree
        return Solution(LocalCuts(cuts, chunk_of), statistics=statistics)

    def _within(self, part: Prepared[Km | Lm | KmNegative], engine: Engine) -> CutSolution:
        """Anonymize a chunk."""
        if self.within == "optimal":
            solution = best_cut(part, engine, Clock.of("none"), needs_proof=True)
            if solution.optimality is not None and solution.optimality.ended == "interrupted":
                raise KeyboardInterrupt  # the best so far of a single chunk is useless
            return solution
        return level_by_level(CutInput.of(part, engine), part.model, engine).solution(part.hierarchy)
