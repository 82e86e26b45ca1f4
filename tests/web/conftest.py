"""A running workbench, and a real browser where one is installed."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.web.client import Client

CHROMIUM = shutil.which("chromium")


@contextmanager
def serving(workspace: Path, *words: str) -> Iterator[tuple[Client, subprocess.Popen[str]]]:
    """Start a workbench, and end it as Ctrl-C would."""
    command = [sys.executable, "-m", "shoal.cli", "serve", "--no-browser", "--workspace", str(workspace), *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        assert found is not None
        yield Client(found.group(), workspace.resolve()), process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a workbench that the tests of a process share. Each test has its own project."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    with serving(tmp_path_factory.mktemp("workbench") / "workspace") as (found, _):
        yield found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A real browser. Tests that need one are skipped, visibly, where there is none."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: install Debian's package chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: Any, client: Client) -> Iterator[Any]:
    """A tab in which the workbench is open. Whatever its console complains about fails the test, but refused forms."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(client.link)
    yield page
    context.close()
    assert not [one for one in complaints if not re.search(r"status of 40[04]|Error Code 40[04]", one)]
