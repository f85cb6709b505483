"""Pages from the web: fetched through one guarded door, politely, within bounds.

Fetcher   one page: robots.txt, redirects, cache, challenges
extract   many URLs → Extraction(results, failed)
Crawl     a site, page by page (`Plan` says which), or only its addresses (`Crawl.map`)
Browser   the next rung for pages that are made by scripts (extra `browser`)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kensaku.fetch.browser.browser import Browser
    from kensaku.fetch.crawl.crawl import Crawl, CrawlResult, SiteMap
    from kensaku.fetch.crawl.plan import Plan
    from kensaku.fetch.extract_many import Extraction, extract, read_page
    from kensaku.fetch.fetcher import Fetcher, Manners
    from kensaku.fetch.limits import FetchLimits
    from kensaku.fetch.page_cache import Fetched
    from kensaku.fetch.reader import Reader

_HOMES = {
    "Browser": "browser.browser",
    "Crawl": "crawl.crawl",
    "CrawlResult": "crawl.crawl",
    "Extraction": "extract_many",
    "FetchLimits": "limits",
    "Fetched": "page_cache",
    "Fetcher": "fetcher",
    "Manners": "fetcher",
    "Plan": "crawl.plan",
    "Reader": "reader",
    "SiteMap": "crawl.crawl",
    "extract": "extract_many",
    "read_page": "extract_many",
}

__all__ = [
    "Browser",
    "Crawl",
    "CrawlResult",
    "Extraction",
    "FetchLimits",
    "Fetched",
    "Fetcher",
    "Manners",
    "Plan",
    "Reader",
    "SiteMap",
    "extract",
    "read_page",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
