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
# Names of errors of Baidu's gateway, which come with 200, 400 or 401.
NAMES: dict[str, type[ProviderError]] = {
    "invalid_iam_token": KeyRefused,
    "invalid_api_key": KeyRefused,
    "no_permission": KeyRefused,
    "account_overdue": QuotaExhausted,
    "daily_limit_exceeded": QuotaExhausted,
    "rpm_rate_limit_exceeded": RateLimited,
    "qps_limit_exceeded": RateLimited,
}


class Baidu(Provider):
    name = "baidu"
    label = "Baidu"
    docs = "https://cloud.baidu.com/doc/qianfan-api/s/Wmbq4z7e5"
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
        first, last = days(query)
        only = [bare(d) for d in query.include_domains][:MAX_SITES]
        wanted = {
            "messages": [{"role": "user", "content": query.text}],
            "search_source": "baidu_search_v2",
            "resource_type_filter": [{"type": "web", "top_k": min(query.limit, self.max_results)}],
            "search_filter": drop_empty(
                {
                    "match": {"site": only} if only else None,
                    "range": {"page_time": drop_empty({"gte": first, "lte": last})}
                    if first or last
                    else None,
                }
            ),
            "block_websites": [bare(d) for d in query.exclude_domains][:MAX_SITES],
        }
        return Request(
            url=self.base_url + "/v2/ai_search/web_search",
            headers={"Authorization": f"Bearer {key}"},
            json=drop_empty(wanted),
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("url"), r.get("title"), r.get("content"),
                published=r.get("date"), favicon=r.get("icon"),
            )
            for r in rows(body["references"])
        ]  # fmt: skip

    def complaint(self, body: Any) -> str:
        if isinstance(body, dict) and body.get("code") not in (None, 0, "0", ""):
            return text(body.get("message")) or "it gives no reason"
        return super().complaint(body)

    def failure(self, reply: Reply) -> ProviderError | None:
        kind = NAMES.get(_error_name(reply)) if reply.status in (200, 400, 401) else None
        return self.refusal(reply, kind) if kind else super().failure(reply)


def _width(text: str) -> int:
    return sum(1 if c.isascii() else 2 for c in text)


def _error_name(reply: Reply) -> str:
    try:
        body = reply.json()
    except (ValueError, RecursionError):
        return ""
    return text(member(body, "code")) or text(member(body, "error", "code"))
