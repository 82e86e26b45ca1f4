"""The input of algorithms: the problem as given (:mod:`.problem`), and prepared for the search (:mod:`.prepared`)."""

from shoal.problem.prepared import Prepared
from shoal.problem.problem import Problem

__all__ = ["Prepared", "Problem"]
