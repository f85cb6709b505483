"""Pages from the web: fetched through one guarded transport, politely, within limits.

PageReader     many URLs → Extraction(results, failed); crawls
Crawl          a site, page by page (`Plan` says which), or only its addresses (`Crawl.map`)
Fetcher        one page: robots.txt, redirects, cache, challenges
PageTransport  one request, to public addresses only
Browser        pages that are made by scripts (extra `browser`)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku._lazy import attach

if TYPE_CHECKING:
    from kensaku.fetch.browser.browser import Browser as Browser
    from kensaku.fetch.crawl.crawl import Crawl as Crawl
    from kensaku.fetch.crawl.plan import Plan as Plan
    from kensaku.fetch.fetcher import Fetcher as Fetcher
    from kensaku.fetch.limits import FetchLimits as FetchLimits
    from kensaku.fetch.page_cache import FetchedPage as FetchedPage
    from kensaku.fetch.page_reader import PageReader as PageReader
    from kensaku.fetch.policy import FetchPolicy as FetchPolicy
    from kensaku.fetch.results import CrawlResult as CrawlResult
    from kensaku.fetch.results import Extraction as Extraction
    from kensaku.fetch.results import Failure as Failure
    from kensaku.fetch.results import SiteMap as SiteMap
    from kensaku.fetch.transport import PageTransport as PageTransport
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        browser__browser=("Browser",),
        crawl__crawl=("Crawl",),
        crawl__plan=("Plan",),
        fetcher=("Fetcher",),
        limits=("FetchLimits",),
        page_cache=("FetchedPage",),
        page_reader=("PageReader",),
        policy=("FetchPolicy",),
        results=("CrawlResult", "Extraction", "Failure", "SiteMap"),
        transport=("PageTransport",),
    )
