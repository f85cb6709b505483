"""Few tokens, for small models: three lines a result, no blank lines, no markup.

A content is one line here: its breaks would be as many tokens as words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.dialects._reasons import (
    LOCAL_ONLY,
    local_only,
    next_step,
    reason,
    reasons,
    translator_for,
)
from kensaku.models import Outcome
from kensaku.text.clean import one_line
from kensaku.text.escape import escape_line, escape_lines, escape_url, flatten, line_starts
from kensaku.text.excerpt import excerpt

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Response

# Also items and quotes: what a page has on the line below would be inside them.
_OWN = line_starts(
    r"\[\d+\]", r"[-*+>](?=\s)", r"\d{1,9}[.)](?=\s)", "(?:Answer|回答|Note|注)\\s*[:：]"
)


def write(response: Response, *, language: str = "en", max_content_length: int = 240) -> str:
    """Write `[n]` and title, URL and content of each hit; a model cites by the numbers."""
    t = translator_for(language)
    if response.outcome is Outcome.UNAVAILABLE:
        why = t("; ", context="between reasons").join(reasons(response, t))
        step = next_step(response, t)
        return t(
            "Could not search (which is not an empty result). {why}. {next}",
            why=why or t("Nobody was asked"),
            next=step[:1].upper() + step[1:],
        )
    if response.outcome is Outcome.EMPTY:
        return t("Nothing found.")
    lines = []
    if response.answer:
        answer = "\n".join(filter(None, escape_lines(response.answer, _OWN).split("\n")))
        lines.append(t("Answer: {text}", text=answer))
    for n, hit in enumerate(response.hits, 1):
        day = f" ({flatten(hit.published)[:10]})" if hit.published else ""
        content = one_line(hit.content)
        if max_content_length > 0:
            content = excerpt(content, response.query.text, max_content_length)
        content = escape_line(content, _OWN)
        lines += [f"[{n}] {flatten(hit.title)}{day}", escape_url(hit.url), content]
    if local_only(response):
        lines.append(t("Note: {text}", text=t(LOCAL_ONLY)))
    return "\n".join(filter(None, lines))


def write_error(error: KensakuError, *, query: str | None = None, language: str = "en") -> str:
    """Write the error as one sentence."""
    return reason(error, translator_for(language))
