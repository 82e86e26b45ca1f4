"""Applies a fitted recoding to other records, and checks the guarantee before anything leaves."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from shoal.algorithms.optimal_suppress import OptimalSuppress
from shoal.data import Dataset, Hierarchy, Transactions
from shoal.engines import LOCAL
from shoal.errors import RecodingFails
from shoal.jobs.apply import problem_for, release_of, spec_for
from shoal.models.base import PrivacyModel
from shoal.models.km import Km
from shoal.problem import Problem
from shoal.release.saved_recoding import SavedRecoding

Rows = Sequence[Sequence[str]]
SEARCH = 60.0  # seconds for the search of the labels to leave out


class GuaranteeWarning(UserWarning):
    """Transformed records do not have the guarantee, and were returned because ``violations="warn"`` asks for it.

    Do not publish them. They are good for scores inside a cross-validation.

    Examples
    --------
    >>> import warnings
    >>> from shoal.sklearn import Anonymizer, GuaranteeWarning
    >>> anonymizer = Anonymizer(k=2, m=1, violations="warn").fit([{"ale"}, {"ale"}, {"rye"}, {"rye"}])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", GuaranteeWarning)
    ...     try:
    ...         anonymizer.transform([{"ale"}])
    ...     except GuaranteeWarning as warning:
    ...         print(warning)
    The transformed records are not 2^1-anonymous (violations: 1). Do not publish them. They are returned because ...
    """


def published(saved: SavedRecoding, rows: Rows, label_of: Mapping[str, str], violations: str) -> Transactions:
    """Return the published records of a batch.

    ``label_of``: the label that each item is published under. ``violations``: what to do if the guarantee does not
    hold.
    """
    try:
        return _verified(saved, rows)
    except RecodingFails as failure:
        if violations == "raise":
            raise _explained(failure, saved, len(rows)) from None
        if violations == "warn":
            warnings.warn(_warning(failure, saved), GuaranteeWarning, stacklevel=4)
            return Transactions.from_sets(recoded(rows, label_of))
        gone = _unsafe(saved, rows, label_of)
        kept = [[item for item in row if label_of[item] not in gone] for row in rows]
        return _verified(saved, kept)


def recoded(rows: Rows, label_of: Mapping[str, str]) -> list[list[str]]:
    """Return the labels of each record, unchecked."""
    return [list(dict.fromkeys(label_of[item] for item in row)) for row in rows]


def _problem(saved: SavedRecoding, rows: Rows) -> Problem[PrivacyModel]:
    """Return the problem of a batch. Sensitive items were in the data of the fit, so they may be missing here."""
    return problem_for(saved, spec_for(saved, rows, allow_missing=True))


def _verified(saved: SavedRecoding, rows: Rows) -> Transactions:
    """Do what :func:`shoal.apply` does, but log nothing: the notes were told when the recoding was made."""
    return release_of(_problem(saved, rows), saved, LOCAL).aligned.transactions


def _explained(failure: RecodingFails, saved: SavedRecoding, records: int) -> RecodingFails:
    """Return the error with the remedies that an estimator has. It names no items."""
    count = failure.verdict.violations
    return RecodingFails(
        f"The fitted recoding does not give {saved.model.short} on these {records:,} records (violations: {count:,}): "
        f"nothing was returned. Transform more records at once; leave out labels with violations='suppress'; or, for "
        f"scores of a cross-validation that nobody publishes, choose violations='warn'.",
        failure.verdict,
    )


def _warning(failure: RecodingFails, saved: SavedRecoding) -> str:
    short = saved.model.short.replace("-anonymity", "-anonymous")
    says = f"are not {short}" if short.endswith("anonymous") else f"do not have {short}"
    return (
        f"The transformed records {says} (violations: {failure.verdict.violations:,}). Do not publish them. They are "
        f"returned because violations='warn', which is for scores inside a cross-validation."
    )


def _unsafe(saved: SavedRecoding, rows: Rows, label_of: Mapping[str, str]) -> frozenset[str]:
    """Return the labels to leave out of a batch, so that the rest has the guarantee.

    For k^m-anonymity these are the labels with the fewest occurrences. For other models, no label could be put back.
    """
    model = _problem(saved, rows).prepared.model
    data = Dataset(Transactions.from_sets(recoded(rows, label_of)))
    return _fewest(data, model) if isinstance(model, Km) else _greedy(data, model)


def _fewest(data: Dataset, model: Km) -> frozenset[str]:
    """Search for the labels whose removal costs the fewest occurrences."""
    labels = data.transactions.labels
    problem = Problem(data, Hierarchy.flat(labels), model)
    cut = OptimalSuppress(time_limit=SEARCH).solve(problem.prepared, LOCAL).recoding.global_cut
    assert cut is not None
    return frozenset(labels if cut.raised else cut.suppressed_labels)  # a raised root keeps as little as no label


def _greedy(data: Dataset, model: PrivacyModel) -> frozenset[str]:
    """Remove the label that is in most of the violations shown until none is left. Then put back what can be.

    Sensitive items stay.
    """
    removable, _ = model.split_sensitive(data)
    supports = dict(zip(removable.labels, removable.supports.tolist(), strict=True))

    def preferred(labels: Iterator[str]) -> list[str]:
        counted = Counter(label for label in labels if label in supports)
        return sorted(counted, key=lambda label: (-counted[label], supports[label], label))

    gone: list[str] = []
    while not (verdict := model.verify(model.as_published(_without(data, gone)))).holds:
        named = preferred(label for witness in verdict.witnesses for label in witness.named)
        if not named:  # the rest does not depend on the labels
            return frozenset(gone)
        gone.append(named[0])
    for label in sorted(gone, key=lambda label: (-supports[label], label)):
        others = [other for other in gone if other != label]
        if model.verify(model.as_published(_without(data, others))).holds:
            gone = others
    return frozenset(gone)


def _without(data: Dataset, gone: Collection[str]) -> Dataset:
    """Return the records without some labels."""
    kept = [label for label in data.transactions.labels if label not in gone]
    place = {label: code for code, label in enumerate(kept)}
    rows = data.transactions
    return data.with_transactions(rows.recode([place.get(label, -1) for label in rows.labels], kept))  # type: ignore[arg-type]
