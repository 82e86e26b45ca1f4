"""The format ``amnesia-json``: the JSON that newer versions of the tool Amnesia (OpenAIRE) save, of type *distinct*.

::

    {"hierType": "distinct", "name": "drinks", "type": "string", "height": 3,
     "level1": {"drinks": ["juices", "beers"]},
     "level2": {"juices": ["apple", "orange"], "beers": ["ale"]}}

Level 1 holds the root. Each level holds the groups of one depth with their children. Height counts levels of nodes, so
only the level of the lowest items has no object. Amnesia takes any file not called ``.txt`` for JSON, and reads it in
the encoding of the machine. So we write ASCII with escapes. A single item is a root without children. Numbers as labels
are kept as they are written. Extra keys and height are ignored: the edges define the tree.
"""

from __future__ import annotations

import json

from shoal.data.hierarchy import Hierarchy
from shoal.errors import HierarchyError
from shoal.hierarchies.amnesia import groups_by_depth, short_name
from shoal.hierarchies.draft import Draft, Edge

DESCRIPTION = "JSON of the tool Amnesia: one object per level, top-down"


def looks_like_it(text: str) -> bool:
    """Whether a text is a JSON object with a first level."""
    return text.lstrip().startswith("{") and '"level1"' in text


def read(text: str, name: str, delimiter: str | None) -> Draft:
    """Read the objects level1, level2, and so on."""
    levels = _levels(text, name)
    problems: list[str] = []
    place_of: dict[str, str] = {}  # groups
    edges: dict[tuple[str, str | None], Edge] = {}
    gap = next(number for number in range(1, len(levels) + 2) if number not in levels)
    if gap <= len(levels):
        problems.append(f"{name}: level{gap} is missing, and Amnesia reads no level after a gap: renumber the levels.")
    for number in sorted(levels):
        place = f"level{number}"
        for group, children in levels[number]:
            if group in place_of:
                problems.append(
                    f"{name}: group '{group}' occurs twice ({place_of[group]} and {place}): "
                    f"put its children in one list."
                )
                continue
            place_of[group] = place
            if number == 1:
                edges[group, None] = Edge(group, None, place)
            for child in children:
                if (child, group) in edges:
                    problems.append(f"{name}, {place}: '{child}' occurs twice in '{group}': remove one.")
                edges.setdefault((child, group), Edge(child, group, place))
    if any(not edge.child or edge.parent == "" for edge in edges.values()):
        problems.append(f"{name}: a label is empty: fill it in.")
    return Draft(name, tuple(edges.values()), tuple(problems))


def write(hierarchy: Hierarchy, delimiter: str | None) -> str:
    """Return JSON that Amnesia loads."""
    levels = groups_by_depth(hierarchy) or [{hierarchy.labels[0]: []}]
    head = {"hierType": "distinct", "name": short_name(hierarchy), "type": "string", "height": hierarchy.height + 1}
    return json.dumps(head | {f"level{i}": level for i, level in enumerate(levels, start=1)}, indent=1) + "\n"


def _levels(text: str, name: str) -> dict[int, list[tuple[str, list[str]]]]:
    """Map level numbers to (group, children) pairs. A repeated group occurs repeatedly."""
    try:
        # Objects become tuples of pairs, so that repeated keys are detected. Numbers stay as they are written.
        tree = json.loads(text, object_pairs_hook=tuple, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        raise HierarchyError(
            f"{name}, line {error.lineno}: not JSON ({error.msg}, column {error.colno}): "
            f"fix it, or pass the right format=."
        ) from None
    except RecursionError:
        raise HierarchyError(f"{name} is not a hierarchy: its JSON is nested too deeply.") from None
    if not isinstance(tree, tuple):
        raise HierarchyError(f"{name} is not a hierarchy of Amnesia: wanted a JSON object with level1, level2, ...")
    levels: dict[int, list[tuple[str, list[str]]]] = {}
    for key, value in tree:
        if key == "hierType" and value != "distinct":
            raise HierarchyError(
                f"{name} is a hierarchy of type {value!r}, wanted type 'distinct': export that from Amnesia."
            )
        number = key.removeprefix("level")
        if key == number or not (number.isascii() and number.isdigit() and len(number) < 10):
            continue
        if not isinstance(value, tuple):
            raise HierarchyError(f"{name}, {key}: wanted an object of groups and their children.")
        for group, children in value:
            if not isinstance(children, list) or not all(isinstance(child, str) for child in children):
                raise HierarchyError(f"{name}, {key}: the children of '{group}' must be a list of labels.")
        levels.setdefault(int(number), []).extend(value)
    if not levels:
        raise HierarchyError(f"{name} is not a hierarchy of Amnesia: wanted a JSON object with level1, level2, ...")
    return levels
