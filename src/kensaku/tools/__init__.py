"""The tools, written once: every adapter takes its words from here.

registry = ToolRegistry(enabled=["web_search", "ask_user"])
result = await registry.get("web_search").invoke({"query": "…"})
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.tools.base import Approval as Approval
    from kensaku.tools.base import BaseTool as BaseTool
    from kensaku.tools.base import Param as Param
    from kensaku.tools.base import ToolResult as ToolResult
    from kensaku.tools.knowledge import RAGSearchTool as RAGSearchTool
    from kensaku.tools.knowledge import VerifyQuoteTool as VerifyQuoteTool
    from kensaku.tools.knowledge import WebContextTool as WebContextTool
    from kensaku.tools.pages import WebCrawlTool as WebCrawlTool
    from kensaku.tools.pages import WebExtractTool as WebExtractTool
    from kensaku.tools.pages import WebMapTool as WebMapTool
    from kensaku.tools.registry import ToolRegistry as ToolRegistry
    from kensaku.tools.thinking import AskUserTool as AskUserTool
    from kensaku.tools.thinking import ReasoningTool as ReasoningTool
    from kensaku.tools.web_search import WebSearchTool as WebSearchTool

_HOME = {
    "Approval": "base",
    "BaseTool": "base",
    "Param": "base",
    "ToolResult": "base",
    "WebSearchTool": "web_search",
    "WebExtractTool": "pages",
    "WebCrawlTool": "pages",
    "WebMapTool": "pages",
    "WebContextTool": "knowledge",
    "RAGSearchTool": "knowledge",
    "VerifyQuoteTool": "knowledge",
    "ReasoningTool": "thinking",
    "AskUserTool": "thinking",
    "ToolRegistry": "registry",
}

__all__ = ["shared_client", *sorted(_HOME)]


@cache
def shared_client() -> Kensaku:
    """The client that all tools of this process share unless they are given one: one pool, one
    cache, one set of limits. It works in every event loop."""
    from kensaku.client import Kensaku

    return Kensaku()


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'kensaku.tools' has no attribute {name!r}")
    return getattr(import_module(f"kensaku.tools.{_HOME[name]}"), name)
