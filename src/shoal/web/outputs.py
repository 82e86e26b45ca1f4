"""What a run writes into its folder, and who may see each file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.evidence.proof.make import refuse_unprovable
from shoal.files import plain_suffix
from shoal.hierarchies.codebook import SUFFIX as CODEBOOK
from shoal.io.detect import format_named
from shoal.web.draft import Draft

RELEASE = "release"  # the name of the published file, without its suffix
REPORTS = ("report.html", "report.json")
PUBLIC_REPORTS = ("public.html", "public.json")
CERTIFICATE, PERSONS, PROOF = "certificate.json", "persons.txt", "proof.json"


def wanted(draft: Draft, *, certificate: bool = True, proof: bool = False) -> dict[str, Any]:
    """Return what a run writes, as the table [output] of a problem file, with plain names of files in its folder.

    The code book is written next to the release if readers need it.

    Parameters
    ----------
    draft
        The choices. A format chosen in their table [output] determines the suffix of the release. By default, the
        release has the format and the compression of the input.
    certificate
        Whether to write a certificate.
    proof
        Whether to write the proof of the lower bound, if the model and the method have one.

    Examples
    --------
    >>> wanted(Draft({"data": {"file": "inputs/a.csv.gz", "person": "id"}, "output": {}}), certificate=False)["file"]
    'release.csv.gz'
    """
    found: dict[str, Any] = {
        "file": release_name(str(draft.data["file"]), str(draft.tables["output"].get("format", ""))),
        "reports": list(REPORTS),
        "public_reports": list(PUBLIC_REPORTS),
    }
    if certificate:
        found["certificate"] = CERTIFICATE
    if draft.data.get("person"):
        found["persons"] = PERSONS
    if proof and provable(draft):
        found["proof"] = PROOF
    return found


def release_name(source: str, format: str = "") -> str:
    """Return the name of the published file.

    >>> release_name("inputs/Baskets.CSV"), release_name("inputs/a.csv.gz"), release_name("inputs/a.csv", "parquet")
    ('release.csv', 'release.csv.gz', 'release.parquet')
    """
    if format:
        return f"{RELEASE}{format_named(format).suffixes[0]}"
    path = Path(source)
    packed = path.suffix.lower() if plain_suffix(path) != path.suffix.lower() else ""
    return f"{RELEASE}{plain_suffix(path)}{packed}"


def provable(draft: Draft) -> bool:
    """Return whether a proof of the lower bound can be written for others to check."""
    try:
        job = draft.job()
        refuse_unprovable(job.model, job.algorithm)
    except ShoalError:
        return False
    return True


def public(names: list[str]) -> list[str]:
    """Return which of the files of a run may be published. A file that is not known to be harmless must be kept.

    >>> public(["report.html", "release.csv", "release.codebook.csv", "unknown.txt", "public.html"])
    ['release.csv', 'release.codebook.csv', 'public.html']
    """
    return [one for one in (release_of(names), codebook_of(names), *PUBLIC_REPORTS, CERTIFICATE) if one in names]


def codebook_of(names: list[str]) -> str | None:
    """Return the name of the code book among the files of a run, or None.

    >>> codebook_of(["release.csv", "release.codebook.csv"])
    'release.codebook.csv'
    """
    return next((name for name in names if name.endswith(CODEBOOK)), None)


def release_of(names: list[str]) -> str | None:
    """Return the name of the published file among the files of a run, or None."""
    return next((name for name in names if name.partition(".")[0] == RELEASE and not name.endswith(CODEBOOK)), None)
