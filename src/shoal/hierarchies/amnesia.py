"""The format ``amnesia``: the text hierarchies of the tool Amnesia (OpenAIRE), of type *distinct*.

::

    distinct
    name drinks
    type string
    height 3

    juices has apple orange
    beers has ale

    drinks has juices beers

Four header lines, a blank line, then "group has children", the deepest groups first, a blank line after each level;
height counts levels of nodes. What Amnesia's own reader does decides what we write: it needs the blank line
after the last level too, splits at single spaces and drops the word "has", takes any file not called ``.txt`` for
JSON, and a lone item for nothing. So a label with a space, the label "has" and a lone item are refused here:
``amnesia-json`` holds them.

Reading is more generous. The header may be missing, and height and the order of the lines do not matter: the edges
alone make the tree. A group label with a space cannot be read unambiguously (Amnesia takes its first word on the
deepest level and its last above): an error. Ranges of numbers or dates (type *range*) are no items: an error. Labels
are verbatim, so those of a numeric hierarchy stay as Amnesia writes them ("1.0").
"""

from __future__ import annotations

from pathlib import PurePath

from shoal.data.hierarchy import Hierarchy
from shoal.errors import HierarchyError
from shoal.hierarchies.draft import Draft, Edge

DESCRIPTION = "text of the tool Amnesia: 'group has child child', levels bottom-up; labels without spaces"
_HEADER = {"distinct", "range", "name", "type", "height"}


def looks_like_it(text: str) -> bool:
    """Whether a text starts as Amnesia's do."""
    header = [line.strip().lower() for line in text.lstrip().split("\n\n", 1)[0].split("\n")]
    return header[0] in ("distinct", "range") and any(line.startswith("height ") for line in header)


def read(text: str, name: str, delimiter: str | None) -> Draft:
    """Read lines "group has child child"."""
    problems: list[str] = []
    place_of: dict[str, str] = {}  # groups
    edges: dict[tuple[str, str], Edge] = {}
    in_header, header = True, 0
    for number, line in enumerate(text.split("\n"), start=1):
        place = f"line {number}"
        words = [word for word in line.split(" ") if word]
        if not line.strip():
            in_header = in_header and not header
        elif in_header and words[0].lower() in _HEADER and words[1:2] != ["has"]:
            header += 1
            if words[0].lower() == "range":
                raise HierarchyError(
                    f"{name}, {place}: a hierarchy of ranges, wanted one of distinct items: export that from Amnesia."
                )
        elif words[1:2] != ["has"]:
            problems.append(
                f"{name}, {place}: wanted 'group has child child ...' with a group label without spaces, got "
                f"'{line.strip()}': use the format amnesia-json for labels with spaces."
            )
        elif words[0] in place_of:
            problems.append(
                f"{name}: group '{words[0]}' is given twice ({place_of[words[0]]} and {place}): "
                f"put its children on one line."
            )
        else:
            in_header = False
            place_of[words[0]] = place
            for child in words[2:]:
                if (child, words[0]) in edges:
                    problems.append(f"{name}, {place}: '{child}' is given twice: remove one.")
                edges.setdefault((child, words[0]), Edge(child, words[0], place))
    return Draft(name, tuple(edges.values()), tuple(problems))


def write(hierarchy: Hierarchy, delimiter: str | None) -> str:
    """Text that Amnesia loads under a name ending in .txt."""
    for label in hierarchy.labels:
        if " " in label or "\n" in label or label == "has":
            raise HierarchyError(
                f"{hierarchy.name}: the label '{label}' cannot be written in the format amnesia, which "
                f"separates labels by spaces and the word 'has': use amnesia-json or arx."
            )
    if len(hierarchy) == 1:
        raise HierarchyError(
            f"{hierarchy.name}: the format amnesia cannot hold the lone item '{hierarchy.labels[0]}': "
            f"use amnesia-json or arx."
        )
    lines = ["distinct", f"name {short_name(hierarchy)}", "type string", f"height {hierarchy.height + 1}", ""]
    for level in reversed(groups_by_depth(hierarchy)):
        lines += [f"{group} has {' '.join(children)}" for group, children in level.items()]
        lines.append("")
    return "\n".join(lines) + "\n"


def groups_by_depth(hierarchy: Hierarchy) -> list[dict[str, list[str]]]:
    """For each depth, from the root down, the groups there and their children."""
    levels: list[dict[str, list[str]]] = [{} for _ in range(hierarchy.height)]
    for node in range(hierarchy.n_leaves, len(hierarchy)):
        children = [hierarchy.labels[child] for child in hierarchy.children[node]]
        levels[hierarchy.depth[node]][hierarchy.labels[node]] = children
    return levels


def short_name(hierarchy: Hierarchy) -> str:
    """The name without folder and suffixes, as one word: Amnesia reads no more."""
    return "_".join(PurePath(hierarchy.name).name.split(".")[0].split()) or "hierarchy"
