"""What modules without a source say of themselves."""

from __future__ import annotations

import collections
import sys
from types import ModuleType
from typing import Any

import pytest

from kensaku.index.compiled_docs import compiled_names


class Thing:
    """A thing of words."""

    size = 3

    def __init__(self, size: int = 1) -> None:
        pass

    def close(self) -> None:
        """Close it for good."""

    def find(self, name: str, /, *, limit: int = 5) -> str:
        """Find it by name."""
        return name

    def grow(self, /) -> None:
        """Too few words."""

    def read(self, /, *paths: str) -> None:
        """Read it as text."""

    def rest(self, /) -> None:
        """Do nothing at all."""

    def _hidden(self) -> None:
        """Nobody is to see."""


class Plain:
    """A class without anything."""


class Slotted:
    """A class with functions."""

    __slots__ = ()

    def act(self) -> None:
        """Do what it does."""


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module that has no file, as those in C."""
    module = ModuleType("made_up", "One two three four")
    monkeypatch.setitem(sys.modules, "made_up", module)
    return module


def test_a_class_is_listed_with_its_methods(made_up: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `self`, and without what is private or says too little."""
    monkeypatch.setattr(Thing, "__module__", "made_up")
    made_up.Thing = made_up.Twice = Thing
    made_up._private = Slotted

    assert list(compiled_names(["made_up"])) == [
        ("made_up", "", "One two three four"),
        ("made_up.Thing", "class made_up.Thing(size: 'int' = 1) -> 'None'", "A thing of words."),
        ("made_up.Thing.close", "made_up.Thing.close() -> 'None'", "Close it for good."),
        (
            "made_up.Thing.find",
            "made_up.Thing.find(name: 'str', /, *, limit: 'int' = 5) -> 'str'",
            "Find it by name.",
        ),
        (
            "made_up.Thing.read",
            "made_up.Thing.read(*paths: 'str') -> 'None'",
            "Read it as text.",
        ),
        ("made_up.Thing.rest", "made_up.Thing.rest() -> 'None'", "Do nothing at all."),
    ]


def test_functions_in_c_are_listed_and_others_are_not(made_up: Any) -> None:
    """Those with a source are read from it. A long text is cut."""
    made_up.__doc__ = "word " * 2_000
    made_up.a_sum, made_up.here, made_up.kept = (
        sum,
        test_functions_in_c_are_listed_and_others_are_not,
        7,
    )
    made_up.plain, made_up.slotted = Plain, Slotted
    made_up.deque, made_up.counter = collections.deque, collections.Counter
    found = {name: (signature, text) for name, signature, text in compiled_names(["made_up"])}

    assert found["made_up"] == ("", ("word " * 1_200))
    assert found["made_up.a_sum"][0] == "made_up.a_sum(iterable, /, start=0)"
    assert found["made_up.deque"][0].startswith("class made_up.deque")
    assert "made_up.deque.append" in found
    assert not {"here", "kept", "plain", "slotted", "counter"} & {n.split(".")[-1] for n in found}


def test_a_class_of_an_unknown_module_is_left_out(
    made_up: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can say whether it has a source."""
    monkeypatch.setattr(Plain, "__module__", "nowhere_at_all")
    made_up.Plain = Plain

    assert [name for name, *_ in compiled_names(["made_up"])] == ["made_up"]


def test_what_a_module_only_imports_is_not_its_own(made_up: Any) -> None:
    """`__all__` says what is; a module that this Python does not have is passed over."""
    made_up.__all__ = ["size_of"]
    made_up.size_of, made_up.total = len, sum
    names = [name for name, *_ in compiled_names(["no_such_module", "made_up"])]

    assert names == ["made_up", "made_up.size_of"]


def test_built_in_names_stand_alone_and_once() -> None:
    """`len`, not `builtins.len`; `io.open` is `open`."""
    found = {name: signature for name, signature, _ in compiled_names(["builtins", "io", "json"])}

    assert found["len"] == "len(obj, /)"
    assert found["str.join"] == "str.join(iterable, /)"
    assert found["list.clear"] == "list.clear()"
    assert "open" in found
    assert "io.open" not in found
    assert not {name for name in found if name.startswith(("json", "builtins."))}
