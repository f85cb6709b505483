"""The three Tavily tools for Pydantic AI: functions of a `RunContext`, and the mixin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.compat.tavily_tools.errors import TavilyAPIError, TavilyErrorType
from kensaku.compat.tavily_tools.mixin import TavilyToolsRepositoryMixin
from kensaku.compat.tavily_tools.tools import (
    TavilyContext,
    TavilyExtract,
    TavilySearch,
    TavilySearchDeps,
    TavilyTool,
    log_verbose_tool_done,
    log_verbose_tool_start,
)
from kensaku.errors import MissingExtra

try:
    from pydantic_ai import FunctionToolset, RunContext, Tool
except ImportError:
    raise MissingExtra("pydantic-ai", "pydantic-ai") from None

if TYPE_CHECKING:
    from pydantic_ai import Agent

__all__ = [
    "TavilyAPIError",
    "TavilyErrorType",
    "TavilySearchDeps",
    "TavilyToolsRepositoryMixin",
    "log_verbose_tool_done",
    "log_verbose_tool_start",
    "tavily_context",
    "tavily_extract",
    "tavily_search",
]


async def tavily_search(
    ctx: RunContext[TavilySearchDeps],
    query: str,
    search_depth: str = "basic",
    max_results: int = 5,
) -> str:
    """Web検索を実行する。

    Args:
        ctx: 実行コンテキスト（依存性注入）
        query: 検索クエリ（必須、空文字禁止、最大1000文字）
        search_depth: 検索詳細度 ("basic" または "advanced")
        max_results: 結果数 (1-20、デフォルト: 5)

    Returns:
        検索結果をフォーマットした文字列、またはエラーメッセージ
    """
    arguments = {"query": query, "search_depth": search_depth, "max_results": max_results}
    return await _run(TavilySearch, ctx, arguments)


async def tavily_extract(ctx: RunContext[TavilySearchDeps], urls: list[str]) -> str:
    """URL群からコンテンツを抽出する。

    Args:
        ctx: 実行コンテキスト（依存性注入）
        urls: 抽出対象URL群（必須、空リスト禁止、各URLはhttp/https必須）

    Returns:
        抽出結果をフォーマットした文字列、またはエラーメッセージ
    """
    return await _run(TavilyExtract, ctx, {"urls": urls})


async def tavily_context(
    ctx: RunContext[TavilySearchDeps], query: str, max_tokens: int | None = None
) -> str:
    """RAG用検索コンテキストを取得する。

    Args:
        ctx: 実行コンテキスト（依存性注入）
        query: 検索クエリ（必須、空文字禁止、最大1000文字）
        max_tokens: 最大トークン数（省略時はAPI側デフォルト）

    Returns:
        RAG用に最適化されたコンテキスト文字列、またはエラーメッセージ
    """
    return await _run(TavilyContext, ctx, {"query": query, "max_tokens": max_tokens})


FUNCTIONS = (tavily_search, tavily_extract, tavily_context)


async def _run(
    kind: type[TavilyTool], ctx: RunContext[TavilySearchDeps], arguments: dict[str, Any]
) -> str:
    return (await kind(ctx.deps).invoke(arguments)).text


def as_tool(kind: type[TavilyTool]) -> Tool[TavilySearchDeps]:
    """Return the tool with the specification's own schema; we check the arguments."""

    async def run(ctx: RunContext[TavilySearchDeps], **arguments: Any) -> str:
        return await _run(kind, ctx, arguments)

    plain = kind()
    tool = Tool.from_schema(run, plain.name, plain.description, plain.parameters, takes_ctx=True)
    tool.strict = False  # or the framework adds to the schema for some models
    return tool


_TOOLSET_ID = "tavily"


def register(agent: Agent[TavilySearchDeps, Any], tools: list[Tool[TavilySearchDeps]]) -> None:
    """Add the tools to an agent, unless it has them."""
    if any(present.id == _TOOLSET_ID for present in agent.toolsets):
        return
    toolset = FunctionToolset(tools, id=_TOOLSET_ID)

    @agent.toolset(id=_TOOLSET_ID)
    def registered(ctx: RunContext[TavilySearchDeps]) -> FunctionToolset[TavilySearchDeps]:
        return toolset
