"""The English Markdown of a terminal assistant (S4-26 … S4-32).

It joins parts with a newline where most parts end in one already: the blank lines are its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.dialects._strings import only_unconfigured, reasons
from kensaku.models import Outcome
from kensaku.text.escape import address, block, inline, within

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Response

NO_PROVIDER = "Error: No web search provider is configured."


def write(response: Response) -> str:
    """The answer box, then one section for each result."""
    if response.outcome is Outcome.UNAVAILABLE:
        return _nobody(response)
    parts = []
    if response.answer:
        parts += ["## Answer\n", block(response.answer), "\n"]
    if response.hits:
        parts.append("## Search Results\n")
    else:
        parts.append("No results found for this query.\n")
    for n, hit in enumerate(response.hits, 1):
        parts += [f"### {n}. {within(hit.title)}\n", f"**URL:** {address(hit.url)}\n"]
        if hit.published:
            parts.append(f"**Published:** {within(hit.published)}\n")
        parts += [f"\n{inline(hit.content)}\n", "\n---\n"]
    return "\n".join(parts)


def error(error: KensakuError, *, query: str | None = None) -> str:
    """What the tool says instead of raising."""
    return f"Error: {within(str(error))}"


def _nobody(response: Response) -> str:
    if not response.attempts:
        return NO_PROVIDER
    if missing := only_unconfigured(response):
        return (
            f"Error: Web search provider '{missing[0]}' is not properly configured."
            " Please set the required API key."
        )
    return f"Error: {'; '.join(reasons(response))}"
