"""Public names are loaded when they are first used."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from kensaku._lazy import attach


def test_a_name_is_loaded_once_from_its_module(monkeypatch):
    """Below a folder by two underscores; a module may be a name itself."""
    package = ModuleType("pkg")
    folder, leaf, whole = ModuleType("pkg.a"), ModuleType("pkg.a.b"), ModuleType("pkg.c")
    leaf.Thing = object()
    package.__path__, folder.__path__ = [], []
    for module in (package, folder, leaf, whole):
        monkeypatch.setitem(sys.modules, module.__name__, module)

    load, names, public = attach("pkg", a__b=["Thing"], c=["c"])

    assert names() == public == ["Thing", "c"]
    assert load("Thing") is leaf.Thing
    assert package.Thing is leaf.Thing
    assert load("c") is whole
    with pytest.raises(AttributeError, match=r"module 'pkg' has no attribute 'other'"):
        load("other")
