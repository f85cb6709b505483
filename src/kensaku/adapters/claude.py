"""Claude Agent SDK: `ClaudeAgentOptions(mcp_servers={"kensaku": server()})`, and a specification's
agent, whose three Tavily tools are served as `mcp__pydantic_tools__tavily_…` (S1-42 … S1-44).

Tools run in this process, behind an MCP server that the SDK connects to its command line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kensaku.adapters.tavily_tools import TAVILY_TOOLS, TavilyAPIError, TavilySearchDeps
from kensaku.errors import KensakuError, MissingExtra
from kensaku.tools.registry import DEFAULT, make_tool

try:
    from claude_agent_sdk import (
        ClaudeAgentOptions,
        ResultMessage,
        SdkMcpTool,
        ToolAnnotations,
        create_sdk_mcp_server,
        query,
    )
except ImportError:
    raise MissingExtra("claude-agent-sdk", "claude") from None

if TYPE_CHECKING:
    from claude_agent_sdk import McpSdkServerConfig

    from kensaku.client import Kensaku
    from kensaku.tools.base import BaseTool

__all__ = [
    "ClaudeCodeTavilySearchAgent",
    "TavilyAPIError",
    "TavilySearchDeps",
    "allowed",
    "server",
    "wrap",
]


def wrap(tool: BaseTool) -> SdkMcpTool[Any]:
    """The tool for `create_sdk_mcp_server`; a failure is a result with `is_error`."""

    async def run(arguments: dict[str, Any]) -> dict[str, Any]:
        result = await tool.invoke(arguments)
        content = [{"type": "text", "text": result.text}]
        return {"content": content, "is_error": not result.success}

    hints = ToolAnnotations(readOnlyHint=tool.read_only, openWorldHint=tool.open_world)
    return SdkMcpTool(tool.name, tool.description, tool.parameters, run, hints)


def server(
    names: Iterable[str] = DEFAULT,
    *,
    name: str = "kensaku",
    client: Kensaku | None = None,
    language: str = "en",
    **options: Any,
) -> McpSdkServerConfig:
    """The tools of those names as one server, for `ClaudeAgentOptions(mcp_servers={name: …})`."""
    made = [make_tool(n, client, language=language, **options) for n in names]
    return create_sdk_mcp_server(name, tools=[wrap(tool) for tool in made])


def allowed(names: Iterable[str] = DEFAULT, *, name: str = "kensaku") -> list[str]:
    """What the model calls them, for `ClaudeAgentOptions(allowed_tools=…)`."""
    return [f"mcp__{name}__{n}" for n in names]


class ClaudeCodeTavilySearchAgent:
    """An agent with the three Tavily tools and no other: `await agent.run("…")` → its answer.

    `options` are those of the SDK; what makes the tools available is added to them.
    """

    server_name = "pydantic_tools"

    def __init__(
        self, deps: TavilySearchDeps | None = None, options: ClaudeAgentOptions | None = None
    ) -> None:
        self.tools = [wrap(kind(deps)) for kind in TAVILY_TOOLS]
        self.server = create_sdk_mcp_server(self.server_name, tools=self.tools)
        self.tool_names = allowed((tool.name for tool in self.tools), name=self.server_name)
        self.options = self._with_tools(options or ClaudeAgentOptions(tools=[], setting_sources=[]))

    def _with_tools(self, given: ClaudeAgentOptions) -> ClaudeAgentOptions:
        others = given.mcp_servers if isinstance(given.mcp_servers, dict) else {}
        return replace(
            given,
            mcp_servers={**others, self.server_name: self.server},
            allowed_tools=[*given.allowed_tools, *self.tool_names],
        )

    async def run(self, prompt: str) -> str:
        """The agent's answer. Raises `KensakuError` when the SDK's run fails."""
        answer = None
        async for message in query(prompt=prompt, options=self.options):
            if isinstance(message, ResultMessage):
                answer = message
        if answer is None or answer.is_error:
            said = (answer and answer.result) or "it ended without an answer"
            raise KensakuError(f"the Claude Agent SDK did not finish: {said}")
        return answer.result or ""
