"""Connections: what uvicorn makes of a socket, with little patience for clients that send nothing.

uvicorn waits for a request as long as a client likes. Some hundred connections without one, which any program on this
computer can open, would keep the user out.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from shoal.web.peers import CONNECTION

PATIENCE = 15.0  # seconds between two looks; a connection that waits at both is closed


class Connection(H11Protocol):
    """A connection that ends when no complete request comes for a while. An answer may take as long as it likes."""

    _look: asyncio.TimerHandle | None = None
    _served: RequestResponseCycle | None = None  # the request that was answered last, at the look before

    def __init__(self, *given: Any, **named: Any) -> None:
        """Give each connection a place for what is known of it."""
        super().__init__(*given, **named)
        self.app_state = {**self.app_state, CONNECTION: {}}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look."""
        super().connection_made(transport)
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
