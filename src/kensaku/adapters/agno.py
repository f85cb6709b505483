"""Agno: `Agent(model=…, tools=kensaku.tools_for("agno"))`.

The model reads `ToolResult.content`; the same facts as data are its `metadata`. One tool serves
`run` and `arun`: Agno refuses coroutines in `run`, and in `arun` puts plain functions on a thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from agno.tools.function import (  # type: ignore[import-not-found, unused-ignore]
        Function,
        ToolResult,
    )
except ImportError:
    raise MissingExtra("agno", "agno") from None

from kensaku.tools.base import Approval

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool

__all__ = ["wrap"]


def wrap(tool: BaseTool) -> Function:
    """Return the tool for an Agno agent or team."""

    def run(**arguments: Any) -> ToolResult:
        result = tool.invoke_sync(arguments)
        return ToolResult(content=result.text, metadata={"structured_content": result.to_dict()})

    return Function(
        name=tool.name,
        description=tool.description,
        parameters=tool.parameters,
        entrypoint=run,
        skip_entrypoint_processing=True,  # else Agno derives the schema from the signature
        requires_confirmation=tool.approval is Approval.REQUIRES_APPROVAL or None,
        annotations={"readOnlyHint": tool.read_only, "openWorldHint": tool.open_world},
        has_side_effects=not tool.read_only,
    )
