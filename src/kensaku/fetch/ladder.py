"""Read a page by another way, when its own server shows a check for robots or it is gone.

    error → may it be read elsewhere? → per service: cached copy, or its requests → FetchedPage
                                      → the error, with what was tried

Only what the setting `fetch.rungs` allows. Requests go the way of all pages: guard, robots.txt,
slots of the host, limits; a redirect is followed on the same host only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kensaku.errors import AddressRefused, FetchError, PageUnavailable
from kensaku.fetch.browser.challenge import challenge_service
from kensaku.fetch.optouts import optouts
from kensaku.fetch.page_cache import FetchedPage, Source, utc_now
from kensaku.fetch.robots import product_token
from kensaku.fetch.rungs import load_services
from kensaku.fetch.rungs.base import Ask, Copy, Service
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.config.settings import Settings
    from kensaku.fetch.fetcher import Fetcher
    from kensaku.fetch.transport import PageResponse
    from kensaku.transport.guard import CheckedURL

GONE = frozenset({403, 404, 410, 429, 451})
MAX_REQUESTS = 4  # of one service for one page, redirects included
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, OverflowError)


class Ladder:
    """The services that may be asked for a page, in order."""

    def __init__(self, services: Sequence[Service]) -> None:
        self.services = tuple(services)

    @classmethod
    def from_settings(cls, settings: Settings) -> Ladder | None:
        """Make the ladder that the settings allow; None when they allow no rung."""
        if not settings.fetch_rungs:
            return None
        key = settings.fetch_reader_api_key
        services = load_services(
            settings.fetch_rungs,
            urls=dict(pair.split("=", 1) for pair in settings.fetch_rung_urls),
            reader_url=settings.fetch_reader_url,
            reader_key=key.reveal if key else None,
        )
        return cls(services)

    async def read(self, fetcher: Fetcher, url: CheckedURL, error: FetchError) -> FetchedPage:
        """Return a copy of the page. Raise `error`, with what was tried, when nobody has one."""
        if not _is_elsewhere(error):
            raise error
        tried: list[tuple[str, FetchError]] = []
        for service in self.services:
            ask = service.ask(url.parsed)
            if ask is None or not await self._may_know(service, fetcher, url):
                continue
            try:
                page = await self._copy(fetcher, url, service, ask)
            except FetchError as failure:
                tried.append((service.name, failure))
                continue
            assert page.source is not None
            why = _said(error, page.source)
            return replace(page, notes=tuple(dict.fromkeys((why, *page.notes))))
        raise _with_tried(error, tried)

    async def _may_know(self, service: Service, fetcher: Fetcher, url: CheckedURL) -> bool:
        """Tell whether a service may learn of the address: the site itself knows it."""
        if service.rung == "site":
            return True
        return fetcher.entry(url) is None and await fetcher.transport.is_public(url)

    async def _copy(
        self, fetcher: Fetcher, url: CheckedURL, service: Service, ask: Ask
    ) -> FetchedPage:
        cached = await fetcher.cache.get(str(url), service.name) if fetcher.cache else None
        if cached is not None and cached.fresh:
            return cached.page
        found: Copy | Ask = ask
        for _ in range(MAX_REQUESTS):
            if isinstance(found, Copy):
                break
            reply = await self._get(fetcher, found)
            try:
                found = await asyncio.to_thread(found.read, reply)
            except _UNREADABLE:
                raise PageUnavailable(msg("its reply cannot be read")) from None
        assert isinstance(found, Copy), "a service asks for more than MAX_REQUESTS"
        robot = product_token(fetcher.transport.user_agent)
        page = FetchedPage(
            url=str(url),
            final_url=str(url),
            status=200,
            content_type=found.content_type,
            body=found.body,
            headers={**found.headers, "cache-control": reply.headers.get("cache-control", ""),
                     "content-type": found.content_type},
            fetched_at=utc_now(),
            via=service.rung,
            notes=(*filter(None, [found.note]), *optouts(found.headers, found.body, (), robot)),
            source=Source(service.rung, service.name, found.url, found.as_of),
        )  # fmt: skip
        if fetcher.cache:
            await fetcher.cache.put(page)
        return page

    async def _get(self, fetcher: Fetcher, ask: Ask) -> PageResponse:
        """Send a request, and follow redirects on its host: the headers are for that one alone."""
        transport = fetcher.transport
        checked = transport.check_url(ask.url)
        for _ in range(MAX_REQUESTS):
            reply, _ = await fetcher.hop(
                checked, ask.headers, transport.limits.total, check_robots=not ask.is_api
            )
            if reply.location is None:
                break
            target = transport.check_url(reply.location)
            if not _is_same_host(target, checked):
                raise PageUnavailable(msg("it leads to another host"))
            checked = target
        if challenge_service(reply.status, reply.headers, reply.body):
            raise PageUnavailable(msg("it asks for a check for robots, too"))
        if not 200 <= reply.status < 300:
            raise PageUnavailable(msg("it answered {status}", status=reply.status))
        return reply


def _is_elsewhere(error: FetchError) -> bool:
    """Tell whether another way to the page makes sense, and nobody asked us to stay out."""
    if isinstance(error, PageUnavailable):
        return bool(error.challenge) or error.status in GONE
    return isinstance(error, AddressRefused)


def _is_same_host(there: CheckedURL, here: CheckedURL) -> bool:
    """Tell whether a redirect stays on its origin, or only adds TLS."""
    then, now = there.parsed.origin(), here.parsed.origin()
    return then == now or (now.scheme == "http" and then == now.with_scheme("https"))


def _said(error: FetchError, source: Source) -> str:
    """Return the note of a copy: why it is one, and where it is from. In our words only."""
    why, host = error.message, urlsplit(source.url).hostname or ""
    if source.rung == "archive":
        return msg(
            "the page itself could not be read ({why}); this is a copy of {day}, from {host}",
            why=why, day=source.as_of, host=host,
        )  # fmt: skip
    if source.rung == "reader":
        return msg("the page itself could not be read ({why}); this is what the reader {host} read",
                   why=why, host=host)  # fmt: skip
    return msg("the page itself could not be read ({why}); this is what {host} has of it",
               why=why, host=host)  # fmt: skip


def _with_tried(error: FetchError, tried: Sequence[tuple[str, FetchError]]) -> FetchError:
    """Add what was tried. A refused address says no more than before: it would tell what exists."""
    if not tried or not isinstance(error, PageUnavailable):
        return error
    told = ""
    for name, failure in tried:
        one = msg("{name}: {why}", name=name, why=failure.message)
        told = msg("{told}, {one}", told=told, one=one) if told else one
    message = msg("{message} (also tried: {told})", message=error.message, told=told)
    return PageUnavailable(
        message, status=error.status, remedy=error.remedy, challenge=error.challenge
    )
