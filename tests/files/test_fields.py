"""Fields of another type than a file should have are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from shoal.errors import DataError
from shoal.files.fields import Fields

CALLS: dict[str, tuple[Callable[[Fields, str], Any], Any, list[Any]]] = {
    "text": (Fields.text, "a", [1, None, ["a"], True]),
    "flag": (Fields.flag, False, [0, 1, "true", None]),
    "number": (Fields.number, 0, [True, 1.0, "1", None, 2**63]),
    "numbers": (Fields.numbers, [1, 2], [1, ["1"], [True], [1.5], {"1": 2}, "12", None]),
    "texts": (Fields.texts, ["a", ""], ["a", [1], ["a", None], {"a": 1}, None]),
    "below": (Fields.below, {"a": 1}, [[], "a", 1, None]),
    "objects": (Fields.objects, [{"a": 1}], [{"a": 1}, ["a"], "a", None]),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_value_of_another_type_is_refused_by_the_name_of_its_field(name: str) -> None:
    read, right, wrong = CALLS[name]
    read(Fields({"x": right}, "f.json"), "x")
    with pytest.raises(DataError, match=r"f\.json cannot be read: it has no 'x'\."):
        read(Fields({"y": right}, "f.json"), "x")
    for value in wrong:
        with pytest.raises(DataError, match=r"f\.json cannot be read: ('x' is not|wanted an object)"):
            read(Fields({"x": value}, "f.json"), "x")


def test_what_is_no_object_has_no_fields() -> None:
    nothing: tuple[Any, ...] = ([], "a", 3, None)
    for value in nothing:
        with pytest.raises(DataError, match="wanted an object"):
            Fields(value, "f.json")
