"""As few tokens as will do, for small models: three lines a result, no blank lines, no ornament."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.dialects._strings import next_step, reason, reasons, words
from kensaku.models import Outcome
from kensaku.text.clean import cut
from kensaku.text.escape import address, block, inline, within

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Response

_SHORT = {
    "en": ("Nothing found.", "Could not search (which is not an empty result). {why}. {next}"),
    "ja": ("該当なし。", "検索不能（結果がないという意味ではない）。{why}。{next}"),
}


def write(response: Response, *, language: str = "en", max_content_length: int = 240) -> str:
    """`[1]` and a title, the address, the content; the numbers are for citing."""
    say, (nothing, nobody) = words(language), _SHORT[language]
    if response.outcome is Outcome.UNAVAILABLE:
        gap = {"en": "; ", "ja": "；"}[language]
        why = gap.join(reasons(response, language)) or say.configure.rstrip(".。")
        return nobody.format(why=why, next=_capital(next_step(response, language)))
    if response.outcome is Outcome.EMPTY:
        return nothing
    lines = []
    if response.answer:
        answer = "\n".join(filter(None, block(response.answer).split("\n")))
        lines.append(f"{say.answer}{say.colon}{answer}")
    for n, hit in enumerate(response.hits, 1):
        day = f" ({within(hit.published)[:10]})" if hit.published else ""
        content = inline(hit.content)
        if max_content_length > 0:
            content = cut(content, max_content_length)
        lines += [f"[{n}] {within(hit.title)}{day}", address(hit.url), content]
    if response.hits and all(h.provider == "local" for h in response.hits):
        lines.append(f"{say.note}{say.colon}{say.local}")
    return "\n".join(filter(None, lines))


def error(error: KensakuError, *, query: str | None = None, language: str = "en") -> str:
    """One sentence."""
    words(language)
    return reason(error, language)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
