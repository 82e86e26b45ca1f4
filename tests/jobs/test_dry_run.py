"""A dry run checks what the run checks, estimates what it costs, and writes nothing.

Covers: cli/dry_run.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.algorithms.aa import AA
from shoal.algorithms.auto import Auto
from shoal.data import Dataset
from shoal.errors import InputError, OptionError
from shoal.generators.supermarket import supermarket
from shoal.io import write
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.dry_run import Estimate, Sample, dry_run, extrapolated
from shoal.jobs.job import Job
from shoal.models.km import Km
from shoal.models.transactional_k import TransactionalK
from tests.conftest import Shell

MB = 2**20


@pytest.fixture
def job(tmp_path: Path) -> Job:
    write(Dataset(supermarket(rows=1200, seed=1)), tmp_path / "in.basket")
    spec = DatasetSpec(file=str(tmp_path / "in.basket"))
    reports = (tmp_path / "r.html",)
    return Job(data=spec, output=tmp_path / "out.basket", model=Km(k=3, m=2), algorithm=AA(), reports=reports)


def test_it_tells_what_would_be_done_and_writes_nothing(job: Job) -> None:
    found = dry_run(job, budget=1.0)
    assert found.summary.startswith("Read in.basket: 1,200 records")
    assert dict(found.writes) == {
        "release": str(job.output),
        "code book, if readers need it": str(job.output).replace(".basket", ".codebook.csv"),
        "report": str(job.reports[0]),
    }
    told = dict(found.rows())
    assert told["hierarchy"].startswith("built from the data, by frequency, fanout 5")
    assert told["time"].startswith("about ")
    assert told["memory"].endswith(" MB")
    assert found.as_dict()["algorithm"]["name"] == "aa"
    assert sorted(path.name for path in job.output.parent.iterdir()) == ["in.basket"]


def test_small_data_are_searched_as_a_whole(job: Job) -> None:
    estimate = dry_run(job, budget=60.0).estimate
    assert [sample.rows for sample in estimate.samples] == [250, 500, 1000, 1200]
    assert estimate.seconds == estimate.samples[-1].seconds
    assert "tried on all 1,200 rows" in estimate.basis


def test_a_method_with_a_time_limit_takes_at_most_that(job: Job) -> None:
    slow = Job(data=job.data, output=job.output, model=job.model, algorithm=Auto(time_limit=0.01))
    estimate = dry_run(slow, budget=0.6).estimate
    assert estimate.at_most == pytest.approx(2.01)
    assert estimate.seconds is not None
    assert estimate.seconds <= 2.01


def test_it_refuses_what_the_run_refuses(shell: Shell) -> None:
    shell.write("t.basket", "a,b\na\n")
    assert "needs at least 5 non-empty records" in shell.fails("anonymize", "t.basket", "-o", "o.basket", "--dry-run")
    assert "does not exist" in shell.fails("anonymize", "none.basket", "-o", "o.basket", "--dry-run")
    assert "'.xlsx'" in shell.fails("anonymize", "t.basket", "-o", "o.xlsx", "--dry-run")


def test_on_the_command_line(shell: Shell) -> None:
    shell.write("p.toml", '[data]\nfile = "in.basket"\n[model]\nk = 2\n[output]\nfile = "o.basket"\n')
    for words in (("run", "p.toml"), ("anonymize", "in.basket", "-o", "o.basket", "--k", "2")):
        code, out, _ = shell(*words, "--dry-run")
        assert code == 0
        assert "Nothing was written." in out
        assert "o.basket" in out
    assert not (shell.folder / "o.basket").exists()


def test_seconds_grow_with_the_power_that_samples_show() -> None:
    quadratic = [Sample(1000, 1.0, 100 * MB), Sample(2000, 4.0, 100 * MB)]
    assert extrapolated(quadratic, 4000, None).seconds == pytest.approx(16.0)
    assert extrapolated([Sample(1000, 1.0, 0), Sample(2000, 9.0, 0)], 4000, None).seconds == pytest.approx(36.0)
    assert extrapolated([Sample(1000, 1.0, 0), Sample(2000, 0.5, 0)], 4000, None).seconds == pytest.approx(1.0)
    assert extrapolated([Sample(1000, 1.0, 0), Sample(2000, 0.5, 0)], 4000, 60.0).seconds == pytest.approx(0.5)
    assert extrapolated([Sample(1000, 1.0, 0)], 4000, None).seconds == pytest.approx(4.0)
    assert extrapolated(quadratic, 40_000, 60.0).seconds == 62.0


def test_a_sample_that_was_cut_short_gives_a_range() -> None:
    estimate = extrapolated([Sample(250, 4.0, MB, cut_short=True)], 100_000, 60.0)
    assert estimate.sentences()[0] == "between 4 seconds and 60 seconds (the time limit of the method)"
    assert estimate.sentences()[1] == "at least 1 MB"


def test_one_sample_gives_a_range_and_the_limit_an_upper_end() -> None:
    assert extrapolated([Sample(250, 1.0, MB)], 10_000, 60.0).sentences()[0] == "between 1 second and 40 seconds"
    assert extrapolated([Sample(250, 2.0, MB)], 10_000, 60.0).sentences()[0] == (
        "up to 60 seconds (the time limit of the method)"
    )
    assert extrapolated([Sample(250, 1.0, MB)], 250, 60.0).sentences()[0] == "about 1 second"


def test_without_a_sample_there_is_no_estimate() -> None:
    assert extrapolated([], 10, None) == Estimate(None, None, None, (), 10)
    assert "no estimate" in extrapolated([], 10, None).sentences()[0]


def test_bad_input_is_an_error(job: Job, tmp_path: Path) -> None:
    missing = DatasetSpec(file=str(tmp_path / "none.basket"))
    with pytest.raises(InputError, match="does not exist"):
        dry_run(Job(data=missing, output=job.output, model=job.model, algorithm=AA()))
    with pytest.raises(OptionError, match="does not solve"):
        dry_run(Job(data=job.data, output=job.output, model=TransactionalK(k=2), algorithm=AA()))
