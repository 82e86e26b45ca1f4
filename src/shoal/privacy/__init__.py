"""Privacy models: one file each, with the definition and its verifier.

A verifier reads published data only, never an algorithm's bookkeeping, and shares no code path with the algorithms:
this package imports neither ``algorithms`` nor ``recoding`` nor ``search`` (a test enforces it).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from shoal.engines import LOCAL, Engine
from shoal.options import Spec
from shoal.published import Published


@dataclass(frozen=True)
class Witness:
    """One thing an adversary may know, in the user's labels, and the number of records that it leaves."""

    labels: tuple[str, ...]
    support: int

    def __str__(self) -> str:
        """For messages."""
        return f"{{{', '.join(self.labels)}}} is in {self.support} record{'' if self.support == 1 else 's'}"


@dataclass(frozen=True)
class Verdict:
    """What a verifier found."""

    holds: bool
    checked: int  # adversary views examined
    violations: int = 0  # failing views of the kind that was met first (for sets: of the smallest size that fails)
    witnesses: tuple[Witness, ...] = ()  # some of them: smallest sets first, then lowest support

    def __bool__(self) -> bool:
        """Whether the guarantee holds."""
        return self.holds


class PrivacyModel(Spec, ABC):
    """A guarantee about published data."""

    title: ClassVar[str]  # for people: "k^m-anonymity"
    paper: ClassVar[str]
    default_algorithm: ClassVar[str]  # the name of the one that is used unless another is asked for

    @abstractmethod
    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Check the guarantee, exactly."""

    @abstractmethod
    def feasible(self, published: Published) -> None:
        """Raise :class:`~shoal.errors.Infeasible` if no generalization of these rows can satisfy the model."""

    @abstractmethod
    def describe(self) -> str:
        """The guarantee with its parameters, as a plain English sentence."""

    @abstractmethod
    def limits(self) -> list[str]:
        """What the guarantee does not promise, in plain English sentences."""
