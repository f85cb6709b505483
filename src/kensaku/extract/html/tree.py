"""Markup → an element tree, by libxml2: comments and processing instructions are gone."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

from kensaku.errors import MissingExtra, Unparsable
from kensaku.extract.html.markup_check import check_markup

Element: TypeAlias = Any  # an element of lxml, which ships no types


def lxml_etree() -> Any:
    """The parser library, imported when it is first needed."""
    try:
        return import_module("lxml.etree")
    except ImportError as error:
        raise MissingExtra("lxml", "extract") from error


def parse_html(text: str) -> Element:
    """The root of the page; raises `TooLarge` before the parser can be made to suffer."""
    check_markup(text)
    etree = lxml_etree()
    # A comment inside a word would otherwise cut the text in two, and hide the second half.
    # Sizes were checked above; libxml2 would drop a text of more than 10 MB without a word.
    parser = etree.HTMLParser(
        encoding="utf-8",
        remove_comments=True,
        remove_pis=True,
        no_network=True,
        recover=True,
        huge_tree=True,
    )
    data = text.replace("\x00", "").encode("utf-8", "replace")
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise Unparsable("the page holds no markup and no text") from error
    if root is None:
        raise Unparsable("the page holds no markup and no text")
    _out_of_the_head(root, etree)
    return root


_HEAD = frozenset("title meta link script style base noscript template".split())


def _out_of_the_head(root: Element, etree: Any) -> None:
    """libxml2 knows HTML 4: where no body is opened, it leaves an <article> inside the head."""
    head = root.find("head")
    if head is None:
        return
    children = list(head)
    first = next((n for n, c in enumerate(children) if c.tag not in _HEAD), None)
    if first is None:
        return
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    for place, child in enumerate(children[first:]):
        body.insert(place, child)
