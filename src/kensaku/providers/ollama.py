"""Ollama's web search: of the service with a key, or by a local daemon that is signed in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.providers.base import Provider, Request, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


class Ollama(Provider):
    name = "ollama"
    label = "Ollama web search"
    docs = "https://docs.ollama.com/capabilities/web-search"
    url = "https://ollama.com"
    key_variable = "OLLAMA_API_KEY"
    keyless = True  # by a daemon under OLLAMA_BASE_URL
    max_results = 10
    family = "ollama"
    markup = False

    def request(self, query: Query, key: str) -> Request:
        # A daemon signs the request for the account that it is signed in to.
        path = "/api/web_search" if self.base_url == self.url else "/api/experimental/web_search"
        return Request(
            url=self.base_url + path,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            json={"query": query.text, "max_results": min(query.limit, self.max_results)},
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(r.get("url"), r.get("title"), r.get("content")) for r in rows(body["results"])
        ]
