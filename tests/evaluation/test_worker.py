"""What the process that forks for every case holds ready. How runs end: test_runner_ends.py."""

from __future__ import annotations

import json
from pathlib import Path

from tests import processes
from tests.evaluation.test_runner import toy


def test_cases_find_everything_loaded(tmp_path: Path) -> None:
    """What a case loads, every case loads anew: the solver took 20 times as long as a small case itself."""
    toy(tmp_path)
    script = (
        "import json, sys, shoal\n"
        "from shoal.evaluation import worker\nfrom shoal.jobs.dataset_spec import DatasetSpec\n"
        "from shoal.evaluation.grid import combinations\n"
        "from shoal.evaluation.run_case import run_case\n"
        "data = DatasetSpec(label='toy', file='toy.dat', fanout=3)\n"
        "models, methods = [shoal.Km(k=3, m=2)], [shoal.algorithms.AA(), shoal.algorithms.Optimal(time_limit=60)]\n"
        "worker._preload()\n"
        "before = {*sys.modules}\n"
        "rows = [run_case(case) for case in combinations([data], models, methods)]\n"
        "print(json.dumps([[row['status'] for row in rows], sorted({*sys.modules} - before)]))\n"
    )
    with processes.python(script, cwd=tmp_path) as process:
        out, err = process.communicate(timeout=processes.LIMIT)
    statuses, loaded = json.loads(out)
    assert statuses == ["ok", "ok"], err
    assert not {"shoal", "ortools", "pyarrow", "pandas", "numpy"} & {name.partition(".")[0] for name in loaded}
