"""Check a published file against its certificate, as ``shoal verify --certificate`` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from shoal.data import Dataset
from shoal.engines import Engine
from shoal.errors import DataError, InputError, shorten
from shoal.evidence.certificate import Certificate, Signature
from shoal.evidence.claims import Claims
from shoal.evidence.keys import PublicKey
from shoal.files import sha256_of
from shoal.io.source import files_in
from shoal.io.writing_parts import hash_of_parts
from shoal.jobs.arguments import as_dataset
from shoal.jobs.verify import PersonsSource, Verification, verify
from shoal.progress import engine_with
from shoal.report.formatting import count_noun

Part = Literal["signature", "file", "code book", "records", "guarantee"]
SIGNATURES: dict[Signature, str] = {
    "right": "The certificate is signed with the key {key}.",
    "wrong": "The signature does not belong to this certificate and this key: the certificate was changed, or somebody "
    "else signed it.",
    "unsigned": "The certificate is not signed. Anybody can have written it.",
    "not checked": "The signature was not checked, so anybody can have written the certificate: give the key of the "
    "publisher with public_key=.",
}
OTHER_KEY = (
    "The certificate names the key {named}, but you gave {key}. This is the wrong key, or the certificate is not from "
    "its owner."
)
STRIPPED = "The certificate says that it is signed, but its signature was removed."


@dataclass(frozen=True)
class Step:
    """One step of a check.

    Parameters
    ----------
    part : str
        What was checked: "signature", "file", "code book", "records" or "guarantee".
    passed : bool or None
        Whether it is right. None: it could not be checked, and nothing was wrong.
    sentence : str
        The result in words.
    """

    part: Part
    passed: bool | None
    sentence: str


@dataclass(frozen=True, eq=False)
class CertificateCheck:
    """The result of a check of a certificate. It is true if nothing was wrong.

    Parameters
    ----------
    steps : tuple of Step
        What was checked. A check ends at the first step that fails.
    verification : Verification, optional
        The result of counting the guarantee. None: an earlier step failed.
    claims : Claims, optional
        What the certificate claims. None: its signature is wrong.
    """

    steps: tuple[Step, ...]
    verification: Verification | None = None
    claims: Claims | None = None

    @property
    def holds(self) -> bool:
        """Whether no step failed."""
        return all(step.passed is not False for step in self.steps)

    def __bool__(self) -> bool:
        """Whether no step failed."""
        return self.holds

    @property
    def signed(self) -> bool:
        """Whether the signature was checked, and is right."""
        return any(step.part == "signature" and step.passed for step in self.steps)

    @property
    def persons_open(self) -> bool:
        """Whether the certificate counts persons, but only records were counted here."""
        counted = self.verification is not None and self.verification.persons is not None
        return self.claims is not None and self.claims.persons and not counted

    def as_dict(self) -> dict[str, Any]:
        """Return what ``shoal verify --certificate --json`` prints."""
        steps = [{"part": one.part, "passed": one.passed, "sentence": one.sentence} for one in self.steps]
        says = None if self.claims is None else dict(self.claims.predicate)
        certificate = {"holds": self.holds, "signed": self.signed, "steps": steps, "claims": says}
        return {**({} if self.verification is None else self.verification.as_dict()), "certificate": certificate}


def verify_certificate(
    data: str | Path,
    certificate: str | Path | Certificate,
    *,
    public_key: str | Path | PublicKey | None = None,
    codebook: str | Path | None = None,
    persons: PersonsSource = None,
    workers: int = 0,
    memory: int | str | None = None,
    work_dir: str | Path | None = None,
    progress: bool | Callable[[str, float], None] = False,
    engine: Engine | None = None,
) -> CertificateCheck:
    """Check that a published file is the one of a certificate, and count the guarantee anew.

    The certificate says which guarantee it is, and how the file is read.

    Parameters
    ----------
    data
        The published file, or the folder of its parts.
    certificate
        The certificate, or its file.
    public_key
        The key of the publisher, or its file. You must have it from a source that you trust. Without it, the signature
        is not checked.
    codebook
        The code book, if the certificate names one. Default: the file of that name next to ``data``.
    persons
        The persons of the records, or their file, if you have them. Without it, records are counted.
    workers, memory, work_dir, progress, engine
        As in :func:`shoal.anonymize`.

    Returns
    -------
    CertificateCheck
        The steps of the check. It is true if nothing was wrong.

    Raises
    ------
    DataError
        The certificate or a file cannot be read, so nothing can be said.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> release = shoal.anonymize([["ale"], ["ale"], ["rye"], ["rye"]], k=2, m=1)
    >>> key = shoal.evidence.PrivateKey.generate()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file, certificate = Path(folder, "public.dat"), Path(folder, "public.cert.json")
    ...     _ = release.save(file, certificate=certificate, key=key)
    ...     check = verify_certificate(file, certificate, public_key=key.public)
    >>> check.holds, [step.part for step in check.steps]
    (True, ['signature', 'file', 'records', 'guarantee'])
    """
    document = certificate if isinstance(certificate, Certificate) else Certificate.load(certificate)
    key = PublicKey.load(public_key) if isinstance(public_key, str | Path) else public_key
    with engine_with(progress=progress, workers=workers, memory=memory, work_dir=work_dir, engine=engine) as running:
        check = _Check(document, key, Path(data), codebook, persons, running)
        steps: list[Step] = []
        for step in check.steps():
            steps.append(step)
            if step.passed is False:
                break
    return CertificateCheck(tuple(steps), check.verification, check.claims)


class _Check:
    """A check on its way."""

    def __init__(
        self,
        certificate: Certificate,
        key: PublicKey | None,
        data: Path,
        codebook: str | Path | None,
        persons: PersonsSource,
        engine: Engine,
    ) -> None:
        self._certificate, self._key, self._data, self._persons = certificate, key, data, persons
        self._codebook, self._engine = None if codebook is None else Path(codebook), engine
        self.verification: Verification | None = None
        self.claims: Claims | None = None

    def steps(self) -> Iterator[Step]:
        """Do one step after the other. Later ones may be done only if the earlier ones have passed."""
        signature = self._signature()
        if signature.passed is False:
            yield signature
            return
        claims = self._certificate.claims
        if claims.signer is not None and self._certificate.envelope is None:
            yield Step("signature", False, STRIPPED)
            return
        yield signature
        self.claims = claims
        yield from self._files(claims)
        book = self._book(claims)
        if book is not None:
            yield self._same("code book", book, claims.codebook[1] if claims.codebook else "")
        read = as_dataset(self._data.absolute(), claims.model, claims.reading)  # absolute: "-" is a file here
        self._refuse_changed(read, claims)
        result = verify(
            read,
            claims.model,
            codebook=book,
            persons=self._persons,
            quasi_identifiers=claims.quasi_identifiers if claims.model.relational else None,
            engine=self._engine,
        )
        yield self._records(claims, result)
        self.verification = result
        yield self._guarantee(claims, result)

    def _signature(self) -> Step:
        """Check the signature, before anything else in the certificate is believed."""
        found = self._certificate.signature(self._key)
        if found == "wrong" and self._key is not None and self._named not in (None, self._key.fingerprint):
            return Step("signature", False, OTHER_KEY.format(named=self._named, key=self._key.fingerprint))
        passed = {"right": True, "wrong": False, "not checked": None}.get(found, None if self._key is None else False)
        named = "" if self._key is None else self._key.fingerprint
        return Step("signature", passed, SIGNATURES[found].format(key=named))

    @property
    def _named(self) -> str | None:
        """The key that the certificate names, which nothing proves. None: it cannot be read."""
        try:
            return self._certificate.claims.signer
        except InputError:
            return None

    def _files(self, claims: Claims) -> Iterator[Step]:
        """Compare the published file, or each file of a folder, with its hash."""
        if not self._data.is_dir():
            if len(claims.files) > 1:
                raise DataError(
                    f"The certificate is about {len(claims.files)} files, but {self._data} is one: give their folder."
                )
            yield self._same("file", self._data, *claims.files.values())
            return
        there = {str(path.relative_to(self._data)): path for path in files_in(self._data)}
        for name in sorted(there.keys() ^ claims.files.keys()):
            what = "is in the folder, but not in the certificate" if name in there else "is missing in the folder"
            yield Step("file", False, f"'{shorten(name)}' {what}.")
        wrong = [name for name, sha256 in claims.files.items() if sha256_of(there[name]) != sha256]
        if wrong:
            yield Step("file", False, f"'{shorten(wrong[0])}' is not the file of the certificate: its hash differs.")
        else:
            yield Step("file", True, f"The folder has the {count_noun(len(there), 'file')} of the certificate.")

    def _same(self, part: Part, path: Path, sha256: str) -> Step:
        """Compare a file with its hash."""
        if not path.is_file():
            raise DataError(f"{path} does not exist, or is no file: check the path.")
        if sha256_of(path) != sha256:
            return Step(part, False, f"{path.name} is not the {part} of the certificate: its hash differs.")
        return Step(part, True, f"{path.name} is the {part} of the certificate (SHA-256).")

    def _book(self, claims: Claims) -> Path | None:
        """Return the code book: the given one, or the one of that name next to the data."""
        if claims.codebook is None:
            if self._codebook is not None:
                raise DataError(f"The certificate names no code book: leave out codebook={self._codebook}.")
            return None
        path = self._codebook or self._data.with_name(claims.codebook[0])
        if not path.is_file():
            raise DataError(f"{path} is missing, the code book that the certificate names: give it with codebook=.")
        return path

    def _records(self, claims: Claims, result: Verification) -> Step:
        """Compare the number of records."""
        number = result.records
        if number == claims.records:
            return Step("records", True, f"The file has the {count_noun(number, 'record')} of the certificate.")
        return Step("records", False, f"The certificate says {claims.records:,} records, the file has {number:,}.")

    def _refuse_changed(self, read: Dataset, claims: Claims) -> None:
        """Refuse data that are not those whose hash was compared: the file was changed in the meantime."""
        hashes = list(claims.files.items())
        wanted = hash_of_parts(hashes) if self._data.is_dir() else hashes[0][1]
        if read.origin.sha256 != wanted:
            raise DataError(f"{self._data} was changed while it was checked: check it again.")

    def _guarantee(self, claims: Claims, result: Verification) -> Step:
        """Return the result of the count."""
        if not claims.holds:
            return Step("guarantee", False, "The certificate itself says that the guarantee does not hold.")
        if not result.holds:
            return Step("guarantee", False, f"The file is not {result.model.title}: {result.verdict.witnesses[0]}.")
        checked = count_noun(result.verdict.checked, *result.model.views)
        return Step("guarantee", True, f"{result.model.describe(result.people)} ({checked} checked)")
