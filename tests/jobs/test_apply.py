"""A saved recoding is applied to files as its owner gets them: new items, other columns, persons."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import DataError, HierarchyError, Infeasible, LossTooHigh, OptionError, RecodingFails
from shoal.jobs.apply import ApplyJob, spec_for

TREE = shoal.Hierarchy.from_tree(
    {"ALL": {"beer": ["ale", "stout", "lager"], "bread": ["rye", "bun"], "fruit": ["fig", "pear"]}}
)
JANUARY = [["ale", "rye"], ["stout", "rye"], ["ale", "rye"], ["lager", "bun"], ["ale", "bun"], ["fig"], ["fig"]]


def saved(rows: Any = JANUARY, hierarchy: Any = TREE, **more: Any) -> shoal.SavedRecoding:
    return shoal.anonymize(rows, k=2, m=2, hierarchy=hierarchy, algorithm="optimal", **more).saved_recoding


def test_the_recoding_groups_what_is_rare() -> None:
    assert saved().raised == ("beer",)


def test_the_same_file_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "in.dat").write_text("1 2\n1 2\n3 1\n3 2\n4 1 2\n5 1\n5 2 3\n", "utf-8")
    first = shoal.anonymize(tmp_path / "in.dat", k=2, m=2)
    first.save(tmp_path / "one.jsonl", recoding=tmp_path / "r.json")
    again = shoal.apply(tmp_path / "r.json", tmp_path / "in.dat")
    again.save(tmp_path / "two.jsonl", recoding=tmp_path / "r2.json")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert (tmp_path / "one.codebook.csv").read_bytes() == (tmp_path / "two.codebook.csv").read_bytes()
    assert (tmp_path / "r.json").read_bytes() == (tmp_path / "r2.json").read_bytes()


def test_data_that_need_more_are_refused_and_repaired() -> None:
    february = [["ale", "rye"], ["stout", "rye"], ["ale", "bun"], ["fig"], ["fig"]]
    with pytest.raises(RecodingFails, match=r"does not give 2\^2-anonymity on data: {bun} is in 1 record") as caught:
        shoal.apply(saved(), february)
    assert caught.value.exit_code == 1
    assert not caught.value.verdict.holds
    repaired = shoal.apply(saved(), february, repair=True)
    assert repaired.saved_recoding.raised == ("beer", "bread")
    assert any("2 labels of the earlier release became more general. No other" in note for note in repaired.notes)
    assert shoal.verify(repaired, k=2, m=2).holds


def test_what_no_repair_can_save_is_an_error() -> None:
    with pytest.raises(Infeasible, match="at least 2 non-empty records"):
        shoal.apply(saved(), [["ale"]], repair=True)


def test_a_repair_keeps_to_a_limit_of_the_loss() -> None:
    with pytest.raises(LossTooHigh, match=r"max_loss=0\.1"):
        shoal.apply(saved(), [["ale", "rye"], ["fig", "rye"], ["fig", "bun"]], repair=True, max_loss=0.1)


# -- new items


def test_a_new_item_is_an_error_unless_something_says_where_it_belongs() -> None:
    rows = [*JANUARY, ["porter", "rye"], ["kiwi"], ["kiwi"]]
    with pytest.raises(DataError, match=r"Item 'kiwi' .* is not in the hierarchy .*, nor is 1 other"):
        shoal.apply(saved(), rows)
    larger = shoal.Hierarchy.from_parents({**TREE.parents_by_label(), "porter": "beer", "kiwi": "fruit"})
    release = shoal.apply(saved(), rows, hierarchy=larger)
    assert release.published.rows.sets()[-3:] == [{"beer", "rye"}, {"kiwi"}, {"kiwi"}]
    assert release.saved_recoding.tree.items == larger.items
    below = shoal.apply(saved(), rows, unknown_items="root", repair=True)
    assert below.verdict.holds


def test_a_repair_may_group_new_items_and_the_next_month_knows_them() -> None:
    larger = shoal.Hierarchy.from_parents({**TREE.parents_by_label(), "porter": "beer"})
    rows = [["ale"], ["ale"], ["stout"], ["lager"], ["rye"], ["rye"]]
    january = shoal.anonymize(rows, k=2, m=1, hierarchy=TREE, siblings="best").saved_recoding
    assert january.groups == {"lager or stout": ("lager", "stout")}
    february = [*rows, ["porter"]]
    with pytest.raises(RecodingFails, match=r"\{porter\} is in 1 record"):  # it is in no group of the first release
        shoal.apply(january, february, hierarchy=larger)
    second = shoal.apply(january, february, hierarchy=larger, repair=True).saved_recoding
    (group,) = (label for label, some in second.groups.items() if "porter" in some)
    assert second.groups[group] == ("lager", "porter", "stout")
    assert shoal.apply(second, [["porter"], ["ale"], ["ale"], ["lager"]]).data == [[group], ["ale"], ["ale"], [group]]


def test_a_repair_may_remove_items_that_are_new() -> None:
    rows = [["ale", "ale"], ["ale"], ["rye"], ["rye"], ["rye", "rye", "bun"], ["bun"]]
    first = shoal.anonymize(rows, k=2, m=1, hierarchy=TREE, multiset=True, algorithm="mm").saved_recoding
    second = shoal.apply(first, [*rows, ["stout"] * 5], repair=True)
    assert "stout*5" in second.saved_recoding.suppressed
    assert second.data[-1] == []
    assert shoal.apply(second.saved_recoding, [["stout"] * 5, ["rye"], ["rye"]]).data == [[], ["rye*1"], ["rye*1"]]


def test_a_new_item_cannot_take_the_name_of_a_group() -> None:
    rows = [["ale"], ["ale"], ["stout"], ["lager"], ["rye"], ["rye"]]
    first = shoal.anonymize(rows, k=2, m=1, hierarchy=TREE, siblings="best").saved_recoding
    clash = [*rows, ["lager or stout"], ["lager or stout"]]
    with pytest.raises(HierarchyError, match=r"'lager or stout' is a new label .* rename the new label"):
        shoal.apply(first, clash, unknown_items="root")
    second = shoal.apply(first, [["ale"], ["stout"], ["rye"], ["rye"]], repair=True).saved_recoding
    assert "lager or stout" in second.retired
    with pytest.raises(HierarchyError, match=r"'lager or stout' is a new label .* or once used it"):
        shoal.apply(second, clash, unknown_items="root")
    with pytest.raises(DataError, match=r"Item 'beer' .* is a group"):
        shoal.apply(first, [["beer"], ["beer"]], unknown_items="root")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ale": "bread"}, "'ale' is below 'bread' there, but below 'beer' in the recoding"),
        ({"new ale": "ale"}, "'ale' is a group there, but an item in the recoding"),
        ({"ALL": "more", "more": None}, "'ALL' is below 'more' there, but its root in the recoding"),
    ],
)
def test_another_hierarchy_is_refused(change: dict[str, str | None], message: str) -> None:
    other = shoal.Hierarchy.from_parents({**TREE.parents_by_label(), **change}, "other.csv")
    with pytest.raises(HierarchyError, match=rf"other\.csv is another hierarchy than that of .*{message}"):
        shoal.apply(saved(), JANUARY, hierarchy=other)


def test_a_hierarchy_without_a_group_is_refused_and_without_an_item_completed() -> None:
    parents = TREE.parents_by_label()
    flat = {label: "ALL" if parent else None for label, parent in parents.items() if label != "beer"}
    with pytest.raises(HierarchyError, match=r"it lacks the group 'beer'|is below 'ALL' there"):
        shoal.apply(saved(), JANUARY, hierarchy=shoal.Hierarchy.from_parents(flat))
    less = {label: parent for label, parent in parents.items() if label != "stout"}
    release = shoal.apply(saved(), JANUARY, hierarchy=shoal.Hierarchy.from_parents(less))
    assert release.published.rows.sets()[1] == {"beer", "rye"}


def test_new_counts_of_an_item_stand_below_it() -> None:
    rows = [["ale", "ale"], ["ale"], ["ale", "ale", "ale"], ["rye"], ["rye"]]
    first = shoal.anonymize(rows, k=2, m=1, hierarchy=TREE, multiset=True, algorithm="optimal")
    assert first.saved_recoding.raised == ("ale",)
    second = shoal.apply(first.saved_recoding, [["ale"] * 7, ["ale"], ["rye"], ["rye"]])
    assert second.published.rows.sets() == [{"ale"}, {"ale"}, {"rye*1"}, {"rye*1"}]


def test_items_that_were_removed_stay_removed() -> None:
    rows = [["a", "b"], ["a", "b"], ["a", "c"], ["b"]]
    first = shoal.anonymize(rows, k=2, m=2, algorithm="mm").saved_recoding
    assert first.suppressed == ("c",)
    assert shoal.apply(first, [["a", "b"], ["a", "b", "c"], ["c"], ["c"]]).data == [["a", "b"], ["a", "b"], [], []]
    second = shoal.apply(first, [["a", "b"], ["a", "c"], ["c"], ["c"]], repair=True)
    assert set(second.saved_recoding.suppressed) == {"b", "c"}


# -- tables


def table(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, "utf-8")
    return folder / name


def test_columns_keep_their_roles_and_new_ones_are_left_out(tmp_path: Path) -> None:
    people = "Ann,north,ale|rye\nBob,south,stout|rye\nCy,north,ale|rye\nDi,east,lager|rye\n"
    january = table(tmp_path, "jan.csv", f"name,shop,things\n{people}")
    first = shoal.anonymize(january, k=2, m=2, hierarchy=TREE, sets="things", identifiers="name", plain="shop")
    first.save(tmp_path / "out.csv", recoding=tmp_path / "r.json")
    february = table(tmp_path, "feb.csv", "name,phone,shop,things\n" + "Eve,12,north,ale|rye\nFay,45,south,ale|rye\n")
    second = shoal.apply(tmp_path / "r.json", february)
    second.save(tmp_path / "out2.csv")
    assert (tmp_path / "out2.csv").read_text("utf-8").splitlines()[0] == "shop,things"
    assert any("left out: name, phone" in note for note in second.notes)
    less = table(tmp_path, "mar.csv", "things\nale|rye\nale|rye\n")
    with pytest.raises(DataError, match="No column 'shop'"):
        shoal.apply(tmp_path / "r.json", less)


def test_rows_of_items_and_persons_are_read_as_before(tmp_path: Path) -> None:
    rows = "who,basket,thing\n" + "".join(
        f"{who},{who}{turn},{thing}\n"
        for who, turn, thing in [
            (1, 1, "ale"),
            (1, 2, "ale"),
            (2, 1, "stout"),
            (3, 1, "rye"),
            (3, 2, "rye"),
            (4, 1, "rye"),
        ]
    )
    january = table(tmp_path, "jan.csv", rows)
    first = shoal.anonymize(january, k=2, m=1, hierarchy=TREE, id_column="basket", item_column="thing", person="who")
    first.save(tmp_path / "one.csv", recoding=tmp_path / "r.json")
    again = shoal.apply(tmp_path / "r.json", january)
    again.save(tmp_path / "two.csv")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert again.problem.persons is not None
    alone = table(tmp_path, "feb.csv", rows.replace("2,21,stout", "1,13,stout"))
    with pytest.raises(RecodingFails, match="person"):
        shoal.apply(tmp_path / "r.json", alone)


def test_sensitive_items_are_kept_and_counted() -> None:
    rows = [["ale", "rye", "flu"], ["ale", "rye"], ["stout", "rye"], ["stout", "bun"], ["ale", "bun"], ["stout", "bun"]]
    model = shoal.Lm(l=2, m=1, sensitive=("flu",))
    first = shoal.anonymize(rows, model, hierarchy=TREE)
    again = shoal.apply(first.saved_recoding, rows)
    assert again.dataset.transactions.sets() == first.dataset.transactions.sets()
    with pytest.raises(OptionError, match="Sensitive 'flu' is not in the data"):
        shoal.apply(first.saved_recoding, rows[1:])
    assert shoal.apply(first.saved_recoding, rows[1:], allow_missing=True).verdict.holds


# -- what cannot be done


@pytest.mark.parametrize(("algorithm", "model"), [("lra", "km"), ("partition", "transactional-k")])
def test_recodings_of_rows_cannot_be_saved(algorithm: str, model: str, tmp_path: Path) -> None:
    release = shoal.anonymize(JANUARY, model, k=2, hierarchy=TREE, algorithm=algorithm)
    with pytest.raises(OptionError, match=f"{algorithm} changes records in different ways"):
        release.save(tmp_path / "out.jsonl", recoding=tmp_path / "r.json")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_recoding_is_refused() -> None:
    with pytest.raises(OptionError, match=r"recoding must be a file, or release\.saved_recoding, got int"):
        shoal.apply(3, JANUARY)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="sets= is for reading"):
        shoal.apply(saved(), shoal.read(JANUARY), sets="x")


def test_data_on_a_cluster_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.jobs.apply.is_dask_frame", lambda data: data is JANUARY)
    with pytest.raises(OptionError, match=r"the data are a Dask DataFrame: pass data\.compute\(\)"):
        shoal.apply(saved(), JANUARY)


# -- jobs


@pytest.mark.parametrize(
    ("earlier", "told"),
    [
        (None, "This is one release, which was not compared with others."),
        ((), "It is the first release of a series. Later releases are checked together with it."),
        (("MAY",), "It is release 2 of a series. It was checked together with the earlier release"),
        (("MAY", "JUNE", "JULY"), "It is release 4 of a series. It was checked together with the 3 earlier releases"),
        (tuple(f"DAY{at}" for at in range(99)), "It is release 100 of a series. It was checked together with the 99"),
    ],
)
def test_reports_say_with_which_releases_of_a_series_one_was_compared(
    tmp_path: Path, earlier: tuple[str, ...] | None, told: str
) -> None:
    names = ("internal.html", "internal.md", "internal.json", "public.html", "public.md", "public.json")
    paths = [tmp_path / name for name in names]
    job = ApplyJob.of(
        saved(),
        spec_for(saved(), JANUARY),
        output=tmp_path / "out.jsonl",
        reports=tuple(paths[:3]),
        public_reports=tuple(paths[3:]),
        compared_with=earlier,
    )
    job.run()
    for path in paths:
        text = html.unescape(path.read_text("utf-8"))
        assert told in text, path
        assert (earlier is None) == ("No other release was looked at" in text) == ("not compared" in text)
        assert (earlier is None) == ("or who have another release of the same data." in text)
        assert (earlier is not None) == ("No release outside the series was looked at" in text)
        internal = path.name.startswith("internal")
        for name in (earlier or ())[:1] + (earlier or ())[-1:]:
            assert (name in text) == internal, path
        assert ("shoal series check" in text) == (internal and bool(earlier))
        assert "DAY50" not in text  # long lists are cut
