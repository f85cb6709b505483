"""Markdown for a web page or a chat window, in English or Japanese."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kensaku.dialects._strings import (
    answering_providers,
    next_step,
    notes_of,
    reason,
    reasons,
    strings_for,
)
from kensaku.models import Outcome
from kensaku.text.clean import cut
from kensaku.text.escape import escape_lines, escape_link, escape_url, flatten

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Hit, Response


def write(response: Response, *, language: str = "en", max_content_length: int = 500) -> str:
    """Write a section for each hit, with at most `max_content_length` characters of content.

    0 means no limit.
    """
    strings, query = strings_for(language), flatten(response.query.text)
    notes = [
        f"*{strings.note}{strings.colon}{_escape_html(note)}*"
        for note in notes_of(response, language)
    ]
    if response.outcome is Outcome.UNAVAILABLE:
        why = "\n".join(f"- {_escape_html(line)}" for line in reasons(response, language))
        step = f"**{strings.next_step}**{strings.colon}{next_step(response, language)}"
        head = strings.unavailable.format(query=_escape_html(query))
        parts = [head, why, step]
        if response.hits:  # of the local index, and not about the query
            parts += [strings.nearest]
            parts += ["\n".join(f"- {_link(hit)}" for hit in response.hits[:3])]
        return "\n\n".join(filter(None, parts))
    if response.outcome is Outcome.EMPTY:
        parts = [strings.empty.format(query=_escape_html(query)), strings.rephrase]
        if names := answering_providers(response):
            parts.insert(1, strings.searched.format(names=strings.comma.join(names)))
        return "\n\n".join([*parts, *notes])
    parts = [f"## {strings.results.format(n=len(response.hits), query=query)}"]
    if response.answer:
        parts += [f"### {strings.answer}", _escape_html(escape_lines(response.answer))]
    for n, hit in enumerate(response.hits, 1):
        parts += _section(n, hit, max_content_length)
    return "\n\n".join([*parts, *notes])


def write_error(error: KensakuError, *, query: str | None = None, language: str = "en") -> str:
    """Write the error as one sentence."""
    strings_for(language)
    return _escape_html(reason(error, language))


def _section(n: int, hit: Hit, limit: int) -> list[str]:
    origin = " · ".join(_escape_html(flatten(t)) for t in (hit.published, hit.provider) if t)
    content = _escape_html(escape_lines(cut(hit.content, limit) if limit > 0 else hit.content))
    return [
        part
        for part in (
            f"### {n}. {_link(hit)}",
            f"*{origin}*" if origin else "",
            content,
        )
        if part
    ]


def _link(hit: Hit) -> str:
    url, title = escape_url(hit.url), escape_link(hit.title or hit.url)  # else nothing is seen
    return f"[{title}](<{url}>)" if url.startswith(("https://", "http://")) else title


def _escape_html(text: str) -> str:
    """Escape HTML, unless it is escaped already: this text is rendered."""
    return _HTML.sub(lambda m: m[0] if len(m[1]) % 2 else f"{m[1]}\\<", text)


_HTML = re.compile(r"(?<!\\)(\\*+)<(?=[A-Za-z!?/])")
