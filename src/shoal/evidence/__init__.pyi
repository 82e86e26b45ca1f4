from .certificate import Certificate as Certificate
from .claims import Claims as Claims
from .keys import PrivateKey as PrivateKey
from .keys import PublicKey as PublicKey
from .keys import new_keys as new_keys

__all__: list[str]
