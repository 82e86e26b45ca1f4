"""Random cases. Models, algorithms and options are those that the product declares: new ones need no line here."""

from __future__ import annotations

import functools
import random
from dataclasses import replace
from typing import Any

from fuzz.problems import labels, trees
from fuzz.problems.case import Case, Parents, Rows
from fuzz.problems.files import SUFFIX, TABULAR
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.models.base import PrivacyModel
from shoal.options import Option, Spec

SET_COLUMNS = (("items",), ("A", "B"), ("A", "B", "C"))
SENSITIVE_COLUMN = "d"
BIG = (10**6, 2**31, 2**40)
REGIONS: Parents = {
    "no": "north",
    "se": "north",
    "es": "south",
    "it": "south",
    "north": "any",
    "south": "any",
    "any": None,
}
COLUMNS: dict[str, tuple[list[str], list[dict[str, Any]]]] = {  # name -> values, and what may be said of it
    "age": (["3", "9", "18", "25", "40", "61", "90"], [{}, {"hierarchy": "width:5,20"}, {"hierarchy": "breaks:18,65"}]),
    "height": (["1.5", "1.75", "2", "1.62", "1.50"], [{}, {"weight": 0.3}, {"hierarchy": "quantiles:2"}]),
    "born": (["1999-01-02", "2000-02-29", "2000-03-01", "2003-12-31"], [{}, {"hierarchy": "calendar:month,year"}]),
    "land": (["no", "se", "es", "it"], [{}, {"hierarchy": REGIONS}]),
    "kind": (["x", "y", "007", "a,b", "z\"("], [{}, {"type": "category"}, {"weight": 0}]),
    "code": (["7", "07", "12", "40"], [{}, {"type": "category"}]),
}  # fmt: skip


@functools.cache
def pairs() -> list[tuple[type[Algorithm], type[PrivacyModel]]]:
    """Every algorithm with every model that it solves."""
    algorithms = discovery.find("shoal.algorithms", Algorithm).values()
    models = discovery.find("shoal.models", PrivacyModel).values()
    return [(algorithm, model) for algorithm in algorithms for model in models if issubclass(model, algorithm.solves)]


def draw(seed: str) -> Case:
    """The case of a seed."""
    random_ = random.Random(seed)
    algorithm, model = random_.choice(pairs())
    columns_of_sets = random_.choices(SET_COLUMNS, (88, 9, 3))[0]
    names = labels.items(random_, random_.choices(range(1, 9), (1, 3, 4, 6, 6, 5, 4, 3))[0])
    tagged = len(columns_of_sets) > 1
    if tagged:  # an item (x,y) of column B would be called (B.x,B.y)
        names = [name for name in names if not name.startswith("(")] or ["a"]
    sets = {column: _rows(random_, names, n) for n in [_count(random_)] for column in columns_of_sets}
    n_rows = len(next(iter(sets.values())))
    universe = [f"{column}.{name}" for column in columns_of_sets for name in names] if tagged else list(names)
    columns, roles = _columns(random_, model, n_rows)
    multiset = random_.random() < 0.08
    takes_tree = random_.random() < 0.9 or _needs_tree(algorithm)
    parents = trees.draw(random_, universe) if takes_tree else None
    groups = [] if parents is None else [label for label in parents if label not in universe]
    known = {"items": [f"{name}*1" for name in universe] if multiset and random_.random() < 0.5 else universe}
    known["groups"] = groups
    known["columns"] = [SENSITIVE_COLUMN] if SENSITIVE_COLUMN in columns else []
    model_options = _options(random_, model, known)
    if random_.random() < 0.8:
        sets = _thinned(random_, sets, model_options)
    case = Case(
        sets=sets,
        model=model.name,
        algorithm=algorithm.name,
        parents=parents,
        model_options=model_options,
        algorithm_options=_options(random_, algorithm, known),
        columns=columns,
        roles=roles,
        loss=random_.choice(("ncp", "ncp", "lm")),
        weights=_weights(random_, [*universe, *groups]) if random_.random() < 0.12 else None,
        multiset=multiset,
        allow_missing=random_.random() < 0.5,
        seed=random_.randrange(4),
        memory=random_.choice(("list", "list", "arrow", "arrow", "pandas", "polars")),
        format=random_.choice(sorted(SUFFIX)) if random_.random() < SHELL_SHARE else None,
        tree_format=random_.choice(("parents", "parents", "arx", "amnesia-json")),
        perturb=random_.randrange(2**30),
    )
    if model.counts_persons and case.format in (None, *TABULAR) and random_.random() < PERSONS_SHARE:
        return replace(case, persons=_persons(random_, sets))
    return case


PERSONS_SHARE = 0.35  # of the cases that can have persons
SHELL_SHARE = 0.25  # of the cases that go through the command line too


def _count(random_: random.Random) -> int:
    """A number of records."""
    return random_.choices((0, 1, 2, random_.randint(3, 9), random_.randint(8, 16)), (1, 1, 2, 32, 64))[0]


def _persons(random_: random.Random, sets: dict[str, Rows]) -> list[int]:
    """Whose each record is: few persons with several records, or one record each; numbers may be left out."""
    records = [str(record) for record in zip(*sets.values(), strict=True)]
    several = random_.random() < 0.85
    number = random_.choice((1, 2, 3, 4, 6, 8, 12, 20)) if several else len(records)
    ids = random_.sample(range(number * random_.choice((1, 3))), number)
    if not several:
        return ids
    alike, owner = random_.choice((0.0, 0.0, 0.5, 0.9)), dict[str, int]()  # people often do the same again
    people = []
    for record in records:
        person = random_.choice(ids)
        people.append(owner.setdefault(record, person) if random_.random() < alike else person)
    return sorted(people) if random_.random() < 0.2 else people  # neighbours are often of one person


def _rows(random_: random.Random, items: list[str], count: int) -> Rows:
    """Records: empty ones, equal ones, items given twice, items that never occur."""
    used = random_.sample(items, max(1, round(len(items) * random_.choice((0.6, 1, 1)))))
    repeated = random_.choice((0.1, 0.4, 0.8))
    empty = random_.choice((0.0, 0.0, 0.05, 0.3))
    rows: Rows = []
    while len(rows) < count:
        if rows and random_.random() < repeated:
            rows.append(list(random_.choice(rows)))
        elif random_.random() < empty:
            rows.append([])
        else:
            row = random_.sample(used, min(len(used), random_.choice((1, 1, 2, 2, 3, 4))))
            rows.append(row + row[:1] * (random_.random() < 0.1))
    return rows


def _thinned(random_: random.Random, sets: dict[str, Rows], options: dict[str, Any]) -> dict[str, Rows]:
    """The records with what is sensitive in a few of them only: else most problems have no solution."""
    secret = {label.rpartition("*")[0] or label for label in options.get("sensitive", ())} | set(
        options.get("sensitive", ())
    )
    keep, kept = random_.choice((0.1, 0.3, 0.3, 0.6)), set[str]()

    def stays(name: str, item: str) -> bool:
        if not {item, name} & secret or (name not in kept and random_.random() < 0.9) or random_.random() < keep:
            kept.add(name)
            return True
        return False

    return {
        column: [[item for item in row if stays(f"{column}.{item}", item)] for row in rows]
        for column, rows in sets.items()
    }


def _columns(
    random_: random.Random, model: type[PrivacyModel], count: int
) -> tuple[dict[str, list[str | None]], dict[str, dict[str, Any]]]:
    """Columns beside the sets, and what is said of them."""
    values: dict[str, list[str | None]] = {}
    roles: dict[str, dict[str, Any]] = {}
    names = random_.sample(sorted(COLUMNS), random_.choice((1, 1, 2, 3))) if model.relational else []
    if not model.relational and random_.random() < 0.15:
        names = random_.sample(sorted(COLUMNS), 1)
    for name in names:
        likely, declarations = COLUMNS[name]
        holes = random_.choice((0.0, 0.0, 0.1, 0.5))
        used = random_.sample(likely, random_.randint(1, len(likely)))
        blank = random_.choice(("", "?"))
        values[name] = [blank if random_.random() < holes else random_.choice(used) for _ in range(count)]
        if model.relational:
            roles[name] = {**random_.choice(declarations), "missing": ["?"] if blank == "?" else []}
            if random_.random() < 0.1:
                roles[name] = {"role": random_.choice(("identifier", "plain"))}
    if any(option.name == "sensitive_column" for option in model.options()) and random_.random() < 0.35:
        few = ["x", "y", "z", "X", "", "", "w", "v"][: random_.randint(3, 8)]
        values[SENSITIVE_COLUMN] = [random_.choice(few) for _ in range(count)]
    return values, roles


def _needs_tree(algorithm: type[Algorithm]) -> bool:
    """Whether the algorithm is of no use without a hierarchy."""
    try:
        return bool(algorithm().needs_hierarchy)
    except TypeError:
        return True


def _options(random_: random.Random, cls: type[Spec], known: dict[str, list[str]]) -> dict[str, Any]:
    """Values for some of the options; the others keep their defaults."""
    options: dict[str, Any] = {}
    if known["columns"] and any(option.name == "sensitive_column" for option in cls.options()):
        options["sensitive_column"] = known["columns"]
    order = list(cls.options())
    random_.shuffle(order)
    for option in order:
        if option.name not in options and random_.random() < (0.95 if issubclass(cls, PrivacyModel) else 0.4):
            value = _value(random_, option, known)
            if value is not None:
                options[option.name] = value
    if "sensitive" in {option.name for option in order} and not options.get("sensitive_column"):
        options.setdefault("sensitive", [random_.choice(known["items"])])
    if set(options.get("qid", ())) & set(options.get("sensitive", ())):
        del options["qid"]
    if options.get("within", "best") not in ("aa", "optimal") and random_.random() < 0.9:
        options.pop("siblings", None)  # of use with other ways only
    return options


def _value(random_: random.Random, option: Option, known: dict[str, list[str]]) -> Any:
    """A value of an option, from its declaration; None: leave it out."""
    if option.type is tuple:
        return _labels(random_, option.name, known)
    if option.words and (option.type is str or random_.random() < 0.2):
        return random_.choice(option.words)
    if option.type is bool:
        return random_.random() < 0.5
    if option.type is str:
        return random_.choice(("group", "g", "age", "my group")) if random_.random() < 0.2 else None
    low = option.low or 0
    if option.type is float:
        high = 1.0 if option.high is None else option.high
        if option.high is None and random_.random() < 0.7:
            return None  # a limit of time, say
        return round(low + (high - low) * random_.randint(0, 20) / 20, 6)
    if random_.random() < 0.02:
        return random_.choice(BIG)
    few = int(low) + random_.choice((0, 0, 0, 0, 1, 1, 2, 3))
    return few if not isinstance(option.default, int) or option.default < 100 else None


def _labels(random_: random.Random, name: str, known: dict[str, list[str]]) -> list[str] | None:
    """Labels for an option that names some."""
    if name.endswith("column"):
        return None
    if name == "qid":
        return list(known["items"]) if random_.random() < 0.1 else None
    pool = known["items"] + (known["groups"] if random_.random() < 0.3 else [])
    if known["columns"] and random_.random() < 0.3:
        pool = [f"{SENSITIVE_COLUMN}=x", f"{SENSITIVE_COLUMN}=y"]
    most = len(pool) if random_.random() < 0.05 else max(1, len(pool) // 2)
    return random_.sample(pool, min(most, random_.choice((1, 1, 1, 2, 3))))


def _weights(random_: random.Random, names: list[str]) -> dict[str, float]:
    """Weights of some items or groups."""
    some = random_.sample(names, random_.randint(1, min(3, len(names))))
    return {name: random_.choice((0, 0.5, 1, 2, 2.5, 10, 0.000001, 1000)) for name in some}
