"""Publish again and again: a folder of releases that keep their promise together.

:class:`Series` is the folder. Its rule says what a later release may be: ``same-recoding`` groups items as before, or
more; ``new-records`` holds no record that was published before.
"""

from shoal.series.added import Added
from shoal.series.check import Alone, Linked, SeriesCheck
from shoal.series.series import Series

__all__ = ["Added", "Alone", "Linked", "Series", "SeriesCheck"]
