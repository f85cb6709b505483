"""Sub- and superscript as plain characters."""

from __future__ import annotations

import pytest

from kensaku.extract.html.raised import write_raised


@pytest.mark.parametrize(
    ("text", "style", "note", "written"),
    [
        ("2", "sup", False, "²"),
        (" 2 ", "sup", False, "²"),
        ("2", "sub", False, "₂"),
        ("n", "sup", False, "ⁿ"),
        ("n", "sub", False, "_n"),
        ("a+b", "sup", False, "^(a+b)"),
        ("a+b", "sub", False, "_(a+b)"),
        ("xy", "sup", False, "^xy"),
        ("th", "sup", False, "th"),
        ("TM", "sup", False, "TM"),
        ("3", "sup", True, "[3]"),
        ("[3]", "sup", True, "[3]"),
        (" [3]", "sup", False, " [3]"),
        (" ", "sup", True, " "),
        ("x" * 40, "sup", False, "^" + "x" * 40),
        ("x" * 41, "sup", False, "x" * 41),
    ],
)
def test_what_is_raised_is_written_in_one_line(
    text: str, style: str, note: bool, written: str
) -> None:
    """In Unicode where it has the characters; ordinals, marks and long texts stay."""
    assert write_raised(text, style, note) == written
