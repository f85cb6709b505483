"""Markdown for a page or a chat window, in English or Japanese."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kensaku.dialects._strings import next_step, reason, reasons, remarks, searchers, words
from kensaku.models import Outcome
from kensaku.text.clean import cut
from kensaku.text.escape import address, block, inline, link, within

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Hit, Response


def write(response: Response, *, language: str = "en", max_content_length: int = 500) -> str:
    """A heading for each result; `max_content_length` characters of each content, 0 for all."""
    say, query = words(language), within(response.query.text)
    notes = [f"*{say.note}{say.colon}{_calm(note)}*" for note in remarks(response, language)]
    if response.outcome is Outcome.UNAVAILABLE:
        why = "\n".join(f"- {_calm(line)}" for line in reasons(response, language))
        step = f"**{say.next}**{say.colon}{next_step(response, language)}"
        return "\n\n".join(filter(None, [say.nobody.format(query=_calm(query)), why, step]))
    if response.outcome is Outcome.EMPTY:
        parts = [say.nothing.format(query=_calm(query)), say.rephrase]
        if names := searchers(response):
            parts.insert(1, say.searched.format(names=say.comma.join(names)))
        return "\n\n".join([*parts, *notes])
    parts = [f"## {say.results.format(n=len(response.hits), query=query)}"]
    if response.answer:
        parts += [f"### {say.answer}", _calm(block(response.answer))]
    for n, hit in enumerate(response.hits, 1):
        parts += _section(n, hit, max_content_length)
    return "\n\n".join([*parts, *notes])


def error(error: KensakuError, *, query: str | None = None, language: str = "en") -> str:
    """One sentence."""
    words(language)
    return _calm(reason(error, language))


def _section(n: int, hit: Hit, limit: int) -> list[str]:
    url, title = address(hit.url), link(hit.title)
    named = f"[{title}](<{url}>)" if url.startswith(("https://", "http://")) else title
    by_the_way = " · ".join(_calm(within(t)) for t in (hit.published, hit.provider) if t)
    content = _calm(inline(hit.content))
    return [
        part
        for part in (
            f"### {n}. {named}",
            f"*{by_the_way}*" if by_the_way else "",
            cut(content, limit) if limit > 0 else content,
        )
        if part
    ]


def _calm(text: str) -> str:
    """Without pictures: showing the text must not send anything to a host that it names."""
    return re.sub(r"!(?=\[)|<(?=[A-Za-z!?/])", lambda m: "!\\" if m.group() == "!" else "\\<", text)
