"""Tiny writers and readers of every format, by the standard library and Arrow alone."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from fuzz.problems.case import Case, Parents

SUFFIX = {
    "fimi": ".dat",
    "basket": ".basket",
    "csv": ".csv",
    "tsv": ".tsv",
    "long": ".csv",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "feather": ".feather",
}
TABULAR = ("csv", "tsv", "long", "jsonl", "parquet", "feather")  # formats that can hold a column of persons
PERSON = "who"  # the name of that column
MARKS = "|;~^\u00a6"  # what may separate items inside a cell
Table = dict[str, list[Any]]  # column -> values; of sets, lists


def labels_of(case: Case) -> set[str]:
    """All items of a case, without tags."""
    return {item for rows in case.sets.values() for row in rows for item in row}


def mark_of(case: Case) -> str | None:
    """What can separate the items of a case inside a cell; none: nothing can."""
    used = "".join(labels_of(case))
    return next((mark for mark in MARKS if mark not in used), None)


def can_hold(case: Case) -> bool:
    """Whether the format of a case can hold its data."""
    texts = labels_of(case) | {value for values in case.columns.values() for value in values if value}
    alone = len(case.sets) == 1 and not case.columns
    if any(not text.strip() for text in labels_of(case)) or (case.persons is not None and case.format not in TABULAR):
        return False
    if case.tree_format != "amnesia-json" and any("\r" in label for label in case.parents or ()):
        return False  # lines of text end in one way
    if case.format in ("jsonl", "parquet", "feather"):
        return True
    if any(mark in text for text in texts for mark in "\r\n\0\ufeff"):
        return False
    if case.format == "fimi":
        return alone and not any(re.search(r"\s", text) for text in texts)
    if case.format in ("basket", "long"):
        return alone and bool(texts)
    return case.format in ("csv", "tsv") and mark_of(case) is not None and bool(case.n_rows)


def write(case: Case, path: Path) -> list[str]:
    """Write the data of a case; returns the words that tell the command line how to read them."""
    rows = next(iter(case.sets.values()))
    words = ["--format", "csv" if case.format == "long" else str(case.format)]
    if case.format == "fimi":
        put(path, "".join(" ".join(row) + "\n" for row in rows))
    elif case.format == "basket":
        put(path, "".join(",".join(map(quoted, row)) + "\n" for row in rows))
        words += ["--delimiter", ","]
    elif case.format == "long":
        whose = [[str(person)] for person in case.persons] if case.persons is not None else [[]] * len(rows)
        lines = [
            [str(at), item, *who]
            for at, (row, who) in enumerate(zip(rows, whose, strict=True), 1)
            for item in row or [""]
        ]
        head = ["id", "item", *([PERSON] if case.persons is not None else [])]
        put(path, "".join(",".join(map(quoted, line)) + "\n" for line in [head, *lines]))
        words += ["--delimiter", ",", "--id-column", "id", "--item-column", "item"]
    else:
        words += [word for name in case.sets for word in ("--sets", name)]
        whose_column = {} if case.persons is None else {PERSON: list(map(str, case.persons))}
        table: Table = {**whose_column, **case.columns, **case.sets}
        if case.format in ("csv", "tsv"):
            words += _write_cells(case, table, path)
        elif case.format == "jsonl":
            records = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
            put(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
        else:
            lists = {name: pa.list_(pa.string()) for name in case.sets}
            arrow = pa.table({name: pa.array(values, lists.get(name, pa.string())) for name, values in table.items()})
            {"parquet": pa.parquet.write_table, "feather": pa.feather.write_feather}[str(case.format)](arrow, path)
    words += [] if case.persons is None else ["--person", PERSON]
    return words + (["--multiset"] if case.multiset else [])


def _write_cells(case: Case, table: Table, path: Path) -> list[str]:
    mark, delimiter = str(mark_of(case)), "\t" if case.format == "tsv" else ","
    cells = {name: [mark.join(v) if name in case.sets else v or "" for v in values] for name, values in table.items()}
    lines = [list(table), *map(list, zip(*cells.values(), strict=True))]
    put(path, "".join(delimiter.join(quoted(cell, delimiter) or '""' for cell in line) + "\n" for line in lines))
    return ["--item-delimiter", mark, "--delimiter", delimiter]


def read(case: Case, path: Path, options: dict[str, Any]) -> Table:
    """Read a published file; ``options`` tell how it was laid out."""
    name = next(iter(case.sets))
    if case.format == "fimi":
        return {name: [line.split(" ") if line else [] for line in path.read_text("utf-8").split("\n")[:-1]]}
    if case.format == "basket":
        return {name: [[v for v in row if v] for row in cells(path, str(options.get("delimiter") or ","))]}
    if case.format == "long":
        items_of: dict[str, list[str]] = {}
        values_of: dict[str, list[str]] = {}  # such as the group of a record
        (_, _, *others), *lines = cells(path, str(options.get("delimiter") or ","))
        for record, item, *values in lines:
            items_of.setdefault(record, []).extend([item] if item else [])
            values_of[record] = values
        beside = {column: [values[at] for values in values_of.values()] for at, column in enumerate(others)}
        return {name: list(items_of.values()), **beside}
    if case.format in ("csv", "tsv"):
        head, *rows = cells(path, str(options.get("delimiter") or ("\t" if case.format == "tsv" else ",")))
        table: Table = {column: [row[at] for row in rows] for at, column in enumerate(head)}
        marks = options.get("item_delimiter")
        each = list(marks) if isinstance(marks, list | tuple) else [marks] * len(case.sets)
        for column, mark in zip(case.sets, each, strict=True):
            table[column] = [cell.split(mark) if cell else [] for cell in table[column]]
        return table
    if case.format == "jsonl":
        records = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
        return {column: [record[column] for record in records] for column in (records[0] if records else {})}
    arrow = pa.parquet.read_table(path) if case.format == "parquet" else pa.feather.read_table(path)
    return {column: arrow.column(column).to_pylist() for column in arrow.column_names}


def write_tree(parents: Parents, path: Path, form: str) -> None:
    """Write a hierarchy in one of the formats that hold any label."""
    if form == "arx":
        lines = [_path_up(label, parents) for label in parents if label not in parents.values()]
        put(path, "".join(";".join(map(quoted, line)) + "\n" for line in lines))
    elif form == "amnesia":
        groups = list(dict.fromkeys(above for above in parents.values() if above is not None))
        below = {group: [label for label in parents if parents[label] == group] for group in groups}
        head = "distinct\nname t\ntype string\nheight 9\n\n"
        put(path, head + "".join(f"{group} has {' '.join(below[group])}\n" for group in groups) + "\n")
    elif form == "amnesia-json":
        from shoal import Hierarchy, hierarchies  # a format of another tool: its writer has tests of its own

        hierarchies.save(Hierarchy.from_parents(parents), path, format=form)
    else:
        lines = [["node", "parent"], *([label, above or ""] for label, above in parents.items())]
        put(path, "".join(",".join(map(quoted, line)) + "\n" for line in lines))


def _path_up(label: str, parents: Parents) -> list[str]:
    path, above = [label], parents[label]
    while above is not None:
        path.append(above)
        above = parents[above]
    return path


def put(path: Path, text: str) -> None:
    """Write a text as it is."""
    path.write_bytes(text.encode("utf-8"))


def quoted(text: str, delimiter: str = ",") -> str:
    """A cell, in quotes where it needs them."""
    special = any(mark in text for mark in f'{delimiter}",;|\t\n\r') or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if special else text


def cells(path: Path, delimiter: str) -> list[list[str]]:
    """The cells of a file, line by line."""
    text = path.read_bytes().decode("utf-8")
    mark = delimiter.strip(" ") or " "
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=len(delimiter) > 1))
