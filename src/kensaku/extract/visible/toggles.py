"""Find hidden elements that readers can reveal: by a click, or by waiting for the page's scripts.

A closed accordion, the second tab, a part that slides in, a page that is covered until it has
loaded: readers see these, so a model may. A class name alone is not enough evidence.
"""

from __future__ import annotations

import re

from kensaku.extract.html.tree import Element, lxml_etree

_TOGGLED_NAMES = re.compile(
    r"accordion|collaps|tab-?pane|tab-?content|tabbed|expander|expand|toggle|faq|read-?more|disclosure"
    r"|read_div|show-?more|slick-slide(?!.*cloned)|swiper-slide(?!.*duplicate)|carousel-item",
    re.IGNORECASE,
)
_ANIMATIONS = (
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


class Toggles:
    """Tell which hidden elements of one page a reader gets to see."""

    def __init__(self, root: Element) -> None:
        self._root = root
        self._controlled: set[str] | None = None
        self._words = 0

    def is_toggled(self, element: Element, attributes: dict[str, str]) -> bool:
        """Tell whether a control on the page shows the element."""
        id_ = attributes.get("id", "")
        if id_:
            if _STREAMED.fullmatch(id_):
                return self._is_streamed(id_)
            if id_ in self._controls():
                return True
        if attributes.get("role") == "tabpanel":
            return True
        names = attributes.get("class", "") + " " + id_
        if not _TOGGLED_NAMES.search(names):
            return False
        # The control stands right before it, or before its parent.
        parent = element.getparent()
        return element.getprevious() is not None or (
            parent is not None and parent.getprevious() is not None
        )

    def is_animated(self, declared: dict[str, str]) -> bool:
        """Tell whether a transparent element is one that fades in while the reader scrolls."""
        return any(declared.get(name, "none") not in ("none", "") for name in _ANIMATIONS)

    def is_whole_page(self, element: Element) -> bool:
        """Tell whether the element is the page itself, hidden until its scripts have run."""
        if element.find(".//h1") is None and element.find(".//main") is None:
            return False
        if not self._words:
            self._words = _count_words(self._root)
        inside = _count_words(element)
        return inside >= _MOST_WORDS and inside >= _MOST * self._words

    def _is_streamed(self, id_: str) -> bool:
        """Recognise React's late parts: `<div hidden id="S:1">` replaces `<template id="B:1">`."""
        if self._root.find(f".//template[@id='B:{id_[2:]}']") is not None:
            return True
        return any(f'"{id_}"' in (script.text or "") for script in self._root.iter("script"))

    def _controls(self) -> set[str]:
        if self._controlled is None:
            query = "//@aria-controls | //@data-target | //@data-bs-target | //*[@role='tab']/@href"
            values = lxml_etree().XPath(query, smart_strings=False)(self._root)
            self._controlled = {i.lstrip("#") for value in values for i in value.split()}
        return self._controlled


def _count_words(element: Element) -> int:
    count = 0
    for text in lxml_etree().XPath(
        ".//text()[not(parent::script or parent::style)]", smart_strings=False
    )(element):
        count += len(text.split())
    return count
