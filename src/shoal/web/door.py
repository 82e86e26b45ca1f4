"""The door: who may talk to the workbench, and what every answer tells the browser.

Any page in the user's browser can send requests to this computer, and any program on it can, too. So each request must
carry the cookie that the printed link sets, name this server as its host (against DNS rebinding), and come from its own
pages (against forged requests). All others get a 403.

The link can be used again: a second browser, or one that was closed, needs it, and it ends with the server. It is never
in a page, so no other site sees it as the address that led there.
"""

from __future__ import annotations

import hmac
import math
import re
import secrets
import zlib
from collections.abc import Collection
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoal.errors import OptionError
from shoal.web import peers

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LEAST_BITS = 128  # of a token for other computers than this one
SAFE = ("GET", "HEAD")
ONCE = ("host", "origin", "sec-fetch-site", "sec-fetch-mode")  # headers that a request has once, or not at all
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# A report is a page of its own: its style is inline, and it has no scripts, forms or links to here.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'"
HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Referrer-Policy": "same-origin",  # with no-referrer, the forms of our own pages would name no origin
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def new_token() -> str:
    """Return a random token of 256 bits."""
    return secrets.token_urlsafe(32)


def check_token(token: str) -> str:
    """Return a token that the user chose, if it fits into a link and is long enough for other computers.

    The number of bits is an estimate: of letters drawn at random, and of what is left when repetitions are packed.

    >>> check_token("correct-horse")
    Traceback (most recent call last):
    shoal.errors.OptionError: The token must have more than 128 bits ... got about 39: ...
    """
    if not re.fullmatch(r"[A-Za-z0-9._~-]*", token):
        raise OptionError(
            "The token must be one line of letters, digits, and the marks . _ ~ -, because it is part of a link."
        )
    packed = 8 * len(zlib.compress(token.encode(), wbits=-15))
    bits = min(packed, int(len(token) * math.log2(max(1, len(set(token))))))
    if bits <= LEAST_BITS:
        raise OptionError(
            f"The token must have more than {LEAST_BITS} bits when other computers can reach the workbench, got about "
            f"{bits}: write one with python -c 'import secrets; print(secrets.token_urlsafe(32))'."
        )
    return token


@dataclass(frozen=True)
class Door:
    """An ASGI application that lets only the user's own browser through to another one.

    Parameters
    ----------
    app
        The application behind the door.
    token
        The secret of the printed link.
    hosts
        The names by which this server may be addressed, without ports.
    port
        The port that requests must name, or None if a proxy in front has another one.
    secure
        Whether browsers reach this server by HTTPS only.
    check_owner
        Whether connections must belong to the user who runs this server.
    """

    app: ASGIApp
    token: str
    hosts: Collection[str] = LOOPBACK
    port: int | None = None
    secure: bool = False
    check_owner: bool = False

    @property
    def cookie(self) -> str:
        """The name of the cookie. Cookies of one computer are shared by all ports, so each server has its own name."""
        return f"shoal-{self.port}" if not self.secure else "__Host-shoal"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return
        request = Request(scope)
        if not self._is_ours(request):
            answer: ASGIApp = _refused("This address is for pages of the workbench only.")
        elif self.check_owner and not peers.may_enter(scope):
            answer = _refused("This is the workbench of another user of this computer.")
        elif scope["path"] == "/open":
            answer = self._open(request)
        elif not any(map(self._same, self._cookies(request))):
            answer = _refused("Open the workbench by the link that 'shoal serve' printed.")
        else:
            answer = self.app
        await answer(scope, receive, _with_headers(send))

    def _is_ours(self, request: Request) -> bool:
        """Return whether the request names this server, and comes from its own pages or from the user."""
        headers = request.headers
        if any(len(headers.getlist(name)) > 1 for name in ONCE):
            return False
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        if not self._names_us(host) or origin not in (None, f"{'https' if self.secure else 'http'}://{host}"):
            return False
        site = headers.get("sec-fetch-site", "none" if origin is None else "same-origin")
        if request.method in SAFE:
            # A link in a mail or another page may lead here, but nothing may be embedded or fetched from elsewhere.
            leads_here = headers.get("sec-fetch-mode", "navigate") == "navigate"
            return site in ("none", "same-origin") or (request.scope["path"] == "/open" and leads_here)
        return origin is not None and site == "same-origin"

    def _names_us(self, address: str) -> bool:
        """Return whether a host with its port is this server."""
        found = re.fullmatch(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?", address, re.ASCII)
        if found is None or found[1].strip("[]") not in self.hosts:
            return False
        return self.port is None or int(found[2] or (443 if self.secure else 80)) == self.port

    def _cookies(self, request: Request) -> list[str]:
        """Return all cookies of our name: servers on other ports of this computer can set some, too."""
        pairs = [one.strip().partition("=") for one in request.headers.get("cookie", "").split(";")]
        return [value for name, _, value in pairs if name == self.cookie]

    def _same(self, given: str) -> bool:
        """Compare with the token in constant time."""
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _open(self, request: Request) -> Response:
        """Exchange the token of the link for a cookie."""
        if request.method not in SAFE or not self._same(request.query_params.get("token", "")):
            return _refused("This link is not, or no longer, valid: use the one that 'shoal serve' printed last.")
        answer: Response = RedirectResponse("/", status_code=303)
        if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            # After a link in another page, browsers send the cookie only if a page of ours leads on.
            answer = HTMLResponse(_ON)
        answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", secure=self.secure, path="/")
        answer.headers["Referrer-Policy"] = "no-referrer"  # the address holds the token
        return answer


_ON = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>Shoal workbench</title>
</head><body><p><a href="/">Go to the workbench</a></p></body></html>
"""


def _refused(why: str) -> Response:
    """Return the answer to requests that may not pass."""
    return PlainTextResponse(f"403: {why}\n", status_code=403, headers={"Connection": "close"})


def _with_headers(send: Send) -> Send:
    """Add the headers that protect the user to every answer. What an answer sets itself stays, but for caching."""

    async def protected(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Cache-Control"] = "no-store"
            for name, value in {"Content-Security-Policy": POLICY, **HEADERS}.items():
                headers.setdefault(name, value)
        await send(message)

    return protected
