"""Step 5 of the workbench: what a run will do, its progress, and the list of runs.

Covers: shoal.web.outputs
"""

from __future__ import annotations

import pytest

from shoal.errors import OptionError
from shoal.web import outputs
from shoal.web.draft import TABLES, Draft


def draft_of(**tables: dict[str, object]) -> Draft:
    """A draft with some tables."""
    return Draft({**{name: {} for name in TABLES}, "data": {"file": "inputs/a.csv"}, **tables})


@pytest.mark.parametrize(
    ("source", "name"), [("a.basket", "basket"), ("a.dat.gz", "dat.gz"), ("a b.Parquet", "parquet"), ("x.txt", "txt")]
)
def test_a_release_has_the_format_and_compression_of_its_input(source: str, name: str) -> None:
    assert outputs.release_name(f"inputs/{source}") == f"release.{name}"


def test_a_run_writes_what_its_choices_allow() -> None:
    plain = outputs.wanted(draft_of(output={"format": "jsonl"}), proof=True)
    assert (plain["file"], plain["certificate"]) == ("release.jsonl", "certificate.json")
    assert plain["proof"] == "proof.json"
    assert "persons" not in plain
    one = draft_of(data={"file": "inputs/a.csv", "person": "id"}, model={"name": "k-anonymity", "k": 2})
    told = outputs.wanted(one, certificate=False, proof=True)
    assert told["persons"] == "persons.txt"
    assert not {"certificate", "proof"} & set(told)
    assert outputs.is_internal("persons.txt")
    assert not outputs.is_internal("public.html")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(OptionError, match="must be one of"):
        outputs.wanted(draft_of(output={"format": "exe"}))
