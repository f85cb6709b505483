"""Our tools for the OpenAI Agents SDK; and the `web_search` tool of a terminal assistant.

    agent = Agent(name="…", tools=[wrap(tool)])          or kensaku.tools_for("openai-agents")
    agent = Agent(name="…", tools=tools_for_mode(others, deps=Deps()))

The model reads the text; the same facts as data are the output item's `custom_data`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from kensaku.errors import MissingExtra

try:
    from agents import FunctionTool, WebSearchTool
except ImportError:
    raise MissingExtra("openai-agents", "openai-agents") from None

from kensaku.adapters import term
from kensaku.adapters.term import *  # noqa: F403 - the document's names are importable from here
from kensaku.tools.base import Approval

if TYPE_CHECKING:
    from agents import Tool
    from agents.tool import FunctionToolCustomDataContext
    from agents.tool_context import ToolContext

    from kensaku.tools.base import BaseTool

__all__ = [*term.__all__, "tools_for_mode", "wrap"]


def wrap(tool: BaseTool) -> FunctionTool:
    """The tool for the Agents SDK. An exception would end the run, so none gets there."""
    done: WeakKeyDictionary[ToolContext[Any], dict[str, Any]] = WeakKeyDictionary()

    async def call(context: ToolContext[Any], arguments: str) -> str:
        result = await tool.invoke(arguments)
        done[context] = result.to_dict()
        return result.text

    def data(context: FunctionToolCustomDataContext) -> dict[str, Any] | None:
        return done.pop(context.tool_context, None)

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=call,
        strict_json_schema=False,  # strict makes every argument required and drops the defaults
        needs_approval=tool.approval is Approval.REQUIRES_APPROVAL,
        custom_data_extractor=data,
    )


def tools_for_mode(
    tools: Iterable[Tool] = (), *, deps: term.Deps, lite: bool = False, **options: Any
) -> list[Tool]:
    """An agent's tools with our `web_search`; in lite mode without it.

    Where ours is in, the hosted search is left out: two search tools confuse the model.
    """
    if lite:
        return list(tools)
    ours = term.create_web_search_tool_definition(deps, **options)
    others = [
        t for t in tools if not isinstance(t, WebSearchTool) and getattr(t, "name", "") != ours.name
    ]
    return [*others, wrap(ours.tool)]
