"""What modules without a source say of themselves."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from kensaku.index.compiled_docs import compiled_names


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[str, str]]:
    """The signature and the documentation of each name in C."""
    listed = list(compiled_names())
    assert len({name for name, *_ in listed}) == len(listed)
    return {name: (signature, text) for name, signature, text in listed}


def test_every_name_is_one_that_people_write(found):
    """Public, with some words about it, and without `self`."""
    for name, (signature, text) in found.items():
        assert not [part for part in name.split(".") if part.startswith("_")], name
        assert len(text.split()) >= 4, name
        assert len(text) <= 6_000, name
        assert "(self" not in signature, name


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("len", "len(obj, /)"),
        ("sum", "sum(iterable, /, start=0)"),
        ("str.join", "str.join(iterable, /)"),
        ("list.clear", "list.clear()"),
        ("collections.deque.append", "collections.deque.append(item, /)"),
        ("time", ""),
    ],
)
def test_functions_and_methods_have_their_signatures(found, name, signature):
    """`len`, not `builtins.len`; a module has none."""
    given = found[name][0]

    assert given.partition("(")[0] == signature.partition("(")[0]
    if not name.startswith("collections"):  # the names of its parameters differ between Pythons
        assert given == signature


def test_what_has_a_source_is_left_to_it(found):
    """And what a module only imports is not its own: `io.open` is `open`."""
    assert {"open", "collections.deque", "itertools.chain", "struct.pack"} <= found.keys()
    assert (
        not {"io.open", "collections.Counter", "json.dumps", "json", "pickle.pack"} & found.keys()
    )


def test_a_module_that_this_python_does_not_have_is_passed_over(monkeypatch):
    """The others are listed; a long text is cut."""
    monkeypatch.setitem(sys.modules, "made_up", ModuleType("made_up", "word " * 2_000))

    assert list(compiled_names(["no_such_module", "made_up"])) == [("made_up", "", "word " * 1_200)]
