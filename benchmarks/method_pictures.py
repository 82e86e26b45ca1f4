"""Draws what every method makes of the same eight records: ``python -m benchmarks method-pictures``.

Each picture is made by the real method, run on the tiny example. The pages of docs/methods show them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import pyarrow as pa

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.models.base import PrivacyModel

PICTURES = Path(__file__).parents[1] / "docs" / "images" / "methods"
TREE = {"anything": {"food": ["bread", "milk", "eggs"], "drinks": ["beer", "wine"], "pharmacy": ["aspirin", "insulin"]}}
RECORDS = [
    ["eggs", "beer", "wine"],
    ["bread", "beer"],
    ["milk", "beer", "insulin"],
    ["bread", "wine", "aspirin"],
    ["eggs", "beer", "aspirin"],
    ["eggs", "wine", "aspirin"],
    ["eggs", "beer", "wine"],
    ["milk", "beer", "aspirin"],
]
COLUMNS: dict[str, list[Any]] = {
    "age": [40, 56, 45, 39, 36, 40, 20, 45],
    "district": ["north", "north", "south", "north", "north", "north", "south", "south"],
}
SENSITIVE = ("insulin",)
SEEDS = {"graysort": 1}  # with seed 0 the sensitive item comes back to its holder by chance
MODELS: dict[str, dict[str, Any]] = {
    "km": {"k": 2, "m": 2},
    "transactional-k": {"k": 2},
    "sensitive-k": {"k": 3, "sensitive": SENSITIVE},
    "privacy-degree": {"p": 3, "sensitive": SENSITIVE},
    "k": {"k": 2},
    "k-km": {"k": 2, "m": 2},
}
OPTIONS: dict[str, dict[str, Any]] = {  # eight records are too few for some defaults
    "lra": {"chunks": 2, "flexibility": 0},
    "vpa": {"parts": 2},
    "tfirst": {"chunks": 2, "flexibility": 0},
    "rmerge-r": {"delta": 0.5},
    "rmerge-t": {"delta": 0.5},
    "rmerge-rt": {"delta": 0.5},
    "tmerge-r": {"delta": 0.17, "within": "aa"},
    "tmerge-t": {"delta": 0.17, "within": "aa"},
    "tmerge-rt": {"delta": 0.17, "within": "aa"},
}
COLOURS = {  # fill, border
    "same": ("#eef1f4", "#c3cad2"),
    "generalized": ("#ffe3b8", "#d98e04"),
    "added": ("#cfe6ff", "#2f7fd1"),
    "removed": ("#ffd6d3", "#cf4a3f"),
}
WORDS = {"generalized": "generalized", "added": "added", "removed": "deleted"}
ROW, CHIP, LEFT, TOP = 30, 22, 16, 84  # pixels


@dataclass(frozen=True)
class Chip:
    """A value as it is drawn."""

    text: str
    kind: str = "same"

    @property
    def width(self) -> float:
        """About that of its text at 13 pixels."""
        return 7.1 * len(self.text) + 16


@dataclass(frozen=True)
class Example:
    """What a method made of the records."""

    title: str
    before: list[list[Chip]]
    after: list[list[Chip]]
    figures: str

    @property
    def kinds(self) -> list[str]:
        """The kinds of changes that there are."""
        used = {chip.kind for row in (*self.before, *self.after) for chip in row}
        return [kind for kind in WORDS if kind in used]


def names() -> list[str]:
    """All methods of this project."""
    found = discovery.find("shoal.algorithms", Algorithm)
    return [name for name, cls in found.items() if cls.__module__.startswith("shoal.")]


def run(name: str) -> Example:
    """Run a method on the records."""
    cls = discovery.get("shoal.algorithms", Algorithm, name)
    solved = [model.name for model in cls.solves]
    model_name = "km" if "km" in solved else solved[0]
    model = discovery.get("shoal.models", PrivacyModel, model_name)(**MODELS[model_name])
    table = {**(COLUMNS if model.relational else {}), "items": RECORDS}
    data = shoal.read(pa.table(table), sets="items") if model.relational else shoal.read(RECORDS)
    problem = shoal.Problem(data, shoal.Hierarchy.from_tree(TREE), model, seed=SEEDS.get(name, 0))
    release = shoal.anonymize(problem, algorithm=cls(**OPTIONS.get(name, {})))
    sets = [set(row) for row in release.aligned.transactions.sets()]
    other = release.aligned.table
    columns: dict[str, list[Any]] = {} if other is None else other.arrow.to_pydict()
    before, after = zip(*(changes(old, new) for old, new in zip(RECORDS, sets, strict=True)), strict=True)
    return Example(
        f"{cls.title}: {model.short}",
        [[*cells, *row] for cells, row in zip(values(COLUMNS if model.relational else {}), before, strict=True)],
        [[*cells, *row] for cells, row in zip(values(columns), after, strict=True)],
        figures(release.losses, relational=model.relational, truthful=cls.truthful, options=OPTIONS.get(name, {})),
    )


def changes(old: Sequence[str], new: set[str]) -> tuple[list[Chip], list[Chip]]:
    """The items of a record before and after; an item is removed if no published label covers it."""
    covers = {label: below(label) for label in new}
    before = [Chip(item, "same" if any(item in cover for cover in covers.values()) else "removed") for item in old]
    after = [
        Chip(label, "same" if label in old else "generalized" if covers[label] & set(old) else "added")
        for label in sorted(new, key=lambda label: (min(map(order, covers[label])), label))
    ]
    return before, after


def below(label: str) -> set[str]:
    """The items that a label covers: an item, a group, groups of siblings, or a set such as (a,b)."""
    if label.startswith("("):
        return set(label[1:-1].split(","))
    return {item for name in label.split(" or ") for item in ITEMS.get(name, [name])}


def _items(tree: Mapping[str, Any]) -> dict[str, list[str]]:
    """The items below each group."""
    found: dict[str, list[str]] = {}
    for name, children in tree.items():
        if isinstance(children, Mapping):
            inner = _items(children)
            found |= {**inner, name: [item for child in children for item in inner[child]]}
        else:
            found[name] = list(children)
    return found


ITEMS = _items(TREE)


def order(item: str) -> int:
    """The place of an item in the hierarchy."""
    return ITEMS["anything"].index(item)


def values(columns: Mapping[str, Sequence[Any]]) -> list[list[Chip]]:
    """The cells of the other columns, row by row; without columns, nothing."""
    rows: list[list[Chip]] = [[] for _ in RECORDS]
    for name, cells in columns.items():
        for at, cell in enumerate(cells):
            old = COLUMNS.get(name, [None] * len(RECORDS))[at]
            kind = "added" if old is None else "same" if str(old) == str(cell) else "generalized"
            rows[at].append(Chip(f"{name} {cell}" if old is None else str(cell), kind))
    return rows


def figures(losses: Mapping[str, float], *, relational: bool, truthful: bool, options: Mapping[str, Any]) -> str:
    """What was lost, and the options that differ from the defaults."""
    said = [f"{name.replace('_', ' ')} {value}" for name, value in options.items()]
    if not truthful:
        said.append(f"{int(losses['operations'])} items added or deleted")
    elif relational:
        said += [f"NCP of the columns {losses['relational_ncp']:.3f}", f"NCP of the sets {losses['ncp']:.3f}"]
    else:
        said.append(f"NCP {losses['ncp']:.3f}")
    return ", ".join(said)


def drawing(name: str) -> str:
    """The picture of a method."""
    example = run(name)
    width = max(sum(chip.width + 6 for chip in row) for row in example.before)
    right = LEFT + 24 + width + 44
    total = right + max(sum(chip.width + 6 for chip in row) for row in (*example.after, [Chip("x" * 8)])) + LEFT
    total = max(total, 430.0)
    high = TOP + ROW * len(RECORDS) + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total:.0f} {high}" width="{total:.0f}" height="{high}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{escape(example.title)}, before and after</title>",
        f'<rect width="{total:.0f}" height="{high}" rx="8" fill="#ffffff"/>',
        text(LEFT, 24, example.title, weight="600"),
        text(LEFT, 42, example.figures, colour="#5a6570"),
        text(LEFT + 24, TOP - 12, "before", colour="#5a6570"),
        text(right, TOP - 12, "after", colour="#5a6570"),
    ]
    for at, (old, new) in enumerate(zip(example.before, example.after, strict=True)):
        y = TOP + ROW * at
        parts += [text(LEFT, y + 15, str(at + 1), colour="#8a949e"), *chips(LEFT + 24, y, old)]
        parts += [text(right - 28, y + 15, "→", colour="#8a949e"), *chips(right, y, new)]
    parts += legend(example.kinds, TOP + ROW * len(RECORDS) + 6)
    return "\n".join([*parts, "</svg>", ""])


def chips(x: float, y: float, row: Iterable[Chip]) -> list[str]:
    """The values of a record, side by side."""
    drawn = []
    for chip in row:
        fill, border = COLOURS[chip.kind]
        box = f'x="{x:.1f}" y="{y}" width="{chip.width:.1f}" height="{CHIP}" rx="5"'
        drawn.append(f'<rect {box} fill="{fill}" stroke="{border}"/>')
        line = ' text-decoration="line-through"' if chip.kind == "removed" else ""
        drawn.append(
            f'<text x="{x + chip.width / 2:.1f}" y="{y + 15}" text-anchor="middle" fill="#1f2933"{line}>'
            f"{escape(chip.text)}</text>"
        )
        x += chip.width + 6
    return drawn


def legend(kinds: Iterable[str], y: int) -> list[str]:
    """What the colours mean."""
    x, drawn = LEFT + 24.0, []
    for kind in kinds:
        fill, border = COLOURS[kind]
        drawn.append(f'<rect x="{x:.1f}" y="{y}" width="12" height="12" rx="3" fill="{fill}" stroke="{border}"/>')
        drawn.append(text(x + 18, y + 11, WORDS[kind], colour="#5a6570"))
        x += 18 + 7.1 * len(WORDS[kind]) + 18
    return drawn


def text(x: float, y: float, words: str, *, colour: str = "#1f2933", weight: str = "") -> str:
    """A line of text."""
    bold = f' font-weight="{weight}"' if weight else ""
    return f'<text x="{x:.1f}" y="{y}" fill="{colour}"{bold}>{escape(words)}</text>'


def write() -> None:
    """Draw all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in names():
        (PICTURES / f"{name}.svg").write_text(drawing(name), encoding="utf-8")
