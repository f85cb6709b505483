"""One page: cache → robots.txt → the door, hop by hop → what came, or one typed error.

url → parse → fresh in the cache? → per hop: robots.txt → turn of the host → Door.get
    → 304: the kept one · challenge: the browser, if there is one · error status · Fetched
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

from kensaku.errors import ConfigError, NotAllowed, PageUnavailable, TooLarge
from kensaku.fetch.browser.challenge import challenger
from kensaku.fetch.optouts import AGAINST_US, ALL_WORDS, optouts
from kensaku.fetch.page_cache import Fetched, PageCache, now
from kensaku.fetch.politeness import Hosts, origin_of
from kensaku.fetch.robots import ALL, UNREADABLE, Rules, product

if TYPE_CHECKING:
    from kensaku.fetch.page_cache import Kept
    from kensaku.fetch.transport import Answer, Door
    from kensaku.store import Store

Robots = Literal["always", "crawl", "never"]
Optouts = Literal["note", "refuse", "ignore"]
PAGE_SECONDS = 300.0  # fresh, when the server does not say for how long
KEEP_SECONDS = 86_400.0 * 7  # kept for its validators
MAX_DELAY = 30.0
MANY_RULES = 500


class Renderer(Protocol):
    """The next rung: something that runs a page's scripts, behind the same door."""

    async def render(self, url: str) -> Fetched: ...
    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Manners:
    """How we behave towards sites."""

    robots: Robots = "always"  # obey robots.txt: for every page, only when crawling, or not
    optouts: Optouts = "note"  # `noai` and its kin: say it, stay out, or do not look
    at_once: int = 2  # requests to one host at a time
    max_delay: float = MAX_DELAY  # a longer Crawl-delay is cut to this

    def __post_init__(self) -> None:
        if self.robots not in ("always", "crawl", "never"):
            raise ConfigError(f"fetch.robots is {self.robots!r}; expected always, crawl or never")
        if self.optouts not in ("note", "refuse", "ignore"):
            raise ConfigError(f"fetch.optouts is {self.optouts!r}; expected note, refuse, ignore")


class Fetcher:
    """Fetches pages politely, through one door. Make one and keep it."""

    def __init__(
        self,
        door: Door,
        *,
        store: Store | None = None,
        tenant: str = "",
        manners: Manners | None = None,
        fresh: float = PAGE_SECONDS,
        keep: float = KEEP_SECONDS,
        browser: Renderer | None = None,
    ) -> None:
        self.door, self.browser = door, browser
        self.manners = manners or Manners()
        self.pages = None if store is None else PageCache(store, tenant, fresh=fresh, keep=keep)
        self.hosts = Hosts(
            self._robots_txt,
            door.user_agent,
            at_once=self.manners.at_once,
            store=store,
            max_delay=self.manners.max_delay,
        )

    async def fetch(
        self,
        url: str,
        *,
        deadline: float | None = None,
        crawling: bool = False,
        fresh: bool = False,
    ) -> Fetched:
        """The page behind `url`. Raises `FetchError`.

        `deadline` is on the clock of the event loop. `fresh` asks the server even when the cache
        could answer; it may still say that nothing has changed.
        """
        address = str(self.door.parse(url))
        try:
            async with asyncio.timeout_at(deadline):
                kept = await self.pages.get(address) if self.pages else None
                if kept is not None and kept.fresh and not fresh:
                    return self._judged(kept.page)
                answer = await self._walk(address, kept, crawling)
                page = await self._noted(await self._page(address, answer, kept), crawling)
                if self.pages:
                    await self.pages.put(page)
                return self._judged(page)
        except TimeoutError:
            raise PageUnavailable("the page did not come before the deadline") from None

    async def render(self, url: str, *, deadline: float | None = None) -> Fetched | None:
        """The page after its scripts have run; None when there is no browser to run them."""
        if self.browser is None:
            return None
        address = str(self.door.parse(url))
        rules = await self._rules(address, crawling=False)
        try:
            async with asyncio.timeout_at(deadline):
                async with self.hosts.turn(origin_of(address), rules.delay):
                    return await self.browser.render(address)
        except TimeoutError:
            raise PageUnavailable("the page did not come before the deadline") from None

    async def rules(self, url: str) -> Rules:
        """What the site's robots.txt says, whatever the manners."""
        return await self.hosts.rules(url)

    async def close(self) -> None:
        """Close connections, and the browser."""
        if self.browser is not None:
            await self.browser.close()
        await self.door.close()

    async def _walk(self, url: str, kept: Kept | None, crawling: bool) -> Answer:
        """From hop to hop, each through robots.txt, the host's turn and the door."""
        left = self.door.limits.total
        loop = asyncio.get_running_loop()
        for _ in range(self.door.limits.redirects + 1):
            rules = await self._rules(url, crawling)
            conditions = kept.conditions(url) if kept else None
            async with self.hosts.turn(origin_of(url), rules.delay):
                began = loop.time()
                answer = await self._get(url, conditions, left)
                left -= loop.time() - began
            if answer.location is None:
                return answer
            url = str(self.door.parse(answer.location))
        raise TooLarge(f"the page redirects more than {self.door.limits.redirects} times")

    async def _get(self, url: str, headers: Mapping[str, str] | None, seconds: float) -> Answer:
        try:
            async with asyncio.timeout(max(0.0, seconds)) as bound:
                return await self.door.get(url, headers)
        except TimeoutError:
            if not bound.expired():
                raise
            total = self.door.limits.total
            raise PageUnavailable(f"the page took longer than {total:g} s") from None

    async def _rules(self, url: str, crawling: bool) -> Rules:
        if self.manners.robots == "never" or (self.manners.robots == "crawl" and not crawling):
            return ALL
        rules = await self.hosts.rules(url)
        if rules is UNREADABLE:
            raise NotAllowed(
                "the site's robots.txt cannot be read now, and may forbid this",
                remedy="try again in ten minutes",
            )
        target = url[len(origin_of(url)) :]
        # Some sites have thousands of rules, which take as long as a whole page to look through.
        many = len(rules.allow) + len(rules.disallow) > MANY_RULES
        if not (await asyncio.to_thread(rules.allows, target) if many else rules.allows(target)):
            raise NotAllowed(
                "the site's robots.txt asks robots to stay out",
                remedy="read it in a browser, or ask the site's owner",
            )
        return rules

    async def _robots_txt(self, url: str) -> Answer:
        left = self.door.limits.total
        for _ in range(self.door.limits.redirects + 1):
            async with self.hosts.turn(origin_of(url)):
                answer = await self._get(url, None, left)
            if answer.location is None:
                return answer
            url = str(self.door.parse(answer.location))
        return replace(answer, status=404)  # RFC 9309: as if there were none

    async def _page(self, url: str, answer: Answer, kept: Kept | None) -> Fetched:
        if answer.status == 304 and kept is not None:
            renewed = {**kept.page.headers, **answer.headers}
            return replace(kept.page, headers=renewed, fetched_at=now())
        if who := challenger(answer.status, answer.headers, answer.body):
            return await self._past(url, who)
        if not 200 <= answer.status < 300:
            raise PageUnavailable(f"the server answered {answer.status}", status=answer.status)
        return Fetched(
            url=url,
            final_url=answer.url,
            status=answer.status,
            content_type=answer.headers.get("content-type", ""),
            body=answer.body,
            headers=answer.headers,
            fetched_at=now(),
        )

    async def _past(self, url: str, who: str) -> Fetched:
        rendered = None if self.browser is None else await self.browser.render(url)
        if rendered is None or challenger(rendered.status, rendered.headers, rendered.body):
            raise PageUnavailable(
                f"the site asks visitors to pass a check for robots ({who})",
                remedy="" if self.browser else "a browser may pass it: set fetch.browser",
            )
        return rendered

    async def _noted(self, page: Fetched, crawling: bool) -> Fetched:
        """The page with what it asks of machines, which is kept whatever the policy of today."""
        rules = await self._rules(page.final_url, crawling)
        robot = product(self.door.user_agent)
        said = optouts(page.headers, page.body, rules.signals, robot)
        return replace(page, notes=tuple(dict.fromkeys((*page.notes, *said))))

    def _judged(self, page: Fetched) -> Fetched:
        against = [note for note in page.notes if note in AGAINST_US]
        if against and self.manners.optouts == "refuse":
            raise NotAllowed(against[0])
        if self.manners.optouts == "ignore":
            return replace(page, notes=tuple(n for n in page.notes if n not in ALL_WORDS))
        return page
