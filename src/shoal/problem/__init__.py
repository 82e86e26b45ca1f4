"""The problem: what was given (:mod:`.problem`), and what follows from it (:mod:`.prepared`), which algorithms get."""

from shoal.problem.prepared import Prepared
from shoal.problem.problem import Problem

__all__ = ["Prepared", "Problem"]
