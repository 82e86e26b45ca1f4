"""What leaves the house: the commands that repeat a run, certificates, keys, and the check of a release."""

from __future__ import annotations

import importlib.util
from datetime import datetime
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.evidence import keys as evidence_keys
from shoal.evidence.certificate import Certificate
from shoal.jobs import problem_file
from shoal.jobs.certified import Step, verify_certificate
from shoal.jobs.command import Command
from shoal.jobs.expressible import command_lacks, script_lacks
from shoal.jobs.script import run_script, script
from shoal.report.sentences import shell_word
from shoal.web.worker import Session

UNKNOWN_SIGNER = (
    "The signature was not checked, because no public key was chosen. So anybody can have written the certificate."
)


def commands(session: Session, tables: dict[str, Any], folder: str) -> dict[str, str]:
    """Return a run as a command line, as a Python script and as a problem file.

    The first two run in the workspace. If they cannot say something, they name the problem file, and ``.._lacks`` says
    what it is.
    """
    problem = f"{folder}/problem.toml"
    job = problem_file.of_tables(tables, problem, Path())
    line, code = command_lacks(job), script_lacks(job)
    return {
        "command": f"shoal run {shell_word(problem)}" if line else Command.of(job).lines(job.algorithm),
        "command_lacks": line,
        "script": run_script(problem) if code else script(job),
        "script_lacks": code,
        "problem": Path(problem).read_text(encoding="utf-8"),
        "run_line": f"shoal run {shell_word(problem)}",
    }


def evidence(session: Session, certificate: str, earlier: str, keys: list[str]) -> dict[str, Any]:
    """Describe the certificate of a run, and the keys of the workspace.

    Parameters
    ----------
    session
        The worker's memory.
    certificate
        The file of the certificate, or an empty text.
    earlier
        The certificate of the run that this one repeats, or an empty text.
    keys
        The files of keys.
    """
    installed = importlib.util.find_spec("cryptography") is not None
    known = [_key(path) for path in keys] if installed else []
    public = {one["fingerprint"]: one["path"] for one in known if one["kind"] == "public"}
    about = _certificate(certificate) if certificate else None
    same = None if about is None or not earlier else about["files"] == _certificate(earlier)["files"]
    return {
        "installed": installed,
        "missing": evidence_keys.MISSING,
        "certificate": about,
        "same": same,
        "public_key": "" if about is None else public.get(about["signer"], ""),
        "private": [one for one in known if one["kind"] == "private"],
        "public": [one for one in known if one["kind"] == "public"],
        "damaged": [one for one in known if not one["kind"]],
    }


def _certificate(path: str) -> dict[str, Any]:
    """Return what a certificate says about itself, and the hashes of the files."""
    claims = Certificate.load(path).claims
    date = str(claims.predicate.get("date", ""))
    return {
        "signer": claims.signer,
        "date": date,
        "epoch": int(datetime.fromisoformat(date).timestamp()) if date else None,
        "files": {**claims.files, **({} if claims.codebook is None else dict([claims.codebook]))},
    }


def _key(path: str) -> dict[str, Any]:
    """Return what a file of a key holds. The fingerprint of an encrypted key is that of the public key next to it."""
    try:
        about = evidence_keys.describe(path)
        public = Path(path).with_suffix(".pub")
        if about["kind"] == "private" and about["encrypted"] and public.is_file():
            about["fingerprint"] = evidence_keys.describe(public)["fingerprint"]
    except ShoalError as error:
        return {"path": path, "kind": "", "encrypted": False, "fingerprint": None, "error": str(error)}
    return {"path": path, **about, "error": ""}


def make_keys(session: Session, name: str, passphrase: str) -> dict[str, str]:
    """Make a pair of keys: NAME.key, which only its owner can read, and NAME.pub."""
    private, public, key = evidence_keys.new_keys(name, passphrase or None)
    return {"private": str(private), "public": str(public), "fingerprint": key.fingerprint}


def check(session: Session, release: str, certificate: str, public_key: str, persons: str) -> dict[str, Any]:
    """Check a release with its certificate, as a recipient does.

    Parameters
    ----------
    session
        The worker's memory.
    release
        The published file. Its code book is next to it.
    certificate
        The certificate.
    public_key
        The key of the publisher, or an empty text: then the signature is not checked.
    persons
        The file of the persons of the records, or an empty text. Recipients do not have it.
    """
    found = verify_certificate(
        release,
        certificate,
        public_key=public_key or None,
        persons=persons or None,
        memory=session.memory or None,
        progress=session.progress,
    )
    return {
        "holds": found.holds,
        "signed": found.signed,
        "persons": bool(persons),
        "steps": [{"part": one.part, "passed": one.passed, "sentence": _sentence(one)} for one in found.steps],
    }


def _sentence(step: Step) -> str:
    """Return what a step says to somebody at a page, where keys are chosen."""
    return UNKNOWN_SIGNER if step.part == "signature" and "public_key=" in step.sentence else step.sentence
