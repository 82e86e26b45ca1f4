"""The lead: runs a job as one task on one of the workers of a Dask cluster.

The lead holds the hierarchy, the counts and the solver, and sends work to the rows (:mod:`shoal.engines.dask`). The
process that starts it, the client, only sends the job, shows its progress and takes its result. So raw rows cannot
reach the client.

If the worker of the lead is lost, Dask starts the lead again on another one. All waits are bounded: a cluster that does
not answer, or that has no workers any more, is an error.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import time
import uuid
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shoal.engines.cluster import ANSWER, task_error
from shoal.engines.dask import DaskEngine, on_worker, worker_engine
from shoal.engines.local import Engine
from shoal.engines.shipping import Held, Shipped, attempt, contents_of, result_or_error
from shoal.errors import ClusterError

NO_WORKERS = 30.0  # seconds that a cluster may be without workers: a lost one is usually replaced
PAUSED = 120.0  # seconds without any progress if workers have paused: they move data to the disk, and then go on
LOOK = 1.0  # seconds between two looks at the cluster
WAIT = 0.05  # seconds between two looks at the result
TOLD = 0.1  # seconds between two messages about the same stage
ENDING = 5.0  # seconds that the lead may take to end after Ctrl-C

Tell = Callable[[str], None]
LOG = logging.getLogger("shoal")  # never anything from the data


def run(
    client: Any,
    work: Callable[[DaskEngine, Tell], Any],
    engine: Engine,
    tell: Tell = lambda text: None,
    take: Callable[[Any], Any] = lambda result: result,
) -> Any:
    """Run ``work(engine, tell)`` on a worker of the cluster, and return what ``take`` makes of its result.

    ``engine``: whose progress is shown, and whose options the lead takes over. ``tell`` gets what the work tells.
    ``take`` is called while the cluster still holds what the result refers to.
    """
    topic = f"shoal-{uuid.uuid4().hex}"
    options = (engine.memory, engine.built_trees, engine.part_rows)
    told = _Told(engine, tell)
    client.subscribe_topic(topic, lambda event: told.events.put(event[1]))
    lead = client.submit(_lead, Shipped.of((work, options)), topic, key=f"shoal-lead-{topic[6:]}", pure=False)
    result = client.submit(_value, lead, key=f"shoal-result-{topic[6:]}", pure=False)
    try:
        value: Shipped = _watched(client, result, told)
        told.show(0)
        outcome: _Outcome = result_or_error(value.open())
        for text in outcome.warnings:
            warnings.warn(text, stacklevel=2)
        return take(result_or_error(outcome.value))
    except BaseException as error:
        with contextlib.suppress(Exception):
            client.cancel([lead, result], force=True)
            if isinstance(error, KeyboardInterrupt):
                told.wait_for_end()
        raise
    finally:
        if client.status == "running":
            with contextlib.suppress(Exception):
                client.unsubscribe_topic(topic)
                client.run_on_scheduler(_forget, topic)


def _forget(topic: str, dask_scheduler: Any) -> None:
    """Remove what the lead has told from the scheduler."""
    dask_scheduler._broker.truncate(topic)


@dataclass(frozen=True)
class _Outcome:
    """The result of the lead, or its error, and the warnings of its work."""

    value: Any
    warnings: list[str]


class _Told:
    """What the lead tells the client."""

    def __init__(self, engine: Engine, tell: Tell) -> None:
        self._engine, self._tell = engine, tell
        self.last = time.monotonic()  # when something was told
        self.events: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def show(self, seconds: float) -> None:
        """Show what was told. If there is nothing, wait for it so long."""
        with contextlib.suppress(queue.Empty):
            self._show(self.events.get(timeout=seconds))
            while True:
                self._show(self.events.get_nowait())

    def _show(self, event: dict[str, Any]) -> None:
        progress, self.last = self._engine.progress, time.monotonic()
        if "text" in event:
            self._tell(event["text"])
        elif "rows" in event:
            if count := getattr(progress, "rows", None):
                count(event["stage"], event["rows"])
        elif "stage" in event:
            progress(event["stage"], event["share"])
        elif "received" in event:
            for stage, size in event["received"].items():
                LOG.debug("the lead received %d bytes for: %s", size, stage)

    def wait_for_end(self) -> None:
        """Wait until the lead has noticed that it was cancelled."""
        until = time.monotonic() + ENDING
        while time.monotonic() < until:
            with contextlib.suppress(queue.Empty):
                if self.events.get(timeout=0.1).get("ended"):
                    return


def _watched(client: Any, future: Any, told: _Told) -> Any:
    """Wait for a result, and look after the cluster meanwhile."""
    future.add_done_callback(lambda _: told.events.put({}))  # wakes the loop
    looked, seen = 0.0, time.monotonic()
    while not future.done():
        told.show(WAIT)
        now = time.monotonic()
        if now - looked > LOOK:
            looked, workers = now, _workers(client)
            seen = now if workers else seen
            if "paused" in workers and now - told.last > PAUSED:
                raise ClusterError(
                    f"Nothing has happened for {PAUSED:.0f} seconds, because workers of the cluster have paused: their "
                    f"memory is full. Nothing was published. Give the workers more memory, or add workers."
                )
        if now - seen > (ANSWER if client.status != "running" else NO_WORKERS):
            raise _lost(client)
    if future.status != "finished":
        lost = client.status != "running" or future.status != "error"
        raise _lost(client) if lost else task_error(future.exception(timeout=ANSWER))
    try:
        return future.result(timeout=ANSWER)
    except Exception as error:
        raise _lost(client) from error


def _workers(client: Any) -> list[str]:
    """Return the status of each worker, such as "running" or "paused". Empty if the scheduler does not answer."""
    if client.status != "running":
        return []
    try:
        told = client.sync(client.scheduler.identity, callback_timeout=ANSWER)
    except Exception:
        return []
    return [worker["status"] for worker in told["workers"].values()]


def _lost(client: Any) -> ClusterError:
    """Return the error for a cluster that is gone."""
    if client.status != "running":
        return ClusterError(
            "The connection to the scheduler of the cluster was lost: nothing was published. Run it again."
        )
    if _workers(client):
        return ClusterError("The run was cancelled on the cluster: nothing was published. Run it again.")
    return ClusterError(
        f"The cluster has had no workers for {NO_WORKERS:.0f} seconds: nothing was published. Start workers, and run "
        f"it again."
    )


def _value(held: Held) -> Shipped:
    """Return the result of the lead, or its error."""
    return on_worker(lambda: contents_of([held])[0])


class Cancelled(BaseException):
    """The client has cancelled the run, or is gone."""


class _Teller:
    """The progress of the lead: tells the client how far it is, and notices that the run was cancelled."""

    def __init__(self, worker: Any, topic: str) -> None:
        self._worker, self._topic, self._key = worker, topic, worker.get_current_task()
        self._stage, self._at = "", 0.0

    def check(self) -> None:
        """Raise an error if the client has cancelled the run."""
        task = self._worker.state.tasks.get(self._key)
        if task is None or task.state == "cancelled" or task.next is not None:
            raise Cancelled

    def __call__(self, stage: str, share: float) -> None:
        self.check()
        now = time.monotonic()
        if stage != self._stage or now - self._at > TOLD:
            self._stage, self._at = stage, now
            self.tell(stage=stage, share=float(share))

    def rows(self, stage: str, number: int) -> None:
        """Tell the number of rows of a stage."""
        self.tell(stage=stage, rows=int(number))

    def tell(self, **event: Any) -> None:
        """Send something to the client."""
        self._worker.log_event(self._topic, event)


def _lead(shipped: Shipped, topic: str) -> Held:
    """Run a job on a worker, with an engine that sends work to the others."""
    from distributed import Client, get_worker, secede

    worker = get_worker()
    teller, threads, messages = _Teller(worker, topic), worker.state.nthreads, list[str]()
    secede()  # so that this worker can take tasks of the run, too
    work, (memory, built_trees, part_rows) = shipped.open()

    def lead() -> Any:
        own = Client(  # with the client that all tasks of a worker share, runs would end each other's tasks
            worker.scheduler.address,
            security=worker.security,
            set_as_default=False,
            direct_to_workers=True,
            timeout=ANSWER,
            name="shoal-lead",
        )
        with own as client, warnings.catch_warnings(record=True) as warned:  # a worker would log them
            warnings.simplefilter("always")
            engine = DaskEngine(
                workers=threads,
                memory=memory or worker_engine(threads).memory,
                built_trees=built_trees,
                part_rows=part_rows,
                progress=teller,
                client=client,
                check=teller.check,
            )
            try:
                with engine.in_use():
                    return work(engine, lambda text: teller.tell(text=text))
            finally:
                texts = (str(one.message) for one in warned if one.category is UserWarning)
                messages.extend(dict.fromkeys(texts))
                with contextlib.suppress(Exception):
                    teller.tell(received=dict(engine.received))

    result = attempt(lead)  # when its client closes, the scheduler ends all its tasks
    with contextlib.suppress(Exception):
        teller.tell(ended=True)
    return Held(_Outcome(result, messages))
