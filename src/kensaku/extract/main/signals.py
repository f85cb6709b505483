"""What a page says about itself: its address, JSON-LD, meta tags and the classes of its body.

Sites state the kind of a page more plainly here than in its text. None of it is shown to a reader;
the model weighs it, and only visible text is selected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from kensaku.extract.html.tree import Element, lxml_etree

_TYPE = re.compile(r'"@type"\s*:\s*\[?\s*"([A-Za-z]{1,40})"')
_BODY = re.compile(r'"articleBody"\s*:\s*"((?:[^"\\]|\\.){80,})"')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")
_WORD = re.compile(r"[a-z]+")
_MAX_JSON = 500_000
_SUMMARIES = frozenset(("description", "og:description", "twitter:description"))


@dataclass(slots=True)
class PageFacts:
    """Features of a page besides its blocks."""

    title: str = ""
    summary: str = ""  # the page's own description
    body: str = ""  # the text of the article as JSON-LD states it
    signals: dict[str, float] = field(default_factory=dict)  # for the kind of the page


def page_facts(root: Element, url: str, title: str) -> PageFacts:
    """Read the facts from a tree."""
    signals: dict[str, float] = dict(_address_signals(url))
    summary = ""
    for meta in root.iter("meta"):
        name = (meta.get("property") or meta.get("name") or "").lower()
        content = (meta.get("content") or "")[:1_000]
        if name in _SUMMARIES:
            summary += " " + content
        elif name == "og:type":
            signals["og:" + content.lower()] = 1.0
        elif name == "generator":
            signals |= _present("generator:", _WORD.findall(content.lower())[:1])
    body = ""
    for script in root.iter("script"):
        text = script.text
        if text and "ld+json" in (script.get("type") or "") and len(text) <= _MAX_JSON:
            signals |= _present("ld:", _TYPE.findall(text))
            if stated := _BODY.search(text):
                body += " " + _ESCAPE.sub(" ", stated[1])
    types = Counter(name.rpartition("/")[2] for name in _item_types(root))
    signals |= {"item:" + name: float(count) for name, count in types.items()}
    page = root.find("body")
    if page is not None:
        names = (page.get("class") or "") + " " + (page.get("id") or "")
        signals |= _present("body:", _WORD.findall(names[:1_000].lower()))
    return PageFacts(title, summary, body, signals)


def _item_types(root: Element) -> list[str]:
    found: list[str] = lxml_etree().XPath("//@itemtype", smart_strings=False)(root)
    return found


def _present(prefix: str, names: Iterable[str]) -> dict[str, float]:
    return {prefix + name: 1.0 for name in names}


def _address_signals(url: str) -> Iterator[tuple[str, float]]:
    """Yield the words of an address, and the shape of its path."""
    try:
        parts = urlsplit(url[:2_000])
    except ValueError:
        return
    *folders, last = [""] + [s for s in parts.path.lower().split("/") if s]
    yield from _present("host:", _WORD.findall(parts.netloc.lower())).items()
    yield from _present("folder:", _WORD.findall(" ".join(folders))).items()
    yield from _present("last:", _WORD.findall(last)).items()
    yield "depth", float(len(folders))
    yield "last_chars", float(len(last))
    yield "last_dashes", float(last.count("-"))
    yield "query_chars", float(len(parts.query))
    yield "path_digits", float(sum(c.isdigit() for c in parts.path))
