"""What goes over the wire, word for word: a change of it is a change that somebody reads."""

from __future__ import annotations

import json

import pytest

from tests.golden import assert_kept
from tests.providers import wire


@pytest.mark.parametrize("name", wire.NAMES)
def test_a_provider_sends_and_reads_what_it_did(name: str) -> None:
    """Requests for nine queries, the sample's hits, prices, bounds and filters."""
    assert_kept(json.loads(json.dumps(wire.describe(name))), wire.FILE, name)
