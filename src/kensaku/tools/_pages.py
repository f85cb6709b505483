"""What `web_extract` and `web_crawl` share: pages as a result within a token budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kensaku.answers.tokenizer import count
from kensaku.text.clean import cut
from kensaku.tools._failures import describe_failed_pages
from kensaku.tools.base import BaseTool, Language, ToolResult

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.errors import KensakuError
    from kensaku.models import Page

SHOWN_FAILURES = 20  # failed addresses that the model reads of; the data has them all


class PagesTool(BaseTool):
    """A tool that returns pages. `max_tokens` limits their total text."""

    def __init__(
        self,
        client: Kensaku | None = None,
        *,
        language: Language = "en",
        fence: bool = True,
        max_tokens: int = 8_000,
    ) -> None:
        super().__init__(client, language=language, fence=fence)
        self.max_tokens = max_tokens

    def pages_result(
        self,
        pages: Sequence[Page],
        failed: Sequence[tuple[str, KensakuError]],
        *,
        shown_failures: int = SHOWN_FAILURES,
        **data: Any,
    ) -> ToolResult:
        """Return the pages as data, after `data`, and as text for the model."""
        return ToolResult(
            success=bool(pages),
            output={
                **data,
                "results": [p.to_dict() for p in pages],
                "failed": [{"url": url, "error": str(error)} for url, error in failed],
            },
            text=self._text(pages, failed[:shown_failures]),
            confidence_factors={"pages": len(pages), "failed": len(failed)},
            error=None if pages else "no page could be had",
            error_kind=None if pages else "tool",
        )

    def _text(self, pages: Sequence[Page], failures: Sequence[tuple[str, KensakuError]]) -> str:
        """Give each page an equal share of the tokens, and list what could not be fetched."""
        share = self.max_tokens // max(1, len(pages))
        parts = [
            f"# {p.title or p.url}\n{p.url}\n\n{fit(p.markdown or p.text, share)}" for p in pages
        ]
        text = self.fence_web_text("\n\n".join(parts))
        failures_text = describe_failed_pages(failures, self.fence_web_text, self.language)
        return "\n".join(filter(None, [text, failures_text]))


def fit(text: str, tokens: int) -> str:
    """Cut the text until it has at most that many tokens, or 60 characters."""
    while count(text) > tokens and len(text) > 60:
        text = cut(text, max(60, int(len(text) * min(0.9, tokens / count(text)))))
    return text
