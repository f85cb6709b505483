"""Few tokens, for small models: three lines a result, no blank lines, no markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.dialects._strings import local_only, next_step, reason, reasons, strings_for
from kensaku.models import Outcome
from kensaku.text.clean import cut
from kensaku.text.escape import escape_block, escape_line, escape_url, flatten

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Response

_EMPTY = {"en": "Nothing found.", "ja": "該当なし。"}
_UNAVAILABLE = {
    "en": "Could not search (which is not an empty result). {why}. {next}",
    "ja": "検索不能（結果がないという意味ではない）。{why}。{next}",
}
_SEMICOLON = {"en": "; ", "ja": "；"}


def write(response: Response, *, language: str = "en", max_content_length: int = 240) -> str:
    """Write `[n]` and title, URL and content of each hit; a model cites by the numbers."""
    strings = strings_for(language)
    if response.outcome is Outcome.UNAVAILABLE:
        why = _SEMICOLON[language].join(reasons(response, language))
        step = next_step(response, language)
        return _UNAVAILABLE[language].format(
            why=why or strings.configure.rstrip(".。"), next=step[:1].upper() + step[1:]
        )
    if response.outcome is Outcome.EMPTY:
        return _EMPTY[language]
    lines = []
    if response.answer:
        answer = "\n".join(filter(None, escape_block(response.answer).split("\n")))
        lines.append(f"{strings.answer}{strings.colon}{answer}")
    for n, hit in enumerate(response.hits, 1):
        day = f" ({flatten(hit.published)[:10]})" if hit.published else ""
        content = escape_line(hit.content)
        if max_content_length > 0:
            content = cut(content, max_content_length)
        lines += [f"[{n}] {flatten(hit.title)}{day}", escape_url(hit.url), content]
    if local_only(response):
        lines.append(f"{strings.note}{strings.colon}{strings.local_only}")
    return "\n".join(filter(None, lines))


def write_error(error: KensakuError, *, query: str | None = None, language: str = "en") -> str:
    """Write the error as one sentence."""
    strings_for(language)
    return reason(error, language)
