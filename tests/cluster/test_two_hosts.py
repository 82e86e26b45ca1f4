"""A client and a cluster on two hosts: network namespaces with an address each, and certificates of one authority."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal
from shoal.engines import Engine
from shoal.jobs.arguments import describe_data
from shoal.jobs.generate import generate
from shoal.jobs.job import Job
from tests.cluster.processes import split

pytestmark = [pytest.mark.cluster]

NAME, HERE, THERE, PORT = f"shoal{os.getpid()}", "10.123.45.1", "10.123.45.2", 8786


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def host() -> Iterator[list[str]]:
    """Another host, as the first words of a command that runs on it."""
    if shutil.which("ip") is None or shutil.which("openssl") is None:
        pytest.skip("needs ip (iproute2) and openssl")
    link = f"s{os.getpid()}"
    try:
        ip("netns", "add", NAME)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this machine allows no network namespaces: {error.stderr.decode().strip()}")
    try:
        ip("link", "add", f"{link}a", "type", "veth", "peer", "name", f"{link}b")
        ip("link", "set", f"{link}b", "netns", NAME)
        ip("addr", "add", f"{HERE}/24", "dev", f"{link}a")
        ip("link", "set", f"{link}a", "up")
        inside = ("netns", "exec", NAME, "ip")
        ip(*inside, "addr", "add", f"{THERE}/24", "dev", f"{link}b")
        ip(*inside, "link", "set", f"{link}b", "up")
        ip(*inside, "link", "set", "lo", "up")
        yield ["ip", "netns", "exec", NAME]
    finally:
        ip("netns", "del", NAME)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a process that speaks TLS."""
    folder = tmp_path_factory.mktemp("certificates")

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "own.key", "-out", "own.csr", "-subj", "/CN=shoal")
    openssl("x509", "-req", "-in", "own.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "own.pem")
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    told = {f"{prefix}CA_FILE": str(folder / "ca.pem"), "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True"}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        told |= {f"{prefix}{role}__CERT": str(folder / "own.pem"), f"{prefix}{role}__KEY": str(folder / "own.key")}
    return told


@contextlib.contextmanager
def running(host: list[str], address: str, folder: Path, **variables: str) -> Iterator[None]:
    """A scheduler and two workers on the other host."""
    common = {"cwd": folder, "start_new_session": True, "env": {**os.environ, **variables}}
    started = []
    commands = [
        ["dask_scheduler", "--host", address, "--no-dashboard"],
        *[["dask_worker", f"{address}:{PORT}", "--nthreads", "1", "--no-dashboard"]] * 2,
    ]
    try:
        for at, (module, *words) in enumerate(commands):
            with open(folder / f"{at}.log", "wb") as log:
                line = [*host, sys.executable, "-m", f"distributed.cli.{module}", *words]
                started.append(subprocess.Popen(line, stdout=log, stderr=log, **common))  # type: ignore[call-overload]
        time.sleep(4)
        yield
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def shell(out: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "shoal.cli", "anonymize", *words, "--algorithm", "aa", "--engine", "dask"]
    environment = {**os.environ, **variables}
    return subprocess.run(line, cwd=out, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    made = generate("quest", rows=3_000, items=50, mean_size=5, seed=3).transactions
    lines = [" ".join(made.labels[code] for code in row) for row in made]
    return split(lines, 3, tmp_path / "parts", ".dat")


def test_tls(host: list[str], certificates: dict[str, str], data: Path, tmp_path: Path, out: Path) -> None:
    address = f"tls://{THERE}"
    with running(host, address, tmp_path, **certificates):
        done = shell(out, str(data), "-o", "x.dat", "--cluster", f"{address}:{PORT}", **certificates)
        assert done.returncode == 0, done.stderr
        local = tmp_path / "local.dat"
        Job(data=describe_data(data), output=local, model=shoal.Km(k=5, m=2), algorithm=shoal.algorithms.AA()).run(
            Engine()
        )
        assert (out / "x.dat").read_bytes() == local.read_bytes()
        none = shell(out, str(data), "-o", "y.dat", "--cluster", f"{address}:{PORT}")
        assert none.returncode == 2
        assert "certificates" in none.stderr
        plain = shell(out, str(data), "-o", "y.dat", "--cluster", f"tcp://{THERE}:{PORT}", "--insecure-cluster")
        assert plain.returncode == 2
        assert "No Dask scheduler answered" in plain.stderr
    assert [file.name for file in out.iterdir()] == ["x.dat"]


def test_plain_text_must_be_asked_for(host: list[str], data: Path, tmp_path: Path, out: Path) -> None:
    address = f"tcp://{THERE}"
    with running(host, address, tmp_path):
        refused = shell(out, str(data), "-o", "x.dat", "--cluster", f"{address}:{PORT}")
        assert refused.returncode == 2
        assert "plain text" in refused.stderr
        assert "--insecure-cluster" in refused.stderr
        assert not list(out.iterdir())
        done = shell(out, str(data), "-o", "x.dat", "--cluster", f"{address}:{PORT}", "--insecure-cluster")
        assert done.returncode == 0, done.stderr
    assert [file.name for file in out.iterdir()] == ["x.dat"]
