"""Connections: what uvicorn makes of a socket, with little patience for clients that send nothing.

uvicorn waits for a request as long as a client likes. Some hundred connections without one, which any program on this
computer can open, would keep the user out. Those of other users of this computer end at once, where the system tells.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from shoal.web import peers

STRANGER = (
    b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    b"403: This is the workbench of another user of this computer.\n"
)
PATIENCE = 15.0  # seconds between two looks; a connection that waits at both is closed


def checked_by(*, check_owner: bool) -> type[Connection]:
    """Return the class of connections that must belong to the user, or of all."""
    return type("OwnConnection", (Connection,), {"check_owner": check_owner})


class Connection(H11Protocol):
    """A connection that ends when no complete request comes for a while. An answer may take as long as it likes."""

    check_owner = False  # whether it must belong to the user who runs this server
    _look: asyncio.TimerHandle | None = None
    _served: RequestResponseCycle | None = None  # the request that was answered last, at the look before

    def __init__(self, *given: Any, **named: Any) -> None:
        """Give each connection a place for what is known of it."""
        super().__init__(*given, **named)
        self.app_state = {**self.app_state, peers.CONNECTION: {}}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look."""
        super().connection_made(transport)
        ends = {"client": self.client, "server": self.server, "state": self.app_state}
        if self.check_owner and not peers.may_enter(ends):
            self.connections.discard(self)  # it takes no place of the user's own
            transport.write(STRANGER)
            transport.close()
            return
        self._look = self.loop.call_later(PATIENCE, self._end_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        """Look no more."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def _end_if_idle(self) -> None:
        """Close the connection if it has waited for a request since the look before."""
        waits = self.cycle is None or self.cycle.response_complete
        if waits and self.cycle is self._served:
            self.transport.abort()
            return
        self._served = self.cycle if waits else None
        self._look = self.loop.call_later(PATIENCE, self._end_if_idle)
