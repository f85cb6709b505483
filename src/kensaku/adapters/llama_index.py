"""LlamaIndex: `FunctionAgent(tools=kensaku.tools_for("llama-index"), …)`.

`ToolOutput.content` is the text for the model, `raw_output` the same facts as data. It works by
`call` and by `acall`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from llama_index.core.tools.types import (  # type: ignore[import-not-found, unused-ignore]
        AsyncBaseTool,
        ToolMetadata,
        ToolOutput,
    )
except ImportError:
    raise MissingExtra("llama-index", "llama-index") from None

from kensaku.adapters._pydantic_args import arguments_model

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool, ToolResult

__all__ = ["KensakuTool", "wrap"]


class KensakuTool(AsyncBaseTool):  # type: ignore[misc, unused-ignore]
    """A tool for agents and for `predict_and_call`."""

    def __init__(self, tool: BaseTool) -> None:
        self.tool = tool
        self._metadata = ToolMetadata(
            name=tool.name, description=tool.description, fn_schema=arguments_model(tool)
        )

    @property
    def metadata(self) -> ToolMetadata:
        """Name, description and schema for the model."""
        return self._metadata

    def call(self, *args: Any, **arguments: Any) -> ToolOutput:
        """Run the tool without await; works inside a running loop, too."""
        sent = _arguments(args, arguments)
        return self._output(sent, self.tool.invoke_sync(sent))

    async def acall(self, *args: Any, **arguments: Any) -> ToolOutput:
        """Run the tool."""
        sent = _arguments(args, arguments)
        return self._output(sent, await self.tool.invoke(sent))

    def _output(self, sent: Any, result: ToolResult) -> ToolOutput:
        return ToolOutput(
            tool_name=self.tool.name,
            content=result.text,
            raw_input=sent if isinstance(sent, dict) else {"input": sent},
            raw_output=result.to_dict(),
            is_error=result.is_error,
        )


def wrap(tool: BaseTool) -> KensakuTool:
    """Return the tool for a LlamaIndex agent."""
    return KensakuTool(tool)


def _arguments(args: tuple[Any, ...], arguments: dict[str, Any]) -> Any:
    """Return the arguments; LlamaIndex may also pass them as one object."""
    return args[0] if args and not arguments else arguments
