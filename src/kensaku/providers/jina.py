"""Jina: web search, with the pages themselves when they are asked for."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kensaku.providers._filters import bare
from kensaku.providers._locales import GOOGLE_LANGUAGES
from kensaku.providers.base import Provider, Reply, Request, rows
from kensaku.text.countries import names

if TYPE_CHECKING:
    from kensaku.errors import ProviderError
    from kensaku.models import Hit, Query

NEWS_FACTOR = 5  # tokens (src/api/searcher.ts of jina-ai/reader, May 2026)
NOTHING_FOUND = 42206  # its own status inside an HTTP 422


class Jina(Provider):
    name = "jina"
    label = "Jina"
    markup = False
    docs = "https://jina.ai/reader"
    known_source = "jina-ai/reader/src/api/searcher.ts (the server's source)"
    url = "https://s.jina.ai"
    key_variable = "JINA_API_KEY"
    max_results = 20
    filters = frozenset({"domains", "country", "language", "topic"})
    languages = GOOGLE_LANGUAGES
    countries = frozenset(names()) - {"ss"}  # its list is older than South Sudan
    price = 0.0005  # ten thousand tokens are charged at least; the price of a token is unverified
    price_source = "unverified"
    rate = "100/m"

    def price_of(self, query: Query) -> float:
        return self.price * (NEWS_FACTOR if query.topic == "news" else 1)

    def request(self, query: Query, key: str) -> Request:
        never = [f"-site:{bare(d)}" for d in query.exclude_domains]
        wanted: list[tuple[str, str | int | None]] = [
            ("q", " ".join([query.text, *never])),
            ("num", min(query.limit, self.max_results)),
            ("type", "news" if query.topic == "news" else None),
            ("gl", self.country_of(query)),
            ("hl", self.language_of(query)),
            *(("site", bare(d)) for d in query.include_domains),
        ]
        headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
        if not query.include_raw_content:
            headers["X-Respond-With"] = "no-content"  # a third of the time, and of the tokens
        return Request(
            url=self.base_url + "/",
            params=[(name, value) for name, value in wanted if value],
            headers=headers,
        )

    def hits(self, body: Any) -> list[Hit]:
        if body.get("status") == NOTHING_FOUND:
            return []
        return [
            self.hit(
                r.get("url"),
                r.get("title"),
                r.get("description") or r.get("content"),
                published=r.get("date") or r.get("publishedTime"),
                favicon=r.get("favicon"),
                raw_content=r.get("content"),
            )
            for r in rows(body["data"])
        ]

    def failure(self, reply: Reply) -> ProviderError | None:
        with suppress(ValueError, TypeError, KeyError):
            if reply.status == 422 and reply.json()["status"] == NOTHING_FOUND:
                return None
        return super().failure(reply)
