"""`verify_quote`: check that the cited page contains a quote."""

from __future__ import annotations

from typing import Any

from kensaku.messages import msg
from kensaku.tools.base import BaseTool, Param, ToolResult


class VerifyQuoteTool(BaseTool):
    """Look for a quote in a page."""

    name = "verify_quote"
    title = msg("Check a quote")
    about = msg("Check whether a quote really stands in a page. Use it before quoting.")
    params = (
        Param(
            "quote",
            "string",
            msg("The words to look for."),
            required=True,
            minimum=1,
            maximum=2_000,
        ),
        Param(
            "url",
            "string",
            msg("The page that is cited."),
            required=True,
            minimum=1,
            maximum=2_000,
        ),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        verdict = await self.client.verify(arguments["quote"], arguments["url"])
        where = (
            f"found, characters {verdict.start} to {verdict.end}" if verdict.found else "not found"
        )
        return ToolResult(
            True, output=verdict.to_dict(), text=where, confidence_factors={"found": verdict.found}
        )
