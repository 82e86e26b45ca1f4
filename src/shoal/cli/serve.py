"""``shoal serve``: open the workbench in the browser."""

from __future__ import annotations

import re
import threading
import webbrowser
from contextlib import ExitStack
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import files
from shoal.cli import console
from shoal.cli.help import DOOR, LIMITS, OUTPUT, GroupedCommand, option
from shoal.cli.options import INPUT
from shoal.errors import OptionError
from shoal.files import atomic_output, bytes_of

if TYPE_CHECKING:
    from shoal.web.server import Address

CONSENT = "--i-know-what-i-am-doing-behind-tls"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
LEAST_MEMORY = 500 * 10**6  # bytes: a process that has only loaded the libraries takes half of it


@click.command(cls=GroupedCommand)
@option("--port", default=0, type=click.IntRange(0, 65535), group=OUTPUT, help="The port. 0: any that is free.")
@option(
    "--workspace",
    default="shoal-workspace",
    type=click.Path(path_type=Path, file_okay=False),
    group=OUTPUT,
    help="The folder of inputs, projects and runs. It is made if it is missing.",
)
@option("--no-browser", is_flag=True, group=OUTPUT, help="Print the link only.")
@option("--max-upload", default="4GB", metavar="SIZE", group=LIMITS, help="The largest file that can be uploaded.")
@option(
    "--memory",
    default=None,
    metavar="SIZE",
    group=LIMITS,
    help="The memory of each process that reads data or runs.",
    show_default="80 % of the machine",
)
@option(
    "--run-time",
    default=240.0,
    type=click.FloatRange(min=0.01),
    metavar="MINUTES",
    group=LIMITS,
    help="How long a run may take.",
)
@option("--max-runs", default=20, type=click.IntRange(1), group=LIMITS, help="How many runs may wait.")
@option(
    "--host",
    default="127.0.0.1",
    group=DOOR,
    rare=True,
    help=f"The address to listen on. One that other computers reach needs {CONSENT} and --token-file.",
)
@option("--allowed-host", multiple=True, group=DOOR, rare=True, help="A name by which browsers call the proxy.")
@option(
    "--token-file",
    type=INPUT,
    group=DOOR,
    rare=True,
    help="A file with the token of the link, of more than 128 bits. By default a new one is drawn.",
)
@option(CONSENT, "consent", is_flag=True, group=DOOR, rare=True, help="A proxy in front speaks HTTPS.")
def serve(
    port: int,
    workspace: Path,
    no_browser: bool,
    max_upload: str,
    memory: str | None,
    run_time: float,
    max_runs: int,
    host: str,
    allowed_host: tuple[str, ...],
    token_file: Path | None,
    consent: bool,
) -> None:
    """Open the workbench: anonymize in the browser.

    It prints a link to a page, which only this computer can open. Data stay in the workspace folder. End it with
    Ctrl+C.

    \b
    shoal serve
    shoal serve --workspace study --port 8000 --no-browser
    """
    from shoal.engines.storage import half_of_memory
    from shoal.web.limits import Limits
    from shoal.web.server import serve

    address = _address(host, port, allowed_host, token_file, consent=consent)
    limits = Limits(
        upload=bytes_of(max_upload, "max_upload"),
        memory=half_of_memory() // 5 * 8 if memory is None else bytes_of(memory, "memory"),
        seconds=run_time * 60,
        queue=max_runs,
    )
    if memory is not None and limits.memory < LEAST_MEMORY:
        raise OptionError(f"--memory must be at least 500MB, which reading small data needs, got {memory}.")
    with ExitStack() as at_end:

        def ready(link: str, folder: Path, own: bool) -> None:
            console.say(f"Shoal workbench: {link}")
            console.say(f"Workspace: {folder}")
            whose = "Only you can open the link." if own else "Whoever has the link can open it: keep it to yourself."
            console.log(f"{whose} End the workbench with Ctrl+C.")
            if not no_browser:
                page = _page_that_opens(link, folder)
                at_end.callback(page.unlink, missing_ok=True)
                threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()

        serve(workspace, address, limits, ready)


def _address(host: str, port: int, allowed_host: tuple[str, ...], token_file: Path | None, *, consent: bool) -> Address:
    """Return where to listen, if that is safe."""
    from shoal.web.door import check_token
    from shoal.web.server import Address

    token = files.load(token_file).text().strip() if token_file is not None else ""
    outside = host not in LOOPBACK
    if outside and not consent:
        raise OptionError(
            f"--host {host} lets other computers reach raw data. If a proxy with HTTPS is in front, say {CONSENT}; "
            f"otherwise leave --host out."
        )
    if outside and not token:
        raise OptionError(
            f"--host {host} needs a token of your own, of more than 128 bits: name its file, --token-file."
        )
    if consent and not allowed_host:
        raise OptionError(f"{CONSENT} needs the name by which browsers call the proxy: --allowed-host NAME.")
    if allowed_host and not consent:
        raise OptionError(f"--allowed-host is for a proxy with HTTPS in front: say {CONSENT}, or leave it out.")
    for name in allowed_host:
        if not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", name):
            raise OptionError(f"--allowed-host must be a name such as shoal.example.org, without a port, got {name}.")
    names = tuple(name.lower() for name in allowed_host)
    if token_file is not None:
        check_token(token)
    return Address(host=host, port=port, names=names, token=token, behind_tls=consent)


def _page_that_opens(link: str, folder: Path) -> Path:
    """Write a page that leads to the link: the words of the command that opens a browser can be read by all users."""
    page = folder / "open.html"
    page.unlink(missing_ok=True)
    with atomic_output(page, private=True) as file:
        file.write(
            f'<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
            f'<meta http-equiv="refresh" content="0;url={escape(link)}"><title>Shoal workbench</title>'.encode()
        )
    return page
