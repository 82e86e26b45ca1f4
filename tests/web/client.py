"""A client of the workbench for tests: plain HTTP, with the cookie and the headers that a browser sends."""

from __future__ import annotations

import http.client
import re
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

PATIENCE = 60.0  # seconds that a task may take
_WAITS = re.compile(r'hx-get="([^"]+)" hx-trigger="load delay')


@dataclass(frozen=True)
class Answer:
    """What the workbench answered."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    @property
    def location(self) -> str:
        """The address that the answer leads to."""
        return str(self.headers["location"])


@dataclass(frozen=True)
class Client:
    """A browser without scripts. ``workspace`` is the folder of the workbench."""

    link: str
    workspace: Path

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return self.link.split("/open")[0]

    @property
    def cookie(self) -> str:
        """The cookie that the link sets."""
        return f"shoal-{urlsplit(self.link).port}={self.link.split('token=')[1]}"

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str | None] | None = None
    ) -> Answer:
        """Send a request. A header that is None is left out."""
        at = urlsplit(self.link)
        assert at.hostname is not None
        all_headers: dict[str, str | None] = {"Cookie": self.cookie, "Origin": None if method == "GET" else self.origin}
        all_headers |= headers or {}
        connection = http.client.HTTPConnection(at.hostname, at.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {name: one for name, one in all_headers.items() if one is not None})
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def get(self, path: str) -> Answer:
        """Return a page."""
        return self.ask("GET", path)

    def post(self, path: str, **fields: str | list[str]) -> Answer:
        """Send a form."""
        return self.ask(
            "POST",
            path,
            urlencode(fields, doseq=True).encode(),
            {"Content-Type": "application/x-www-form-urlencoded"},
        )

    def settled(self, path: str) -> Answer:
        """Return a part of a page that a task fills, when the task has ended."""
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.get(path)
            if not _WAITS.search(answer.text):
                return answer
            assert time.monotonic() < until, f"{path} still waits: {answer.text}"
            time.sleep(0.05)

    def upload(self, name: str, content: bytes) -> Answer:
        """Upload a file."""
        return self.ask("POST", "/uploads", content, {"X-File-Name": quote(name)})

    def project(self, name: str, content: bytes | Path) -> str:
        """Upload a file, begin a project with it, let it be read, and return the project's address."""
        path = self.workspace / "inputs" / name
        if isinstance(content, Path):
            path.write_bytes(content.read_bytes())
        else:
            path.write_bytes(content)
        base = self.post("/projects", file=name).location.removesuffix("/data")
        self.settled(f"{base}/data/found")
        return base
