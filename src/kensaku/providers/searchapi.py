"""SearchApi: Google's results, web and news, in SerpApi's form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.providers._filters import drop_empty, site_query
from kensaku.providers.serpapi import SerpApi
from kensaku.transport.request import Request

if TYPE_CHECKING:
    from kensaku.models import Query


class SearchApi(SerpApi):
    name = "searchapi"
    label = "SearchApi"
    docs = "https://www.searchapi.io/docs/google"
    known_by = "documentation"
    known_source = "https://docs.litellm.ai/docs/search/searchapi, 2026-10-14"
    url = "https://www.searchapi.io"
    key_variable = "SEARCHAPI_API_KEY"
    key_aliases = ("SEARCHAPI_KEY",)
    price = 0.004  # the Developer plan: $40 for 10,000; failed searches are free
    price_source = "searchapi.io/pricing as others quote it, 2026-11"

    def request(self, query: Query, key: str) -> Request:
        start, end = query.start_date, query.end_date
        wanted = {
            "engine": "google_news" if query.topic == "news" else "google",
            "q": site_query(query, self.max_query_chars),
            "gl": query.country,
            "hl": self.language_of(query),
            "time_period": query.time_range and f"last_{query.time_range}",
            "time_period_min": start and f"{start:%m/%d/%Y}",
            "time_period_max": end and f"{end:%m/%d/%Y}",
        }
        return Request(
            url=self.base_url + "/api/v1/search",
            params=drop_empty(wanted),
            headers={"Authorization": f"Bearer {key}"},
        )
