"""`web_context`: numbered passages to cite, within a token budget."""

from __future__ import annotations

from typing import Any

from kensaku.models import Outcome
from kensaku.tools._params import QUERY
from kensaku.tools.base import BaseTool, Param, ToolResult


class WebContextTool(BaseTool):
    """Search and pack the best passages into a token budget."""

    name = "web_context"
    title = {"en": "Context for an answer", "ja": "回答のための文脈"}
    about = {
        "en": "Search the web and get the best passages, numbered [1], [2], …, within a number of "
        "tokens. Cite them by their numbers.",
        "ja": "ウェブを検索し、最も関係の深い一節を [1]、[2] … の番号付きで、指定した"
        "トークン数以内で返す。番号で引用すること。",
    }
    params = (
        QUERY,
        Param(
            "max_tokens",
            "integer",
            {"en": "How many tokens of text at most.", "ja": "トークン数の上限"},
            default=2_000,
            minimum=1,
            maximum=20_000,
        ),
        Param(
            "cursor",
            "string",
            {"en": "The cursor of an earlier result, for more.", "ja": "続きを得るためのカーソル"},
            maximum=200,
        ),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        context = await self.client.context(**arguments)
        searched = context.outcome is not Outcome.UNAVAILABLE
        more = f" · more with cursor {context.cursor}" if context.cursor else ""
        head = f"outcome: {context.outcome} · tokens: {context.tokens}{more}"
        return ToolResult(
            success=searched,
            output=context.to_dict(),
            text=f"{head}\n{self.fence_web_text(context.text)}".rstrip(),
            confidence_factors={"citations": len(context.citations), "tokens": context.tokens},
            error=None if searched else "nobody could search",
            error_kind=None if searched else "tool",
        )
