__all__: list[str]

from .certificate import Certificate as Certificate
from .claims import Claims as Claims
from .keys import PrivateKey as PrivateKey
from .keys import PublicKey as PublicKey
from .keys import new_keys as new_keys
from .proof.check import ProofCheck as ProofCheck
from .proof.check import check_proof as check_proof
from .proof.document import Proof as Proof
from .proof.make import proof_of as proof_of
