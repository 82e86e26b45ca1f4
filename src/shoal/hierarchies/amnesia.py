"""The format ``amnesia``: the text hierarchies of the tool Amnesia (OpenAIRE), of type *distinct*.

::

    distinct
    name drinks
    type string
    height 3

    juices has apple orange
    beers has ale

    drinks has juices beers

There are four header lines and a blank line. Then come lines "group has children", the deepest groups first, with a
blank line after each level. Height counts levels of nodes. We write what Amnesia's own reader accepts: it needs the
blank line after the last level, too. It splits at single spaces and drops the word "has". It takes any file not called
``.txt`` for JSON, and ignores a single item. So labels with a space, the label "has" and a single item are refused
here. ``amnesia-json`` can hold them.

Reading is more lenient. The header may be missing, and height and the order of the lines do not matter: the edges
define the tree. A group label with a space is ambiguous (Amnesia takes its first word on the deepest level and its last
word above), so it is an error. Ranges of numbers or dates (type *range*) are not items, so they are an error. Labels
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
    """Whether a text starts like a file of Amnesia."""
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
                    f"{name}, {place}: this is a hierarchy of ranges, wanted type 'distinct': export that from Amnesia."
                )
        elif words[1:2] != ["has"]:
            problems.append(
                f"{name}, {place}: wanted 'group has child child ...' with a group label without spaces, got "
                f"'{line.strip()}': use the format amnesia-json for labels with spaces."
            )
        elif words[0] in place_of:
            problems.append(
                f"{name}: group '{words[0]}' occurs twice ({place_of[words[0]]} and {place}): "
                f"put its children on one line."
            )
        else:
            in_header = False
            place_of[words[0]] = place
            for child in words[2:]:
                if (child, words[0]) in edges:
                    problems.append(f"{name}, {place}: '{child}' occurs twice: remove one.")
                edges.setdefault((child, words[0]), Edge(child, words[0], place))
    return Draft(name, tuple(edges.values()), tuple(problems))


def write(hierarchy: Hierarchy, delimiter: str | None) -> str:
    """Return text that Amnesia loads from a file that ends in .txt."""
    for label in hierarchy.labels:
        if " " in label or "\n" in label or label == "has":
            raise HierarchyError(
                f"{hierarchy.name}: the label '{label}' cannot be written in the format amnesia, which "
                f"separates labels by spaces and the word 'has': use amnesia-json or arx."
            )
    if len(hierarchy) == 1:
        raise HierarchyError(
            f"{hierarchy.name}: the format amnesia cannot hold the single item '{hierarchy.labels[0]}': "
            f"use amnesia-json or arx."
        )
    lines = ["distinct", f"name {short_name(hierarchy)}", "type string", f"height {hierarchy.height + 1}", ""]
    for level in reversed(groups_by_depth(hierarchy)):
        lines += [f"{group} has {' '.join(children)}" for group, children in level.items()]
        lines.append("")
    return "\n".join(lines) + "\n"


def groups_by_depth(hierarchy: Hierarchy) -> list[dict[str, list[str]]]:
    """Return the groups of each depth and their children, from the root down."""
    levels: list[dict[str, list[str]]] = [{} for _ in range(hierarchy.height)]
    for node in range(hierarchy.n_leaves, len(hierarchy)):
        children = [hierarchy.labels[child] for child in hierarchy.children[node]]
        levels[hierarchy.depth[node]][hierarchy.labels[node]] = children
    return levels


def short_name(hierarchy: Hierarchy) -> str:
    """Return the name without folder and suffixes, as one word, because Amnesia reads only one."""
    return "_".join(PurePath(hierarchy.name).name.split(".")[0].split()) or "hierarchy"
