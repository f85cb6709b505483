"""Claude Agent SDK: `ClaudeAgentOptions(mcp_servers={"kensaku": server()})`.

Tools run in this process, behind an MCP server that the SDK connects to its command line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

from kensaku.errors import MissingExtra
from kensaku.tools.registry import DEFAULT, ToolOptions, make_tools

try:
    from claude_agent_sdk import SdkMcpTool, ToolAnnotations, create_sdk_mcp_server
except ImportError:
    raise MissingExtra("claude-agent-sdk", "claude") from None

if TYPE_CHECKING:
    from claude_agent_sdk import McpSdkServerConfig

    from kensaku.client import Kensaku
    from kensaku.tools.base import BaseTool, Language

__all__ = ["allowed_tools", "server", "wrap"]


def wrap(tool: BaseTool) -> SdkMcpTool[Any]:
    """Return the tool for `create_sdk_mcp_server`; a failure is a result with `is_error`."""

    async def run(arguments: dict[str, Any]) -> dict[str, Any]:
        result = await tool.invoke(arguments)
        content = [{"type": "text", "text": result.text}]
        return {"content": content, "is_error": result.is_error}

    hints = ToolAnnotations(readOnlyHint=tool.read_only, openWorldHint=tool.open_world)
    return SdkMcpTool(tool.name, tool.description, tool.parameters, run, hints)


def server(
    names: str | Iterable[str] = DEFAULT,
    *,
    name: str = "kensaku",
    client: Kensaku | None = None,
    language: Language = "en",
    **options: Unpack[ToolOptions],
) -> McpSdkServerConfig:
    """Return one server of those tools, for `ClaudeAgentOptions(mcp_servers={name: …})`."""
    tools = make_tools(names, client, language=language, **options)
    return create_sdk_mcp_server(name, tools=[wrap(tool) for tool in tools])


def allowed_tools(names: str | Iterable[str] = DEFAULT, *, name: str = "kensaku") -> list[str]:
    """Return the names that the model sees, for `ClaudeAgentOptions(allowed_tools=…)`."""
    names = [names] if isinstance(names, str) else names
    return [f"mcp__{name}__{n}" for n in names]
