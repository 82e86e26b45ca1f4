"""Next month's data come in another format, or lack what the earlier release had."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.errors import DataError, OptionError
from shoal.io.read_options import ReadOptions
from shoal.jobs.apply import spec_for
from shoal.jobs.next_data import inherited

TREE = shoal.Hierarchy.from_tree({"ALL": {"beer": ["ale", "stout", "lager"], "bread": ["rye", "bun"]}})
ROWS = [["ale", "rye"], ["stout", "rye"], ["ale", "rye"], ["lager", "bun"], ["ale", "bun"]]
PUBLISHED = [{"beer", one[1]} for one in ROWS]
Write = Callable[[Path], Any]


def wide(path: Path) -> None:
    path.write_text("items\n" + "".join("|".join(row) + "\n" for row in ROWS), "utf-8")


def semicolons(path: Path) -> None:
    path.write_text("items;n\n" + "".join(f"{'|'.join(row)};1\n" for row in ROWS), "utf-8")


def long(path: Path) -> None:
    lines = [f"{at},{item}\n" for at, row in enumerate(ROWS) for item in row]
    path.write_text("receipt,item\n" + "".join(lines), "utf-8")


def basket(path: Path) -> None:
    path.write_text("".join(",".join(row) + "\n" for row in ROWS), "utf-8")


def tokens(path: Path) -> None:
    path.write_text("".join(" ".join(row) + "\n" for row in ROWS), "utf-8")


def jsonl(path: Path) -> None:
    path.write_text("".join(json.dumps({"items": row}) + "\n" for row in ROWS), "utf-8")


def parquet(path: Path) -> None:
    pq.write_table(pa.table({"items": ROWS}), path)


FILES: dict[str, tuple[str, Write, dict[str, Any]]] = {
    "wide": ("wide.csv", wide, {"sets": "items", "item_delimiter": "|", "header": True}),
    "wide, with its format": ("wide.csv", wide, {"sets": "items", "format": "csv", "delimiter": ","}),
    "semicolons": ("semi.csv", semicolons, {"sets": "items", "delimiter": ";"}),
    "long": ("long.csv", long, {"id_column": "receipt", "item_column": "item", "drop_null_items": True}),
    "basket": ("in.basket", basket, {"delimiter": ","}),
    "fimi": ("in.dat", tokens, {"format": "fimi"}),
    "json lines": ("in.jsonl", jsonl, {"sets": "items", "format": "jsonl"}),
    "parquet": ("in.parquet", parquet, {"sets": "items", "format": "parquet"}),
}
SAID = {
    "wide, with its format": ("format", "sets"),
    "long": ("id_column", "item_column"),
    "fimi": ("format",),
}  # what a user says of the next data


@pytest.mark.parametrize("first", FILES)
def test_any_format_can_follow_any_other(tmp_path: Path, first: str) -> None:
    """And data in memory can. Users pass nothing but what says where the sets are."""
    for name, write, _ in FILES.values():
        write(tmp_path / name)
    name, _, reading = FILES[first]
    release = shoal.anonymize(tmp_path / name, k=2, m=2, hierarchy=TREE, algorithm="optimal", columns="none", **reading)
    release.save(tmp_path / "out.jsonl", recoding=tmp_path / "r.json")
    assert [set(row) for row in release.dataset.transactions.sets()] == PUBLISHED
    for other, (name, _, options) in FILES.items():
        said: dict[str, Any] = {one: options[one] for one in SAID.get(other, ("sets",)) if one in options}
        if name.endswith(".csv") and "semicolons" in (first, other):
            said["delimiter"] = ";" if other == "semicolons" else ","
        again = shoal.apply(tmp_path / "r.json", tmp_path / name, **said)
        assert [set(row) for row in again.dataset.transactions.sets()] == PUBLISHED, other
        assert again.saved_recoding.raised == release.saved_recoding.raised
    frame = pd.DataFrame({"items": ROWS})
    for data in (ROWS, frame, frame["items"], pa.array(ROWS)):
        where: dict[str, Any] = {"sets": "items"} if data is frame else {}
        again = shoal.apply(tmp_path / "r.json", data, **where)
        assert [set(row) for row in again.dataset.transactions.sets()] == PUBLISHED


def test_options_that_fit_stay(tmp_path: Path) -> None:
    """What says which records and items are meant is never dropped, and a format that a name does not deny stays."""
    wide(tmp_path / "x.csv")
    release = shoal.anonymize(tmp_path / "x.csv", k=2, m=2, sets="items", item_delimiter="|", drop_items=["bun"])
    saved = release.saved_recoding

    def taken(name: str, reading: dict[str, Any], **given: Any) -> dict[str, Any]:
        (tmp_path / name).write_text("a b\n", "utf-8")
        object.__setattr__(saved, "reading", reading)
        return inherited(saved, tmp_path / name, given)

    kept = {"person": "who", "where": "week <= 2", "drop_items": ("bun",), "multiset": True}
    assert taken("y.basket", {**kept, "sets": "items"}) == kept
    assert taken("y.basket", {"sets": ("a", "b")}) == {"sets": ("a", "b")}  # items have the names of their columns
    for name in ("y.csv", "y.txt", "y", "y.dat"):  # groceries.csv may well be a basket file
        assert taken(name, {"format": "basket"}) == {"format": "basket"}
    assert taken("y.dat", {"format": "csv", "header": True}) == {"format": "csv", "header": True}
    assert taken("y.jsonl", {"format": "csv", "header": True}) == {}
    assert taken("y.csv", {"format": "parquet", "sets": "a"}) == {"sets": "a"}
    assert taken("y.csv", {"format": "parquet", "sets": "a"}, format="basket") == {}
    assert taken("y.csv", {"format": "fimi"}, sets="a") == {}
    object.__setattr__(saved, "reading", {"format": "csv", "sets": "a"})
    assert inherited(saved, "nowhere.csv", {}) == saved.reading
    assert inherited(saved, "-", {}) == saved.reading


# -- what is missing


def people(path: Path, columns: dict[str, list[str]]) -> Path:
    table = {"items": ["|".join(row) for row in ROWS], **columns}
    pd.DataFrame(table).to_csv(path, index=False)
    return path


def test_a_missing_column_is_called_one_that_was_published(tmp_path: Path) -> None:
    first = people(tmp_path / "jan.csv", {"store_id": list("ababa")})
    saved = shoal.anonymize(first, k=2, m=2, sets="items", hierarchy=TREE).saved_recoding
    february = people(tmp_path / "feb.csv", {"stores": list("ababa")})
    with pytest.raises(DataError) as caught:
        shoal.apply(saved, february)
    assert str(caught.value) == (
        "No column 'store_id' (did you mean 'stores'?) in feb.csv, but the earlier release published it; other "
        "columns: 'stores'."
    )
    basket(tmp_path / "feb.basket")
    with pytest.raises(DataError, match=r"No column 'store_id' in feb.basket, but .* other columns: no columns\."):
        shoal.apply(saved, tmp_path / "feb.basket")


@pytest.mark.parametrize("used", ["as the items", "as a column"])
def test_a_join_that_is_missing_is_asked_for(tmp_path: Path, used: str) -> None:
    long(tmp_path / "jan.csv")
    names = {"ale": "beer", "stout": "beer", "lager": "beer", "rye": "bread", "bun": "bread"}
    (tmp_path / "types.csv").write_text("item,type\n" + "".join(f"{a},{b}\n" for a, b in names.items()), "utf-8")
    (tmp_path / "shops.csv").write_text("receipt,shop\n" + "".join(f"{at},north\n" for at in range(5)), "utf-8")
    file, column = ("types.csv:item", "type") if used == "as the items" else ("shops.csv:receipt", "item")
    join = f"{tmp_path / file}"
    release = shoal.anonymize(tmp_path / "jan.csv", k=2, m=2, id_column="receipt", item_column=column, join=join)
    release.save(tmp_path / "out.csv", recoding=tmp_path / "r.json")
    remedy = "The earlier release joined another table: repeat join= for these data."
    with pytest.raises((DataError, OptionError)) as caught:
        shoal.apply(tmp_path / "r.json", tmp_path / "jan.csv")
    assert str(caught.value).endswith(remedy)
    assert "no column" in str(caught.value)
    again = shoal.apply(tmp_path / "r.json", tmp_path / "jan.csv", join=join)
    assert again.dataset.transactions.sets() == release.dataset.transactions.sets()
    with pytest.raises(DataError) as caught:  # an error that has nothing to do with it
        shoal.apply(tmp_path / "r.json", tmp_path / "nowhere.csv")
    assert remedy not in str(caught.value)
    told = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert told["joined"] is True
    assert "types.csv" not in json.dumps(told["reading"])


def test_data_without_a_join_say_nothing_of_one(tmp_path: Path) -> None:
    wide(tmp_path / "in.csv")
    saved = shoal.anonymize(tmp_path / "in.csv", k=2, m=2, sets="items").saved_recoding
    assert not saved.joined
    with pytest.raises(DataError) as caught:
        spec_for(saved, tmp_path / "in.csv", reading=ReadOptions(sets="sets")).read_for_model()
    assert "joined another" not in str(caught.value)


# -- what is settled


@pytest.mark.parametrize("name", ["k", "l", "model", "algorithm", "time_limits", "siblings", "seed"])
def test_the_model_cannot_be_chosen_again(name: str) -> None:
    saved = shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE).saved_recoding
    wrong: dict[str, Any] = {name: 3}
    with pytest.raises(OptionError) as caught:
        shoal.apply(saved, ROWS, **wrong)
    settled = f"{name}= cannot be chosen again: the model and the method are those of the earlier release."
    assert (str(caught.value) == settled) == (name != "time_limits")
