"""What `web_extract` and `web_crawl` share: pages as a result within a token budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kensaku.answers.reading import Portion, portion_of, read_on
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
        portions: Sequence[Portion] | None = None,
        shown_failures: int = SHOWN_FAILURES,
        **data: Any,
    ) -> ToolResult:
        """Return the pages as data, after `data`, and as text for the model.

        `portions` are what to show of each page; without them, each page from its beginning.
        """
        shown = self.portions(pages) if portions is None else portions
        return ToolResult(
            success=bool(pages),
            output={
                **data,
                "results": [p.to_dict() for p in pages],
                "failed": [{"url": url, "error": str(error)} for url, error in failed],
            },
            text=self._text(pages, shown, failed[:shown_failures]),
            confidence_factors={"pages": len(pages), "failed": len(failed)},
            error=None if pages else "no page could be had",
            error_kind=None if pages else "tool",
        )

    def portions(
        self,
        pages: Sequence[Page],
        *,
        query: str | None = None,
        offset: int = 0,
        max_tokens: int | None = None,
    ) -> list[Portion]:
        """Give each page an equal share of the tokens: of those asked for, up to the tool's."""
        tokens = min(max_tokens or self.max_tokens, self.max_tokens) // max(1, len(pages))
        return [portion_of(p, query=query, offset=offset, max_tokens=tokens) for p in pages]

    def _text(
        self,
        pages: Sequence[Page],
        portions: Sequence[Portion],
        failures: Sequence[tuple[str, KensakuError]],
    ) -> str:
        """Show the portions, and list what could not be fetched."""
        parts = [
            f"# {p.title or p.url}\n{p.url}\n\n{_shown(portion)}"
            for p, portion in zip(pages, portions, strict=True)
        ]
        text = self.fence_web_text("\n\n".join(parts))
        failures_text = describe_failed_pages(failures, self.fence_web_text, self.language)
        return "\n".join(filter(None, [text, failures_text]))


def fit(text: str, tokens: int) -> str:
    """Return the beginning of a text, with "…" where it was cut."""
    return _shown(read_on(text, 0, tokens))


def _shown(portion: Portion) -> str:
    return portion.text if portion.next_offset is None else portion.text.rstrip() + "…"
