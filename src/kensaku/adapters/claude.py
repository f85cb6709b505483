"""Claude Agent SDK: `ClaudeAgentOptions(mcp_servers={"kensaku": server()})`.

Tools run in this process, behind an MCP server that the SDK connects to its command line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra
from kensaku.tools.registry import DEFAULT, make_tool

try:
    from claude_agent_sdk import SdkMcpTool, ToolAnnotations, create_sdk_mcp_server
except ImportError:
    raise MissingExtra("claude-agent-sdk", "claude") from None

if TYPE_CHECKING:
    from claude_agent_sdk import McpSdkServerConfig

    from kensaku.client import Kensaku
    from kensaku.tools.base import BaseTool

__all__ = ["allowed", "server", "wrap"]


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
