__all__: list[str]

from .proof.check import ProofCheck as ProofCheck
from .proof.check import check_proof as check_proof
from .proof.document import Proof as Proof
from .proof.make import proof_of as proof_of
