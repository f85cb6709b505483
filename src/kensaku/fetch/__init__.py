"""Pages from the web: fetched through one guarded door, politely, within bounds.

Fetcher   one page: robots.txt, redirects, cache, challenges
extract   many URLs → Extraction(results, failed)
Crawl     a site, page by page (`Plan` says which), or only its addresses (`Crawl.map`)
Browser   the next rung for pages that are made by scripts (extra `browser`)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kensaku.fetch.bounds import FetchLimits
    from kensaku.fetch.browser import Browser
    from kensaku.fetch.crawl import Crawl, CrawlResult, SiteMap
    from kensaku.fetch.extraction import Extraction, extract, read_page
    from kensaku.fetch.fetch import Fetcher, Manners
    from kensaku.fetch.pages import Fetched
    from kensaku.fetch.plan import Plan
    from kensaku.fetch.reader import Reader

_HOMES = {
    "Browser": "browser",
    "Crawl": "crawl",
    "CrawlResult": "crawl",
    "Extraction": "extraction",
    "FetchLimits": "bounds",
    "Fetched": "pages",
    "Fetcher": "fetch",
    "Manners": "fetch",
    "Plan": "plan",
    "Reader": "reader",
    "SiteMap": "crawl",
    "extract": "extraction",
    "read_page": "extraction",
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
