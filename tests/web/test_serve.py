"""``shoal serve``: what it refuses, whom it answers, and how it ends, also by kill -9 in the middle of a run.

Covers: cli/serve.py, web/server.py, web/connections.py, files/lock.py.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import uvicorn

from shoal.cli.serve import CONSENT, _page_that_opens
from shoal.errors import OptionError
from shoal.files.lock import exclusive_lock
from shoal.web import connections, peers, server
from shoal.web.draft import Draft
from shoal.web.workspace import Workspace
from tests import processes
from tests.conftest import Shell
from tests.web import probe
from tests.web.asgi import OWN, run
from tests.web.client import Client
from tests.web.conftest import serving
from tests.web.test_crew import ended
from tests.web.test_door import DOOR

STRONG = "Zx8-kq2_Tn5vB7wYc1RfLd9sGh3JmPa6"


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "", "192.0.2.1", "127.0.0.2", "localhost.evil.example", "2130706433"]
)
def test_other_computers_need_consent_a_name_and_a_token(shell: Shell, host: str) -> None:
    (shell.folder / "weak").write_text("secret")
    (shell.folder / "lines").write_text(f"{STRONG}\n{STRONG}")
    named = ("--allowed-host", "shoal.example.org")
    for words, wanted in (
        ((), "lets other computers reach raw data"),
        (named, "lets other computers reach raw data"),
        ((CONSENT,), "needs a token of your own"),
        ((CONSENT, *named), "needs a token of your own"),
        ((CONSENT, *named, "--token-file", "weak"), "more than 128 bits"),
        ((CONSENT, *named, "--token-file", "lines"), "one line of letters"),
    ):
        code, _, err = shell("serve", "--no-browser", "--host", host, *words)
        assert (code, wanted in err) == (2, True), err
    assert not (shell.folder / "shoal-workspace").exists()


def test_what_else_is_refused(shell: Shell) -> None:
    (shell.folder / "file").write_text("")
    (shell.folder / "weak").write_text("secret")
    for words, wanted in (
        (("--workspace", "file"), "is a file"),
        (("--workspace", "file/below"), "cannot be a workspace"),
        (("--memory", "10MB"), "at least 500MB"),
        (("--memory", "much"), "must be a size"),
        (("--max-upload", "-1"), "must be a size"),
        (("--run-time", "0"), "0.01"),
        (("--max-runs", "0"), "max-runs"),
        (("--port", "70000"), "port"),
        (("--allowed-host", "shoal.example.org"), "for a proxy"),
        ((CONSENT,), "--allowed-host NAME"),
        ((CONSENT, "--allowed-host", "https://shoal.example.org"), "must be a name"),
        ((CONSENT, "--allowed-host", "shoal.example.org:443"), "must be a name"),
        (("--token-file", "weak"), "more than 128 bits"),
        (("--token-file", "none"), "none"),
    ):
        code, _, err = shell("serve", "--no-browser", *words)
        assert (code, wanted in err) == (2, True), err


def test_a_port_or_a_workspace_in_use(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, _, err = shell("serve", "--no-browser", "--port", str(port))
    assert (code, f"cannot listen on 127.0.0.1, port {port}" in err) == (2, True)
    with exclusive_lock(shell.folder / "shoal-workspace", "busy"):
        code, _, err = shell("serve", "--no-browser")
    assert (code, "Another workbench uses" in err) == (2, True)


def test_small_answers_are_sent_at_once() -> None:
    """Without the name of its protocol, asyncio lets a socket wait 40 ms for more."""
    with server._listening(server.Address()) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_a_package_that_is_missing(shell: Shell) -> None:
    shell.monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, _, err = shell("serve", "--no-browser")
    assert (code, "pip install 'shoal[web]'" in err) == (2, True)


def exchange(client: Client, request: str) -> str:
    """Send the bytes of a request, and return all that comes back."""
    at = client.origin.removeprefix("http://").split(":")
    with socket.create_connection((at[0], int(at[1])), timeout=20) as connection:
        answer = b""
        with suppress(ConnectionError):
            connection.sendall(request.encode("latin-1"))
            while piece := connection.recv(65536):
                answer += piece
    return answer.decode("latin-1")


def test_requests_that_no_browser_sends(client: Client) -> None:
    host = client.origin.removeprefix("http://")
    cookie, end = f"Cookie: {client.cookie}\r\n", "Connection: close\r\n\r\n"
    assert " 200 " in exchange(client, f"GET / HTTP/1.1\r\nHost: {host}\r\n{cookie}{end}")[:20]
    for request, status in (
        (f"GET / HTTP/1.0\r\n{cookie}{end}", "403"),
        (f"GET / HTTP/1.1\r\n{cookie}{end}", "400"),
        (f"GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n{cookie}{end}", "400"),
        (f"GET / HTTP/1.1\r\nHost: evil.example\r\n{cookie}{end}", "403"),
        (f"GET http://evil.example/ HTTP/1.1\r\nHost: {host}\r\n{cookie}{end}", "404"),
        (f"GET http://{host}/open?token=x HTTP/1.1\r\nHost: {host}\r\n{cookie}{end}", "404"),
        (f"CONNECT evil.example:80 HTTP/1.1\r\nHost: {host}\r\n{cookie}{end}", "403"),
        (f"TRACE / HTTP/1.1\r\nHost: {host}\r\n{cookie}{end}", "403"),
        (f"GET / HTTP/1.1\r\nHost: {host}\r\n{cookie}X: {'x' * 200_000}\r\n{end}", "400"),
        (f"GET / HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-Host: evil.example\r\n{end}", "403"),
        (f"GET / HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n{end}", "403"),
        (f"GET /\x00 HTTP/1.1\r\nHost: {host}\r\n{cookie}{end}", "400"),
        (f"POST / HTTP/1.1\r\nHost: {host}\r\n{cookie}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n{end}", "4"),
    ):
        assert exchange(client, request)[9:].startswith(status), request[:200]


def test_the_link_works_again_and_others_do_not(client: Client) -> None:
    for _ in range(2):
        answer = client.ask("GET", client.link.removeprefix(client.origin), headers={"Cookie": None})
        assert (answer.status, answer.location) == (303, "/")
    assert client.ask("GET", "/open?token=x").status == 403
    assert client.ask("GET", "/", headers={"Cookie": None}).status == 403
    assert client.ask("POST", "/projects", b"file=a", {"Origin": None}).status == 403
    assert client.ask("POST", "/projects", b"file=a", {"Origin": "null"}).status == 403
    assert client.ask("OPTIONS", "/").status == 405


def test_a_client_that_sends_nothing_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.1)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(DOOR, http=connections.Connection, ws="none", lifespan="off", log_config=None)
    answering = uvicorn.Server(config)
    whole = "".join(f"{name}: {value}\r\n" for name, value in OWN.items())

    async def talk(*pieces: str) -> bytes:
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        for piece in pieces:
            if not reader.at_eof() and not reader.exception():
                writer.write(piece.encode())
            await asyncio.sleep(0.06)
        answer = b""
        with suppress(ConnectionError):
            answer = await reader.read()
        writer.close()
        return answer

    async def act() -> None:
        serving = asyncio.ensure_future(answering.serve(sockets=[listener]))
        while not answering.started:
            await asyncio.sleep(0.01)
        slow = ["GET / HTTP/1.1\r\n", *(f"X-{number}: a\r\n" for number in range(20))]
        start = time.monotonic()
        answers = await asyncio.gather(
            talk(),
            talk(*slow),
            talk(f"GET / HTTP/1.1\r\n{whole}\r\n"),
            talk(f"GET / HTTP/1.1\r\n{whole}\r\n", *slow),
        )
        assert time.monotonic() - start < 10
        assert [answer.count(b"inside") for answer in answers[:3]] == [0, 0, 1]
        answering.should_exit = True
        await serving

    run(asyncio.wait_for(act(), 30))


def test_a_stranger_is_sent_away_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "may_enter", lambda scope: False)
    listener = socket.create_server(("127.0.0.1", 0))
    own = connections.checked_by(check_owner=True)
    config = uvicorn.Config(DOOR, http=own, ws="none", lifespan="off", log_config=None)
    answering = uvicorn.Server(config)

    async def act() -> None:
        serving = asyncio.ensure_future(answering.serve(sockets=[listener]))
        while not answering.started:
            await asyncio.sleep(0.01)
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        answer = await reader.read()  # it ends without a request
        writer.close()
        assert b"403: This is the workbench of another user" in answer
        assert not answering.server_state.connections
        answering.should_exit = True
        await serving

    run(asyncio.wait_for(act(), 30))


def written(path: Path) -> bool:
    """Return whether a file is there and has content."""
    return path.exists() and path.read_text() != ""


@contextmanager
def started(folder: Path, *words: str, **env: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start the command in a folder, and yield its link. It is killed at the end if it still runs."""
    command = [sys.executable, "-m", "shoal.cli", "serve", *words]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **env}
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        assert found is not None
        yield found.group(), process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_it_opens_a_browser_and_ends_without_a_trace(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\nprintf %s "$1" > asked\n')
    browser.chmod(0o700)
    previous = os.umask(0o022)
    try:
        with started(tmp_path, "--workspace", "ws", BROWSER=str(browser)) as (link, process):
            client = Client(link, tmp_path / "ws")
            assert client.upload("a.csv", b"name,age\nJane Doe,3\nJoe,4\n").status == 201
            base = client.post("/projects", file="a.csv").location.removesuffix("/data")
            client.settled(f"{base}/data/found")
            assert client.upload("b.csv", b"\xff\xfe\x00Jane Doe").status == 201
            broken = client.post("/projects", file="b.csv").location.removesuffix("/data")
            client.settled(f"{broken}/data/found")
            processes.wait_for(lambda: written(tmp_path / "asked"), process)
            page = tmp_path / "ws" / "open.html"
            assert (
                tmp_path / "asked"
            ).read_text() == page.as_uri()  # all users of a computer see the words of commands
            assert link in page.read_text()
            for path in (tmp_path / "ws").rglob("*"):
                assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
            if Path("/proc/self/maps").exists():  # the server reads no data, so it needs nothing to read them with
                loaded = Path(f"/proc/{process.pid}/maps").read_text()
                assert [name for name in ("arrow", "ortools") if name in loaded] == []
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
            assert time.monotonic() - start < 10
    finally:
        os.umask(previous)
    assert process.returncode == 0
    assert "Traceback" not in out + err
    assert "Jane" not in out + err
    assert not page.exists()


def test_behind_a_proxy(shell: Shell) -> None:
    asked: list[server.Address] = []
    shell.monkeypatch.setattr(server, "serve", lambda workspace, address, limits, ready: asked.append(address))
    (shell.folder / "token").write_text(f"{STRONG}\n")
    words = (
        "--host",
        "0.0.0.0",
        "--port",
        "80",
        CONSENT,
        "--allowed-host",
        "Shoal.Example.org",
        "--token-file",
        "token",
    )
    assert shell("serve", *words)[0] == 0
    name = "shoal.example.org"
    assert asked == [server.Address(host="0.0.0.0", port=80, names=(name,), token=STRONG, behind_tls=True)]
    assert server._link(asked[0], 80, STRONG) == f"https://{name}/open?token={STRONG}"
    assert server._link(server.Address(host="::1"), 80, "t") == "http://[::1]:80/open?token=t"


def test_without_consent_only_loopback_is_listened_to() -> None:
    for host in ("0.0.0.0", ""):
        with (
            pytest.raises(OptionError, match="not an address of this computer alone"),
            server._listening(server.Address(host=host)),
        ):
            pass


SERVER = f"""
from pathlib import Path
from shoal.web import page, server
from shoal.web.crew import Worker
from shoal.web.limits import Limits

Worker.program = ("-P", {str(probe.__file__)!r})
made, benches = page.Workbench.__post_init__, []
page.Workbench.__post_init__ = lambda self: (made(self), benches.append(self))[0]

def ready(link, folder, own):
    project = benches[0].workspace.project("a")
    for what in ("wait", "done"):
        tables = {{"data": {{"file": f"inputs/{{what}}.csv"}}}}
        benches[0].runs.add(project, tables, {{"file": "release.csv"}}, {{"title": what}})

server.serve(Path("ws"), server.Address(), Limits(), ready)
"""


def test_a_killed_server_says_what_was_interrupted(tmp_path: Path) -> None:
    place = Workspace.open(tmp_path / "ws")
    for what in ("wait", "done"):
        (place.inputs / f"{what}.csv").write_text(what)
    Draft.of_file("inputs/wait.csv").save(place.new_project("a"))
    folder = place.root / "projects" / "a" / "runs" / "0001"
    with processes.python(SERVER, cwd=tmp_path) as process:
        processes.wait_for(lambda: written(place.root / "began"), process)
        worker = int((place.root / "began").read_text())
        assert (folder / "release.csv").exists()
        process.kill()
        process.wait()
        with serving(tmp_path / "ws") as (client, _):
            page = client.get("/").text
            assert "interrupted" in page
            assert "the workbench ended before it did" in page
        assert ended(worker)
    assert sorted(os.listdir(folder)) == ["message.txt", "problem.toml", "run.json"]
    states = [(path / "run.json").read_text() for path in sorted(folder.parent.iterdir())]
    assert all('"state": "interrupted"' in state for state in states)


def test_a_page_says_that_the_workbench_has_ended(chromium: Any, tmp_path: Path) -> None:
    with serving(tmp_path / "ws") as (client, process):
        base = client.project("ended.basket", b"a,b\na,b\na,c\n" * 3)
        page = chromium.new_page()
        page.goto(client.link)
        page.goto(f"{client.origin}{base}/promise")
        page.get_by_text("This will be promised").wait_for()
        process.kill()
        process.wait()
        page.get_by_label("k", exact=True).fill("2")
        page.get_by_label("k", exact=True).press("Enter")
        page.get_by_text("The workbench does not answer, so nothing more is saved.").wait_for()
        page.context.close()


def test_a_real_browser_gets_in_by_the_page_that_opens(chromium: Any, client: Client, tmp_path: Path) -> None:
    """The page is a file, so the way in begins on another site: browsers hold back the cookie on redirects."""
    page = _page_that_opens(client.link, tmp_path)
    tab = chromium.new_context().new_page()
    tab.goto(page.as_uri())
    tab.get_by_role("heading", name="Anonymize data about people").wait_for()
    assert tab.url == f"{client.origin}/"
    tab.context.close()
