"""Files of persons."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import DataError
from shoal.io.persons_file import read_persons, write_persons


def test_ids_come_back_as_they_were_and_are_for_their_owner_alone(tmp_path: Path) -> None:
    path, ids = tmp_path / "persons.txt", ["007", " a b", "Käthe", "007"]
    path.write_text("of a release before, which anybody could read")
    path.chmod(0o644)
    write_persons(ids, path)
    assert path.read_bytes() == "007\n a b\nKäthe\n007\n".encode()
    assert path.stat().st_mode & 0o777 == 0o600
    persons = read_persons(path, 4, "public.csv")
    assert persons.ids_of_rows() == ids
    assert persons.repeaters.tolist() == [0, -1, -1, 0]


def test_other_line_ends_and_a_last_line_without_one(tmp_path: Path) -> None:
    path = tmp_path / "persons.txt"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb")
    assert read_persons(path, 2, "public.csv").ids == ("a", "b")


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "persons.txt"
    path.write_text("a\n\nb\n\n")
    with pytest.raises(DataError, match=r"has 4 persons, but public.csv has 3 records: wanted one id for each"):
        read_persons(path, 3, "public.csv")
    with pytest.raises(DataError, match=r"persons.txt, line 2: the person is blank \(2 such lines\): fill it in"):
        read_persons(path, 4, "public.csv")
    with pytest.raises(DataError, match="record 2 has an id with a line end"):
        write_persons(["a", "b\nc"], path)
    assert path.read_text() == "a\n\nb\n\n"
