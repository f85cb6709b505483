"""Do what a wire read: a call of the core, and what the wire asked to be done to its result.

    Search  → Kensaku.search → (answer, images) → filtered, reordered → Found
    Extract → Kensaku.extract → chunks or whole pages                 → Read
    Scrape  → answers.scrape                                          → a document
    Crawl   → Kensaku.crawl                                           → Read
    Map     → Kensaku.map                                             → Listed

Nobody could search: `Unavailable`, never an empty list.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from kensaku.answers.model import has_model
from kensaku.answers.reading import best_passages
from kensaku.errors import (
    BudgetExceeded,
    FetchError,
    InvalidQuery,
    KensakuError,
    NotAsked,
    QuotaExhausted,
    RateLimited,
)
from kensaku.models import Document, Hit, Outcome, Page
from kensaku.models.query import date_window
from kensaku.server.wires.base import (
    Call,
    Crawl,
    Extract,
    Found,
    Listed,
    Map,
    Parse,
    Read,
    Scrape,
    Search,
)

if TYPE_CHECKING:
    from kensaku.answers.scrape import Wanted
    from kensaku.client import Kensaku
    from kensaku.models import Attempt, Response
    from kensaku.server.wires.base import Format

IMAGES, PAGE_IMAGES = 10, 5  # in all, and of one page
PAGE_SECONDS = 10.0  # for the pages whose images were asked for
SCRAPES_AT_ONCE = 5  # pages of one search
JOIN = " [...] "
_WORD = re.compile(r"\w+")


class Unavailable(KensakuError):
    """No provider could search; `attempts` say why, one by one."""

    def __init__(self, attempts: Sequence[Attempt]) -> None:
        told = "; ".join(str(a.error) for a in attempts if a.error is not None)
        super().__init__(f"nobody could search: {told or 'no provider was asked'}"[:2_000])
        self.attempts = tuple(attempts)

    @property
    def status(self) -> int:
        """429 and 432 when that is all that is wrong, else 503."""
        errors = [a.error for a in self.attempts if a.error and not isinstance(a.error, NotAsked)]
        if errors and all(isinstance(e, RateLimited) for e in errors):
            return 429
        spent = (BudgetExceeded, QuotaExhausted)
        return 432 if errors and all(isinstance(e, spent) for e in errors) else 503

    @property
    def retry_after(self) -> float:
        """Seconds after which the first of them may answer again."""
        waits = (getattr(a.error, "retry_after", None) for a in self.attempts)
        return min((w for w in waits if w), default=5.0)


async def perform(client: Kensaku, call: Call) -> Any:
    """Carry out a call. Raises `KensakuError`."""
    return await _PERFORM[type(call)](client, call)


def outcome_of(result: Any) -> tuple[str, bool]:
    """What a result is counted as, and whether it came from the cache."""
    if isinstance(result, Mapping):  # a document
        return "found", False
    found = getattr(result, "hits", None) or getattr(result, "pages", None)
    found = found or getattr(result, "urls", None)
    return "found" if found else "empty", getattr(result, "cached", False)


# --- search


async def search(client: Kensaku, call: Search) -> Found:
    """Search, and do to the hits what the wire asks for."""
    response = await client.search(call.query, route=call.route)
    if response.outcome is Outcome.UNAVAILABLE:
        raise Unavailable(response.attempts)
    answer = response.answer
    if call.answer and response.hits and has_model(client.settings):
        answer = (await client.answer(response)).text
    return await finish(client, call, response, answer)


async def finish(client: Kensaku, call: Search, response: Response, answer: str | None) -> Found:
    """Filter and reorder the hits, and look for images."""
    hits: Sequence[Hit] = response.hits
    if call.phrases:
        hits = [h for h in hits if all(_holds(h, p) for p in call.phrases)]
    if call.dated:
        hits = [h for h in hits if _within(h, call)]
    if call.prefer_domains:
        hits = sorted(hits, key=lambda h: not _is_of(h.url, call.prefer_domains))
    if call.most is not None and call.most < len(hits):
        hits = hits[: call.most]
    if call.raw == "text":
        hits = [replace(h, raw_content=plain(h.raw_content)) for h in hits]
    found = Found(hits, answer=answer, cost=response.cost, cached=response.cached)
    if call.wanted is not None:
        found = replace(found, documents=await _documents(client, found.hits, call.wanted))
    return await _with_images(client, found) if call.images else found


async def _with_images(client: Kensaku, found: Found) -> Found:
    images = await _images(client, found.hits)
    listed = [(url, title) for title, urls in images.values() for url in urls]
    return replace(
        found,
        images=list(dict.fromkeys(listed))[:IMAGES],
        page_images={url: urls[:PAGE_IMAGES] for url, (_, urls) in images.items()},
    )


async def _images(client: Kensaku, hits: Iterable[Hit]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Read the pages of the hits: address → title and images."""
    urls = [h.url for h in hits if h.url.startswith(("http://", "https://"))]
    if not urls:
        return {}
    pages = await client.extract(urls[:20], timeout=PAGE_SECONDS)
    return {p.url: (p.title, p.images) for p in pages.results}


def _holds(hit: Hit, phrase: str) -> bool:
    """Whether a phrase stands in a hit; punctuation does not count."""
    whole = " ".join(_WORD.findall(f"{hit.title} {hit.content} {hit.raw_content or ''}".lower()))
    return f" {' '.join(_WORD.findall(phrase.lower()))} " in f" {whole} "


def _within(hit: Hit, call: Search) -> bool:
    first, last = date_window(call.query, datetime.now(UTC).date())
    if not hit.published:
        return False
    day = hit.published[:10]
    return (not first or day >= str(first)[: len(day)]) and (
        not last or day <= str(last)[: len(day)]
    )


def _is_of(url: str, domains: Iterable[str]) -> bool:
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    names = [d.removeprefix("*.").removeprefix("www.") for d in domains]
    return any(host == name or host.endswith(f".{name}") for name in names)


# --- pages


async def extract(client: Kensaku, call: Extract) -> Read:
    """Read pages."""
    done = await client.extract(call.urls, timeout=call.timeout)
    contents = await asyncio.to_thread(
        lambda: [_content(p, call.query, call.chunks, call.format) for p in done.results]
    )
    return Read(
        list(zip(done.results, contents, strict=True)),
        [(failure.url, failure.error.message) for failure in done.failed],
    )


async def scrape(client: Kensaku, call: Scrape) -> Mapping[str, Any]:
    """Read a page in the formats of the call. Raises `FetchError`."""
    from kensaku.answers.scrape import scrape

    return await scrape(client, call.url, call.wanted, timeout=call.timeout)


async def _documents(
    client: Kensaku, hits: Iterable[Hit], wanted: Wanted
) -> dict[str, Mapping[str, Any]]:
    """Read the pages of hits: address → document, or the "error" of one that fails."""
    free = asyncio.Semaphore(SCRAPES_AT_ONCE)

    async def one(url: str) -> Mapping[str, Any]:
        async with free:
            try:
                return await scrape(client, Scrape(url, wanted, PAGE_SECONDS))
            except (FetchError, InvalidQuery) as error:
                return {"error": error.message}

    wanted.check(client)
    urls = list(dict.fromkeys(hit.url for hit in hits))
    read = await asyncio.gather(*map(one, urls))
    return dict(zip(urls, read, strict=True))


async def parse(client: Kensaku, call: Parse) -> Read:
    """Read a document that came with the request."""
    reader = client.resources.reader()
    address = f"https://upload.invalid/{quote(call.name)}"
    page = await reader.parser.extract(call.data, url=address, content_type=call.content_type)
    return Read([(page, page.markdown or page.text)])


async def crawl(client: Kensaku, call: Crawl) -> Read:
    """Read the pages of a site."""
    done = await client.crawl(**_options(call.plan))
    wanted = call.plan.instructions if call.chunks else None
    contents = await asyncio.to_thread(
        lambda: [_content(p, wanted, call.chunks or 3, call.format) for p in done.results]
    )
    return Read(list(zip(done.results, contents, strict=True)), base_url=call.plan.url)


async def map_site(client: Kensaku, call: Map) -> Listed:
    """List the pages of a site."""
    found = await client.map(**_options(call.plan))
    return Listed(call.plan.url, found.urls, found.titles)


def _options(plan: Any) -> dict[str, Any]:
    return {name: getattr(plan, name) for name in plan.__slots__}


def _content(page: Page, query: str | None, chunks: int, format: Format) -> str:
    """The page as it was asked for: whole, or its best chunks for a query."""
    if not query:
        return page.markdown if format == "markdown" else page.text
    from kensaku.text.clean import one_line

    document = Document(url=page.url, title=page.title, text=page.text)
    return JOIN.join(one_line(p.text) for p in best_passages(query, document, most=chunks))


# At the start of a line, around words, and not after a backslash; `_` only outside of words.
_MARKS = re.compile(
    r"^(?:#{1,6} |> ?|[-*+] |\d+\. |```.*$)"
    r"|(?<!\\)[*`~]{1,3}(?=\S)|(?<=[^\s\\])[*`~]{1,3}"
    r"|(?<![\\\w])_{1,3}(?=\S)|(?<=[^\s\\])_{1,3}(?!\w)",
    re.M,
)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?: \"[^\"]*\")?\)")


def plain(markdown: str | None) -> str | None:
    """Markdown without its marks."""
    if markdown is None:
        return None
    return re.sub(r"\\([^\w\s]|_)", r"\1", _MARKS.sub("", _LINK.sub(r"\1", markdown)))


_PERFORM: dict[type, Callable[[Kensaku, Any], Any]] = {
    Search: search,
    Extract: extract,
    Scrape: scrape,
    Parse: parse,
    Crawl: crawl,
    Map: map_site,
}
