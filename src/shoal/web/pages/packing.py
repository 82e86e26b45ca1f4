"""Packing: which files of a run may be published and which not, and the first as one archive."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from starlette.responses import Response, StreamingResponse

from shoal.web.outputs import CERTIFICATE, PERSONS, PROOF, PUBLIC_REPORTS, REPORTS, codebook_of, public, release_of
from shoal.web.pages.files import output_of
from shoal.web.runs import Run

PIECE = 1 << 20  # bytes that are packed at a time
EPOCH = (1980, 1, 1, 0, 0, 0)  # the date of all files in an archive: equal files give equal archives
REPORT, FOR_PROGRAMS = "The report for readers: promise, losses and remaining risks.", "The same report for programs."
INTERNAL = "The internal report. It quotes rare combinations of your data: for you, and for an audit."
ABOUT = {
    CERTIFICATE: "What was promised and checked, with the hashes of the files. Recipients check the release with it.",
    **dict(zip(PUBLIC_REPORTS, (REPORT, FOR_PROGRAMS), strict=True)),
    **dict(zip(REPORTS, (INTERNAL, FOR_PROGRAMS), strict=True)),
    PERSONS: "Tells whose each published record is.",
    PROOF: "What the proved limit of the loss rests on. It shows parts of your data.",
}
OF_RELEASE = "The anonymized data."
OF_CODEBOOK = "Says which items each published label represents. Without it, recipients cannot read the labels."
OF_OTHERS = "Not made for publishing."


@dataclass(frozen=True)
class Sheet:
    """A file of a run."""

    name: str
    about: str
    path: Path

    @property
    def size(self) -> int:
        """The bytes of the file."""
        return self.path.stat().st_size


@dataclass(frozen=True)
class Parcel:
    """The files of a run. A file that is not known to be harmless is kept."""

    publish: tuple[Sheet, ...]
    keep: tuple[Sheet, ...]

    @classmethod
    def of(cls, run: Run) -> Parcel:
        """Return the files of a run that are there."""
        release, book = release_of(run.outputs), codebook_of(run.outputs)
        harmless = public(run.outputs)
        told = {**ABOUT, str(release): OF_RELEASE, str(book): OF_CODEBOOK}
        sheets = [Sheet(one, told.get(one, OF_OTHERS), run.folder / one) for one in run.outputs]
        there = {one.name: one for one in sheets if one.path.is_file() and output_of(run, one.name)}
        kept = [*REPORTS, *(name for name in there if name not in REPORTS)]
        return cls(
            tuple(there[name] for name in harmless if name in there),
            tuple(there[name] for name in kept if name in there and name not in harmless),
        )

    @property
    def size(self) -> int:
        """The bytes of all files that may be published."""
        return sum(one.size for one in self.publish)


def zipped(parcel: Parcel, root: Path, key: str, name: str) -> Response:
    """Return all files that may be published as an archive, which is packed while it is sent.

    Equal files give equal bytes. ``key``: the public key, below the workspace, or an empty text.
    """
    files = {one.name: one.path for one in parcel.publish}
    if key:
        files[Path(key).name] = root / key
    return StreamingResponse(
        packed(name, files), media_type="application/zip", headers={"Content-Disposition": _attachment(f"{name}.zip")}
    )


def packed(folder: str, files: dict[str, Path]) -> Iterator[bytes]:
    """Yield the bytes of an archive with these files in a folder."""
    out = _Pieces()
    with zipfile.ZipFile(out, "w") as archive:  # type: ignore[call-overload]
        for name, path in sorted(files.items()):
            about = zipfile.ZipInfo(f"{folder}/{name}", EPOCH)
            about.compress_type, about.external_attr, about.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
            about.file_size = path.stat().st_size  # tells whether large numbers are needed
            with open(path, "rb") as source, archive.open(about, "w") as target:
                while piece := source.read(PIECE):
                    target.write(piece)
                    yield from out.take()
    yield from out.take()


class _Pieces:
    """A file that keeps what is written until it is taken."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def write(self, piece: bytes) -> int:
        """Keep a piece."""
        self._written.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Do nothing: there is no file below."""

    def take(self) -> Iterator[bytes]:
        """Yield what was written since the last time."""
        pieces, self._written = self._written, []
        yield from pieces


def download(content: bytes, name: str) -> Response:
    """Return a small file to be saved."""
    return Response(content, media_type="application/octet-stream", headers={"Content-Disposition": _attachment(name)})


def _attachment(name: str) -> str:
    """Return the header that makes a browser save a file under a plain name.

    >>> _attachment('a "b".pub')
    'attachment; filename="a _b_.pub"'
    """
    plain = "".join(one if one.isascii() and one.isprintable() and one not in '"\\' else "_" for one in name)
    return f'attachment; filename="{plain}"'
