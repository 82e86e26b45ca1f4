"""Requests to an ASGI application without a socket, so that attacks can send what no HTTP client would."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.web.door import Door

TOKEN = "a-token-of-the-tests"
PORT = 8000
HOST = f"127.0.0.1:{PORT}"
COOKIE = f"shoal-{PORT}={TOKEN}"
OWN = {"host": HOST, "cookie": COOKIE}
POSTED = {**OWN, "origin": f"http://{HOST}"}
Headers = dict[str, str] | Sequence[tuple[str, str]]


@dataclass
class Reply:
    """What an application answered."""

    status: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """Return a header, or None."""
        return next((value for known, value in self.headers if known == name), None)

    @property
    def text(self) -> str:
        """Return the body as text."""
        return self.body.decode()


def knock(
    app: Any,
    method: str = "GET",
    path: str = "/",
    headers: Headers = (),
    body: bytes | Sequence[bytes | None] = b"",
    query: str = "",
    **scope: Any,
) -> Reply:
    """Send a request. A piece of the body that is None is a client that goes away."""
    return asyncio.run(aknock(app, method, path, headers, body, query, **scope))


async def aknock(
    app: Any,
    method: str = "GET",
    path: str = "/",
    headers: Headers = (),
    body: bytes | Sequence[bytes | None] = b"",
    query: str = "",
    **scope: Any,
) -> Reply:
    """Send a request inside a loop that runs."""
    pairs = headers.items() if isinstance(headers, dict) else headers
    pieces = [body] if isinstance(body, bytes) else list(body)
    reply = Reply()

    async def receive() -> dict[str, Any]:
        piece = pieces.pop(0) if pieces else None
        if piece is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            reply.status = message["status"]
            reply.headers = [(name.decode().lower(), value.decode()) for name, value in message["headers"]]
        else:
            reply.body += message.get("body", b"")

    about = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in pairs],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", PORT),
        **scope,
    }
    try:
        await app(about, receive, send)
    except Exception as error:  # Starlette answers, and raises it again for the server's log
        if not reply.status:
            raise AssertionError("no answer") from error
    return reply


def app_of(folder: Path, **limits: Any) -> Door:
    """Return the workbench of a folder behind its door, without a server and without workers."""
    from shoal.web.app import application
    from shoal.web.limits import Limits
    from shoal.web.page import Workbench
    from shoal.web.workspace import Workspace

    return Door(application(Workbench(Workspace.open(folder), Limits(**limits))), TOKEN, port=PORT)
