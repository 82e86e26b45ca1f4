"""A saved recoding from the command line: the same bytes again, honest refusals, and nothing written that fails.

Covers: cli/apply.py, cli/output_options.py, cli/witnesses.py, data/recoding_notes.py.
"""

from __future__ import annotations

import hashlib
import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.engines.local import Engine
from shoal.jobs.apply import ApplyJob
from shoal.models import Km
from shoal.search import coarsen
from shoal.search.clock import OutOfTime
from shoal.search.cut_suppression import CutSuppressionSearch
from shoal.search.exact import ExactSearch
from tests.cli.test_anonymize_persons import HOUSEHOLDS, LINES, ORDERS
from tests.cli.test_anonymize_persons import TREE as DRINKS
from tests.conftest import Shell

TREE = "ale;beer;*\nstout;beer;*\nlager;beer;*\nrye;bread;*\nbun;bread;*\nfig;fruit;*\npear;fruit;*\n"
JANUARY = "ale,rye\nstout,rye\nale,rye\nlager,bun\nale,bun\nfig\nfig\n"
FEBRUARY = "ale,rye\nstout,rye\nale,bun\nfig\nfig\n"
PEOPLE = "name,shop,things\n" + "".join(
    f"P{at},{('north', 'south')[at % 2]},{row.replace(',', '|')}\n" for at, row in enumerate(JANUARY.splitlines())
)
JOURNALS = "".join(
    json.dumps({"who": at, "things": row.split(","), "at": {"n": at % 2}}) + "\n"
    for at, row in enumerate(JANUARY.splitlines())
)
MEALS = "food,drink\nrye|bun,ale\nrye,ale|stout\nbun,stout\nrye,ale\nbun,ale\nfig,ale|lager\nfig,stout\n"
SICK = "ale,rye,flu\nstout,rye\nale,rye\nlager,bun\nale,bun\nfig\nfig\nstout,bun\npear,flu\n"
COUNTED = "".join(
    f"{who},{item}\n" for who, item in [("basket", "item"), *((n // 3, "ab"[n % 5 == 0]) for n in range(18))]
)
JOIN = ("--join", "households.csv:basket_id=basket")
LONG = ("--id-column", "basket_id", "--item-column", "product")

FILES = {
    "jan.basket": JANUARY,
    "feb.basket": FEBRUARY,
    "jan.dat": JANUARY.replace(",", " "),
    "people.csv": PEOPLE,
    "journals.jsonl": JOURNALS,
    "meals.csv": MEALS,
    "sick.basket": SICK,
    "orders.csv": ORDERS,
    "counted.csv": COUNTED,
    "households.csv": HOUSEHOLDS,
    "tree.csv": TREE,
    "drinks.csv": DRINKS,
    "weights.csv": "beer,20\n",
}
SAME = {
    "siblings": (("jan.basket", "--hierarchy", "tree.csv", "--siblings", "best", "--k", "2"), ()),
    "no groups of siblings": (("jan.basket", "--hierarchy", "tree.csv", "--algorithm", "optimal", "--k", "2"), ()),
    "no hierarchy": (("jan.dat", "--k", "2", "--siblings", "frequency"), ()),
    "removed items": (("jan.basket", "--hierarchy", "tree.csv", "--algorithm", "optimal-suppress", "--k", "3"), ()),
    "a table": (
        ("people.csv", "--sets", "things", "--identifiers", "name", "--hierarchy", "tree.csv", "--k", "2"),
        (),
    ),
    "json lines": (("journals.jsonl", "--sets", "things", "--columns", "at", "--k", "2"), ()),
    "two sets": (("meals.csv", "--sets", "food,drink", "--k", "2", "--m", "1"), ()),
    "counts": (
        ("counted.csv", "--id-column", "basket", "--item-column", "item", "--multiset", "--k", "2", "--m", "1"),
        (),
    ),
    "sensitive items": (
        ("sick.basket", "--model", "lm", "--l", "2", "--m", "1", "--sensitive", "flu", "--hierarchy", "tree.csv"),
        (),
    ),
    "weights": (
        ("jan.basket", "--hierarchy", "tree.csv", "--weights", "weights.csv", "--k", "3"),
        ("--weights", "weights.csv"),
    ),
    "filtered rows": (
        ("orders.csv", *LONG, "--where", "week <= 2", "--drop-items", "tea", "--columns", "week", "--k", "2"),
        (),
    ),
    "persons": (
        ("orders.csv", *LONG, *JOIN, "--person", "who", "--columns", "week", "--hierarchy", "drinks.csv", "--k", "4"),
        JOIN,
    ),
}


@pytest.fixture
def desk(shell: Shell) -> Shell:
    for name, text in FILES.items():
        shell.write(name, text)
    return shell


def done(desk: Shell, *words: str) -> str:
    code, out, err = desk(*words)
    assert code == 0, err
    return out


def first(desk: Shell, *more: str) -> None:
    """January's release and its recoding, which publishes beer as a group."""
    words = ("jan.basket", "-o", "jan.out.basket", "--hierarchy", "tree.csv", "--algorithm", "optimal", "--k", "2")
    done(desk, "anonymize", *words, "--recoding", "r.json", *more)


def read(desk: Shell, name: str) -> bytes:
    return (desk.folder / name).read_bytes()


@pytest.mark.parametrize(("release", "again"), SAME.values(), ids=list(SAME))
def test_the_same_data_give_the_same_bytes(desk: Shell, release: tuple[str, ...], again: tuple[str, ...]) -> None:
    data, *options = release
    suffix = Path(data).suffix
    persons = "--person" in options
    for name in ("one", "two"):
        files = ("-o", f"{name}{suffix}", "--codebook", f"{name}.book.csv", "--recoding", f"{name}.json")
        more = ("--persons-out", f"{name}.txt") if persons else ()
        words = ("anonymize", data, *options) if name == "one" else ("apply", "one.json", data, *again)
        done(desk, *words, *files, *more, "--workers", "1" if name == "one" else "2")
    for end in (suffix, ".book.csv", ".json", *([".txt"] if persons else [])):
        assert read(desk, f"one{end}") == read(desk, f"two{end}"), end
    assert read(desk, f"one{suffix}") != read(desk, data)


def test_another_release_is_as_coarse_and_can_be_checked(desk: Shell) -> None:
    first(desk)
    desk.write("march.basket", "lager,rye\nstout,rye\nale,bun\nlager,bun\n")
    out = done(desk, "apply", "r.json", "march.basket", "-o", "march.out.basket", "--report", "report.html")
    assert read(desk, "march.out.basket") == b"beer,rye\nbeer,rye\nbeer,bun\nbeer,bun\n"
    assert "march.out.basket" in out
    page = (desk.folder / "report.html").read_text("utf-8")
    assert "Recoding of an earlier release" in page
    assert "r.json, found by <code>optimal</code><br>" in page
    assert hashlib.sha256(read(desk, "r.json")).hexdigest() in page
    done(desk, "verify", "march.out.basket", "--k", "2", "--m", "2")


def test_what_fails_is_named_and_nothing_is_written(desk: Shell) -> None:
    first(desk)
    before = sorted(desk.folder.rglob("*"))
    words = ("apply", "r.json", "feb.basket", "-o", "feb.out.basket", "--recoding", "r2.json", "--report", "f.html")
    code, out, err = desk(*words)
    assert code == 1
    assert "bun" in out
    assert err.startswith("Error: The recoding does not give 2^2-anonymity on feb.basket: {bun} is in 1 record")
    assert "Repair it with --repair" in err
    code, out, err = desk(*words, "--json")
    told = json.loads(out)
    assert (code, told["verdict"]["holds"], told["model"]["name"]) == (1, False, "km")
    assert {"labels": ["bun"], "support": 1} in told["witnesses"]
    assert sorted(desk.folder.rglob("*")) == before


def test_a_repair_generalizes_further_and_can_be_used_again(desk: Shell) -> None:
    first(desk)
    out = done(desk, "apply", "r.json", "feb.basket", "-o", "f.basket", "--repair", "--recoding", "r2.json", "--json")
    told = json.loads(out)
    assert told["verdict"]["holds"]
    assert told["files"]["recoding"] == "r2.json"
    assert any("became more general. No other repair loses less (proved)." in note["text"] for note in told["notes"])
    assert read(desk, "f.basket") == b"beer,bread\nbeer,bread\nbeer,bread\nfig\nfig\n"
    assert json.loads(read(desk, "r2.json"))["raised"] == ["beer", "bread"]
    done(desk, "verify", "f.basket", "--k", "2", "--m", "2")
    done(desk, "apply", "r2.json", "feb.basket", "-o", "again.basket")
    assert read(desk, "again.basket") == read(desk, "f.basket")


def test_a_repair_that_is_not_needed_changes_nothing(desk: Shell) -> None:
    first(desk)
    done(desk, "apply", "r.json", "jan.basket", "-o", "again.basket", "--repair", "--recoding", "r2.json")
    assert read(desk, "again.basket") == read(desk, "jan.out.basket")
    assert read(desk, "r2.json") == read(desk, "r.json")


def test_a_repair_that_loses_too_much_is_not_written(desk: Shell) -> None:
    first(desk)
    before = sorted(desk.folder.rglob("*"))
    code, _, err = desk("apply", "r.json", "feb.basket", "-o", "f.basket", "--repair", "--max-loss", "0.1")
    assert code == 3
    assert "--max-loss 0.1" in err
    assert "Allow a larger loss, or start anew with a new recoding" in err
    assert "shoal anonymize" not in err  # it would give the same records other labels
    assert sorted(desk.folder.rglob("*")) == before


@pytest.mark.parametrize("option", ["--k", "--l", "--model", "--algorithm", "--siblings", "--kay"])
def test_the_model_and_the_method_cannot_be_chosen_again(desk: Shell, option: str) -> None:
    first(desk)
    settled = f"No such option '{option}', because the model and the method are those of the earlier release"
    for command in (("apply", "r.json"), ("series", "add", "shop", "feb")):
        told = " ".join(desk.fails(*command, "feb.basket", option, "3").split())
        assert (settled in told) == (option != "--kay"), told


def test_no_command_is_suggested_for_a_nearly_worthless_repair(desk: Shell) -> None:
    first(desk)
    desk.write("few.basket", "ale,rye\nstout,fig\n")
    out = done(desk, "apply", "r.json", "few.basket", "-o", "f.basket", "--repair", "--report", "f.md")
    assert out.startswith("Nearly worthless:")
    for text in (out, read(desk, "f.md").decode()):
        assert "A new recoding may keep more, but do not publish the same records with both." in " ".join(text.split())
        assert "shoal anonymize" not in text


def test_new_items_go_where_a_larger_hierarchy_says(desk: Shell) -> None:
    first(desk)
    desk.write("new.basket", JANUARY + "porter,rye\nkiwi\nkiwi\n")
    desk.write("larger.csv", TREE + "porter;beer;*\nkiwi;fruit;*\n")
    words = ("apply", "r.json", "new.basket", "-o", "new.out.basket")
    assert "'kiwi' (line 9) is not in the hierarchy tree.csv, nor is 1 other" in desk.fails(*words)
    done(desk, *words, "--hierarchy", "larger.csv")
    assert read(desk, "new.out.basket").splitlines()[-3:] == [b"beer,rye", b"kiwi", b"kiwi"]
    code, _, err = desk(*words, "--unknown-items", "root")
    assert code == 1
    assert "{porter} is in 1 record" in err
    desk.write("other.csv", TREE.replace("ale;beer", "ale;bread"))
    assert "'ale' is below 'bread' there, but below 'beer' in the recoding" in desk.fails(
        *words, "--hierarchy", "other.csv"
    )


def changed(desk: Shell, old: str, new: str) -> str:
    text = read(desk, "r.json").decode()
    assert old in text
    return text.replace(old, new, 1)


def test_what_is_no_recoding_is_refused(desk: Shell) -> None:
    """Those whose hash is right too are in tests/release/test_recoding_file.py."""
    first(desk, "--report", "report.json")
    bad = {
        "other.json": (changed(desk, "recoding:1", "recoding:2"), "other.json is a recoding of another version"),
        "less.json": (changed(desk, '"k": 2', '"k": 1'), "less.json was changed after Shoal wrote it"),
        "cut.json": (read(desk, "r.json").decode()[:200], "cut.json, line"),
        "twice.json": (changed(desk, '"loss": ', '"loss": "lm",\n "loss": '), "has the key 'loss' twice"),
        "empty.json": ("", "this is not JSON"),
        "report.json": (read(desk, "report.json").decode(), "is not a recoding that Shoal wrote"),
        "tree.csv": (TREE, "this is not JSON"),
    }
    for name, (text, message) in bad.items():
        desk.write(name, text)
        assert message in desk.fails("apply", name, "jan.basket", "-o", "x.basket", "--recoding", "x.json")
    assert "no.json" in desk.fails("apply", "no.json", "jan.basket", "-o", "x.basket")


def test_outputs_are_not_inputs(desk: Shell) -> None:
    first(desk)
    words = ("apply", "r.json", "feb.basket", "-o")
    assert "is an input too" in desk.fails(*words, "r.json")
    assert "is an input too" in desk.fails(*words, "x.basket", "--repair", "--recoding", "r.json")
    assert "must be different files" in desk.fails(*words, "x.basket", "--recoding", "x.basket")
    assert "is an input too" in desk.fails(*words, "x.basket", "--hierarchy", "tree.csv", "--recoding", "tree.csv")


@pytest.mark.parametrize(
    ("algorithm", "options"), [("lra", ("--k", "2")), ("partition", ("--model", "transactional-k", "--k", "2"))]
)
def test_methods_whose_recoding_belongs_to_the_rows_say_so(
    desk: Shell, algorithm: str, options: tuple[str, ...]
) -> None:
    words = ("jan.basket", "-o", "x.basket", "--hierarchy", "tree.csv", *options, "--algorithm", algorithm)
    error = desk.fails("anonymize", *words, "--recoding", "r.json")
    assert f"--recoding is for methods that change an item in the same way in all records. {algorithm} changes" in error


def test_the_recoding_of_a_problem_file(desk: Shell) -> None:
    first(desk)
    desk.write(
        "p.toml",
        '[data]\nfile = "jan.basket"\n[items]\nhierarchy = "tree.csv"\n[model]\nk = 2\n[algorithm]\nname = "optimal"\n'
        '[output]\nfile = "p.basket"\nrecoding = "p.json"\n',
    )
    told = json.loads(done(desk, "run", "p.toml", "--json"))
    assert told["files"]["recoding"] == "p.json"
    assert read(desk, "p.json") == read(desk, "r.json")
    desk.write("q.toml", (desk.folder / "p.toml").read_text("utf-8").replace('"optimal"', '"lra"'))
    assert "lra changes records in different ways" in desk.fails("run", "q.toml")


def test_nothing_is_left_after_an_interruption(desk: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    first(desk)
    before = sorted(desk.folder.rglob("*"))

    def interrupted(*given: Any, **options: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the signal was not noticed")

    for owner, name, more in ((ApplyJob, "make", ()), (coarsen, "best_cut", ("--repair",))):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, interrupted)
            code, _, err = desk("apply", "r.json", "feb.basket", "-o", "x.basket", "--recoding", "x.json", *more)
        assert code == 130, err
        assert sorted(desk.folder.rglob("*")) == before


@pytest.mark.parametrize("algorithm", ["optimal", "auto", "optimal-suppress"])
@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("interrupted", "Interrupted: the best repair found so far was verified and published."),
        ("out of time", "The time limit ended the search. Another run may find a better repair."),
    ],
)
def test_a_repair_whose_search_ended_early_says_so(
    desk: Shell, monkeypatch: pytest.MonkeyPatch, algorithm: str, end: str, told: str
) -> None:
    """Ctrl-C, or the time limit, ends the search for a proof, after the first safe result."""
    words = ("jan.basket", "-o", "j.basket", "--hierarchy", "tree.csv", "--algorithm", algorithm, "--k", "2")
    done(desk, "anonymize", *words, "--recoding", "r.json")
    apply = ("apply", "r.json", "feb.basket", "-o", "x.basket", "--repair", "--report", "x.md", "--report", "x.html")
    assert told not in done(desk, *apply)
    assert told not in read(desk, "x.md").decode()

    def ended(search: Any) -> None:
        search.bound = 0
        if end == "interrupted":
            signal.raise_signal(signal.SIGINT)
        raise OutOfTime

    owner = CutSuppressionSearch if algorithm == "optimal-suppress" else ExactSearch
    monkeypatch.setattr(owner, "_prove", ended)
    monkeypatch.setattr(owner, "_conclude", lambda search, ended: None)
    code, out, err = desk(*apply)
    assert code == 0, err
    for text in (out + err, read(desk, "x.md").decode(), read(desk, "x.html").decode()):
        assert told in " ".join(text.split())


def test_the_release_can_go_to_standard_output(desk: Shell) -> None:
    first(desk)
    out = done(desk, "apply", "r.json", "jan.basket", "-o", "-")
    assert out.encode() == read(desk, "jan.out.basket")
    code, out, err = desk("apply", "r.json", "feb.basket", "-o", "-")
    assert (code, out) == (1, "")
    assert "bun" in err


def test_rows_in_parts_give_the_same_release() -> None:
    """Data that do not fit: arrays in files, two threads, parts of a few rows."""
    rows = [line[3:4] for line in LINES] * 5 + [["tea", "oats"]]
    small = Engine(workers=2, memory=1_000, part_rows=3)
    for algorithm in ("aa", "optimal", "mm"):
        release = shoal.anonymize(rows, Km(k=3, m=2), algorithm=algorithm)
        again = shoal.apply(release.saved_recoding, rows, engine=small)
        assert again.data == release.data
        less = rows[:7]
        repaired = [shoal.apply(release.saved_recoding, less, repair=True, engine=one) for one in (small, Engine())]
        assert repaired[0].data == repaired[1].data


def test_the_help_shows_a_second_month(desk: Shell) -> None:
    out = done(desk, "apply", "--help")
    assert re.search(r"shoal apply products\.json february\.dat -o feb\.dat --repair", out)
    assert "--repair" in out
