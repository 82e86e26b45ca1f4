"""The files of a release in the folder of a series, and what a reader of them sees."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shoal.caching import cached_property
from shoal.data.columns import coded_texts
from shoal.data.dataset import Dataset
from shoal.errors import DataError, shorten
from shoal.evidence.certificate import Certificate
from shoal.evidence.claims import Claims
from shoal.evidence.keys import PublicKey
from shoal.files import sha256_of
from shoal.jobs.arguments import as_dataset
from shoal.models.base import PrivacyModel
from shoal.published import Published
from shoal.release import recoding_file
from shoal.release.release import Release
from shoal.release.saved_recoding import SavedRecoding
from shoal.risk.together import Source
from shoal.series.document import PRIVATE, Entry
from shoal.series.ids import IDS, Ids

RECODING, CERTIFICATE = "recoding.json", "certificate.json"


@dataclass(frozen=True, eq=False)
class Stored:
    """A release of a series, as its files tell."""

    series: Path  # the folder of the series
    entry: Entry

    @property
    def name(self) -> str:
        """Its name."""
        return self.entry.name

    @property
    def folder(self) -> Path:
        """The folder of its public files."""
        return self.series / self.name

    @property
    def private(self) -> Path:
        """The folder of its private files."""
        return self.series / PRIVATE / self.name

    @property
    def path(self) -> Path:
        """The published file."""
        return self.folder / self.entry.file

    @cached_property
    def recoding(self) -> SavedRecoding:
        """What was done to the items."""
        return recoding_file.load(self.private / RECODING)

    @cached_property
    def claims(self) -> Claims:
        """What the certificate says about the file."""
        return self.certificate.claims

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate."""
        path = self.folder / CERTIFICATE
        if not path.is_file():
            raise DataError(f"{path} is missing, the certificate of '{self.name}': put it back.")
        try:
            certificate = Certificate.load(path)
            certificate.claims  # noqa: B018  (an error in it is reported now)
        except DataError as error:
            raise DataError(f"The certificate of '{self.name}' in {self.folder} cannot be read: {error}") from None
        return certificate

    def require_intact(self, key: PublicKey | None) -> None:
        """Raise an error if a public file is missing or was changed, or if a signature is wrong."""
        self.dataset  # noqa: B018  (it compares the hash)
        if self.claims.codebook is not None:
            name, sha256 = self.claims.codebook
            path = self.folder / name
            if not path.is_file() or sha256_of(path) != sha256:
                raise DataError(f"{path} is missing or was changed, the code book of '{self.name}': put it back.")
        if key is not None and self.certificate.signature(key) != "right":
            raise DataError(
                f"The certificate of '{self.name}' is not signed with the key {key.fingerprint}: it was "
                f"changed, signed with another key, or not signed at all."
            )

    @cached_property
    def ids(self) -> Ids:
        """The hashed ids of its records and persons."""
        sha256 = self.entry.ids
        return Ids() if sha256 is None else Ids.load(self.private / IDS, self.entry.records, sha256)

    @cached_property
    def dataset(self) -> Dataset:
        """The published file. It must be the one of the certificate."""
        claims, path = self.claims, self.path
        if not path.is_file():
            raise DataError(f"{path} is missing, the published file of '{self.name}': put it back.")
        if sha256_of(path) != claims.files.get(self.entry.file):
            raise DataError(f"{path} is not the file that was published as '{self.name}': its hash differs.")
        data = as_dataset(path.absolute(), claims.model, claims.reading)
        if len(data) != self.entry.records:
            raise DataError(f"{path} has {len(data):,} records, but {self.entry.records:,} were published: damaged.")
        return data.with_transactions(data.transactions.of_persons(self.ids.whose()))

    @cached_property
    def source(self) -> Source:
        """The release as somebody sees it who has the file and the hierarchy."""
        return _source(self.name, self.dataset, self.claims.model, self.recoding)

    def texts(self, column: str) -> list[str]:
        """Return the values of a published column as texts."""
        data = self.dataset.keep_columns([column])
        texts, codes = coded_texts(data, column)
        return [texts[code] or "" for code in codes.tolist()]


def source_of(release: Release, name: str, ids: Ids) -> Source:
    """Return a release that is not written yet as a reader of it would see it."""
    data = release.dataset.as_read()
    data = data.with_transactions(data.transactions.of_persons(ids.whose()))
    return _source(name, data, release.problem.model, release.saved_recoding)


def _source(name: str, data: Dataset, model: PrivacyModel, saved: SavedRecoding) -> Source:
    """Return a release as a reader of it sees it. Each label must be one of its recoding."""
    published = as_seen(data, model)
    known = saved.represents
    for label in published.rows.used_labels:
        if label not in known and not _is_item(label, saved):
            raise DataError(
                f"{data.origin.source} holds '{shorten(label)}', which its recoding does not know: damaged."
            )
    return Source(name, published, known.get, saved.suppressed)


def as_seen(data: Dataset, model: PrivacyModel) -> Published:
    """Return published data as their readers see them. Sensitive labels that they lack protect nothing here."""
    published = model.as_published(data)
    rows = published.rows.in_use()
    return Published.plain(rows.of_persons(data.transactions.persons), published.sensitive)


def _is_item(label: str, saved: SavedRecoding) -> bool:
    """Whether a label is an item that the hierarchy knows, maybe with a count, or one that was put below its root."""
    below_root = saved.unknown_items == "root" and label not in saved.retired
    return below_root or label in saved.tree.code_of or label.rpartition("*")[0] in saved.tree.code_of
