"""What is done once for many elements, links or names gives what doing it each time would."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest

from kensaku.extract import extract_html
from kensaku.extract.html.metadata import absolute
from kensaku.extract.html.tree import lxml_etree, parse_html
from kensaku.extract.main.blocks import blocks_of
from kensaku.extract.main.lexicon import BOX_NAMES, name_bits
from kensaku.extract.visible.selector import parse_selector


@pytest.mark.parametrize(
    "names", ["main-nav", "breadcrumbs", "PostMetadata", "tab", "x", "", "cartoon sidebar-rail_2"]
)
def test_every_word_in_a_name_is_found(names: str) -> None:
    """One name can speak of several kinds of box, in words that overlap."""
    wanted = 0
    for bit, words in enumerate(BOX_NAMES.values()):
        wanted |= any(word in names.lower() for word in words.split("|")) << bit

    assert name_bits(names) == wanted


@pytest.mark.parametrize(
    "link",
    "/ /a /a/b.html /a//b /a?q=1 /a? /a#b /a# /../a /a/./b /a;b /a; /é /a:b //other.org/x /.hidden "
    "/a.b.c /a?x#y#z".split(),
)
def test_a_link_from_the_root_is_joined_as_any_other(link: str) -> None:
    """Most links need no more than the origin before them; which, `urljoin` says."""
    for base in ("https://example.org/x/y?z", "HTTP://u@Example.org:80", "https://[::1]/a"):
        assert absolute(link, base) == urljoin(base, link)
    assert absolute(link, "about:blank") is None or link.startswith("//")


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


def test_a_selector_may_mean_whatever_it_matches() -> None:
    """The rules that are left aside for their names alone could not have matched."""
    root = lxml_etree().HTML(
        '<body id="top" class="a b"><p class="b c" lang="en" data-x="1 2">x</p><p>y</p></body>'
    )
    selectors = "p .b #top :root * p:not(.b) :is(.c,#top) [lang=en] p[data-x~='2'] :not(p) :is(p.z)"
    for text in [*selectors.split(), ".a .b", "body > p:first-child", ":root:not(.x)"]:
        selector = parse_selector(text)
        assert selector is not None
        target = selector.steps[0][1]
        for element in root.iter():
            if selector.matches(element):
                classes = element.get("class", "").split()
                assert target.may_be(element.tag, element.get("id"), classes)
                assert all(target.may_have(name, value) for name, value in element.items())


def test_a_letter_that_falls_apart_in_lower_case_is_in_one_word() -> None:
    """`İ` becomes two characters, the second of which is no letter."""
    blocks = blocks_of(parse_html("<p>İstanbul İzmir</p>"))

    assert [block.size for block in blocks] == [2.0]


def test_breaks_stay_breaks_in_text_and_code() -> None:
    """A break is one character on its way through a block."""
    found = extract_html("<p>one<br>two</p><pre>three<br>four</pre>")

    assert found.text == "one\ntwo\n\nthree\nfour"
