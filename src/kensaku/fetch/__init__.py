"""Pages from the web: fetched through one guarded transport, politely, within limits.

PageReader     many URLs → Extraction(results, failed); crawls
Crawl          a site, page by page (`Plan` says which), or only its addresses (`Crawl.map`)
Fetcher        one page: robots.txt, redirects, cache, challenges
PageTransport  one request, to public addresses only
Browser        pages that are made by scripts (extra `browser`)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kensaku.fetch.browser.browser import Browser
    from kensaku.fetch.crawl.crawl import Crawl
    from kensaku.fetch.crawl.plan import Plan
    from kensaku.fetch.fetcher import Fetcher, FetchPolicy
    from kensaku.fetch.limits import FetchLimits
    from kensaku.fetch.page_cache import FetchedPage
    from kensaku.fetch.page_reader import PageReader
    from kensaku.fetch.results import CrawlResult, Extraction, Failure, SiteMap
    from kensaku.fetch.transport import PageTransport

_HOMES = {
    "Browser": "browser.browser",
    "Crawl": "crawl.crawl",
    "CrawlResult": "results",
    "Extraction": "results",
    "Failure": "results",
    "FetchLimits": "limits",
    "FetchPolicy": "fetcher",
    "FetchedPage": "page_cache",
    "Fetcher": "fetcher",
    "PageReader": "page_reader",
    "PageTransport": "transport",
    "Plan": "crawl.plan",
    "SiteMap": "results",
}

__all__ = [
    "Browser",
    "Crawl",
    "CrawlResult",
    "Extraction",
    "Failure",
    "FetchLimits",
    "FetchPolicy",
    "FetchedPage",
    "Fetcher",
    "PageReader",
    "PageTransport",
    "Plan",
    "SiteMap",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
