"""Whole pages, compared with what was read from them before and found right."""

from __future__ import annotations

import pytest

from tests.extract import golden
from tests.golden import HINT, assert_kept


@pytest.mark.parametrize("name", golden.PAGES)
def test_a_page_is_read_as_it_was(name: str) -> None:
    """Markdown, text and every field of pages with tables, lists, code and hidden text."""
    assert golden.read_as_text(name) == (golden.FOLDER / f"{name}.md").read_text(
        encoding="utf-8"
    ), HINT


@pytest.mark.parametrize("name", golden.PAGES)
def test_the_features_mean_what_they_meant_when_the_model_was_fitted(name: str) -> None:
    """A feature that is computed otherwise makes the model worse, and nothing else fails."""
    assert_kept(golden.checksums(name), golden.COLUMNS, name)
