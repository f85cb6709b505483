"""The mixin that gives a class the three Tavily tools (S1-45, S1-46). It needs no framework."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from kensaku.compat.tavily_tools import dialect
from kensaku.compat.tavily_tools.host import extract_text, search_text
from kensaku.compat.tavily_tools.tools import TAVILY_TOOLS, TavilySearchDeps, TavilyTool
from kensaku.compat.tavily_tools.urls import MAX_URLS, first_urls

if TYPE_CHECKING:
    from pydantic_ai import Agent, Tool


class TavilyToolsRepositoryMixin:
    """Give a class the three Tavily tools, for a new agent or an existing one."""

    MAX_EXTRACT_URLS = MAX_URLS

    def make_tavily_tools(self, deps: Any = None) -> list[TavilyTool]:
        """Return the tools with their dependencies, for the adapter of any framework."""
        return [kind(deps) for kind in TAVILY_TOOLS]

    @property
    def tavily_tools(self) -> list[Tool[TavilySearchDeps]]:
        """For Pydantic AI: `Agent(tools=…, deps_type=TavilySearchDeps)`."""
        from kensaku.compat.tavily_tools.pydantic_ai import as_tool

        return [as_tool(kind) for kind in TAVILY_TOOLS]

    def register_tavily_tools(self, agent: Agent[TavilySearchDeps, Any]) -> None:
        """Add them to an agent of Pydantic AI. A second call changes nothing."""
        from kensaku.compat.tavily_tools.pydantic_ai import register

        register(agent, self.tavily_tools)

    def _register_tavily_tools(self) -> list[Callable[..., Any]]:
        """Add them to the agent that a host's class gives, and return the functions.

        The name is the specification's: its agents call it, and have `_get_agent`.
        """
        from kensaku.compat.tavily_tools.pydantic_ai import FUNCTIONS

        agent: Agent[TavilySearchDeps, Any] = self._get_agent()  # type: ignore[attr-defined]
        return [agent.tool(function) for function in FUNCTIONS]

    def validate_extract_urls(self, urls: Iterable[str]) -> list[str]:
        """Return the URLs without duplicates, at most 20; more are left out with a warning.

        Raises `TavilyAPIError` for no URL at all.
        """
        return first_urls(urls)

    def format_search_result(self, result: Any) -> str:
        """Write what a Tavily client returned for a search."""
        return search_text(result)

    def format_extract_result(self, result: Any) -> str:
        """Write what a Tavily client returned for an extraction."""
        return extract_text(result)

    def format_context_result(self, query: str, context: str) -> str:
        """Write the context that a Tavily client returned."""
        return dialect.context(query, dialect.plain_context(context))

    def format_error_message(self, error: Any) -> str:
        """Write an error that has `message` and `error_type`: two lines."""
        return dialect.failure(str(error.message), str(error.error_type))
