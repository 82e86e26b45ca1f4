"""JoinSpec: a join as it is written in an option. It has its own module so that options do not load pyarrow."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import OptionError
from shoal.io.messages import shown


@dataclass(frozen=True)
class JoinSpec:
    """The file to join, and the key columns."""

    file: str
    left: str  # the key's column in the data
    right: str  # the key's column in the file

    @classmethod
    def parse(cls, text: str) -> JoinSpec:
        """Read ``FILE:KEY`` or ``FILE:LEFT=RIGHT``. The file's name may contain colons and equals signs.

        >>> JoinSpec.parse("shop/day=3/products.csv:item=product_id")
        JoinSpec(file='shop/day=3/products.csv', left='item', right='product_id')
        """
        file, _, key = text.rpartition(":")
        left, equals, right = (part.strip() for part in key.partition("="))
        right = right if equals else left
        if not (file and left and right) or any(mark in key for mark in "/\\") or "=" in right:
            raise OptionError(
                f"The join {shown(text)} names no key: write FILE:KEY, or FILE:LEFT=RIGHT if the key has another name "
                "in FILE."
            )
        return cls(file, left, right)
