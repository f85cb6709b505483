"""CSS selectors: what is ruled out by names alone could not have matched."""

from __future__ import annotations

from kensaku.extract.html.tree import lxml_etree
from kensaku.extract.visible.selector import parse_selector


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
