"""OpenAI Agents SDK: `Agent(name="…", tools=kensaku.tools_for("openai-agents"))`.

The model reads the text; the same facts as data are the output item's `custom_data`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from kensaku.errors import MissingExtra

try:
    from agents import FunctionTool
except ImportError:
    raise MissingExtra("openai-agents", "openai-agents") from None

from kensaku.tools.base import Approval

if TYPE_CHECKING:
    from agents.tool import FunctionToolCustomDataContext
    from agents.tool_context import ToolContext

    from kensaku.tools.base import BaseTool

__all__ = ["wrap"]

# Output items have data of ours since openai-agents 0.18.
HAS_DATA = "custom_data_extractor" in FunctionTool.__dataclass_fields__


def wrap(tool: BaseTool) -> FunctionTool:
    """Return the tool for the Agents SDK. It raises nothing: an exception would end the run."""
    results: WeakKeyDictionary[ToolContext[Any], dict[str, Any]] = WeakKeyDictionary()

    async def call(context: ToolContext[Any], arguments: str) -> str:
        result = await tool.invoke(arguments)
        if HAS_DATA:
            results[context] = result.to_dict()
        return result.text

    def data(context: FunctionToolCustomDataContext) -> dict[str, Any] | None:
        return results.pop(context.tool_context, None)

    options: dict[str, Any] = {"custom_data_extractor": data} if HAS_DATA else {}
    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=call,
        strict_json_schema=False,  # strict makes every argument required and drops the defaults
        needs_approval=tool.approval is Approval.REQUIRES_APPROVAL,
        **options,
    )
