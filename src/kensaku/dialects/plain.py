"""Plain text for people and models, in English or Japanese. A terminal shows it in colour."""

from __future__ import annotations

from textwrap import indent
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
from kensaku.text.escape import escape_lines, escape_url, flatten, line_starts
from kensaku.text.excerpt import excerpt

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.locale import Translator
    from kensaku.models import Hit, Response


_OWN = line_starts(r"\d{1,9}[.)](?=\s|$)", "(?:Answer|回答|Note|注)\\s*[:：]")  # at the margin


class Style:
    """How each part looks. This class changes nothing; a terminal uses a subclass."""

    def head(self, text: str) -> str:
        """Style the first line."""
        return text

    def title(self, text: str, url: str) -> str:
        """Style the title of the page at `url`."""
        return text

    def url(self, text: str) -> str:
        """Style a URL."""
        return text

    def faint(self, text: str) -> str:
        """Style secondary text: dates, providers, notes."""
        return text


def write(
    response: Response,
    *,
    language: str = "en",
    max_content_length: int = 500,
    style: Style | None = None,
) -> str:
    """Write a numbered list with at most `max_content_length` characters of each content.

    They are those that say most about the query. 0 means no limit.
    """
    t, style = translator_for(language), style or Style()
    if response.outcome is Outcome.UNAVAILABLE:
        return _unavailable_text(response, t, style)
    if response.outcome is Outcome.EMPTY:
        lines = _empty_lines(response, t, style)
    else:
        lines = [_list(response, t, max_content_length, style)]
    notes = [t("Note: {text}", text=note) for note in notes_of(response, t)]
    if notes and response.outcome is Outcome.FOUND:
        lines.append("")
    return "\n".join([*lines, *map(style.faint, notes)])


def write_error(error: KensakuError, *, query: str | None = None, language: str = "en") -> str:
    """Write the error as one sentence."""
    return reason(error, translator_for(language))


def _unavailable_text(response: Response, t: Translator, style: Style) -> str:
    head = t(UNAVAILABLE, query=flatten(response.query.text))
    why = [f"- {line}" for line in reasons(response, t)]
    lines = [style.head(head), *why, t("Next: {text}", text=next_step(response, t))]
    if response.hits:  # of the local index, and not about the query
        lines += ["", t(NEAREST)]
        lines += [f"- {flatten(h.title)} {style.url(escape_url(h.url))}" for h in response.hits[:3]]
    return "\n".join(lines)


def _empty_lines(response: Response, t: Translator, style: Style) -> list[str]:
    lines = [style.head(t(EMPTY, query=flatten(response.query.text)))]
    if names := answering_providers(response):
        lines.append(t(SEARCHED, names=enumerated(names, t)))
    return [*lines, t(REPHRASE)]


def _list(response: Response, t: Translator, limit: int, style: Style) -> str:
    query = flatten(response.query.text)
    parts = [style.head(t(RESULTS, query=query, n=len(response.hits)))]
    if response.answer:
        parts.append(t("Answer: {text}", text=escape_lines(response.answer, _OWN)))
    parts += [_item(n, hit, query, limit, style) for n, hit in enumerate(response.hits, 1)]
    return "\n\n".join(parts)


def _item(n: int, hit: Hit, query: str, limit: int, style: Style) -> str:
    url = escape_url(hit.url)
    origin = " · ".join(flatten(t) for t in (hit.published, hit.provider) if t)
    content = escape_lines(excerpt(hit.content, query, limit) if limit > 0 else hit.content)
    lines = filter(None, (style.url(url), style.faint(origin) if origin else "", content))
    # Indented, so that no line of a content stands where a number of ours does.
    head = f"{n}. {style.title(flatten(hit.title), url)}"
    return "\n".join([head, *(indent(text, "   ") for text in lines)])
