"""Sentences of the document, and hits, for the tests of the chat server."""

from __future__ import annotations

from kensaku.models import Hit

CHANNELS = ("web", "telegram", "slack", "terminal", "")
NOBODY = "Web search is temporarily unavailable. Please try again later."
NO_KEY = "TAVILY_API_KEY environment variable is required when using Tavily provider."
PYTHON = Hit("https://docs.python.org/3.13/", "What's new in Python 3.13", "A better REPL.")
OTTER = Hit("https://otters.example/?a=1&b=2", "Otters", "They hold hands.")
DESCRIPTION = (
    "Search the web for current information. Returns titles, URLs, and snippets. Use this when "
    "the user asks about current events, documentation, recent news, or anything requiring "
    "up-to-date web information."
)
GUIDANCE = (
    "Web Search: Use search_web when the user asks about current events, documentation, recent "
    "news, product information, or anything that requires up-to-date information from the web. "
    "Do not guess at facts you are unsure about — search first."
)


def many(n: int) -> list[Hit]:
    return [Hit(f"https://a.example/{i}", f"Page {i}", f"Text {i}.") for i in range(1, n + 1)]
