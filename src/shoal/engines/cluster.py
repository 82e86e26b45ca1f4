"""Connects to a Dask cluster: an existing one by its address, or one that is started on this machine for trying.

Before anything is sent, its scheduler and its workers are checked: they must answer, have the versions of this process,
and use TLS unless they are on this machine. :mod:`shoal.engines.lead` then runs a job on it.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from shoal._version import __version__
from shoal.engines.local import Engine
from shoal.errors import ClusterError, OptionError

ANSWER = 10.0  # seconds that a scheduler may take to answer
INSTALL = "pip install 'shoal[dask]'"


@dataclass(frozen=True)
class Cluster:
    """Which Dask cluster to use.

    Parameters
    ----------
    address : str, optional
        The address of its scheduler, such as ``tls://scheduler:8786``. None: start one on this machine.
    insecure : bool, default False
        Also use a cluster on other machines without TLS. Raw data then cross the network unprotected.
    workers : int, default 0
        The number of workers of a cluster on this machine. 0 means one for each processor.
    client : distributed.Client, optional
        A client that is connected already.
    """

    address: str | None = None
    insecure: bool = False
    workers: int = 0
    client: Any = None

    @property
    def words(self) -> tuple[str, ...]:
        """The options of the command line that name the cluster.

        >>> Cluster("tls://scheduler:8786").words
        ('--engine', 'dask', '--cluster', 'tls://scheduler:8786')
        """
        address = self.client.scheduler.address if self.client is not None else self.address
        named = () if address is None else ("--cluster", address)
        return ("--engine", "dask", *named, *(("--insecure-cluster",) if self.insecure else ()))

    @contextlib.contextmanager
    def connect(self) -> Iterator[Any]:
        """Yield a client of the cluster whose scheduler and workers were checked."""
        require_dask()
        with contextlib.ExitStack() as open_now:
            client = self.client if self.client is not None else open_now.enter_context(self._opened())
            _check(client)
            yield client

    @contextlib.contextmanager
    def _opened(self) -> Iterator[Any]:
        if self.address is None:
            with _local_cluster(self.workers) as client:
                yield client
            return
        from distributed import Client
        from distributed.security import Security

        check_address(self.address, insecure=self.insecure)
        security = Security()
        if self.address.startswith("tls") and not (security.tls_ca_file and security.tls_client_cert):
            raise ClusterError(
                f"The cluster {self.address} needs TLS, and Dask's configuration names no certificates: set "
                f"distributed.comm.tls.ca-file and distributed.comm.tls.client.cert and key (or pass a Client in "
                f"Python)."
            )
        with _quiet():
            try:
                client = Client(self.address, timeout=ANSWER, security=security, set_as_default=False)
            except (OSError, TimeoutError, ValueError, TypeError):
                raise ClusterError(
                    f"No Dask scheduler answered at {self.address} within {ANSWER:.0f} seconds: check the address, "
                    f"that 'dask scheduler' runs there, and (for tls://) that both use certificates of the same "
                    f"authority. Nothing was written."
                ) from None
            try:
                yield client
            finally:
                with contextlib.suppress(Exception):
                    client.close(timeout=ANSWER)


def cluster_of(engine: object) -> Cluster | None:
    """Return the cluster that an argument ``engine=`` names, or None. Dask is not imported for it."""
    if isinstance(engine, Cluster):
        return engine
    client = getattr(sys.modules.get("distributed"), "Client", ())  # another thread may be importing it
    return Cluster(client=engine) if isinstance(engine, client) else None


def default_cluster() -> Cluster:
    """Return the cluster of the client that this process has connected last."""
    from distributed import default_client

    try:
        return Cluster(client=default_client())
    except ValueError:
        raise OptionError(
            "A Dask DataFrame needs a cluster: connect one first with client = distributed.Client(..), which starts "
            "one on this machine if you name no address, and pass engine=client."
        ) from None


def require_dask() -> None:
    """Raise an error that names the remedy if Dask is not installed."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise OptionError(f"engine='dask' needs the package distributed: install it with {INSTALL}.") from None


def check_address(address: str, *, insecure: bool) -> None:
    """Refuse an address that is none, and one on another machine without TLS.

    >>> check_address("tcp://10.0.0.5:8786", insecure=False)
    Traceback (most recent call last):
    shoal.errors.OptionError: The cluster tcp://10.0.0.5:8786 is on another machine, and without TLS raw data ...
    """
    parts = urlsplit(address)
    with contextlib.suppress(ValueError):
        if parts.scheme in ("tcp", "tls") and parts.hostname and parts.port:
            if parts.scheme == "tcp" and not insecure and not _is_loopback(parts.hostname):
                raise OptionError(
                    f"The cluster {address} is on another machine, and without TLS raw data would cross the network in "
                    f"plain text: use tls:// with the certificates in Dask's configuration (distributed.comm.tls), or "
                    f"pass insecure_cluster=True if the network itself is protected."
                )
            return
    raise OptionError(
        f"cluster= must be an address such as tls://scheduler:8786 or tcp://127.0.0.1:8786, got {address!r}."
    )


def _is_loopback(host: str) -> bool:
    """Whether an address is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def task_error(error: BaseException) -> ClusterError:
    """Return the error for a task that the scheduler has given up."""
    kind = type(error).__name__
    if kind == "KilledWorker":
        return ClusterError(
            "Several workers were lost while they ran the same task, probably because they had too little memory: "
            "nothing was published. Give the workers more memory, or split the input into more and smaller parts."
        )
    return ClusterError(f"A task of the cluster failed ({kind}): nothing was published. Run it again.")


@contextlib.contextmanager
def _local_cluster(workers: int) -> Iterator[Any]:
    """Start a cluster on this machine: processes of one thread each, that only this machine can reach."""
    from distributed import Client, LocalCluster

    with _quiet(), contextlib.ExitStack() as open_now:
        with _out_of_reach_of_ctrl_c():
            started = LocalCluster(
                n_workers=Engine(workers=workers).threads,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",  # any free port
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
            )
            cluster = open_now.enter_context(started)
        yield open_now.enter_context(Client(cluster, set_as_default=False))


@contextlib.contextmanager
def _out_of_reach_of_ctrl_c() -> Iterator[None]:
    """Start threads whose processes do not get the interrupt of a terminal, which goes to all processes of a command.

    They inherit that it is blocked. This process gets an interrupt that comes meanwhile at the end of the block.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # its start would unblock the interrupt again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Show no messages of Dask itself: this process tells what went wrong."""
    names = "distributed", "distributed.client"  # each has its own level
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _check(client: Any) -> None:
    """Raise an error unless the scheduler and all workers have the versions of this process."""
    if client.status != "running":
        raise ClusterError(f"The client is {client.status}: connect a new one with distributed.Client(..).")
    _wait_for_workers(client)
    try:
        found = client.get_versions(packages=["shoal"])
    except Exception as error:
        raise ClusterError(f"The cluster does not tell its versions ({type(error).__name__}): restart it.") from None
    own = found["client"]["packages"]
    members = [("The scheduler", found["scheduler"])]  # it opens the tasks that it passes on, so it needs Shoal, too
    members += [(f"Worker {name}", one) for name, one in found["workers"].items()]
    for who, told in members:
        for package in ("shoal", "distributed", "python"):
            mine, its = (_comparable(package, where.get(package)) for where in (own, (told or {}).get("packages", {})))
            if package == "shoal" and its is None:
                raise ClusterError(
                    f"{who} has no Shoal: install shoal {__version__} in the environment of the scheduler and of every "
                    f"worker ({INSTALL}), and restart the cluster."
                )
            if mine != its:
                raise ClusterError(
                    f"{who} has {package} {its or 'of an unknown version'}, and this process has {mine}: install the "
                    f"same version on all machines, and restart the cluster."
                )


def _comparable(package: str, version: str | None) -> str | None:
    """Return the part of a version that must be equal: of Python, only major and minor count."""
    if version is None or package != "python":
        return version
    return ".".join(version.split(".")[:2])


def _wait_for_workers(client: Any) -> None:
    """Wait until there is a worker."""
    until = time.monotonic() + ANSWER
    while not client.nthreads():
        if time.monotonic() > until:
            raise ClusterError(
                "The cluster has no workers: start one with 'dask worker ADDRESS' in an environment with Shoal."
            )
        time.sleep(0.05)
