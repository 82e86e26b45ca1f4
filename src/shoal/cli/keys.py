"""``shoal keys new | show``, and how a command gets the key that signs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from shoal.cli import console
from shoal.cli.help import OUTPUT, Command, GroupedCommand, json_option, option
from shoal.cli.options import FILE, INPUT
from shoal.cli.spelling import SpellingGroup
from shoal.errors import OptionError
from shoal.evidence import keys as evidence_keys
from shoal.evidence.keys import PASSPHRASE


@click.group(cls=SpellingGroup)
def keys() -> None:
    """Make and show the keys that sign certificates."""


@keys.command(cls=GroupedCommand)
@click.argument("name", type=FILE)
@option("--passphrase", is_flag=True, group=OUTPUT, help="Encrypt NAME.key with a passphrase, which is asked for.")
@json_option
def new(name: Path, passphrase: bool, as_json: bool) -> None:
    """Make a pair of keys: NAME.key signs, NAME.pub checks.

    Keep NAME.key secret: only its owner can read the file. Give NAME.pub to everybody who gets your files.

    \b
    shoal keys new clinic
    shoal anonymize patients.csv -o public.csv --certificate public.cert.json --key clinic.key
    shoal verify public.csv --certificate public.cert.json --public-key clinic.pub
    """
    private, public, key = evidence_keys.new_keys(name, _new_passphrase() if passphrase else None)
    if as_json:
        written = {"private": str(private), "public": str(public), "fingerprint": key.fingerprint}
        console.show_json("keys-new", {**written, "encrypted": passphrase})
        return
    console.table(
        None,
        ["", ""],
        [
            ("signs, keep it secret", str(private)),
            ("checks, give it away", str(public)),
            ("fingerprint", key.fingerprint),
        ],
        right=9,
    )


@keys.command(cls=GroupedCommand)
@click.argument("file", type=INPUT)
@json_option
def show(file: Path, as_json: bool) -> None:
    """Show the kind and the fingerprint of a key file. It never shows the key.

    The fingerprint is the SHA-256 hash of the public key. To trust a public key, compare its fingerprint with one that
    the publisher tells you by another way, such as by telephone.
    """
    about = evidence_keys.describe(file)
    if as_json:
        console.show_json("keys-show", about)
        return
    hidden = "unknown: the key is encrypted, see its .pub file"
    rows = [
        ("kind", f"{about['kind']} key, Ed25519"),
        ("encrypted", "yes" if about["encrypted"] else "no"),
        ("fingerprint", about["fingerprint"] or hidden),
    ]
    console.table(None, ["", ""], rows, right=9)


def ask_passphrase(path: str) -> str | None:
    """Return the passphrase of a key that is encrypted: that of the environment, or what a person answers."""
    return os.environ.get(PASSPHRASE) or _ask(f"Passphrase of {path}")


def _new_passphrase() -> str:
    """Return the passphrase for a new key."""
    given = os.environ.get(PASSPHRASE) or _ask("Passphrase", twice=True)
    if not given:
        raise OptionError(f"There is no terminal to ask for the passphrase: set {PASSPHRASE}.")
    return given


def _ask(question: str, *, twice: bool = False) -> str | None:
    """Ask for a passphrase, if somebody is there to answer."""
    if not sys.stdin.isatty():
        return None
    answer: str = click.prompt(question, hide_input=True, err=True, confirmation_prompt=twice)
    return answer


key_option = option(
    "--key", type=FILE, group=OUTPUT, help="The private key that signs the certificate: 'shoal keys new'."
)


def signing_options(command: Command) -> Command:
    """``--certificate`` and ``--key``, for commands that write a release."""
    certificate = option(
        "--certificate",
        type=FILE,
        group=OUTPUT,
        help="Also write a certificate for recipients: promise, check, losses, hashes.",
    )
    return certificate(key_option(command))
