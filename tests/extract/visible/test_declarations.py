"""Declarations on both sides of each bound: hidden, and just seen."""

from __future__ import annotations

import pytest

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.visible.css import parse_declarations
from kensaku.extract.visible.declarations import font_size, hides_subtree, pixels

HIDDEN_AND_SEEN = [
    ("display:none", "display:block"),
    ("content-visibility:hidden", "content-visibility:auto"),
    ("opacity:.05", "opacity:.051"),
    ("opacity:5%", "opacity:5.02%"),
    ("opacity:-1", "opacity:none"),
    ("filter:opacity(0%)", "filter:none"),
    ("filter:blur(1px) opacity(0)", "filter:opacity(1)"),
    ("clip:rect(0,0,0,0)", "clip:rect(0,9px,9px,0)"),
    ("clip:rect(1px 1px 1px 1px)", "clip:auto"),
    ("clip-path:inset(50%)", "clip-path:inset(49%)"),
    ("clip-path:inset(60%)", "clip-path:inset(5%)"),
    ("-webkit-clip-path:circle(0);clip:auto", "-webkit-clip-path:circle(0.5);clip:auto"),
    ("-webkit-clip-path:circle(0)", "-webkit-clip-path:none"),
    ("clip:auto;clip-path:inset(100%)", "clip:auto;clip-path:none"),
    ("clip-path:ellipse(0 0)", "clip-path:ellipse(0.1 9px)"),
    ("clip-path:polygon(0 0, 0px 0%)", "clip-path:polygon(0 0, 9px 0)"),
    ("position:absolute;z-index:-1", "position:absolute;z-index:0"),
    ("position:relative;z-index:-2", "position:static;z-index:-2"),
    ("z-index:-1;position:fixed", "z-index:-1"),
    ("mask-size:0", "mask-size:1px"),
    ("mask-size:9px 0px", "mask-size:9px 9px"),
    ("-webkit-mask-size:0 9px", "-webkit-mask-size:cover"),
    ("mask:url(a.png) 0 0 / 0", "mask:url(a.png) 0 0 / 9px"),
    ("mask-image:linear-gradient(transparent, #0000)", "mask-image:linear-gradient(#000, #0000)"),
    ("mask-image:linear-gradient(to right, transparent)", "mask-image:none"),
    ("-webkit-mask-image:linear-gradient(rgba(0,0,0,0))", "-webkit-mask-image:url(a.png)"),
    ("overflow:hidden;height:1px", "overflow:hidden;height:2px"),
    ("overflow:clip;max-height:0", "overflow:visible;max-height:0"),
    ("overflow-x:hidden;width:0", "overflow-x:auto;width:0"),
    ("overflow-y:hidden;max-width:1px", "overflow-y:hidden;max-width:1.5px"),
    ("zoom:0", "zoom:1"),
    ("zoom:0%", "zoom:1%"),
    ("scale:0", "scale:0.1"),
    ("scale:0%", "scale:none"),
    ("letter-spacing:-10px", "letter-spacing:-9px"),
    ("transform:scale(0)", "transform:scale(0.5)"),
    ("transform:scalex(.0)", "transform:scalex(1)"),
    ("transform:scale(1, 0)", "transform:scale(1, 1)"),
    ("-webkit-transform:rotatey(90deg)", "-webkit-transform:rotatey(80deg)"),
    ("transform:rotatex(-90deg)", "transform:rotate(90deg)"),
    ("left:-900px", "left:-899px"),
    ("margin:0 0 0 -900px", "margin:0 0 0 -800px"),
    ("inset-inline-start:-60em", "padding-left:-60em"),
    ("right:-900px", "right:900px"),
    ("bottom:-900px", "bottom:-899px"),
    ("inset:0 -900px", "inset:0 -899px"),
    ("margin-left:-900px", "margin-left:900px"),
    ("margin-top:-57em", "margin-top:-56em"),
    ("margin-right:-900px", "margin-right:auto"),
    ("inset-block-start:-900px", "inset-block-end:-900px"),
    ("margin-inline-start:-900px", "margin-inline-start:0"),
    ("left:5000px", "left:4999px"),
    ("left:313rem", "left:312rem"),
    ("top:5000px", "bottom:5000px"),
    ("transform:translate(-2000px)", "transform:translate(-1999px)"),
    ("transform:translate(0, -2000px)", "transform:translate(0, -1000px)"),
    ("transform:translate3d(-9000px,0,0)", "transform:translate3d(-8999px,0,0)"),
    ("transform:translatex(-2000px)", "transform:translatex(-500%)"),
    ("transform:translatey(-2000px)", "transform:translatey(-1999px)"),
    ("transform:translate3d(0,-9000px,0)", "transform:translate3d(0,-8999px,0)"),
    ("transform:translate(-2000px, -99%)", "transform:translate(-99%, -99%)"),
    ("translate:-2000px", "translate:-1999px"),
    ("translate:0 -2000px", "translate:0 -500px"),
]


def _hides(style: str) -> bool:
    normal, important = parse_declarations(style)
    return hides_subtree(normal | important)


@pytest.mark.parametrize(("hidden", "seen"), HIDDEN_AND_SEEN)
def test_what_hides_an_element_and_what_just_does_not(hidden: str, seen: str) -> None:
    """A bound that moves shows an agent what readers do not see, or takes from it what they do."""
    assert _hides(hidden)
    assert not _hides(seen)
    for css, words in ((hidden, ["end"]), (seen, ["x", "end"])):
        page = f"<style>.a{{{css}}}</style><p class=a>x</p><p>end</p>"
        assert [block.text for block in blocks_of(parse_html(page))] == words


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        ("12px", 12), ("12", 12), (" 1.5em ", 24), ("-1rem", -16), ("2ex", 16), ("2ch", 16),
        ("10vw", 128), ("10vh", 80), ("10vmin", 80), ("10vmax", 128), ("10%", 40), ("3pt", 4),
        ("1cm", 37.8), ("10mm", 37.8), ("1in", 96), ("1pc", 16), ("1e3px", 1000), (".5px", 0.5),
        ("+5px", 5), ("auto", None), ("", None), ("-", None), ("px", None), ("1px 2px", None),
    ],
)  # fmt: skip
def test_a_length_is_read_as_pixels(length: str, expected: float | None) -> None:
    """Of a desktop window with text of an ordinary size."""
    assert pixels(length) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("font", "size"),
    [
        ("0/0 a", "0"),
        ("italic 12px/1.5 serif", "12px"),
        ("bold .5em serif", ".5em"),
        ("700 1px serif", "1px"),  # the first number is a weight
        ("700 serif", None),
        ("italic 80% serif", "80%"),
        ("small serif", None),
        ("12px", None),  # a size alone is no shorthand
        ("", None),
        (None, None),
    ],
)
def test_the_size_in_a_font_shorthand(font: str | None, size: str | None) -> None:
    """Text without a size is not seen."""
    assert font_size(font) == size
