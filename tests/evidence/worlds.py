"""Small releases to certify."""

from __future__ import annotations

import getpass
import hashlib
import socket
from pathlib import Path

import shoal
from shoal.evidence.keys import PrivateKey

KEY, OTHER_KEY = PrivateKey(b"a" * 32), PrivateKey(b"b" * 32)
BASKETS = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
TREE = {"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}}


def release() -> shoal.Release:
    """A release of four baskets."""
    return shoal.anonymize(BASKETS, k=2, m=2, hierarchy=shoal.Hierarchy.from_tree(TREE))


def saved(folder: Path, key: PrivateKey | None = KEY) -> tuple[Path, Path]:
    """Write the release to a file with its certificate."""
    file, certificate = folder / "public.csv", folder / "certificate.json"
    release().save(file, certificate=certificate, key=key)
    return file, certificate


def release_with_needles(folder: Path) -> shoal.Release:
    """A release of data with needles in everything that is not published: items, names of files, options, the seed."""
    rows = [["milk", "HIV"], ["milk"], ["cream"], ["cream"], ["needle-rare", "milk"], ["milk"]] * 2
    source, tree = folder / "needle-input.basket", folder / "needle-tree.csv"
    source.write_text("".join(",".join(row) + "\n" for row in [*rows, ["needle-once"], ["flu"]]), encoding="ascii")
    tree.write_text("".join(f"{one};ALL\n" for one in ("milk", "cream", "needle-rare", "HIV")), encoding="ascii")
    made = shoal.anonymize(
        source,
        model=shoal.Km(k=3, m=2),
        hierarchy=tree,
        algorithm=shoal.algorithms.OptimalSuppress(never_suppress=("milk",)),
        unknown_items="root",
        drop_items=["flu"],
        seed=987654321,
    )
    assert not {"needle-rare", "needle-once"} & {label for row in made.data for label in row}  # both are suppressed
    return made


def needles_of(folder: Path) -> list[str]:
    """What no public document of that release may hold: needles, folder, seed, hashes, machine, user."""
    hashes = [
        hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("needle-input.basket", "needle-tree.csv")
    ]
    user = getpass.getuser()
    return ["needle", str(folder.parent), "987654321", "flu", *hashes, socket.gethostname(), *({user} - {"root"})]
