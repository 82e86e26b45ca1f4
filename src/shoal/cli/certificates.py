"""``shoal verify --certificate``: refuse what the certificate says already, and show the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from click.core import ParameterSource

from shoal.cli import console
from shoal.cli.spelling import as_options
from shoal.cli.witnesses import show_witnesses
from shoal.errors import OptionError
from shoal.jobs.certified import CertificateCheck
from shoal.report.formatting import share

WITH_IT = ("certificate", "public_key", "codebook", "persons", "as_json", "workers", "file")


def refuse_other_options(context: click.Context) -> None:
    """Refuse options that repeat or contradict the certificate."""
    flags = {str(one.name): max(one.opts, key=len) for one in context.command.get_params(context)}
    for name in context.params:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE and name not in WITH_IT:
            raise OptionError(f"The certificate says what {flags[name]} would say: leave out one of the two.")


def show(check: CertificateCheck, *, as_json: bool) -> None:
    """Show the steps of a check, and what the certificate says."""
    if check.verification is not None:
        console.notes(check.verification.notes)
    if as_json:
        console.show_json("verify-certificate", check.as_dict())
        return
    marks = {True: ("right  ", "green"), False: ("WRONG  ", "bold red"), None: ("open   ", "yellow")}
    for step in check.steps:
        console.say(marks[step.passed], f"{step.part}: {as_options(step.sentence)}")
    console.say("")
    if not check.holds:
        if check.verification is not None and check.verification.verdict.witnesses:
            show_witnesses(check.verification.verdict)
        last = check.steps[-1].part
        why = (
            "Nothing about the file is proved." if last == "signature" else "The file is not what the certificate says."
        )
        console.say(("Failed.", "bold red"), f" {why} Do not rely on it.")
        return
    if check.claims is not None:
        _show_claims(check.claims.predicate)
    if check.persons_open:
        console.say(
            "The certificate counts persons, but you counted records. The publisher's file of persons tells more."
        )
    if check.persons_open:
        console.say(("Holds, as far as it could be checked.", "bold"), " Persons were not counted.")
    elif check.signed:
        console.say(("Holds.", "bold green"), " The owner of the key signed this file, and its promise holds.")
    else:
        console.say(
            ("Holds.", "bold green"),
            " File and certificate fit together, and the promise holds. Who wrote them is not proved.",
        )


def _show_claims(says: Mapping[str, Any]) -> None:
    """Show the main figures of a certificate, and what it does not promise."""
    method, losses, versions, proof = (_object(says, key) for key in ("method", "losses", "versions", "optimality"))
    rows = [
        ("made on", str(says.get("date", "?"))),
        ("method", f"{method.get('title', '?')} ({method.get('name', '?')})"),
        ("statements", "all true" if method.get("truthful") is True else "some are false, see below"),
        *([("loss, NCP", f"{losses['ncp']:.6f}")] if isinstance(losses.get("ncp"), float) else []),
        *([("proved about the loss", _proof(proof))] if proof else []),
        ("made with", f"Shoal {versions.get('shoal', '?')}"),
    ]
    console.table("What the certificate says", ["", ""], rows, right=9)
    for title, key in (("What it does not promise", "limits"), ("What to know about the data", "notes")):
        told = says.get(key)
        if isinstance(told, list) and told:
            console.say((title, "bold"))
            for one in told:
                console.paragraph(f"- {one}", indent=0)
    console.say("")


def _object(says: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return a part of the certificate. It may come from anybody, so it may be anything."""
    part = says.get(key)
    return part if isinstance(part, dict) else {}


def _proof(proof: Mapping[str, Any]) -> str:
    """Return what is proved about the loss, in a few words."""
    compared = proof.get("compared_with", "")
    if proof.get("proven"):
        return f"no other loses less, of all {compared}"
    gap = proof.get("gap")
    return f"at most {share(gap)} of it can be avoided by {compared}" if isinstance(gap, float) else "nothing"
