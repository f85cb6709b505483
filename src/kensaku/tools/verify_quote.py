"""`verify_quote`: check that the cited page contains a quote."""

from __future__ import annotations

from typing import Any

from kensaku.tools.base import BaseTool, Param, ToolResult


class VerifyQuoteTool(BaseTool):
    """Look for a quote in a page."""

    name = "verify_quote"
    title = {"en": "Check a quote", "ja": "引用の確認"}
    about = {
        "en": "Check whether a quote really stands in a page. Use it before quoting.",
        "ja": "引用文が本当にそのページにあるか確かめる。引用する前に使う。",
    }
    params = (
        Param(
            "quote",
            "string",
            {"en": "The words to look for.", "ja": "確かめる文"},
            required=True,
            minimum=1,
            maximum=2_000,
        ),
        Param(
            "url",
            "string",
            {"en": "The page that is cited.", "ja": "引用元の URL"},
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
