"""The date that documents carry."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from shoal.errors import OptionError


def now() -> datetime:
    """Return the current time in UTC, or the time of the environment variable ``SOURCE_DATE_EPOCH`` if it is set.

    With it, equal inputs give equal documents (https://reproducible-builds.org/specs/source-date-epoch/).
    """
    text = os.environ.get("SOURCE_DATE_EPOCH")
    if not text:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(int(text), UTC)
    except (ValueError, OverflowError, OSError):
        raise OptionError(f"SOURCE_DATE_EPOCH must be a number of seconds since 1970, got '{text}'.") from None


def is_fixed() -> bool:
    """Return whether the date is fixed, so that documents must not tell how long anything took."""
    return bool(os.environ.get("SOURCE_DATE_EPOCH"))
