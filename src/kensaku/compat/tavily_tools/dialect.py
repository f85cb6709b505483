"""The Japanese Markdown of three Tavily tools: search, extract, context, and their errors
(S1-08 … S1-10, S1-23 … S1-27, S1-34, S1-41).

An upstream that gives no score gets `スコア: なし`: a number would be invented, and without the
line the content would stand in its place. Notes stand at the end, one a line, after `注：`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kensaku.compat._notes import japanese_note_lines
from kensaku.compat.tavily_tools.messages import error_type, message
from kensaku.models import Outcome
from kensaku.text.escape import escape_page, escape_text, escape_url, flatten, line_starts

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Hit, Page, Response

NOTHING = "検索結果が見つかりませんでした。"
NO_PAGE = "すべてのURLからコンテンツを抽出できませんでした。"
_OWN = line_starts("(?:URL|スコア|注)\\s*[:：]")
_CONTEXT = "## RAG用検索コンテキスト"
_OURS = ("### URL:", "## 失敗したURL", "## コンテンツ抽出結果")


def write(response: Response) -> str:
    """The results with their scores; the answer when there is nothing else."""
    if response.outcome is Outcome.UNAVAILABLE:
        return _unavailable_text(response)
    return found(response.query.text, response.hits, response.answer, response.notes)


def found(
    query: str, hits: Sequence[Hit], answer: str | None = None, notes: Iterable[str] = ()
) -> str:
    """What `tavily_search` returns; without hits, the answer or that there are none."""
    lines = [f"## 検索結果: {flatten(query)}", ""]
    notes = japanese_note_lines(notes)
    if not hits:
        body = escape_text(answer, _OWN) if answer else NOTHING
        return "\n".join([*lines, body, *_below(notes)])
    for n, hit in enumerate(hits, 1):
        score = "なし" if hit.score is None else f"{hit.score:.2f}"
        lines += [f"### {n}. {flatten(hit.title)}", f"URL: {escape_url(hit.url)}"]
        lines += [f"スコア: {score}", escape_text(hit.content, _OWN), ""]
    return "\n".join([*lines, *notes])


def extracted(
    results: Iterable[Page],
    failed: Iterable[tuple[str, KensakuError | str]],
    notes: Iterable[str] = (),
) -> str:
    """What `tavily_extract` returns: the pages, then the addresses that failed, then the notes."""
    sections = [
        f"### URL: {escape_url(p.url)}\n{escape_page(p.markdown or p.text, _OURS)}" for p in results
    ]
    lost = [f"- {escape_url(url)}: {_why(error)}" for url, error in failed]
    ends = ["\n".join(["## 失敗したURL", *lost])] if lost else []
    if lines := japanese_note_lines(notes):
        ends.append("\n".join(lines))
    if not sections:
        return "\n\n".join(["## コンテンツ抽出結果", NO_PAGE, *ends])
    body = "\n\n---\n\n".join([*sections, *ends])
    return f"## コンテンツ抽出結果\n\n{body}"


def context(query: str, text: str, notes: Iterable[str] = ()) -> str:
    """What `tavily_context` returns. `text` is packed and fenced already."""
    header = f"{_CONTEXT}: {flatten(query)}"
    return "\n\n".join([header, text, *japanese_note_lines(notes)])


def plain_context(text: str) -> str:
    """A context that a host's own client has put together."""
    return escape_page(text, (_CONTEXT,))


def write_error(error: KensakuError, *, query: str | None = None) -> str:
    """What the tools return instead of raising: two lines."""
    return failure(message(error), error_type(error))


def failure(text: str, kind: str) -> str:
    """The two lines of an error."""
    return f"Tavily API エラー: {flatten(text)}\nエラータイプ: {kind}"


def _unavailable_text(response: Response) -> str:
    """Tavily's own trouble names the type, or the first one's on a route without Tavily."""
    errors = [(a.provider, a.error) for a in response.attempts if a.error]
    if not errors:
        return failure("検索先が設定されていません", "AUTH_ERROR")
    first = dict(reversed(errors))
    reported = first.get("tavily") or errors[0][1]
    reasons = dict.fromkeys(f"{provider}：{message(error)}" for provider, error in errors)
    return failure(" / ".join(reasons), error_type(reported))


def _below(notes: list[str]) -> list[str]:
    return ["", *notes] if notes else []


def _why(error: KensakuError | str) -> str:
    return flatten(error if isinstance(error, str) else message(error))
