"""A registry whose tools run without `await`, for an executor that knows no event loop."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from kensaku.tools.base import ToolResult
from kensaku.tools.registry import ToolOptions, ToolRegistry

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.tools.base import BaseTool, ToolResult

# What the executor calls an argument, and what the tool calls it.
_RENAMED = {"num_results": "max_results"}


class GraceTool:
    """One tool. `execute` takes keywords and leaves out those that the tool does not know."""

    def __init__(self, tool: BaseTool) -> None:
        self._tool = tool
        self.name = tool.name
        self.description = tool.description

    def execute(self, **arguments: Any) -> ToolResult:
        """Run the tool and wait for its result. A failure is a result, never an exception."""
        known = {p.name for p in self._tool.params}
        renamed = {_RENAMED.get(name, name): value for name, value in arguments.items()}
        return self._tool.invoke_sync({n: v for n, v in renamed.items() if n in known})


class GraceToolRegistry:
    """The enabled tools by name, as the executor asks for them."""

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = {tool.name: GraceTool(tool) for tool in tools}

    def get(self, name: str) -> GraceTool | None:
        """Return the tool of that name, or None when it is not enabled."""
        return self._tools.get(name)

    def list_tools(self) -> list[str]:
        """Return the names of the enabled tools."""
        return list(self._tools)

    def execute(self, name: str, **arguments: Any) -> ToolResult:
        """Run the tool of that name."""
        if (tool := self.get(name)) is None:
            message = f"Unknown tool: {name}"
            return ToolResult(False, text=message, error=message, error_kind="arguments")
        return tool.execute(**arguments)


def create_tool_registry(
    config: str | Path | Mapping[str, Any] | None = None,
    *,
    client: Kensaku | None = None,
    **options: Unpack[ToolOptions],
) -> GraceToolRegistry:
    """Make the tools that a `grace_config.yml` enables, with its models and collections."""
    return GraceToolRegistry(ToolRegistry(config, client=client, language="ja", **options))
