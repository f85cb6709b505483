"""Startpage without a key: Google's index, by its web page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kensaku.providers._ddgs import RANGES, WebPageEngine
from kensaku.providers._filters import site_query, time_range
from kensaku.transport.reply import Reply
from kensaku.transport.request import Request

if TYPE_CHECKING:
    from kensaku.models import Query

# A browser sends them, and a form without them is a robot's (searxng/searxng#4890).
FORM = {
    "cat": "web", "t": "device", "lui": "english", "language": "english", "abp": "1", "abd": "0",
    "abe": "0", "segment": "organic",
}  # fmt: skip
CODE = '//form[@id="search"]//input[@name="sc"]/@value'


class Startpage(WebPageEngine):
    name = "startpage"
    label = "Startpage"
    known_source = "ddgs 9.16.1, engines/startpage.py"
    url = "https://www.startpage.com"
    pooled = True
    filters = frozenset({"dates", "domains"})
    family = "google"

    engine = "startpage:Startpage"
    posts = True
    robot_signs = ('="/sp/captcha', 'id="anubis_challenge', "src-pages-captcha", "g-recaptcha")
    result_signs = ("no-results",)

    def request(self, query: Query, key: str) -> Request:
        asked = FORM | {"query": site_query(query, self.max_query_chars)}
        if reach := time_range(query):
            asked["with_date"] = RANGES[reach]
        return Request(
            self.base_url + "/sp/search", params=asked, headers={"Referer": self.base_url + "/"}
        )

    def _send(self, client: Any, request: Request) -> Reply:
        """Take the code of a fresh form first, as a browser does: without it there is a captcha."""
        with client.request("GET", self.base_url + "/", stream=True) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            front = Reply(response.status_code, headers, self._page(response))
        if self.failure(front):
            return front
        form = dict(request.params) | {"sc": self._code(front)}
        return super()._send(client, replace(request, params=form))

    def _code(self, front: Reply) -> str:
        engine = self._libraries()[1]()
        try:
            found = engine.extract_tree(front.body.decode("utf-8", "replace")).xpath(CODE)
        except Exception:  # of its HTML parser, on what is not a page
            return ""
        return str(found[0])[:100] if found else ""
