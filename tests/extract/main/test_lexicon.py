"""Class names and short texts as feature bits."""

from __future__ import annotations

from kensaku.extract.main.lexicon import name_bits


def test_of_many_or_long_names_the_beginning_is_read() -> None:
    """40 names, and 80 characters of each."""
    assert name_bits("x " * 39 + "sidebar") == name_bits("sidebar") != 0
    assert name_bits("x " * 40 + "sidebar") == 0
    assert name_bits("_" * 73 + "sidebar") == name_bits("sidebar")
    assert name_bits("_" * 74 + "sidebar") == name_bits("side")
    assert name_bits("_" * 77 + "sidebar") == 0
