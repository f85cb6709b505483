"""smolagents: `ToolCallingAgent(tools=kensaku.tools_for("smolagents"), model=…)`; `CodeAgent`, too.

smolagents does not await: the search runs on a loop in a thread of its own. smolagents checks the
types of arguments itself; the tool checks bounds and choices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from smolagents import Tool  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    raise MissingExtra("smolagents", "smolagents") from None

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool

__all__ = ["KensakuTool", "wrap"]


class KensakuTool(Tool):  # type: ignore[misc, unused-ignore]
    """A tool that returns the text for the model."""

    output_type = "string"
    skip_forward_signature_validation = True  # the arguments are in `inputs`
    # The base class requires them on the class.
    name, description = "kensaku", ""
    inputs: dict[str, Any] = {}

    def __init__(self, tool: BaseTool) -> None:
        self.tool = tool
        self.name, self.description = tool.name, tool.description
        required = tool.parameters["required"]
        self.inputs = {
            name: about if name in required else {**about, "nullable": True}
            for name, about in tool.parameters["properties"].items()
        }
        super().__init__()

    def forward(self, *args: Any, **arguments: Any) -> str:
        """Run the tool; code that a model wrote may pass arguments by position."""
        positional = dict(zip(self.inputs, args, strict=False))
        return self.tool.invoke_sync({**positional, **arguments}).text


def wrap(tool: BaseTool) -> KensakuTool:
    """Return the tool for a smolagents agent."""
    return KensakuTool(tool)
