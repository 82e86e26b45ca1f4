"""What every page must look like: no serious violation of accessibility rules, and nothing wider than the screen."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

SERIOUS = ("serious", "critical")
SCREENS = ((1280, "light"), (1280, "dark"), (390, "light"))


@cache
def _axe() -> str:
    """The rules: axe-core, as its makers publish it."""
    return (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")


def settle(tab: Any) -> None:
    """Wait until no part of the page waits for a task."""
    tab.locator(".waiting, [hx-trigger^=load], .htmx-request").first.wait_for(state="detached")


def violations(tab: Any) -> list[str]:
    """Return what axe-core finds serious on a page."""
    tab.evaluate(_axe())
    found = tab.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert found["passes"]  # the rules did run
    return [
        f"{one['id']}: {node['html'][:200]} {node['any'][:1] and node['any'][0]['message']}"
        for one in found["violations"]
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]


def complaints(tab: Any, address: str) -> list[str]:
    """Look at a page on a wide and a narrow screen, in light and dark."""
    found: list[str] = []
    for width, scheme in SCREENS:
        tab.set_viewport_size({"width": width, "height": 800})
        tab.emulate_media(color_scheme=scheme)
        tab.goto(address)
        settle(tab)
        for fold in tab.locator("details:not([open]) > summary").all():
            if fold.is_visible():
                fold.click()
        settle(tab)
        found += [f"{width} {scheme}: {one}" for one in violations(tab)]
        if tab.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            found.append(f"{width} {scheme}: the page is wider than the screen")
    return found
