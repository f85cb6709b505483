"""AutoGen: `AssistantAgent("…", client, tools=kensaku.tools_for("autogen"))`.

`run_json` returns kensaku's `ToolResult`, with the data in it; the model reads its text.
Cancelling the token cancels the search.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from autogen_core import CancellationToken  # type: ignore[import-not-found, unused-ignore]
    from autogen_core.tools import (  # type: ignore[import-not-found, unused-ignore]
        BaseTool as AutogenTool,
    )
except ImportError:
    raise MissingExtra("autogen", "autogen") from None

from kensaku.adapters._pydantic_args import arguments_model
from kensaku.tools.base import ToolResult

if TYPE_CHECKING:
    from pydantic import BaseModel

    from kensaku.tools.base import BaseTool

__all__ = ["KensakuTool", "wrap"]


class KensakuTool(AutogenTool):  # type: ignore[misc, type-arg, unused-ignore]
    """A tool for agents and workbenches."""

    def __init__(self, tool: BaseTool) -> None:
        super().__init__(arguments_model(tool), ToolResult, tool.name, tool.description)
        self.tool = tool

    async def run(self, args: BaseModel, cancellation_token: CancellationToken) -> ToolResult:
        """Run the tool until it is done or cancelled."""
        work = asyncio.ensure_future(self.tool.invoke(args.model_dump()))
        cancellation_token.link_future(work)
        return await work

    def return_value_as_string(self, value: Any) -> str:
        """Return the text for the model."""
        return value.text if isinstance(value, ToolResult) else str(value)


def wrap(tool: BaseTool) -> KensakuTool:
    """Return the tool for an AutoGen agent."""
    return KensakuTool(tool)
