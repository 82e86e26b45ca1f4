__all__: list[str]

from .are import ARE as ARE
from .base import AdditiveLoss as AdditiveLoss
from .base import Measure as Measure
from .classes import ClassSizes as ClassSizes
from .comparison import Comparison as Comparison
from .kl import KLDivergence as KLDivergence
from .lm import LM as LM
from .ml2 import ML2 as ML2
from .ncp import NCP as NCP
from .operations import Operations as Operations
from .privacy_value import PrivacyValue as PrivacyValue
from .relational_ncp import RelationalNCP as RelationalNCP
from .risk import Risk as Risk
from .ul import UL as UL
from .workload import Query as Query
from .workload import Workload as Workload
