"""`web_context`: numbered passages to cite, within a token budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.models import Outcome
from kensaku.tools._failures import (
    WEB_FAILED,
    answered_by,
    describe_attempts,
    origin_of,
    quote_attempts,
)
from kensaku.tools._params import QUERY
from kensaku.tools.base import BaseTool, Param, ToolResult

if TYPE_CHECKING:
    from kensaku.answers.context import Context


class WebContextTool(BaseTool):
    """Search and pack the best passages into a token budget."""

    name = "web_context"
    title = msg("Context for an answer")
    about = msg(
        "Search the web and get the best passages, numbered [1], [2], …, within a number of "
        "tokens. Cite them by their numbers."
    )
    params = (
        QUERY,
        Param(
            "max_tokens",
            "integer",
            msg("How many tokens of text at most."),
            default=2_000,
            minimum=1,
            maximum=20_000,
        ),
        Param(
            "cursor",
            "string",
            msg("The cursor of an earlier result, for more."),
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
            text="\n".join([head, *self._parts(context)]),
            confidence_factors={"citations": len(context.citations), "tokens": context.tokens},
            error=None if searched else "nobody could search",
            error_kind=None if searched else "tool",
        )

    def _parts(self, context: Context) -> list[str]:
        """List failed web providers if none answered; then the passages."""
        origin, parts = origin_of(answered_by(context.attempts)), []
        failed = describe_attempts(context.attempts, self.language)
        if failed and (origin == "local" or context.outcome is Outcome.UNAVAILABLE):
            parts = [translator(self.language)(WEB_FAILED)] if context.text else []
            parts += [*failed, self.fence_web_text(quote_attempts(context.attempts), "failures")]
        return [part for part in (*parts, self.fence_web_text(context.text, origin)) if part]
