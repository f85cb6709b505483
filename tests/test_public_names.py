"""The public names are promised: they equal `__all__`, and each of them is there."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import kensaku
import kensaku.testing


@pytest.mark.parametrize("module", [kensaku, kensaku.testing], ids=lambda m: m.__name__)
def test_every_name_of_all_can_be_had(module):
    """Lazily, and the same object each time."""
    for name in module.__all__:
        assert getattr(module, name) is getattr(module, name)
    assert set(module.__all__) <= set(dir(module))
    assert len(set(module.__all__)) == len(module.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    """So that `hasattr` and completion work."""
    with pytest.raises(AttributeError):
        kensaku.Nonsense  # noqa: B018


def test_type_checkers_see_the_same_names():
    """What is imported for them under TYPE_CHECKING equals what is loaded at run time."""
    tree = ast.parse(Path(kensaku.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.asname: f"{node.module}:{alias.name}"
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If)
        for node in branch.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    assert set(seen) == set(kensaku.__all__) - {"__version__"}
    for name, place in seen.items():
        module, _, attribute = place.partition(":")
        assert getattr(importlib.import_module(module), attribute) is getattr(kensaku, name)


def test_the_names_of_the_design_are_public():
    """People and tests outside the project rely on these."""
    promised = "Kensaku Query Document Outcome extract_html Settings Hit Response Page".split()

    assert set(promised) <= set(kensaku.__all__)
