"""Google Programmable Search. Closed to new customers; it ends on 1 January 2027."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, Any

from kensaku.errors import KeyRefused, ProviderError, QuotaExhausted, RateLimited
from kensaku.models.query import date_window
from kensaku.providers._filters import drop_empty, site_query, today
from kensaku.providers._locales import GOOGLE_DOCUMENT_LANGUAGES
from kensaku.providers.base import Provider, Reply, Request, member, rows, text
from kensaku.text.dates import parse_date

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

PUBLISHED = ("article:published_time", "date")
UPDATED = ("article:modified_time", "og:updated_time")
# What it gives as a reason, whatever the status is: a wrong key comes as 400, a full quota as 403.
REASONS: dict[str, type[ProviderError]] = {
    "keyInvalid": KeyRefused,
    "API_KEY_INVALID": KeyRefused,
    "dailyLimitExceeded": QuotaExhausted,
    "quotaExceeded": QuotaExhausted,
    "userRateLimitExceeded": RateLimited,
}


class Google(Provider):
    name = "google"
    label = "Google Programmable Search"
    docs = "https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list"
    known_by = "recorded"
    known_source = "SamiraHaji/google-yt"
    url = "https://www.googleapis.com"
    key_variable = "GOOGLE_API_KEY"
    key_aliases = ("GOOGLE_SEARCH_API_KEY", "GOOGLE_CSE_API_KEY")
    options = {"cx": "GOOGLE_CX"}
    needs = ("cx",)
    max_results = 10
    filters = frozenset({"dates", "domains", "country", "language"})
    languages = GOOGLE_DOCUMENT_LANGUAGES
    family = "google"
    price = 0.005
    price_source = "developers.google.com/custom-search/v1/overview, 2026-11"
    rate = "1/s"
    sunset = date(2027, 1, 1)

    def request(self, query: Query, key: str) -> Request:
        first, _ = date_window(query, today())
        language = self.language_of(query)
        wanted = {
            "key": key,
            "cx": self.option.get("cx"),
            "q": site_query(query, self.max_query_chars),
            "num": min(query.limit, self.max_results),
            "gl": query.country,
            "lr": f"lang_{language}" if language else None,
            "dateRestrict": f"d{max(1, (today() - first).days)}" if first else None,
        }
        return Request(
            url=self.base_url + "/customsearch/v1",
            params=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        if "items" not in body and "searchInformation" not in body:
            raise ValueError("not a search reply")
        return [
            self.hit(r.get("link"), r.get("title"), r.get("snippet"), published=_published(r))
            for r in rows(body, "items")
        ]

    def failure(self, reply: Reply) -> ProviderError | None:
        if reply.status == 200:
            return None
        kinds = [REASONS[reason] for reason in _reasons(reply) if reason in REASONS]
        return self.refusal(reply, kinds[0] if kinds else None)


def _published(row: dict[str, Any]) -> str | None:
    """The day of a page: of its own metadata, or at the head of the snippet."""
    found = (
        *(member(row, "pagemap", "metatags", 0, name) for name in PUBLISHED),
        member(row, "pagemap", "newsarticle", 0, "datepublished"),
        text(row.get("snippet")).partition(" ... ")[0],  # "May 12, 2020 ... The otter"
        *(member(row, "pagemap", "metatags", 0, name) for name in UPDATED),
    )
    return next((day for day in found if isinstance(day, str) and parse_date(day)), None)


def _reasons(reply: Reply) -> list[str]:
    """The reasons of a refusal, the exact ones first."""
    found: list[str] = []
    with suppress(ValueError, KeyError, TypeError, AttributeError):
        error = reply.json()["error"]
        for detail in error.get("details") or []:
            found.append(str(detail.get("reason")))
            # A quota by the day and one by the minute differ in nothing else.
            if "PerDay" in str((detail.get("metadata") or {}).get("quota_limit")):
                found.insert(0, "dailyLimitExceeded")
        found += [str(e.get("reason")) for e in error.get("errors") or []]
    return found
