"""The English text of a LangChain tool in a chat server (S2-38 … S2-43)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.dialects._reasons import unconfigured_providers
from kensaku.errors import UsageError
from kensaku.models import Outcome
from kensaku.providers import provider_class
from kensaku.text.escape import escape_bold, escape_text, escape_url, flatten, line_starts

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Attempt, Response

NAME = "search_web"
DESCRIPTION = (
    "Search the web for current information. "
    "Returns titles, URLs, and snippets. Use this when the user asks about "
    "current events, documentation, recent news, or anything requiring "
    "up-to-date web information."
)
NOBODY = "Web search is temporarily unavailable. Please try again later."
_OWN = line_starts(r"\d{1,9}[.)]\s+\*\*")


def write(response: Response) -> str:
    """A numbered list. A missing key is said to be one: waiting does not mend it."""
    if response.outcome is Outcome.UNAVAILABLE:
        if not unconfigured_providers(response):
            return NOBODY
        return f"Web search is not configured: {_needs(response.attempts[0])}"
    query = flatten(response.query.text)
    if response.outcome is Outcome.EMPTY:
        return f'No results found for "{query}". Try rephrasing your search.'
    lines = [f'Found {len(response.hits)} result(s) for "{query}":\n']
    if response.answer and not response.hits:
        lines += [escape_text(response.answer, _OWN), ""]
    for n, hit in enumerate(response.hits, 1):
        lines.append(f"{n}. **{escape_bold(hit.title) or 'No title'}**")
        texts = escape_url(hit.url), escape_text(hit.content, _OWN, inline=True)
        lines += [f"   {text}" for text in texts if text]
        lines.append("")
    return "\n".join(lines)


def write_error(error: KensakuError, *, query: str | None = None) -> str:
    """What the tool says instead of raising."""
    if isinstance(error, UsageError):
        return f"Invalid search query: {flatten(str(error))}"
    return NOBODY


def _needs(attempt: Attempt) -> str:
    cls = provider_class(attempt.provider)
    variable = cls.key_variable or ("" if cls.url else f"{attempt.provider.upper()}_BASE_URL")
    if not variable:  # no key and no address, but a package
        return flatten(str(attempt.error))
    label = cls.label or attempt.provider
    return f"{variable} environment variable is required when using {label} provider."
