"""Do to other data what an earlier release did, as ``shoal apply`` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from shoal import discovery, hierarchies
from shoal.data import Dataset
from shoal.data.columns import Column
from shoal.data.reading_notes import HierarchyBuilt
from shoal.data.recoding_notes import NewColumns
from shoal.engines import LOCAL, Engine
from shoal.errors import OptionError, RecodingFails
from shoal.hierarchies.default import FANOUT
from shoal.hierarchies.weights import Weights
from shoal.io.dask_frames import is_dask_frame
from shoal.io.read_options import ReadOptions
from shoal.jobs.arguments import HierarchySource, read_options
from shoal.jobs.command import Command
from shoal.jobs.dataset_spec import UNNAMED, DatasetSpec, OnRead
from shoal.jobs.job import Job
from shoal.jobs.next_data import NextData, inherited, next_reading
from shoal.metrics.base import AdditiveLoss
from shoal.models.base import PrivacyModel
from shoal.options import changed
from shoal.problem import Problem
from shoal.progress import engine_with
from shoal.release import recoding_file
from shoal.release.pipeline import LOG, make_release, require_loss
from shoal.release.recorded import Recorded, Repaired
from shoal.release.release import Release
from shoal.release.saved_recoding import SavedRecoding

RecodingSource = SavedRecoding | str | Path


def apply(
    recoding: RecodingSource,
    data: Any,
    *,
    repair: bool = False,
    hierarchy: HierarchySource = None,
    unknown_items: Literal["error", "root"] | None = None,
    allow_missing: bool = False,
    weights: Weights | Mapping[str, float] | str | Path | None = None,
    max_loss: float | None = None,
    time_limit: float | Literal["none"] = 60.0,
    workers: int = 0,
    memory: int | str | None = None,
    work_dir: str | Path | None = None,
    progress: bool | Callable[[str, float], None] = False,
    engine: Engine | None = None,
    **reading: Any,
) -> Release:
    """Do to data what an earlier release did, and verify the result before you get it.

    The model, the method and the way to read the data are those of the earlier release. The same data give the same
    release.

    Parameters
    ----------
    recoding
        What the earlier release did: ``release.saved_recoding``, or the file that ``release.save(.., recoding=FILE)``
        wrote.
    data
        The data: the path of a file, a data frame, a list of sets, or what :func:`shoal.read` returned.
    repair
        If the recoding does not give the guarantee on these data, generalize further, as little as possible. Nothing
        is published in more detail than before.
    hierarchy
        A hierarchy that has more items than that of the earlier release: a :class:`shoal.Hierarchy` or its file. It
        says which group each new item belongs to.
    unknown_items
        What to do with items that the hierarchy lacks: ``"error"``, or ``"root"`` to put them below its root. Default:
        as in the earlier release.
    allow_missing
        Go on if a sensitive label is not in the data. It may be misspelt.
    weights
        How much the loss of items or groups counts, for the figures and for repairs.
    max_loss
        Raise :class:`~shoal.errors.LossTooHigh` if the loss is above this number from 0 to 1.
    time_limit
        Seconds for the search of a repair.
    workers, memory, work_dir, progress, engine
        As for :func:`shoal.anonymize`.
    **reading
        Options of :func:`shoal.read` that differ from those of the earlier release.

    Returns
    -------
    Release
        The release. ``release.saved_recoding`` is the recoding, repaired if that was needed.

    Raises
    ------
    RecodingFails
        The recoding does not give the guarantee on these data.
    Infeasible
        No repair can give the guarantee.

    Examples
    --------
    >>> import shoal
    >>> products = shoal.Hierarchy.from_tree({"ALL": {"beer": ["ale", "stout"], "bread": ["rye", "bun"]}})
    >>> january = [["ale", "rye"], ["ale", "rye"], ["stout", "rye"], ["stout", "rye"], ["ale", "bun"], ["ale", "bun"]]
    >>> first = shoal.anonymize(january, k=2, m=2, hierarchy=products)
    >>> first.saved_recoding.raised
    ()
    >>> february = [["ale", "rye"], ["stout", "rye"], ["ale", "rye"]]
    >>> second = shoal.apply(first.saved_recoding, february, repair=True)
    >>> second.data, second.saved_recoding.raised
    ([['beer', 'rye'], ['beer', 'rye'], ['beer', 'rye']], ('beer',))
    """
    saved = as_recoding(recoding)
    if is_dask_frame(data):
        raise OptionError(
            "shoal.apply works on this machine, but the data are a Dask DataFrame: pass data.compute(), or its files."
        )
    named = str(weights) if isinstance(weights, str | Path) else ""
    spec = spec_for(saved, data, hierarchy, next_reading(reading), unknown_items, named, allow_missing=allow_missing)
    with engine_with(progress=progress, workers=workers, memory=memory, work_dir=work_dir, engine=engine) as running:
        problem = problem_for(saved, spec)
        if weights is not None and not isinstance(weights, str | Path):
            problem = replace(problem, weights=weights if isinstance(weights, Weights) else Weights(dict(weights)))
        release = release_of(problem, saved, running, repair=repair, time_limit=time_limit)
    if max_loss is not None:
        require_loss(release, max_loss, f"max_loss={max_loss:g}", release.reporter.advice)
    for note in release.notes:
        LOG.warning(note)
    return release


def as_recoding(source: RecodingSource) -> SavedRecoding:
    """Return a recoding, or that of a file."""
    if isinstance(source, SavedRecoding):
        return source
    if isinstance(source, str | Path):
        return recoding_file.load(source)
    raise OptionError(f"recoding must be a file, or release.saved_recoding, got {type(source).__name__}.")


def spec_for(
    saved: SavedRecoding,
    data: Any,
    hierarchy: HierarchySource = None,
    reading: ReadOptions | None = None,
    unknown_items: str | None = None,
    weights: str = "",
    *,
    allow_missing: bool = False,
) -> DatasetSpec:
    """Describe other data as those of an earlier release, with the hierarchy that the recoding knows, or a larger one.

    ``reading``: options of reading. Those at their defaults are as in the earlier release, if the format of the data
    has them.
    """
    path = isinstance(data, str | Path)
    tree = hierarchies.load(hierarchy) if isinstance(hierarchy, str | Path) else hierarchy
    given = {} if reading is None else changed(reading)
    if isinstance(data, Dataset) and given:
        raise OptionError(f"{next(iter(given))}= is for reading, but the data are read already: leave it out.")
    own = {} if isinstance(data, Dataset) else inherited(saved, data, given)
    return NextData(
        label=Path(data).stem if path else UNNAMED,
        file=str(data) if path else "",
        source=None if path else data,
        reading=read_options({**own, **given}),
        hierarchy={"": saved.tree if tree is None else saved.extended(tree)},
        unknown_items=unknown_items or saved.unknown_items,
        weights=weights,
        allow_missing=allow_missing,
        columns={name: Column(role) for name, role in saved.roles.items()},  # type: ignore[arg-type]
        keep=saved.columns or (),
        saved=saved,
    )


def problem_for(saved: SavedRecoding, spec: DatasetSpec, on_read: OnRead = lambda data: data) -> Problem[PrivacyModel]:
    """Read the data, and return the problem that the recoding shall solve."""
    loss = discovery.get("shoal.metrics", AdditiveLoss, saved.loss)()
    return spec.problem(saved.model, loss, on_read=lambda data: as_before(saved, on_read(data)))


def as_before(saved: SavedRecoding, data: Dataset) -> Dataset:
    """Return data with notes on what is new in them, and on a hierarchy that no file holds."""
    notes = data.origin.notes
    new = () if data.table is None else tuple(name for name in data.table.names if name not in (saved.columns or ()))
    if new:
        notes = (*notes, NewColumns(new))
    if saved.built:
        notes = (*notes, HierarchyBuilt(saved.tree.n_leaves, len(saved.tree) - saved.tree.n_leaves, FANOUT))
    return replace(data, origin=replace(data.origin, notes=notes))


def release_of(
    problem: Problem[PrivacyModel],
    saved: SavedRecoding,
    engine: Engine,
    *,
    repair: bool = False,
    time_limit: float | Literal["none"] = 60.0,
) -> Release:
    """Return the release of a problem by a saved recoding, which is repaired if that is needed and allowed."""
    try:
        return make_release(problem, Recorded(recoding=saved), engine)
    except RecodingFails:
        if not repair:
            raise
    return make_release(problem, Repaired(recoding=saved, time_limit=time_limit), engine)


@dataclass(frozen=True, kw_only=True)
class ApplyJob(Job):
    """What to read, what an earlier release did, and what to write."""

    saved: SavedRecoding = field(repr=False)
    repair: bool = False
    time_limit: float | Literal["none"] = 60.0

    @classmethod
    def of(cls, saved: SavedRecoding, data: DatasetSpec, **more: Any) -> ApplyJob:
        """Return the job for a recoding."""
        given = {"model": saved.model, "algorithm": Recorded(recoding=saved), "loss": saved.loss}
        return cls(data=data, saved=saved, **given, **more)  # type: ignore[arg-type]

    def make(self, problem: Problem[PrivacyModel], engine: Engine = LOCAL) -> Release:
        """Apply the recoding, and verify the result."""
        return release_of(problem, self.saved, engine, repair=self.repair, time_limit=self.time_limit)

    def prepared_on_read(self, data: Dataset) -> Dataset:
        """Add notes to the data as read."""
        return as_before(self.saved, data)

    @property
    def command(self) -> Command:
        """How messages spell options. No command is ever suggested: the labels are those of an earlier release."""
        return Command((), self.model)
