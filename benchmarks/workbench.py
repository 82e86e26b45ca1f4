"""The workbench: how fast it starts and answers, alone, with 20 browsers at once, and while it reads a large file.

The pages are found by following the links and the parts of pages from that of a groceries project, so every step that
exists is measured. A browser here is a connection that stays open, as real ones keep theirs.
"""

from __future__ import annotations

import http.client
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from benchmarks.data import REAL

STARTS, TURNS, CLIENTS = 5, 30, 20
ALIKE = 5  # addresses that differ only in what comes after the ?
PATIENCE = 120.0  # seconds for a task
TARGETS = {"start": 1500.0, "first page": 200.0, "page": 100.0}  # milliseconds
_LINK = re.compile(r'(?:href|hx-get|src)="(/[^"#]*)"')
_WAITS = re.compile(r'hx-trigger="load delay')


@dataclass
class Browser:
    """A browser without scripts. Each thread needs its own."""

    link: str
    times: list[float] = field(default_factory=list)  # of all answers, in milliseconds
    errors: int = 0

    def __post_init__(self) -> None:
        """Connect."""
        at = urlsplit(self.link)
        self._connection = http.client.HTTPConnection(str(at.hostname), at.port, timeout=PATIENCE)
        self._own = {"Cookie": f"shoal-{at.port}={self.link.split('token=')[1]}"}
        self._origin = {"Origin": f"http://{at.netloc}"}

    def get(self, path: str) -> str:
        """Ask for a page, and note how long it took."""
        start = time.perf_counter()
        status, body, _ = self._ask("GET", path, None, self._own)
        self.times.append(1000 * (time.perf_counter() - start))
        self.errors += status >= 400
        return body

    def settled(self, path: str) -> str:
        """Ask for a part of a page until the task behind it has ended."""
        until = time.monotonic() + PATIENCE
        while _WAITS.search(body := self.get(path)) and time.monotonic() < until:
            time.sleep(0.1)
        return body

    def post(self, path: str, **fields: str) -> str:
        """Send a form, note how long it took, and return where it leads."""
        start = time.perf_counter()
        status, _, location = self._ask("POST", path, urlencode(fields).encode(), {**self._own, **self._origin})
        self.times.append(1000 * (time.perf_counter() - start))
        self.errors += status >= 400
        return location

    def upload(self, file: Path) -> None:
        """Upload a file."""
        named = {**self._own, **self._origin, "X-File-Name": quote(file.name)}
        self.errors += self._ask("POST", "/uploads", file.read_bytes(), named)[0] != 201

    def project(self, file: Path) -> str:
        """Upload a file, begin a project with it, and return its address."""
        self.upload(file)
        return self.post("/projects", file=file.name).removesuffix("/data")

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, str, str]:
        for last in (False, True):
            try:
                self._connection.request(method, path, body, headers)
                answer = self._connection.getresponse()
                content = answer.read().decode("utf-8", "replace")
                return answer.status, content, answer.headers.get("location", "")
            except (http.client.RemoteDisconnected, ConnectionError, http.client.CannotSendRequest):
                self._connection.close()  # the server closes connections that are idle, as browsers know
                if last:
                    raise
        raise AssertionError


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, float]]:
    """Start a workbench, and yield its link and the milliseconds that this took."""
    command = [sys.executable, "-m", "shoal.cli", "serve", "--no-browser", "--workspace", str(folder)]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        assert found is not None
        yield found.group(), 1000 * (time.perf_counter() - start)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


def rows(seconds: float = 60.0) -> Iterator[dict[str, Any]]:
    """Measure all. ``seconds``: how long 20 browsers ask at once."""
    if not REAL.is_dir():
        return
    with tempfile.TemporaryDirectory() as folder:
        yield from _starts(Path(folder))
        with serving(Path(folder) / "workspace") as (link, _):
            browser = Browser(link)
            base = browser.project(REAL / "groceries" / "transactions.basket")
            browser.upload(REAL / "groceries" / "hierarchy.csv")
            _run(browser, base)
            pages = found_pages(browser, base)
            yield from _pages(link, pages)
            yield from _forms(link, base)
            yield _together(link, pages, seconds)
            yield from _beside_a_large_file(link, pages)


def _starts(folder: Path) -> Iterator[dict[str, Any]]:
    """Start several times."""
    starts, firsts = [], []
    for number in range(STARTS):
        with serving(folder / f"start {number}") as (link, taken):
            starts.append(taken)
            browser = Browser(link)
            browser.get("/")
            firsts += browser.times
    yield _row("start until the link is printed", starts, TARGETS["start"])
    yield _row("first page", firsts, TARGETS["first page"])


def found_pages(browser: Browser, base: str) -> list[str]:
    """Return all addresses that can be reached from a project without sending a form, when their tasks have ended."""
    browser.settled(f"{base}/data/found")
    seen: dict[str, str] = {}  # with the part before the ?
    queue = [f"{base}/data"]
    while queue:
        path = queue.pop(0)
        kind = path.partition("?")[0]
        if path in seen or list(seen.values()).count(kind) == ALIKE:
            continue
        if not path.startswith((base, "/static/")) and path != "/":
            continue
        seen[path] = kind
        queue += [unescape(link) for link in _LINK.findall(browser.settled(path))]
    return list(seen)


def _pages(link: str, pages: list[str]) -> Iterator[dict[str, Any]]:
    """Ask for each page several times. Those that differ only after the ? are one row."""
    every: list[float] = []
    for kind in dict.fromkeys(path.partition("?")[0] for path in pages):
        browser = Browser(link)
        for path in (one for one in pages if one.partition("?")[0] == kind):
            for _ in range(TURNS):
                browser.get(path)
        every += browser.times
        yield _row(re.sub(r"^/projects/[^/]+", "", kind), browser.times, TARGETS["page"], browser.errors)
    yield _row("all pages", every, TARGETS["page"])


def _run(browser: Browser, base: str) -> None:
    """Choose a hierarchy, and carry out a run, so that the pages of its result have something to show."""
    browser.settled(f"{base}/data/found")
    browser.post(f"{base}/hierarchy/choose", of="items", file="hierarchy.csv")
    browser.post(f"{base}/promise/settings", of="km", k="5", m="1")
    browser.post(f"{base}/runs", certificate="yes", explanations="yes")
    until = time.monotonic() + PATIENCE
    while ">done<" not in browser.get(f"{base}/runs/list") and time.monotonic() < until:
        time.sleep(0.2)


def _forms(link: str, base: str) -> Iterator[dict[str, Any]]:
    """Send the forms that answer at once several times, with other values each time."""
    forms: dict[str, Callable[[int], dict[str, str]]] = {
        "promise/model": lambda at: {"model": ("km", "transactional-k")[at % 2]},
        "promise/settings": lambda at: {"of": "km", "k": str(2 + at), "m": "2"},
        "promise/point": lambda at: {"point": f"k={2 + at},m=1"},
        "promise/search": lambda at: {"text": "milk beer rice"[at % 10 :]},
        "hierarchy/search": lambda at: {"of": "items", "text": "milk beer rice"[at % 10 :]},
        "result/records/search": lambda at: {"run": "1", "find": "milk"},
        "result/groups/search": lambda at: {"run": "1", "find": "milk"},
    }
    every: list[float] = []
    for path, values in forms.items():
        browser = Browser(link)
        if path.startswith("promise/"):
            browser.post(f"{base}/promise/model", model="km")
            browser.times.clear()
        for at in range(TURNS):
            browser.post(f"{base}/{path}", **values(at))
        every += browser.times
        yield _row(f"form {path}", browser.times, TARGETS["page"], browser.errors)
    yield _row("all forms", every, TARGETS["page"])


def _together(link: str, pages: list[str], seconds: float) -> dict[str, Any]:
    """Let several browsers ask at once, as fast as they get answers."""
    until = time.monotonic() + seconds
    browsers = [Browser(link) for _ in range(CLIENTS)]

    def ask(browser: Browser, drawn: random.Random) -> None:
        while time.monotonic() < until:
            try:
                browser.get(drawn.choice(pages))
            except (OSError, http.client.HTTPException):
                browser.errors += 1

    threads = [threading.Thread(target=ask, args=(one, random.Random(at))) for at, one in enumerate(browsers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = [taken for browser in browsers for taken in browser.times]
    return _row(f"{CLIENTS} browsers for {seconds:g} s", times, None, sum(browser.errors for browser in browsers))


def _beside_a_large_file(link: str, pages: list[str]) -> Iterator[dict[str, Any]]:
    """Ask for pages while a large file is uploaded and read."""
    parts = {"upload of 13 MB": 0.0, "profile of 1.5 million lines": 0.0}
    done, visitor, worker = threading.Event(), Browser(link), Browser(link)

    def visit() -> None:
        drawn = random.Random(0)
        while not done.is_set():
            visitor.get(drawn.choice(pages))
            time.sleep(0.02)

    thread = threading.Thread(target=visit)
    thread.start()
    try:
        start = time.perf_counter()
        base = worker.project(REAL / "complete-journey" / "transactions.parquet")
        parts["upload of 13 MB"] = 1000 * (time.perf_counter() - start)
        start = time.perf_counter()
        worker.settled(f"{base}/data/found")
        parts["profile of 1.5 million lines"] = 1000 * (time.perf_counter() - start)
    finally:
        done.set()
        thread.join()
    for name, taken in parts.items():
        yield _row(name, [taken], None, worker.errors)
    yield _row("pages of groceries meanwhile", visitor.times, TARGETS["page"], visitor.errors)


def _row(what: str, times: list[float], target: float | None, errors: int = 0) -> dict[str, Any]:
    """Return a row of the table. The target is for the 95th percentile."""
    ordered = sorted(times)
    middle, high = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return {
        "what": what,
        "answers": len(ordered),
        "p50 ms": round(middle, 1),
        "p95 ms": round(high, 1),
        "most ms": round(ordered[-1], 1),
        "target p95": "" if target is None else f"{target:g}",
        "met": "" if target is None else "yes" if high <= target else "no",
        "errors": errors,
    }
