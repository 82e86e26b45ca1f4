"""(h,k,p)-coherence: each clause by hand, the verifier against the definition, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.table import Table
from shoal.errors import OptionError
from shoal.models.witness import DisclosingSet
from shoal.testing import all_cuts, check_privacy_model, models, problems
from tests import oracles
from tests.budget import examples
from tests.conftest import Shell

hkp = models(shoal.models.Hkp)


def verdict_of(model: shoal.models.Hkp, rows: Sequence[Sequence[str]]) -> shoal.models.Verdict:
    return model.verify(shoal.published.Published.plain(shoal.data.Transactions.from_sets(rows)))


def test_every_known_set_is_in_k_records() -> None:
    model = shoal.models.Hkp(h=1, k=2, p=2)
    check_privacy_model(model, [["a", "b"], ["a", "b"], []], [["a", "b"], ["a"], ["b"]])
    check_privacy_model(replace(model, p=1), [["a", "b"], ["a"], ["b"]], [["a"], ["b"], ["b"]])
    assert str(verdict_of(model, [["a", "b"], ["a"], ["b"]]).witnesses[0]) == "{a, b} is in 1 record"


def test_no_private_item_is_too_frequent() -> None:
    rows = [["a", "x"], ["a", "x"], ["a"], ["b"], ["b"]]
    fine, strict = (shoal.models.Hkp(h=h, k=2, p=2, sensitive=("x",)) for h in (0.67, 0.66))
    assert verdict_of(fine, rows).holds
    verdict = verdict_of(strict, rows)
    assert (verdict.holds, verdict.violations) == (False, 1)
    assert str(verdict.witnesses[0]) == "2 of the 3 records with {a} have 'x'"


def test_a_share_is_compared_exactly() -> None:
    """3 of 10 are not more than 0.3, though 0.3 as a floating-point number is less than 3/10."""
    rows = [["a", "x"]] * 3 + [["a"]] * 7
    assert verdict_of(shoal.models.Hkp(h=0.3, k=2, p=1, sensitive=("x",)), rows).holds
    assert not verdict_of(shoal.models.Hkp(h=0.299999999, k=2, p=1, sensitive=("x",)), rows).holds


def test_who_knows_nothing_is_not_considered() -> None:
    rows = [["x"], ["x"], ["x"], ["a"], ["a"]]
    assert verdict_of(shoal.models.Hkp(h=0.5, k=2, p=2, sensitive=("x",)), rows).holds
    assert not shoal.Lm(l=2, m=2, sensitive=("x",)).verify(
        shoal.published.Published.plain(shoal.data.Transactions.from_sets(rows))
    )


def test_private_items_need_no_support_and_are_not_known() -> None:
    rows = [["a", "x", "y"], ["a"], ["a"]]
    assert verdict_of(shoal.models.Hkp(h=0.5, k=3, p=3, sensitive=("x", "y")), rows).holds
    assert not verdict_of(shoal.models.Hkp(h=0.5, k=3, p=3, sensitive=("x",)), rows).holds  # y is in 1 record


def test_shares_of_smaller_sets_are_told_before_rare_sets() -> None:
    rows = [["a", "b", "x"], ["a", "x"], ["b"], ["b"]]
    verdict = verdict_of(shoal.models.Hkp(h=0.5, k=2, p=2, sensitive=("x",)), rows)
    assert [str(witness) for witness in verdict.witnesses] == ["2 of the 2 records with {a} have 'x'"]
    verdict = verdict_of(shoal.models.Hkp(h=1, k=2, p=2, sensitive=("x",)), rows)
    assert [str(witness) for witness in verdict.witnesses] == ["{a, b} is in 1 record"]


@examples(200)
@given(problem=problems(hkp, max_leaves=6))
def test_the_verifier_agrees_with_the_definition_on_every_cut(problem: shoal.Problem) -> None:
    model = problem.model
    assert isinstance(model, shoal.models.Hkp)
    secrets = problem.prepared.sensitive.sets()
    for cut in all_cuts(problem.hierarchy):
        published = cut.apply(problem.prepared.items, problem.prepared.sensitive_part)
        rows = published.rows.sets()
        breaches = oracles.moles(rows, secrets, Fraction(str(model.h)), model.k, model.p)
        verdict = model.verify(published)
        assert verdict.holds == (not breaches)
        assert bool(verdict.witnesses) == bool(breaches)
        for witness in verdict.witnesses:
            known = frozenset(witness.labels)
            assert known in breaches
            assert witness.support == sum(known <= row for row in rows)
            if not isinstance(witness, DisclosingSet):
                assert witness.support < model.k
            else:
                pairs = zip(rows, secrets, strict=True)
                assert witness.holders == sum(known <= row and witness.sensitive in own for row, own in pairs)
                assert Fraction(witness.holders, witness.support) > Fraction(str(model.h))


rows_of_labels = st.lists(st.sets(st.sampled_from("abcdef"), max_size=5), min_size=1, max_size=20)


@given(rows=rows_of_labels, copies=st.integers(1, 4), k=st.integers(2, 5), m=st.integers(1, 6))
def test_km_is_a_special_case(rows: list[set[str]], copies: int, k: int, m: int) -> None:
    published = shoal.published.Published.plain(shoal.data.Transactions.from_sets(rows * copies))
    anonymous = shoal.Km(k=k, m=m).verify(published)
    assert shoal.models.Hkp(h=1, k=k, p=m).verify(published) == anonymous
    assert shoal.models.Hkp(h=0.1, k=k, p=m).verify(published) == anonymous  # nothing is private


def test_values_of_a_column_can_be_private() -> None:
    rows = shoal.data.Transactions.from_sets([["a"], ["a"], ["a"], ["b"], ["b"]])
    data = shoal.Dataset(rows, Table(pa.table({"ill": ["HIV", "HIV", None, None, "flu"]})))
    model = shoal.models.Hkp(h=0.5, k=2, p=1, sensitive_column=("ill",))
    verdict = model.verify(model.validated_view(data))
    assert [str(witness) for witness in verdict.witnesses] == ["2 of the 3 records with {a} have 'ill=HIV'"]
    with pytest.raises(OptionError, match="Hkp: these rows have no columns"):
        model.verify(shoal.published.Published.plain(rows))


def test_words() -> None:
    plain, private = shoal.models.Hkp(p=1), shoal.models.Hkp(h=0.25, k=3, p=2, sensitive=("x",))
    assert plain.describe() == (
        "An attacker who knows a public item of a record is left with at least 5 records that fit, or with none."
    )
    assert private.describe() == (
        "An attacker who knows up to 2 public items of a record is left with at least 3 records that fit, or with "
        "none, and finds each private item in at most 25 % of them."
    )
    assert (plain.short, private.short) == ("(0.8,5,1)-coherence", "(0.25,3,2)-coherence")
    assert (plain.risk_caveat, private.risk_caveat != "", private.max_known_items) == ("", True, 2)
    assert "1 public item of" in plain.caveats()[0]


@pytest.mark.parametrize("h", [0, 1.5, -0.1, 1 / 3, 1e-10, float("nan")])
def test_shares_that_are_none(h: float) -> None:
    with pytest.raises(OptionError, match=r"h must|h above 0"):
        shoal.models.Hkp(h=h)


TREE = "a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\nHIV;ill;ALL\nflu;ill;ALL\n"
ROWS = "a1,b1,HIV\n" * 4 + "a2,b1\n" * 8 + "a2,b2,flu\n" * 2 + "a2,b2\n" * 4 + "a1,b2\n"
MODEL = ("--model", "hkp", "--h", "0.6", "--k", "3", "--p", "2", "--sensitive", "HIV,flu")
MAKE = ("anonymize", "rows.basket", "-o", "out.basket", "--hierarchy", "tree.csv")


@pytest.fixture
def ward(shell: Shell) -> Shell:
    shell.write("tree.csv", TREE)
    shell.write("rows.basket", ROWS)
    return shell


def test_from_file_to_file(ward: Shell) -> None:
    code, out, err = ward(*MAKE, *MODEL, "--report", "r.json", "--report", "r.md", "--report", "r.html")
    assert code == 0, err
    assert "Verified" in out
    assert ward("verify", "out.basket", *MODEL)[0] == 0
    facts = json.loads((ward.folder / "r.json").read_text(encoding="utf-8"))
    assert facts["algorithm"]["name"] == "mm"
    assert facts["provenance"]["search"] == {"moles": 1, "suppressed_items": 1}
    assert facts["risk"]["after"]["below_k"] == [0, 0]
    assert (ward.folder / "out.basket").read_text(encoding="utf-8").splitlines()[:2] == ["b1,HIV"] * 2
    text = (ward.folder / "r.md").read_text(encoding="utf-8")
    assert "also limits what is learned about it" in text
    assert "with a sensitive value" not in text  # the figures are about all records


def test_a_file_that_fails(ward: Shell) -> None:
    code, out, _ = ward("verify", "rows.basket", *MODEL)
    assert code == 1
    assert "Not (h,k,p)-coherence with h=0.6, k=3, p=2, sensitive=HIV, flu." in out
    assert "a1                     HIV             4   5   80 %" in out
    code, out, _ = ward("verify", "rows.basket", "--model", "hkp", "--k", "3", "--sensitive", "HIV,flu")
    assert code == 1
    assert "a1, b2" in out
    assert ward("verify", "rows.basket", "--model", "hkp", "--k", "2", "--p", "1")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--h", "0"), "needs h above 0, got 0"),
        (("--h", "1.5"), "--h must be at most 1, got 1.5"),
        (("--h", "much"), "--h must be a number, got 'much'"),
        (("--h", "0.1234567891"), "h must have at most 9 decimals"),
        (("--k", "1"), "--k must be at least 2, got 1"),
        (("--p", "0"), "--p must be at least 1, got 0"),
        (("--sensitive", "HVI"), "'HVI' (did you mean 'HIV'?) is not in the data"),
        (("--m", "2"), "--m is an option of k-km, k-lm, km, km-negative, lm, not of the model hkp"),
        (("--algorithm", "aa"), "Algorithm aa does not solve the model hkp: it solves"),
        (("--sensitive", "HIV", "--never-suppress", "a3"), "'a3' is neither an item nor a group"),
        (("--sensitive", "HIV", "--never-suppress", "HIV"), "'HIV' is sensitive and never suppressed anyway"),
        (
            ("--sensitive", "HIV", "--k", "3", "--never-suppress", "A,B"),
            "{a1, b2} violates the model, and --never-suppress protects all its items",
        ),
        (
            ("--sensitive", "HIV", "--k", "3", "--max-suppressed", "1"),
            "mm would suppress 7 of 40 items of all records (17.50%), more than",
        ),
    ],
)
def test_bad_input(ward: Shell, words: tuple[str, ...], said: str) -> None:
    assert said in ward.fails(*MAKE, "--model", "hkp", *words)
