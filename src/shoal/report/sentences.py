"""Turns the figures of a report into sentences that claim no more than what was proved."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping

from shoal import discovery
from shoal.io.read_options import reading_words
from shoal.metrics.base import Measure
from shoal.options import Value, format_value, listed
from shoal.release.release import Release
from shoal.report import formatting, relational
from shoal.report.facts import Facts
from shoal.report.flips import UNCHANGED, lost_all
from shoal.report.formatting import count, count_noun, share
from shoal.report.proofs import UNNAMED
from shoal.report.sections import SuppressedFacts
from shoal.visible import visible_bash

EXPLAINED = (
    "The table shows for each group a set of labels that too few {who} would hold if the group were split into its "
    "parts. For each removed item, it shows a set that too few {who} would hold if the item were published. These "
    "sets come from the raw data: do not publish them."
)


SHARES = ("ncp", "lm", "ul", "relational_ncp")  # measures from 0 to 1, shown in percent


def options(values: Mapping[str, Value]) -> str:
    """Return option values as one text.

    >>> options({"k": 5, "m": "all"}), options({"time_limit": 60.0, "sensitive": ()})
    ('k = 5, m = all', 'time limit = 60')
    """
    given = {name: value for name, value in values.items() if value not in ((), [])}
    return ", ".join(f"{name.replace('_', ' ')} = {format_value(value)}" for name, value in given.items())


def explained(nouns: str = "records") -> str:
    """Return the introduction to the sets that forced groups; ``nouns``: what is counted."""
    return EXPLAINED.format(who=nouns)


def rare_in(nouns: str = "records") -> str:
    """Return the heading of the column that counts them."""
    return "would be in records" if nouns == "records" else f"would be in records of {nouns}"


def records(facts: Facts) -> str:
    """Return how many records there are, and of how many persons."""
    of = "" if facts.persons is None else f" of {facts.persons.called}"
    return f"{count_noun(facts.data.rows, 'record')}{of}"


def moved(facts: Facts) -> str:
    """Return a sentence on whether records were added, removed or moved."""
    if facts.persons is None or facts.persons.order == "as in the input":
        return "No record was added, removed or moved."
    return "No record was added or removed. The records are published sorted by their content."


def described(facts: Facts) -> str:
    """Describe the records: columns, items, empty records."""
    data, apart = facts.data, "" if facts.sensitive is None else ", not counting sensitive values"
    record, one, several = "Each is a set of items", "record is", "records are"
    if facts.relational is not None:
        record, one, several = relational.described(facts.relational), "set is", "sets are"
    if not facts.has_sets:
        return record
    items = f"{count_noun(data.total_items, 'item')} in all, {count(data.different_items)} different"
    empty = data.rows - data.non_empty
    return f"{record}: {items}.{f' {count_noun(empty, one, several)} empty{apart}.' if empty else ''}"


def recoded(facts: Facts) -> str:
    """Describe how the data were changed."""
    if facts.relational is not None:
        return f"{relational.recoded(facts, facts.relational)}{kept(facts)}"
    if facts.changes is not None:
        return f"{facts.changes.recoded(facts)} {hierarchy(facts)}"
    how = RECODED.get(facts.recoding.kind, _recoded_otherwise)(facts)
    return f"{how} {hierarchy(facts)}{kept(facts)}"


def _recoded_by_a_cut(facts: Facts) -> str:
    ways = ["kept", "replaced by a group that contains it", "removed"]
    if not facts.suppressed:
        ways.remove("removed")
    elif not facts.generalized.groups:
        ways.remove("replaced by a group that contains it")
    either = f"either {ways[0]} or {ways[1]}" if len(ways) == 2 else f"{ways[0]}, {ways[1]}, or {ways[2]}"
    return f"Each item was {either}, in the same way in every record."


def _recoded_in_chunks(facts: Facts) -> str:
    return (
        f"The records were split into {count_noun(facts.recoding.chunks or 0, 'chunk')} of similar records. Each item "
        f"was either kept or replaced by a group that contains it, in the same way in every record of a chunk."
    )


def _recoded_by_record(facts: Facts) -> str:
    left = count_noun(facts.recoding.different_records or 0, "different record remains", "different records remain")
    return (
        f"In each record, each item was either kept or replaced by a group that contains it, so that records became "
        f"equal. {left}."
    )


def _recoded_otherwise(facts: Facts) -> str:
    return f"The items were recoded ({facts.recoding.kind})."


RECODED: dict[str, Callable[[Facts], str]] = {  # by the kind of the recoding
    "global cut": _recoded_by_a_cut,
    "local cuts": _recoded_in_chunks,
    "local labels": _recoded_by_record,
}


def hierarchy(facts: Facts) -> str:
    """Return a sentence on where the groups of items come from."""
    source, grouped = facts.hierarchy, bool(facts.codebook)
    if source is None:
        all_items = " Some labels represent several items. The code book lists them." if grouped else ""
        return f"No hierarchy was given.{all_items}"
    if not facts.algorithm.generalizes:
        named = "The hierarchy that was given" if source == UNNAMED else f"The hierarchy {source}"
        return f"{named} was used for the names and the order of items only. Nothing was generalized."
    groups = f"The groups come from the hierarchy {source}." if source != UNNAMED else "The hierarchy was given."
    siblings = (
        " Some labels join several siblings of the hierarchy. The code book lists their items." if grouped else ""
    )
    return groups + siblings


def overlap(facts: Facts) -> str:
    """Return a sentence on whether counts of labels are exact."""
    if facts.changes is not None and not facts.changes.unchanged:
        return facts.changes.overlap
    if facts.properties.domain_exclusive:
        return "No item can appear under two different labels, so the counts of labels in the published data are exact."
    if facts.relational is not None:
        return relational.overlap(facts.relational)
    return (
        "Some items appear under more than one label: unchanged in some records, and as part of a group in others. Add "
        "up their counts with care."
    )


def kept(facts: Facts) -> str:
    """Return a sentence on sensitive values that the method left unchanged, or an empty string."""
    held = facts.sensitive
    if held is None:
        return ""
    return (
        f" Sensitive values were left unchanged: {count_noun(len(held.values), 'value')} in "
        f"{count_noun(held.records, 'record')}. They do not count as items in this report."
    )


def proof(release: Release) -> str:
    """Return a sentence on what the verifier examined."""
    if not release.verdict.checked and release.problem.model.about_holders:
        return "No published record holds a sensitive item, so there is nothing to check."
    if not release.verdict.checked and release.problem.sensitive_part is not None:
        return (
            "The published records hold nothing but sensitive values, so there is no other item that an attacker "
            "could know. Sensitive values are published unchanged."
        )
    if not release.verdict.checked:
        return "All published records are empty, so there is nothing that an attacker could know."
    return f"It made {count_noun(release.verdict.checked, 'check')}: {release.problem.model.check_scope}."


def counted(release: Release) -> str:
    """Return what the verifier counted, as the end of a sentence."""
    persons = release.problem.persons
    if persons is None:
        return release.problem.model.counted
    return (
        f"how many {persons.nouns} fit each thing that an attacker may know (which {persons.noun} a record belongs to "
        f"comes from the data, not from the algorithm)"
    )


def verify_command(release: Release) -> str:
    """Return the command that repeats the check."""
    model = release.problem.model
    output = release.provenance.get("output")
    words = ["shoal", "verify", output["name"] if output else "FILE", "--model", model.name]
    missed = release.problem.missing_sensitive  # the file lacks these, so they cannot be checked
    if missed and len(missed) == len(model.sensitive_labels):
        return "# nothing that is sensitive is in the file"
    for opt in model.options():
        value = getattr(model, opt.name)
        if isinstance(value, tuple):
            value = tuple(label for label in value if label not in missed)
        if value != ():
            words += [opt.flag, listed(value) if isinstance(value, tuple) else str(value)]
    if file := (release.provenance.get("persons") or {}).get("file"):
        words += ["--persons", file]
    if release.problem.quasi_identifiers:
        words += ["--quasi-identifiers", listed(tuple(release.problem.quasi_identifiers))]
    words += reading_words((output or {}).get("read_options", {}))
    return " ".join(map(shell_word, words))


CODEBOOK = "The code book lists the items that each published label represents. Not all of them must occur in the data."


def codebook_file(facts: Facts) -> str:
    """Return a sentence on the file with the whole code book, or an empty string."""
    file = facts.provenance.get("codebook")
    return f" The file {file['name']} lists all items. Publish it with the data." if file else ""


def shell_word(text: str) -> str:
    """Quote a word of a command for bash and zsh. A tab stays visible and survives being copied.

    >>> print(shell_word("out.csv"), shell_word("my data.csv"), shell_word("\\t"))
    out.csv 'my data.csv' $'\\t'
    """
    if text.isprintable():
        return shlex.quote(text)
    return f"$'{visible_bash(text)}'"


def change(facts: Facts) -> str:
    """Describe what became of the data."""
    if facts.changes is not None:
        return facts.changes.change(facts)
    if facts.relational is not None:
        columns = relational.change(facts.relational, facts.data.rows)
        return f"{columns} {_sets_changed(facts)}" if facts.sets_changed else columns
    return _sets_changed(facts)


def _sets_changed(facts: Facts) -> str:
    """Describe what became of the items of the sets."""
    data, groups, suppressed = facts.data, facts.generalized.groups, facts.suppressed
    if not data.total_items:
        what = "empty" if facts.sensitive is None else "empty, not counting sensitive values"
        if facts.relational:
            return f"All sets are {what}."
        return f"All records are {what}. There was nothing to change."
    if not groups and not suppressed and facts.relational:
        return "Every item of the sets is published unchanged."
    if not groups and not suppressed:
        return UNCHANGED
    if not suppressed and data.different_labels_after == 1 and groups[0].items == data.domain:
        return (
            f"Every item is published as '{formatting.label(groups[0].label)}', which represents all items. The data "
            f"only show which records hold any item at all."
        )
    if suppressed and suppressed.share == 1:
        bare = "empty" if facts.sensitive is None else "without any item but sensitive values"
        return f"Every item was removed. All records are published {bare}."
    where = " of the sets" if facts.relational else ""
    sentences = [f"{share(facts.unchanged_share)} of all items{where} are published unchanged."]
    if groups:
        among = "a group" if len(groups) == 1 else f"one of {count(len(groups))} groups"
        others = "Others are" if suppressed else "The others are"
        sentences.append(f"{others} published as {among}, where they hide among the items of the group.")
    if suppressed:
        sentences.append(removed(suppressed, sensitive=facts.sensitive is not None))
    return " ".join(sentences)


def removed(suppressed: SuppressedFacts, *, sensitive: bool) -> str:
    """Return sentences on the items that were removed.

    >>> removed(SuppressedFacts(2, 30, 0.01, emptied_records=1, unnamed=0, listed=None), sensitive=False)
    '2 items were removed from every record, 30 times in all (1 %). 1 record lost all its items.'
    """
    gone = f"{count_noun(suppressed.different_items, 'item was', 'items were')} removed from every record"
    times = f"{count_noun(suppressed.total_items, 'time')} in all ({share(suppressed.share)})"
    return f"{gone}, {times}.{lost_all(suppressed.emptied_records, sensitive=sensitive)}"


def unnamed(items: int) -> str:
    """Return a sentence on items that a report must not name.

    >>> unnamed(1)
    'And 1 item directly below the root. It may be in the raw data only, so it is not named here.'
    """
    they, are = ("It", "it is") if items == 1 else ("They", "they are")
    more = f"And {count_noun(items, 'item')} directly below the root."
    return f"{more} {they} may be in the raw data only, so {are} not named here."


def losses(facts: Facts) -> list[tuple[str, str, str]]:
    """Return the title, value and meaning of each measured loss."""
    table, values = facts.relational, facts.losses
    if facts.changes is not None and facts.sensitive is None:  # nothing sensitive to count
        values = {name: value for name, value in values.items() if not name.startswith("sensitive_")}
    return loss_rows(
        values if table is None else relational.ordered(table, values),
        of_deletions=facts.changes is not None,
        of_sets=table is not None,
    )


def loss_rows(
    values: Mapping[str, float | None], *, of_deletions: bool = False, of_sets: bool = False
) -> list[tuple[str, str, str]]:
    """Return the title, value and meaning of each value.

    ``of_deletions``: items were added and deleted, and losses count deletions only; ``of_sets``: there are columns too.
    """
    meanings: dict[str, tuple[str, str]] = {}
    for measure in discovery.find("shoal.metrics", Measure).values():
        meanings.update(measure.meanings)
    if of_deletions:
        for name in ("ncp", "lm"):
            title, meaning = meanings[name]
            meanings[name] = (title, f"{meaning} Here it counts deleted items only, not added ones.")
    if of_sets:
        for name in ("ncp", "ul"):
            title, meaning = meanings[name]
            meanings[name] = (title.replace(" (", " of the sets ("), meaning)
    return [
        (title, loss(name, value), meaning)
        for name, value in values.items()
        for title, meaning in [_meaning(name, meanings)]
    ]


def felt(facts: Facts) -> list[tuple[str, str]]:
    """Return figures that are easy to picture: items published unchanged, and items behind a label."""
    useful = facts.usefulness
    if useful is None or not useful.items:
        return []
    median = useful.median_items
    always = f"{count(useful.always_unchanged)} of {count_noun(useful.different_items, 'different item')} always"
    return [
        ("Items published unchanged", f"{share(useful.unchanged_share)} ({always})"),
        ("Items behind a label, median", "–" if median is None else count(median)),
    ]


def _meaning(name: str, meanings: dict[str, tuple[str, str]]) -> tuple[str, str]:
    """Return the title of a measured value and what it means."""
    if name.startswith("weighted_"):
        title, _ = meanings[name.removeprefix("weighted_")]
        return f"{title}, weighted", "The same, with each item weighted as you specified."
    measure, _, column = name.partition(":")
    if column and (general := meanings.get(f"{measure}:COLUMN")):
        return general[0].replace("COLUMN", f"'{column}'"), general[1]
    return meanings.get(name, (name, ""))


def loss(name: str, value: float | None) -> str:
    """Return a measured loss as text: shares in percent, tiny values as powers of ten.

    >>> loss("ncp", 0.125), loss("weighted_lm", 1.0), loss("operations", 1200), loss("kl", 7.2327)
    ('12.5 %', '100 %', '1,200', '7.233')
    >>> loss("ul", 0.5), loss("relational_ncp:age", 0.25), loss("are", 0.125), loss("average_class_size", 2.5)
    ('50 %', '25 %', '0.125', '2.5')
    >>> loss("privacy_value", 0.297635), loss("privacy_value", 0.0), loss("privacy_value_log2", -3320.415)
    ('2.98e-01', '< 1e-300', '-3,320.4')
    >>> loss("kl", None), loss("kl_mean", math.inf), loss("other", None)
    ('infinite', 'infinite', 'not a finite number')
    """
    if value is None or not math.isfinite(value):
        return "infinite" if name in ("kl", "kl_mean") else "not a finite number"
    if name == "privacy_value":
        return f"{value:.2e}" if value >= 1e-300 else "< 1e-300"
    return share(value) if name.removeprefix("weighted_").partition(":")[0] in SHARES else count(value)
