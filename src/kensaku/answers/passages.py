"""The passages of a search's hits, the best for the query first.

    hits → texts → passages → BM25 among each other, and the rank of the page → taking turns by host

A hit of the local index shows the best passage of its document; `stored_passages` finds the other
good ones, for a context with room for more of a long one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kensaku.answers.tokenizer import count as count_tokens
from kensaku.errors import IndexFault
from kensaku.models import Document, Hit, Passage
from kensaku.models.passages import split
from kensaku.search.passages import score_passages
from kensaku.text.urls import host_of

if TYPE_CHECKING:
    from kensaku.index import Index

PASSAGE_CHARS = 900  # small enough that several pages fit 500 tokens …
PASSAGE_TOKENS = 250  # … also where a character is a token
_FEWEST, _MOST = 20, 400  # passages that are asked for …
_TOKENS_EACH = 60  # … one for so many tokens of the budget: most are longer


def passages_of(
    query: str, hits: Sequence[Hit], stored: Mapping[str, Sequence[Passage]] | None = None
) -> list[Passage]:
    """The passages of all hits, the best for the query first, taking turns between hosts.

    `stored` has more passages of documents of the local index, by address.
    """
    found: list[tuple[int, Passage]] = []
    for rank, hit in enumerate(hits):
        for whole in _stretches(hit, (stored or {}).get(hit.url, ())):
            page = Document(url=hit.url, title=hit.title, text=whole.text)
            for p in split(page, max_chars=_passage_chars(whole.text)):
                start, heading = p.start + whole.start, p.heading or whole.heading
                p = replace(p, start=start, end=start + len(p.text), heading=heading)
                found.append((rank, p))
    ranked = sorted(score_passages(query, found), key=lambda p: -(p.score or 0.0))
    return _without_overlap(_alternate_hosts(ranked))


def offset_of(hit: Hit) -> int:
    """Where the content begins in the document: the index returns its best passage."""
    local = hit.explain.local if hit.explain else None
    return (local.start if local else None) or 0


def _stretches(hit: Hit, stored: Sequence[Passage]) -> Iterable[Passage]:
    """The texts of a hit, each with its place in the document."""
    if hit.passages:
        return hit.passages
    if hit.raw_content:
        return [Passage(hit.url, hit.raw_content, 0, len(hit.raw_content))]
    start = offset_of(hit)
    found = {start: Passage(hit.url, hit.content, start, start + len(hit.content))}
    for passage in stored:
        known = found.get(passage.start)
        if known is None or len(passage.text) >= len(known.text):
            found[passage.start] = passage
    return found.values()


def _passage_chars(text: str) -> int:
    sample = text[:2_000]
    return min(PASSAGE_CHARS, PASSAGE_TOKENS * len(sample) // max(1, count_tokens(sample)))


def _alternate_hosts(passages: Iterable[Passage]) -> list[Passage]:
    """Down-weight each further passage of a host, so that one site does not fill the budget."""
    seen: dict[str, int] = {}
    weighed = []
    for passage in passages:
        host = host_of(passage.url) or passage.url
        weighed.append(((passage.score or 0.0) * 0.9 ** seen.get(host, 0), passage))
        seen[host] = seen.get(host, 0) + 1
    weighed.sort(key=lambda pair: -pair[0])
    return [p for _, p in weighed]


def _without_overlap(passages: Iterable[Passage]) -> list[Passage]:
    """Remove what a better passage of the same page has: neighbours overlap."""
    found: list[Passage] = []
    known: dict[str, list[Passage]] = {}  # by address, in the order of the text
    for passage in passages:
        parts = [passage]
        before = known.setdefault(passage.url, [])
        at = max(0, bisect_right(before, passage.start, key=lambda p: p.start) - 1)
        for other in before[at : bisect_left(before, passage.end, key=lambda p: p.start)]:
            parts = [rest for part in parts for rest in _subtract(part, other)]
        for part in parts:
            insort(before, part, key=lambda p: p.start)
        found += parts
    return found


def _subtract(part: Passage, other: Passage) -> list[Passage]:
    """Return what is left of a passage before and behind another one."""
    start, end = max(part.start, other.start), min(part.end, other.end)
    shared = part.text[start - part.start : end - part.start]
    if start >= end or shared != other.text[start - other.start : end - other.start]:
        return [part]  # two collections may hold two versions of a page
    left = ((part.start, start), (end, part.end))
    pieces = [replace(part, start=a, end=b, text=part.text[a - part.start : b - part.start])
              for a, b in left]  # fmt: skip
    return [piece for piece in pieces if piece.text.strip()]


async def stored_passages(
    index: Index, query: str, hits: Sequence[Hit], max_tokens: int
) -> dict[str, list[Passage]]:
    """Return the passages that match the query, of each document in `hits`, by its address."""
    urls: dict[str, set[str]] = {}
    for hit in hits:
        local = hit.explain.local if hit.explain else None
        if local is not None and local.collection and hit.raw_content is None:
            urls.setdefault(local.collection, set()).add(hit.url)
    count = min(_MOST, max(_FEWEST, max_tokens // _TOKENS_EACH))
    found: dict[str, list[Passage]] = {}
    for collection, wanted in urls.items():
        try:
            passages = await index.passages(query, collections=collection, max_results=count)
        except IndexFault:  # the hits have a passage each already
            continue
        for passage in passages:
            if passage.url in wanted:
                found.setdefault(passage.url, []).append(passage)
    return found
