"""SerpApi: Google's results, web and news."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from kensaku.errors import ProviderError, QuotaExhausted
from kensaku.providers._classify import reason_in
from kensaku.providers._filters import drop_empty, site_query, tbs
from kensaku.providers._locales import GOOGLE_LANGUAGES
from kensaku.providers.base import KnownBy, Provider, Reply, Request, first_text, rows

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


class SerpApi(Provider):
    name = "serpapi"
    label = "SerpApi"
    docs = "https://serpapi.com/search-api"
    known_by: ClassVar[KnownBy] = "recorded"
    known_source = "magrosskopf/product-scraper/dev/serpOrganicResults.js"
    url = "https://serpapi.com"
    key_variable = "SERPAPI_API_KEY"
    key_aliases: ClassVar[tuple[str, ...]] = ("SERPAPI_KEY", "SERP_API_KEY")
    max_results = 10  # a page; Google ended `num` in September 2025, and each page is a search
    filters = frozenset({"dates", "domains", "country", "language", "topic"})
    languages = GOOGLE_LANGUAGES
    family = "google"
    price = 0.015
    price_source = "unverified"
    rate = "1/s"

    def request(self, query: Query, key: str) -> Request:
        wanted = {
            "api_key": key,
            "engine": "google",
            "q": site_query(query, self.max_query_chars),
            "gl": query.country,
            "hl": self.language_of(query),
            "tbs": tbs(query),
            "tbm": "nws" if query.topic == "news" else None,
        }
        return Request(
            url=self.base_url + "/search.json",
            params=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        sections = ("organic_results", "news_results")
        if not any(s in body for s in sections) and not _searched(body):
            raise ValueError("not a search reply")
        return [
            self.hit(r.get("link"), r.get("title"), r.get("snippet"), published=r.get("date"))
            for section in sections
            for r in rows(body, section)
        ]

    def answer(self, body: Any) -> str | None:
        box, graph = body.get("answer_box") or {}, body.get("knowledge_graph") or {}
        return first_text(box.get("answer"), box.get("snippet"), graph.get("description"))

    def complaint(self, body: Any) -> str:
        # A search that worked and found nothing says so in "error", too.
        return "" if _searched(body) else super().complaint(body)

    def failure(self, reply: Reply) -> ProviderError | None:
        # 429 is the hourly limit and the end of the searches; only the sentence tells.
        if reply.status == 429 and "run out of searches" in reason_in(reply):
            return self.refusal(reply, QuotaExhausted)
        return super().failure(reply)


def _searched(body: Any) -> bool:
    meta = body.get("search_metadata") if isinstance(body, dict) else None
    return isinstance(meta, dict) and meta.get("status") == "Success"
