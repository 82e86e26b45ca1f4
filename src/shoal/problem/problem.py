"""The problem as given: data, hierarchy, privacy model, loss and seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal

from shoal.caching import cached_property
from shoal.data.columns import Column, refuse_identifying
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.errors import OptionError
from shoal.hierarchies.weights import Weights
from shoal.metrics.base import AdditiveLoss
from shoal.metrics.ncp import NCP
from shoal.models.base import PrivacyModel
from shoal.problem.preparation import prepare
from shoal.problem.prepared import Model, Prepared

WANTED: dict[str, tuple[type, str]] = {
    "data": (Dataset, "make one with shoal.read"),
    "hierarchy": (
        Hierarchy,
        "make one with shoal.hierarchies.load (or with Hierarchy.flat, for methods that do not generalize)",
    ),
    "model": (PrivacyModel, "pass one such as shoal.Km()"),
    "loss": (AdditiveLoss, "pass one such as shoal.metrics.NCP()"),
}


@dataclass(frozen=True, eq=False)
class Problem(Generic[Model]):
    """What to anonymize, with which guarantee, and which loss to minimise.

    :func:`shoal.anonymize` makes a problem from its arguments. Make one yourself to run several algorithms on it, or to
    share the prepared data. Inputs that do not fit together are refused at once.

    Parameters
    ----------
    data : Dataset
        The records, from :func:`shoal.read`.
    hierarchy : Hierarchy
        The hierarchy of the items. For methods that do not generalize, pass ``Hierarchy.flat(labels)``.
    model : PrivacyModel
        The guarantee, such as ``shoal.Km(k=5, m=2)``.
    loss : AdditiveLoss, default NCP()
        The loss that algorithms minimise.
    seed : int, default 0
        The seed for random choices.
    unknown_items : {"error", "root"}, default "error"
        How to treat items that are missing in the hierarchy: raise an error, or add them directly below the root.
    weights : Weights, optional
        Weights of the items in the loss. By default all items count the same.
    allow_missing : bool, default False
        Go on if a label that is declared sensitive is not in the data.
    columns : dict, optional
        The role of each other column, as a name or a :class:`shoal.Column`. For models about columns, every column is a
        quasi-identifier by default.
    person : str, optional
        The column that identifies the person of each record, if a person may have several. Guarantees then count
        persons instead of records, and the column is not published.

    Raises
    ------
    shoal.errors.OptionError
        If an argument has the wrong type, or the arguments do not fit together.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"food": {"fruit": ["apple", "pear"], "bread": ["rye", "wheat"]}})
    >>> baskets = [["apple", "rye", "wheat"], ["pear", "rye"], ["pear", "rye", "wheat"], ["apple", "pear", "wheat"]]
    >>> problem = shoal.Problem(shoal.read(baskets), tree, shoal.Km(k=2, m=2))
    >>> shoal.anonymize(problem, algorithm=shoal.algorithms.AA()).data
    [['rye', 'wheat', 'fruit'], ['rye', 'fruit'], ['rye', 'wheat', 'fruit'], ['wheat', 'fruit']]
    """

    data: Dataset
    hierarchy: Hierarchy
    model: Model
    loss: AdditiveLoss = field(default_factory=NCP)
    seed: int = 0
    unknown_items: Literal["error", "root"] = "error"
    weights: Weights | None = None  # of the items in the loss; None: all the same
    allow_missing: bool = False
    columns: Mapping[str, Column | str] = field(default_factory=dict)
    person: str | None = None

    def __post_init__(self) -> None:
        """Refuse arguments of the wrong type, and arguments that do not fit together."""
        for name, (kind, remedy) in WANTED.items():
            got = getattr(self, name)
            if not isinstance(got, kind):
                raise OptionError(f"Problem: {name} must be a {kind.__name__}, got {type(got).__name__}: {remedy}.")
        if self.unknown_items not in ("error", "root"):
            raise OptionError(f"Problem: unknown_items must be 'error' or 'root', got '{self.unknown_items}'.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise OptionError(f"Problem: seed must be a whole number of at least 0, got {self.seed}.")
        if self.weights is not None and not isinstance(self.weights, Weights):
            raise OptionError(
                f"Problem: weights must be Weights, got {type(self.weights).__name__}: pass Weights({{..}})."
            )
        self.prepared  # noqa: B018  (raises errors now, not later)

    def __repr__(self) -> str:
        """Describe the problem without showing any data."""
        return f"Problem({self.data!r}, {self.hierarchy!r}, {self.model!r}, loss={self.loss.name}, seed={self.seed})"

    @cached_property
    def prepared(self) -> Prepared[Model]:
        """The prepared problem, as algorithms receive it."""
        return prepare(self)

    def refuse_identifying(self) -> None:
        """Refuse a column that may name people and would be published unchanged, unless its role was given."""
        if not self.model.relational:  # for models about columns it is a quasi-identifier
            refuse_identifying(self.prepared.data, {*self.columns, *self.model.columns})
