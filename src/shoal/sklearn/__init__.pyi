__all__: list[str]

from .anonymizer import Anonymizer as Anonymizer
from .checked import GuaranteeWarning as GuaranteeWarning
