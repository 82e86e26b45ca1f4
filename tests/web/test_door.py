"""The door of the workbench: each attack on it is a test.

Covers: web/door.py, web/peers.py, web/app.py, web/page.py, web/pages/home.py.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from shoal.errors import OptionError
from shoal.web import peers
from shoal.web.door import HEADERS, POLICY, Door, check_token, new_token
from tests.web.asgi import COOKIE, HOST, OWN, PORT, POSTED, TOKEN, Headers, Reply, app_of, knock, run


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer whoever is let through."""
    await PlainTextResponse("inside")(scope, receive, send)


DOOR = Door(inside, TOKEN, port=PORT)
PROXIED = Door(inside, TOKEN, hosts=("shoal.example.org",), port=None, secure=True)


def is_in(reply: Reply) -> bool:
    """Return whether a request was let through."""
    assert (reply.status, reply.text == "inside") in ((200, True), (403, False))
    return reply.status == 200


def test_the_own_browser_is_let_through() -> None:
    assert is_in(knock(DOOR, headers=OWN))
    assert is_in(knock(DOOR, "HEAD", headers=OWN))
    assert is_in(knock(DOOR, headers={**OWN, "sec-fetch-site": "none", "sec-fetch-mode": "navigate"}))
    assert is_in(knock(DOOR, headers={**OWN, "host": f"localhost:{PORT}"}))
    assert is_in(knock(DOOR, headers={**OWN, "host": f"LocalHost:{PORT}"}))
    assert is_in(knock(DOOR, headers={**OWN, "host": f"[::1]:{PORT}"}))
    assert is_in(knock(DOOR, "POST", headers=POSTED))
    assert is_in(knock(DOOR, "POST", headers={**POSTED, "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}))


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",  # DNS rebinding
        f"evil.example:{PORT}",
        f"127.0.0.1.evil.example:{PORT}",
        f"evil.example#127.0.0.1:{PORT}",
        f"evil@127.0.0.1:{PORT}",
        f"127.0.0.1:{PORT}@evil.example",
        f"127.0.0.1:{PORT}/open?",
        f"127.0.0.1:{PORT}/",
        f"127.0.0.1:{PORT} ",
        f"localhost.:{PORT}",
        f"127.0.0.2:{PORT}",
        f"0.0.0.0:{PORT}",
        f"2130706433:{PORT}",
        f"[::ffff:127.0.0.1]:{PORT}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1:99999",
        "127.0.0.1:\u0668\u0660\u0660\u0660".encode().decode("latin-1"),
        "",
        "::1",
        "[::1",
    ],
)
def test_no_other_name_of_the_server_is_accepted(host: str) -> None:
    assert not is_in(knock(DOOR, headers={**OWN, "host": host}))
    assert not is_in(knock(DOOR, "POST", headers={**OWN, "host": host, "origin": f"http://{host}"}))


def test_a_request_needs_one_host() -> None:
    assert not is_in(knock(DOOR, headers={"cookie": COOKIE}))
    assert not is_in(knock(DOOR, headers={"cookie": COOKIE}, http_version="1.0"))


@pytest.mark.parametrize(
    ("name", "second"),
    [
        ("host", "evil.example"),
        ("origin", "http://evil.example"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "no-cors"),
    ],
)
def test_a_header_that_counts_occurs_once(name: str, second: str) -> None:
    first: Headers = [*POSTED.items(), ("sec-fetch-site", "same-origin"), ("sec-fetch-mode", "cors")]
    assert is_in(knock(DOOR, "POST", headers=first))
    assert not is_in(knock(DOOR, "POST", headers=[*first, (name, second)]))
    assert not is_in(knock(DOOR, "POST", headers=[(name, second), *first]))


@pytest.mark.parametrize(
    "origin",
    [
        "null",  # a sandboxed frame, a local file, a redirect of another site
        "",
        "http://evil.example",
        f"http://evil.example:{PORT}",
        f"https://{HOST}",
        f"http://localhost:{PORT}",  # another user may listen there, by another protocol
        "http://127.0.0.1:9999",
        "http://127.0.0.1",
        f"http://{HOST}.evil.example",
        f"http://{HOST}/",
        f"http://evil@{HOST}",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_other_origin_is_accepted(method: str, origin: str) -> None:
    assert not is_in(knock(DOOR, method, headers={**OWN, "origin": origin}))


def test_what_changes_something_needs_an_origin() -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "FOO"):
        assert not is_in(knock(DOOR, method, headers=OWN)), method


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
def test_other_sites_embed_link_and_post_nothing(site: str) -> None:
    for mode in ("navigate", "no-cors", "cors", "same-origin", "websocket"):
        told = {**OWN, "sec-fetch-site": site, "sec-fetch-mode": mode}
        assert not is_in(knock(DOOR, headers=told))
        assert not is_in(knock(DOOR, "POST", headers={**POSTED, **told}))
    assert not is_in(knock(DOOR, "POST", headers={**POSTED, "sec-fetch-site": "none"}))


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        f"shoal-{PORT}=",
        f"shoal-{PORT}",
        f"shoal-{PORT}={TOKEN[:-1]}",
        f"shoal-{PORT}={TOKEN}x",
        f"shoal-{PORT}={TOKEN.upper()}",
        f"shoal-{PORT + 1}={TOKEN}",  # the workbench on another port
        f"xshoal-{PORT}={TOKEN}",
        f"other=1, shoal-{PORT}={TOKEN}",
        f"shoal-{PORT}=\xe9",
    ],
)
def test_only_the_whole_token_opens(cookie: str) -> None:
    assert not is_in(knock(DOOR, headers={"host": HOST, "cookie": cookie}))
    assert not is_in(knock(DOOR, headers={"host": HOST}))


def test_cookies_of_other_ports_do_not_lock_the_user_out() -> None:
    for cookie in (f"shoal-{PORT}=tossed; {COOKIE}", f"{COOKIE}; shoal-{PORT}=tossed", f"a=b;{COOKIE}"):
        assert is_in(knock(DOOR, headers={"host": HOST, "cookie": cookie}))


def test_the_link_sets_a_cookie_that_scripts_and_other_sites_do_not_get() -> None:
    reply = knock(DOOR, path="/open", headers={"host": HOST}, query=f"token={TOKEN}")
    assert (reply.status, reply.header("location")) == (303, "/")
    cookie = reply.header("set-cookie") or ""
    assert cookie.startswith(f"{COOKIE};")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert reply.header("referrer-policy") == "no-referrer"
    assert "Secure" in (
        knock(PROXIED, path="/open", headers={"host": "shoal.example.org"}, query=f"token={TOKEN}").header("set-cookie")
        or ""
    )


def test_after_a_link_in_another_page_a_page_of_ours_leads_on() -> None:
    from_afar = {"host": HOST, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    reply = knock(DOOR, path="/open", headers=from_afar, query=f"token={TOKEN}")
    assert reply.status == 200
    assert 'content="0;url=/"' in reply.text
    assert TOKEN not in reply.text
    assert reply.header("set-cookie")


@pytest.mark.parametrize(
    "query", ["", "token=", "token=x", f"Token={TOKEN}", f"token={TOKEN[:-1]}", f"token={TOKEN}&token=x"]
)
def test_a_wrong_link_sets_no_cookie(query: str) -> None:
    reply = knock(DOOR, path="/open", headers={"host": HOST}, query=query)
    assert (reply.status, reply.header("set-cookie")) == (403, None)


def test_the_link_is_neither_embedded_nor_posted() -> None:
    for mode in ("no-cors", "cors", "same-origin"):
        told = {"host": HOST, "sec-fetch-site": "cross-site", "sec-fetch-mode": mode}
        assert knock(DOOR, path="/open", headers=told, query=f"token={TOKEN}").status == 403
    assert knock(DOOR, "POST", "/open", POSTED, query=f"token={TOKEN}").status == 403
    assert knock(DOOR, path="/open", headers={"host": "evil.example"}, query=f"token={TOKEN}").status == 403


@pytest.mark.parametrize("path", ["/open", "/open/", "//open", "http://evil.example/open", "*", "evil.example:443"])
def test_no_form_of_an_address_gets_past_the_door(path: str) -> None:
    assert knock(DOOR, path=path, headers={"host": HOST}).status == 403


def test_every_answer_protects_the_user(tmp_path: Path) -> None:
    app = app_of(tmp_path / "ws")
    asked: list[tuple[str, str, Headers]] = [
        ("GET", "/", OWN),
        ("HEAD", "/", OWN),
        ("GET", "/static/htmx.js", OWN),
        ("GET", "/static/none.js", OWN),
        ("GET", "/nothing", OWN),
        ("GET", "/projects/none/data", OWN),
        ("POST", "/", POSTED),
        ("GET", "/", {}),
        ("OPTIONS", "/", {"host": HOST, "origin": "http://evil.example", "access-control-request-method": "POST"}),
    ]
    for method, path, headers in asked:
        reply = knock(app, method, path, headers)
        assert reply.header("cache-control") == "no-store", path
        assert reply.header("content-security-policy") == POLICY
        assert {name: reply.header(name.lower()) for name in HEADERS} == HEADERS
        assert not [name for name, _ in reply.headers if name.startswith("access-control-")]
    assert "unsafe" not in POLICY
    assert "http" not in POLICY


def test_web_sockets_are_refused() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message["type"])

    run(DOOR({"type": "websocket"}, send, send))  # type: ignore[arg-type]
    assert sent == ["websocket.close"]


def test_behind_a_proxy_only_its_name_counts() -> None:
    own = {"host": "shoal.example.org", "cookie": f"__Host-shoal={TOKEN}"}
    assert is_in(knock(PROXIED, headers=own))
    assert is_in(knock(PROXIED, headers={**own, "host": "shoal.example.org:8443"}))
    assert is_in(knock(PROXIED, "POST", headers={**own, "origin": "https://shoal.example.org"}))
    assert not is_in(knock(PROXIED, "POST", headers={**own, "origin": "http://shoal.example.org"}))
    assert not is_in(knock(PROXIED, headers={**own, "host": "127.0.0.1"}))
    assert not is_in(knock(PROXIED, headers={**own, "cookie": COOKIE}))


def test_a_port_that_browsers_leave_out() -> None:
    door = Door(inside, TOKEN, port=80)
    assert is_in(knock(door, headers={"host": "127.0.0.1", "cookie": f"shoal-80={TOKEN}"}))


def test_a_token_has_many_bits() -> None:
    assert check_token(new_token())
    assert len({new_token() for _ in range(10)}) == 10
    for weak in ("", "secret", "ab" * 200, "0123456789" * 20, "0123456789abcdef0123456789abcdef"):
        with pytest.raises(OptionError, match="128 bits"):
            check_token(weak)
    for unfit in (f"{new_token()}\n{new_token()}", f"{new_token()}&a=b", f"{new_token()}; Path=/x", "ü" * 60):
        with pytest.raises(OptionError, match="part of a link"):
            check_token(unfit)


def open_sockets() -> tuple[socket.socket, socket.socket, socket.socket]:
    """Return a listener, a client and the server's end of their connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(listener.getsockname())
    return listener, client, listener.accept()[0]


@pytest.mark.skipif(not peers.are_known("127.0.0.1"), reason="this system does not tell the owners of connections")
def test_connections_of_other_users_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    listener, client, server = open_sockets()
    door = Door(inside, TOKEN, port=PORT, check_owner=True)
    at = {"client": client.getsockname(), "server": server.getsockname()}
    with listener, client, server:
        assert peers.owner(client.getsockname(), server.getsockname()) == os.geteuid()
        assert is_in(knock(door, headers=OWN, **at))
        monkeypatch.setattr(peers, "owner", lambda client, server: os.geteuid() + 1)
        assert not is_in(knock(door, headers=OWN, **at))
        assert not is_in(knock(door, headers=OWN, client=None))
        monkeypatch.undo()
        kept = {"state": {peers.CONNECTION: {}}, **at}  # what is known of a connection is not asked again
        assert is_in(knock(door, headers=OWN, **kept))
        client.close()  # now it is shown as one of root, and must not count
        assert not is_in(knock(door, headers=OWN, **at))
        assert is_in(knock(door, headers=OWN, **kept))
    assert not is_in(knock(door, headers=OWN, **at))
    assert is_in(knock(DOOR, headers=OWN, **at))


def test_where_the_system_tells_no_owners(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(peers, "TABLES", {4: tmp_path / "none", 6: tmp_path / "none"})
    assert not peers.are_known("127.0.0.1")


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        (f"http://{HOST}/projects/a/data", f"http://{HOST}/projects/a/data"),
        ("javascript:alert(1)", "/"),
        ("http://evil.example/projects/", "/"),
        (f"http://{HOST}//evil.example", "/"),
        (f"http://{HOST}.evil.example/projects/", "/"),
        (f"http://{HOST}/open?token=x", "/"),
        (f'http://{HOST}/projects/"><script>', f"http://{HOST}/projects/&#34;&gt;&lt;script&gt;"),
    ],
)
def test_an_error_page_leads_back_to_our_pages_only(tmp_path: Path, referer: str, back: str) -> None:
    reply = knock(app_of(tmp_path / "ws"), path="/nothing", headers={**OWN, "referer": referer})
    assert reply.status == 404
    assert f'<a href="{back}">Go back</a>' in reply.text


def test_a_bug_shows_its_kind_and_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("Jane Doe, HIV")

    app = app_of(tmp_path / "ws")
    monkeypatch.setattr("shoal.web.workspace.Workspace.projects", broken)
    reply = knock(app, headers=OWN)
    assert reply.status == 500
    assert "KeyError" in reply.text
    assert "Jane" not in reply.text
    assert "Traceback" not in reply.text
    assert reply.header("cache-control") == "no-store"


@pytest.mark.parametrize(
    "path", ["/projects/../data", "/projects/..%2f/data", "/static/../app.py", "/static/..%2fapp.py"]
)
def test_addresses_lead_to_no_files(tmp_path: Path, path: str) -> None:
    from urllib.parse import unquote

    assert knock(app_of(tmp_path / "ws"), path=unquote(path), headers=OWN).status in (400, 404)


def test_a_form_has_limits(tmp_path: Path) -> None:
    app = app_of(tmp_path / "ws")
    for body in (b"a=" + b"x" * (1 << 20), b"&".join([b"a=b"] * 3000), b"a=%00", b"a=%ff", b"\xff=1"):
        assert knock(app, "POST", "/projects", POSTED, body).status == 400
