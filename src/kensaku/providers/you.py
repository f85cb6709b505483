"""You.com: web and news in one reply, also without a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kensaku.providers._filters import bare, drop_empty, freshness
from kensaku.providers._locales import YOU_COUNTRIES, YOU_LANGUAGES
from kensaku.providers.base import Provider, Request, member, rows, section, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

KEYLESS_URL = "https://api.you.com"
WHOLE_PAGE = {  # what it costs besides the search is not verified
    "extraction_mode": "full_page",
    "full_page": {"extraction_formats": ["markdown"]},
}
RANGES = {"day": "day", "week": "week", "month": "month", "year": "year"}


class You(Provider):
    name = "you"
    label = "You.com"
    docs = "https://you.com/docs/guides/search/request-controls"
    known_by = "sdk"
    known_source = "youdotcom 3.6.0, SearchResponse"
    url = "https://ydc-index.io"
    key_variable = "YDC_API_KEY"
    key_aliases = ("YOUCOM_API_KEY", "YOU_API_KEY")
    keyless = True
    pooled = True
    max_results = 100
    filters = frozenset({"dates", "domains", "country", "language"})
    languages = YOU_LANGUAGES
    countries = YOU_COUNTRIES
    price = 0.005
    price_source = "you.com/docs, 2026-11"
    rate = "10/s"
    keyless_rate = "2/m"  # about a hundred a day for one address

    @property
    def keyless_host(self) -> str:
        return urlsplit(self._keyless_url()).hostname or self.name

    def request(self, query: Query, key: str) -> Request:
        # Both kinds of domains in one request are refused: what is wanted counts more.
        country = self.country_of(query)
        only = [bare(d) for d in query.include_domains]
        never = [] if only else [bare(d) for d in query.exclude_domains]
        wanted = {
            "query": query.text,
            "count": min(query.limit, self.max_results),
            "freshness": freshness(query, RANGES, "{0}to{1}"),
            "country": country and country.upper(),
            "language": self.language_of(query),
            "include_domains": only,
            "exclude_domains": never,
        }
        body = drop_empty(wanted)
        if key and query.include_raw_content:
            body["extraction"] = WHOLE_PAGE
        if key:
            return Request(self.base_url + "/v1/search", headers={"X-API-Key": key}, json=body)
        return Request(
            url=self._keyless_url() + "/v1/agents/search",
            params={n: ",".join(v) if isinstance(v, list) else v for n, v in body.items()},
            headers={"Accept-Encoding": "identity"},  # its gzip was seen broken
        )

    def _keyless_url(self) -> str:
        return KEYLESS_URL if self.base_url == self.url else self.base_url

    def hits(self, body: Any) -> list[Hit]:
        return self._hits(body, "web", "news")

    def hits_for(self, query: Query, body: Any) -> list[Hit]:
        # The API has no topic: both sections come, and the wanted one goes first.
        return self._hits(body, "news", "web") if query.topic == "news" else self.hits(body)

    def _hits(self, body: Any, *sections: str) -> list[Hit]:
        # Both members are optional in its SDK; one of them makes it a reply.
        if "results" not in body and "metadata" not in body:
            raise ValueError("not a search reply")
        found = section(body, "results")
        return [
            self.hit(
                r.get("url"),
                r.get("title"),
                text(r.get("description"), r.get("snippets")),
                published=r.get("page_age"),
                favicon=r.get("favicon_url"),
                raw_content=member(r, "contents", "markdown"),
            )
            for name in sections
            for r in rows(found, name)
        ]
