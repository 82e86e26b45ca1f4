"""The proof as a file: written for its owner, and read strictly."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from shoal.errors import DataError, HierarchyError
from shoal.evidence.proof.document import Proof
from tests.evidence.proof.golden import PROOF

SCHEMA = Path(__file__).parents[3] / "docs" / "reference" / "json" / "proof.json"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    PROOF.save(tmp_path / "proof.json")
    return tmp_path / "proof.json"


def test_it_comes_back_and_starts_with_a_warning(file: Path) -> None:
    assert Proof.load(file) == PROOF
    text = file.read_text(encoding="utf-8")
    assert next(iter(json.loads(text))) == "do_not_publish"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "a1" not in repr(PROOF)


def test_it_is_as_the_schema_says(file: Path) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    document = json.loads(file.read_text(encoding="utf-8"))
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    assert set(schema["required"]) == set(schema["properties"]) == set(document)
    assert document["schema"] == schema["title"] == "shoal/proof/1"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("shoal/proof/1", "shoal/proof/2", "its schema is 'shoal/proof/2', and this version of Shoal checks"),
        ('"km"', '"lm"', "its model is 'lm', and only proofs about km"),
        ('"records"', '"rows"', "'counted' is neither records nor persons"),
        ('"lower_bound": 10', '"lower_bound": 10.0', "'lower_bound' is not a whole number"),
        ('"lower_bound": 10', '"lower_bound": true', "'lower_bound' is not a whole number"),
        ('"lower_bound": 10', '"lower_bound": NaN', "the number NaN"),
        ('"lower_bound": 10', f'"lower_bound": {2**63}', "'lower_bound' is not a whole number"),
        ('"lower_bound": 10', f'"lower_bound": {"9" * 5000}', "a number of 5,000 digits"),
        ('"lower_bound": 10', '"lower_bound": 10, "lower_bound": 9', "the key '.*' twice"),
        ('"support": 1', '"support": 1, "support": 1', "the key '.*' twice"),
        ('"lower_bound"', '"upper_bound"', "it has no 'lower_bound'"),
        ('"m": 2', '"m": "some"', "'m' is not a whole number"),
        ('"nodes": [0, 1]', '"nodes": [0, "a2"]', "'nodes' is not a list of whole numbers"),
        ('[{"nodes": [0, 1], "support": 1}]', "[7]", "'rare_sets' is not a list of objects"),
        ('"labels": ["a1"', '"labels": [1', "'labels' is not a list of texts"),
        ('"model": {"name": "km", "k": 2, "m": 2}', '"model": []', "wanted an object"),
        ("\n}\n", "\n", "this is not JSON"),
        ("{\n", "[" * 100_000, "nested more than 32 levels"),
    ],
)
def test_a_file_that_is_no_proof_is_refused(file: Path, old: str, new: str, why: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(DataError, match=why):
        Proof.load(file)


def test_every_shortened_file_is_refused(file: Path) -> None:
    text = file.read_text(encoding="utf-8").rstrip("\n")
    for end in range(0, len(text), 7):
        file.write_text(text[:end], encoding="utf-8")
        with pytest.raises(DataError, match="proof"):
            Proof.load(file)


def test_m_may_be_all(tmp_path: Path) -> None:
    values: dict[str, Any] = {**PROOF.as_dict(), "model": {"name": "km", "k": 2, "m": "all"}}
    (tmp_path / "p.json").write_text(json.dumps(values), encoding="utf-8")
    assert Proof.load(tmp_path / "p.json").m == "all"


def test_its_hierarchy_is_that_of_the_nodes() -> None:
    assert PROOF.hierarchy.span.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [0, 2], [2, 4], [0, 4]]
    with pytest.raises(HierarchyError):
        _ = replace(PROOF, parents=(5, 5, 4, 4, 6, 6, -1)).hierarchy  # not in depth-first order
