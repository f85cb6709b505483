"""Whoever changes what is kept in a file learns by the failing test how to write it anew."""

from __future__ import annotations

import json
from importlib import import_module

import pytest

from tests import golden


@pytest.mark.parametrize("name", ["known", "new"])
def test_a_difference_and_a_new_entry_name_the_command(tmp_path, name):
    """A new provider has no entry yet: that is no KeyError."""
    file = tmp_path / "kept.json"
    file.write_text(json.dumps({"known": [1]}))

    with pytest.raises(AssertionError, match="make golden"):
        golden.assert_kept([2], file, name)


@pytest.mark.parametrize("module", golden.MODULES)
def test_every_file_can_be_written_by_that_command(module):
    """Its module has what the command calls."""
    assert callable(import_module(module).write)
