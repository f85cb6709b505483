"""Class names and short texts as feature bits."""

from __future__ import annotations

import pytest

from kensaku.extract.main.lexicon import BOX_NAMES, name_bits


@pytest.mark.parametrize(
    "names", ["main-nav", "breadcrumbs", "PostMetadata", "tab", "x", "", "cartoon sidebar-rail_2"]
)
def test_every_word_in_a_name_is_found(names: str) -> None:
    """One name can speak of several kinds of box, in words that overlap."""
    wanted = 0
    for bit, words in enumerate(BOX_NAMES.values()):
        wanted |= any(word in names.lower() for word in words.split("|")) << bit

    assert name_bits(names) == wanted
