"""Mojeek's own index without a key, by its web page. With a key, `mojeek` is its API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.providers._ddgs import WebPageEngine
from kensaku.providers._filters import site_query
from kensaku.transport.request import Request

if TYPE_CHECKING:
    from kensaku.models import Query


class MojeekWeb(WebPageEngine):
    name = "mojeek_web"
    label = "Mojeek (web page)"
    known_source = "ddgs 9.16.1, engines/mojeek.py"
    url = "https://www.mojeek.com"
    pooled = True
    filters = frozenset({"domains", "country", "language"})
    family = "mojeek"
    # About ten in a row for one address, which come back slowly (searxng/searxng#4307).
    keyless_rate = "5/m"

    engine = "mojeek:Mojeek"
    robot_signs = ('class="captcha-wrap', "<altcha-widget", "<title>Captcha<")
    result_signs = ("No pages found matching",)

    def request(self, query: Query, key: str) -> Request:
        # No member may be empty or needless: Mojeek takes either for a robot's.
        places = {"arc": query.country, "lb": query.language}
        cookie = "; ".join(f"{name}={value}" for name, value in places.items() if value)
        return Request(
            self.base_url + "/search",
            params={"q": site_query(query, self.max_query_chars)},
            headers={"Cookie": cookie} if cookie else {},
        )
