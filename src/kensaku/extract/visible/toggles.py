"""What is out of sight at first and shown in the end: by a click, or by the page's own start.

A closed accordion, the second tab, a part that slides in, a page that is covered until it has
loaded: readers see these, so a model may. It takes more than a class name to be one of them.
"""

from __future__ import annotations

import re

from kensaku.extract.html.tree import Element, lxml_etree

_FOLDED = re.compile(
    r"accordion|collaps|tab-?pane|tab-?content|tabbed|expander|expand|toggle|faq|read-?more|disclosure"
    r"|read_div|show-?more|slick-slide(?!.*cloned)|swiper-slide(?!.*duplicate)|carousel-item",
    re.IGNORECASE,
)
_MOVES = (
    "transform",
    "transition",
    "animation",
    "will-change",
    "-webkit-transform",
    "animation-name",
)
_STREAMED = re.compile(r"S:[0-9a-f]{1,4}")
_MOST = 0.6  # of the text of the page
_MOST_WORDS = 150


class Reveal:
    """Knows, for one page, which hidden boxes a reader gets to see."""

    def __init__(self, root: Element) -> None:
        self._root = root
        self._controlled: set[str] | None = None
        self._words = 0

    def opens(self, element: Element, attributes: dict[str, str]) -> bool:
        """Whether there is something on the page to click that shows the element."""
        id_ = attributes.get("id", "")
        if id_:
            if _STREAMED.fullmatch(id_):
                return self._streams(id_)
            if id_ in self._controls():
                return True
        if attributes.get("role") == "tabpanel":
            return True
        names = attributes.get("class", "") + " " + id_
        if not _FOLDED.search(names):
            return False
        # The thing to click stands right before it, or before the box around it.
        parent = element.getparent()
        return element.getprevious() is not None or (
            parent is not None and parent.getprevious() is not None
        )

    def slides_in(self, declared: dict[str, str]) -> bool:
        """Whether a transparent element is one that is faded in while the reader scrolls."""
        return any(declared.get(name, "none") not in ("none", "") for name in _MOVES)

    def is_the_page(self, element: Element) -> bool:
        """Whether the element is the page itself, covered until its scripts have run."""
        if element.find(".//h1") is None and element.find(".//main") is None:
            return False
        if not self._words:
            self._words = _count(self._root)
        inside = _count(element)
        return inside >= _MOST_WORDS and inside >= _MOST * self._words

    def _streams(self, id_: str) -> bool:
        """React sends late parts in `<div hidden id="S:1">`, for `<template id="B:1">` to take."""
        if self._root.find(f".//template[@id='B:{id_[2:]}']") is not None:
            return True
        return any(f'"{id_}"' in (script.text or "") for script in self._root.iter("script"))

    def _controls(self) -> set[str]:
        if self._controlled is None:
            query = "//@aria-controls | //@data-target | //@data-bs-target | //*[@role='tab']/@href"
            found = lxml_etree().XPath(query, smart_strings=False)(self._root)
            self._controlled = {i.lstrip("#") for value in found for i in value.split()}
        return self._controlled


def _count(element: Element) -> int:
    count = 0
    for text in lxml_etree().XPath(
        ".//text()[not(parent::script or parent::style)]", smart_strings=False
    )(element):
        count += len(text.split())
    return count
