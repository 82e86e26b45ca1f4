"""Certificates: their form, what foreign readers make of them, and that they leak nothing.

Covers: evidence/certificate.py, evidence/claims.py, evidence/envelope.py, evidence/statement.py,
report/public_notes.py, release/certifier.py.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import in_toto_attestation.v1.statement_pb2 as in_toto
import jsonschema
import pandas as pd
import pytest
from google.protobuf import json_format
from in_toto_attestation.v1.statement import Statement
from securesystemslib import dsse
from securesystemslib.signer import SSlibKey

import shoal
from shoal.data import notes, reading_notes
from shoal.data.note import Note
from shoal.errors import DataError, OptionError
from shoal.evidence.certificate import LARGEST, Certificate
from shoal.evidence.claims import Claims
from shoal.evidence.statement import PREDICATE, statement_of
from shoal.report import public_notes
from tests.evidence.worlds import BASKETS, KEY, OTHER_KEY, TREE, needles_of, release, release_with_needles, saved

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/reference/json/certificate.json").read_text(encoding="utf-8"))


def statement(path: Path) -> Any:
    """Read the statement of a certificate, by the standard library alone."""
    document = json.loads(path.read_bytes())
    return json.loads(base64.b64decode(document["payload"])) if "payload" in document else document


# -- form --------------------------------------------------------------------------------------------------------------


def test_a_foreign_reader_accepts_the_signature(tmp_path: Path) -> None:
    _, path = saved(tmp_path)
    document = json.loads(path.read_bytes())
    for signature in document["signatures"]:
        signature["keyid"] = "k"  # which DSSE leaves open, and this reader wants
    envelope = dsse.Envelope.from_dict(document)
    scheme = "ed25519"
    right, wrong = (SSlibKey("k", scheme, scheme, {"public": one.public.raw.hex()}) for one in (KEY, OTHER_KEY))
    assert envelope.verify([right], 1)
    with pytest.raises(Exception, match=r"[Ss]ignature"):
        envelope.verify([wrong], 1)


@pytest.mark.parametrize("key", [KEY, None])
def test_a_foreign_reader_accepts_the_statement(tmp_path: Path, key: Any) -> None:
    file, path = saved(tmp_path, key)
    parsed = json_format.ParseDict(statement(path), in_toto.Statement())
    Statement.copy_from_pb(parsed).validate()
    assert parsed.subject[0].digest["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()


PATIENTS = pd.DataFrame(
    {
        "who": ["x", "x", "y", "z", "z", "v"],
        "age": [31, 34, 33, 52, 58, 51],
        "note": ["p", "q", "p", "q", "p", "q"],
        "dx": [["flu", "cold"], ["flu"], ["cold", "flu"], ["gout"], ["gout", "flu"], ["gout", "flu"]],
    }
)
VISITS = [["milk", "HIV"], ["milk"], ["cream"], ["cream"], ["milk"], ["cream", "flu"], ["milk"], ["cream"]]
WORLDS: dict[str, dict[str, Any]] = {
    "k-km": {"data": PATIENTS, "model": shoal.KKm(k=2, m=1), "sets": "dx", "identifiers": ["who"], "plain": ["note"]},
    "persons": {"data": PATIENTS, "k": 2, "m": 1, "sets": "dx", "person": "who", "columns": "none"},
    "lm": {"data": VISITS, "model": shoal.Lm(l=2, m=1, sensitive=("HIV", "flu"))},
    "flips": {"data": VISITS, "model": "sensitive-k", "k": 2, "sensitive": ["HIV", "flu"]},
    "suppress": {"data": [*BASKETS, ["rare"]], "k": 2, "m": 1, "algorithm": "optimal-suppress"},
    "transactional": {"data": BASKETS, "model": "transactional-k", "k": 2},
}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("key", [KEY, None])
def test_every_certificate_fits_the_schema_and_can_be_checked(tmp_path: Path, world: str, key: Any) -> None:
    given = dict(WORLDS[world])
    made = shoal.anonymize(given.pop("data"), **given)
    file, path = tmp_path / "public.csv", tmp_path / "c.json"
    made.save(file, certificate=path, key=key)
    told = statement(path)
    jsonschema.validate(told, SCHEMA)
    assert told["predicate"]["model"]["name"] == made.problem.model.name
    check = shoal.verify_certificate(file, path, public_key=None if key is None else key.public)
    assert check.holds, check.steps
    assert check.signed is (key is not None)


def test_a_folder_of_parts_is_certified_part_by_part(tmp_path: Path) -> None:
    release().save(tmp_path / "out", parts=3, format="csv", certificate=tmp_path / "c.json", key=KEY)
    check = shoal.verify_certificate(tmp_path / "out", tmp_path / "c.json", public_key=KEY.public)
    assert check.holds, check.steps
    assert statement(tmp_path / "c.json")["predicate"]["data"]["files"] == [f"part-0000{at}.csv" for at in range(3)]
    (tmp_path / "out" / "part-00003.csv").write_text("items\na\n", encoding="ascii")
    check = shoal.verify_certificate(tmp_path / "out", tmp_path / "c.json", public_key=KEY.public)
    assert [(step.part, step.passed) for step in check.steps] == [("signature", True), ("file", False)]
    (tmp_path / "out" / "part-00003.csv").unlink()
    (tmp_path / "out" / "part-00001.csv").unlink()
    check = shoal.verify_certificate(tmp_path / "out", tmp_path / "c.json", public_key=KEY.public)
    assert "part-00001.csv' is missing" in check.steps[-1].sentence


# -- determinism -------------------------------------------------------------------------------------------------------


def test_equal_inputs_give_equal_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    texts = []
    for at, workers in enumerate((1, 2)):
        made = shoal.anonymize(BASKETS, k=2, m=2, hierarchy=shoal.Hierarchy.from_tree(TREE), workers=workers)
        (tmp_path / str(at)).mkdir()
        path = tmp_path / str(at) / "c.json"
        made.save(tmp_path / str(at) / "public.csv", certificate=path, key=KEY)
        texts.append(path.read_bytes())
    assert texts[0] == texts[1]
    assert statement(path)["predicate"]["date"] == "2023-11-14T22:13:20Z"


def test_only_the_date_differs_without_a_fixed_one(tmp_path: Path) -> None:
    file = tmp_path / "public.csv"
    written = release().save(file)
    one, other = statement_of(written, KEY), statement_of(release().save(file), KEY)
    one["predicate"].pop("date")
    other["predicate"].pop("date")
    assert one == other


def test_a_wrong_fixed_date_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(OptionError, match="SOURCE_DATE_EPOCH must be a number of seconds"):
        release()


# -- nothing leaks -----------------------------------------------------------------------------------------------------


def test_a_certificate_names_nothing_that_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "needle-folder"
    secret.mkdir()
    monkeypatch.chdir(secret)
    made = release_with_needles(secret).save(tmp_path / "public.csv", certificate=tmp_path / "c.json", key=KEY)
    told = json.dumps(statement(tmp_path / "c.json"), ensure_ascii=False)
    for needle in [*needles_of(secret), made.problem.data.transactions.sha256, "seconds"]:
        assert needle not in told, needle
    assert hashlib.sha256((secret / "needle-input.basket").read_bytes()).hexdigest() in json.dumps(made.provenance)


def test_sensitive_items_that_are_not_published_are_not_named(tmp_path: Path) -> None:
    model = shoal.Lm(l=2, m=1, sensitive=("HIV", "needle"))
    made = shoal.anonymize(VISITS, model=model, allow_missing=True)
    made.save(tmp_path / "public.csv", certificate=tmp_path / "c.json")
    assert "needle" not in (tmp_path / "c.json").read_text(encoding="utf-8")
    assert statement(tmp_path / "c.json")["predicate"]["model"]["options"]["sensitive"] == ["HIV"]


def test_the_hierarchy_is_named_only_for_the_owner_of_the_key(tmp_path: Path) -> None:
    """Its plain hash would confirm guesses: it may be made from the data, and name items that nobody may know."""
    tree = tmp_path / "tree.csv"
    tree.write_text("a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\n", encoding="ascii")
    plain = hashlib.sha256(tree.read_bytes()).hexdigest()
    made = shoal.anonymize(BASKETS, k=2, m=2, hierarchy=tree)
    for key in (KEY, None):
        made.save(tmp_path / "p.csv", certificate=tmp_path / "c.json", key=key)
        told = statement(tmp_path / "c.json")
        assert plain not in json.dumps(told)
        wanted = None if key is None else {"hmac_sha256": KEY.name_input([plain])}
        assert told["predicate"]["hierarchy"] == wanted


def test_the_input_is_named_only_for_the_owner_of_the_key(tmp_path: Path) -> None:
    _, path = saved(tmp_path)
    told = statement(path)["predicate"]["input"]
    hashes = [release().provenance["input"]["sha256"]]
    assert told == {"hmac_sha256": KEY.name_input(hashes)}
    _, path = saved(tmp_path, None)
    assert statement(path)["predicate"]["input"] is None


def _notes_of(*modules: Any) -> set[type[Note]]:
    """All kinds of notes that modules define."""
    return {
        one
        for module in modules
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, Note) and one.__module__ == module.__name__
    }


def test_notes_for_recipients_are_a_list_of_kinds_that_somebody_looked_at() -> None:
    """A new kind of note is told to no stranger before it is added to public_notes.PUBLIC, and to this list."""
    untold = {
        "AddedItems", "AddedItemsNamed", "ChosenDelta", "ColumnsLikeIds", "DroppedIndex", "DroppedItems",
        "EmptyRecords", "FewNumbers", "FewUnchanged", "Filtered", "GroupsOfHolders", "HierarchyBuilt",
        "IdentifyingColumns", "InOrder", "Joined", "LinkingCombination", "LinkingValues", "LooksSensitive",
        "LostColumns", "MethodReveals", "MissedSensitive", "MixedColumn", "NamesPeople", "NoItemsLeft",
        "NoPrivateItems", "NothingSensitive", "NullItemsDropped", "OneRecordKnown", "OnlySensitiveRecords",
        "PersonColumn", "PersonsOfOneRecord", "ProtectedValues", "SensitiveGroup", "SensitiveItemsGiven",
        "SensitiveItemsInflated", "SensitiveLookAlike", "TooManySensitive",
        "TellingColumn", "UnprotectedLookAlike", "UnusedHierarchy", "Untrue", "VaryingColumns", "ZeroWeights",
    }  # fmt: skip
    known = {one.__name__ for one in _notes_of(notes, reading_notes)}
    assert known - {one.__name__ for one in public_notes.PUBLIC} == untold


# -- what is refused ---------------------------------------------------------------------------------------------------


def changed(path: Path, change: Any) -> Claims:
    """Return the claims of an unsigned certificate after a change."""
    told = statement(path)
    change(told)
    return Claims.of(told, "c.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda told: told.update(_type="x"), "is no certificate"),
        (lambda told: told.update(predicateType="urn:shoal:certificate:2"), "of another version"),
        (lambda told: told.update(predicateType="https://slsa.dev/provenance/v1"), "is no certificate"),
        (lambda told: told.pop("subject"), "lacks 'subject'"),
        (lambda told: told["subject"].clear(), "lists other files"),
        (lambda told: told["subject"][0].update(name="../public.csv"), "wanted different names without folders"),
        (lambda told: told["subject"][0]["digest"].update(sha256="00"), "has no SHA-256 hash"),
        (lambda told: told["subject"].append(told["subject"][0]), "wanted different names without folders"),
        (lambda told: told["predicate"].pop("model"), "lacks 'model'"),
        (lambda told: told["predicate"].pop("check"), "lacks 'check'"),
        (lambda told: told["predicate"]["data"].update(records=True), "wrong type for 'records'"),
        (lambda told: told["predicate"]["data"].update(files=["public.csv", "public.csv"]), "wrong list of 'files'"),
        (lambda told: told["predicate"]["data"]["reading"].update(join="/etc/passwd:a"), "reading option 'join'"),
        (lambda told: told["predicate"]["data"]["reading"].update(where="a = 1"), "reading option 'where'"),
        (lambda told: told["predicate"]["data"]["reading"].update(sets=1), "wrong value for the reading option"),
        (lambda told: told["predicate"]["model"].update(name="kn"), "Unknown model 'kn'"),
        (lambda told: told["predicate"]["model"]["options"].pop("k"), "'k' does not fit the model|option 'k'"),
        (lambda told: told["predicate"]["model"]["options"].update(k=1), "k must be at least 2"),
        (lambda told: told["predicate"]["model"]["options"].update(x=1), "option 'x'"),
    ],
)
def test_a_statement_of_a_wrong_form_is_refused(tmp_path: Path, change: Any, message: str) -> None:
    _, path = saved(tmp_path, None)
    with pytest.raises((DataError, OptionError), match=message):
        changed(path, change)


def test_a_file_that_is_too_large_or_no_object_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(b'"' + b"a" * LARGEST)
    with pytest.raises(DataError, match="has more than 4,194,304 bytes"):
        Certificate.load(path)
    path.write_bytes(b"[]")
    with pytest.raises(DataError, match="wanted a JSON object"):
        Certificate.load(path)
    with pytest.raises(DataError, match="does not exist"):
        Certificate.load(tmp_path / "none.json")
    with pytest.raises(DataError, match="is a folder"):
        Certificate.load(tmp_path)


def test_unknown_claims_are_left_alone(tmp_path: Path) -> None:
    _, path = saved(tmp_path, None)
    assert changed(path, lambda told: told["predicate"].update(more={"a": 1})).model == shoal.Km(k=2, m=2)


def test_a_release_that_nobody_could_check_gets_no_certificate(tmp_path: Path) -> None:
    made = shoal.anonymize([["a", "s"], ["a"], ["a"], ["a"]], model=shoal.Lm(l=2, m=1, sensitive=("s",)))
    object.__setattr__(made.problem.model, "sensitive", ("t",))
    with pytest.raises(OptionError, match="none of the sensitive values is published"):
        made.save(tmp_path / "public.csv", certificate=tmp_path / "c.json")
    assert not list(tmp_path.iterdir())


def test_a_key_without_a_certificate_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="key= signs a certificate"):
        release().save(tmp_path / "public.csv", key=KEY)


def test_the_predicate_type_has_the_version_of_the_schema() -> None:
    assert SCHEMA["properties"]["predicateType"] == {"const": PREDICATE}
