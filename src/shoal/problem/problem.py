"""Problem: data, hierarchy, privacy model, loss and seed, as they were given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, Literal

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
        "make one with shoal.hierarchies.load (or, for methods that do not generalize, with Hierarchy.flat)",
    ),
    "model": (PrivacyModel, "give one such as shoal.Km()"),
    "loss": (AdditiveLoss, "give one such as shoal.metrics.NCP()"),
}


@dataclass(frozen=True, eq=False)
class Problem(Generic[Model]):
    """What to anonymize, how strongly, and what counts as loss.

    ``unknown_items="root"`` takes items that the hierarchy does not know as leaves directly below its root;
    ``allow_missing`` goes on where what was declared sensitive is not in the data. Methods that do not generalize need
    no hierarchy: give ``Hierarchy.flat(data.transactions.labels)``. ``columns`` says what each other column
    is (:class:`shoal.Column`, or the name of a role); for models that are about quasi-identifiers, every column is one
    unless something else is said. ``person`` names the column that says whose a record is, where a person may have
    several: then guarantees count persons, not records, and the column is not published.

    It holds what was given. What follows from it, such as the items as leaves of the hierarchy and their costs, is
    :attr:`prepared`; it is made at once, so that input that does not fit together is refused here.
    """

    data: Dataset
    hierarchy: Hierarchy
    model: Model
    loss: AdditiveLoss = field(default_factory=NCP)
    seed: int = 0
    unknown_items: Literal["error", "root"] = "error"
    weights: Weights | None = None  # how much the loss of each item counts; none: all the same
    allow_missing: bool = False
    columns: Mapping[str, Column | str] = field(default_factory=dict)
    person: str | None = None

    def __post_init__(self) -> None:
        """Refuse what is of the wrong type, and what does not fit together."""
        for name, (kind, remedy) in WANTED.items():
            got = getattr(self, name)
            if not isinstance(got, kind):
                raise OptionError(f"Problem: {name} must be a {kind.__name__}, got {type(got).__name__}: {remedy}.")
        if self.unknown_items not in ("error", "root"):
            raise OptionError(f"unknown_items must be 'error' or 'root', got '{self.unknown_items}'.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise OptionError(f"Problem: seed must be a whole number from 0 on, got {self.seed}.")
        if self.weights is not None and not isinstance(self.weights, Weights):
            raise OptionError(
                f"Problem: weights must be Weights, got {type(self.weights).__name__}: give Weights({{..}})."
            )
        self.prepared  # noqa: B018  (what does not fit is an error now, not later)

    def __repr__(self) -> str:
        """Never the data themselves."""
        return f"Problem({self.data!r}, {self.hierarchy!r}, {self.model!r}, loss={self.loss.name}, seed={self.seed})"

    @cached_property
    def prepared(self) -> Prepared[Model]:
        """What follows from the inputs: what algorithms get."""
        return prepare(self)

    def refuse_identifying(self) -> None:
        """Refuse a column that may name people and would be published as it is, unless its role was said."""
        if not self.model.relational:  # else it is a quasi-identifier
            refuse_identifying(self.prepared.data, {*self.columns, *self.model.columns})
