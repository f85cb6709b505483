"""`web_extract`: the main text of pages, PDFs and documents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kensaku.answers.reading import Portion, check_portion
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.tools._pages import PagesTool
from kensaku.tools.base import Param, ToolResult

if TYPE_CHECKING:
    from kensaku.models import Page


class WebExtractTool(PagesTool):
    """Read pages by their addresses."""

    name = "web_extract"
    title = msg("Read pages")
    about = msg(
        "Read web pages, PDFs and documents: give their URLs, get the main text as Markdown. "
        "A long page is read on with offset; with query, only its best passages are shown."
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
        Param(
            "query",
            "string",
            msg("Show only the passages of the pages about this."),
            maximum=2_000,
        ),
        Param(
            "offset",
            "integer",
            msg("Where to read on in one page, as an earlier result said."),
            minimum=0,
            maximum=100_000_000,
        ),
        Param(
            "max_tokens",
            "integer",
            msg("How many tokens of text at most."),
            minimum=1,
            maximum=20_000,
        ),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        urls, query = arguments["urls"], (arguments.get("query") or "").strip()
        offset = arguments.get("offset") or 0
        check_portion(len(urls), query, offset)
        extraction = await self.client.extract(urls, progress=self.progress)
        portions = await asyncio.to_thread(
            self.portions,
            extraction.results,
            query=query,
            offset=offset,
            max_tokens=arguments.get("max_tokens"),
        )
        result = self.pages_result(extraction.results, extraction.failed, portions=portions)
        said = [*self._copies(extraction.results), *self._how_to_go_on(portions, offset)]
        return replace(result, text="\n".join([result.text, *said]))

    def _copies(self, pages: Sequence[Page]) -> Iterator[str]:
        """Yield our own words, outside the fence: which pages are copies, and of what."""
        t = translator(self.language)
        for n, page in enumerate(pages, 1):
            if page.copy_note:
                yield t("page {n} above: {note}", n=n, note=page.copy_note)

    def _how_to_go_on(self, portions: Sequence[Portion], offset: int) -> Iterator[str]:
        """Yield our own words, outside the fence: which pages have more, and from where."""
        t = translator(self.language)
        for n, portion in enumerate(portions, 1):
            if portion.next_offset is not None and len(portions) == 1:
                yield t("more of this page: offset {offset}", offset=portion.next_offset)
            elif portion.next_offset is not None:
                yield t("more of page {n} above: offset {offset}", n=n, offset=portion.next_offset)
            elif offset and not portion.text:
                yield t("this page ends before offset {offset}", offset=offset)
