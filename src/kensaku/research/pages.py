"""Which pages are read, and what is kept of them.

hits of a round → in turns between the questions → fetch → passages for the questions → JSON
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from kensaku.models import LOCAL, Document, Page, Passage
from kensaku.models.passages import split
from kensaku.search.passages import score_passages
from kensaku.text.clean import one_line
from kensaku.text.urls import host_of, in_domain

if TYPE_CHECKING:
    from kensaku.research.state import State

PER_CALL = 20  # addresses that one extraction takes
PAGE_CHARS = 300_000  # of a page that are looked through
KEPT_CHARS = 40_000  # of a page that are kept: the best passages of a long one
HEADINGS = 40
_HEADING = re.compile(r"^#{2,4}[ \t]+(.{2,120}?)[ \t#]*$", re.MULTILINE)


def choose_pages(state: State, number: int) -> list[str]:
    """Return the addresses to read after a round: the best hits of its questions in turns.

    Only addresses that a search returned are read.
    """
    known = set(state.pages())
    left = state.effort.pages - len(known)
    ranked = [
        [h["url"] for h in result["hits"] if h["provider"] != LOCAL]
        for _, result in state.searched(number)
    ]
    turns = chain.from_iterable(zip_longest(*ranked))
    urls = [u for u in dict.fromkeys(turns) if u and _may_read(u, state) and u not in known]
    return urls[: max(0, min(left, PER_CALL))]


def keep_page(page: Page, questions: Sequence[str]) -> dict[str, Any]:
    """Return what the report may need of a page, ready for JSON and bounded."""
    return {
        "url": page.url,
        "title": page.title,
        "published": page.published,
        "author": page.author,
        "favicon": page.favicon,
        "headings": [one_line(h) for h in _HEADING.findall(page.markdown[:PAGE_CHARS])][:HEADINGS],
        "passages": [_span(p) for p in _passages(page, questions)],
    }


def _passages(page: Page, questions: Sequence[str]) -> list[Passage]:
    if len(page.text) <= KEPT_CHARS:
        return [Passage(page.url, page.text, 0, len(page.text), title=page.title)]
    parts = split(Document(url=page.url, title=page.title, text=page.text[:PAGE_CHARS]))
    ranked = [
        sorted(score_passages(q, [(0, p) for p in parts]), key=lambda p: -(p.score or 0.0))
        for q in questions
    ]
    kept: dict[int, Passage] = {}
    size = 0
    for passage in chain.from_iterable(zip(*ranked, strict=True)):
        if size + len(passage.text) > KEPT_CHARS:
            break
        if passage.start not in kept:
            kept[passage.start] = passage
            size += len(passage.text)
    return sorted(kept.values(), key=lambda p: p.start)


def _span(passage: Passage) -> dict[str, Any]:
    return {"url": passage.url, "title": passage.title, "text": passage.text,
            "start": passage.start, "end": passage.end, "heading": passage.heading}  # fmt: skip


def _may_read(url: str, state: State) -> bool:
    host = host_of(url)
    excluded = any(in_domain(host, domain) for domain in state.request.exclude_domains)
    return url.startswith(("http://", "https://")) and not excluded
