"""`WebSearchService`: DuckDuckGo or Tavily behind one method (S2-16 … S2-30).

    query → check → key → the core, with a route of one provider → [{title, url, snippet}]

The environment counts as it is: the provider's name when the service is made, the key when it
searches. A client that is given brings its own settings.

It raises where the core reports: a `ValueError` for the query, a `RuntimeError` for a missing key,
the provider's error when it could not search. An empty list means that there is nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku._logger import get_logger
from kensaku.client import Kensaku
from kensaku.compat._errors import error_of
from kensaku.config.settings import Settings
from kensaku.errors import ConfigError, InvalidQuery
from kensaku.models import Outcome
from kensaku.tools import shared_client

if TYPE_CHECKING:
    from kensaku.models import Hit

logger = get_logger(__name__)

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
        self._client = client
        self.provider = provider or _named_provider(self._settings()) or "duckduckgo"
        if self.provider not in self.PROVIDERS:
            raise ConfigError(f"Unknown search provider '{self.provider}'. Use: {self.PROVIDERS}")

    async def search(self, query: str, max_results: int | None = None) -> list[dict[str, str]]:
        """Return the results, each with `title`, `url` and `snippet`, whichever the provider.

        Raises the provider's error when it could not search.
        """
        if not query or not query.strip():
            raise InvalidQuery(EMPTY)
        if len(query) > MAX_QUERY_CHARS:
            raise InvalidQuery(TOO_LONG)
        limit = min(max_results or self.max_results, MAX_RESULTS)
        client = self.client
        # The core would ask Tavily without a key, in its keyless mode; the document wants one.
        if self.provider == "tavily" and not client.settings.provider("tavily").keys:
            raise MissingKey(NO_KEY)
        response = await client.search(query, route=[self.provider], max_results=limit)
        if response.outcome is Outcome.UNAVAILABLE:
            error = error_of(response, self.provider)
            logger.error("%s search failed: %s", LABELS[self.provider], error)
            raise error
        return [{"title": _title(h), "url": h.url, "snippet": h.content} for h in response.hits]

    @property
    def client(self) -> Kensaku:
        """The client that was given, else the one for the environment as it is now."""
        return self._client or _client_for(self._settings())

    def _settings(self) -> Settings:
        return self._client.settings if self._client else Settings.load()


# One for each environment that this process has had: connections, cache and limits are shared.
_clients: list[Kensaku] = []


def _client_for(settings: Settings) -> Kensaku:
    for client in (shared_client(), *_clients):
        if client.settings == settings:
            return client
    _clients.append(Kensaku(settings))
    return _clients[-1]


def _named_provider(settings: Settings) -> str:
    """Return the provider that the environment or the client's maker has named, or nothing."""
    origin = settings.origins.get("route", "")
    named = origin == "argument" or origin.startswith("environment")
    return ",".join(settings.route) if named else ""


def _title(hit: Hit) -> str:
    # The core titles a page by its address when the provider gave it no title.
    return "" if hit.title == hit.url else hit.title
