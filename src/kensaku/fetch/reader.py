"""What one event loop needs to read pages: the door, the fetcher, the parsing workers.

settings → Guard → Door → Fetcher → ParsePool → Page
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import ConfigError
from kensaku.extract import ParsePool
from kensaku.fetch.crawl.crawl import Crawl
from kensaku.fetch.crawl.plan import Plan
from kensaku.fetch.extract_many import Extraction, extract
from kensaku.fetch.fetcher import Fetcher, Manners
from kensaku.fetch.guard import Guard
from kensaku.fetch.limits import FetchLimits
from kensaku.fetch.transport import Door

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kensaku.config.settings import Settings
    from kensaku.fetch.extract_many import Progress
    from kensaku.store import Store


class Reader:
    """Reads pages as the settings say. It belongs to the event loop in which it was made."""

    def __init__(self, settings: Settings, store: Store | None) -> None:
        self._settings = settings
        self.door = Door(
            Guard.allowing(settings.fetch_allow, _ports(settings.fetch_ports)),
            FetchLimits(total=settings.fetch_timeout, decoded=settings.fetch_max_bytes),
            user_agent=settings.user_agent,
            proxy=settings.fetch_proxy or None,
        )
        self.fetcher = Fetcher(
            self.door,
            store=store,
            tenant=settings.tenant,
            manners=Manners(
                settings.fetch_robots,  # type: ignore[arg-type]
                settings.fetch_optouts,  # type: ignore[arg-type]
                at_once=settings.fetch_per_host,
            ),
            fresh=settings.fetch_fresh,
            browser=self._browser(),
        )
        self.parser = ParsePool()

    async def extract(
        self,
        urls: Iterable[str],
        *,
        timeout: float,  # noqa: ASYNC109 - one deadline for all pages
        progress: Progress | None = None,
    ) -> Extraction:
        """Read several pages; one that fails does not stop the others."""
        return await extract(self.fetcher, self.parser, urls, timeout=timeout, progress=progress)

    def crawl(
        self, url: str, *, resume: bool = False, progress: Progress | None = None, **options: Any
    ) -> Crawl:
        """A crawl that is about to happen; its state lives in home until it has ended."""
        plan = Plan(url, **options)
        state = plan.state_file(self._settings.home / "crawls", self._settings.tenant)
        return Crawl(self.fetcher, self.parser, plan, state=state, resume=resume, progress=progress)

    async def close(self) -> None:
        """Close connections, workers and the browser."""
        await self.parser.aclose()
        await self.fetcher.close()

    def _browser(self) -> Any:
        chosen = self._settings.fetch_browser
        if not chosen:
            return None
        from kensaku.fetch.browser.browser import Browser

        return Browser(self.door, "" if chosen == "auto" else chosen)


def _ports(words: tuple[str, ...]) -> list[int] | None:
    if words == ("any",):
        return None
    try:
        return [int(w) for w in words]
    except ValueError:
        raise ConfigError(f"fetch.ports is {', '.join(words)[:60]!r}; expected numbers") from None
