"""Pages as trees: without comments, and with everything that readers see in the body."""

from __future__ import annotations

import pytest

from kensaku.errors import Unparsable
from kensaku.extract.html.tree import lxml_etree, parse_html


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a<!--c-->b<?php x?>c", "<body>abc</body>"),
        ("a\x00b", "<body>ab</body>"),
        ("<p>\ud800x", "<body><p>?x</p></body>"),
        ("<p>\u00e9", "<body><p>&#233;</p></body>"),
        ("<p>a</body></html><p>b</BODY ><p>c", "<body><p>a</p><p>b</p><p>c</p></body>"),
        ("<head><title>t</title></head>", "<head><title>t</title></head>"),
        (
            "<head><title>t</title></head><body><p>b</p></body>",
            "<head><title>t</title></head><body><p>b</p></body>",
        ),
        (
            "<head><title>t</title><article>a</article></head><body><p>b</p></body>",
            "<head><title>t</title></head><body><article>a</article><p>b</p></body>",
        ),
        (
            "<head><nav>a</nav><link rel=x></head>",
            '<head/><body><nav>a</nav><link rel="x"/></body>',
        ),
        (
            "<head><title>t</title><nav>a</nav><main>b</main></head><body>c<p>d</p></body>",
            "<head><title>t</title></head><body><nav>a</nav><main>b</main>c<p>d</p></body>",
        ),
        (
            "<title>t</title><article>a</article>text<p>b",
            "<head><title>t</title></head><body><article>a</article>text<p>b</p></body>",
        ),
    ],
)
def test_a_page_is_a_tree_in_reading_order(text: str, tree: str) -> None:
    """What stands in the head and is no part of one comes first in the body."""
    assert lxml_etree().tostring(parse_html(text)).decode() == f"<html>{tree}</html>"


@pytest.mark.parametrize(
    "ruby",
    [
        "<ruby>東京<rp>（</rp><rt>とうきょう</rt><rp>）</rp></ruby>",
        "<ruby>東<rt>とう</rt>京<rt>きょう</rt></ruby>",
        "<ruby>東京<rp>(<rt>とうきょう<rp>)</ruby>",
        "<ruby><rb>東<rt>とう<rb>京<rt>きょう</ruby>",
        "<ruby><rb>東<rb>京<rtc><rt>とう<rt>きょう</rtc></ruby>",
        "<ruby><ruby>東<rt>とう</rt>京<rt>きょう</rt></ruby><rt>Tokyo</rt></ruby>",
    ],
)
def test_the_readings_beside_words_are_dropped(ruby: str) -> None:
    """Browsers set them above the line; in the line, 東京とうきょう is no word of any search."""
    root = parse_html(f"<h1>{ruby}へ</h1><rt>beside no word</rt>")

    assert "".join(root.itertext()) == "東京へbeside no word"


@pytest.mark.parametrize("text", ["", "  ", "<!-- otters -->", "\x00"])
def test_a_page_of_nothing_is_refused(text: str) -> None:
    """An empty result would look like a page without words."""
    with pytest.raises(Unparsable, match="no markup and no text"):
        parse_html(text)
