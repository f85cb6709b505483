"""The agent of the specification: Claude Code with the three Tavily tools beside its own (S1-42 …).

The tools are served as `mcp__pydantic_tools__tavily_search` and so on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from kensaku.adapters.claude import allowed_tools, wrap
from kensaku.compat.tavily_tools.errors import TavilyAPIError
from kensaku.compat.tavily_tools.mixin import TavilyToolsRepositoryMixin
from kensaku.compat.tavily_tools.tools import TavilySearchDeps
from kensaku.errors import KensakuError, MissingExtra

try:
    from claude_agent_sdk import (
        ClaudeAgentOptions,
        McpSdkServerConfig,
        ResultMessage,
        create_sdk_mcp_server,
        query,
    )
except ImportError:
    raise MissingExtra("claude-agent-sdk", "claude") from None

__all__ = [
    "ClaudeCodeTavilySearchAgent",
    "TavilyAPIError",
    "TavilySearchDeps",
    "TavilyToolsRepositoryMixin",
]


class ClaudeCodeTavilySearchAgent(TavilyToolsRepositoryMixin):
    """Claude Code with the three Tavily tools beside its own: `await agent.run("…")` → its answer.

    `options` are those of the SDK; what makes the tools available is added to them. Without
    `options`, no settings files are read: those of a cloned repository may run commands.
    `ClaudeAgentOptions(tools=[])` leaves the three tools alone.
    """

    server_name = "pydantic_tools"

    def __init__(self, deps: Any = None, options: ClaudeAgentOptions | None = None) -> None:
        self.tools = [wrap(tool) for tool in self.make_tavily_tools(deps)]
        made = create_sdk_mcp_server(self.server_name, tools=self.tools)
        # Beside many tools, Claude Code would show a server's tools only after a search for them.
        self.server = cast(McpSdkServerConfig, {**made, "alwaysLoad": True})
        self.tool_names = allowed_tools((tool.name for tool in self.tools), name=self.server_name)
        self.options = self._with_tools(options or ClaudeAgentOptions(setting_sources=[]))

    def _with_tools(self, options: ClaudeAgentOptions) -> ClaudeAgentOptions:
        others = options.mcp_servers if isinstance(options.mcp_servers, dict) else {}
        return replace(
            options,
            mcp_servers={**others, self.server_name: self.server},
            allowed_tools=[*options.allowed_tools, *self.tool_names],
        )

    async def run(self, prompt: str) -> str:
        """Return the agent's answer. Raises `KensakuError` when the SDK's run fails."""
        answer = None
        async for message in query(prompt=prompt, options=self.options):
            if isinstance(message, ResultMessage):
                answer = message
        if answer is None or answer.is_error:
            reason = (answer and answer.result) or "it ended without an answer"
            raise KensakuError(f"the Claude Agent SDK did not finish: {reason}")
        return answer.result or ""
