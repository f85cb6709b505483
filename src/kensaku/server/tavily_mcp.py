"""The tools of Tavily's own MCP server, by their names, over the wire: same arguments, our core.

arguments → the wire reads them → perform → text, fenced
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from kensaku.errors import InvalidQuery
from kensaku.messages import msg
from kensaku.server.perform import perform
from kensaku.server.wires import tavily
from kensaku.server.wires._tavily_research import PARAMETERS as RESEARCH
from kensaku.server.wires._tavily_research import read_research
from kensaku.server.wires._tavily_schema import CRAWL, EXTRACT, MAP, SEARCH
from kensaku.server.wires.base import Asked, Found, Listed, Read
from kensaku.tools.base import BaseTool, ToolResult, _object

PAGE_CHARS = 20_000  # of one page
ALL_CHARS = 100_000  # of a reply


class TavilyTool(BaseTool):
    """A tool that takes what an endpoint of Tavily takes. Unknown arguments are ignored."""

    schema: ClassVar[Mapping[str, Any]]
    needs: ClassVar[str]

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return {"type": "object", "properties": dict(self.schema), "required": [self.needs]}

    def check(self, raw: Mapping[str, Any] | str | None) -> dict[str, Any]:
        """Return the arguments. The wire checks them."""
        sent = dict(_object(raw))
        if not sent.get(self.needs):
            raise InvalidQuery(msg("{name} needs {needs}", name=self.name, needs=self.needs))
        return sent

    def _result(self, output: Any, lines: list[str], found: bool) -> ToolResult:
        text = self.fence_web_text("\n".join(lines)[:ALL_CHARS]) if lines else "Nothing was found."
        return ToolResult(found, output, text, error_kind=None if found else "empty")


class TavilySearchTool(TavilyTool):
    """Search."""

    name = "tavily_search"
    title = msg("Search the web")
    about = (
        "Search the web for current information on any topic: news, facts, documentation. "
        "Returns titles, addresses and the passages that matter."
    )
    schema, needs = SEARCH, "query"

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        """Search, and list the hits."""
        found: Found = await perform(self.client, tavily.read_search(Asked(arguments)))
        lines = [f"Answer: {found.answer}\n"] if found.answer else []
        for hit in found.hits:
            lines += [f"Title: {hit.title}", f"URL: {hit.url}", f"Content: {hit.content}"]
            if hit.raw_content:
                lines.append(f"Raw Content: {hit.raw_content[:PAGE_CHARS]}")
            lines.append("")
        output = {"results": [hit.to_dict() for hit in found.hits], "answer": found.answer}
        return self._result(output, lines, bool(found.hits))


class TavilyExtractTool(TavilyTool):
    """Read pages."""

    name = "tavily_extract"
    title = msg("Read pages")
    about = "Read web pages by their URLs and return their content as Markdown or text."
    schema, needs = EXTRACT, "urls"

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        """Read the pages."""
        return _pages(self, await perform(self.client, tavily.read_extract(Asked(arguments))))


class TavilyCrawlTool(TavilyTool):
    """Read a site."""

    name = "tavily_crawl"
    title = msg("Crawl a site")
    about = "Read the pages of a site from a URL on, and return their content."
    schema, needs = CRAWL, "url"

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        """Crawl."""
        return _pages(self, await perform(self.client, tavily.read_crawl(Asked(arguments))))


class TavilyMapTool(TavilyTool):
    """List a site."""

    name = "tavily_map"
    title = msg("Map a site")
    about = "List the URLs of a site, from a URL on, without their content."
    schema, needs = MAP, "url"

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        """List the addresses."""
        listed: Listed = await perform(self.client, tavily.read_map(Asked(arguments)))
        urls = list(listed.urls)
        return self._result({"base_url": listed.base_url, "results": urls}, urls, bool(urls))


class TavilyResearchTool(TavilyTool):
    """Write a report."""

    name = "tavily_research"
    title = msg("Research")
    about = (
        "Research a question thoroughly: plans, searches, reads pages and returns a report "
        "that cites its sources. Takes longer than a search."
    )
    schema = {n: v for n, v in RESEARCH.items() if n not in ("stream", "files")}
    needs = "input"

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        """Research."""
        call = read_research(Asked({**arguments, "stream": False}))
        report = await self.client.research(call.input, **call.options)
        text = str(report.content or "")
        if str(report.outcome) == "unavailable":
            why = "; ".join(report.notes) or "no provider could search"
            return ToolResult(False, text=f"Error: {why}", error=why, error_kind="tool")
        sources = [f"[{s.n}] {s.title} {s.url}" for s in report.sources]
        lines = [text, "", *sources] if text else []
        cited = [{"title": s.title, "url": s.url} for s in report.sources]
        output = {"content": text, "sources": cited}
        return self._result(output, lines, str(report.outcome) == "found")


def _pages(tool: TavilyTool, read: Read) -> ToolResult:
    lines: list[str] = []
    for page, content in read.pages:
        lines += [f"Title: {page.title}", f"URL: {page.url}", content[:PAGE_CHARS], ""]
    lines += [f"Failed: {url}: {why}" for url, why in read.failed]
    output = {
        "results": [{"url": p.url, "title": p.title, "raw_content": c} for p, c in read.pages],
        "failed_results": [{"url": url, "error": why} for url, why in read.failed],
    }
    return tool._result(output, lines, bool(read.pages))


TOOLS = (
    TavilySearchTool,
    TavilyExtractTool,
    TavilyCrawlTool,
    TavilyMapTool,
    TavilyResearchTool,
)
