"""Microsoft Agent Framework: `Agent(client, tools=kensaku.tools_for("agent-framework"))`.

The framework's own check of a JSON schema answers "Argument parsing failed", which no model can
learn from; so the adapter passes every argument, and the tool checks it. (Before 1.22 the framework
still refuses wrong types, unknown choices and missing arguments itself.) The data of a result is in
the function result's `additional_properties["kensaku"]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from agent_framework import (  # type: ignore[import-not-found, unused-ignore]
        Content,
        FunctionTool,
    )
except ImportError:
    raise MissingExtra("agent-framework", "agent-framework") from None

from kensaku.adapters._pydantic_args import arguments_model
from kensaku.tools.base import Approval

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool, ToolResult

__all__ = ["wrap"]


def wrap(tool: BaseTool) -> FunctionTool:
    """Return the tool for an agent."""

    async def run(**arguments: Any) -> ToolResult:
        return await tool.invoke(arguments)

    needs_approval = tool.approval is Approval.REQUIRES_APPROVAL
    return FunctionTool(
        name=tool.name,
        description=tool.description,
        func=run,
        input_model=arguments_model(tool),
        approval_mode="always_require" if needs_approval else "never_require",
        result_parser=_contents,
    )


def _contents(result: ToolResult) -> list[Content]:
    data = {"kensaku": result.to_dict()}
    return [Content.from_text(result.text, additional_properties=data)]
