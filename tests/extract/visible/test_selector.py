"""CSS selectors: what is ruled out by names alone could not have matched."""

from __future__ import annotations

import bs4
import pytest

from kensaku.extract.html.tree import lxml_etree
from kensaku.extract.visible.selector import parse_selector, unescape


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


_DOCUMENT = """<html><body id="top" class="a b"><div class="wide a-1"><p class="b c" lang="en-GB"
data-x="1 2">x</p><p id="p2" lang="en">y</p><span></span><p title="otter.pdf">z</p></div>
<ul><li class="b">1</li><li>2<b class="c">3</b></li><li id="last" data-x="">4</li></ul>
<div><em>only</em></div><q lang="men" data-x="12" title="oX">q</q><q lang="english">q</q><a href="https://x.example/a?b">5</a><a href="/local" class="x:y">6</a></body></html>"""
_SELECTORS = [
    *("p", "*", ".b", ".a", "#top", "P", ".b.c", "p.b", "li.b", "p#p2", "#p2.b", "body#top.a", ".zz", ".x\\:y"),
    *("[lang]", "[lang=en]", "[lang|=en]", "[lang|='en-GB']", "[data-x~='2']", "[data-x~='12']"),
    *("[title$='.pdf']", "[title^='ott']", "[title*=ter]", "[title*='']", "[title^='']", "[title$='']"),
    *("[title^=tter]", "[title$=otter]", "[title=oX]", "[title='oX']", "[lang='english']", "[lang|=n]"),
    *("[href^='https:']", "a[href*='?']", "[ data-x = '1 2' ]", "[data-x='']", "[class~=b]", "[nope]"),
    *(":root", "p:root", "html:root", ":first-child", ":last-child", "em:only-child", "li:only-child"),
    *("li:nth-child(2)", ":nth-child(1)", "li:nth-child( 3 )", "p:first-child", "p:last-child"),
    *("div p", "div > p", "body > p", "ul li b", "p + p", "p ~ p", "p + span", "span + p", "p~span"),
    *("body div > p + p", "ul > li + li ~ li", "div div", "body .a-1 > .c", "html > body > ul > li"),
    *("p:not(.b)", "li:not([data-x])", ":not(p)", "p:not(.b):not(#p2)", "p:not(.b, #p2)", "ul :not(li)"),
    *(":is(p, li).b", ":is(.c)", "p:is(#p2, .zz)", ":where(ul) > li", "li:is(:first-child, #last)"),
    *(":is(ul, div) > :first-child", "body :is(em)", "p:is(.zz)", "div:not(:first-child)"),
]  # fmt: skip


@pytest.mark.parametrize("text", _SELECTORS)
def test_a_selector_matches_what_another_library_matches(text: str) -> None:
    """Soup Sieve is kept by others: what the two find in a page is the same."""
    selector = parse_selector(text)
    assert selector is not None
    root = lxml_etree().HTML(_DOCUMENT)

    def describe(name: str, attributes: dict[str, str]) -> str:
        return f"{name} {sorted((k, ' '.join(v.split())) for k, v in attributes.items())}"

    ours = [describe(e.tag, dict(e.items())) for e in root.iter() if selector.matches(e)]
    soup = bs4.BeautifulSoup(_DOCUMENT, "lxml", multi_valued_attributes=None)
    assert ours == [describe(e.name, e.attrs) for e in soup.select(text)]


@pytest.mark.parametrize(
    ("text", "specificity"),
    [
        ("*", (0, 0, 0)),
        ("p", (0, 0, 1)),
        (".a", (0, 1, 0)),
        ("[lang]", (0, 1, 0)),
        (":first-child", (0, 1, 0)),
        ("#a", (1, 0, 0)),
        ("ul#a > li.b.c b[lang=en]:not(.d)", (1, 4, 3)),
    ],
)
def test_a_selector_has_a_weight(text: str, specificity: tuple[int, int, int]) -> None:
    """Ids before classes, attributes and states, and those before tags."""
    selector = parse_selector(text)

    assert selector is not None
    assert selector.specificity == specificity


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        (":matches(p, li)", "p p p li li li"),
        (":-webkit-any(p, li)", "p p p li li li"),
        (":IS(ul)", "ul"),
        (":is(div p, ul)", "ul"),  # of a list, what is one element
        ("ul:not(div p)", "ul"),
        (":is(p", ""),
    ],
)
def test_lists_of_alternatives(text: str, tags: str) -> None:
    """Under the names that browsers had for them, too."""
    selector = parse_selector(text)
    root = lxml_etree().HTML(_DOCUMENT)

    assert " ".join(e.tag for e in root.iter() if selector and selector.matches(e)) == tags


@pytest.mark.parametrize(
    "text", ["p:hover", "p::before", "a:visited", "li:nth-child(2n+1)", "p:lang(en)", "p{", "p ! a"]
)
def test_what_a_page_at_rest_does_not_show_matches_nothing(text: str) -> None:
    """States, pseudo-elements, and what is no selector."""
    assert parse_selector(text) is None


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (r"md\:flex", "md:flex"),
        (r"\31 0", "10"),
        (r"\6f tter", "otter"),
        (r"a\ffffff", "a\U0010ffff"),
        ("plain", "plain"),
    ],
)
def test_escapes_in_names(written: str, name: str) -> None:
    """Tailwind's classes are full of them."""
    assert unescape(written) == name


def test_a_selector_has_sixty_parts_at_most() -> None:
    """Nobody writes longer ones, and matching takes time for each."""
    assert parse_selector(".a" * 60) is not None
    assert parse_selector(".a" * 61) is None
