"""The tools, each described once: every adapter takes name, description and schema from here.

registry = ToolRegistry(enabled=["web_search", "ask_user"])
result = await registry.get("web_search").invoke({"query": "…"})
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from kensaku._lazy import attach

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.tools.ask_user import AskUserTool as AskUserTool
    from kensaku.tools.base import Approval as Approval
    from kensaku.tools.base import BaseTool as BaseTool
    from kensaku.tools.base import Param as Param
    from kensaku.tools.base import ToolResult as ToolResult
    from kensaku.tools.connector import FetchTool as FetchTool
    from kensaku.tools.connector import SearchTool as SearchTool
    from kensaku.tools.rag_search import RAGSearchTool as RAGSearchTool
    from kensaku.tools.reasoning import ReasoningTool as ReasoningTool
    from kensaku.tools.registry import ToolRegistry as ToolRegistry
    from kensaku.tools.verify_quote import VerifyQuoteTool as VerifyQuoteTool
    from kensaku.tools.web_context import WebContextTool as WebContextTool
    from kensaku.tools.web_crawl import WebCrawlTool as WebCrawlTool
    from kensaku.tools.web_extract import WebExtractTool as WebExtractTool
    from kensaku.tools.web_map import WebMapTool as WebMapTool
    from kensaku.tools.web_search import WebSearchTool as WebSearchTool

__getattr__, __dir__, __all__ = attach(
    __name__,
    ask_user=["AskUserTool"],
    base=["Approval", "BaseTool", "Param", "ToolResult"],
    connector=["FetchTool", "SearchTool"],
    rag_search=["RAGSearchTool"],
    reasoning=["ReasoningTool"],
    registry=["ToolRegistry"],
    verify_quote=["VerifyQuoteTool"],
    web_context=["WebContextTool"],
    web_crawl=["WebCrawlTool"],
    web_extract=["WebExtractTool"],
    web_map=["WebMapTool"],
    web_search=["WebSearchTool"],
)
__all__ += ["shared_client"]


@cache
def shared_client() -> Kensaku:
    """Return the client that all tools of this process share unless they have their own.

    It works in every event loop: one connection pool, one cache, one set of limits.
    """
    from kensaku.client import Kensaku

    return Kensaku()
