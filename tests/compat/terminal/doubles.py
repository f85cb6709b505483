"""Hits, a log and providers for the tests of the terminal assistant."""

from __future__ import annotations

from kensaku.compat.terminal import (
    WebSearchProvider,
    WebSearchResponse,
)
from kensaku.models import Hit

OTTER = Hit("https://otters.example/", "Sea otters", "They hold hands.", 0.9, "2026-01-02")
KELP = Hit("https://kelp.example/", "Kelp", "It grows fast.")
DESCRIPTION = (
    "Search the web for current information. Use this when you need up-to-date information that "
    "may not be in your training data, such as recent news, current events, documentation "
    "updates, or any time-sensitive information."
)
NO_KEY = (
    "Tavily API key is not configured. Set TAVILY_API_KEY environment variable or configure "
    "webSearch.tavily.apiKey."
)


class Log:
    """A host's own logging service: it keeps what it is given."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, dict]] = []

    def debug(self, message, meta, /):
        self.lines.append(("debug", message, dict(meta)))

    def warning(self, message, meta, /):
        self.lines.append(("warning", message, dict(meta)))

    def error(self, message, meta, /):
        self.lines.append(("error", message, dict(meta)))

    def of(self, level: str) -> list[tuple[str, dict]]:
        return [(message, meta) for kind, message, meta in self.lines if kind == level]


def with_answer(upstream, hits, answer=None):
    body = upstream.samples["tavily"].with_hits(hits) if hits else {"results": []}
    upstream.answers("tavily", body={**body, "query": "otter", "answer": answer})


def made_up(name: str, search=None, configured: bool = True, **more) -> WebSearchProvider:
    async def nothing(query, deps):
        return WebSearchResponse(query)

    return WebSearchProvider(name, name.title(), search or nothing, lambda _: configured, **more)
