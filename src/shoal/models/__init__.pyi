__all__: list[str]

from .base import PrivacyModel as PrivacyModel
from .base import Verdict as Verdict
from .hkp import Hkp as Hkp
from .k import K as K
from .k_km import KKm as KKm
from .k_lm import KLm as KLm
from .km import Km as Km
from .km_negative import KmNegative as KmNegative
from .lm import Lm as Lm
from .privacy_degree import PrivacyDegree as PrivacyDegree
from .sensitive_k import SensitiveK as SensitiveK
from .transactional_k import TransactionalK as TransactionalK
from .witness import Witness as Witness
