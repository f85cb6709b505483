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
from kensaku.text.escape import escape_block, escape_line, escape_link, escape_url, flatten

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Hit, Response


def write(response: Response, *, language: str = "en", max_content_length: int = 500) -> str:
    """Write a section for each hit, with at most `max_content_length` characters of content.

    0 means no limit.
    """
    strings, query = strings_for(language), flatten(response.query.text)
    notes = [
        f"*{strings.note}{strings.colon}{_disarm(note)}*" for note in notes_of(response, language)
    ]
    if response.outcome is Outcome.UNAVAILABLE:
        why = "\n".join(f"- {_disarm(line)}" for line in reasons(response, language))
        step = f"**{strings.next_step}**{strings.colon}{next_step(response, language)}"
        head = strings.unavailable.format(query=_disarm(query))
        parts = [head, why, step]
        if response.hits:  # of the local index, and not about the query
            parts += [strings.nearest]
            parts += ["\n".join(f"- {_link(hit)}" for hit in response.hits[:3])]
        return "\n\n".join(filter(None, parts))
    if response.outcome is Outcome.EMPTY:
        parts = [strings.empty.format(query=_disarm(query)), strings.rephrase]
        if names := answering_providers(response):
            parts.insert(1, strings.searched.format(names=strings.comma.join(names)))
        return "\n\n".join([*parts, *notes])
    parts = [f"## {strings.results.format(n=len(response.hits), query=query)}"]
    if response.answer:
        parts += [f"### {strings.answer}", _disarm(escape_block(response.answer))]
    for n, hit in enumerate(response.hits, 1):
        parts += _section(n, hit, max_content_length)
    return "\n\n".join([*parts, *notes])


def write_error(error: KensakuError, *, query: str | None = None, language: str = "en") -> str:
    """Write the error as one sentence."""
    strings_for(language)
    return _disarm(reason(error, language))


def _section(n: int, hit: Hit, limit: int) -> list[str]:
    origin = " · ".join(_disarm(flatten(t)) for t in (hit.published, hit.provider) if t)
    content = _disarm(escape_line(hit.content))
    return [
        part
        for part in (
            f"### {n}. {_link(hit)}",
            f"*{origin}*" if origin else "",
            cut(content, limit) if limit > 0 else content,
        )
        if part
    ]


def _link(hit: Hit) -> str:
    url, title = escape_url(hit.url), escape_link(hit.title)
    return f"[{title}](<{url}>)" if url.startswith(("https://", "http://")) else title


def _disarm(text: str) -> str:
    """Escape images and HTML: rendering the text must send nothing to a host that it names."""
    return re.sub(r"!(?=\[)|<(?=[A-Za-z!?/])", lambda m: "!\\" if m.group() == "!" else "\\<", text)
