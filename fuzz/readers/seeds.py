"""Files to start from: small ones that we make, and the beginnings of real ones where they are at hand."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

from fuzz.problems import files
from fuzz.problems.draw import draw
from fuzz.readers.target import DATA, KINDS, TREES

TYPED = [  # values of several types, and rows of one item each
    (
        "jsonl",
        b'{"id": 1, "items": ["a", 2], "v": 1}\n{"id": 2.5, "items": [], "v": "x"}\n{"items": ["b"], "v": [{}]}\n',
    ),
    ("jsonl", b'{"id": 1, "item": "a", "v": null}\n{"id": "x", "item": 5}\n{"id": 1, "item": null, "v": {"y": 1}}\n'),
    ("csv", b'id,item,"n, m"\n1,a,"x\n\ny"\n2,,z\n1,b,"x\n\ny"\n'),
    ("tsv", b'id\titem\titems\n1\t"a ""b"""\tc|d\n2\te\t\n'),
]
CUT = 3000  # bytes of a real file
REAL = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[3] / "shared" / "data"))


def write(folder: Path, seed: str) -> int:
    """Write the corpus; returns how many files it has."""
    contents = [*_own(seed), *_real()]
    for at, content in enumerate(contents):
        (folder / f"seed-{at:04}").write_bytes(content)
    return len(contents)


def header(kind: str, how: int) -> bytes:
    """The two bytes that say what an input is."""
    return bytes([KINDS.index(kind), how])


def _own(seed: str) -> list[bytes]:
    inputs: list[bytes] = []
    with tempfile.TemporaryDirectory() as name:
        for at in range(60):
            case = draw(f"{seed}:seeds:{at}")
            for form in DATA:
                formatted = replace(case, format=form)
                if files.can_hold(formatted) and len(inputs) < 400:
                    path = Path(name) / f"in{files.SUFFIX[form]}"
                    files.write(formatted, path)
                    inputs += [
                        header(form, how) + path.read_bytes() for how in ((0, 2, 64, 66) if at % 2 else (1, 4, 64))
                    ]
            if case.parents is not None and at < 20:
                for form in TREES:
                    path = Path(name) / "tree"
                    files.write_tree(case.parents, path, form)
                    inputs.append(header(f"tree:{form}", 0) + path.read_bytes())
    for kind, content in TYPED:
        inputs += [header(kind, how) + content for how in (0, 2, 6, 32, 64, 70, 96)]
    inputs.append(header("tree:amnesia", 0) + b"distinct\nname t\ntype string\nheight 3\n\nA has a b\n* has A c\n\n")
    inputs.append(header("codebook", 0) + b'label,parent,item\na | b,A,a\na | b,A,b\n"x, y",,"x, y"\n')
    inputs.append(header("codebook", 1) + b'[{"label": "a | b", "parent": "A", "items": ["a", "b"]}]')
    inputs.append(header("groups", 0) + b'a,b\n"c",d\n')
    inputs.append(header("groups", 0) + b"label,parent,item\na | b,,a\na | b,,b\n")
    inputs.append(header("weights", 0) + b"item,weight\na,2.5\nA,0\n")
    return inputs


def _real() -> list[bytes]:
    """The beginnings of real files, read as what their names say and as what they do not."""
    inputs: list[bytes] = []
    kinds = {".dat": "fimi", ".csv": "csv", ".tsv": "tsv", ".basket": "basket", ".txt": "basket", ".data": "csv"}
    for path in sorted(REAL.rglob("*")) if REAL.is_dir() else ():
        if path.is_file() and path.suffix in (*kinds, ".gz"):
            with path.open("rb") as file:
                start = file.read(CUT)
            kind = kinds.get(path.suffix, "csv")
            inputs.append(header(kind, 16 if path.suffix == ".gz" else 0) + start)
            inputs += [header(kind, 2) + start, header("long", 0) + start, header("tree:auto", 0) + start]
    return inputs
