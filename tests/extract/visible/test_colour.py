"""Colours as style sheets write them, and which text cannot be read on which ground."""

from __future__ import annotations

import pytest

from kensaku.extract.visible.colour import find_colour, near


@pytest.mark.parametrize(
    ("value", "colour"),
    [
        ("#123456", (0x12, 0x34, 0x56, 1)),
        ("#fff", (255, 255, 255, 1)),
        ("#1234", (0x11, 0x22, 0x33, 0x44 / 255)),
        ("#12345680", (0x12, 0x34, 0x56, 0x80 / 255)),
        ("#ffffffff", (255, 255, 255, 1)),
        ("#12345", None),
        ("#1234567", None),
        ("rgb(1, 20, 300)", (1, 20, 300, 1)),
        ("rgb(100% 0% 50% / 25%)", (255, 0, 127.5, 0.25)),
        ("rgba(1,2,3,.5)", (1, 2, 3, 0.5)),
        ("rgba(1,2,3,0)", (1, 2, 3, 0)),
        ("rgb(1,2)", None),
        ("hsl(120, 100%, 25%)", (0, 127.5, 0, 1)),
        ("hsl(480deg, 100%, 25%)", (0, 127.5, 0, 1)),
        ("hsl(0, 100%, 50%)", (255, 0, 0, 1)),
        ("hsla(240, 50%, 50%, 30%)", (63.75, 63.75, 191.25, 0.3)),
        ("url(a.png) no-repeat navy", (0, 0, 128, 1)),
        ("transparent", (0, 0, 0, 0)),
        ("transparent white", (0, 0, 0, 0)),
        ("none", None),
        ("", None),
    ],
)
def test_a_colour_is_read(value: str, colour: tuple[float, ...] | None) -> None:
    """As browsers read it."""
    found = find_colour(value)

    assert (found is None) == (colour is None)
    assert found is None or found == pytest.approx(colour)


@pytest.mark.parametrize(
    ("text", "ground", "hidden"),
    [
        ("#e1ffff", "#fff", True),  # 30 steps in all
        ("#e0ffff", "#fff", False),
        ("#f5f5f5", "#ffffff", True),
        ("#f4f5f5", "#ffffff", False),
        ("#1e0000", "#000000", True),
        ("#1f0000", "#000000", False),
        ("rgba(0,0,0,.04)", "#fff", False),
        ("rgba(0,0,0,.03)", "#fff", True),
        ("rgba(255,255,255,.5)", "#000", False),
        ("transparent", "#777", True),
    ],
)
def test_text_is_hidden_by_a_colour_that_is_nearly_the_ground_s(
    text: str, ground: str, hidden: bool
) -> None:
    """A text that lets the ground through is as near to it as what shines through."""
    one, other = find_colour(text), find_colour(ground)

    assert one is not None
    assert other is not None
    assert near(one, other) is hidden
