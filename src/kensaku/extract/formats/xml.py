"""XML → Page: feeds and sitemaps as lists, anything else as its text.

expat reads the document as a stream and resolves nothing from outside. Documents that declare
entities, nest too deep or have too many elements are refused.
"""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field

from kensaku.errors import TooLarge, Unparsable
from kensaku.extract.html.inline import escape, escape_line_starts, link
from kensaku.extract.html.markup_check import MAX_DEPTH, MAX_TAGS
from kensaku.extract.html.metadata import absolute
from kensaku.messages import msg
from kensaku.models import Page
from kensaku.text.clean import cut, one_line, plain
from kensaku.text.dates import parse_date

MAX_ENTRIES = 5_000
_ENTRIES = frozenset(("item", "entry", "url", "sitemap", "outline"))
_SUMMARIES = frozenset(("description", "summary", "content", "encoded", "subtitle"))
_SUMMARY_CHARS = 2_000


@dataclass(slots=True)
class _Entry:
    title: str = ""
    link: str = ""
    date: str = ""
    author: str = ""
    summary: str = ""
    fields: list[str] = field(default_factory=list)


def elements(data: bytes) -> Iterator[tuple[str, ElementTree.Element, int]]:
    """Yield the events of a document within limits: (start or end, element, depth)."""
    if b"<!ENTITY" in data or "<!ENTITY".encode("utf-16-le") in data:
        raise Unparsable(msg("the XML declares entities, which we do not expand"))
    depth = count = 0
    try:
        for event, element in ElementTree.iterparse(io.BytesIO(data), events=("start", "end")):
            if event == "start":
                depth, count = depth + 1, count + 1
                if depth > MAX_DEPTH:
                    raise TooLarge(
                        msg(
                            "the XML nests its elements more than {max_depth} deep",
                            max_depth=MAX_DEPTH,
                        )
                    )
                if count > MAX_TAGS:
                    raise TooLarge(
                        msg("the XML has more than {max_tags:,} elements", max_tags=MAX_TAGS)
                    )
            yield event, element, depth
            if event == "end":
                depth -= 1
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise Unparsable(msg("the XML is damaged")) from error


def local_name(tag: object) -> str:
    """Return an element's name without its namespace."""
    return str(tag).rpartition("}")[2].lower()


def extract_xml(data: bytes, url: str = "", content_type: str = "") -> Page:
    """Extract a feed as its entries, a sitemap as its URLs, another document as its text."""
    entries: list[_Entry] = []
    head = _Entry()
    texts: list[str] = []
    inside = 0  # depth of the current entry
    notes: tuple[str, ...] = ()
    name = ""
    for event, element, depth in elements(data):
        tag = local_name(element.tag)
        name = name or tag
        if event == "start":
            if tag in _ENTRIES and not inside:
                inside = depth
                entries.append(_Entry())
                if len(entries) > MAX_ENTRIES:
                    entries.pop()
                    notes = (
                        msg("cut: the first {max_entries:,} entries", max_entries=MAX_ENTRIES),
                    )
                    break
            continue
        if inside:
            _read_field(entries[-1], tag, element)
        elif depth <= 3:
            _read_field(head, tag, element)
        if element.text and element.text.strip() and not inside:
            texts.append(one_line(element.text)[:10_000])
        if depth == inside:
            inside = 0
        if not inside:
            element.clear()
    if not entries:
        body = "\n".join(texts)
        return Page(
            url=url, title=head.title, text=body, markdown=body, content_type="application/xml"
        )
    return _entries_page(url, name, head, entries, notes)


def _read_field(entry: _Entry, tag: str, element: ElementTree.Element) -> None:
    text = (element.text or "").strip()
    if tag == "outline":
        entry.title = entry.title or plain(element.get("title") or element.get("text") or "")
        text = element.get("xmlUrl") or element.get("htmlUrl") or ""
        tag = "link"
    if tag == "title":
        entry.title = entry.title or cut(plain(text), 300)
    elif tag in ("link", "loc", "guid"):
        wanted = element.get("rel", "alternate") == "alternate"
        entry.link = entry.link or (element.get("href") or text if wanted else "")
    elif tag in ("pubdate", "published", "updated", "date", "lastmod"):
        entry.date = entry.date or parse_date(text) or ""
    elif tag in ("author", "creator", "name"):
        entry.author = entry.author or cut(plain(text), 80)
    elif tag in _SUMMARIES and len(text) > len(entry.summary):
        entry.summary = cut(plain(text[: 20 * _SUMMARY_CHARS]), _SUMMARY_CHARS)


def _entries_page(
    url: str, name: str, head: _Entry, entries: list[_Entry], notes: tuple[str, ...]
) -> Page:
    texts, marks, links = [], [], []
    for entry in entries:
        address = absolute(entry.link, url)
        if address:
            links.append(address)
        label = entry.title or entry.link
        texts.append("\n".join(p for p in (label, entry.date, entry.summary) if p))
        marked = f"- {link(escape(label), address) if address else escape(label)}"
        marked += f" ({entry.date})" if entry.date else ""
        summary = escape_line_starts(escape(entry.summary))
        marks.append(marked + (f"\n  {summary}" if summary else ""))
    kind = {"rss": "application/rss+xml", "feed": "application/atom+xml"}
    dates = [e.date for e in entries if e.date]
    return Page(
        url=url,
        title=head.title,
        text="\n\n".join(texts),
        markdown="\n".join(marks),
        author=head.author or None,
        published=head.date or (max(dates) if dates else None),
        content_type=kind.get(name, "application/xml"),
        links=tuple(dict.fromkeys(links)),
        notes=notes,
    )
