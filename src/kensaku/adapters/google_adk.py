"""Google ADK: `Agent(tools=kensaku.tools_for("google-adk"))`.

The model reads the text; the same facts as data are in the session's state during the run,
under `temp:web_search` and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from google.adk.tools.base_tool import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
        BaseTool as AdkTool,
    )
    from google.genai import types
except ImportError:
    raise MissingExtra("google-adk", "google-adk") from None

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool

__all__ = ["KensakuTool", "wrap"]


class KensakuTool(AdkTool):  # type: ignore[misc, unused-ignore]
    """A tool with a JSON schema; ADK itself reads schemas from signatures."""

    def __init__(self, tool: BaseTool) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self.tool = tool

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.tool.name,
            description=self.tool.description,
            parameters_json_schema=self.tool.parameters,
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> dict[str, str]:
        """Run the tool. A failure is a result, too: an exception would end the run."""
        result = await self.tool.invoke(args)
        tool_context.state[f"temp:{self.tool.name}"] = result.to_dict()
        return {"error" if result.is_error else "output": result.text}


def wrap(tool: BaseTool) -> KensakuTool:
    """Return the tool for an ADK agent."""
    return KensakuTool(tool)
