"""Pydantic AI: `Agent(toolsets=[toolset()])`, or `WebSearch(local=wrap(tool))`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra
from kensaku.tools.registry import DEFAULT, make_tool

try:
    from pydantic_ai import FunctionToolset, ModelRetry, RunContext, Tool, ToolReturn
    from pydantic_ai.exceptions import ToolFailed
except ImportError:
    raise MissingExtra("pydantic-ai", "pydantic-ai") from None

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.tools.base import BaseTool

__all__ = ["toolset", "wrap"]


def wrap(tool: BaseTool) -> Tool[Any]:
    """The tool for an `Agent`: text for the model, data as the return part's metadata.

    Wrong arguments ask the model to try again, as long as that does not end the run; every other
    failure is told as one, and does not use up the retries.
    """

    async def run(ctx: RunContext[Any], **arguments: Any) -> ToolReturn:
        result = await tool.invoke(arguments)
        if result.success:
            return ToolReturn(result.text, metadata=result.output)
        if result.error_kind == "arguments" and not ctx.last_attempt:
            raise ModelRetry(result.text)
        raise ToolFailed(result.text)

    return Tool.from_schema(run, tool.name, tool.description, tool.parameters, takes_ctx=True)


def toolset(
    names: Iterable[str] = DEFAULT,
    *,
    client: Kensaku | None = None,
    language: str = "en",
    **options: Any,
) -> FunctionToolset[Any]:
    """The tools of those names as one toolset."""
    made = [make_tool(name, client, language=language, **options) for name in names]
    return FunctionToolset([wrap(tool) for tool in made])
