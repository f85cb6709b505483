"""`web_map`: list the addresses of a site."""

from __future__ import annotations

from typing import Any

from kensaku.messages import msg
from kensaku.tools._failures import describe_failed_pages
from kensaku.tools._pages import SHOWN_FAILURES
from kensaku.tools._params import DEPTH, INSTRUCTIONS, URL, page_limit
from kensaku.tools.base import BaseTool, ToolResult


class WebMapTool(BaseTool):
    """List the pages of a site without reading them."""

    name = "web_map"
    title = msg("Map a site")
    about = msg("List the pages of a site, without reading them whole.")
    params = (URL, INSTRUCTIONS, DEPTH, page_limit(50, 500))

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        options = {n: v for n, v in arguments.items() if v is not None}
        site = await self.client.map(**options, progress=self.progress)
        text = "\n".join(site.urls)
        failures = describe_failed_pages(
            site.failed[:SHOWN_FAILURES], self.fence_web_text, self.language
        )
        return ToolResult(
            success=bool(site.urls),
            output={"base_url": arguments["url"], "results": list(site.urls)},
            text=self.fence_web_text(text) or failures,
            confidence_factors={"pages": len(site.urls)},
            error=None if site.urls else "no page could be had",
            error_kind=None if site.urls else "tool",
        )
