"""strands-agents: `Agent(tools=kensaku.tools_for("strands"))`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from strands.tools.tools import PythonAgentTool
except ImportError:
    raise MissingExtra("strands", "strands") from None

if TYPE_CHECKING:
    from strands.types.tools import ToolResult, ToolSpec, ToolUse

    from kensaku.tools.base import BaseTool

__all__ = ["wrap"]


def wrap(tool: BaseTool) -> PythonAgentTool:
    """Return the tool for a strands `Agent`; a failure is a result with the status `error`."""

    async def run(tool_use: ToolUse, **state: Any) -> ToolResult:
        result = await tool.invoke(tool_use["input"])
        return {
            "toolUseId": tool_use["toolUseId"],
            "status": "error" if result.is_error else "success",
            "content": [{"text": result.text}],
        }

    spec: ToolSpec = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": {"json": tool.parameters},
    }
    return PythonAgentTool(tool.name, spec, run)
