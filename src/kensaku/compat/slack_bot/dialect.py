"""The Japanese Markdown of a Slack bot built on strands-agents (S0-24, S0-30 … S0-36)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.compat._notes import japanese_note_lines
from kensaku.models import Outcome
from kensaku.text.clean import cut
from kensaku.text.escape import escape_bold, escape_text, escape_url, flatten, line_starts

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Response

NO_QUERY = "検索クエリを入力してください"
NOBODY = "検索できませんでした"
NOTHING = "検索結果が見つかりませんでした"
_OWN = line_starts(r"\d{1,9}[.)]\s+\*\*", r"(?:URL|注)\s*[:：]")


def write(response: Response, *, max_content_length: int = 500) -> str:
    """Answer and results; at most `max_content_length` characters of each content, 0 for all."""
    if response.outcome is Outcome.UNAVAILABLE:
        return NOBODY
    notes = japanese_note_lines(response.notes)
    if response.outcome is Outcome.EMPTY:
        return "\n\n".join([NOTHING, *notes])
    parts = [f'## 検索結果: "{flatten(response.query.text)}"']
    if response.answer:
        parts.append(f"### 回答\n{escape_text(response.answer, _OWN)}")
    items = []
    for n, hit in enumerate(response.hits, 1):
        content = cut(hit.content, max_content_length) if max_content_length > 0 else hit.content
        content, url = escape_text(content, _OWN, inline=True), escape_url(hit.url)
        items.append(f"{n}. **{escape_bold(hit.title)}**\n   URL: {url}\n   {content}")
    if items:
        parts.append("### 結果\n" + "\n\n".join(items))
    return "\n\n".join([*parts, *notes])


def write_error(error: KensakuError, *, query: str | None = None) -> str:
    """What the tool says instead of raising."""
    return NO_QUERY if query is not None and not query.strip() else NOBODY
