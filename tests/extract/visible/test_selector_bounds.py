"""How long a selector may be."""

from __future__ import annotations

from kensaku.extract.visible.selector import parse_selector


def test_a_selector_has_sixty_parts_at_most():
    """Nobody writes longer ones, and matching takes time for each."""
    assert parse_selector(".a" * 60) is not None
    assert parse_selector(".a" * 61) is None
