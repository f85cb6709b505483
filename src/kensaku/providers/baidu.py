"""Baidu, by the search of its Qianfan platform: the Chinese web."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import KeyRefused, ProviderError, QuotaExhausted, RateLimited
from kensaku.providers._filters import bare, days, drop_empty
from kensaku.providers.base import Provider, Reply, Request, member, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query

MAX_WIDTH = 72  # of a query, where a Chinese character counts twice
MAX_SITES = 20
# A range with one bound is ignored, and so is one from 1970 on (seen by others, 2026-10).
EARLIEST, LATEST = "2000-01-01", "2099-12-31"
# Names and numbers of its errors, in lower case. A spent quota comes with 429, as a rate does; some
# of the others come with 200.
NAMES: dict[str, type[ProviderError]] = {
    "invalid_iam_token": KeyRefused,
    "invalid_api_key": KeyRefused,
    "no_permission": KeyRefused,
    "216003": KeyRefused,  # "Fail to parse apikey authorization"
    "account_overdue": QuotaExhausted,
    "billing_insufficient_balance": QuotaExhausted,
    "daily_limit_exceeded": QuotaExhausted,
    "quota_user_daily_free": QuotaExhausted,
    "quota_user_daily_request": QuotaExhausted,
    "17": QuotaExhausted,  # the daily limit, as its older services number it
    "rpm_rate_limit_exceeded": RateLimited,
    "qps_limit_exceeded": RateLimited,
    "18": RateLimited,
}
STATUSES = (200, 400, 401, 403, 429)


class Baidu(Provider):
    name = "baidu"
    label = "Baidu"
    docs = "https://cloud.baidu.com/doc/qianfan-api/s/Wmbq4z7e5"
    known_by = "sdk"
    known_source = "appbuilder-sdk 1.1.5, Reference"
    url = "https://qianfan.baidubce.com"
    key_variable = "BAIDU_API_KEY"
    key_aliases = ("QIANFAN_API_KEY", "APPBUILDER_API_KEY")
    max_query_chars = MAX_WIDTH
    max_results = 50
    filters = frozenset({"dates", "domains"})
    family = "baidu"
    rate = "1/s"

    def too_long(self, text: str) -> str:
        if _width(text) <= MAX_WIDTH:
            return ""
        return f"at most {MAX_WIDTH} characters, where Chinese ones count twice"

    def shortened(self, text: str) -> str:
        while _width(text) > MAX_WIDTH:
            text = text[:-1]
        head, blank, _ = text.rpartition(" ")
        return head if blank and len(head) * 2 > len(text) else text

    def request(self, query: Query, key: str) -> Request:
        only = [bare(d) for d in query.include_domains][:MAX_SITES]
        wanted = {
            "messages": [{"role": "user", "content": query.text}],
            "search_source": "baidu_search_v2",
            "resource_type_filter": [{"type": "web", "top_k": min(query.limit, self.max_results)}],
            "search_filter": drop_empty(
                {"match": {"site": only} if only else None, "range": _range(query)}
            ),
            "block_websites": [bare(d) for d in query.exclude_domains][:MAX_SITES],
        }
        return Request(
            url=self.base_url + "/v2/ai_search/web_search",
            headers={"Authorization": f"Bearer {key}"},
            json=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        # The list is optional in its client; the id of a request makes it a reply.
        if not body.keys() & {"references", "request_id"}:
            raise ValueError("not a search reply")
        return [
            self.hit(
                r.get("url"), r.get("title"), r.get("content"), score=r.get("rerank_score"),
                published=r.get("date"), favicon=r.get("icon"),
            )
            for r in rows(body, "references")
        ]  # fmt: skip

    def complaint(self, body: Any) -> str:
        if isinstance(body, dict) and body.get("code") not in (None, 0, "0", ""):
            return text(body.get("message")) or "it gives no reason"
        return super().complaint(body)

    def failure(self, reply: Reply) -> ProviderError | None:
        kind = NAMES.get(_error_name(reply)) if reply.status in STATUSES else None
        return self.refusal(reply, kind) if kind else super().failure(reply)


def _range(query: Query) -> dict[str, Any] | None:
    first, last = days(query)
    if not first and not last:
        return None
    return {"page_time": {"gte": first or EARLIEST, "lte": last or LATEST}}


def _width(text: str) -> int:
    return sum(1 if c.isascii() else 2 for c in text)


def _error_name(reply: Reply) -> str:
    try:
        body = reply.json()
    except ValueError:
        return ""
    code = member(body, "code") or member(body, "error", "code")
    return str(code).lower() if isinstance(code, str | int) else ""
