"""Results of a comparison whose data changed: the fingerprint tells which rows are of which data."""

from __future__ import annotations

from shoal.evaluation import results
from tests.conftest import Shell


def test_rows_before_and_after_the_data_changed(shell: Shell) -> None:
    shell.write("toy.dat", "a b\na\nb\na b\n")
    words = ("compare", "toy.dat", "-a", "aa", "-o", "out", "--vary", "k=2")
    assert shell(*words)[0] == 0
    path = shell.folder / "out" / "results.csv"
    [old] = results.load(path)
    assert shell(*words)[0] == 0
    assert results.load(path) == [old]  # nothing changed, nothing ran
    shell.write("toy.dat", "a b\na\nb\na b\nb\n")
    assert shell(*words)[0] == 0
    new, kept = results.load(path)
    assert kept["fingerprint"] == old["fingerprint"]
    assert len({new["fingerprint"], kept["fingerprint"]}) == 2
    assert (kept["records"], new["records"]) == (4, 5)


def test_a_table_without_fingerprints_gets_them(shell: Shell) -> None:
    shell.write("toy.dat", "a b\na\nb\na b\n")
    words = ("compare", "toy.dat", "-a", "aa", "-o", "out", "--vary", "k=2")
    assert shell(*words)[0] == 0
    path = shell.folder / "out" / "results.csv"
    [row] = results.load(path)
    lines = [line.split(",", 2) for line in path.read_text().splitlines()]
    path.write_text("".join(f"{key},{rest}\n" for key, _, rest in lines))
    assert shell(*words)[0] == 0
    assert [one["fingerprint"] for one in results.load(path)] == [row["fingerprint"]]
