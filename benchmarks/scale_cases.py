"""The cases of ``python -m benchmarks scale``: their data, their commands, what was measured before, and the aims."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import data

K = 5
KKM = ("--model", "k-km")
SECRETS = ("--sensitive", ",".join(map(str, range(500, 510))))  # ten of the 1,000 items
SENSITIVE = (  # methods and models that need exact counts
    ("aa", ("--model", "lm", "--l", "4", "--m", "2", *SECRETS)),
    ("aa", ("--model", "km-negative", "--k", str(K), "--m", "2")),
    ("mm", ("--model", "hkp", "--h", "0.4", "--k", str(K), "--p", "2", *SECRETS)),
)
GROWTH = ("1m-m2", "5m-m2", "10m-m2", "50m-m2")  # the cases that the exponent is taken from


def quest(rows: int) -> list[str]:
    """Options for 1,000 items in rows of mean size 8."""
    return ["--rows", str(rows), "--mean-size", "8"]


def kosarak(rows: int) -> list[str]:
    """Options for the shape of the click stream kosarak. Fewer rows get fewer items.

    All 990,002 rows, and kosarak in brackets: mean size 8.1 (8.1), largest row 2,508 (2,498), the most frequent item in
    59 % of the rows (about 60 %). 38,078 of the 41,270 items occur (all), 86 % of them in fewer than 100 rows. To
    generate them takes two minutes.
    """
    sizes = {"--items": 41_270, "--patterns": 250_000}
    fitting = [word for flag, size in sizes.items() for word in (flag, str(max(50, size * rows // 990_002)))]
    means = ["--mean-size", "5.4", "--mean-pattern", "7", "--correlation", "0", "--corruption", "0.8"]
    return ["--rows", str(rows), *fitting, *means, "--tail", "2.2", "--skew", "1.15"]


def videos(rows: int) -> list[str]:
    """Options for records with six columns and sets of mean size 6.5."""
    return ["--rows", str(rows)]


SHAPES = {"quest": quest, "kosarak": kosarak, "videos": videos}  # the options of the generator
TABLES = {"videos": ".parquet"}  # shapes with columns, which have a generator of the same name


@dataclass(frozen=True)
class Data:
    """A generated data set of a shape, or a real one."""

    shape: str
    rows: int = 0  # 0: real data

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.shape}-{self.rows}" if self.rows else self.shape

    @property
    def title(self) -> str:
        """What the table calls it."""
        millions = f"{self.rows // 10**6} M" if self.rows % 10**6 == 0 else f"{self.rows:,}"
        titles = {"quest": "{} rows", "kosarak": "kosarak shape, {} rows", "videos": "{} rows with six columns"}
        return titles.get(self.shape, self.shape).format(millions)

    @property
    def suffix(self) -> str:
        """The suffix of its file."""
        return TABLES.get(self.shape, ".dat")

    @property
    def generator(self) -> str:
        """What generates it."""
        return self.shape if self.shape in TABLES else "quest"

    def files(self, folder: Path) -> tuple[str, str]:
        """The file and its hierarchy. They are generated once."""
        if self.rows:
            return data.by_command(folder, self.name, SHAPES[self.shape](self.rows), self.generator, self.suffix)
        if not data.REAL.is_dir():
            raise FileNotFoundError("needs the real data sets (SHOAL_DATA)")
        return data.real(self.shape, folder)

    @property
    def command(self) -> str:
        """How anyone gets the files."""
        if self.rows:
            options = " ".join(SHAPES[self.shape](self.rows))
            files = f"-o {self.name}{self.suffix} --hierarchy {self.name}.csv"
            return f"shoal generate {self.generator} {options} {files}"
        return f"shoal hierarchy build {self.name}.dat --by label --fanout 5 -o {self.name}.csv"


@dataclass(frozen=True)
class Case:
    """One command on one data set."""

    name: str
    data: Data
    algorithm: str
    m: int
    options: tuple[str, ...] = ()
    now: str = ""  # before the work on large data
    aim: str = ""
    turns: int = 1  # short commands are measured several times
    floor: bool = True  # whether the raw count is measured: it holds all rows in memory
    k: int = K
    guarantee: tuple[str, ...] = ()  # the options of the model, instead of k and m

    @property
    def title(self) -> str:
        """What the table calls it."""
        known = " ".join(self.guarantee[1::2][:1]) or f"m={self.m}"  # or the name of the model
        parts = [self.data.title, self.algorithm, known, " ".join(self.options)]
        return ", ".join(part for part in parts if part)

    def words(self, file: str, tree: str, output: str) -> list[str]:
        """The words after ``shoal``."""
        guarantee = self.guarantee or ("--k", str(self.k), "--m", str(self.m))
        method = ["--algorithm", self.algorithm, *self.options]
        return ["anonymize", file, "--hierarchy", tree, *guarantee, *method, "-o", output, "--json", "--quiet"]

    @property
    def command(self) -> str:
        """What anyone would type."""
        suffix = self.data.suffix
        return " ".join(["shoal", *self.words(f"{self.data.name}{suffix}", f"{self.data.name}.csv", f"out{suffix}")])

    def count(self, file: str, tree: str) -> list[str]:
        """The command of the floor: read, encode, and count all sets of up to m items, by the same kernels."""
        asked = {"what": "count", "file": file, "hierarchy": tree, "m": self.m}
        return [sys.executable, "-m", "benchmarks.case", json.dumps(asked)]


def cases(shrink: int = 1) -> Sequence[Case]:
    """All cases, with so many times fewer rows. Real data cannot shrink and are left out then."""

    def some(rows: int) -> Data:
        return Data("quest", rows // shrink)

    views, floor = Data("bms-webview-2"), "2 x floor"
    every = [
        Case("1m-m2", some(1_000_000), "aa", 2, now="18.7 CPU s, 1.16 GB", aim="6 CPU s, 400 MB", turns=3),
        Case("1m-m3", some(1_000_000), "aa", 3, now="35 CPU s, 1.4 GB", aim="15 CPU s, 500 MB"),
        Case("1m-auto-m3", some(1_000_000), "auto", 3),
        Case("5m-m2", some(5_000_000), "aa", 2),
        Case("10m-m2", some(10_000_000), "aa", 2),
        Case(
            "10m-auto",
            some(10_000_000),
            "auto",
            2,
            now="root after 664 s, 10.1 GB",
            aim="proven or within 1 % of the bound, 2 GB",
        ),
        Case(
            "50m-m2",
            some(50_000_000),
            "aa",
            2,
            ("--memory", "2G"),
            now="impossible",
            aim="2 GB, 20 minutes on two cores",
            floor=False,
        ),
        Case("bms-webview-2", views, "auto", 3, aim=floor),
        Case("bms-webview-2-cut", views, "auto", 3, ("--siblings", "none"), "2.3 s = 2.8 x floor", aim=floor, turns=5),
        Case("kosarak", Data("kosarak", 990_002 // shrink), "auto", 2, now="-", aim="proven, 2 GB"),
        *(
            Case(f"5m-{model[1]}", some(5_000_000), method, 2, ("--memory", "1G"), guarantee=model, floor=False)
            for method, model in SENSITIVE
        ),
        *(
            Case(f"{name}-columns", Data("videos", rows // shrink), "rmerge-rt", 2, KKM, aim=aim, floor=False, k=25)
            for name, rows, aim in (("100k", 100_000, ""), ("1m", 1_000_000, "10 minutes, 2 GB"))
        ),
    ]
    return [case for case in every if shrink == 1 or case.data.rows]
