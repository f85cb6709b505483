"""The Japanese Markdown of three Tavily tools: search, extract, context, and their errors
(S1-08 … S1-10, S1-23 … S1-27, S1-34, S1-41).

An upstream that gives no score gets `スコア: なし`: a number would be invented, and without the
line the content would stand in its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kensaku.dialects._strings import reason, reasons
from kensaku.errors import (
    BadQuery,
    Cooling,
    DoesNotFit,
    KensakuError,
    KeyRefused,
    NotConfigured,
    Outage,
    QuotaExhausted,
    RateLimited,
    Timeout,
    UsageError,
)
from kensaku.models import Outcome
from kensaku.text.escape import escape_block, escape_line, escape_page, escape_url, flatten

if TYPE_CHECKING:
    from kensaku.models import Page, Response

NOTHING = "検索結果が見つかりませんでした。"
NO_PAGE = "すべてのURLからコンテンツを抽出できませんでした。"
_OURS = ("### URL:", "## 失敗したURL", "## コンテンツ抽出結果")

# The first row that the error is an instance of holds.
_TYPES: tuple[tuple[tuple[type[KensakuError], ...], str], ...] = (
    ((KeyRefused, NotConfigured), "AUTH_ERROR"),
    ((RateLimited, QuotaExhausted, Cooling), "RATE_LIMIT_ERROR"),
    ((UsageError, BadQuery, DoesNotFit), "VALIDATION_ERROR"),
    ((Timeout,), "TIMEOUT_ERROR"),
    ((Outage,), "NETWORK_ERROR"),
)


def write(response: Response) -> str:
    """The results with their scores; the answer when there is nothing else."""
    if response.outcome is Outcome.UNAVAILABLE:
        return _unavailable_text(response)
    lines = [f"## 検索結果: {flatten(response.query.text)}", ""]
    if response.outcome is Outcome.EMPTY:
        return "\n".join([*lines, NOTHING])
    if response.answer and not response.hits:
        return "\n".join([*lines, escape_block(response.answer)])
    for n, hit in enumerate(response.hits, 1):
        score = "なし" if hit.score is None else f"{hit.score:.2f}"
        lines += [f"### {n}. {flatten(hit.title)}", f"URL: {escape_url(hit.url)}"]
        lines += [f"スコア: {score}", escape_line(hit.content), ""]
    return "\n".join(lines)


def extracted(results: Iterable[Page], failed: Iterable[tuple[str, KensakuError | str]]) -> str:
    """What `tavily_extract` returns: the pages, then the addresses that failed."""
    sections = [
        f"### URL: {escape_url(p.url)}\n{escape_page(p.markdown or p.text, _OURS)}" for p in results
    ]
    lost = [f"- {escape_url(url)}: {_why(error)}" for url, error in failed]
    failures = "\n".join(["## 失敗したURL", *lost])
    if not sections:
        return "\n\n".join(["## コンテンツ抽出結果", NO_PAGE, *([failures] if lost else [])])
    body = "\n\n---\n\n".join([*sections, *([failures] if lost else [])])
    return f"## コンテンツ抽出結果\n\n{body}"


def context(query: str, text: str) -> str:
    """What `tavily_context` returns. `text` is packed and fenced already."""
    return f"## RAG用検索コンテキスト: {flatten(query)}\n\n{text}"


def write_error(error: KensakuError, *, query: str | None = None) -> str:
    """What the tools return instead of raising: two lines."""
    said = flatten(str(error)) if isinstance(error, UsageError) else reason(error, "ja")
    return failure(said, error_type(error))


def failure(message: str, kind: str) -> str:
    """The two lines of an error."""
    return f"Tavily API エラー: {flatten(message)}\nエラータイプ: {kind}"


def error_type(error: KensakuError) -> str:
    """The word for an error: AUTH_ERROR, RATE_LIMIT_ERROR, VALIDATION_ERROR, …"""
    return next((word for kinds, word in _TYPES if isinstance(error, kinds)), "API_ERROR")


def _unavailable_text(response: Response) -> str:
    """Tavily's own trouble names the type, or the first one's on a route without Tavily."""
    errors = {a.provider: a.error for a in reversed(response.attempts) if a.error}
    told = errors.get("tavily") or next(reversed(errors.values()), None)
    if told is None:
        return failure("検索先が設定されていません", "AUTH_ERROR")
    return failure(" / ".join(reasons(response, "ja")), error_type(told))


def _why(error: KensakuError | str) -> str:
    return flatten(str(error))
