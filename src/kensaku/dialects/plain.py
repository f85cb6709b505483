"""Plain text for people and models, in English or Japanese. The command line paints this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.dialects._strings import next_step, reason, reasons, remarks, searchers, words
from kensaku.models import Outcome
from kensaku.text.clean import cut
from kensaku.text.escape import address, block, inline, within

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Hit, Response


class Style:
    """How the parts look. This one leaves them as they are; a terminal has its own."""

    def head(self, text: str) -> str:
        """The first line."""
        return text

    def title(self, text: str, url: str) -> str:
        """A title, and where it leads."""
        return text

    def url(self, text: str) -> str:
        """An address."""
        return text

    def faint(self, text: str) -> str:
        """What is only said by the way."""
        return text


def write(
    response: Response,
    *,
    language: str = "en",
    max_content_length: int = 500,
    style: Style | None = None,
) -> str:
    """A numbered list; `max_content_length` characters of each content, 0 for all."""
    say, style = words(language), style or Style()
    query = within(response.query.text)
    if response.outcome is Outcome.UNAVAILABLE:
        why = [f"- {line}" for line in reasons(response, language)]
        step = f"{say.next}{say.colon}{next_step(response, language)}"
        return "\n".join([style.head(say.nobody.format(query=query)), *why, step])
    if response.outcome is Outcome.EMPTY:
        lines = [style.head(say.nothing.format(query=query))]
        if names := searchers(response):
            lines.append(say.searched.format(names=say.comma.join(names)))
        lines.append(say.rephrase)
    else:
        parts = [style.head(say.results.format(n=len(response.hits), query=query))]
        if response.answer:
            parts.append(f"{say.answer}{say.colon}{block(response.answer)}")
        for n, hit in enumerate(response.hits, 1):
            parts.append(_item(n, hit, max_content_length, style))
        lines = ["\n\n".join(parts)]
        if remarks(response, language):
            lines.append("")
    lines += [style.faint(f"{say.note}{say.colon}{note}") for note in remarks(response, language)]
    return "\n".join(lines)


def error(error: KensakuError, *, query: str | None = None, language: str = "en") -> str:
    """One sentence."""
    words(language)
    return reason(error, language)


def _item(n: int, hit: Hit, limit: int, style: Style) -> str:
    url = address(hit.url)
    by_the_way = " · ".join(within(t) for t in (hit.published, hit.provider) if t)
    content = inline(hit.content)
    lines = [
        style.url(url),
        style.faint(by_the_way) if by_the_way else "",
        cut(content, limit) if limit > 0 else content,
    ]
    return "\n".join(
        [f"{n}. {style.title(within(hit.title), url)}", *(f"   {line}" for line in lines if line)]
    )
