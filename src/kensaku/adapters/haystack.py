"""Haystack: `Agent(chat_generator=…, tools=kensaku.tools_for("haystack"))`.

A call gives `text`, which the model reads, and `data`, the same facts. To keep the data in the
agent's state: `tool.outputs_to_state = {"search": {"source": "data"}}`. It works by `run` and by
`run_async`, and in a pipeline that is written to YAML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from haystack.tools import Tool  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    raise MissingExtra("haystack", "haystack") from None

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool, ToolResult

__all__ = ["KensakuTool", "wrap"]


class KensakuTool(Tool):  # type: ignore[misc, unused-ignore]
    """A tool that can be written down: by its name, and made anew from it."""

    def __init__(self, tool: BaseTool) -> None:
        def run(**arguments: Any) -> dict[str, Any]:
            return _to_output(tool.invoke_sync(arguments))

        async def arun(**arguments: Any) -> dict[str, Any]:
            return _to_output(await tool.invoke(arguments))

        self.tool = tool
        super().__init__(
            name=tool.name,
            description=tool.description,
            parameters=tool.parameters,
            function=run,
            async_function=arun,
            outputs_to_string={"source": "text"},
        )

    def to_dict(self) -> dict[str, Any]:
        """What a pipeline's file says of it."""
        data = {
            "name": self.tool.name,
            "language": self.tool.language,
            "fence": self.tool.fence,
            "outputs_to_state": self.outputs_to_state,
        }
        return {"type": f"{KensakuTool.__module__}.{KensakuTool.__name__}", "data": data}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> KensakuTool:
        """The tool that such a file names."""
        from kensaku.tools.registry import make_tool

        said = dict(data["data"])
        state = said.pop("outputs_to_state", None)
        made = cls(make_tool(said.pop("name"), **said))
        made.outputs_to_state = state
        return made


def wrap(tool: BaseTool) -> KensakuTool:
    """The tool for a Haystack agent or `ToolInvoker`."""
    return KensakuTool(tool)


def _to_output(result: ToolResult) -> dict[str, Any]:
    return {"text": result.text, "data": result.to_dict()}
