"""Pydantic AI: `Agent(toolsets=[toolset()])`, or `WebSearch(local=wrap(tool))`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

from kensaku.errors import MissingExtra
from kensaku.tools.registry import DEFAULT, ToolOptions, make_tools

try:
    from pydantic_ai import FunctionToolset, ModelRetry, RunContext, Tool, ToolReturn, exceptions
except ImportError:
    raise MissingExtra("pydantic-ai", "pydantic-ai") from None

# pydantic-ai 1 has no failed tools: there a failure is a return whose text says so.
ToolFailed: type[Exception] | None = getattr(exceptions, "ToolFailed", None)

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.tools.base import BaseTool, Language

__all__ = ["toolset", "wrap"]


def wrap(tool: BaseTool) -> Tool[Any]:
    """Return the tool for an `Agent`: text for the model, data as the return part's metadata.

    Wrong arguments ask the model to try again, as long as that does not end the run. Any other
    failure is reported as a failed tool, which does not use up the retries.
    """

    async def run(ctx: RunContext[Any], **arguments: Any) -> ToolReturn:
        result = await tool.invoke(arguments)
        if result.error_kind == "arguments" and not ctx.last_attempt:
            raise ModelRetry(result.text)
        if result.is_error and ToolFailed:
            raise ToolFailed(result.text)
        return ToolReturn(result.text, metadata=result.output)

    return Tool.from_schema(run, tool.name, tool.description, tool.parameters, takes_ctx=True)


def toolset(
    names: str | Iterable[str] = DEFAULT,
    *,
    client: Kensaku | None = None,
    language: Language = "en",
    **options: Unpack[ToolOptions],
) -> FunctionToolset[Any]:
    """Return the tools of those names as one toolset."""
    tools = make_tools(names, client, language=language, **options)
    return FunctionToolset([wrap(tool) for tool in tools])
