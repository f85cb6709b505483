"""The English Markdown of a terminal assistant (S4-26 … S4-32).

It joins parts with a newline where most parts end in one already: the blank lines are its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.dialects._reasons import reasons, unconfigured_providers
from kensaku.locale import translator
from kensaku.models import Outcome
from kensaku.text.escape import escape_text, escape_url, flatten, line_starts

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Response

NO_PROVIDER = "Error: No web search provider is configured."
_OWN = line_starts(r"\*\*(?:URL|Published):\*\*")  # as the assistant's screen reads them


def write(response: Response) -> str:
    """The answer box, then one section for each result."""
    if response.outcome is Outcome.UNAVAILABLE:
        return _unavailable_text(response)
    parts = []
    if response.answer:
        parts += ["## Answer\n", escape_text(response.answer, _OWN), "\n"]
    if response.hits:
        parts.append("## Search Results\n")
    else:
        parts.append("No results found for this query.\n")
    for n, hit in enumerate(response.hits, 1):
        parts += [f"### {n}. {flatten(hit.title)}\n", f"**URL:** {escape_url(hit.url)}\n"]
        if hit.published:
            parts.append(f"**Published:** {flatten(hit.published)}\n")
        parts += [f"\n{escape_text(hit.content, _OWN)}\n", "\n---\n"]
    return "\n".join(parts)


def write_error(error: KensakuError, *, query: str | None = None) -> str:
    """What the tool says instead of raising."""
    return f"Error: {flatten(str(error))}"


def _unavailable_text(response: Response) -> str:
    if not response.attempts:
        return NO_PROVIDER
    if missing := unconfigured_providers(response):
        return (
            f"Error: Web search provider '{missing[0]}' is not properly configured."
            " Please set the required API key."
        )
    return f"Error: {'; '.join(reasons(response, translator('en')))}"
