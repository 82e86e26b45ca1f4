"""Tell why each group of published data is needed, as ``shoal explain`` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from shoal.data import Dataset, Hierarchy
from shoal.engines import Engine
from shoal.errors import OptionError, did_you_mean
from shoal.jobs.arguments import CodeBookSource, HierarchySource, as_model
from shoal.jobs.notes import taking_notes
from shoal.jobs.published_file import LabelMeanings, read_both
from shoal.models.base import PrivacyModel
from shoal.problem import Prepared, Problem
from shoal.progress import engine_with
from shoal.published import Published
from shoal.recoding import GlobalCut
from shoal.report.explanations import Explanation, cut_of, explain_cut
from shoal.report.facts import plain


@dataclass(frozen=True, eq=False)
class Explanations:
    """The reasons for all groups and suppressed items; those in most records come first."""

    groups: tuple[Explanation, ...]
    published_labels: frozenset[str]
    notes: tuple[str, ...] = ()  # remarks about the result

    def __iter__(self) -> Iterator[Explanation]:
        """Iterate over the reasons."""
        return iter(self.groups)

    def __getitem__(self, at: int) -> Explanation:
        """Return one of the reasons."""
        return self.groups[at]

    def __len__(self) -> int:
        """Return the number of groups and suppressed items."""
        return len(self.groups)

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return the list that ``shoal explain --json`` prints."""
        dicts: list[dict[str, Any]] = plain(self.groups)
        return dicts


def explain(
    original: Any,
    published: Any,
    *,
    hierarchy: HierarchySource = None,
    model: PrivacyModel | str | None = None,
    k: int | None = None,
    m: int | Literal["all"] | None = None,
    codebook: CodeBookSource = None,
    unknown_items: Literal["error", "root"] = "error",
    label: str | None = None,
    workers: int = 0,
    progress: bool | Callable[[str, float], None] = False,
    engine: Engine | None = None,
    **reading: Any,
) -> Explanations:
    """Tell why each group in published data is needed: a set that would be too rare if the group were split.

    Likewise for each suppressed item: a set that would be too rare if the item were published. The sets are of the raw
    data: do not publish them.

    Parameters
    ----------
    original, published
        Anything that :func:`shoal.read` takes, or what it returned: the same rows in the same order. Any tool may have
        made the published data, by replacing items by groups, or suppressing them, the same everywhere.
    hierarchy
        The hierarchy that the groups come from, or its file. Not needed with a code book.
    model, k, m
        The guarantee, as in :func:`shoal.anonymize`. Only k^m-anonymity can be explained.
    codebook
        The code book of the release, or its file. Default: the one next to the published file, if it is needed.
    unknown_items
        Items that are not in the hierarchy: ``"error"``, or ``"root"`` to take them as items below its root.
    label
        Explain only what this item or group was published as.
    workers, progress, engine
        As in :func:`shoal.anonymize`.
    **reading
        Options of :func:`shoal.read`, if the data are not read yet.

    Returns
    -------
    Explanations
        One sentence for each group and each suppressed item.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"ALL": {"DRINKS": ["milk", "tea"], "FOOD": ["rice"]}})
    >>> before, after = [["milk", "rice"], ["tea", "rice"]], [["DRINKS", "rice"], ["DRINKS", "rice"]]
    >>> print(*shoal.explain(before, after, hierarchy=tree, k=2, m=2))
    'DRINKS' was not split because {milk} is in 1 record.
    """
    model = explainable(as_model(model, k, m, reading))
    with taking_notes() as notes, engine_with(progress=progress, workers=workers, engine=engine) as running:
        before, after = read_both(original, published, reading)
        meanings = LabelMeanings.of(before, after, hierarchy, codebook, notes)
        problem = _problem(before, meanings, model, unknown_items)
        resolved = Published.resolve(after.transactions, problem.hierarchy)
        cut = cut_of(problem, resolved)
        verdict = model.verify(resolved, running)
        if not verdict.holds:
            raise OptionError(
                f"{after.origin.source} does not have {model.title} with these options ({verdict.witnesses[0]}): "
                f"give those that it was made with, or see 'shoal verify'."
            )
        groups = explain_cut(problem, cut, running)
        if label is not None and groups:
            wanted = _group(label, problem.hierarchy, cut)
            groups = [one for one in groups if one.group == wanted]
    return Explanations(tuple(groups), frozenset(resolved.rows.in_use().labels), tuple(notes))


def explainable(model: PrivacyModel) -> PrivacyModel:
    """Return the model, or raise an error if its releases cannot be explained."""
    if not model.explainable:
        raise OptionError(f"Only cuts for the model km can be explained, not for {model.name}.")
    return model


def _problem(
    data: Dataset, meanings: LabelMeanings, model: PrivacyModel, unknown_items: Literal["error", "root"]
) -> Prepared[PrivacyModel]:
    """Return the problem that the published data solve, on a hierarchy with all their groups."""
    if meanings.alone and meanings.book is None:
        raise OptionError(
            "explain needs hierarchy=, the hierarchy that the data were published with, or codebook=, the code book of "
            "the release: give one of them."
        )
    problem = Problem(data, meanings.tree, model, unknown_items=unknown_items).prepared
    if meanings.book is not None and len(meanings.book):
        problem = problem.on(meanings.book.tree(problem.hierarchy))
    return problem


def _group(label: str, hierarchy: Hierarchy, cut: GlobalCut) -> str:
    """Return the label of the cut that covers a label of the hierarchy."""
    if label not in hierarchy.code_of:
        raise OptionError(
            f"'{label}' is neither an item nor a group of the hierarchy {hierarchy.name}"
            f"{did_you_mean(label, hierarchy.labels)}."
        )
    node = hierarchy.code_of[label]
    above = [int(one) for one in cut.nodes if hierarchy.covers(int(one), node)]
    if not above:
        raise OptionError(f"'{label}' was split: ask for one of the items below it.")
    return hierarchy.labels[above[0]]
