"""The three tools by entry point, in Japanese, and fenced only when asked to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kensaku.compat.tavily_tools.tools import TAVILY_TOOLS, TavilySearchDeps

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.compat.tavily_tools.tools import TavilyTool


def _maker(kind: type[TavilyTool]) -> Callable[..., TavilyTool]:
    def make(
        client: Kensaku | None = None, *, language: str = "ja", fence: bool = False
    ) -> TavilyTool:
        return kind(TavilySearchDeps(settings=client.settings if client else None, fence=fence))

    return make


tavily_search, tavily_extract, tavily_context = map(_maker, TAVILY_TOOLS)
