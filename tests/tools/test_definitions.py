"""The words and bounds that reach a model: a change of them is a change that somebody reads."""

from __future__ import annotations

import pytest

from kensaku.tools.registry import TOOLS
from tests.golden import assert_kept
from tests.tools import definitions


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_described_as_it_was(name: str) -> None:
    """Name, description, parameters, result and hints, in each language."""
    assert_kept(definitions.describe(name), definitions.FILE, name)
