"""What every page must look like: no serious violation of accessibility rules, and nothing wider than the screen."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

SERIOUS = ("serious", "critical")


@cache
def _axe() -> str:
    """The rules: axe-core, as its makers publish it."""
    return (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")


def settle(tab: Any) -> None:
    """Wait until no part of the page waits for a task, but for the chart of costs, which may take long."""
    waiting = (f"{one}:not(#costs *)" for one in (".waiting", "[hx-trigger^=load]", ".htmx-request"))
    tab.locator(", ".join(waiting)).first.wait_for(state="detached")


def violations(tab: Any, *rules: str) -> list[str]:
    """Return what axe-core finds serious on a page, by all rules or by some."""
    tab.evaluate(_axe())
    only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    found = tab.evaluate("options => axe.run(document, options)", {"resultTypes": ["violations"], **only})
    assert found["passes"]  # the rules did run
    return [
        f"{one['id']}: {node['html'][:200]} {node['any'][:1] and node['any'][0]['message']}"
        for one in found["violations"]
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]


def complaints(tab: Any, address: str) -> list[str]:
    """Look at a page with all folds open: by all rules in light, for contrast in dark, for width on a small screen."""
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.goto(address)
    settle(tab)
    for fold in tab.locator("details:not([open]) > summary").all():
        if fold.is_visible():
            fold.click()
    settle(tab)
    found = violations(tab)
    tab.emulate_media(color_scheme="dark")
    found += [f"dark: {one}" for one in violations(tab, "color-contrast")]
    tab.emulate_media(color_scheme="light")
    for width in (1280, 390):
        tab.set_viewport_size({"width": width, "height": 800})
        if wide := tab.evaluate(_WIDE):
            found.append(f"{address}, {width} px: wider than the screen: {wide[:5]}")
    tab.set_viewport_size({"width": 1280, "height": 800})
    return found


_WIDE = """() => document.documentElement.scrollWidth <= window.innerWidth ? [] :
    [...document.querySelectorAll("body *")].filter(one => one.getBoundingClientRect().right > window.innerWidth
    && !one.parentElement.closest(".scroll, .tree-frame")).map(one => one.outerHTML.slice(0, 160)).concat("?")"""
