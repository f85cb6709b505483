"""Every text of plain, markdown and compact, to the letter."""

from __future__ import annotations

import pytest

from tests.golden import assert_kept

from . import written


@pytest.mark.parametrize("dialect", written.DIALECTS)
def test_a_response_is_written_as_it_was(dialect: str) -> None:
    """In both languages: results, nothing, nobody, errors, notes, and contents that are cut."""
    assert_kept(written.describe(dialect), written.FILE, dialect)
