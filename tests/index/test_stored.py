"""What is stored of a text is what was stored: an index of last year still finds its documents."""

from __future__ import annotations

import json

import pytest

from tests.index import stored

KNOWN = json.loads(stored.FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", stored.TEXTS)
def test_the_terms_and_passages_of_a_text_are_those_on_disk(name: str) -> None:
    """Prose, code and scripts without spaces, as documents and as queries."""
    found = stored.describe(name)

    assert {part for part in found if found[part] != KNOWN[name][part]} == set()


def test_sites_and_days_are_those_on_disk() -> None:
    """Filters compare with them."""
    assert stored.others() == KNOWN["others"]
