"""Where a text may be cut without tearing a letter."""

from __future__ import annotations

import pytest

from kensaku.text.clean import grapheme_start


@pytest.mark.parametrize(
    ("text", "at", "start"),
    [
        ("ab", 1, 1),
        ("xa\u0301", 2, 1),
        ("xक\u093e", 2, 1),
        ("xa\u00ad", 2, 1),
        ("x👨\u200d👩", 3, 1),
        ("x👍\U0001f3fb", 2, 1),
        ("x👍\U0001f3fa", 2, 2),
        ("x\u1100\u11ff", 2, 1),
        ("x\u1100\u1200", 2, 2),
        ("x\U0001f1ff\U0001f1ff", 2, 1),
        ("x\U0001f1e6\U0001f1ff\U0001f1ff", 3, 3),
        ("\U0001f1e6\U0001f1ff\U0001f1e6\U0001f1ff", 3, 2),
        ("\U0001f1e6\U0001f1ff\U0001f1e6\U0001f1ff", 2, 2),
        ("x" + "\U0001f1e6" * 80, 70, 70),
        ("x" + "\U0001f1e6" * 80, 71, 71),
        ("xa" + "\u0301" * 63, 64, 1),
        ("xa" + "\u0301" * 64, 65, 65),
    ],
)
def test_a_grapheme_starts_where_nothing_is_torn(text: str, at: int, start: int) -> None:
    """Marks, joined emoji, skin colours, syllables and flags; 64 marks are no letter any more."""
    assert grapheme_start(text, at) == start
