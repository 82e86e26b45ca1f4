"""l^m-diversity and negative knowledge: verifiers against the oracle, sensitive items and columns, refusals.

Covers: models/km_negative.py, data/sensitive.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.data.sensitive import split_sensitive_values
from shoal.data.table import Table
from shoal.errors import Infeasible, OptionError, PrivacyViolation
from shoal.models.witness import DisclosingSet, RareSet
from shoal.testing import all_cuts, problems
from tests import oracles
from tests.budget import examples

TREE = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
lm = st.builds(shoal.Lm, l=st.integers(2, 4), m=st.integers(1, 3), sensitive=st.just(("s0", "s1")))
negative = st.builds(shoal.models.KmNegative, k=st.integers(2, 4), m=st.integers(1, 3))


def dataset(rows: list[list[str]], **columns: Sequence[object]) -> shoal.Dataset:
    table = Table(pa.table(columns)) if columns else None
    return shoal.Dataset(shoal.data.Transactions.from_sets(rows), table)


def best_by_hand(problem: shoal.Problem) -> int | None:
    """The least cost of any cut that the oracle finds diverse; none, if there is none."""
    l, m = problem.model.values()["l"], problem.model.values()["m"]
    fine = [
        int(problem.prepared.costs[cut.nodes].sum())
        for cut in all_cuts(problem.prepared.hierarchy)
        if not oracles.told(
            cut.apply(problem.prepared.items).rows.sets(),
            problem.prepared.sensitive.sets(),
            l,
            m,
            problem.prepared.persons,
        )
    ]
    return min(fine, default=None)


@examples(150)
@given(problem=problems(lm, max_leaves=6))
def test_the_verifier_of_lm_agrees_with_the_oracle_on_every_cut(problem: shoal.Problem) -> None:
    l, m = problem.model.values()["l"], problem.model.values()["m"]
    for cut in all_cuts(problem.prepared.hierarchy):
        published = cut.apply(problem.prepared.items, problem.prepared.sensitive_part)
        rows, values, persons = published.rows.sets(), problem.prepared.sensitive.sets(), problem.prepared.persons
        by_records, by_persons = (
            oracles.disclosures(rows, values, l, m, people) for people in (None, oracles.people_of(persons))
        )
        verdict = problem.model.verify(published.of_persons(persons))
        assert verdict.holds == (not by_records and not by_persons)
        for witness in verdict.witnesses:
            assert isinstance(witness, DisclosingSet)
            counts = (by_persons if witness.person else by_records)[frozenset(witness.labels)][witness.sensitive]
            assert counts == (witness.support, witness.holders)


@examples(100)
@given(problem=problems(negative, max_leaves=6))
def test_the_verifier_of_negative_knowledge_agrees_with_the_oracle_on_every_cut(problem: shoal.Problem) -> None:
    k, m = problem.model.values()["k"], problem.model.values()["m"]
    for cut in all_cuts(problem.prepared.hierarchy):
        published = cut.apply(problem.prepared.items)
        persons = problem.prepared.persons
        failing = oracles.rare_facts(published.rows.sets(), k, m, oracles.people_of(persons))
        verdict = problem.model.verify(published.of_persons(persons))
        assert verdict.holds == (not failing)
        for witness in verdict.witnesses:
            assert isinstance(witness, RareSet)
            assert failing[frozenset(witness.labels), frozenset(witness.absent)] == witness.support


@examples(150)
@given(
    problem=problems(lm, max_leaves=6),
    method=st.sampled_from(
        [shoal.algorithms.AA(), shoal.algorithms.DA(), shoal.algorithms.VPA(), shoal.algorithms.LRA()]
    ),
)
def test_searches_for_lm_find_a_cut_or_none_is_at_the_root(
    problem: shoal.Problem, method: shoal.algorithms.Algorithm
) -> None:
    """Never better than the best of all cuts; where none holds, an error. Local cuts may be better."""
    best = best_by_hand(problem)
    try:
        release = shoal.anonymize(problem, algorithm=method)
    except Infeasible:
        root = GlobalRoot(problem)
        assert best is None or root
        return
    l, m = problem.model.values()["l"], problem.model.values()["m"]
    secrets, persons = problem.prepared.sensitive.sets(), problem.prepared.persons
    assert not oracles.told(release.published.rows.sets(), secrets, l, m, persons)
    if isinstance(release.recoding, shoal.recoding.GlobalCut):
        assert best is not None
        assert int(problem.prepared.costs[release.recoding.nodes].sum()) >= best


def GlobalRoot(problem: shoal.Problem) -> bool:  # noqa: N802
    """Whether the root tells too much."""
    cut = shoal.recoding.GlobalCut.raising(problem.prepared.hierarchy, [problem.prepared.hierarchy.root])
    rows = cut.apply(problem.prepared.items).rows.sets()
    prepared = problem.prepared
    return oracles.told(rows, prepared.sensitive.sets(), problem.model.values()["l"], 1, prepared.persons)


def test_lm_is_not_monotone() -> None:
    """P3 s.5.2 says that generalizing ends in l^m-diversity. Of a1 and of a2 2 in 5 have s, but of A 4 in 7."""
    rows = [["a1", "s"]] * 4 + [["a2", "s"]] * 4 + [["a1", "a2"]] * 6 + [["b"]] * 4
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "b": []}})
    problem = shoal.Problem(dataset(rows), tree, shoal.Lm(l=2, m=2, sensitive=("s",)))
    fine, coarse = (
        shoal.recoding.GlobalCut.raising(tree, []),
        shoal.recoding.GlobalCut.raising(tree, [tree.code_of["A"]]),
    )
    holds = [
        problem.model.verify(cut.apply(problem.prepared.items, problem.prepared.sensitive_part)).holds
        for cut in (fine, coarse)
    ]
    assert holds == [True, False]
    for method in (
        shoal.algorithms.AA(),
        shoal.algorithms.DA(),
        shoal.algorithms.VPA(),
        shoal.algorithms.LRA(chunks=1),
    ):
        assert shoal.anonymize(problem, algorithm=method).losses["ncp"] == 0  # nothing is in breach: nothing is raised


def test_negative_knowledge_is_not_monotone() -> None:
    """Everybody has a1 or a2 and enough have neither one: but hardly anybody is without both."""
    rows = [["a1", "b1"]] * 3 + [["a2", "b1"]] * 3 + [["b1"]]
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "b1": []}})
    model = shoal.models.KmNegative(k=2, m=1)
    problem = shoal.Problem(dataset(rows), tree, model)
    fine = shoal.recoding.GlobalCut.raising(tree, []).apply(problem.prepared.items)
    coarse = shoal.recoding.GlobalCut.raising(tree, [tree.code_of["A"]]).apply(problem.prepared.items)
    assert (model.verify(fine).holds, model.verify(coarse).holds) == (True, False)
    assert str(model.verify(coarse).witnesses[0]) == "{not A} is in 1 record"
    assert shoal.anonymize(problem).losses["ncp"] == 0


def test_a_share_above_one_in_l_is_refused_with_its_name() -> None:
    rows = [["a1", "flu"], ["a2", "flu"], ["b1"]]
    problem = shoal.Problem(dataset(rows), TREE, shoal.Lm(l=2, m=1, sensitive=("flu",)))
    with pytest.raises(Infeasible, match=r"'flu' is in 2 of 3 \(66.7%\): do not declare it sensitive"):
        shoal.anonymize(problem)


def test_where_only_the_root_is_left_and_fails_it_is_said() -> None:
    """Half of all records have it, but more than half of those with anything else."""
    rows: list[list[str]] = [["a1", "flu"], ["a2", "flu"], ["b1"], []]
    problem = shoal.Problem(dataset(rows), TREE, shoal.Lm(l=2, m=1, sensitive=("flu",)))
    for method in (shoal.algorithms.AA(), shoal.algorithms.DA(), shoal.algorithms.LRA(), shoal.algorithms.VPA()):
        with pytest.raises(Infeasible, match=r"of the 3 records with any item .*, 2 have 'flu' \(66.7%\)"):
            shoal.anonymize(problem, algorithm=method)


def test_sensitive_items_are_taken_out_and_published_as_they_are() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "ill": ["flu", "HIV"]}})
    rows = [["a1", "flu"], ["a2"], ["a1"], ["a2", "HIV"], ["a1"], ["a2"]]
    problem = shoal.Problem(dataset(rows), tree, shoal.Lm(l=3, m=1, sensitive=("flu", "HIV")))
    assert problem.prepared.hierarchy.labels == ("a1", "a2", "A", "ALL")  # |I| is 2, and no group is empty
    release = shoal.anonymize(problem)
    assert release.data == [["a1", "flu"], ["a2"], ["a1"], ["a2", "HIV"], ["a1"], ["a2"]]
    assert release.losses["ncp"] == 0
    assert problem.model.verify(shoal.published.Published.plain(release.dataset.transactions)).holds
    stronger = replace(problem, model=shoal.Lm(l=4, m=1, sensitive=("flu", "HIV")))
    assert [sorted(row) for row in shoal.anonymize(stronger).data] == [
        ["A", "flu"],
        ["A"],
        ["A"],
        ["A", "HIV"],
        ["A"],
        ["A"],
    ]


@pytest.mark.parametrize(
    ("sensitive", "message"),
    [
        (("fluu",), r"'fluu' \(did you mean 'flu'\?\) is not in the data nor in the hierarchy"),
        (("B",), r"'B'.* is not in the data: correct or remove it \(or go on without"),
        ((), "needs sensitive items"),
    ],
)
def test_what_is_sensitive_must_be_there(sensitive: tuple[str, ...], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        shoal.Problem(dataset([["a1", "flu"]]), TREE, shoal.Lm(l=2, m=1, sensitive=sensitive))


def test_a_sensitive_group_stands_for_its_items() -> None:
    """Those that the data have; all of them leave the hierarchy, and the file is checked by the items."""
    rows = [["a1", "b1"], ["a1"], ["a1"], ["a1"]]
    problem = shoal.Problem(dataset(rows), TREE, shoal.Lm(l=2, m=1, sensitive=("B",)))
    assert problem.prepared.model.sensitive_labels == ("b1",)
    assert problem.prepared.sensitive_groups == {"B": 1}
    assert problem.prepared.hierarchy.items == ("a1", "a2")
    named = shoal.Problem(dataset(rows), TREE, shoal.Lm(l=2, m=1, sensitive=("b1", "b2")))
    assert named.prepared.hierarchy.labels == problem.prepared.hierarchy.labels
    with pytest.raises(OptionError, match="'A' is an item of the data and a group"):
        shoal.Problem(dataset([["A"], ["b1"]]), TREE, shoal.Lm(l=2, m=1, sensitive=("A",)))


def test_what_is_missing_may_be_allowed_to() -> None:
    model = shoal.Lm(l=2, m=1, sensitive=("fluu",))
    release = shoal.anonymize(shoal.Problem(dataset([["a1"]]), TREE, model, allow_missing=True))
    assert release.published.rows.sets() == [{"a1"}]
    assert release.notes == ["These sensitive labels are not in the data: fluu. Check the spelling."]


def test_a_sensitive_column() -> None:
    """P3's conclusion: the sensitive value stands beside the set. Nothing is no value."""
    rows = [["a1"], ["a1"], ["a2"], ["a2"], ["b1"], ["b1"]]
    ill = ["flu", "flu", None, "", "HIV", "cold"]
    model = shoal.Lm(l=2, m=1, sensitive_column=("ill",))
    problem = shoal.Problem(dataset(rows, ill=ill, age=list(range(6))), TREE, model)
    assert problem.prepared.sensitive.labels == ("ill=HIV", "ill=cold", "ill=flu")
    verdict = model.verify(model.validated_view(problem.data))
    assert [str(witness) for witness in verdict.witnesses] == ["2 of the 2 records with {a1} have 'ill=flu'"]
    release = shoal.anonymize(problem)
    assert [sorted(row) for row in release.published.rows.sets()] == [["A"], ["A"], ["A"], ["A"], ["b1"], ["b1"]]
    assert release.dataset.table is not None
    assert release.dataset.table.arrow.column("ill").to_pylist() == ill  # passes through
    assert release.notes == [
        "The column 'age' is published unchanged. The guarantee covers the sets only. "
        "Leave out every column that could identify a person."
    ]
    only = shoal.Lm(l=2, m=1, sensitive=("ill=HIV",), sensitive_column=("ill",))
    hidden = only.split_sensitive(problem.data)[1]
    assert hidden is not None
    assert hidden.values.labels == ("ill=HIV",)
    some = shoal.anonymize(replace(problem, model=only))
    assert "Only these values of the column 'ill' are protected: ill=HIV." in some.notes
    with pytest.raises(OptionError, match="these rows have no columns"):
        model.verify(shoal.published.Published.plain(release.published.rows))


def test_items_and_columns_together() -> None:
    rows = [["a1", "x"], ["a1"], ["a2"], ["a2"]]
    data = dataset(rows, ill=["flu", None, None, "flu"])
    known, hidden = split_sensitive_values(data, ["x"], ["ill"])
    assert known.sets() == [{"a1"}, {"a1"}, {"a2"}, {"a2"}]
    assert hidden.values.sets() == [{"x", "ill=flu"}, set(), set(), {"ill=flu"}]


def test_labels_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("flu\n\nbeer, light\n", encoding="utf-8")
    model = shoal.Lm.parse({"sensitive": str(tmp_path / "s.txt"), "l": "3"})
    assert (model.l, model.sensitive) == (3, ("flu", "beer, light"))
    assert shoal.Lm.parse({"sensitive": 'flu,"beer, light"'}).sensitive == ("flu", "beer, light")
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    with pytest.raises(OptionError, match="names no label"):
        shoal.Lm.parse({"sensitive": str(tmp_path / "empty.txt")})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["a1"], [], [], []], "needs no non-empty records, or at least 2 non-empty records, got 1"),
        ([["a1"]] * 3 + [[]], r"fewer than 2 records are empty \(1\), and .* 1 missing label singles them out"),
    ],
)
def test_negative_knowledge_needs_enough_of_both(rows: list[list[str]], message: str) -> None:
    with pytest.raises(Infeasible, match=message):
        shoal.anonymize(shoal.Problem(dataset(rows), TREE, shoal.models.KmNegative(k=2, m=1)))


@pytest.mark.parametrize("method", ["aa", "auto", "optimal"])
@pytest.mark.parametrize(
    "rows", [[["a1"]] * 2 + [["a2"]] * 2 + [["b1"]] * 2 + [[]], [[]], [["a1"], ["a2"], ["b1"]] * 2 + [[]] * 2]
)
def test_what_satisfies_negative_knowledge_is_published_unchanged(rows: list[list[str]], method: str) -> None:
    """A few empty records are fine, if more labels must be known to be missing than somebody may know."""
    algorithm = discovery.get("shoal.algorithms", Algorithm, method)()
    release = shoal.anonymize(
        shoal.Problem(dataset(rows), TREE, shoal.models.KmNegative(k=2, m=2)), algorithm=algorithm
    )
    assert release.published.rows.sets() == [frozenset(row) for row in rows]


def test_a_release_for_one_guarantee_is_not_taken_for_another() -> None:
    """What was set apart for one model must not be missing from the rows that another one verifies."""
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "D": ["HIV", "flu"]}})
    rows = [["a1", "HIV"]] * 6 + [["a2"]] * 6 + [["a1", "flu"]] * 2
    km = shoal.Km(k=2, m=2)
    released = shoal.anonymize(shoal.Problem(dataset(rows), tree, km), algorithm=shoal.algorithms.AA())
    lm = shoal.Lm(l=2, m=1, sensitive=("HIV",))
    assert not lm.verify(released.published).holds  # its rows are whole: taken apart now
    other = shoal.Lm(l=2, m=1, sensitive=("flu",))
    hidden = shoal.anonymize(shoal.Problem(dataset(rows), tree, other)).published
    with pytest.raises(OptionError, match="sensitive values of these rows are not those of the model"):
        lm.verify(hidden)
    for model in (km, shoal.models.KmNegative(k=2, m=2)):
        with pytest.raises(OptionError, match="these rows lack their sensitive items"):
            model.verify(hidden)


@pytest.mark.parametrize("written", ["hiv", "H I V", "\uff28IV"])
def test_a_sensitive_label_that_the_data_write_differently_is_an_error(written: str) -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "D": ["HIV", "flu"]}})
    data = dataset([["a1", written], ["a1", written], ["a2", "flu"], ["a2"]])
    model = shoal.Lm(l=2, m=1, sensitive=("HIV", "flu"))
    with pytest.raises(OptionError, match="'HIV' is not in the data, but"):
        shoal.Problem(data, tree, model, unknown_items="root")
    with pytest.raises(OptionError, match="'HIV' is not in the data, but"):
        model.verify(shoal.published.Published.plain(data.transactions))


def test_what_is_declared_but_not_there_or_looks_alike_is_noted() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "D": ["HIV", "flu", "hiv"]}})
    data = dataset([["a1", "HIV"], ["a1", "hiv"], ["a2", "hiv"], ["a2"]])
    release = shoal.anonymize(shoal.Problem(data, tree, shoal.Lm(l=2, m=1, sensitive=("HIV", "flu"))))
    assert "These sensitive labels are not in the data: flu. Check the spelling." in release.notes
    assert "'HIV' is sensitive. 'hiv' looks like it, but was not declared sensitive." in release.notes
    with pytest.raises(OptionError, match="'flu' is not in the data: correct or remove it"):
        shoal.Problem(data, tree, shoal.Lm(l=2, m=1, sensitive=("flu",)))


def test_a_column_of_lists_holds_several_values() -> None:
    rows = [["a1"]] * 4 + [["a2"]] * 8
    ill = [["HIV", f"x{at}"] for at in range(4)] + [None] * 4 + [[]] * 4
    model = shoal.Lm(l=3, m=1, sensitive_column=("ill",))
    verdict = model.verify(model.validated_view(dataset(rows, ill=ill)))
    assert str(verdict.witnesses[0]) == "4 of the 4 records with {a1} have 'ill=HIV'"


def test_a_file_named_like_a_label_is_not_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "HIV").write_text("flu\n", encoding="utf-8")
    with pytest.raises(OptionError, match=r"write ./HIV for the labels in it, or 'HIV,' for itself"):
        shoal.Lm.parse({"sensitive": "HIV"})
    assert shoal.Lm.parse({"sensitive": "./HIV"}).sensitive == ("flu",)
    assert shoal.Lm.parse({"sensitive": "HIV,"}).sensitive == ("HIV",)
    assert shoal.Lm.parse({"sensitive": ("flu,cold", "a\nb")}).sensitive == ("flu", "cold", "a", "b")


def test_what_is_verified_is_what_will_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sets to be written are taken apart anew: sensitive items that moved on their way are noticed."""
    rows = [["a1", "flu"], ["a1"], ["a2", "flu"], ["a2"], ["b1"], ["b1"]]
    problem = shoal.Problem(dataset(rows), TREE, shoal.Lm(l=2, m=1, sensitive=("flu",)))
    assert shoal.anonymize(problem).published.as_written.sets() == [frozenset(row) for row in rows]
    moved = shoal.data.Transactions.from_sets([["a1", "flu"], ["a1", "flu"], ["a2"], ["a2"], ["b1"], ["b1"]])
    monkeypatch.setattr(shoal.published.Published, "as_written", property(lambda published: moved))
    with pytest.raises(PrivacyViolation, match=r"2 of the 2 records with \{a1\} have 'flu'"):
        shoal.anonymize(problem)


@pytest.mark.parametrize("declared", ["d=x", "group"])
def test_a_value_of_a_column_is_no_item(declared: str) -> None:
    """``d=x`` is the value x of the column d; an item of that name, below a group perhaps, would be taken for it."""
    data = shoal.read(pa.table({"d": ["x", "y"], "items": [["d=x"], ["b"]]}))
    tree = shoal.Hierarchy.from_tree({"ALL": {"group": ["d=x"], "other": ["b"]}})
    model = shoal.Lm(l=2, m=1, sensitive=(declared,), sensitive_column=("d",))
    with pytest.raises(
        OptionError, match="'d=x' means the value 'x' of the column 'd', but is also an item or a group"
    ):
        shoal.Problem(data, tree, model)
