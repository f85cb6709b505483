"""What modules without a source say of themselves."""

from __future__ import annotations

import sys
from types import ModuleType

from kensaku.index.compiled_docs import compiled_names


def test_every_name_is_one_that_people_write():
    """Public, once, with some words about it, without `self`, and of the module that has it."""
    listed = list(compiled_names())
    found = {name: signature for name, signature, _ in listed}

    assert len(found) == len(listed)
    assert not [name for name in found if any(part[:1] == "_" for part in name.split("."))]
    assert not [name for name, signature in found.items() if "(self" in signature]
    assert all(len(text.split()) >= 4 and len(text) <= 6_000 for *_, text in listed)
    assert (found["len"], found["str.join"]) == ("len(obj, /)", "str.join(iterable, /)")
    assert (found["list.clear"], found["time"]) == ("list.clear()", "")
    assert not {"io.open", "collections.Counter", "json.dumps", "json", "pickle.pack"} & {*found}


def test_a_module_that_this_python_does_not_have_is_passed_over(monkeypatch):
    """The others are listed; a long text is cut."""
    monkeypatch.setitem(sys.modules, "made_up", ModuleType("made_up", "word " * 2_000))

    assert list(compiled_names(["no_such_module", "made_up"])) == [("made_up", "", "word " * 1_200)]
