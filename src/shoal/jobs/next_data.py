"""NextData: data that follow an earlier release. They are read as those of that release, if their format allows it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from shoal.data import Dataset
from shoal.data.arrow import is_list
from shoal.errors import DataError, OptionError, ShoalError, did_you_mean
from shoal.io.detect import format_by_suffix, format_named, format_of
from shoal.io.format import OF_FORMATS, OF_LONG_TABLES, OF_TABLES, Format, ReaderOptions
from shoal.io.frames import FrameFormat, format_of_frame
from shoal.io.messages import listed, shorten
from shoal.io.parts import open_parts
from shoal.io.read_options import ReadOptions
from shoal.io.source import STDIN, Source
from shoal.jobs.arguments import owners_of, read_options
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.models.base import PrivacyModel
from shoal.release.saved_recoding import SavedRecoding

WIDE = ("sets", "item_delimiter", "no_sets")  # where the sets are, if each row is a record
LONG = OF_LONG_TABLES  # if each row is an item
SETTLED = "the model and the method are those of the earlier release"
DESCRIBED = ("jsonl", "parquet", "feather")  # formats that a file of another suffix hardly has


@dataclass(frozen=True)
class NextData(DatasetSpec):
    """Describe data that follow an earlier release. What is missing in them is said with a look at that release."""

    saved: SavedRecoding | None = field(default=None, repr=False, compare=False)

    def read_for_model(self, model: PrivacyModel | None = None) -> Dataset:
        """Read the data, and check that they have the columns that the earlier release published."""
        joined = self.saved is not None and self.saved.joined and self.reading.join is None
        remedy = " The earlier release joined another table: repeat join= for these data." if joined else ""
        try:
            data = super().read_for_model(model)
        except (DataError, OptionError) as error:
            if not remedy or "no column" not in str(error).lower():
                raise
            raise type(error)(f"{error}{remedy}") from None
        names = () if data.table is None else data.table.names
        for name in self.keep or ():
            if name not in names:
                why = data.origin.why_missing(name) or f"No column '{shorten(name)}'{did_you_mean(name, names)}"
                raise DataError(
                    f"{why} in {data.origin.name}, but the earlier release published it; other columns: "
                    f"{listed(names)}.{remedy}"
                )
        return data


def next_reading(given: Mapping[str, Any]) -> ReadOptions:
    """Return options of :func:`shoal.read` for data that follow. The model and the method cannot be chosen again."""
    for name in given:
        if is_settled(name):
            raise OptionError(f"{name}= cannot be chosen again: {SETTLED}.")
    return read_options(given)


def is_settled(name: str) -> bool:
    """Return whether the earlier release settled an argument: the model, the method, or an option of them."""
    return name in ("model", "algorithm", "loss", "seed") or bool(owners_of(name))


def inherited(saved: SavedRecoding, source: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of reading that other data take over from an earlier release.

    Options are left out that contradict those given now, or that the format of the data does not have.

    Parameters
    ----------
    saved
        What the earlier release did.
    source
        The data: a path, or an object in memory.
    given
        The options that were given now.
    """
    own = {name: value for name, value in saved.reading.items() if name not in given}
    if any(given.get(name) for name in ("id_column", "item_column")):
        own = _without(own, WIDE)
    elif any(given.get(name) for name in WIDE):
        own = _without(own, LONG)
    table = saved.columns is not None or any(name in own for name in (*WIDE, *LONG))
    if not isinstance(source, str | Path):
        own = _without(own, ("format", *OF_FORMATS))
        frame = format_of_frame(source)
        if frame is None:
            return _without(own, _only_of_tables(own))
        if "item_delimiter" in own and _holds_lists(source, own):
            del own["item_delimiter"]
        return own if not frame.is_column else _without(own, ["sets", "no_sets", *LONG])
    if "format" in own and _contradicts(source, own["format"], given):
        del own["format"]
    kind = _kind(source, given.get("format") or own.get("format"))
    if kind is None:
        return own
    if "item_delimiter" in own and kind.tabular and kind.lists and _holds_lists(source, own, kind):
        del own["item_delimiter"]
    known = {one.name for one in fields(kind)}
    own = _without(own, [name for name in OF_FORMATS if name not in known])
    if kind.tabular != table:  # it separated columns, and now it would separate items, or the reverse
        own = _without(own, ("delimiter",))
    return own if kind.tabular else _without(own, _only_of_tables(own))


def _only_of_tables(own: Mapping[str, Any]) -> list[str]:
    """Return the options that data without columns cannot have, and do not need.

    They do need persons: without them the guarantee would be weaker. So that option stays, and is an error. So do
    several columns of sets, because the items have the names of their columns.
    """
    several = not isinstance(own.get("sets", ""), str)
    return [name for name in (*OF_TABLES, "no_sets") if name != "person" and not (several and name == "sets")]


def _contradicts(source: str | Path, format: str, given: Mapping[str, Any]) -> bool:
    """Return whether a file cannot have this format: by the options given now, or by its suffix.

    A suffix counts only if it, or the format, is unmistakable. A basket file may well be called groceries.csv.
    """
    if not format_named(format).tabular and any(given.get(name) for name in (*OF_TABLES, "no_sets")):
        return True
    with contextlib.suppress(ShoalError, OSError):
        named = format_by_suffix(Source.of(source))
        if named is not None and named.format != format_named(format).format:
            return named.format in (*DESCRIBED, "basket") or format_named(format).format in DESCRIBED
    return False


def _kind(source: str | Path, named: str | None) -> type[Format] | None:
    """Return the format of a source, or None if it cannot be told: reading the source will tell why."""
    if named is None and str(source) == STDIN:
        return None
    with contextlib.suppress(ShoalError, OSError):
        return format_of(Source.of(source)) if named is None else format_named(named)
    return None


def _holds_lists(source: Any, own: Mapping[str, Any], kind: type[Format] | None = None) -> bool:
    """Return whether the sets of a table are lists, which no text separates."""
    with contextlib.suppress(ShoalError, OSError):
        if kind is None:
            frame = FrameFormat.of(source, ReaderOptions())
            stream = None if frame is None else frame[1]
        else:
            parts = Source.of(source)
            stream = open_parts(parts, kind, ReaderOptions(source=parts.name))[1]
        named = own.get("sets")
        columns = (named,) if isinstance(named, str) else named
        kinds = [] if stream is None else [one.type for one in stream.schema if not columns or one.name in columns]
        return any(map(is_list, kinds))
    return False


def _without(own: Mapping[str, Any], names: Any) -> dict[str, Any]:
    """Return options without some of them."""
    return {name: value for name, value in own.items() if name not in names}
