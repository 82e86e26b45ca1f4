"""What a release can show to somebody who does not trust its publisher: certificates, keys, and proofs."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
