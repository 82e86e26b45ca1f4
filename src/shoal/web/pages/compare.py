"""Step 6, result: several runs side by side."""

from __future__ import annotations

from starlette.routing import Route

routes: list[Route] = []
