"""Compiled kernels and their readable twins have the same names and arguments; the compiled ones run if built."""

from __future__ import annotations

import inspect
import os
import re
import warnings
from typing import Any

import pytest

from shoal import kernels
from shoal.kernels import choice

compiled_only = pytest.mark.skipif(choice.native is None, reason="there is nothing to compare")


def test_native_kernels_are_built() -> None:
    """CI sets SHOAL_REQUIRE_NATIVE: there the fallback must not pass unnoticed."""
    if os.environ.get("SHOAL_REQUIRE_NATIVE") == "1":
        assert kernels.KIND == "native"


def arguments(kernel: Any) -> list[str]:
    """The names of the arguments of a compiled function or method."""
    [(signature, _, _)] = kernel.__nb_signature__
    while "[" in signature:  # what types are made of
        signature = re.sub(r"\[[^\[\]]*\]", "", signature)
    inside = re.search(r"\((.*?)\)", signature)
    assert inside is not None
    return [argument.partition(":")[0] for argument in inside[1].split(", ")]


def public(owner: Any) -> set[str]:
    return {name for name in vars(owner) if not name.startswith("_")}


@compiled_only
def test_every_kernel_has_a_twin() -> None:
    assert public(choice.native) == set(choice.twins())


@compiled_only
@pytest.mark.parametrize("name", sorted(choice.twins()))
def test_a_kernel_and_its_twin_have_the_same_arguments(name: str) -> None:
    kernel, twin = getattr(choice.native, name), choice.twins()[name]
    pairs = [(kernel, twin)]
    if isinstance(twin, type):
        pairs = [(getattr(kernel, method), getattr(twin, method)) for method in {"__init__", *public(kernel)}]
    for one, other in pairs:
        assert arguments(one) == list(inspect.signature(other).parameters)


def some_kernel_twin() -> str:
    return "twin"


def test_the_compiled_kernel_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "native", type("Native", (), {"some_kernel": lambda: "compiled"}))
    assert choice.compiled_or(some_kernel_twin)() == "compiled"


def test_the_first_use_of_a_twin_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "native", None)
    monkeypatch.setattr(choice, "ASKED_FOR_TWINS", False)
    choice._warn_once.cache_clear()
    with pytest.warns(RuntimeWarning, match="without its compiled kernels and is much slower"):
        assert choice.compiled_or(some_kernel_twin)() == "twin"
    with warnings.catch_warnings(action="error"):
        assert choice.compiled_or(some_kernel_twin)() == "twin"


def test_twins_that_were_asked_for_are_not_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "native", None)
    monkeypatch.setattr(choice, "ASKED_FOR_TWINS", True)
    choice._warn_once.cache_clear()
    assert choice.compiled_or(some_kernel_twin)() == "twin"
