"""Find hidden elements that readers can reveal: by a click, or by waiting for the page's scripts.

A closed accordion, the second tab, a part that slides in, a page that is covered until it has
loaded: readers see these, so a model may. A class name alone is not enough evidence.
"""

from __future__ import annotations

import re
from itertools import islice

from kensaku.extract.html.tree import Element, lxml_etree

_TOGGLED_NAMES = re.compile(
    r"accordion|collaps|tab-?pane|tab-?content|tabbed|expander|expand|toggle|faq|read-?more|disclosure"
    r"|read_div|show-?more|slick-slide(?!.*cloned)|swiper-slide(?!.*duplicate)"
    r"|carousel(?:-item|__cell|__slide)|(?:glide|splide|embla)__slide(?!.*clone)",
    re.IGNORECASE,
)
_MENU_TAGS = ("nav", "header", "footer", "form")
_CONTROL_PARTS = 12  # elements of a control: a heading, a button, its label and icon
_MENU_ROLES = frozenset("menu listbox dialog alertdialog tooltip status alert".split())
# Set by page builders on parts that fade in while the reader scrolls.
_ANIMATED_NAMES = frozenset("et_animated elementor-invisible aos-init wow".split())
_ANIMATIONS = (
    "transform",
    "transition",
    "animation",
    "will-change",
    "-webkit-transform",
    "animation-name",
)
_STREAMED = re.compile(r"S:[0-9a-f]{1,4}")
_MOST = 0.6  # of the text of the page, if the part has the title or the main element
_NEARLY_ALL = 0.8  # if it has neither
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
            return _follows_control(element, attributes)
        # The control stands right before it, or before its parent.
        parent = element.getparent()
        return element.getprevious() is not None or (
            parent is not None and parent.getprevious() is not None
        )

    def is_animated(self, attributes: dict[str, str], declared: dict[str, str]) -> bool:
        """Tell whether a transparent element is one that fades in while the reader scrolls."""
        if not _ANIMATED_NAMES.isdisjoint(attributes.get("class", "").split()):
            return True
        return any(declared.get(name, "none") not in ("none", "") for name in _ANIMATIONS)

    def is_whole_page(self, element: Element) -> bool:
        """Tell whether the element is the page itself, hidden until its scripts have run."""
        titled = element.find(".//h1") is not None or element.find(".//main") is not None
        if not titled and not _is_outermost(element):
            return False
        inside = _count_words(element)
        if inside < _MOST_WORDS:
            return False
        if not self._words:
            self._words = _count_words(self._root)
        return inside >= (_MOST if titled else _NEARLY_ALL) * self._words

    def _is_streamed(self, id_: str) -> bool:
        """Recognise React's late parts: `<div hidden id="S:1">` replaces `<template id="B:1">`.

        In the template's place may stand `P:1`, which is inside of another late part.
        """
        templates = {f"{kind}:{id_[2:]}" for kind in "BP"}
        if any(template.get("id") in templates for template in self._root.iter("template")):
            return True
        return any(f'"{id_}"' in (script.text or "") for script in self._root.iter("script"))

    def _controls(self) -> set[str]:
        if self._controlled is None:
            query = "//@aria-controls | //@data-target | //@data-bs-target | //*[@role='tab']/@href"
            values = lxml_etree().XPath(query, smart_strings=False)(self._root)
            self._controlled = {i.lstrip("#") for value in values for i in value.split()}
        return self._controlled


def _follows_control(element: Element, attributes: dict[str, str]) -> bool:
    """Tell whether a button stands right before a part of the page that is no menu or dialog."""
    if not len(element) or attributes.get("role") in _MENU_ROLES:
        return False  # a text without elements is a hint for screen readers
    before = _previous(element)
    outer = element.getparent()
    if before is None and outer is not None and len(outer) == 1:
        before = _previous(outer)  # Base Web wraps a panel to animate its height
    if before is None:
        return False
    control = before.tag == "button" or any(
        part.get("aria-expanded") is not None for part in islice(before.iter(), _CONTROL_PARTS)
    )
    return control and next(element.iterancestors(*_MENU_TAGS), None) is None


def _previous(element: Element) -> Element | None:
    before = element.getprevious()
    while before is not None and before.tag in ("style", "script"):
        before = before.getprevious()
    return before


def _is_outermost(element: Element) -> bool:
    """Tell whether the element is a child or a grandchild of the body."""
    parent = element.getparent()
    outer = parent.getparent() if parent is not None else None
    return (parent is not None and parent.tag == "body") or (
        outer is not None and outer.tag == "body"
    )


def _count_words(element: Element) -> int:
    count = 0
    for text in lxml_etree().XPath(
        ".//text()[not(parent::script or parent::style)]", smart_strings=False
    )(element):
        count += len(text.split())
    return count
