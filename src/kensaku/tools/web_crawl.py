"""`web_crawl`: follow the links of a site and read its pages."""

from __future__ import annotations

from typing import Any

from kensaku.messages import msg
from kensaku.tools._pages import PagesTool
from kensaku.tools._params import DEPTH, INSTRUCTIONS, URL, page_limit
from kensaku.tools.base import ToolResult


class WebCrawlTool(PagesTool):
    """Read the pages that a site links to."""

    name = "web_crawl"
    title = msg("Crawl a site")
    about = msg("Follow the links of a site from one page on, and read the pages.")
    params = (URL, INSTRUCTIONS, DEPTH, page_limit(10, 100))

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        options = {n: v for n, v in arguments.items() if v is not None}
        crawl = await self.client.crawl(**options, progress=self.progress)
        return self.pages_result(
            crawl.results, crawl.failed, shown_failures=10, base_url=arguments["url"]
        )
