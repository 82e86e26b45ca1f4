"""The statement of a certificate: what a publisher says about a release, as an in-toto statement.

It is for strangers. It holds totals, and nothing else of the original data: no item that is not published, no rare set,
no path, no seed. Options that name labels or files are left out.
"""

from __future__ import annotations

import platform
from typing import Any

import numpy as np

from shoal import discovery, kernels
from shoal._version import __version__
from shoal.algorithms.base import Algorithm
from shoal.data.counts import named_by
from shoal.data.hierarchy import NO_HIERARCHY
from shoal.data.table import Role
from shoal.errors import OptionError
from shoal.evidence.keys import PrivateKey
from shoal.hierarchies.default import was_built
from shoal.models.base import PrivacyModel
from shoal.options import Option, Spec
from shoal.release.dates import now
from shoal.release.release import Release
from shoal.report import public_notes
from shoal.report.facts import plain
from shoal.report.officer import facts as officer
from shoal.report.officer.discretion import Discretion
from shoal.report.officer.public import public_losses, public_optimality

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:shoal:certificate:1"  # the number rises when a key goes or changes its meaning


def statement_of(release: Release, key: PrivateKey | None = None) -> dict[str, Any]:
    """Return the statement about a release that was saved.

    Parameters
    ----------
    release
        The release that :meth:`shoal.Release.save` returned.
    key
        The key that will sign it. The statement names the key, and names the input so that only its owner can.
    """
    output, book = release.provenance["output"], release.provenance["codebook"]
    listed = [*output["files"], *([book] if book else [])]
    return {
        "_type": STATEMENT,
        "subject": [{"name": one["name"], "digest": {"sha256": one["sha256"]}} for one in listed],
        "predicateType": PREDICATE,
        "predicate": plain(
            {
                "date": f"{now():%Y-%m-%dT%H:%M:%SZ}",
                "signer": None if key is None else key.public.fingerprint,
                "model": _model(release),
                "check": _check(release),
                "data": _data(release),
                "method": _method(release.algorithm),
                "losses": public_losses(release),
                "optimality": _optimality(release),
                "hierarchy": _hierarchy(release, key),
                "input": None if key is None else {"hmac_sha256": key.name_input(_input_hashes(release))},
                "risk": officer.assessed(release, Discretion(True, len(release.dataset))),
                "limits": public_notes.limits(release),
                "notes": public_notes.for_recipients(release),
                "versions": _versions(release),
            }
        ),
    }


def published_model(release: Release) -> PrivacyModel:
    """Return the model of a release as strangers may know it: it names only labels that are published.

    Raises
    ------
    OptionError
        No sensitive value is published, so nobody could check the guarantee.
    """
    model = release.problem.model
    seen = model.as_published(release.dataset)
    labels = set(seen.rows.in_use().labels)
    if seen.sensitive is not None:
        values = seen.sensitive.values.in_use().labels
        labels |= {*values, *seen.sensitive.items.in_use().labels}
    used = {one.name: _published(one, getattr(model, one.name), labels, model) for one in model.options()}
    try:
        return model.changed(**used)
    except OptionError:
        raise OptionError(
            f"No certificate can be written: none of the sensitive values is published, so nobody could check "
            f"{model.title}. Leave certificate= out."
        ) from None


def _published(option: Option, value: Any, labels: set[str], model: PrivacyModel) -> Any:
    """Return the value of an option without labels that are not published. Names of columns are kept."""
    if not isinstance(value, tuple) or option.name == "sensitive_column":
        return value
    counted = {named_by(label, value) for label in labels}
    return tuple(label for label in value if label in labels or label in counted)


def _model(release: Release) -> dict[str, Any]:
    """Return the guarantee: its name, its options and its promise."""
    model = published_model(release)
    promise = release.problem.model.describe(release.problem.persons)
    return {"name": model.name, "title": model.title, "options": model.values(), "promise": promise}


def _check(release: Release) -> dict[str, Any]:
    """Return what the verifier found."""
    verdict, persons = release.verdict, release.problem.persons
    counted = "records" if persons is None or not release.problem.model.counts_persons else "persons"
    return {"holds": verdict.holds, "checked": verdict.checked, "counted": counted}


def _data(release: Release) -> dict[str, Any]:
    """Return what is published, and how the files are read."""
    output, book, persons = release.provenance["output"], release.provenance["codebook"], release.problem.persons
    table, model = release.dataset.table, release.problem.model
    roles = {} if table is None else {name: table.roles.get(name, Role.PLAIN) for name in table.names}
    known = [name for name, role in roles.items() if role is Role.QUASI_IDENTIFIER] if model.relational else []
    return {
        "files": [one["name"] for one in output["files"]],
        "codebook": None if book is None else book["name"],
        "reading": output["read_options"],
        "records": len(release.dataset),
        "persons": None if persons is None else {"noun": persons.noun, "number": persons.count()},
        "quasi_identifiers": known,
        "columns": [{"name": name, "role": role.value} for name, role in roles.items()],
    }


def _method(algorithm: Algorithm) -> dict[str, Any]:
    """Return the method with those options that name no label and no file."""
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "options": _harmless(algorithm),
        "truthful": algorithm.truthful,
    }


def _harmless(spec: Spec) -> dict[str, Any]:
    """Return the options that are numbers or fixed words."""
    harmless = {}
    for one in spec.options():
        value = getattr(spec, one.name)
        if value is None or isinstance(value, bool | int | float) or value in one.words:
            harmless[one.name] = value
    return harmless


def _optimality(release: Release) -> dict[str, Any] | None:
    """Return what is proved about the loss, in which measure, and why the search ended; or None."""
    proof, told = release.optimality, public_optimality(release)
    if proof is None or told is None:
        return None
    return {**told, "ended": proof.ended, "measure": release.loss_name}


def _hierarchy(release: Release, key: PrivateKey | None) -> dict[str, Any] | None:
    """Return the name of the hierarchy for the owner of the key, if one was given.

    Its plain hash could confirm guesses: a hierarchy may be made from the data, and name items that nobody may know.
    """
    problem = release.problem
    tree = problem.hierarchy.refines or problem.hierarchy
    if key is None or tree.name == NO_HIERARCHY or was_built(problem.data) or problem.added_items:
        return None
    return {"hmac_sha256": key.name_input([tree.sha256])}


def _input_hashes(release: Release) -> list[str]:
    """Return the hashes of the input and of the tables that were joined to it."""
    source = release.provenance["input"]
    return [source["sha256"], *(one["sha256"] for one in source["joined"])]


def _versions(release: Release) -> dict[str, Any]:
    """Return the versions of what made the release."""
    return {
        "shoal": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "ortools": release.provenance["ortools"],
        "kernels": kernels.KIND,
    }


def known_model(name: str) -> type[PrivacyModel]:
    """Return the privacy model of that name."""
    return discovery.get("shoal.models", PrivacyModel, name)
