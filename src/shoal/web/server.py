"""The server: the application behind its door, on a port of this computer."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from shoal.errors import OptionError
from shoal.files.lock import exclusive_lock
from shoal.web.limits import Limits

CONNECTIONS = 200


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where the workbench listens, and how browsers name it."""

    host: str = "127.0.0.1"
    port: int = 0  # 0: any that is free
    names: tuple[str, ...] = ()  # further host names, of a proxy in front
    token: str = ""  # empty: a new one
    behind_tls: bool = False  # a proxy in front speaks HTTPS


def serve(workspace: Path, address: Address, limits: Limits, on_ready: Callable[[str, Path, bool], None]) -> None:
    """Serve the workbench until the user ends it.

    ``on_ready`` is called with the link, the workspace, and whether connections of other users are refused, when
    browsers can connect.
    """
    try:
        import uvicorn

        from shoal.web import peers
        from shoal.web.app import application
        from shoal.web.connections import checked_by
        from shoal.web.door import LOOPBACK, Door, new_token
        from shoal.web.page import Workbench
        from shoal.web.workspace import Workspace
    except ImportError as error:
        raise OptionError(
            f"The workbench needs the package {error.name}: install it with pip install 'shoal[web]'."
        ) from None
    with _private_files():
        place = Workspace.open(workspace)
        busy = f"Another workbench uses {place.root}: open its link, end it, or name another workspace."
        with exclusive_lock(place.root, busy), _listening(address) as listener:
            port = int(listener.getsockname()[1])
            token = address.token or new_token()
            check_owner = not address.behind_tls and peers.are_known(address.host)
            door = Door(
                application(Workbench(place, limits)),
                token,
                hosts=address.names if address.behind_tls else LOOPBACK,
                port=None if address.behind_tls else port,
                secure=address.behind_tls,
                check_owner=check_owner,
            )
            config = uvicorn.Config(
                door,
                http=checked_by(check_owner=check_owner),
                ws="none",
                proxy_headers=False,  # a client could pretend to be another one
                log_config=None,
                log_level="critical",  # a log would name files
                access_log=False,
                lifespan="on",
                limit_concurrency=CONNECTIONS,
                server_header=False,
                timeout_graceful_shutdown=2,
                h11_max_incomplete_event_size=32_768,
            )
            link = _link(address, port, token)
            with suppress(KeyboardInterrupt):
                asyncio.run(_run(uvicorn.Server(config), listener, lambda: on_ready(link, place.root, check_owner)))


async def _run(server: Any, listener: socket.socket, on_ready: Callable[[], None]) -> None:
    """Serve until the user ends it."""
    # What a task raises is shown by the page that waits for it. In a log it would quote data.
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    ready = asyncio.ensure_future(_when_ready(server))
    ready.add_done_callback(lambda done: None if done.cancelled() else on_ready())
    await server.serve(sockets=[listener])


@contextmanager
def _private_files() -> Iterator[None]:
    """Let only this user read what is written, here and in workers."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


async def _when_ready(server: Any) -> None:
    """Wait until the server has started."""
    while not server.started:
        await asyncio.sleep(0.01)


def _link(address: Address, port: int, token: str) -> str:
    """Return the link that opens the workbench."""
    if address.names:
        return f"https://{address.names[0]}/open?token={token}"
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"http://{host}:{port}/open?token={token}"


@contextmanager
def _listening(address: Address) -> Iterator[socket.socket]:
    """Listen on the port, or tell why that cannot be."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # asyncio sends small answers at once only if the protocol is named; otherwise, each takes 40 ms more.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # elsewhere, it would let another program listen on the same port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise OptionError(
            f"The workbench cannot listen on {address.host}, port {address.port}: {error.strerror}. Choose another "
            f"port=, or none for one that is free."
        ) from None
    with listener:
        if not address.behind_tls and not ip_address(listener.getsockname()[0]).is_loopback:
            raise OptionError(f"{address.host} is not an address of this computer alone: listen on 127.0.0.1.")
        yield listener
