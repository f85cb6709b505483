"""`search` and `fetch`: the two tools that connectors of ChatGPT and deep research call by name.

    search(query) → {"results": [{"id", "title", "url"}]}
    fetch(id)     → {"id", "title", "text", "url", "metadata"}

Both return JSON in one text. An id is an address: of a page, or of a document of the local index.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from kensaku.errors import KensakuError, Unparsable
from kensaku.messages import msg
from kensaku.models import Outcome
from kensaku.text.clean import cut
from kensaku.text.escape import flatten
from kensaku.text.fence import escape_markers
from kensaku.tools._pages import PagesTool, fit
from kensaku.tools._params import QUERY
from kensaku.tools.base import BaseTool, Param, ToolResult
from kensaku.tools.web_search import WebSearchTool

if TYPE_CHECKING:
    from kensaku.models import Document, Page

RESULTS = 10
TITLE_CHARS = 300
SECONDS = 30.0
_WEB = re.compile(r"https?://", re.IGNORECASE)


class SearchTool(BaseTool):
    """List what a search finds: ids, titles, addresses."""

    name = "search"
    title = msg("Search")
    about = msg(
        "Search the web and the local index. Returns the id, title and URL of each result; "
        "read one with fetch."
    )
    params = (QUERY,)
    text_only = True

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        response = await self.client.search(arguments["query"], max_results=RESULTS)
        if response.outcome is Outcome.UNAVAILABLE:
            return WebSearchTool(self.client, language=self.language, fence=self.fence).result(
                response
            )
        found = [
            {"id": hit.url, "title": _title(hit.title or hit.url), "url": hit.url}
            for hit in response.hits
        ]
        return _as_json({"results": found})


class FetchTool(PagesTool):
    """Read one result: the page, or the stored text of a document."""

    name = "fetch"
    title = msg("Fetch")
    about = msg("Read a result of search, by its id: the text of the page or document.")
    params = (
        Param(
            "id",
            "string",
            msg("The id of a result of search, or the URL of a page."),
            required=True,
            minimum=1,
            maximum=8_000,
        ),
    )
    text_only = True

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        id, is_web = arguments["id"], _WEB.match(arguments["id"]) is not None
        found: Page | Document
        try:
            found = await self._page(id) if is_web else await self._stored(id)
        except KensakuError as error:
            if not is_web:
                raise
            try:  # the page is gone, or there is no network: the index may have it
                found = await self._stored(id)
            except KensakuError:
                raise error from None
        return _as_json(self._document(id, found))

    async def _page(self, url: str) -> Page:
        done = await self.client.extract([url], timeout=SECONDS, progress=self.progress)
        if done.failed:
            raise done.failed[0].error
        page = done.results[0]
        if not page.text.strip():
            raise Unparsable("; ".join(page.notes) or "it has no text")
        return page

    async def _stored(self, id: str) -> Document:
        document = await self.client.index.get(id)
        if document is None:
            raise Unparsable(
                msg("the index holds no document with this id"),
                remedy=msg("use an id that search returned, or a URL with http:// or https://"),
            )
        return document

    def _document(self, id: str, found: Page | Document) -> dict[str, Any]:
        whole = getattr(found, "markdown", "") or found.text
        text, origin = fit(whole, self.max_tokens), "web" if hasattr(found, "markdown") else "local"
        metadata = {"source": origin, "published": found.published, "language": found.language}
        metadata["note"] = getattr(found, "copy_note", "")
        if len(text) < len(whole):
            metadata["cut"] = f"{len(text)} of {len(whole)} characters"
        return {
            "id": id,
            "title": _title(found.title or found.url),
            "text": self.fence_web_text(text, origin),
            "url": found.url,
            "metadata": {n: _title(v) for n, v in metadata.items() if v},
        }


def _as_json(output: dict[str, Any]) -> ToolResult:
    return ToolResult(True, output, json.dumps(output, ensure_ascii=False))


def _title(text: str) -> str:
    """Return what others wrote as one short line that a model cannot take for a marker or role."""
    return cut(escape_markers(flatten(text)), TITLE_CHARS)
