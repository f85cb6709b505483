"""Brave Search: an index of its own; web and news."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from kensaku.errors import KeyRefused, ProviderError, QuotaExhausted
from kensaku.providers._filters import drop_empty, freshness, site_query
from kensaku.providers._locales import BRAVE_COUNTRIES, BRAVE_LANGUAGES
from kensaku.providers.base import KnownBy, Provider, Reply, Request, member, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Image, Query, Topic

DAY = 86_400
IMAGE_PARAMETERS = ("q", "count", "country", "search_lang")
FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}


class Brave(Provider):
    name = "brave"
    label = "Brave Search"
    docs = "https://api-dashboard.search.brave.com/app/documentation"
    known_by: ClassVar[KnownBy] = "recorded"
    known_source = (
        "helmut-hoffer-von-ankershoffen/brave-search-python-client/tests/fixtures/web.json"
    )
    url = "https://api.search.brave.com"
    key_variable = "BRAVE_API_KEY"
    key_aliases = ("BRAVE_SEARCH_API_KEY",)
    max_query_chars = 400
    max_query_words = 50
    max_results = 20
    filters = frozenset({"dates", "domains", "country", "language", "topic"})
    topics: ClassVar[frozenset[Topic]] = frozenset({"news", "images"})
    languages = BRAVE_LANGUAGES
    countries = BRAVE_COUNTRIES
    family = "brave"
    price = 0.005
    price_source = "api-dashboard.search.brave.com/app/plans, 2026-11"
    rate = "50/s"  # of the Search plan (api-dashboard.search.brave.com/app/plans, 2026-11)

    def request(self, query: Query, key: str) -> Request:
        country = self.country_of(query)
        wanted = {
            "q": site_query(query, self.max_query_chars, self.max_query_words),
            "count": min(query.limit, self.max_results),
            "freshness": freshness(query, FRESHNESS, "{0}to{1}"),
            "country": country and country.upper(),
            "search_lang": self.language_of(query),
            "extra_snippets": "true",
            "text_decorations": "false",
        }
        section = query.topic if query.topic in self.topics else "web"
        if section == "images":  # it refuses the parameters of texts
            wanted = {n: v for n, v in wanted.items() if n in IMAGE_PARAMETERS}
        return Request(
            url=f"{self.base_url}/res/v1/{section}/search",
            params=drop_empty(wanted),
            headers={"X-Subscription-Token": key},
        )

    def hits(self, body: Any) -> list[Hit]:
        # A search without web results has no "web" member at all; news have no sections.
        if "web" not in body and body["type"] not in ("search", "news", "images"):
            raise ValueError("neither a web nor a news reply")
        plain = body.get("type") in ("news", "images")
        found = rows(body, "results") if plain else rows(body, "web", "results")
        return [
            self.hit(
                r.get("url"),
                r.get("title"),
                text(r.get("description"), r.get("extra_snippets")),
                published=r.get("page_age") or r.get("age"),
                favicon=member(r, "meta_url", "favicon"),
            )
            for r in found
        ]

    def images(self, body: Any) -> list[Image]:
        found = rows(body, "results") or rows(body, "web", "results")
        addresses = [member(r, "properties", "url") or member(r, "thumbnail", "src") for r in found]
        return [
            self.image(url, r.get("title"), r.get("url"))
            for url, r in zip(addresses, found, strict=True)
            if url
        ]

    def failure(self, reply: Reply) -> ProviderError | None:
        if reply.status == 200:
            return None
        code, spent = _error(reply)
        if code.startswith("SUBSCRIPTION_TOKEN"):  # sent with status 422
            return self.refusal(reply, KeyRefused)
        if reply.status != 429:
            return self.refusal(reply)
        window, wait = _exhausted(reply)
        quota = code == "QUOTA_LIMITED" or spent or window >= DAY
        error = self.refusal(reply, QuotaExhausted if quota else None)
        error.retry_after = wait if wait is not None else error.retry_after
        return error


def _error(reply: Reply) -> tuple[str, bool]:
    """Its own code for the refusal, and whether the quota is spent."""
    code, spent = "", False
    with suppress(ValueError, KeyError, TypeError, AttributeError, IndexError):
        body = reply.json()
        error = body["error"] if "error" in body else body["errors"][0]
        code = str(error.get("code"))
        spent = 0 < int(error["meta"]["quota_limit"]) <= int(error["meta"]["quota_current"])
    return code, spent


def _exhausted(reply: Reply) -> tuple[int, float | None]:
    """The longest window with nothing left, and the seconds until it opens again.

    The headers are lists in step: `X-RateLimit-Policy: 1;w=1, 15000;w=2592000`.
    """
    names = ("policy", "remaining", "reset")
    lists = [reply.headers.get(f"x-ratelimit-{name}", "").split(",") for name in names]
    found: list[tuple[int, float]] = []
    with suppress(ValueError, IndexError):
        for policy, remaining, reset in zip(*lists, strict=False):
            if int(remaining) <= 0:
                found.append((int(policy.split("w=")[1]), float(reset)))
    return max(found) if found else (0, None)
