"""Rules are cached by name and attribute, and still match each element by itself."""

from __future__ import annotations

import pytest

from kensaku.errors import TooLarge
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.blocks import blocks_of


@pytest.mark.parametrize(
    ("style", "first", "second"),
    [
        ("", '<div style="color:#fff">white</div>', '<div style="color:#fff">shown</div>'),
        (".a .b{display:none}", '<i class="a"><b class="b">off</b></i>', '<b class="b">shown</b>'),
        ("[data-x='1']{display:none}", '<p data-x="1">off</p>', '<p data-x="2">shown</p>'),
        (
            "[data-x]:not([lang]){display:none}",
            "<p data-x>off</p>",
            '<p data-x lang="en">shown</p>',
        ),
        (":is(.b):first-child{display:none}", '<i><b class="b">off</b></i>', "<b>shown</b>"),
        (":root{display:none}.x{display:none}", '<p class="x">off</p>', "<p>shown</p>"),
    ],
)
def test_alike_is_not_the_same(style: str, first: str, second: str) -> None:
    """Two elements of one style, class or attribute can differ by where they stand."""
    dark = f'<div style="background:#000">{second}</div>'
    html = f"<html><head><style>{style}</style></head><body>{first}{dark}</body></html>"

    for page in (html, html.replace(first + dark, dark + first)):
        assert [block.text for block in blocks_of(parse_html(page))] == ["shown"]


@pytest.mark.parametrize(
    "css",
    [
        ".a{display:none;color:red}" * 30_000,
        "".join(f"p:not(.z{n}){{display:none}}" for n in range(45_000)),
        (".a,.b{" * 12 + "display:none" + "}" * 12) * 2_000,
    ],
    ids=["many rules of one class", "many rules of one tag", "nested lists"],
)
def test_a_sheet_that_would_take_too_long_is_refused(css: str) -> None:
    """Rules times elements is work without a bound; leaving rules out would show hidden text."""
    elements = '<div class="a b"><p>text</p></div>' * 200
    root = parse_html(f"<html><head><style>{css}</style></head><body>{elements}</body></html>")

    with pytest.raises(TooLarge):
        blocks_of(root)
