"""What is sent to other processes: references in place of what is there, errors as values, and nothing to be read."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from shoal.engines.shipping import Failed, Held, Remote, Shipped, attempt, contents_of, pack, result_or_error
from shoal.errors import DataError, PrivacyViolation
from shoal.models.base import Verdict

pytest.importorskip("cloudpickle", reason="needs pip install 'shoal[dask]'")


@dataclass
class Future:
    key: str


class There(Remote):
    """Two values that are elsewhere."""

    def __init__(self, *futures: Future, factor: int = 1) -> None:
        self._futures, self._factor = futures, factor

    @property
    def futures(self) -> Sequence[Any]:
        return self._futures

    @property
    def recipe(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return lambda factor, *values: [factor * value for value in values], (self._factor,)


def test_a_task_finds_the_content_in_place_of_references() -> None:
    a, b = Future("a"), Future("b")
    shipped, futures = pack({"one": There(a, b), "other": [There(b, factor=10)], "own": 3})
    assert futures == [a, b]
    assert shipped.open([1, 2]) == {"one": [1, 2], "other": [[20]], "own": 3}


def test_another_thread_may_be_importing_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", ModuleType("pyarrow"))  # without its content so far
    assert Shipped.of([1, Future]).open() == [1, Future]


def test_references_cannot_leave_in_another_way() -> None:
    with pytest.raises(TypeError, match="can only be shipped"):
        pickle.dumps(There(Future("a")))
    with pytest.raises(AssertionError, match="need a task"):
        Shipped.of(There(Future("a")))


@pytest.mark.parametrize("value", [b"SECRET", ["SECRET"], {"SECRET": 1}])
@pytest.mark.parametrize("protocol", [4, 5])
def test_what_is_shipped_does_not_show_itself(value: Any, protocol: int) -> None:
    shipped = Shipped.of(value)
    assert "SECRET" not in repr(shipped) + str(shipped) + repr(Held(value)) + str(Held(value))
    again = pickle.loads(pickle.dumps(shipped, protocol))
    assert again.open() == value
    assert type(again.open()) is type(value)
    assert shipped.__sizeof__() >= 6


@pytest.mark.parametrize(
    "error", [DataError("wrong"), PrivacyViolation("bug", Verdict(False, 1, 1, ())), OSError(28, "full")]
)
def test_errors_travel_as_values(error: Exception) -> None:
    def fail() -> None:
        raise error

    found = Shipped.of(attempt(fail)).open()
    assert isinstance(found, Failed)
    with pytest.raises(type(error), match=str(error.args[-1]) if not isinstance(error, PrivacyViolation) else "bug"):
        result_or_error(found)
    with pytest.raises(type(error)):
        contents_of([Held(1), Held(found)])
    assert contents_of([Held(1), Held(None)]) == [1, None]
