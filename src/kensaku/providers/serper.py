"""Serper: Google's results, web and news."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import ProviderError, QuotaExhausted
from kensaku.providers._classify import reason_in
from kensaku.providers._filters import drop_empty, site_query, tbs
from kensaku.providers._locales import GOOGLE_LANGUAGES
from kensaku.providers.base import Provider, Reply, Request, first_text, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Image, Query

ENDPOINTS = {"news": "/news", "images": "/images"}
SECTIONS = ("organic", "news", "images")


class Serper(Provider):
    name = "serper"
    label = "Serper"
    docs = "https://serper.dev/playground"
    url = "https://google.serper.dev"
    key_variable = "SERPER_API_KEY"
    max_results = 100  # documented; not verified since Google itself ended `num` (September 2025)
    filters = frozenset({"dates", "domains", "country", "language", "topic"})
    languages = GOOGLE_LANGUAGES
    family = "google"
    topics = frozenset({"news", "images"})
    price = 0.001
    price_source = "serper.dev, 2026-11"
    rate = "50/s"

    def price_of(self, query: Query) -> float:
        return self.price * (2 if query.limit > 10 else 1)  # credits

    def request(self, query: Query, key: str) -> Request:
        wanted = {
            "q": site_query(query, self.max_query_chars),
            "num": min(query.limit, self.max_results),
            "gl": query.country,
            "hl": self.language_of(query),
            "tbs": tbs(query),
        }
        return Request(
            url=self.base_url + ENDPOINTS.get(query.topic, "/search"),
            headers={"X-API-KEY": key},
            json=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        section = next((s for s in SECTIONS if s in body), "organic")
        if section not in body and "searchParameters" not in body:
            raise ValueError("not a search reply")
        return [
            self.hit(r.get("link"), r.get("title"), r.get("snippet"), published=r.get("date"))
            for r in rows(body, section)
        ]

    def images(self, body: Any) -> list[Image]:
        return [
            self.image(r.get("imageUrl"), r.get("title"), r.get("link"))
            for section in SECTIONS
            for r in rows(body, section)
            if r.get("imageUrl")
        ]

    def answer(self, body: Any) -> str | None:
        box, graph = body.get("answerBox") or {}, body.get("knowledgeGraph") or {}
        return first_text(box.get("answer"), box.get("snippet"), graph.get("description"))

    def cost(self, body: Any) -> float | None:
        credits = body.get("credits")
        return credits * self.price if isinstance(credits, int) else None

    def failure(self, reply: Reply) -> ProviderError | None:
        # It says that the credits are gone with status 400, and only in these words.
        if reply.status in (400, 403) and "credit" in reason_in(reply).lower():
            return self.refusal(reply, QuotaExhausted)
        return super().failure(reply)
