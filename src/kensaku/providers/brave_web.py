"""Brave's own index without a key, by its web page. With a key, `brave` is its API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.providers._ddgs import WebPageEngine
from kensaku.providers._filters import freshness, site_query
from kensaku.providers.base import KnownBy, Request
from kensaku.providers.brave import FRESHNESS

if TYPE_CHECKING:
    from typing import ClassVar

    from kensaku.models import Query


class BraveWeb(WebPageEngine):
    name = "brave_web"
    label = "Brave (web page)"
    known_by: ClassVar[KnownBy] = "recorded"
    known_source = "nuhmanpk/headless-driver/tests/fixtures/brave_ok_20260929.html"
    url = "https://search.brave.com"
    pooled = True
    filters = frozenset({"dates", "domains", "country"})
    family = "brave"

    engine = "brave:Brave"
    robot_signs = ("/search/captcha", "<title>Captcha", "<title>PoW Captcha")
    result_signs = ("Not many great matches came back", 'id="search-elsewhere"')

    def request(self, query: Query, key: str) -> Request:
        asked = {"q": site_query(query, self.max_query_chars), "source": "web"}
        reach = freshness(query, FRESHNESS, "{0}to{1}")
        place = f"; country={query.country}" if query.country else ""
        return Request(
            self.base_url + "/search",
            params=asked | ({"tf": reach} if reach else {}),
            headers={"Cookie": f"useLocation=0{place}"},
        )
