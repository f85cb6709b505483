"""`web_extract`: the main text of pages, PDFs and documents."""

from __future__ import annotations

from typing import Any

from kensaku.messages import msg
from kensaku.tools._pages import PagesTool
from kensaku.tools.base import Param, ToolResult


class WebExtractTool(PagesTool):
    """Read pages by their addresses."""

    name = "web_extract"
    title = msg("Read pages")
    about = msg(
        "Read web pages, PDFs and documents: give their URLs, get the main text as Markdown."
    )
    params = (
        Param(
            "urls",
            "array",
            msg("Up to 20 URLs, with http:// or https://."),
            required=True,
            minimum=1,
            maximum=20,
        ),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        extraction = await self.client.extract(arguments["urls"], progress=self.progress)
        return self.pages_result(extraction.results, extraction.failed)
