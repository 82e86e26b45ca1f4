"""Step Promise."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.web.page import Desk, show


async def page(request: Request) -> Response:
    """Show the step."""
    return show(request, "promise", Desk.of(request))


routes = [Route("/promise", page)]
