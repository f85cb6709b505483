"""`WebSearchService`: DuckDuckGo or Tavily behind one method (S2-16 … S2-30).

    query → check → key → the core, with a route of one provider → [{title, url, snippet}]

It raises where the core reports: a `ValueError` for the query, a `RuntimeError` for a missing key,
the provider's error when it could not search. An empty list means that there is nothing.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from kensaku.compat._errors import error_of
from kensaku.errors import ConfigError, InvalidQuery
from kensaku.models import Outcome
from kensaku.tools import shared_client

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Hit, Response

logger = logging.getLogger(__name__)

MAX_QUERY_CHARS = 500
MAX_RESULTS = 10
EMPTY = "Search query cannot be empty."
TOO_LONG = f"Search query must be {MAX_QUERY_CHARS} characters or fewer."
NO_KEY = "TAVILY_API_KEY environment variable is required when using Tavily provider."
LABELS = {"duckduckgo": "DuckDuckGo", "tavily": "Tavily"}


class MissingKey(RuntimeError):
    """The provider needs a key, and none is set: waiting does not help."""


class WebSearchService:
    """Web search with one of two providers, whose results have one form."""

    PROVIDERS = ("duckduckgo", "tavily")

    def __init__(
        self, max_results: int = 10, provider: str | None = None, *, client: Kensaku | None = None
    ) -> None:
        self.max_results = max_results
        self.client = client or shared_client()
        self.provider = provider or _named_provider(self.client) or "duckduckgo"
        if self.provider not in self.PROVIDERS:
            raise ConfigError(f"Unknown search provider '{self.provider}'. Use: {self.PROVIDERS}")

    async def search(self, query: str, max_results: int | None = None) -> list[dict[str, str]]:
        """Return the results, each with `title`, `url` and `snippet`, whichever the provider."""
        response = await self.respond(query, max_results)
        return [{"title": h.title, "url": h.url, "snippet": h.content} for h in response.hits]

    async def respond(self, query: str, max_results: int | None = None) -> Response:
        """Return the whole response. It is never unavailable: then the error is raised."""
        if not query or not query.strip():
            raise InvalidQuery(EMPTY)
        if len(query) > MAX_QUERY_CHARS:
            raise InvalidQuery(TOO_LONG)
        limit = min(max_results or self.max_results, MAX_RESULTS)
        # The core would ask Tavily without a key, in its keyless mode; the document wants one.
        if self.provider == "tavily" and not self.client.settings.provider("tavily").keys:
            raise MissingKey(NO_KEY)
        response = await self.client.search(query, route=[self.provider], max_results=limit)
        if response.outcome is Outcome.UNAVAILABLE:
            error = error_of(response, self.provider)
            logger.error("%s search failed: %s", LABELS[self.provider], error)
            raise error
        return replace(response, hits=tuple(map(_with_own_title, response.hits)))


def _named_provider(client: Kensaku) -> str:
    """Return the provider that the environment or the client's maker has named, or nothing."""
    origin = client.settings.origins.get("route", "")
    named = origin == "argument" or origin.startswith("environment")
    return ",".join(client.settings.route) if named else ""


def _with_own_title(hit: Hit) -> Hit:
    # The core titles a page by its address when the provider gave it no title.
    return replace(hit, title="") if hit.title == hit.url else hit
