"""Series keep their promise together, or refuse a release.

Covers: series/publishing.py, series/stored.py, series/check.py, series/wording.py, series/document.py, series/ids.py,
series/added.py.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.data.recoding_notes import RecodingRepaired
from shoal.errors import DataError, Infeasible, OptionError, OutputError, SeriesBroken
from shoal.files.lock import exclusive_lock
from shoal.hierarchies import balanced
from shoal.release.release import Release
from shoal.series import Series
from tests.series.shops import BASKETS, FEBRUARY, OPTIONS, TREE, drawn, files_in, start, table

# -- the rule "same recoding"


def test_a_series_keeps_published_files_recodings_and_certificates_but_no_original_data(tmp_path: Path) -> None:
    series = start(tmp_path)
    series = series.add("feb", table(tmp_path / "feb.csv", 100))
    assert files_in(tmp_path / "shop") == {
        "series.json",
        "private/secret.key",
        *(f"{name}/{file}" for name in ("jan", "feb") for file in (f"{name}.csv", "certificate.json")),
        *(f"private/{name}/{file}" for name in ("jan", "feb") for file in ("ids.csv", "recoding.json")),
    }
    assert stat.S_IMODE((tmp_path / "shop/private").stat().st_mode) == 0o700
    for name in ("series.json", "private/secret.key", "private/jan/ids.csv", "private/jan/recoding.json"):
        assert stat.S_IMODE((tmp_path / "shop" / name).stat().st_mode) == 0o600
    assert (tmp_path / "shop/feb/feb.csv").read_text("utf-8").splitlines()[:2] == ["items", "beer|rye"]
    assert series == Series.open(tmp_path / "shop")
    for one in series.releases:
        assert shoal.verify_certificate(one.path, one.folder / "certificate.json").holds
        assert "ale|rye" not in one.path.read_text("utf-8")
        assert len(set(one.ids.records or ())) == len(BASKETS)
    result = series.check()
    assert result.holds
    assert [group.releases for group in result.linked[0].groups] == [("jan",), ("feb",)]


def test_a_later_release_may_only_group_more(tmp_path: Path) -> None:
    series = start(tmp_path)
    assert series.releases[0].recoding.raised == ("beer",)
    series = series.add("feb", table(tmp_path / "feb.csv", 100, ["ale|rye", "stout|rye", "ale|bun", "fig", "fig"]))
    assert series.releases[1].recoding.raised == ("beer", "bread")
    series = series.add("mar", table(tmp_path / "mar.csv", 200))
    assert series.releases[2].recoding.raised == ("beer", "bread")
    assert series.check().holds


def test_the_same_data_again_tell_nothing_new(tmp_path: Path) -> None:
    series = start(tmp_path).add("again", tmp_path / "jan.csv")
    assert (tmp_path / "shop/again/again.csv").read_bytes() == (tmp_path / "shop/jan/jan.csv").read_bytes()
    (linking,) = series.check().linked
    (group,) = linking.groups
    assert (group.holds, group.recovered_alone, group.recovered) == (True, group.recovered, group.recovered_alone)


def test_a_few_new_records_are_refused_and_hidden_on_demand(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    series = start(tmp_path)
    grown = table(tmp_path / "grown.csv", 0, [*BASKETS, "ale|rye", "lager|bun"])
    before = files_in(tmp_path / "shop")
    with pytest.raises(
        SeriesBroken, match=r"2 records are in feb only.*smallest crowd is 1 record.*Wait until"
    ) as caught:
        series.add("feb", grown)
    assert caught.value.exit_code == 1
    assert not caught.value.found.holds
    assert files_in(tmp_path / "shop") == before
    assert not (tmp_path / "shop/feb").exists()
    hidden = series.add("feb", grown, hide_new=True)
    assert hidden.check().holds
    assert hidden.releases[1].recoding.raised == ("beer", "bread")
    assert "The recoding was repaired" in caplog.text
    with pytest.raises(OptionError, match="k= cannot be chosen again"):
        hidden.add("mar", grown, k=3)


def test_records_that_left_are_refused(tmp_path: Path) -> None:
    series = start(tmp_path)
    with pytest.raises(SeriesBroken, match=r"8 records are in jan and feb.*Keep in feb all records that were"):
        series.add("feb", table(tmp_path / "less.csv", 0, BASKETS[:-1]))
    assert series.check().holds


def test_new_records_that_cannot_be_hidden_are_refused(tmp_path: Path) -> None:
    series = start(tmp_path)
    with pytest.raises(Infeasible):
        series.add("feb", table(tmp_path / "grown.csv", 0, [*BASKETS, "ale"]), hide_new=True)


# -- the rule "new records"


def test_records_that_were_published_before_are_left_out(tmp_path: Path) -> None:
    series = start(tmp_path, rule="new-records")
    both = table(tmp_path / "both.csv", 5, [*BASKETS[5:], *FEBRUARY])
    series = series.add("feb", both)
    assert series.releases[1].entry.records == len(FEBRUARY)
    assert series.check().holds
    with pytest.raises(DataError, match=r"both\.csv holds no new record: .* of all 13 were"):
        series.add("mar", both)


def test_without_ids_the_owner_must_state_that_records_are_new(tmp_path: Path) -> None:
    series = start(tmp_path, rule="new-records", record_id=None, columns="none")
    data = table(tmp_path / "feb.csv", 100, FEBRUARY)
    with pytest.raises(OptionError, match="pass assume_new=True"):
        series.add("feb", data)
    assert series.add("feb", data, assume_new=True).releases[1].entry.stated_new


@pytest.mark.parametrize("shuffled", [False, True])
def test_the_same_records_under_two_hierarchies_are_found_and_refused(tmp_path: Path, shuffled: bool) -> None:
    rng = np.random.default_rng(1)
    items = [f"i{number:02}" for number in range(30)]
    rows = [sorted(set(rng.choice(items, rng.integers(3, 6)).tolist())) for _ in range(400)]
    again = [rows[at] for at in rng.permutation(len(rows))] if shuffled else rows
    trees = [
        shoal.Hierarchy.from_tree({"ALL": {f"{name}{at}": order[2 * at : 2 * at + 2] for at in range(15)}})
        for name, order in (("x", items), ("y", [*items[1:], items[0]]))
    ]
    options: dict[str, Any] = {"k": 70, "m": 1, "algorithm": "optimal"}
    series = Series.start(tmp_path / "s", "one", rows, rule="new-records", hierarchy=trees[0], **options)
    assert len(series.releases[0].recoding.raised) == 15
    with pytest.raises(SeriesBroken) as caught:
        series.add("two", again, hierarchy=trees[1], assume_new=True)
    found = caught.value.found
    if shuffled:
        assert "two holds the records of one again, in another order" in str(caught.value)
    else:
        (group,) = found.linked[0].groups
        assert "two holds the records of one at the same places" in str(caught.value)
        assert group.recovered_alone == 0 < (group.recovered or 0)
    assert len(Series.open(tmp_path / "s").releases) == 1


# -- what links records


def test_a_published_pseudonym_links_records_and_persons(tmp_path: Path) -> None:
    cards = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"]
    jan = table(tmp_path / "jan.csv", 0, card=cards)
    series = Series.start(tmp_path / "shop", "jan", jan, **{**OPTIONS, "record_id": "basket"})
    series = series.add("feb", table(tmp_path / "feb.csv", 100, BASKETS[::-1], card=cards[1:] + cards[:1]))
    linked = series.check(link="card").linked[0]
    assert (linked.by, linked.persons) == ("card", False)
    assert any(group.changed for group in linked.groups)
    records, persons = series.add("mar", table(tmp_path / "mar.csv", 200, card=["c1"] * 9)).check(link=["card"]).linked
    assert (records.persons, persons.persons, persons.holds) == (False, True, False)
    with pytest.raises(DataError, match="No column 'phone'"):
        series.check(link="phone")


def test_rows_at_the_same_place_are_the_same_records_if_they_fit(tmp_path: Path) -> None:
    series = Series.start(tmp_path / "s", "jan", drawn(1, 80), k=2, m=1)
    series = series.add("feb", [*drawn(1, 80), *drawn(1, 80)])
    (linking,) = series.check().linked
    assert linking.by == "position"
    assert {group.releases: group.records for group in linking.groups} == {("jan", "feb"): 80, ("feb",): 80}
    assert series.check(link="position").linked == series.check().linked
    assert len(series.check(link="none").matched) == 1


@pytest.mark.parametrize("rule", ["same-recoding", "new-records"])
def test_new_items_without_a_place_can_be_read_back(tmp_path: Path, rule: Any) -> None:
    later = [[item.replace("i03", "i99") for item in row] for row in drawn(2, 80)]
    options: dict[str, Any] = {"k": 2, "m": 1, "rule": rule}
    more: dict[str, Any] = {"assume_new": True} if rule == "new-records" else {"unknown_items": "root"}
    series = Series.start(tmp_path / "s", "jan", drawn(1, 80), **options).add("feb", later, **more)
    assert "i99" in series.releases[1].source.published.rows.labels
    assert series.check().holds
    given = Series.start(tmp_path / "t", "jan", [["ale"], ["ale"], ["rye"], ["rye"]], hierarchy=TREE, **options)
    more["unknown_items"] = "root"
    assert given.add("feb", [["new"], ["new"], ["rye"], ["rye"]], **more).check().holds


def test_persons_are_counted_and_kept_as_hashes(tmp_path: Path) -> None:
    baskets = ["ale|rye", "ale|rye", "stout|rye", "stout|rye", "fig", "fig", "fig"]
    who = ["ann", "bob", "cy", "di", "ann", "bob", "cy"]
    series = Series.start(
        tmp_path / "shop",
        "jan",
        table(tmp_path / "jan.csv", 0, baskets, who=who),
        **{**OPTIONS, "record_id": "basket", "person": "who"},
    )
    series = series.add("feb", table(tmp_path / "feb.csv", 50, baskets, who=who))
    result = series.check()
    assert [one.persons for one in result.releases] == [4, 4]
    assert [group.persons for group in result.linked[0].groups] == [4, 4]
    assert "persons with a record that fits" in result.promise
    assert "ann" not in (tmp_path / "shop/private/jan/ids.csv").read_text("utf-8")
    first, second = (one.ids.persons or () for one in series.releases)
    assert set(first) == set(second)
    with pytest.raises(SeriesBroken, match="2 records are in mar only"):
        series.add("mar", table(tmp_path / "mar.csv", 50, [*baskets, "fig", "fig"], who=[*who, "ann", "ann"]))


@pytest.mark.parametrize("suffix", [".basket", ".dat", ".jsonl", ".basket.gz"])
def test_formats_without_columns_are_read_back(tmp_path: Path, suffix: str) -> None:
    rows = [*drawn(1, 80), []]
    if suffix == ".dat":
        rows = [[item[1:] for item in row] for row in rows]
    jan = tmp_path / f"jan{suffix}"
    shoal.write(shoal.read(rows), jan)
    series = Series.start(tmp_path / "s", "jan", jan, k=2, m=2, algorithm="auto").add("feb", jan)
    result = series.check()
    assert result.holds
    assert result.linked[0].groups[0].records == series.releases[0].entry.records


@pytest.mark.parametrize("algorithm", ["mhghs", "optimal-suppress", "auto"])
def test_removed_items_may_be_in_every_record(tmp_path: Path, algorithm: str) -> None:
    rows = [["a", "b"], ["a", "b"], ["a", "c"], ["b"], ["d", "e"], ["d"]]
    series = Series.start(tmp_path / "s", "one", rows, k=2, m=2, algorithm=algorithm).add("two", rows)
    assert series.check().holds


# -- what is refused


def test_wrong_calls_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    data = table(tmp_path / "jan.csv")
    for options, message in (
        ({"rule": "free"}, "rule must be one of same-recoding, new-records"),
        ({"algorithm": "lra"}, "lra does not: choose one that does, or another model"),
        ({"record_id": "bascet"}, r"record_id=: jan.csv has no column 'bascet' \(did you mean 'basket'\?\)"),
        ({"record_id": "items"}, "holds the items, so it cannot be the record id column"),
        ({"plain": "basket"}, "so it cannot be a plain column"),
    ):
        with pytest.raises((OptionError, DataError), match=message):
            Series.start(tmp_path / "shop", "jan", data, **{**OPTIONS, "record_id": "basket", **options})
        assert not (tmp_path / "shop").exists()
    for name in ("../x", "", ".hidden", "a/b", "series.json", "x" * 65):
        with pytest.raises(OptionError, match="A release cannot be called"):
            Series.start(tmp_path / "shop", name, data, **OPTIONS)
    series = start(tmp_path)
    with pytest.raises(OutputError, match="holds a series already"):
        start(tmp_path)
    with pytest.raises(OutputError, match="has a release 'jan' already"):
        series.add("jan", data)
    with pytest.raises(OptionError, match=r"assume_new= is for a series of new records"):
        series.add("feb", data, assume_new=True)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").write_text("x", "utf-8")
    with pytest.raises(OutputError, match="is not an empty folder"):
        Series.start(tmp_path / "full", "jan", data, **OPTIONS)
    with pytest.raises(OptionError, match="hide_new= is for"):
        Series.start(tmp_path / "t", "jan", data, **OPTIONS).add("feb", data, hide_new=True)
    with pytest.raises(shoal.errors.HierarchyError, match="is another hierarchy"):
        series.add("feb", data, hierarchy=balanced(TREE.items, fanout=2))


def test_ids_must_be_there_and_different(tmp_path: Path) -> None:
    for ids, message in (
        (["1", "1"], "line 3: the id in column 'basket' is also that of line 2"),
        (["1", " "], "line 3: .* empty"),
    ):
        path = tmp_path / "bad.csv"
        path.write_text("basket,items\n" + "".join(f"{one},ale\n" for one in ids), "utf-8")
        with pytest.raises(DataError, match=message):
            Series.start(tmp_path / "s", "jan", path, **{**OPTIONS, "m": 1, "record_id": "basket"})


def test_a_series_in_use_is_left_alone(tmp_path: Path) -> None:
    series = start(tmp_path)
    with exclusive_lock(tmp_path / "shop", "busy"), pytest.raises(OutputError, match="in use by another run"):
        series.add("feb", tmp_path / "jan.csv")
    series.add("feb", table(tmp_path / "feb.csv", 100))
    with pytest.raises(OutputError, match="got another release in the meantime"):
        series.add("mar", table(tmp_path / "mar.csv", 200))


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("jan/jan.csv", lambda text: text.replace("fig", "figs"), "is not the file that was published as 'jan'"),
        ("jan/jan.csv", None, "is missing, the published file of 'jan'"),
        ("private/jan/recoding.json", lambda text: text.replace("beer", "been"), "was changed after Shoal wrote it"),
        ("private/jan/ids.csv", lambda text: text.replace("a", "b"), "was changed after Shoal wrote it"),
        ("jan/certificate.json", lambda text: text[:40], "The certificate of 'jan' in .* cannot be read"),
        ("jan/certificate.json", None, "is missing, the certificate of 'jan'"),
        ("series.json", lambda text: text.replace("jan", "feb"), "changed after Shoal wrote it"),
        ("series.json", lambda text: text.replace("series:1", "series:2"), "of another kind or version"),
        ("series.json", None, "is no series: it has no series.json"),
    ],
)
def test_damaged_series_are_refused(tmp_path: Path, file: str, change: Any, message: str) -> None:
    series = start(tmp_path)
    path = tmp_path / "shop" / file
    path.unlink() if change is None else path.write_text(change(path.read_text("utf-8")), "utf-8")
    with pytest.raises(DataError, match=message) as caught:
        Series.open(tmp_path / "shop").check()
    assert caught.value.exit_code == 2
    if file == "jan/jan.csv":
        with pytest.raises(DataError):
            series.add("feb", table(tmp_path / "feb.csv", 100))
        assert not (tmp_path / "shop/feb").exists()


def test_reports_say_that_releases_were_put_together(tmp_path: Path) -> None:
    start(tmp_path)
    job = Series.open(tmp_path / "shop").next_job(table(tmp_path / "feb.csv", 100), {}, reports=(tmp_path / "r.md",))
    Series.open(tmp_path / "shop").add_with("feb", job)
    text = (tmp_path / "r.md").read_text("utf-8")
    assert "not compared with others" not in text
    assert "series" in text


def test_an_interrupted_search_publishes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    series = start(tmp_path)
    note = RecodingRepaired(1, 0, False, "interrupted")
    monkeypatch.setattr(Release, "note_values", (note,))
    with pytest.raises(KeyboardInterrupt):
        series.add("feb", table(tmp_path / "feb.csv", 100))
    assert not (tmp_path / "shop/feb").exists()
    assert not (tmp_path / "shop/private/feb").exists()
    assert Series.open(tmp_path / "shop") == series


def test_a_wrong_secret_is_refused(tmp_path: Path) -> None:
    series = start(tmp_path)
    key = tmp_path / "shop/private/secret.key"
    for text, message in (("abc\n", "is no key of a series"), ("00" * 32, "is the key of another series")):
        key.write_text(text, "utf-8")
        with pytest.raises(DataError, match=message):
            series.add("feb", table(tmp_path / "feb.csv", 100))
    key.unlink()
    with pytest.raises(DataError, match="is missing, the key of the ids of this series: put it back"):
        series.add("feb", table(tmp_path / "feb.csv", 100))


def test_the_list_is_plain_json(tmp_path: Path) -> None:
    start(tmp_path)
    told = json.loads((tmp_path / "shop/series.json").read_text("utf-8"))
    assert told["type"] == "urn:shoal:series:1"
    (release,) = told["releases"]
    assert release.pop("ids") is not None
    assert told["releases"] == [{"name": "jan", "file": "jan.csv", "records": 9, "stated_new": False}]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    series = start(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "shop/feb").symlink_to(tmp_path / "out")
    with pytest.raises(OutputError, match="is not an empty folder"):
        series.add("feb", table(tmp_path / "feb.csv", 100))
    assert list((tmp_path / "out").iterdir()) == []
