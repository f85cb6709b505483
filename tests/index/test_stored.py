"""What is stored of a text is what was stored: an index of last year still finds its documents."""

from __future__ import annotations

import pytest

from tests.golden import assert_kept
from tests.index import stored


@pytest.mark.parametrize("name", stored.TEXTS)
def test_the_terms_and_passages_of_a_text_are_those_on_disk(name: str) -> None:
    """Prose, code and scripts without spaces, as documents and as queries."""
    assert_kept(stored.describe(name), stored.FILE, name)


def test_entries_and_what_filters_look_at_are_those_on_disk() -> None:
    """Payloads by their names, sites, days, and the record of a collection."""
    assert_kept(stored.others(), stored.FILE, "others")
