"""The mixin that gives a class the three Tavily tools (S1-45, S1-46). It needs no framework."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.compat.tavily_tools.tools import TAVILY_TOOLS, TavilySearchDeps, TavilyTool

if TYPE_CHECKING:
    from pydantic_ai import Agent, Tool


class TavilyToolsRepositoryMixin:
    """Give a class the three Tavily tools, for a new agent or an existing one."""

    def make_tavily_tools(self, deps: TavilySearchDeps | None = None) -> list[TavilyTool]:
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
