"""The officer's part of reports, and the public report, which leaks nothing.

Covers: report/officer/public.py, report/officer/facts.py, report/officer/questions.py, report/officer/headings.py,
report/officer/sections.py, report/officer/wording.py, report/officer/discretion.py, release/risks.py.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

import shoal
from shoal.data.transactions import Transactions
from shoal.errors import OptionError
from shoal.metrics.risk import Risk
from shoal.report import public_notes
from shoal.report.officer.context import QUESTIONS, Context
from shoal.report.officer.facts import gather
from shoal.report.officer.public import public_losses
from tests.evidence.worlds import needles_of, release_with_needles

SCHEMA = Path(__file__).parents[3] / "docs" / "reference" / "json" / "public-report.json"
BASKETS = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]] * 3
TREE = {"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}}
PATIENTS = pd.DataFrame(
    {
        "name": list("uvwxyz"),
        "age": [31, 34, 33, 52, 58, 51],
        "ward": ["p", "q", "p", "q", "p", "q"],
        "dx": [["flu", "cold"], ["flu"], ["cold", "flu"], ["gout"], ["gout", "flu"], ["gout", "flu"]],
    }
)
VISITS = [["milk", "HIV"], ["milk"], ["cream"], ["cream"], ["milk"], ["cream", "flu"], ["milk"], ["cream"]]
WORLDS: dict[str, dict[str, Any]] = {
    "km": {"data": BASKETS, "k": 2, "m": 2, "hierarchy": shoal.Hierarchy.from_tree(TREE)},
    "any": {"data": BASKETS, "k": 2, "m": "all"},
    "k-km": {"data": PATIENTS, "model": shoal.KKm(k=2, m=1), "sets": "dx", "identifiers": ["name"], "plain": ["ward"]},
    "k": {"data": PATIENTS, "model": "k", "k": 2, "sets": "dx", "identifiers": ["name"]},
    "no sets": {"data": PATIENTS[["age", "ward"]], "model": "k", "k": 2, "no_sets": True},
    "persons": {"data": PATIENTS, "k": 2, "m": 1, "sets": "dx", "person": "ward", "columns": "none"},
    "lm": {"data": VISITS, "model": shoal.Lm(l=2, m=1, sensitive=("HIV", "flu"))},
    "flips": {"data": VISITS, "model": "sensitive-k", "k": 2, "sensitive": ["HIV", "flu"]},
    "shuffled": {"data": VISITS, "model": "privacy-degree", "p": 2, "sensitive": ["HIV", "flu"]},
    "suppress": {"data": [*BASKETS, ["rare"]], "k": 2, "m": 1, "algorithm": "optimal-suppress"},
    "worthless": {"data": [[f"i{at}", f"j{at}"] for at in range(60)], "k": 20, "m": 2, "algorithm": "aa"},
    "empty": {"data": [[], [], []], "k": 2, "m": 1},
}


def release(world: str) -> shoal.Release:
    given = dict(WORLDS[world])
    return shoal.anonymize(given.pop("data"), **given)


@pytest.mark.parametrize("world", WORLDS)
def test_every_kind_of_release_has_both_reports_in_every_format(tmp_path: Path, world: str) -> None:
    made = release(world).save(tmp_path / "p.jsonl")
    for suffix in (".html", ".md", ".json"):
        for public in (True, False):
            path = tmp_path / f"{public}{suffix}"
            made.report(path, public=public, threshold=["ema", 0.2])
            assert path.stat().st_mode & 0o077 == 0 or public
            text = path.read_text(encoding="utf-8")
            if suffix != ".json":
                for name in ("Singling out", "Linkability", "Inference", "ISO/IEC 27559", "Motivated intruder test"):
                    assert name in text, name
            assert not re.search(r"\bnan\b|\binf\b|None|\bTrue\b|Undefined", text.replace("None of", "")), suffix
    document = json.loads((tmp_path / "True.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))


# -- the figures -------------------------------------------------------------------------------------------------------


def test_the_answers_have_the_figures_of_other_code() -> None:
    """The words are checked against the measures that the older charts use, and against counting by hand."""
    made = release("km")
    facts = gather(made, Context(), (0.2,))
    rows = Transactions.from_sets(made.data)
    after = Risk.of(rows, 5, 2)  # fewer than 5 records means a risk above 0.2
    (singling, _, _) = facts.questions
    line = next(row for row in singling.tables[0].rows if row[0] == "up to 2 items")
    labels = {label for row in made.data for label in row}
    supports = [sum({x, y} <= set(row) for row in made.data) for x in labels for y in labels]
    assert line[2] == str(min(one for one in supports if one))
    assert line[4] == f"{after.share_below_k[1] * 100:.1f}".removesuffix(".0") + " %"
    assert line[7] == f"{after.average[1] * 100:.1f}".removesuffix(".0") + " %"
    assert f"at least {line[2]} records that fit" in singling.answers[0]


def test_an_attacker_beyond_the_promise_is_marked() -> None:
    (singling, *_) = gather(release("km"), Context(), ()).questions
    marked = {row[0] for row in singling.tables[0].rows if row[0].endswith("*")}
    assert "up to 3 items *" in marked or "all items *" in marked
    assert not any(row[0].startswith("1 item *") for row in singling.tables[0].rows)
    assert "The guarantee says nothing about attackers who know more." in singling.answers[1]


def test_words_fit_the_model_and_the_method() -> None:
    def singling_out(world: str) -> str:
        return " ".join(gather(release(world), Context(), ()).questions[0].answers)

    assert "It does not promise how many records fit." in singling_out("lm")
    assert "is about records with a sensitive item only" in singling_out("flips")
    assert "Some published items are false" in singling_out("flips")
    assert "hold nothing that an attacker could know" in singling_out("empty")
    assert "whichever items" not in singling_out("no sets")
    assert "with a record that fits, or none, whichever items" in singling_out("persons")
    assert "who know more" not in singling_out("any")
    for world in ("km", "k-km", "k", "any"):
        assert "does not promise" not in singling_out(world)
    *_, table = gather(release("k-km"), Context(), ()).questions[0].tables
    assert table.rows[0][0] == "1 item"  # who knows no columns knows less than the guarantee assumes


def test_columns_have_a_table_of_their_own() -> None:
    (singling, *_) = gather(release("k-km"), Context(), ()).questions
    assert [table.title for table in singling.tables] == [
        "Risk of being found, if all columns are known",
        "Risk of being found",
    ]
    assert singling.tables[0].rows[0][0] == "all columns"


def test_inference_names_published_values_with_prior_and_posterior() -> None:
    *_, inference = gather(release("lm"), Context(), ()).questions
    assert {row[0] for row in inference.tables[0].rows} == {"HIV", "flu"}
    assert "'HIV' is published in 12.5 % of all records" in inference.answers[0]
    assert "What is learned is the difference." in inference.answers[0]


def test_the_headline_says_what_is_promised_lost_and_not_promised() -> None:
    told = gather(release("suppress"), Context(), ()).headline
    assert told.startswith("13 records are published. An attacker who knows 1 item of a record is left with")
    assert "of all items are published as they were, and" in told
    assert told.endswith("or who have another release of the same data.")


def test_a_useless_release_says_so_first(tmp_path: Path) -> None:
    made = release("worthless")
    assert made.worthless
    made.report(tmp_path / "p.md", public=True)
    text = (tmp_path / "p.md").read_text(encoding="utf-8")
    assert text.index("Nearly worthless") < text.index("An attacker")
    assert "Ask the publisher for a release with a weaker promise" in text


def test_the_threshold_is_compared_with() -> None:
    made = release("km")
    entries = {one.heading: one for one in gather(made, Context(), ()).regulators[1].entries}
    assert entries["Risk threshold"].told.startswith("No threshold was chosen. Figures are shown for 1 in 11")
    entries = {one.heading: one for one in gather(made, Context(), (0.5,)).regulators[1].entries}
    assert "Threshold: 1 in 2 (50 %)." in entries["Risk threshold"].told
    assert entries["Residual risk of re-identification"].told.endswith("The largest risk is within it.")
    entries = {one.heading: one for one in gather(made, Context(), (0.05,)).regulators[1].entries}
    assert entries["Residual risk of re-identification"].told.endswith("The largest risk is above it.")


def test_answers_of_people_stand_under_every_heading_that_asks_for_them() -> None:
    made = release("km")
    answers = {(table, key): f"answer {table}.{key}" for table, keys in QUESTIONS.items() for key in keys}
    told = [entry for one in gather(made, Context(answers), ()).regulators for entry in one.entries]
    assert not [entry for entry in told if entry.source == "open"]
    text = " ".join(entry.told for entry in told)
    assert all(answer in text for answer in answers.values())
    nobody = [entry for one in gather(made, Context(), ()).regulators for entry in one.entries]
    assert {entry.heading for entry in nobody if entry.source == "open"} == {
        entry.heading for entry in told if entry.source == "people"
    }
    assert all("?" in entry.told for entry in nobody if entry.source == "open")


# -- nothing leaks -----------------------------------------------------------------------------------------------------


def test_a_public_report_names_nothing_that_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "needle-folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    made = release_with_needles(folder).save(tmp_path / "public.csv")
    for suffix in (".html", ".md", ".json"):
        made.report(tmp_path / f"p{suffix}", public=True, threshold="ema")
        text = (tmp_path / f"p{suffix}").read_text(encoding="utf-8")
        for needle in needles_of(folder):
            assert needle not in text, (suffix, needle)
    made.report(tmp_path / "internal.json")
    internal = (tmp_path / "internal.json").read_text(encoding="utf-8")
    plain = hashlib.sha256((folder / "needle-input.basket").read_bytes()).hexdigest()
    assert all(needle in internal for needle in ("needle-input", "987654321", plain, "flu"))  # so it could have leaked


def test_a_public_report_explains_nothing_by_rare_sets(tmp_path: Path) -> None:
    rows = [["needle1", "b"], ["needle2", "b"], ["needle2", "b"], ["needle1", "needle2", "b"]]
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["needle1", "needle2"], "B": ["b", "c"]}})
    made = shoal.anonymize(rows, k=2, m=2, hierarchy=tree, algorithm="aa")
    assert {label for row in made.data for label in row} == {"A", "b"}
    for public in (True, False):
        for suffix in (".html", ".md", ".json"):
            made.report(tmp_path / f"p{suffix}", public=public)
            assert ("needle" in (tmp_path / f"p{suffix}").read_text(encoding="utf-8")) is not public


@pytest.mark.parametrize("world", ["shuffled", "flips"])
def test_what_false_items_hide_is_not_published(tmp_path: Path, world: str) -> None:
    """Not the numbers of added items, and not how many records really hold a sensitive value."""
    made = release(world)
    hidden = made.losses.keys() - public_losses(made).keys()
    assert {"sensitive_additions", "operations", "kl", "privacy_value"} <= hidden
    made.save(tmp_path / "p.csv", certificate=tmp_path / "c.json")
    made.report(tmp_path / "p.json", public=True)
    certificate = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["predicate"]
    public = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))
    assert not hidden & certificate["losses"].keys()
    assert not hidden & public["losses"].keys()
    for risk in (certificate["risk"], public["officer"]["risk"]):
        assert risk["before"] is None
        assert risk["after"]["inferences"]
    tables = public["officer"]["questions"][2]["tables"]
    assert bool(tables) is (
        world == "flips"
    )  # nothing can be said about the values of single records that were shuffled
    assert {(row[3], row[5]) for table in tables for row in table["rows"]} <= {("–", "–")}


def test_public_figures_of_the_original_data_are_rounded_and_none_are_told_of_few_records(tmp_path: Path) -> None:
    """Exact totals of a few records can be a checksum of them."""
    rows = [[f"i{at * at % 37}", f"i{at % 11}", f"i{at % 5}"] for at in range(1_100)]
    for number in (50, 500, 1_100):
        made = shoal.anonymize(rows[:number], k=5, m=2, algorithm="aa")
        made.save(tmp_path / "p.csv", codebook=False, certificate=tmp_path / "c.json")
        made.report(tmp_path / "p.json", public=True)
        public = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))
        says = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["predicate"]
        for told, losses in ((public["officer"]["risk"], public["losses"]), (says["risk"], says["losses"])):
            assert bool(losses) is (number >= 100)
            assert all(len(f"{value:.15g}".replace(".", "").lstrip("0").rstrip("0")) <= 2 for value in losses.values())
            if number < 1_000:
                assert told["before"] is None
                continue
            assert told["before"].keys() == {"records", "scenarios"}
            for one in told["before"]["scenarios"]:
                assert one.keys() == {"known_items", "columns", "choice", "prosecutor_mean", "above"}
                shares = [one["prosecutor_mean"], *(limit["share"] for limit in one["above"])]
                assert all(share == round(share, 2) for share in shares)
        cells = list(public["officer"]["questions"][0]["tables"][0]["rows"])
        assert all((row[3] == "–") is (number < 1_000) for row in cells)
        assert not any(
            "original data" in answer
            for one in public["officer"]["questions"]
            for answer in one["answers"][:2]
            if number < 1_000 and "order" not in answer
        )


def test_notes_for_recipients_do_not_depend_on_what_was_added() -> None:
    """That no sensitive item was added would say that all holders are true."""
    rows = [["a", "s"], ["a", "s"], ["b"], ["b"], ["a"], ["a"]]
    none_added = shoal.anonymize([*rows, ["c", "b"]], model="sensitive-k", k=2, sensitive=["s"])
    some_added = shoal.anonymize([["a", "s"], ["a", "t"], *rows[2:]], model="sensitive-k", k=2, sensitive=["s", "t"])
    assert some_added.falsehoods
    told = [public_notes.for_recipients(one) for one in (none_added, some_added)]
    assert not none_added.falsehoods or told[0] == told[1]


def test_labels_are_text_in_public_reports(tmp_path: Path) -> None:
    nasty = "<img src=x onerror=alert(1)>"
    rows = [[nasty, "b"], [nasty, "c"], [nasty, "b"], [nasty, "c"]]
    made = shoal.anonymize(rows, model=shoal.Lm(l=2, m=1, sensitive=("b", "c")))
    made.save(tmp_path / "p.json l", format="jsonl")
    made.report(tmp_path / "p.html", public=True)
    assert "<img" not in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_equal_inputs_give_equal_public_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = set()
    for workers in (1, 2):
        made = shoal.anonymize(BASKETS, k=2, m=2, hierarchy=shoal.Hierarchy.from_tree(TREE), workers=workers)
        made.report(tmp_path / "p.html", public=True)
        texts.add(re.sub(r"\d{4}-\d\d-\d\d", "DATE", (tmp_path / "p.html").read_text(encoding="utf-8")))
    assert len(texts) == 1
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    made.report(tmp_path / "p.html", public=True)
    assert "1970-01-01" in (tmp_path / "p.html").read_text(encoding="utf-8")


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_wrong_thresholds_and_formats_are_refused(tmp_path: Path) -> None:
    made = release("km")
    with pytest.raises(OptionError, match="is no threshold"):
        made.report(tmp_path / "p.html", public=True, threshold="emma")
    with pytest.raises(OptionError, match="A report is"):
        made.report(tmp_path / "p.pdf", public=True)
    assert not list(tmp_path.iterdir())
