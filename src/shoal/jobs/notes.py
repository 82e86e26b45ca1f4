"""Notes: remarks of a job about its input, in addition to its result. An error that ends the job has them too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from shoal.errors import ShoalError


@contextmanager
def taking_notes() -> Iterator[list[str]]:
    """A list for the sentences of one job. If an error ends the job, a traceback shows them below the error.

    >>> with taking_notes() as notes:
    ...     notes.append("'*' was taken as what was suppressed.")
    ...     raise ShoalError("Published label 'x' is not an item.")
    Traceback (most recent call last):
    shoal.errors.ShoalError: Published label 'x' is not an item.
    '*' was taken as what was suppressed.
    """
    notes: list[str] = []
    try:
        yield notes
    except ShoalError as error:
        for note in notes:
            error.add_note(note)
        raise
