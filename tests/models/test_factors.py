"""Factors, relevance and ranks are those that the confidence was fitted on."""

from __future__ import annotations

import pytest

from tests.golden import assert_kept
from tests.models import factors


@pytest.mark.parametrize("name", factors.LISTS)
def test_a_list_of_hits_is_weighed_as_it_was(name: str) -> None:
    """From the web and from the index, with scores and without, alone and none at all."""
    assert_kept(factors.describe(name), factors.FILE, name)
