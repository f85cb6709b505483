"""Search and read for a run: each call comes back as JSON, so that it can be kept.

    search(client, query) → {"outcome", "hits", "stored", "attempts", "confidence", "notes"}
    read(client, urls)    → {"pages", "failed", "notes"}
    gather(tools, evidence) → both for each question of a plan, until it is answered

What the web, a page or a budget fails at is part of the result.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from kensaku.answers.passages import stored_passages
from kensaku.errors import BudgetExceeded, IndexFault
from kensaku.index.namespace import PUBLIC
from kensaku.messages import msg
from kensaku.models import LOCAL, Document, Outcome, Page, Passage, Query
from kensaku.models.passages import split
from kensaku.search.passages import score_passages
from kensaku.search.rerank import relevance
from kensaku.text.clean import one_line
from kensaku.text.urls import host_of

if TYPE_CHECKING:
    from kensaku.answers.evidence import Evidence
    from kensaku.answers.toolbox import Toolbox
    from kensaku.answers.weigh import Finding
    from kensaku.client import Kensaku
    from kensaku.models import Response
    from kensaku.search.budget import Budget

PAGES = 3  # that are read for one question in one round
MAX_ROUNDS = 3
STORED_TOKENS = 3_000  # of passages that the local index adds to its hits
PAGE_CHARS = 300_000  # of a page that are looked through
KEPT_CHARS = 40_000  # of a page that are kept: the best passages of a long one
HEADINGS = 40
_HEADING = re.compile(r"^#{2,4}[ \t]+(.{2,120}?)[ \t#]*$", re.MULTILINE)


async def search(
    client: Kensaku,
    query: Query,
    *,
    route: Sequence[str] | None = None,
    seconds: float,
    cache: bool | None = None,
    budget: Budget | None = None,
    scrub: bool | None = None,
) -> dict[str, Any]:
    """Search once. Raises `QueryWithheld`."""
    response = await client.search(
        query,
        route=route,
        timeout=min(seconds, client.settings.timeout),
        cache=cache,
        budget=budget,
        scrub=scrub,
    )
    hits = () if response.outcome is Outcome.UNAVAILABLE else response.hits
    return {
        "outcome": str(response.outcome),
        "hits": [hit.to_dict() for hit in hits],
        "stored": await _stored(client, response) if hits else {},
        "attempts": [attempt.to_dict() for attempt in response.attempts],
        "confidence": response.confidence.score if hits and response.confidence else None,
        "notes": list(response.notes),
    }


def not_searched(*notes: str) -> dict[str, Any]:
    """Return the result of a search that was not made."""
    return {"outcome": str(Outcome.UNAVAILABLE), "hits": [], "stored": {}, "attempts": [],
            "confidence": None, "notes": list(notes)}  # fmt: skip


async def read(
    client: Kensaku,
    urls: Sequence[str],
    about: Sequence[str],
    *,
    seconds: float,
    budget: Budget | None = None,
) -> dict[str, Any]:
    """Read pages, and keep of each what is about these queries."""
    try:
        done = await client.extract(urls, timeout=seconds, budget=budget)
    except (BudgetExceeded, IndexFault) as error:  # the snippets are still worth having
        note = msg("the pages were not read: {message}", message=error.message)
        return {"pages": [], "failed": [], "notes": [note]}
    pages = [page for page in done.results if page.text and not page.needs_browser]
    unread = len(urls) - len(pages)
    copies = [page for page in pages if page.rung]
    notes = [msg("{host}: {note}", host=host_of(p.url), note=p.copy_note) for p in copies]
    if unread:
        told = msg("{unread} of {count} pages could not be read", unread=unread, count=len(urls))
        notes.append(told)
    return {
        "pages": await asyncio.to_thread(lambda: [keep_page(page, about) for page in pages]),
        "failed": [failure.to_dict() for failure in done.failed],
        "notes": notes,
    }


def within_budget(urls: list[str], budget: Budget) -> tuple[list[str], list[str]]:
    """Return the pages that a budget still allows, and a note when these are not all."""
    left = budget.left().get("fetches")
    if left is None or left >= len(urls):
        return urls, []
    most = max(0, int(left))
    return urls[:most], [f"the budget allows {most} of {len(urls)} pages to be read"]


async def rerank(
    client: Kensaku, evidence: Evidence, questions: Iterable[int], seconds: float
) -> list[str]:
    """Order the passages of these questions by the reranker, if there is one; return notes."""
    reranker = client.resources.reranker
    if reranker is None:
        return []

    async def rank(question: int) -> tuple[str, ...]:
        query = evidence.query(question)
        passages = await asyncio.to_thread(evidence.passages, query, question)
        found = await relevance(reranker, query, passages, seconds)
        evidence.set_scores(query, found.scores)
        return found.notes

    notes = await asyncio.gather(*(rank(n) for n in questions))
    return list(dict.fromkeys(chain.from_iterable(notes)))


async def find(tools: Toolbox, evidence: Evidence) -> list[Finding]:
    """Return what the sources say to each question, once the reranker has ordered them."""
    questions = range(len(evidence.questions))
    tools.notes += await rerank(tools.client, evidence, questions, tools.seconds_left)
    return await asyncio.to_thread(evidence.findings)


async def gather(tools: Toolbox, evidence: Evidence, enough: float) -> None:
    """Search for all questions side by side, until each is answered with a score of `enough`.

    The queries are those of the plan: collections, then the web, then the pages of its results.
    """
    own = await _has_collections(tools)
    try:
        async with asyncio.TaskGroup() as group:
            for n in range(len(evidence.questions)):
                group.create_task(_gather(n, tools, evidence, enough, own=own))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


async def _gather(n: int, tools: Toolbox, evidence: Evidence, enough: float, *, own: bool) -> None:
    """Search for one question, round by round."""

    async def is_answered() -> bool:
        tools.notes += await rerank(tools.client, evidence, [n], tools.seconds_left)
        finding = await asyncio.to_thread(evidence.finding, n)
        return bool(finding.sentences) and (finding.confidence or 0.0) >= enough

    queries = evidence.questions[n].queries[:MAX_ROUNDS]
    if await is_answered():  # by the page that the person named
        return
    if own:
        evidence.add(n, await tools.rag_search(queries[0]))
        if await is_answered() or tuple(tools.route or tools.client.settings.route) == (LOCAL,):
            return
    for query in queries:
        evidence.add(n, await tools.web_search(query))
        if await is_answered():
            return
        if urls := evidence.unread(n, PAGES):
            evidence.add_pages(await tools.web_extract(urls, [queries[0]]))
            if await is_answered():
                return


async def _has_collections(tools: Toolbox) -> bool:
    """Whether there is anything of one's own to search. An index that was never filled is not
    opened."""
    if tools.collection is not None:
        return True
    s = tools.client.settings
    if not s.index_url and not (s.home / "index" / "collections").is_dir():
        return False
    try:
        return any(n not in PUBLIC for n in await tools.client.index.collections())
    except IndexFault as error:
        tools.notes.append(
            msg("the collections could not be searched: {message}", message=error.message)
        )
        return False


async def _stored(client: Kensaku, response: Response) -> dict[str, Any]:
    """Return more passages of the documents that the local index found."""
    if not any(hit.provider == LOCAL for hit in response.hits):
        return {}
    text, hits = response.query.text, response.hits
    found = await stored_passages(client.index, text, hits, STORED_TOKENS)
    return {url: [p.to_dict() for p in passages] for url, passages in found.items()}


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
