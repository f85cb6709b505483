"""`depth="advanced"` for every provider: read the pages behind the hits, keep the best passages.

    hits → fetch the best pages → passages → scored against each other → content = the best of them

A page that cannot be read leaves its hit as it was. The passages of all pages compete, so the
order of the hits is that of what the pages say, not of their snippets.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from kensaku.errors import BudgetExceeded, IndexFault
from kensaku.fetch.pages import extract
from kensaku.models import Document, Explain, Hit, Page, Passage
from kensaku.models.passages import split
from kensaku.search.passages import score_passages
from kensaku.text.clean import one_line
from kensaku.text.headings import headings_in

if TYPE_CHECKING:
    from kensaku.models import Query
    from kensaku.search.run import Run

PAGES = 8  # how many pages are read for one search
PAGE_CHARS = 300_000  # of a page that are looked through: a book must not outlast the deadline
CHUNKS, CHUNK_CHARS = 3, 500  # of a page, as agents know them from Tavily
JOIN = " [...] "


async def read_pages(
    run: Run, hits: tuple[Hit, ...], seconds: float
) -> tuple[tuple[Hit, ...], list[str]]:
    """Read the pages behind the hits; return the hits with their best chunks, and notes.

    The best page comes first. When only the whole pages were asked for, they are put beside the
    hits, which stay as they are.
    """
    query = run.query
    wanted = [h for h in hits[:PAGES] if not run.resources.provider(h.provider).reads_pages]
    urls = [h.url for h in wanted if h.url.startswith(("http://", "https://"))]
    if not urls or seconds <= 0:
        return hits, []
    try:
        read = await extract(run.resources, urls, timeout=seconds, budget=run.budget)
    except (BudgetExceeded, IndexFault) as error:  # what was found is still worth having
        return hits, [f"the pages were not read: {error.message}"]
    pages = {page.url: page for page in read.results if page.text and not page.needs_browser}
    unread = len(set(urls)) - len(pages)
    notes = [f"{unread} of {len(set(urls))} pages could not be read"] if unread else []
    if query.depth != "advanced":
        return tuple(_with_page(query, hit, pages.get(hit.url)) for hit in hits), notes
    return await asyncio.to_thread(_with_chunks, query, hits, pages), notes


def _with_chunks(query: Query, hits: tuple[Hit, ...], pages: dict[str, Page]) -> tuple[Hit, ...]:
    found: list[tuple[int, Passage]] = []
    for rank, hit in enumerate(hits):
        page = pages.get(hit.url)
        text = page.text[:PAGE_CHARS] if page else hit.content
        document = Document(url=hit.url, title=hit.title, text=text)
        if page:
            document = replace(document, headings=headings_in(text, page.markdown))
        found += [(rank, p) for p in split(document, max_chars=CHUNK_CHARS)]
    chunks: dict[str, list[Passage]] = {}
    for passage in score_passages(query.text, found):
        chunks.setdefault(passage.url, []).append(passage)
    best = {url: max(p.score or 0.0 for p in parts) for url, parts in chunks.items()}
    deeper = [
        _with_best_chunks(query, hit, chunks.get(hit.url, []), pages.get(hit.url)) for hit in hits
    ]
    return tuple(sorted(deeper, key=lambda h: -best.get(h.url, 0.0)))


def _with_best_chunks(query: Query, hit: Hit, chunks: list[Passage], page: Page | None) -> Hit:
    if page is None or not chunks:
        return hit
    best = sorted(chunks, key=lambda p: -(p.score or 0.0))[:CHUNKS]
    top = tuple(sorted(best, key=lambda p: p.start))
    content = JOIN.join(one_line(p.text) for p in top)
    return replace(_with_page(query, hit, page), content=content, passages=top)


def _with_page(query: Query, hit: Hit, page: Page | None) -> Hit:
    if page is None:
        return hit
    return replace(
        hit,
        published=hit.published or page.published,
        raw_content=page.markdown if query.include_raw_content else hit.raw_content,
        explain=replace(hit.explain or Explain(), read=True),
    )
