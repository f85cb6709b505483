"""HTML → element tree, by libxml2, without comments, processing instructions and ruby."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from kensaku.errors import Unparsable
from kensaku.extract.html.markup_check import check_markup
from kensaku.extract.require import require
from kensaku.messages import msg

Element: TypeAlias = Any  # an element of lxml, which ships no types
_PAGE_END = re.compile(rb"</(?:[hH][tT][mM][lL]|[bB][oO][dD][yY])\s*>")


def lxml_etree() -> Any:
    """Return the parser library."""
    return require("lxml.etree")


def parse_html(text: str) -> Element:
    """Parse a page and return its root; refuse hostile markup before libxml2 sees it."""
    check_markup(text)
    etree = lxml_etree()
    # A comment inside a word would otherwise cut the text in two, and hide the second half.
    # `huge_tree`: else libxml2 silently drops a text of more than 10 MB. Sizes are checked above.
    parser = etree.HTMLParser(
        encoding="utf-8",
        remove_comments=True,
        remove_pis=True,
        no_network=True,
        recover=True,
        huge_tree=True,
    )
    data = text.replace("\x00", "").encode("utf-8", "replace")
    # After the end of the page libxml2 drops all text, which browsers show. Another end tag, which
    # the parser ignores, stands in: the text on both sides must not become a tag of its own.
    data = _PAGE_END.sub(b"</ignored>", data)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise Unparsable(msg("the page holds no markup and no text")) from error
    if root is None:
        raise Unparsable(msg("the page holds no markup and no text"))
    _move_out_of_head(root, etree)
    _drop_readings(root, etree)
    return root


def _drop_readings(root: Element, etree: Any) -> None:
    """Drop the ruby beside words: 漢字 with かんじ above it would be read as 漢字かんじ.

    libxml2 does not know that `rb` ends an open `rt`; such bases are moved back out of it.
    """
    for ruby in list(root.iter("ruby")):
        if next(ruby.iterancestors("ruby"), None) is not None:
            continue
        for base in list(ruby.iter("rb")):
            around = next(base.iterancestors("rt", "ruby"))
            if around.tag == "rt":
                around.addnext(base)
        etree.strip_elements(ruby, "rt", "rp", "rtc", with_tail=False)


_HEAD_TAGS = frozenset("title meta link script style base noscript template".split())


def _move_out_of_head(root: Element, etree: Any) -> None:
    """Move content into the body: libxml2 leaves an <article> in the head if no body is opened."""
    head = root.find("head")
    if head is None:
        return
    children = list(head)
    first = next((n for n, c in enumerate(children) if c.tag not in _HEAD_TAGS), None)
    if first is None:
        return
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    children[-1].tail = (children[-1].tail or "") + (body.text or "")
    body.text = None
    for position, child in enumerate(children[first:]):
        body.insert(position, child)
