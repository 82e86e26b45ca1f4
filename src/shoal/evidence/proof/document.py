"""The proof as a document: what the lower bound of a release rests on. It names rare sets, so it is internal."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from shoal import files
from shoal.caching import cached_property
from shoal.data.hierarchy import Hierarchy
from shoal.errors import HierarchyError
from shoal.files import strict_json
from shoal.files.fields import Fields

SCHEMA = "shoal/proof/1"
WARNING = "INTERNAL: this file names rare sets of the original data. Do not publish it."


@dataclass(frozen=True)
class RareSet:
    """Nodes that fewer than k records hold together, none above another."""

    nodes: tuple[int, ...]
    support: int


@dataclass(frozen=True)
class Proof:
    """What the lower bound on the loss of all safe cuts rests on, and the cut of the release.

    A cut costs the sum of the costs of its nodes. Costs are whole numbers; a cost divided by ``scale`` is a loss.

    Parameters
    ----------
    labels, parents : tuple
        The label and the parent of each node. Items come first. Every parent comes after its children. The parent of
        the root is -1.
    k, m : int
        The guarantee is k^m-anonymity. m may also be ``"all"``.
    persons : bool
        Whether persons were counted instead of records.
    loss : str
        The measure of information loss, ``"ncp"`` or ``"lm"``.
    weights : tuple of int, optional
        How much each item counts. None: all the same.
    costs : tuple of int
        The cost of publishing all items below each node as that node.
    scale : int
        The cost that means a loss of 1.
    rare_sets : tuple of RareSet
        Sets of nodes that fewer than k records hold. No safe cut splits all parents of such a set.
    cut : tuple of int
        The nodes that the release publishes.
    cut_cost, lower_bound : int
        The cost of that cut, and a cost that no safe cut is below.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> data = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
    >>> release = shoal.anonymize(data, k=2, m=2, hierarchy=tree, algorithm="optimal")
    >>> proof = shoal.evidence.proof_of(release)
    >>> proof.rare_sets, proof.cut_cost, proof.lower_bound, proof.proven
    ((RareSet(nodes=(0, 1), support=1),), 10, 10, True)
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    k: int
    m: int | Literal["all"]
    persons: bool
    loss: str
    weights: tuple[int, ...] | None
    costs: tuple[int, ...]
    scale: int
    rare_sets: tuple[RareSet, ...]
    cut: tuple[int, ...]
    cut_cost: int
    lower_bound: int

    def __repr__(self) -> str:
        """Describe the proof without showing any label."""
        return f"Proof({len(self.labels):,} nodes, {len(self.rare_sets):,} rare sets, bound {self.lower_bound:,})"

    @property
    def proven(self) -> bool:
        """Whether the bound shows that no safe cut loses less than the release."""
        return self.lower_bound >= self.cut_cost

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy whose cuts are compared.

        Returns
        -------
        Hierarchy

        Raises
        ------
        HierarchyError
            If the nodes are not a tree whose items come first.
        """
        parent = np.array(self.parents, dtype=np.int32)
        leaves = int((~np.isin(np.arange(len(parent)), parent)).sum())
        span = np.tile(np.array([len(parent), 0], dtype=np.int32), (len(parent), 1))
        span[:leaves] = np.stack([np.arange(leaves), np.arange(1, leaves + 1)], axis=1)
        for node, above in enumerate(self.parents[:-1]):
            if not node < above < len(parent):
                raise HierarchyError("every parent must come after its children, and the root last.")
            span[above] = min(span[above, 0], span[node, 0]), max(span[above, 1], span[node, 1])
        return Hierarchy(parent, span, self.labels, "the hierarchy of the proof")

    def as_dict(self) -> dict[str, Any]:
        """Return the document that :meth:`save` writes."""
        return {
            "do_not_publish": WARNING,
            "schema": SCHEMA,
            "model": {"name": "km", "k": self.k, "m": self.m},
            "counted": "persons" if self.persons else "records",
            "loss": {"name": self.loss, "scale": self.scale},
            "release": {"cut": list(self.cut), "cost": self.cut_cost},
            "lower_bound": self.lower_bound,
            "rare_sets": [{"nodes": list(one.nodes), "support": one.support} for one in self.rare_sets],
            "labels": list(self.labels),
            "parents": list(self.parents),
            "costs": list(self.costs),
            "weights": None if self.weights is None else list(self.weights),
        }

    def save(self, path: str | Path) -> None:
        """Write the proof as JSON, for the owner of the data only.

        Parameters
        ----------
        path
            The file to write. If it is new, only its owner can read it.

        Examples
        --------
        >>> import tempfile
        >>> one = Proof(("a",), (-1,), 2, 2, False, "ncp", None, (0,), 1, (), (0,), 0, 0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     one.save(Path(folder, "proof.json"))
        ...     Proof.load(Path(folder, "proof.json")) == one
        True
        """
        lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in self.as_dict().items()]
        with files.atomic_output(path, private=True) as out:
            out.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a proof. What it claims is not checked.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        Proof

        Raises
        ------
        DataError
            If the file is not a proof of this version.

        Examples
        --------
        >>> Proof.load("pyproject.toml")
        Traceback (most recent call last):
        shoal.errors.DataError: pyproject.toml, line 1, column 2: this is not JSON (...): ...
        """
        name = str(path)
        return cls._of(Fields(strict_json.loads(files.load(path).text().encode(), name), name, "cannot be checked"))

    @classmethod
    def _of(cls, given: Fields) -> Self:
        """Return the proof that a document holds."""
        if (schema := given.text("schema")) != SCHEMA:
            given.refuse(f"its schema is '{schema}', and this version of Shoal checks {SCHEMA}")
        model, loss, release = given.below("model"), given.below("loss"), given.below("release")
        if (name := model.text("name")) != "km":
            given.refuse(f"its model is '{name}', and only proofs about km can be checked")
        if (counted := given.text("counted")) not in ("records", "persons"):
            given.refuse(f"'counted' is neither records nor persons, but '{counted}'")
        rare = given.objects("rare_sets")
        return cls(
            labels=given.texts("labels"),
            parents=given.numbers("parents"),
            k=model.number("k"),
            m="all" if model.get("m") == "all" else model.number("m"),
            persons=counted == "persons",
            loss=loss.text("name"),
            weights=None if given.get("weights") is None else given.numbers("weights"),
            costs=given.numbers("costs"),
            scale=loss.number("scale"),
            rare_sets=tuple(RareSet(one.numbers("nodes"), one.number("support")) for one in rare),
            cut=release.numbers("cut"),
            cut_cost=release.number("cost"),
            lower_bound=given.number("lower_bound"),
        )
