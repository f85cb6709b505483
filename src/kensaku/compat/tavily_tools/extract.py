"""Pages for `tavily_extract`: Tavily's `/extract` first, our own reader as the fallback.

    urls → POST /extract → pages and failed URLs
         → Tavily is down, slow or unreadable → our reader, and a note that says so

A refused key, a refused request and a used-up limit are errors: another reader would hide them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku.compat.tavily_tools.messages import message
from kensaku.errors import (
    Blocked,
    CircuitOpen,
    NotAsked,
    Outage,
    ProviderError,
    Timeout,
    Unreadable,
)
from kensaku.messages import msg
from kensaku.models import Page
from kensaku.providers._classify import redact
from kensaku.providers.base import Request, rows, text
from kensaku.search.attempt import cool_down_after
from kensaku.text.clean import cut, one_line, visible

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.providers.base import Provider
    from kensaku.search.limits import Permit
    from kensaku.transport.reply import Reply

TAVILY_SECONDS = 30.0  # of Tavily's own client, and of the specification
READER_SECONDS = 30.0  # for the fallback, which comes on top
URLS_PER_CREDIT = 5
MAX_REASON_CHARS = 200  # of what Tavily says about a URL that failed
UNSUPPORTED = 403  # "URL is not supported": a refused key is 401

NO_CONTENT = "コンテンツが空です"
NOT_MENTIONED = "Tavily API の応答に含まれていません"


@dataclass(frozen=True, slots=True)
class ExtractedPages:
    """Pages, the URLs that failed with the reason, and notes in Japanese."""

    pages: tuple[Page, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def is_trouble(error: ProviderError) -> bool:
    """Whether our reader may stand in: Tavily is down, slow, unreadable, or cannot take a URL."""
    trouble = isinstance(error, Outage | Unreadable | Blocked | CircuitOpen)
    return trouble or error.status == UNSUPPORTED


async def ask_tavily(client: Kensaku, urls: list[str]) -> ExtractedPages | ProviderError:
    """Ask Tavily for the pages; try its other keys when one is refused."""
    if not urls:
        return ExtractedPages()
    resources = client.resources
    provider, limiter = resources.provider("tavily"), resources.limiter("tavily")
    credits = -(-len(urls) // URLS_PER_CREDIT)
    spent = {"fetches": len(urls), "money": credits * provider.price}
    await client.budget.spend(**spent)
    deadline = asyncio.get_running_loop().time() + TAVILY_SECONDS
    for tried in range(1, 1 + max(1, len(resources.settings.provider("tavily").keys))):
        try:
            permit = await limiter.acquire(deadline)
        except NotAsked as error:
            answer: ExtractedPages | ProviderError = error
            break
        began = time.perf_counter()
        answer = await _send(client, provider, permit, urls, deadline)
        failure = answer if isinstance(answer, ProviderError) else None
        await limiter.record(permit, failure, time.perf_counter() - began)
        if failure is None:
            return answer
        if failure.retry_after or not is_trouble(failure):
            await cool_down_after(limiter, permit, failure)
        if is_trouble(failure) or not limiter.has_other_key(tried):
            break
    await client.budget.settle(**{what: -amount for what, amount in spent.items()})
    return answer


async def read_pages(client: Kensaku, urls: list[str], trouble: ProviderError) -> ExtractedPages:
    """Read the pages ourselves, and say why."""
    done = await client.extract(urls, timeout=READER_SECONDS)
    note = (
        f"Tavily API を利用できないため（{message(trouble)}）、Kensaku が各ページを直接取得しました"
    )
    failed = tuple((url, message(error)) for url, error in done.failed)
    return ExtractedPages(done.results, failed, (note,))


async def _send(
    client: Kensaku, provider: Provider, permit: Permit, urls: list[str], deadline: float
) -> ExtractedPages | ProviderError:
    request = Request(
        url=f"{provider.base_url}/extract",
        headers={"Authorization": f"Bearer {permit.key}"},
        json={"urls": urls, "format": "markdown", "timeout": TAVILY_SECONDS},
    )
    try:
        async with asyncio.timeout_at(deadline):
            reply = await client.resources.http.send(request, provider.name)
        return await asyncio.to_thread(_read, provider, reply, urls)  # it may be megabytes
    except TimeoutError:
        return Timeout(provider.name, f"it did not answer within {TAVILY_SECONDS:g} s")
    except ProviderError as error:
        return redact(error, (permit.key,))


def _read(provider: Provider, reply: Reply, urls: Iterable[str]) -> ExtractedPages:
    """Read a reply. Raises a `ProviderError` when it holds no pages."""
    if error := provider.failure(reply):
        raise error
    pages: list[Page] = []
    try:
        body = reply.json()
        failed = [(text(r.get("url")), _reason(r)) for r in rows(body, "failed_results")]
        for row in rows(body["results"]):
            url, content = text(row["url"]), visible(row["raw_content"] or "").strip()
            if content:
                pages.append(
                    Page(url=url, title=one_line(text(row.get("title"))), markdown=content)
                )
            else:
                failed.append((url, NO_CONTENT))
    except (ValueError, LookupError, TypeError, AttributeError):
        raise provider.unreadable(reply, msg("the reply does not have the expected form")) from None
    mentioned = {_bare(url) for url in (*(page.url for page in pages), *(u for u, _ in failed))}
    failed += [(url, NOT_MENTIONED) for url in urls if _bare(url) not in mentioned]
    return ExtractedPages(tuple(pages), tuple(failed))


def _bare(url: str) -> str:
    """The URL without what an upstream may add or drop."""
    return url.partition("#")[0].rstrip("/").lower()


def _reason(row: dict[str, Any]) -> str:
    return cut(one_line(text(row.get("error"))), MAX_REASON_CHARS) or NO_CONTENT
