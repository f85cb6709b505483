"""Run the calls of a model's reply, for the adapters that answer them themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kensaku.errors import UnknownName
from kensaku.tools.base import ToolResult

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool


async def run_calls(calls: list[tuple[str, Any]], tools: Iterable[BaseTool]) -> list[ToolResult]:
    """Run all calls (name, arguments) concurrently and return their results in order.

    A call of a tool that does not exist gets a result, too: the model can correct itself.
    """
    by_name = {tool.name: tool for tool in tools}
    return await asyncio.gather(*(_run(by_name, name, arguments) for name, arguments in calls))


async def _run(by_name: dict[str, BaseTool], name: str, arguments: Any) -> ToolResult:
    if (tool := by_name.get(name)) is not None:
        return await tool.invoke(arguments)
    error = UnknownName("tool", name, by_name)
    return ToolResult(False, text=f"Error: {error}", error=str(error), error_kind="arguments")
