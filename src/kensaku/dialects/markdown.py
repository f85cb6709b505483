"""Markdown for a web page or a chat window, in English or Japanese."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kensaku.dialects._reasons import (
    EMPTY,
    NEAREST,
    REPHRASE,
    RESULTS,
    SEARCHED,
    UNAVAILABLE,
    answering_providers,
    enumerated,
    next_step,
    notes_of,
    reason,
    reasons,
    translator_for,
)
from kensaku.models import Outcome
from kensaku.text.escape import escape_lines, escape_link, escape_url, flatten
from kensaku.text.excerpt import excerpt

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Hit, Response


def write(response: Response, *, language: str = "en", max_content_length: int = 500) -> str:
    """Write a section for each hit, with at most `max_content_length` characters of content.

    They are those that say most about the query. 0 means no limit.
    """
    t, query = translator_for(language), flatten(response.query.text)
    said = notes_of(response, t)
    notes = [f"*{t('Note: {text}', text=_escape_html(note))}*" for note in said]
    if response.outcome is Outcome.UNAVAILABLE:
        why = "\n".join(f"- {_escape_html(line)}" for line in reasons(response, t))
        step = t("**Next**: {text}", text=next_step(response, t))
        head = t(UNAVAILABLE, query=_escape_html(query))
        parts = [head, why, step]
        if response.hits:  # of the local index, and not about the query
            parts += [t(NEAREST)]
            parts += ["\n".join(f"- {_link(hit)}" for hit in response.hits[:3])]
        return "\n\n".join(filter(None, parts))
    if response.outcome is Outcome.EMPTY:
        parts = [t(EMPTY, query=_escape_html(query)), t(REPHRASE)]
        if names := answering_providers(response):
            parts.insert(1, t(SEARCHED, names=enumerated(names, t)))
        return "\n\n".join([*parts, *notes])
    parts = [f"## {t(RESULTS, query=query, n=len(response.hits))}"]
    if response.answer:
        parts += [f"### {t('Answer')}", _escape_html(escape_lines(response.answer))]
    for n, hit in enumerate(response.hits, 1):
        parts += _section(n, hit, query, max_content_length)
    return "\n\n".join([*parts, *notes])


def write_error(error: KensakuError, *, query: str | None = None, language: str = "en") -> str:
    """Write the error as one sentence."""
    return _escape_html(reason(error, translator_for(language)))


def _section(n: int, hit: Hit, query: str, limit: int) -> list[str]:
    origin = " · ".join(_escape_html(flatten(t)) for t in (hit.published, hit.provider) if t)
    content = excerpt(hit.content, query, limit) if limit > 0 else hit.content
    return [
        part
        for part in (
            f"### {n}. {_link(hit)}",
            f"*{origin}*" if origin else "",
            _escape_html(escape_lines(content)),
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
