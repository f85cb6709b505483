"""Haystack: `Agent(chat_generator=…, tools=kensaku.tools_for("haystack"))`.

A call gives `text`, which the model reads, and `data`, the same facts. To keep the data in the
agent's state: `tool.outputs_to_state = {"search": {"source": "data"}}`. It works by `run` and by
`run_async`, and in a pipeline that is saved as YAML.
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
    """A tool that a pipeline can serialise by its name."""

    def __init__(self, tool: BaseTool) -> None:
        def run(**arguments: Any) -> dict[str, Any]:
            return _output(tool.invoke_sync(arguments))

        async def arun(**arguments: Any) -> dict[str, Any]:
            return _output(await tool.invoke(arguments))

        self.tool = tool
        # Haystack 2 knows plain functions only, and runs them in a thread for `run_async`.
        both = "async_function" in Tool.__dataclass_fields__
        super().__init__(
            name=tool.name,
            description=tool.description,
            parameters=tool.parameters,
            function=run,
            outputs_to_string={"source": "text"},
            **({"async_function": arun} if both else {}),
        )

    def to_dict(self) -> dict[str, Any]:
        """Serialise the tool for a pipeline's file."""
        data = {
            "name": self.tool.name,
            "language": self.tool.language,
            "fence": self.tool.fence,
            "outputs_to_state": self.outputs_to_state,
        }
        return {"type": f"{KensakuTool.__module__}.{KensakuTool.__name__}", "data": data}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> KensakuTool:
        """Construct the tool that such a file names."""
        from kensaku.tools.registry import make_tool

        options = dict(data["data"])
        state = options.pop("outputs_to_state", None)
        tool = cls(make_tool(options.pop("name"), **options))
        tool.outputs_to_state = state
        return tool


def wrap(tool: BaseTool) -> KensakuTool:
    """Return the tool for a Haystack agent or `ToolInvoker`."""
    return KensakuTool(tool)


def _output(result: ToolResult) -> dict[str, Any]:
    return {"text": result.text, "data": result.to_dict()}
