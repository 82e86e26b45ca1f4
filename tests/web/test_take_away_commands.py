"""Step 7 of the workbench: the command line, the Python script and the problem file give the same bytes.

Covers: web/tasks/take_away.py, jobs/command.py, jobs/script.py
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from shoal.evidence.keys import new_keys
from shoal.web.tasks import take_away
from shoal.web.worker import Session
from tests.web.client import PATIENCE
from tests.web.test_take_away_step import BASKETS, EPOCH, TREE, contents, run_of, workspace_with

AWKWARD = "it's $HOME; `x` é日 & (1)"  # a name that a shell would like to understand
PATIENTS = "name,age,zip code,notes,codes\n" + "".join(
    f"P{n},{20 + n % 7},Z{n % 3},n{n % 2},{' '.join(sorted({f'c{n % 4}', f'c{(n * 3) % 5}'}))}\n" for n in range(24)
)
ORDERS = "order,product\n" + "".join(f"{n // 2},{p}\n" for n, p in enumerate([1, 2, 3, 2, 4, 1, 2, 3] * 4))
PRODUCTS = 'product,dept\n1,"DAIRY, cold"\n2,BREAD\n3,"DAIRY, cold"\n4,BREAD\n'
CASES: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "baskets with a hierarchy": (
        {f"inputs/{AWKWARD}.basket": BASKETS, "inputs/my tree.csv": TREE},
        {
            "data": {"file": f"inputs/{AWKWARD}.basket"},
            "items": {"hierarchy": "inputs/my tree.csv"},
            "model": {"name": "km", "k": 3, "m": 2},
        },
    ),
    "a table with columns and sets": (
        {"inputs/patients.csv": PATIENTS, "inputs/zip.csv": "Z0;N;ALL\nZ1;N;ALL\nZ2;S;ALL\n"},
        {
            "data": {"file": "inputs/patients.csv", "sets": "codes"},
            "columns": {
                "name": "identifier",
                "age": {"role": "quasi-identifier", "hierarchy": "width:5,10", "weight": 0.5},
                "zip code": {"role": "quasi-identifier", "hierarchy": "inputs/zip.csv"},
                "notes": {"role": "plain", "type": "category"},
            },
            "model": {"name": "k-km", "k": 3, "m": 2},
            "output": {"columns": ["name", "age", "zip code"]},
            "run": {"seed": 7},
        },
    ),
    "order lines joined with products": (
        {"inputs/orders.csv": ORDERS, "inputs/product table.csv": PRODUCTS},
        {
            "data": {
                "file": "inputs/orders.csv",
                "id_column": "order",
                "item_column": "dept",
                "join": ["inputs/product table.csv:product"],
            },
            "model": {"name": "km", "k": 2, "m": 2},
        },
    ),
    "sensitive items and a hierarchy made in the workbench": (
        {"inputs/baskets.basket": BASKETS, "projects/p/hierarchies/edited.csv": TREE},
        {
            "data": {"file": "inputs/baskets.basket"},
            "items": {"hierarchy": "projects/p/hierarchies/edited.csv", "allow_missing": True},
            "model": {"name": "lm", "l": 2, "m": 1, "sensitive": ["beer ale", "-none"]},
            "output": {"threshold": ["ema"]},
        },
    ),
    "a type that only a problem file can say": (
        {"inputs/patients.csv": PATIENTS},
        {
            "data": {"file": "inputs/patients.csv", "sets": "codes"},
            "columns": {
                **{"name": "identifier", "zip code": "plain", "notes": "plain"},
                "age": {"role": "quasi-identifier", "type": "number"},
            },
            "model": {"name": "k-km", "k": 3, "m": 1},
        },
    ),
}


SLOW = ("order lines joined with products", "sensitive items and a hierarchy made in the workbench")


@pytest.mark.filterwarnings("ignore:Items in column")  # are separated by another mark
@pytest.mark.parametrize("case", [pytest.param(one, marks=pytest.mark.slow) if one in SLOW else one for one in CASES])
def test_command_script_and_problem_file_give_the_same_bytes(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    monkeypatch.setenv("SHOAL_PASSPHRASE", "correct horse")
    root = tmp_path / "workspace"
    files, tables = CASES[case]
    workspace = workspace_with(root, files)
    monkeypatch.chdir(root)
    key = ""
    if case == "baskets with a hierarchy":
        pytest.importorskip("cryptography")
        new_keys("inputs/our key", "correct horse")
        key = "inputs/our key.key"
    run = run_of(workspace, tables, key)
    told = take_away.commands(Session(), run.tables, run.path)
    only_file = case.startswith("a type")
    assert bool(told["command_lacks"]) == bool(told["script_lacks"]) == only_file
    assert told["command"].startswith("shoal run " if only_file else "shoal anonymize ")
    bin = Path(sys.executable).parent
    ways = {
        "command": ["bash", "-c", told["command"]],
        "script": [sys.executable, "-c", told["script"]],
        **({} if only_file else {"problem": ["bash", "-c", told["run_line"]]}),
    }
    environment = {**os.environ, "PATH": f"{bin}{os.pathsep}{os.environ['PATH']}"}

    def repeated(way: str) -> dict[str, bytes]:
        copy = tmp_path / way
        shutil.copytree(root, copy)
        for name in run.outputs:
            (copy / run.path / name).unlink()
        done = subprocess.run(
            ways[way],
            cwd=copy,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, f"{way}: {done.stderr}"
        assert {*run.outputs} <= set(os.listdir(copy / run.path))
        return contents(run, copy)

    ours = contents(run, root)
    assert {"public.html", "public.json", "certificate.json"} < ours.keys()
    with ThreadPoolExecutor() as pool:
        for way, theirs in zip(ways, pool.map(repeated, ways), strict=True):
            assert {name for name in ours if ours[name] != theirs[name]} == set(), way
