"""Draws the rooms of the package and the arrows between them: ``python -m tests.rooms`` writes docs/images/rooms.svg.

Rows are the layers of pyproject.toml. An arrow leads from a room to one that it imports from; what follows from other
arrows is left out. Each room moves to the middle of what it is joined to. An arrow over several rows goes straight down
a lane where it meets no room and no other lane.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "rooms.svg"
BOX, HIGH, ROW, APART, FREE = 92, 26, 50, 26, 11  # pixels: a box, from row to row, between boxes, beside a lane

Arrow = tuple[str, str]


def layers() -> list[list[str]]:
    """The rooms in rows, from the top."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (contract,) = (one for one in settings["contracts"] if one["type"] == "layers")
    rows = [[room.strip() for room in layer.split("|")] for layer in contract["layers"]]
    return [[room for room in row if not room.startswith("_")] for row in rows]


def arrows(rows: Sequence[Sequence[str]]) -> list[Arrow]:
    """The imports from room to room that do not follow from others."""
    graph, row_of = (
        grimp.build_graph("shoal", cache_dir=None),
        {room: at for at, row in enumerate(rows) for room in row},
    )
    below: dict[str, set[str]] = {room: set() for room in row_of}
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            one, other = (f"{name}.".split(".")[1] for name in (module, imported))
            if one in row_of and other in row_of and row_of[one] < row_of[other]:
                below[one].add(other)
    reached: dict[str, set[str]] = {}
    for room in sorted(row_of, key=lambda room: -row_of[room]):
        reached[room] = below[room].union(*(reached[other] for other in below[room]))
    return sorted(
        (room, other)
        for room in row_of
        for other in below[room]
        if not any(other in reached[between] for between in below[room])
    )


def positions(rows: Sequence[Sequence[str]], joined: Sequence[Arrow]) -> dict[str, float]:
    """The middle of each box."""
    x = dict.fromkeys((room for row in rows for room in row), 0.0)
    beside = {room: sorted({*one, *other} - {room}) for room in x for one, other in [_ends(room, joined)]}
    for turn in range(60):
        for row in rows if turn % 2 else rows[::-1]:
            wanted = {room: sum(x[other] for other in beside[room]) / len(beside[room]) for room in row}
            ordered = sorted(row, key=lambda room: (wanted[room], room))
            first = sum(wanted.values()) / len(row) - (len(row) - 1) * (BOX + APART) / 2
            x |= {room: first + at * (BOX + APART) for at, room in enumerate(ordered)}
    return x


def _ends(room: str, joined: Sequence[Arrow]) -> tuple[list[str], list[str]]:
    """The rooms above and below one."""
    return [one for one, other in joined if other == room], [other for one, other in joined if one == room]


def lane(first: int, last: int, near: float, taken: Sequence[tuple[int, float, float]]) -> float:
    """Where to go down between two rows: as near as can be to a position, and free of what is taken there."""
    for off in range(0, 2000, 2):
        for x in (near + off, near - off):
            if not any(first < row < last and left < x < right for row, left, right in taken):
                return x
    raise AssertionError("no way down")


def ways(rows: Sequence[Sequence[str]], joined: Sequence[Arrow], x: Mapping[str, float]) -> dict[Arrow, float]:
    """The lane of each arrow that passes rows; short ones choose first."""
    row_of = {room: at for at, row in enumerate(rows) for room in row}
    taken = [(row_of[room], x[room] - BOX / 2 - FREE, x[room] + BOX / 2 + FREE) for room in x]
    found: dict[Arrow, float] = {}
    for one, other in sorted(joined, key=lambda arrow: (row_of[arrow[1]] - row_of[arrow[0]], arrow)):
        if row_of[other] - row_of[one] > 1:
            at = found[one, other] = lane(row_of[one], row_of[other], (x[one] + x[other]) / 2, taken)
            taken += [(row, at - FREE, at + FREE) for row in range(row_of[one] + 1, row_of[other])]
    return found


def drawing() -> str:
    """The picture, as SVG."""
    rows = layers()
    joined = arrows(rows)
    x = positions(rows, joined)
    lanes = ways(rows, joined, x)
    left = min(*(at - BOX / 2 for at in x.values()), *lanes.values()) - APART
    width = max(*(at + BOX / 2 for at in x.values()), *lanes.values()) + APART - left
    row_of = {room: at for at, row in enumerate(rows) for room in row}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {ROW * len(rows)}" width="{width:.0f}" '
        f'font-family="system-ui, sans-serif" font-size="13" text-anchor="middle">',
        "<title>The rooms of Shoal. An arrow leads from a room to one that it imports from.</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#6b7a8c"/></marker></defs>',
        '<rect width="100%" height="100%" fill="#fff"/>',
        '<g fill="none" stroke="#6b7a8c" stroke-width="1.2" marker-end="url(#tip)">',
    ]
    for one, other in joined:
        start, end = ROW * row_of[one] + (ROW + HIGH) // 2, ROW * row_of[other] + (ROW - HIGH) // 2
        drawn, gap, at = f"M{x[one] - left:.0f} {start}", ROW - HIGH, x[one]
        if (one, other) in lanes:
            drawn += _bend(at - left, lanes[one, other] - left, start, start + gap)
            at = lanes[one, other]
            drawn += f"V{end - gap}"
        parts.append(f'<path d="{drawn}{_bend(at - left, x[other] - left, end - gap, end)}"/>')
    parts.append("</g>")
    for room, at in row_of.items():
        middle, top = x[room] - left, ROW * at + (ROW - HIGH) // 2
        parts.append(
            f'<rect x="{middle - BOX / 2:.0f}" y="{top}" width="{BOX}" height="{HIGH}" rx="5" fill="#e8f0f8" '
            f'stroke="#35618e"/><text x="{middle:.0f}" y="{top + 18}">{room}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _bend(from_x: float, to_x: float, top: int, bottom: int) -> str:
    """From one lane to another, between two rows."""
    middle = (top + bottom) // 2
    return f"C{from_x:.0f} {middle} {to_x:.0f} {middle} {to_x:.0f} {bottom}"


if __name__ == "__main__":
    PICTURE.write_text(drawing(), encoding="utf-8")
